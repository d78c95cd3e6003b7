"""Checks of the numbers and names that a user passes as options."""

from __future__ import annotations

import math
import operator
from collections.abc import Collection
from contextlib import suppress
from numbers import Real
from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import show

if TYPE_CHECKING:
    from bayesfloor.base.arrays import Floats

SEED_LIMIT = 2**31 - 1
"""Seeds are drawn below this, the largest 32-bit integer: every generator takes them."""
LEAST_CONFIDENCE, MOST_CONFIDENCE = 0.001, 1 - 1e-9
"""Confidence of an interval: below, it has no width; above, normal quantiles lose their digits. No
statement is made with such a confidence."""


def number(value: object) -> float:
    """Return a real number as float, and NaN for anything else, true and false included.

    Examples
    --------
    >>> number(1), number("1"), number(True)
    (1.0, nan, nan)
    """
    if isinstance(value, Real) and not isinstance(value, bool):
        with suppress(Exception):
            return float(value)
    return math.nan


def check_share(name: str, value: object) -> float:
    """Return a number strictly between 0 and 1, such as a confidence, as float."""
    share = number(value)
    if not 0 < share < 1:
        raise DataError(f"{name} is {show(value)}; pass a number between 0 and 1, both excluded")
    return share


def check_confidence(name: str, value: object) -> float:
    """Return a confidence that intervals can have: from 0.001 to 1 − 10⁻⁹."""
    confidence = number(value)
    if not LEAST_CONFIDENCE <= confidence <= MOST_CONFIDENCE:
        raise DataError(f"{name} is {show(value)}; pass a number between 0.001 and 0.999999999")
    return confidence


def check_positive(name: str, value: object) -> float:
    """Return a finite number above 0, such as a tolerance, as float."""
    positive = number(value)
    if not 0 < positive < math.inf:
        raise DataError(f"{name} is {show(value)}; pass a number above 0")
    return positive


def check_count(name: str, value: object, *, low: int = 1, high: int | None = None) -> int:
    """Return a whole number from `low` to `high`, such as k, as int."""
    count = None
    if not isinstance(value, bool):
        with suppress(Exception):
            count = operator.index(value)  # type: ignore[arg-type]
    if count is None or count < low or (high is not None and count > high):
        limits = f"of at least {low}" if high is None else f"from {low} to {high}"
        raise DataError(f"{name} is {show(value)}; pass a whole number {limits}")
    return count


def check_not_negative(name: str, value: object) -> int:
    """Return a whole number from 0 on, such as a seed, as int."""
    return check_count(name, value, low=0)


def check_choice(name: str, value: object, choices: Collection[str]) -> str:
    """Return one of the choices, such as the name of a method."""
    if not isinstance(value, str) or value not in choices:
        raise DataError(f"{name} is {show(value)}; choose one of {', '.join(choices)}")
    return value


def check_sums(p: Floats, tolerance: float, *, name: str = "probabilities") -> None:
    """Refuse rows of class probabilities that do not sum to one, up to a tolerance."""
    totals = p.sum(axis=1)
    off = (abs(totals - 1) > tolerance).nonzero()[0]
    if len(off):
        raise DataError(
            f"the {name} of row {off[0]} sum to {totals[off[0]]:.6g}; pass one for each class, so"
            " that they sum to one"
        )


def check_seed(name: str, value: object) -> int:
    """Return a seed as int, drawn from the generator if one is passed, as in scikit-learn.

    None means NumPy's global generator, so that every call gets a new seed.
    """
    import numpy as np

    if isinstance(value, np.random.Generator):
        return int(value.integers(SEED_LIMIT))
    if value is None or value is np.random or isinstance(value, np.random.RandomState):
        return int((value or np.random).randint(SEED_LIMIT))
    try:
        return check_not_negative(name, value)
    except DataError as problem:
        raise DataError(f"{problem}, None or a NumPy generator") from problem
