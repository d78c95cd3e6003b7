"""Columns of text, by their different texts: cleaned, coded, told from dates and scales."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from bayesfloor.tables.dialect import MISSING

if TYPE_CHECKING:
    import polars as pl

DATE = r"^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ].*)?$"
TIME = r"^\d{1,2}:\d{2}(:\d{2})?(\.\d+)?( ?[AaPp][Mm])?$"
PROBE = 100
"""Texts that tell whether a column may hold dates or numbers."""
STEP = r"^[<>≤≥~]?\s*[$€£]?\s*(-?\d+(?:\.\d+)?)(?:\s*(?:-|–|to)\s*\d+(?:\.\d+)?)?\s*(.*)$"
"""A step of a scale, such as 20-29, 3rd or 12 %: its number, and what follows."""
ENDINGS = frozenset(["", "st", "nd", "rd", "th", "+"])


def plain_texts(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """Return text without blanks around it and texts for missing values, and its different texts.

    Both are by column, all of text.
    """
    import polars as pl

    if not frame.width:
        return frame, {}
    text = pl.element().str.strip_chars()
    plain = pl.when(~text.is_in(list(MISSING))).then(text)
    found = frame.select(pl.all().unique().implode())
    cleaned = found.select(pl.all().list.eval(plain))
    levels, changes = {}, []
    for name in frame.columns:
        old, new = found[name][0], cleaned[name][0]
        if not new.equals(old):
            changes.append(pl.col(name).replace_strict(old, new, return_dtype=pl.String))
            new = new.unique()
        levels[name] = new.drop_nulls()
    return frame.with_columns(changes) if changes else frame, levels


def coded(column: pl.Series) -> pl.Series:
    """Return text as codes of its different texts, which are in order, and all else as it is."""
    import polars as pl

    if column.dtype == pl.String:
        return column.cast(pl.Enum(column.drop_nulls().unique().sort()))
    return column


def like_dates(text: pl.Series) -> bool:
    """Tell text whose first values look like dates or times."""
    first = text.drop_nulls().head(PROBE)
    if not len(first) or not first[0][0].isdecimal():  # spares most columns the rest
        return False
    return bool((first.str.contains(DATE) | first.str.contains(TIME)).all())


def steps(levels: pl.Series) -> pl.Series | None:
    """Return the numbers that texts start with, if they are a scale: each number one text."""
    import polars as pl

    if len(levels) < 3 or not re.search(r"\d", levels[0]):  # spares most columns the rest
        return None
    if levels.head(PROBE).str.extract(STEP, 1).null_count():
        return None
    parts = levels.str.extract_groups(STEP).struct.unnest()
    number, ending = parts.to_series(0).cast(pl.Float64), parts.to_series(1).str.strip_chars()
    units = set(ending.to_list()) - ENDINGS
    if number.null_count() or len(units) > 1:
        return None
    return number if number.n_unique() == len(levels) else None
