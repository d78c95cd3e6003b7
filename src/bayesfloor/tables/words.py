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
MANY_NUMBERS, FEW_STRAYS = 20, 0.05
"""So many different texts of which so small a share are no numbers are numbers, with gaps."""
GROUPED = r"^[+-]?\s*[$€£]?\s*(?:\d+|\d{1,3}(?:,\d{3})+)(?:\.\d+)?$"
"""A number with a sign of money before it, or commas between thousands."""
ENDINGS = frozenset(["", "st", "nd", "rd", "th", "+"])
MULTIPLIES = re.compile(r"[,.'\d]|(k|m|mio|mn|bn|b|million|billion|thousand)\b", re.IGNORECASE)
"""What follows a number that is not the whole of it, as in 1,000 or 2k."""


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


def strays_among_numbers(levels: pl.Series) -> list[str]:
    """Return the few texts among many numbers, such as unknown, or none if it is not like that."""
    import polars as pl

    first = levels.head(PROBE).cast(pl.Float64, strict=False)
    if len(levels) < MANY_NUMBERS or first.null_count() > len(first) // 4:  # spares most the rest
        return []
    strays = levels.filter(levels.cast(pl.Float64, strict=False).is_null())
    return sorted(strays.to_list()) if len(strays) <= FEW_STRAYS * len(levels) else []


def like_dates(text: pl.Series) -> bool:
    """Tell text whose first values look like dates or times."""
    first = text.drop_nulls().head(PROBE)
    if not len(first) or not first[0][0].isdecimal():  # spares most columns the rest
        return False
    return bool((first.str.contains(DATE) | first.str.contains(TIME)).all())


def steps(levels: pl.Series) -> pl.Series | None:
    """Return the numbers that texts are, or that they start with if each number has one text."""
    import polars as pl

    if len(levels) < 3 or not re.search(r"\d", levels[0]):  # spares most columns the rest
        return None
    if re.match(GROUPED, levels[0]) and levels.str.contains(GROUPED).all():
        return levels.str.replace_all(r"[$€£,\s]", "").cast(pl.Float64)
    if levels.head(PROBE).str.extract(STEP, 1).null_count():
        return None
    parts = levels.str.extract_groups(STEP).struct.unnest()
    number, ending = parts.to_series(0).cast(pl.Float64), parts.to_series(1).str.strip_chars()
    endings = set(ending.to_list())
    units = endings - ENDINGS
    uneven = len(endings) > 1 and any(map(MULTIPLIES.match, units))
    if number.null_count() or len(units) > 1 or uneven:
        return None
    return number if number.n_unique() == len(levels) else None
