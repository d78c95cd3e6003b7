"""Calls drawn from a number: samples, groups, decisions, pairs, votes, probabilities."""

from __future__ import annotations

import random
from collections.abc import Callable
from dataclasses import asdict
from functools import partial
from typing import Any

import numpy as np

import bayesfloor as bf
from bayesfloor.report.document import document
from hostile import NAMES, NO_NUMBERS, SIZES, TYPES, check_floor

Call = Callable[[], Any]


def seldom(rng: random.Random, odd: Any, usual: Any, *, chance: float = 0.05) -> Any:
    """Return what is odd, seldom, or what is usual."""
    return odd if rng.random() < chance else usual


def table(rng: random.Random) -> Any:
    """Draw a few rows of numbers: with copies, of any size and type, seldom not finite."""
    n, d = rng.choice([4, 9, 20, 40, seldom(rng, 1, 12)]), rng.choice([1, 1, 2, 3])
    values = [[rng.choice([0.0, 0.5, -1.0, 1e-9, rng.gauss(0, 1)]) for _ in range(d)]] * n
    if rng.random() < 0.8:
        values = [[rng.choice([0.0, 1.0, rng.gauss(0, 1)]) for _ in range(d)] for _ in range(n)]
    found = np.clip(np.array(values), -1, 1) * rng.choice(SIZES)
    if rng.random() < 0.05:
        found[rng.randrange(n), rng.randrange(d)] = rng.choice(NO_NUMBERS)
    dtype = np.dtype(rng.choice(TYPES) if rng.random() < 0.3 else "f8")
    with np.errstate(all="ignore"):
        if dtype.kind in "iu":
            limits = np.iinfo(dtype)
            found = np.nan_to_num(np.clip(found, limits.min / 2, limits.max / 2))
        return found.astype(dtype)


def labels(rng: random.Random, n: int) -> Any:
    """Draw labels, most often of two classes in turn."""
    m = seldom(rng, 1, rng.choice([2, 2, 2, 3, 6]))
    codes = [j % m if rng.random() < 0.9 else rng.randrange(m) for j in range(n)]
    return [NAMES[code] for code in codes] if rng.random() < 0.2 else np.array(codes)


def options(rng: random.Random) -> dict[str, Any]:
    """Draw options of a call, seldom wrong ones."""
    found: dict[str, Any] = {"representation": "raw", "workers": 1}
    usual: dict[str, list[Any]] = {
        "method": ["wnn", "knn", "mst", "wnn-published"],
        "k": [1, 2, 3],
        "confidence": [0.5, 0.99, 0.001, 1 - 1e-9],
        "random_state": [0, 7, 2**40],
        "engine": ["scipy", "numpy", "few"],
        "tolerance": [0.1, 1e-300, 1e300],
        "max_memory": ["1MB", "1GB"],
    }
    wrong = {"method": "none", "k": 10**30, "confidence": 1e-300, "tolerance": -1, "workers": 0}
    for name, values in usual.items():
        if rng.random() < 0.2:
            found[name] = rng.choice(values)
    if rng.random() < 0.03:
        name = rng.choice(list(wrong))
        found[name] = wrong[name]
    return found


def decision(rng: random.Random) -> dict[str, Any]:
    """Draw class shares, costs and other decisions, some of them senseless."""
    numbers = [0, 1, 2, 0.5, 1e-300, 1e300, -1, float("nan")]
    m = rng.choice([2, 2, 3])
    name = rng.choice(["priors", "cost", "metric", "reject", "top_k"])
    drawn = {
        "priors": [rng.choice(numbers[:5] if rng.random() < 0.8 else numbers) for _ in range(m)],
        "cost": [[rng.choice(numbers) for _ in range(m)] for _ in range(m)],
        "metric": rng.choice(["balanced", "error", "auc", "", None]),
        "reject": rng.choice([0.1, 0.5, 0.0, 1e-300, 2, float("nan")]),
        "top_k": rng.choice([1, 2, 3, 0, 10**9]),
    }
    return {name: drawn[name]}


def sample_call(rng: random.Random) -> Call:
    """Draw a call of `bayes_error` on an array."""
    X = table(rng)
    y, asked = labels(rng, len(X)), options(rng)

    def call() -> None:
        check_floor(bf.bayes_error(X, y, **asked))

    return call


def decision_call(rng: random.Random) -> Call:
    """Draw a call of `bayes_error` with a decision other than error."""
    X = table(rng)
    y, asked = labels(rng, len(X)), {"representation": "raw", "workers": 1, **decision(rng)}

    def call() -> None:
        floor = bf.bayes_error(X, y, **asked)
        check_numbers(floor.to_dict())

    return call


def check_numbers(value: Any) -> None:
    """Fail unless all numbers in a document are finite."""
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list | tuple):
        for one in value:
            check_numbers(one)
    elif isinstance(value, float):
        assert np.isfinite(value), value


def pair_call(rng: random.Random) -> Call:
    """Draw a call of `henze_penrose`."""
    X = table(rng)
    cut = rng.randrange(len(X) + 1)

    def call(**asked: Any) -> None:
        found = bf.henze_penrose(X[:cut], X[cut:], **asked)
        assert 0 <= found.interval[0] <= found.interval[1] <= 1
        assert np.isfinite([found.value, found.se]).all()

    return partial(call, **options(rng))


def votes_call(rng: random.Random) -> Call:
    """Draw a call of `bayes_error_from_votes`."""
    n, m, most = rng.choice([1, 2, 3, 6]), rng.choice([1, 2, 2, 3]), rng.choice([1, 3, 9, 2**31])
    usual = [0, 1, 2, rng.randint(0, most)]
    counts: Any = [[rng.choice(usual) for _ in range(m)] for _ in range(n)]
    if rng.random() < 0.1:
        counts[-1][-1] = rng.choice([-1, 0.5, 1e300, None, "x", NO_NUMBERS])

    def call() -> None:
        check_floor(bf.bayes_error_from_votes(counts))

    return call


def probabilities_call(rng: random.Random) -> Call:
    """Draw a call of `bayes_error_from_probabilities`, with questions on its answer."""
    n, m = rng.choice([1, 2, 3, 8]), rng.choice([2, 2, 3, 5])
    usual = [0, 1e-300, 1e-9, 0.3, 1, rng.random()]
    p = np.array([[rng.choice(usual) for _ in range(m)] for _ in range(n)])
    total = p.sum(axis=1, keepdims=True)
    if rng.random() < 0.95:
        p = np.where(total > 0, p / np.where(total > 0, total, 1), 1 / m)
    asked: dict[str, Any] = {"target": rng.choice([0.5, 0.9, 1 - 1e-16, 0, 2, None])}
    if rng.random() < 0.5:
        asked |= {"model_error": rng.choice([0.1, 0, 1, -1]), "test_rows": rng.choice([1, 1e12, 0])}

    def call() -> None:
        floor = bf.bayes_error_from_probabilities(p)
        check_floor(floor)
        check_numbers(document(floor, **asked))

    return call


def groups_call(rng: random.Random) -> Call:
    """Draw a call with groups or times, of any type and number."""
    X = table(rng)
    n = len(X)
    y = labels(rng, n)
    asked: dict[str, Any] = {"representation": "raw", "workers": 1}
    size = rng.choice([1, 2, 3, seldom(rng, n, 2)])
    drawn: list[Any] = [j // size for j in range(n)]
    kind = rng.choice(["int", "int", "int", "text", "date", seldom(rng, "short", "date")])
    kind = seldom(rng, rng.choice(["float", "mixed"]), kind, chance=0.2)
    if kind == "text":
        drawn = [NAMES[code % len(NAMES)] for code in drawn]
    elif kind == "float":
        drawn = [rng.choice([code / 3, *NO_NUMBERS, 1e308, -1e308]) for code in drawn]
    elif kind == "mixed":
        drawn = [rng.choice([0, "0", None, 1.5, b"x", (1,)]) for _ in drawn]
    elif kind == "date":
        dates = [f"2020-01-{1 + code % 31:02}" for code in drawn]
        drawn = list(np.array(dates, dtype="M8[D]"))
    elif kind == "short":
        drawn = drawn[:-1]
    asked[rng.choice(["groups", "time"])] = drawn

    def call() -> None:
        floor = bf.bayes_error(X, y, **asked)
        check_floor(floor)
        check_numbers(floor.to_dict())

    return call


def ceilings_call(rng: random.Random) -> Call:
    """Draw a floor, and ask it for leakage and ceilings of other scores."""
    X = table(rng)
    y = labels(rng, len(X))

    def call() -> None:
        floor = bf.bayes_error(X, y, representation="raw", workers=1)
        check_numbers(asdict(floor.ceilings))
        if floor.leakage is not None:
            check_numbers(asdict(floor.leakage))

    return call
