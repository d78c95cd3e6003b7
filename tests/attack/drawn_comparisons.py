"""Comparisons drawn from a number: column sets, samples, columns, two tables, sources."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import polars as pl
from drawn_calls import Call, check_numbers, labels, seldom, table

import bayesfloor as bf
from hostile import NAMES

MORE_ROWS = 0.02
"""Share of the comparisons with more rows, from which maps are learned: a second each."""


def check_document(found: Any) -> None:
    """Fail unless numbers are finite, intervals in their order, and p-values between 0 and 1."""
    plain = found.to_dict()
    check_numbers(plain)
    _check_ranges(plain)


def _check_ranges(value: Any) -> None:
    if isinstance(value, list):
        for one in value:
            _check_ranges(one)
    if not isinstance(value, dict):
        return
    for name, one in value.items():
        if name.endswith("interval") and one is not None:
            assert one[0] <= one[1], (name, one)
        elif isinstance(one, float) and name.startswith(("p_value", "adjusted")):
            assert 0 <= one <= 1, (name, one)
        else:
            _check_ranges(one)


def _rows(rng: random.Random) -> Any:
    """Draw few rows, seldom more of them."""
    X = table(rng)
    return np.vstack([X, X[::-1], X]) if rng.random() < MORE_ROWS else X[:18]


def compare_call(rng: random.Random) -> Call:
    """Draw a comparison of column sets of the same rows, or of samples."""
    X = table(rng)
    asked: dict[str, Any] = {"workers": 1, "random_state": rng.choice([0, 7, 2**40])}
    y = labels(rng, len(X))
    if rng.random() < 0.2:
        asked["confidence"] = rng.choice([0.5, 0.001, 1 - 1e-9, seldom(rng, 1e-300, 0.9)])
    names = rng.sample(seldom(rng, NAMES, NAMES[1:]), seldom(rng, 1, rng.choice([2, 2, 3])))
    other = seldom(rng, table(rng), X[:, :1], chance=0.2)
    sets: dict[str, Any] = dict(zip(names, [X, other, X[::-1]], strict=False))
    if rng.random() < 0.4:
        asked["reference"] = seldom(rng, "none", rng.choice(names))
    if rng.random() < 0.5:
        return lambda: check_document(bf.compare(sets, y, **asked))
    samples = {name: (one, labels(rng, len(one))) for name, one in sets.items()}
    return lambda: check_document(bf.compare(samples, **asked))


def columns_call(rng: random.Random) -> Call:
    """Draw a ranking of columns, some of them equal or without spread."""
    X = table(rng)
    if rng.random() < 0.7:
        other = X[:, :1] if rng.random() < 0.5 else np.ones((len(X), 1), dtype=X.dtype)
        X = np.hstack([X, other])
    y = labels(rng, len(X))
    asked: dict[str, Any] = {"workers": 1}
    if rng.random() < 0.3:
        asked["max_seconds"] = seldom(
            rng, rng.choice([0, -1, float("nan"), "a"]), rng.choice([1e-9, 0.5])
        )
    return lambda: check_document(bf.rank_columns(X, y, **asked))


def shift_call(rng: random.Random) -> Call:
    """Draw a test of two samples: arrays, or tables with texts, gaps and dates."""
    X = _rows(rng)
    at = seldom(rng, rng.randint(0, len(X)), min(rng.randint(2, 9), len(X) - 2))
    asked: dict[str, Any] = {"workers": 1, "permutations": rng.choice([0, 9, 99, 10**4, None])}
    if rng.random() < 0.1:
        asked["permutations"] = rng.choice([-1, 1.5, "a", True])
    if rng.random() < 0.2:
        asked["confidence"] = seldom(rng, rng.choice([0, 1, 1e-9]), rng.choice([0.5, 1 - 1e-9]))
    if rng.random() < 0.5:
        return lambda: check_document(bf.two_sample_test(X[:at], X[at:], **asked))
    frame = _frame(rng, X)
    return lambda: check_document(bf.two_sample_test(frame[:at], frame[at:], **asked))


def _frame(rng: random.Random, X: Any) -> pl.DataFrame:
    """Put texts, dates and gaps beside columns of numbers."""
    n = len(X)
    columns: dict[str, Any] = {
        f"{NAMES[j]}{j}": X[:, j].astype(np.float64) for j in range(X.shape[1])
    }
    if rng.random() < 0.7:
        columns["text"] = [rng.choice([None, *NAMES]) for _ in range(n)]
    if rng.random() < 0.3:
        days = np.array([rng.randrange(-(10**6), 10**6) for _ in range(n)])
        columns["day"] = days.astype("M8[D]")
    if rng.random() < 0.3:
        columns["truth"] = [rng.choice([True, False, None]) for _ in range(n)]
    return pl.DataFrame(columns)


def source_call(rng: random.Random) -> Call:
    """Draw a choice between sources."""
    sources = {}
    for name in rng.sample(NAMES, seldom(rng, 1, rng.choice([2, 2, 3]))):
        X = table(rng)
        sources[name] = (X, labels(rng, len(X)))
    asked: dict[str, Any] = {"representation": "raw", "workers": 1}
    asked["goal"] = seldom(rng, "none", rng.choice(["lowest", "width"]))
    asked["rows"] = seldom(rng, rng.choice([0, 2.5, 10**400]), rng.choice([1, 100, 10**12]))
    if rng.random() < 0.5:
        asked["costs"] = {
            name: seldom(rng, rng.choice([0, -1]), rng.choice([1, 1e-300, 1e300]))
            for name in sources
        }
    return lambda: check_document(bf.next_source(sources, **asked))
