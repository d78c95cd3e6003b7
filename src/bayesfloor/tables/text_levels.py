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
NUMBER = r"[0-9]+(?:\.[0-9]+)?"
MONEY = "(?:[$€£¥]|USD|EUR|GBP|CHF)"
STEP = rf"^[<>≤≥~]?\s*{MONEY}?\s*(-?{NUMBER})(?:\s*(?:-|–|to)\s*{NUMBER})?\s*(.*)$"
"""A step of a scale, such as 20-29, 3rd or 12 %: its number, and what follows."""
MANY_NUMBERS, FEW_STRAYS = 20, 0.05
"""So many different texts of which so small a share are no numbers are numbers, with gaps."""
WAYS = {".": ",' \u00a0\u202f", ",": ".' \u00a0\u202f"}
"""Decimal signs, and what may stand between thousands beside them."""


def _written(point: str) -> str:
    """Match numbers as people write them: money, thousands, and losses by bracket or last sign."""
    digits = rf"(?:[0-9]+|[1-9][0-9]{{0,2}}(?:[{WAYS[point]}][0-9]{{3}})+)(?:[{point}][0-9]+)?"
    amount = rf"{MONEY}?\s*{digits}\s*{MONEY}?"
    sign = "[+−-]"
    ways = (rf"{sign}?\s*{amount}", rf"{MONEY}\s*{sign}\s*{digits}", rf"\(\s*{amount}\s*\)")
    return rf"^(?:{'|'.join(ways)}|{amount}\s*[−-])$"


WRITTEN = {point: _written(point) for point in WAYS}
"""Numbers by their decimal sign."""
ENDINGS = frozenset(["", "st", "nd", "rd", "th", "+"])
MULTIPLIES = re.compile(
    r"[,.'_\d%‰]|e[+-]?\d|(k|m|mio|mn|bn|b|million|billion|thousand)\b", re.IGNORECASE
)
"""What follows a number that is not the whole of it, as in 1,000, 2k or 5%."""


def plain_texts(frame: pl.DataFrame) -> tuple[pl.DataFrame, dict[str, pl.Series]]:
    """Return text without blanks around it and texts for missing values, and its different texts.

    Both are by column, all of text; the different texts are in order.
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
        levels[name] = new.drop_nulls().sort()
    return frame.with_columns(changes) if changes else frame, levels


def coded(column: pl.Series) -> pl.Series:
    """Return text as codes of its different texts, which are in order, and all else as it is."""
    import polars as pl

    if column.dtype == pl.String:
        return column.cast(pl.Enum(column.drop_nulls().unique().sort()))
    return column


def numbers_and_strays(levels: pl.Series) -> tuple[pl.Series, pl.Series, list[str]] | None:
    """Return texts that are numbers, these, and the few other texts, such as unknown, among them.

    Of several ways to read numbers that with the fewest others counts. None if it is not like that.
    """
    some = levels.gather_every(len(levels) // PROBE + 1)
    if len(levels) < MANY_NUMBERS or not _mostly(some.str.contains("[0-9]")):
        return None
    likely = (p for p in (*WRITTEN.values(), STEP) if _mostly(some.str.contains(p)))
    ways = [_plain_numbers(levels).is_not_null(), *map(levels.str.contains, likely)]
    for like in sorted(ways, key=lambda like: -int(like.sum())):
        texts, strays = levels.filter(like), levels.filter(~like)
        if 0 < len(strays) <= FEW_STRAYS * len(levels):
            plain = _plain_numbers(texts)
            numbers = steps(texts) if plain.null_count() else plain
            if numbers is not None:
                return texts, numbers, sorted(strays.to_list())
    return None


def _mostly(marks: pl.Series) -> bool:
    return bool(marks.sum() >= 0.75 * len(marks))


def _plain_numbers(texts: pl.Series) -> pl.Series:
    import polars as pl

    return texts.cast(pl.Float64, strict=False)


def like_dates(text: pl.Series) -> bool:
    """Tell text most of whose first values look like dates or times."""
    first = text.drop_nulls().head(PROBE)
    if not any(value[0].isdecimal() for value in first):  # spares most columns the rest
        return False
    return _mostly(first.str.contains(DATE) | first.str.contains(TIME))


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
    if number.null_count() or number.n_unique() < len(levels):
        return None
    endings = set(ending.to_list())
    units = endings - ENDINGS
    uneven = len(endings) > 1 and any(map(MULTIPLIES.match, units))
    return None if len(units) > 1 or uneven else number


def _read(texts: pl.Series, point: str) -> pl.Series | None:
    """Return numbers as people write them, all in one currency or none."""
    import polars as pl

    if texts.str.extract(f"({MONEY})").drop_nulls().n_unique() > 1:
        return None
    texts = texts.str.replace("−", "-", literal=True)
    if len(texts) < MANY_NUMBERS and texts.str.ends_with("-").any():  # marks such as 1-
        return None
    signed = texts.str.replace(r"^\(|^(.*)-$", "-$1")
    plain = signed.str.replace_all(rf"{MONEY}|[{WAYS[point]}\s)+]", "")
    return plain.str.replace(point, ".", literal=True).cast(pl.Float64, strict=False)
