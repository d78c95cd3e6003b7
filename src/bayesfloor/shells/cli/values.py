"""Values as people type them on a command line; what is no value stays the text that it is."""

from __future__ import annotations

import re
from contextlib import suppress

from bayesfloor.base.errors import DataError

TYPED_PERCENT = re.compile(r"([+-]?[\d.]+)\s*%")
"""Matches a number in percent; the group is the number."""
TYPED_COMMA = re.compile(r"[+-]?\d*,\d+\s*%?")
"""Matches a number with a decimal comma."""
TYPED_THOUSANDS = re.compile(r"\d{1,3}(?:,\d{3})+")
"""Matches a whole number with commas between thousands."""


def share(text: str) -> float | str:
    """Return a share, which may be in percent or have a decimal comma.

    Examples
    --------
    >>> share("0.95"), share("95%"), share("0,95"), share("99,9 %"), share("most")
    (0.95, 0.95, 0.95, 0.999, 'most')
    """
    plain = text.strip()
    if TYPED_COMMA.fullmatch(plain):
        plain = plain.replace(",", ".")
    plain = TYPED_PERCENT.sub(r"\1e-2", plain)  # exact, unlike a division by 100
    with suppress(ValueError):
        return float(plain)
    return text


def accuracy(value: float | str) -> float | str:
    """Return an accuracy; above 1 it can only be in percent.

    Errors are not read so: 0.5 could be half a percent or half of the rows.

    Examples
    --------
    >>> accuracy(0.95), accuracy(95.0), accuracy(99.9), accuracy(101.0), accuracy("most")
    (0.95, 0.95, 0.999, 101.0, 'most')
    """
    in_percent = isinstance(value, float) and 1 < value <= 100
    return float(f"{value!r}e-2") if in_percent else value  # exact, unlike a division by 100


def class_share(text: str) -> tuple[str, float | str]:
    """Return a class and its share, as typed: CLASS=SHARE.

    Examples
    --------
    >>> class_share("yes=2%"), class_share("a=b=0.1")
    (('yes', 0.02), ('a=b', 0.1))
    """
    name, equals, value = text.rpartition("=")
    if not equals:
        raise DataError(f"--prior {text!r} has no share; write it as yes=0.02")
    return name, share(value)


def pair_cost(text: str) -> tuple[tuple[str, str], float | str]:
    """Return a class, an answer and its cost, as typed: CLASS:ANSWER=COST.

    Examples
    --------
    >>> pair_cost("yes:no=10")
    (('yes', 'no'), 10.0)
    """
    pair, equals, value = text.rpartition("=")
    names = pair.split(":")
    if not equals or len(names) != 2:
        raise DataError(f"--cost {text!r} is no cost of an answer; write it as yes:no=10")
    return (names[0], names[1]), share(value)


def count(text: str) -> float | str:
    """Return a number of rows, which may have commas between thousands.

    Examples
    --------
    >>> count("1000"), count("12,500"), count("1,5"), count("many")
    (1000.0, 12500.0, '1,5', 'many')
    """
    plain = text.strip()
    with suppress(ValueError):
        return float(plain.replace(",", "") if TYPED_THOUSANDS.fullmatch(plain) else plain)
    return text
