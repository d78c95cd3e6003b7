"""A real cluster of processes on this machine: the same digits, also when workers are killed."""

from __future__ import annotations

import logging
import os
import pickle
import signal
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
import pytest

import bayesfloor as bf
from bayesfloor.base import cluster_worker
from bayesfloor.base.arrays import AnyArray, Floats, Ints
from bayesfloor.base.cluster import DaskExecutor, check_client
from bayesfloor.base.executor import Threads
from bayesfloor.base.progress import telling_progress

distributed = pytest.importorskip("distributed", reason="wants bayesfloor[dask]")

Sample = tuple[Floats, Ints]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # workers are killed on purpose
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": ":0"}
    with distributed.LocalCluster(memory_limit=0, silence_logs=50, **options) as cluster:
        yield cluster


@pytest.fixture
def client(cluster: Any) -> Iterator[Any]:
    with distributed.Client(cluster) as client:
        client.wait_for_workers(2, timeout=60)
        yield client


def draw(n: int, d: int = 3) -> Sample:
    rng = np.random.default_rng(n)
    labels = rng.integers(0, 2, n)
    return rng.normal(size=(n, d)) + labels[:, None], labels


def assert_same(one: bf.Floor, other: bf.Floor) -> None:
    assert one.interval == other.interval
    np.testing.assert_array_equal(one.posterior, other.posterior)
    np.testing.assert_array_equal(one.local_mismatch, other.local_mismatch)


@pytest.mark.parametrize(
    ("n", "options"),
    [
        (21_000, {}),  # neighbours by a tree; workers compute the trend's values anew
        (3000, {"engine": "blocks", "representation": "raw"}),
        (2000, {"engine": "numpy", "representation": "raw"}),
        (150, {"representation": "learned"}),
        (9000, {"tolerance": 0.02, "representation": "raw"}),
        (2000, {"groups": np.arange(2000) // 4, "representation": "raw"}),
    ],
    ids=str,
)
def test_a_cluster_gives_the_same_digits(n: int, options: dict[str, Any], client: Any) -> None:
    X, y = draw(n)
    here = bf.bayes_error(X, y, workers=1, **options)
    assert_same(bf.bayes_error(X, y, client=client, **options), here)


def test_two_samples_are_compared_on_a_cluster(client: Any) -> None:
    X, _ = draw(200, 2)
    options: dict[str, Any] = {"random_state": 1, "permutations": 50}
    here = bf.two_sample_test(X, X + 0.1, **options)
    there = bf.two_sample_test(X, X + 0.1, client=client, **options)
    assert here.p_value == there.p_value


def killing(client: Any, count: int) -> Callable[[str, float], None]:
    """Return a listener that kills some workers when a part of the work is done."""
    pids = list(client.run(os.getpid).values())

    def listen(_: str, share: float) -> None:
        if share > 0.1:
            for pid in pids[:count]:
                os.kill(pid, signal.SIGKILL)
            del pids[:]

    return listen


@pytest.mark.slow
@pytest.mark.parametrize("killed", [1, 2])
def test_killed_workers_change_nothing(killed: int, client: Any) -> None:
    X, y = draw(40_000)
    here = bf.bayes_error(X, y, workers=2)
    before = set(client.run(os.getpid).values())
    with telling_progress(killing(client, killed)):
        there = bf.bayes_error(X, y, client=client, progress=True)
    assert_same(there, here)
    client.wait_for_workers(2, timeout=60)
    assert len(before & set(client.run(os.getpid).values())) == 2 - killed


def test_an_interrupt_cancels_the_tasks_and_frees_the_workers(client: Any, cluster: Any) -> None:
    X, y = draw(30_000)

    def interrupt(_: str, share: float) -> None:
        if share > 0:
            raise KeyboardInterrupt

    with telling_progress(interrupt), pytest.raises(KeyboardInterrupt):
        bf.bayes_error(X, y, client=client, progress=True)
    assert comes_true(lambda: not cluster.scheduler.tasks)


def mean_of(table: Floats, rows: slice) -> float:
    return float(table[rows].mean())


def slowly(item: int) -> int:
    time.sleep(0.01)
    return item


def test_arrays_are_sent_once_and_given_back(client: Any, cluster: Any) -> None:
    executor, table = DaskExecutor(client), np.random.default_rng(0).normal(size=(90_000, 2))

    spans = [slice(a, a + 1000) for a in range(0, 90_000, 1000)]
    found = executor.map(partial(mean_of, table), spans)
    assert list(found) == [mean_of(table, span) for span in spans]
    first = dict(executor._arrays.futures)
    assert len(first) == 1
    assert list(executor.map(partial(mean_of, table), spans[1:]))
    assert dict(executor._arrays.futures) == first
    client.amm.run_once()  # as Dask does every two seconds, to drop copies that no task needs
    time.sleep(0.1)
    holders = client.who_has(list(first.values()))
    assert [len(workers) for workers in holders.values()] == [2]
    del first, found, table, holders
    assert comes_true(lambda: not cluster.scheduler.tasks)


def comes_true(condition: Callable[[], bool], seconds: float = 10) -> bool:
    """Wait until messages have arrived that are under way."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def test_results_come_in_order_and_few_items_in_tasks_of_their_own(client: Any) -> None:
    executor = DaskExecutor(client)
    assert executor.workers == 2
    assert list(executor.map(lambda x: x * x, range(1000))) == [x * x for x in range(1000)]
    assert list(executor.map(os.getpid.__class__, [])) == []
    assert list(executor.map(lambda _: os.getpid(), [0])) == [os.getpid()]  # one item runs here
    assert os.getpid() not in list(executor.map(lambda _: os.getpid(), range(2)))


def test_work_runs_on_one_thread_of_its_libraries(client: Any) -> None:
    def threads(_: int) -> list[int]:
        import scipy.linalg  # noqa: F401
        from threadpoolctl import threadpool_info

        return [library["num_threads"] for library in threadpool_info()]

    found = list(DaskExecutor(client).map(threads, range(4)))
    assert {count for counts in found for count in counts} == {1}


# what can go wrong


def test_errors_of_the_work_stay_what_they_are(client: Any) -> None:
    def fail(item: int) -> None:
        raise bf.DataError(f"item {item} is bad; leave it out")

    with pytest.raises(bf.DataError, match="item 0 is bad; leave it out"):
        list(DaskExecutor(client).map(fail, range(5)))


@pytest.mark.slow
def test_workers_that_die_at_a_task_are_said_to_lack_memory(client: Any, cluster: Any) -> None:
    allowed = cluster.scheduler.allowed_failures
    cluster.scheduler.allowed_failures = 0
    try:
        with pytest.raises(bf.DataError, match="most likely for lack of memory"):
            list(DaskExecutor(client).map(lambda _: os.kill(os.getpid(), 9), range(2)))
    finally:
        cluster.scheduler.allowed_failures = allowed
    client.wait_for_workers(2, timeout=60)


def test_other_versions_on_a_worker_are_named(client: Any) -> None:
    ours = cluster_worker.versions()
    client.run = lambda _: {"tcp://there": {**ours, "numpy": "1.0"}}
    with pytest.raises(bf.DataError) as caught:
        bf.bayes_error(*draw(100), client=client)
    assert str(caught.value) == (
        f"worker tcp://there has numpy 1.0, and this process has {ours['numpy']}; install the same"
        " version on both"
    )


def test_a_lost_scheduler_is_one_line() -> None:
    logging.getLogger("distributed").setLevel(logging.CRITICAL)
    options = {"n_workers": 1, "threads_per_worker": 1, "processes": False}
    cluster = distributed.LocalCluster(dashboard_address=":0", silence_logs=50, **options)
    with cluster, distributed.Client(cluster, timeout=2) as client:
        results = DaskExecutor(client).map(slowly, range(500))
        next(results)
        cluster.close()
        with pytest.raises(bf.DataError, match="the connection to the cluster is lost"):
            list(results)


def test_what_is_no_client_is_refused(monkeypatch: pytest.MonkeyPatch, client: Any) -> None:
    X, y = draw(100)
    with pytest.raises(bf.DataError, match="client is of type str; pass a"):
        bf.bayes_error(X, y, client="tcp://localhost:8786")
    with pytest.raises(bf.DataError, match="workers is"):
        bf.bayes_error(X, y, client=client, workers=Threads(1))
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(bf.DataError, match=r"pip install 'bayesfloor\[dask\]'"):
        check_client("client", object())


def test_work_that_cannot_be_sent_is_named(client: Any) -> None:
    lock = sys._getframe()

    def work(_: int) -> AnyArray:
        return np.zeros(1 if lock else 2)

    with pytest.raises(bf.DataError, match="what the workers are to run cannot be sent to them"):
        list(DaskExecutor(client).map(work, range(3)))


def test_an_executor_that_is_stored_runs_on_threads(client: Any) -> None:
    assert pickle.loads(pickle.dumps(DaskExecutor(client))) == Threads()


def test_rows_that_no_worker_can_hold_are_drawn_from(
    client: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    X, y = draw(120_000)
    known = {"workers": {"there": {"memory_limit": 200 * 10**6}}}
    monkeypatch.setattr(client, "scheduler_info", lambda **_: known)
    floor = bf.bayes_error(X, y, client=client, tolerance=0.05)
    assert 1000 < floor.n < 120_000
    (note,) = [note for note in floor.notes if "there for a worker" in note]
    assert f"{floor.n:,} of 120,000 rows" in note
    assert "start workers with more memory" in note
