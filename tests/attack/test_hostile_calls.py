"""Whatever a call gets, it returns a sound floor or one sentence; no warning, no other error."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import bayesfloor as bf
from hostile import ATTACK, attempt, call_options, check_floor, labels, pairs, points

CALLS = 3000 if ATTACK else 60
QUICK = settings(max_examples=CALLS, suppress_health_check=list(HealthCheck))


@QUICK
@given(st.data())
def test_any_sample_has_a_floor_or_is_refused(data: st.DataObject) -> None:
    X = data.draw(points())
    y = data.draw(labels(len(X)))
    options = {"representation": "raw", **data.draw(call_options())}
    floor = attempt("samples", lambda: bf.bayes_error(X, y, **options))
    if floor is not None:
        check_floor(floor)


@QUICK
@given(pairs(), call_options())
def test_any_two_point_sets_have_a_divergence_or_are_refused(
    both: tuple[Any, Any], options: dict[str, Any]
) -> None:
    raw = {"representation": "raw", **options}
    found = attempt("pairs", lambda: bf.henze_penrose(*both, **raw))
    if found is not None:
        assert np.isfinite([found.value, found.se, *found.interval]).all()
        assert 0 <= found.interval[0] <= found.interval[1] <= 1


class Overflowing:
    """A classifier whose scores are not finite."""

    def fit(self, _: Any, y: Any) -> Overflowing:
        self.classes_ = np.unique(y)
        return self

    def get_params(self, deep: bool = True) -> dict[str, Any]:  # noqa: ARG002
        return {}

    def decision_function(self, X: Any) -> Any:
        with np.errstate(all="ignore"):
            return np.exp(1e5 * np.abs(np.asarray(X)[:, 0])) * np.sign(np.asarray(X)[:, 0])


RNG = np.random.default_rng(0)
X = RNG.normal(size=(80, 2))
Y = np.arange(80) % 2
SEEDS: dict[str, tuple[Any, Any, dict[str, Any]]] = {
    "scores that overflow": (X, Y, {"representation": Overflowing()}),
    "scores that overflow in a tree": (X, Y, {"representation": Overflowing(), "engine": "tree"}),
    "scores that overflow in blocks": (X, Y, {"representation": Overflowing(), "engine": "blocks"}),
    "near the largest number": (X * 1e307, Y, {}),
    "at the largest number": (np.sign(X) * 1.79e308, Y, {"method": "wnn-published"}),
    "long doubles": (X.astype(np.longdouble) * np.longdouble("1e3000"), Y, {}),
    "half floats": ((X * 20_000).clip(-65_000, 65_000).astype(np.float16), Y, {}),
    "the smallest numbers": (X * 5e-324, Y, {}),
    "confidence near 0": (X, Y, {"confidence": 1e-300}),
    "confidence near 1": (X, Y, {"confidence": 1 - 1e-16}),
    "a class a row": (X, np.arange(80), {}),
    "a class for two rows": (np.zeros((9000, 1)), np.arange(9000) // 2, {}),
    "equal rows": (np.ones((50, 3)), np.arange(50) % 2, {}),
    "few points, very near": (
        np.repeat([[0, 0], [0, 0.5], [1e-30, 0]], [3, 2, 28], axis=0),
        np.arange(33) > 1,
        {"representation": "raw"},
    ),
    "one far value": (np.r_[X, [[1e300, 0]]], np.r_[Y, 0], {}),
}

TINY = np.r_[np.zeros((13, 1)), [[1.0], [1e-80]]]


def test_values_that_span_eighty_powers_of_ten_have_a_floor() -> None:
    check_floor(bf.bayes_error(TINY, np.arange(15) > 5))


@pytest.mark.parametrize("seed", SEEDS)
def test_what_once_failed_is_answered(seed: str) -> None:
    table, target, options = SEEDS[seed]
    floor = attempt("samples", lambda: bf.bayes_error(table, target, **options))
    if floor is not None:
        check_floor(floor)
