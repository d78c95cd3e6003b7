"""Whatever comparisons get, they return finite numbers or one sentence; no warning."""

from __future__ import annotations

import random
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayesfloor as bf
from hostile import ATTACK, NAMES, attempt

sys.path.insert(0, str(Path(__file__).parent))
from drawn_calls import Call, groups_call
from drawn_comparisons import check_document, columns_call, compare_call, shift_call, source_call

DRAWN = 600 if ATTACK else 12
QUICK = settings(max_examples=DRAWN, suppress_health_check=list(HealthCheck), deadline=None)
DRAWS: dict[str, Callable[[random.Random], Call]] = {
    "groups": groups_call,
    "compare": compare_call,
    "columns": columns_call,
    "shift": shift_call,
    "sources": source_call,
}


@pytest.mark.parametrize("kind", DRAWS)
@QUICK
@given(rng=st.randoms(use_true_random=False))
def test_any_comparison_is_answered_or_refused(kind: str, rng: random.Random) -> None:
    attempt(kind, DRAWS[kind](rng))


LARGE = np.array([[1.7e308], [-1.7e308], [1.0], [0.0]] * 5)
SEEDS: dict[str, Callable[[], Any]] = {
    "numbers whose squares are none": lambda: bf.two_sample_test(LARGE[:9] * 0.4, LARGE[9:] * 0.4),
    "numbers whose squares vanish": lambda: bf.two_sample_test(LARGE[:9] * 0, LARGE[9:] * 5e-324),
    "a range of values that is no number": lambda: bf.two_sample_test(
        pl.DataFrame({"a": 1.7e308 * np.linspace(-1, 1, 20), "b": NAMES[:10] * 2}),
        pl.DataFrame({"a": 1.7e308 * np.linspace(-1, 1, 20)[::-1], "b": NAMES[:10] * 2}),
    ),
}


@pytest.mark.parametrize("seed", SEEDS)
def test_what_once_failed_or_might_is_answered(seed: str) -> None:
    found = attempt(seed, SEEDS[seed])
    if found is not None:
        check_document(found)
