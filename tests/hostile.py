"""Hostile inputs for the calls and the reader, and what must hold of whatever comes back."""

from __future__ import annotations

import faulthandler
import math
import os
from collections import Counter
from collections.abc import Callable
from typing import Any, TypeVar

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesfloor.base.arrays import AnyArray
from bayesfloor.base.errors import DataError
from bayesfloor.floor import Floor

T = TypeVar("T")
ATTACK = bool(os.environ.get("ATTACK"))
"""Whether `make attack` runs: more examples, other seeds, and what takes minutes."""
SIZES = [1.0, 1.0, 5e-324, 1e-310, 1e-160, 1e-30, 1e30, 1e160, 1e300, 1e307, 1.7e308]
"""Factors with which squares vanish or overflow, and others beside them."""
NO_NUMBERS = [math.nan, math.inf, -math.inf]
TYPES = ["f8", "f4", "f2", "longdouble", "i8", "u8", "i1", "?", ">f8", "<i2"]
NAMES = ["", " ", "a", "A", "<script>", "a\nb", "\0", "'\"", "é" * 300, "nan", "-1", "\u202e"]
"""Names of classes that files, terminals and pages could stumble over."""


def numbers() -> st.SearchStrategy[float]:
    """Draw numbers up to 1, often equal ones."""
    near_zero = st.sampled_from([-0.0, 1e-9, -1e-20, 1e-30])
    return st.one_of(st.integers(-2, 2).map(lambda j: j / 2), near_zero, st.floats(-1, 1, width=32))


@st.composite
def points(draw: Any) -> AnyArray:
    """Draw a table of numbers of some size and type; seldom one that is not finite."""
    n, d = draw(st.integers(1, 40)), draw(st.integers(1, 4))
    elements = numbers()
    if draw(st.integers(0, 9)) == 0:
        elements = st.one_of(elements, st.sampled_from(NO_NUMBERS))
    table = draw(arrays(np.float64, (n, d), elements=elements))
    table *= draw(st.sampled_from(SIZES))
    if draw(st.booleans()):
        table = table[draw(arrays(np.int64, n, elements=st.integers(0, n - 1)))]  # copies of rows
    dtype = np.dtype(draw(st.sampled_from(TYPES)))
    with np.errstate(all="ignore"):
        if dtype.kind in "iu":
            info = np.iinfo(dtype)
            table = np.nan_to_num(np.clip(table, info.min / 2, info.max / 2))
        return table.astype(dtype)


@st.composite
def pairs(draw: Any) -> tuple[AnyArray, AnyArray]:
    """Draw two tables with the same columns."""
    table = draw(points())
    cut = draw(st.integers(0, len(table)))
    return table[:cut], table[cut:]


@st.composite
def labels(draw: Any, n: int) -> Any:
    """Draw as many labels, most often of few classes."""
    codes = draw(arrays(np.int64, n, elements=st.integers(0, draw(st.sampled_from([1, 1, 2, 40])))))
    kind = draw(st.sampled_from(["int", "int", "text", "float", "mixed", "bool"]))
    if kind == "text":
        return [NAMES[code % len(NAMES)] for code in codes]
    if kind == "mixed":
        return [[0, "0", None, 1.5, b"x", (1,), math.nan][code % 7] for code in codes]
    return {"int": codes, "float": codes / 3, "bool": codes > 0}[kind]


def call_options() -> st.SearchStrategy[dict[str, Any]]:
    """Draw options of a call, some of them wrong."""
    return st.fixed_dictionaries(
        {},
        optional={
            "method": st.sampled_from(["wnn", "wnn", "knn", "mst", "wnn-published", "none"]),
            "k": st.sampled_from([1, 2, 5, 39, 0, -1, 10**30, 2.5, None]),
            "confidence": st.sampled_from([0.95, 0.5, 0.001, 1 - 1e-9, 1e-300, 1 - 1e-16, "a"]),
            "random_state": st.sampled_from([0, 7, 2**40, -1, None, "a"]),
            "tolerance": st.sampled_from([0.1, 1e-300, 1e300, 0, math.nan]),
            "engine": st.sampled_from(["auto", "scipy", "numpy", "tree"]),
            "workers": st.sampled_from([1, 2, 0]),
        },
    )


def questions() -> st.SearchStrategy[dict[str, Any]]:
    """Draw what a floor is asked, some of it senseless."""
    shares = st.sampled_from([0.5, 0.9, 1.0, 0.0, 1 - 1e-16, 1e-300, -1, 2, math.nan, "95%", None])
    return st.fixed_dictionaries(
        {},
        optional={
            "target": st.one_of(shares, st.lists(shares, max_size=3)),
            "model_error": shares,
            "test_rows": st.sampled_from([1, 100, 10**12, 0, -1, 2.5, math.inf, "a", None]),
            "shown_as": st.sampled_from(["error", "accuracy", "", None, 1]),
        },
    )


LONGEST_CALL = 60.0 * (10 if ATTACK else 60)
"""Seconds of the clock after which a call is taken to hang, and the process ends: a minute of a
processor that is shared."""
OUTCOMES: Counter[tuple[str, str]] = Counter()
"""How many attempts of each kind were answered and refused; `make attack` prints them."""


def attempt(attack: str, call: Callable[[], T]) -> T | None:
    """Return what a call returns, or None if it is refused in one line; anything else fails."""
    faulthandler.dump_traceback_later(LONGEST_CALL, exit=True)
    try:
        found = call()
    except DataError as problem:
        check_message(problem)
        OUTCOMES[attack, "refused"] += 1
        return None
    finally:
        faulthandler.cancel_dump_traceback_later()
    OUTCOMES[attack, "answered"] += 1
    return found


def check_floor(floor: Floor) -> None:
    """Fail unless all numbers are finite, and bounds lie in their order."""
    low, high = floor.interval
    ends = [0.0, low, floor.lower, floor.upper, high, 1.0]
    assert ends == sorted(ends), ends
    first, last = floor.mismatch_interval
    numbers = [floor.mismatch, floor.mismatch_se, first, last]
    numbers += [floor.estimate, *floor.estimate_interval, floor.loss, *floor.priors]
    numbers += [] if floor.of_items else [floor.intrinsic_dimension]
    assert np.isfinite(numbers).all(), numbers
    assert first <= last
    assert np.isfinite(floor.local_mismatch).all()
    assert floor.curve is None or np.isfinite(floor.curve.radius).all()


def check_message(problem: Exception) -> None:
    """Fail unless a refusal is one short line."""
    message = str(problem)
    assert "\n" not in message
    assert len(message) < 1000
