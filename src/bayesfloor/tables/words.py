"""Columns of text, by their different texts: cleaned, coded, told from dates and scales."""

from __future__ import annotations

import re
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from bayesfloor.tables.dialect import MISSING

if TYPE_CHECKING:
    import polars as pl

DATE = r"^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4})([T ].*)?$"
TIME = r"^\d{1,2}:\d{2}(:\d{2})?(\.\d+)?( ?[AaPp][Mm])?$"
PROBE = 100
"""Texts that tell whether a column may hold dates or numbers."""
NUMBER = r"[0-9]+(?:\.[0-9]+)?"
MONEY = "(?:[$€£¥]|USD|EUR|GBP|CHF)"
STEP = rf"^[<>≤≥~]?\s*{MONEY}?\s*(-?{NUMBER})(?:\s*(?:-|–|to)\s*{NUMBER})?\s*(.*)$"
"""A step of a scale, such as 20-29, 3rd or 12 %: its number, and what follows."""
MANY_NUMBERS, FEW_STRAYS = 20, 0.05
"""So many different texts of which so small a share are no numbers are numbers, with gaps."""
WAYS = {".": ",' \u00a0\u202f", ",": ".' \u00a0\u202f"}
"""Decimal signs, and what may stand between thousands beside them."""


def _written(point: str) -> str:
    """Match numbers as people write them: money, thousands, and losses in brackets."""
    digits = rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:[{WAYS[point]}][0-9]{{3}})+)(?:[{point}][0-9]+)?"
    amount = rf"{MONEY}?\s*{digits}\s*{MONEY}?"
    return rf"^(?:[+-]?\s*{amount}|{MONEY}\s*[+-]\s*{digits}|\(\s*{amount}\s*\))$"


WRITTEN = {point: _written(point) for point in WAYS}
"""Numbers by their decimal sign."""
ENDINGS = frozenset(["", "st", "nd", "rd", "th", "+"])
MULTIPLIES = re.compile(
    r"[,.'_\d]|e[+-]?\d|(k|m|mio|mn|bn|b|million|billion|thousand)\b", re.IGNORECASE
)
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


def numbers_and_strays(levels: pl.Series) -> tuple[pl.Series, pl.Series, list[str]] | None:
    """Return texts that are numbers, these, and the few other texts, such as unknown, among them.

    None if it is not like that.
    """
    if len(levels) < MANY_NUMBERS or not _mostly(levels.head(PROBE).str.contains("[0-9]")):
        return None
    if not _mostly(_like_number(levels.head(PROBE))):  # spares most columns the rest
        return None
    like = _like_number(levels)
    texts, strays = levels.filter(like), levels.filter(~like)
    if not len(strays) or len(strays) > FEW_STRAYS * len(levels):
        return None
    numbers = _plain_numbers(texts)
    if numbers.null_count():
        scale = steps(texts)
        if scale is None:
            return None
        numbers = scale
    return texts, numbers, sorted(strays.to_list())


def _mostly(marks: pl.Series) -> bool:
    return bool(marks.sum() >= 0.75 * len(marks))


def _plain_numbers(texts: pl.Series) -> pl.Series:
    import polars as pl

    return texts.cast(pl.Float64, strict=False)


def _like_number(texts: pl.Series) -> pl.Series:
    written = (texts.str.contains(pattern) for pattern in (STEP, *WRITTEN.values()))
    return reduce(or_, written, _plain_numbers(texts).is_not_null())


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
    for point, pattern in WRITTEN.items():
        if re.match(pattern, levels[0]) and levels.str.contains(pattern).all():
            return _read(levels, point)
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


def _read(texts: pl.Series, point: str) -> pl.Series | None:
    """Return numbers as people write them, all in one currency or none."""
    import polars as pl

    if texts.str.extract(f"({MONEY})").drop_nulls().n_unique() > 1:
        return None
    plain = texts.str.replace(r"^\(", "-").str.replace_all(rf"{MONEY}|[{WAYS[point]}\s)+]", "")
    return plain.str.replace(point, ".", literal=True).cast(pl.Float64, strict=False)
