"""Make very many small hostile calls, each drawn from its own number, and count what comes back.

Drawing by hand takes a fraction of the time that hypothesis needs, so that a hundred thousand calls
take minutes of one core; what fails is told with its number, and becomes a seed of a test.

    python tests/attack/bulk.py --calls 100000 --seed 1
    python tests/attack/bulk.py --calls 1 --first 4711 --seed 1
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import bayesfloor as bf
from bayesfloor.report.document import document

sys.path.insert(0, str(Path(__file__).parents[1]))
from hostile import NAMES, NO_NUMBERS, SIZES, TYPES, check_floor, check_message

SLOWEST = 60.0
"""Seconds of the processor that a call may take."""
WORST_SHOWN = 5
"""Failures of a kind that are told."""
Call = Callable[[], Any]


def table(rng: random.Random) -> Any:
    """Draw a few rows of numbers: with copies, of any size and type, seldom not finite."""
    n, d = rng.choice([1, 4, 9, 20, 40]), rng.choice([1, 1, 2, 3])
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
    m = rng.choice([1, 2, 2, 2, 3, 6])
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


CALLS: dict[str, tuple[Callable[[random.Random], Call], int]] = {
    "samples": (sample_call, 30),
    "decisions": (decision_call, 10),
    "pairs": (pair_call, 20),
    "votes": (votes_call, 15),
    "probabilities": (probabilities_call, 25),
}
"""Kinds of calls, and how many of a hundred are of each."""


def main() -> int:
    """Make the calls; print how many were answered, refused and wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds of the clock")
    given = parser.parse_args()
    warnings.simplefilter("error")
    outcomes: Counter[tuple[str, str]] = Counter()
    slowest, started, wrong = 0.0, time.monotonic(), list[str]()
    for number in range(given.first, given.first + given.calls):
        rng = random.Random(f"{given.seed} {number}")
        kind = rng.choices(list(CALLS), [weight for _, weight in CALLS.values()])[0]
        call, began = CALLS[kind][0](rng), time.process_time()
        try:
            call()
            outcome = "answered"
        except bf.DataError as problem:
            check_message(problem)
            outcome = "refused"
        except Exception as problem:
            outcome = "wrong"
            wrong.append(f"{kind} {number}: {type(problem).__name__} {str(problem)[:200]}")
        slowest = max(slowest, time.process_time() - began)
        outcomes[kind, outcome] += 1
        if time.monotonic() - started > given.until:
            break
    for kind in CALLS:
        row = [outcomes[kind, outcome] for outcome in ("answered", "refused", "wrong")]
        answers = f"{row[0]:8,} answered {row[1]:8,} refused {row[2]:6,} wrong"
        sys.stdout.write(f"{kind:14} {sum(row):8,} calls {answers}" + "\n")
    sys.stdout.write(f"slowest call {slowest:.1f} s of the processor" + "\n")
    for kind in CALLS:
        sys.stdout.write(
            "\n".join([one for one in wrong if one.startswith(kind)][:WORST_SHOWN]) + "\n"
        )
    return int(bool(wrong) or slowest > SLOWEST)


if __name__ == "__main__":
    sys.exit(main())
