"""Threads and processes that call at once get the digits of one that calls alone."""

from __future__ import annotations

import multiprocessing
import sys
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

import bayesfloor as bf

RNG = np.random.default_rng(3)
TABLES = [RNG.normal(size=(n, d)) + (np.arange(n) % 2)[:, None] for n in (60, 300) for d in (1, 3)]
CALLS: list[tuple[Any, dict[str, Any]]] = [
    (X, {"engine": engine, "representation": "raw", "method": method})
    for X in TABLES
    for engine, method in (("auto", "wnn"), ("few", "wnn"), ("scipy", "knn"), ("numpy", "mst"))
]


def digits(call: tuple[Any, dict[str, Any]]) -> tuple[float, ...]:
    X, options = call
    floor = bf.bayes_error(X, np.arange(len(X)) % 2, **options)
    return (floor.lower, floor.upper, *floor.interval, floor.mismatch, *floor.estimate_interval)


def test_eight_threads_at_once_get_the_same_digits() -> None:
    alone = [digits(call) for call in CALLS]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(digits, CALLS * 3)) == alone * 3


@pytest.mark.parametrize("kind", ["fork", "spawn"])
@pytest.mark.skipif(sys.platform == "win32", reason="Windows does not fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")  # forking beside threads
def test_processes_after_use_get_the_same_digits(kind: str) -> None:
    alone = [digits(call) for call in CALLS[:2]]
    with multiprocessing.get_context(kind).Pool(2) as pool:
        assert pool.map_async(digits, CALLS[:2]).get(timeout=60) == alone
