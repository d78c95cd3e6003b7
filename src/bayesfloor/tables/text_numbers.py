"""Numbers that are written as text, with units, currencies and thousands.

Functions take the different texts of a column, as `clean_texts` returns them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import polars as pl

SAMPLED_NUMBERS = 100
"""Number of texts that are tried first, to spare most columns a full search; a judgement. It
decides only which columns look like numbers with strays."""
MATCHING_SHARE = 0.75
"""Share of the sampled texts that must match for a column to look like dates or numbers, so that a
few unusual ones do not hide it; a judgement."""
MIN_NUMBERS_WITH_STRAYS = 20
"""Number of different texts from which on a few that are not numbers count as missing values; with
fewer, a column may well be a category. A judgement."""
MAX_STRAY_SHARE = 0.05
"""Largest share of the different texts that may be strays, a judgement."""
MIN_SCALE_TEXTS = 3
"""Number of different texts that a scale such as 1st, 2nd, 3rd has at least: two texts are encoded
as one column anyway."""
NUMBER = r"[0-9]+(?:\.[0-9]+)?"
"""Matches a number without sign."""
CURRENCY = "(?:[$€£¥]|USD|EUR|GBP|CHF)"
"""Matches the sign or code of a common currency."""
LEADING_NUMBER = rf"^[<>≤≥~]?\s*{CURRENCY}?\s*(-?{NUMBER})(?:\s*(?:-|–|to)\s*{NUMBER})?\s*(.*)$"
"""Matches one text of a scale, such as 20-29, 3rd or 12 %: its number, and what follows."""
GROUP_MARKS = {".": ",' \u00a0\u202f", ",": ".' \u00a0\u202f"}
"""The marks that may separate thousands, for each decimal sign."""
ORDINAL_ENDINGS = frozenset(["", "st", "nd", "rd", "th", "+"])
"""What may follow the numbers of a scale beside one unit."""
MULTIPLIER = re.compile(
    r"[,.'_\d%‰]|e[+-]?\d|(k|m|mio|mn|bn|b|million|billion|thousand)\b", re.IGNORECASE
)
"""Matches what follows a number that is only a part of it, as in 1,000, 2k or 5%."""


def _written_number(point: str) -> str:
    """Return the pattern of numbers as people write them, for one decimal sign.

    They may have a currency, marks between thousands, and a minus sign before or after; brackets
    mean minus too.
    """
    groups = rf"[1-9][0-9]{{0,2}}(?:[{GROUP_MARKS[point]}][0-9]{{3}})+"
    digits = rf"(?:[0-9]+|{groups})(?:[{point}][0-9]+)?"
    amount = rf"{CURRENCY}?\s*{digits}\s*{CURRENCY}?"
    sign = "[+−-]"
    ways = (rf"{sign}?\s*{amount}", rf"{CURRENCY}\s*{sign}\s*{digits}", rf"\(\s*{amount}\s*\)")
    return rf"^(?:{'|'.join(ways)}|{amount}\s*[−-])$"


WRITTEN_NUMBERS = {point: _written_number(point) for point in GROUP_MARKS}
"""Patterns of numbers as people write them, by decimal sign."""


class NumbersWithStrays(NamedTuple):
    """Holds the different texts of a column of numbers, and the few that are not numbers."""

    texts: pl.Series  # those that are numbers
    numbers: pl.Series  # their values
    strays: Sequence[str] = ()  # the others, in order


def plain_numbers(texts: pl.Series) -> pl.Series:
    """Return numbers without any dressing, and null for all other texts."""
    import polars as pl

    return texts.cast(pl.Float64, strict=False)


def start_with_plain_numbers(levels: pl.Series) -> bool:
    """Return whether the first of the different texts are plain numbers."""
    return not plain_numbers(levels.head(SAMPLED_NUMBERS)).null_count()


def numbers_of_texts(levels: pl.Series) -> NumbersWithStrays | None:
    """Return the numbers of written numbers, of a scale, or of either with a few strays.

    None if the texts are none of these.
    """
    numbers = written_or_leading_numbers(levels)
    return NumbersWithStrays(levels, numbers) if numbers is not None else _split_strays(levels)


def written_or_leading_numbers(levels: pl.Series) -> pl.Series | None:
    """Return the numbers that texts are, or those they start with if these are all different.

    None if neither holds for every text.
    """
    if len(levels) < MIN_SCALE_TEXTS or not re.search(r"\d", levels[0]):  # spares most columns
        return None
    for point, pattern in WRITTEN_NUMBERS.items():
        if re.match(pattern, levels[0]) and levels.str.contains(pattern).all():
            return _written_values(levels, point)
    return _leading_numbers(levels)


def _written_values(texts: pl.Series, point: str) -> pl.Series | None:
    """Return the values of written numbers, all in one currency or none."""
    import polars as pl

    if texts.str.extract(f"({CURRENCY})").drop_nulls().n_unique() > 1:
        return None
    texts = texts.str.replace("−", "-", literal=True)
    if len(texts) < MIN_NUMBERS_WITH_STRAYS and texts.str.ends_with("-").any():  # grades such as 1-
        return None
    signed = texts.str.replace(r"^\(|^(.*)-$", "-$1")
    plain = signed.str.replace_all(rf"{CURRENCY}|[{GROUP_MARKS[point]}\s)+]", "")
    return plain.str.replace(point, ".", literal=True).cast(pl.Float64, strict=False)


def _leading_numbers(levels: pl.Series) -> pl.Series | None:
    """Return the numbers that texts start with, if all differ and the same unit follows each."""
    import polars as pl

    if levels.head(SAMPLED_NUMBERS).str.extract(LEADING_NUMBER, 1).null_count():
        return None
    parts = levels.str.extract_groups(LEADING_NUMBER).struct.unnest()
    numbers, endings = parts.to_series(0).cast(pl.Float64), parts.to_series(1).str.strip_chars()
    if numbers.null_count() or numbers.n_unique() < len(levels):
        return None
    different = set(endings.to_list())
    units = different - ORDINAL_ENDINGS
    uneven = len(different) > 1 and any(map(MULTIPLIER.match, units))
    return None if len(units) > 1 or uneven else numbers


def _split_strays(levels: pl.Series) -> NumbersWithStrays | None:
    """Separate many numbers from a few other texts, such as unknown.

    Of several ways to read the numbers, the one that leaves the fewest other texts is taken.
    """
    if len(levels) < MIN_NUMBERS_WITH_STRAYS:
        return None
    sampled = levels.gather_every(len(levels) // SAMPLED_NUMBERS + 1)
    if not _most(sampled.str.contains("[0-9]")):
        return None
    patterns = (*WRITTEN_NUMBERS.values(), LEADING_NUMBER)
    likely = (pattern for pattern in patterns if _most(sampled.str.contains(pattern)))
    readings = [plain_numbers(levels).is_not_null(), *map(levels.str.contains, likely)]
    for matches in sorted(readings, key=lambda matches: -int(matches.sum())):
        texts, strays = levels.filter(matches), levels.filter(~matches)
        if 0 < len(strays) <= MAX_STRAY_SHARE * len(levels):
            plain = plain_numbers(texts)
            numbers = written_or_leading_numbers(texts) if plain.null_count() else plain
            if numbers is not None:
                return NumbersWithStrays(texts, numbers, sorted(strays.to_list()))
    return None


def _most(matches: pl.Series) -> bool:
    return bool(matches.sum() >= MATCHING_SHARE * len(matches))
