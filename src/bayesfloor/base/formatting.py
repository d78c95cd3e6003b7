"""Numbers, names and values are written as people read them."""

from __future__ import annotations

import reprlib
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Any

WHOLE_NUMBER_LIMIT = 1e12
"""Floats that are whole numbers below this are written without a fraction or an exponent: up to
twelve digits are easy to read, a judgement."""
MAX_SHOWN_LETTERS = 40
"""Length to which a name or a value is cut: half a line of a terminal, a judgement."""
MAX_SHOWN_NAMES = 8
"""Number of names that a message lists before it counts the rest, a judgement."""
MISSING_WORD = "missing"
"""What a reader sees in place of a missing value."""
MISSING_TYPES = frozenset(["NoneType", "NAType", "NaTType", "MaskedConstant"])
"""Names of the types of missing values in Python, pandas and NumPy."""


def percent(share: float) -> str:
    """Write a share to a tenth of a percent, or finer close to 0 and 1, where tenths hide much.

    Examples
    --------
    >>> percent(0.3), percent(0.99), percent(0.99986), percent(1 - 1e-9)
    ('30.0%', '99.00%', '99.986%', '100%')
    """
    edge = min(share, 1 - share)
    digits = 1 if edge > 0.0995 else 2 if edge > 0.000995 else 3  # from 10.0 % and 0.10 % on
    rounded = round(share, 2 + digits)
    return as_percent(rounded) if rounded in (0, 1) else f"{100 * share:.{digits}f}%"


def as_percent(share: float) -> str:
    """Write a share that the user gave, with as many digits as they gave.

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
    """Write the number of columns and, if text was encoded, the number of encoded columns.

    Examples
    --------
    >>> counted_columns(3, 3), counted_columns(14, 107)
    ('3 columns', '14 columns (107 after encoding)')
    """
    text = counted(came, "column")
    return text if came == compared else f"{text} ({compared:,} after encoding)"


def first_few(
    items: Sequence[object], *, separator: str = ", ", write: Callable[[object], str] = str
) -> str:
    """Write the first items on one line, and count the rest.

    Examples
    --------
    >>> first_few(range(10))
    '0, 1, 2, 3, 4, 5, 6, 7 and 2 more'
    >>> first_few(range(1118))
    '0, 1, 2, 3, 4, 5, 6, 7 and 1,110 more'
    """
    hidden = len(items) - MAX_SHOWN_NAMES
    shown = separator.join(map(write, items[:MAX_SHOWN_NAMES]))
    return f"{shown} and {hidden:,} more" if hidden > 0 else shown


def quoted_names(names: Sequence[object]) -> str:
    """Write names in quotes on one line, and count the rest if there are many.

    Examples
    --------
    >>> quoted_names(["age", "city"])
    "'age', 'city'"
    """
    return first_few(names, write=reprlib.repr)


def cut(text: str, most: int = MAX_SHOWN_LETTERS) -> str:
    """Cut a text of more letters than `most`, and end it with an ellipsis."""
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def shorten(value: object) -> str:
    r"""Write a value on one short line.

    Examples
    --------
    >>> shorten(3.0), shorten(0.12345678), shorten(None), shorten("two\nlines")
    ('3', '0.123457', 'missing', 'two lines')
    """
    import numpy as np

    if is_missing(value):
        return MISSING_WORD
    if isinstance(value, float | np.floating):
        whole = float(value).is_integer() and abs(float(value)) < WHOLE_NUMBER_LIMIT
        return f"{value:.0f}" if whole else f"{value:.6g}"
    return cut("".join(c if c.isprintable() else " " for c in str(value)))


def is_missing(value: Any) -> bool:
    """Return whether a value is missing: None, NaN, or what other libraries use for them."""
    import numpy as np

    if type(value).__name__ in MISSING_TYPES:
        return True
    return isinstance(value, float | np.generic | Decimal) and bool(value != value)


def show(value: object) -> str:
    """Write the repr of any value on one short line, NumPy scalars like Python's own."""
    import numpy as np

    if isinstance(value, np.number | np.bool_ | np.str_ | np.bytes_):
        value = value.item()
    return " ".join(reprlib.repr(value).split())
