"""Every loop that is shared out runs on the executor of the call, and on no other thread."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pytest

from bayesfloor.base.executor import ONE_THREAD, Executor, Threads
from bayesfloor.neighbours import (
    ENGINES,
    Effort,
    Field,
    LeverageField,
    SearchTask,
    growing_sums,
    rank_sums,
)
from bayesfloor.neighbours.kernels.kernel_input import LAYOUT_CELLS, KernelInput, make_kernel_input
from bayesfloor.neighbours.spanning_tree import cross_edges, spanning_edges


@dataclass
class Recorder:
    """Runs work on the thread of the caller, and counts the items of every call."""

    workers: int
    mapped: list[int] = field(default_factory=list)
    memory: None = None

    @property
    def local(self) -> Recorder:
        """Return where work writes into arrays."""
        return self

    def map(self, work: Callable[[Any], Any], items: Sequence[Any], **_: object) -> Iterator[Any]:
        """Note the number of items, and work on them."""
        self.mapped.append(len(items))
        return map(work, items)


@pytest.fixture
def started(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return the names of the threads that are started, as they are."""
    names, start = list[str](), threading.Thread.start

    def noted(thread: threading.Thread) -> None:
        names.append(thread.name)
        start(thread)

    monkeypatch.setattr(threading.Thread, "start", noted)
    return names


def copied_task(n: int, d: int) -> SearchTask:
    """Make a task of n cells, one to three rows in each, with a leverage field."""
    rng = np.random.default_rng([n, d])
    points, vectors = rng.normal(size=(n, d)), rng.normal(size=(n, 2))
    sizes = rng.integers(1, 4, n)
    leverage = LeverageField(lambda cells: vectors[cells], np.array([0, 3, 9]))
    return SearchTask(
        points, sizes, (Field(vectors, rng.random(n)),), leverage, 10, 5, rng.random(n)
    )


def single_task(n: int, d: int) -> SearchTask:
    """Make a task of n cells with one row in each."""
    return replace(copied_task(n, d), sizes=np.ones(n, dtype=np.int64))


@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("make", [single_task, copied_task])
def test_one_worker_starts_no_thread(
    engine: str, make: Callable[[int, int], SearchTask], started: list[str]
) -> None:
    task = make(4000, 3)
    rank_sums(task, Effort(engine=engine, executor=Threads(1)))
    next(growing_sums(task, Effort(engine=engine, executor=Threads(1))))
    assert not started
    rank_sums(task, Effort(engine=engine, executor=Threads(2)))
    assert started  # so a thread would have been noted


def test_one_worker_builds_a_large_tree_without_a_thread(started: list[str]) -> None:
    """Trees above 50 000 points, and layouts above 16 384 cells, are shared out."""
    points = np.random.default_rng(0).normal(size=(60_000, 2))
    task = replace(single_task(60_000, 2), points=points)
    ENGINES["tree"].build(task, Threads(1))
    spanning_edges(points, Threads(1))
    cross_edges(points, np.arange(60_000) % 2, 2, Threads(1))
    assert not started


def test_a_spanning_tree_is_searched_on_the_executor_of_the_call() -> None:
    points = np.random.default_rng(1).normal(size=(60_000, 2))
    executor = Recorder(3)
    found = spanning_edges(points, executor)
    np.testing.assert_array_equal(found, spanning_edges(points, Threads(2)))
    build, *searches = executor.mapped
    assert build == 8  # subtrees: the first power of two from two a worker on
    assert min(searches) >= 8 * 3  # chunks: eight a worker or more


def test_an_engine_is_built_and_searched_on_the_executor_of_the_call() -> None:
    task = copied_task(60_000, 2)
    executor = Recorder(2)
    rank_sums(task, Effort(engine="tree", executor=executor))
    layouts = -(-60_000 // LAYOUT_CELLS)
    assert executor.mapped == [4, -(-60_000 // 1024), layouts, layouts]


@pytest.mark.parametrize("make", [single_task, copied_task])
@pytest.mark.parametrize("workers", [1, 2, 3, 5])
def test_any_number_of_workers_lays_out_the_same_input(
    workers: int, make: Callable[[int, int], SearchTask]
) -> None:
    task = make(40_000, 2)
    order = np.random.default_rng(2).permutation(40_000)

    def laid_out(executor: Executor) -> KernelInput:
        return make_kernel_input(task, order, executor)

    for one, other in zip(laid_out(ONE_THREAD), laid_out(Threads(workers)), strict=True):
        np.testing.assert_array_equal(one, other)


@pytest.mark.parametrize("engine", ENGINES)
def test_any_number_of_workers_finds_the_same_sums(engine: str) -> None:
    task = copied_task(4000, 3)
    one = rank_sums(task, Effort(engine=engine, executor=Threads(1)))
    for workers in (2, 3, 5):
        other = rank_sums(task, Effort(engine=engine, executor=Threads(workers)))
        for name in ("products", "leverage", "log_squared", "at_zero", "local", "square"):
            np.testing.assert_array_equal(getattr(one, name), getattr(other, name))


@pytest.mark.parametrize("workers", [1, 2, 3, 5])
def test_any_number_of_workers_counts_the_same_cross_edges(workers: int) -> None:
    rng = np.random.default_rng(3)
    points, labels = rng.normal(size=(12_000, 2)).round(2), rng.integers(0, 3, 12_000)
    expected = cross_edges(points, labels, 3, Recorder(1))
    assert cross_edges(points, labels, 3, Threads(workers)) == expected
