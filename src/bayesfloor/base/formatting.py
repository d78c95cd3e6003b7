"""Numbers and names as readers see them."""

from __future__ import annotations

import reprlib
from decimal import Decimal
from typing import Any

import numpy as np

LARGE = 1e12
"""Whole numbers below this are written out."""
LONGEST = 40
"""Letters of a name or value that are shown."""
MISSING = "missing"
MISSING_TYPES = frozenset(["NoneType", "NAType", "NaTType", "MaskedConstant"])
"""What libraries call the type of a value that is not there."""


def percent(share: float) -> str:
    """Write a share to a tenth of a percent, or finer close to 0 and 1, where tenths hide much.

    Examples
    --------
    >>> percent(0.3), percent(0.99), percent(0.99986), percent(1 - 1e-9)
    ('30.0%', '99.00%', '99.986%', '100%')
    """
    edge = min(share, 1 - share)
    digits = 1 if edge > 0.0995 else 2 if edge > 0.000995 else 3
    rounded = round(share, 2 + digits)
    return as_percent(rounded) if rounded in (0, 1) else f"{100 * share:.{digits}f}%"


def as_percent(share: float) -> str:
    """Write a share that the user gave, with no more digits than came.

    Examples
    --------
    >>> as_percent(0.97), as_percent(0.125)
    ('97%', '12.5%')
    """
    return f"{100 * share + 0.0:.10g}%"


def counted(count: int, one: str, many: str | None = None) -> str:
    """Write a count with its noun.

    Examples
    --------
    >>> counted(1, "column"), counted(1200, "row"), counted(2, "class", "classes")
    ('1 column', '1,200 rows', '2 classes')
    """
    return f"{count:,} {one if count == 1 else many or one + 's'}"


def counted_columns(came: int, compared: int) -> str:
    """Write how many columns came and, if text in them was encoded, how many are compared.

    Examples
    --------
    >>> counted_columns(3, 3), counted_columns(14, 107)
    ('3 columns', '14 columns (107 after encoding)')
    """
    text = counted(came, "column")
    return text if came == compared else f"{text} ({compared:,} after encoding)"


def cut(text: str) -> str:
    """Cut a long text, marking that by an ellipsis."""
    return text if len(text) <= LONGEST else text[: LONGEST - 1].rstrip() + "…"


def shorten(value: object) -> str:
    r"""Write a value on one short line.

    Examples
    --------
    >>> shorten(3.0), shorten(0.12345678), shorten(None), shorten("two\nlines")
    ('3', '0.123457', 'missing', 'two lines')
    """
    if is_missing(value):
        return MISSING
    if isinstance(value, float | np.floating):
        whole = float(value).is_integer() and abs(float(value)) < LARGE
        return f"{value:.0f}" if whole else f"{value:.6g}"
    return cut("".join(c if c.isprintable() else " " for c in str(value)))


def is_missing(value: Any) -> bool:
    """Tell a value that is not there, NaN included."""
    if type(value).__name__ in MISSING_TYPES:
        return True
    return isinstance(value, float | np.generic | Decimal) and bool(value != value)


def show(value: object) -> str:
    """Write any value on one short line, NumPy's scalars as plain ones."""
    if isinstance(value, np.number | np.bool_ | np.str_ | np.bytes_):
        value = value.item()
    return " ".join(reprlib.repr(value).split())
