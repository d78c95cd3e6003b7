"""Values as people type them on a command line; what is no value stays the text that it is."""

from __future__ import annotations

import re
from contextlib import suppress

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
