"""An executor over the workers of a Dask cluster: the same calls, the same digits.

Work is packed once, and its large arrays go once to every worker, from this process to one and from
worker to worker; what comes back are results alone. A task whose worker is lost runs elsewhere:
Dask sees to that, and where the last copy of an array is lost with a worker, it is sent again.
"""

from __future__ import annotations

import weakref
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any, TypeVar
from uuid import uuid4

from bayesfloor.base.arrays import AnyArray
from bayesfloor.base.cluster_worker import forget, never_run, run_items, versions
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import ALL_CORES, Threads
from bayesfloor.base.parcels import decode, encode, pack

TASKS_PER_THREAD = 32
"""Tasks for each thread of the cluster, at most. A judgement: so many that none waits for the last,
and so few that their cost, about a millisecond each, does not show."""
KEPT_IN_MEMORY = 0.6
"""Share of its limit up to which a worker keeps all data in memory: Dask's own default (target)."""
KEPT_BYTES = 1_000_000
"""Bytes from which on an array is kept on all workers between tasks. A judgement: smaller ones are
soon sent again."""
MOST_RESENT = 3
"""Times that arrays are sent again because all workers that had them were lost. A judgement."""

Item = TypeVar("Item")
Result = TypeVar("Result")


@dataclass(slots=True, eq=False)
class SentArrays:
    """Arrays that are on the workers, as long as they are held here."""

    client: Any
    names: dict[int, tuple[weakref.ref[AnyArray], str]] = field(default_factory=dict)
    futures: dict[str, Any] = field(default_factory=dict)
    kept: dict[str, list[Any]] = field(default_factory=dict)  # what keeps Dask from dropping copies
    waiting: dict[str, AnyArray] = field(default_factory=dict)  # named, and not yet sent

    def name(self, array: AnyArray) -> str:
        """Return the name of an array, which is sent with the next ones unless it is there."""
        known = self.names.get(id(array))
        if known is None or known[0]() is not array:
            key, name = id(array), f"array-{uuid4().hex}"
            self.waiting[name] = array
            weakref.finalize(array, self._drop, key, name).atexit = False
            self.names[key] = known = weakref.ref(array), name
        return known[1]

    def send(self) -> None:
        """Send all arrays that wait, to every worker."""
        if not self.waiting:
            return
        sent = self._scatter([encode(array) for array in self.waiting.values()])
        for (name, array), future in zip(self.waiting.items(), sent, strict=True):
            self.futures[name] = future
            if array.nbytes >= KEPT_BYTES:
                self.kept[name] = self._keep(future)
        self.waiting.clear()

    def _scatter(self, encoded: list[Any]) -> Any:
        try:  # not by way of the scheduler, where workers can be reached
            return self.client.scatter(encoded, broadcast=True, direct=True, hash=False)
        except OSError:
            return self.client.scatter(encoded, broadcast=True, direct=False, hash=False)

    def _keep(self, future: Any) -> list[Any]:
        """Let as many tasks wait for an array as there are workers.

        Dask drops copies that no task waits for, every two seconds, and would send them again. The
        tasks wait for another, too, that asks for what no worker has, so that none is ever run.
        """
        submit = self.client.submit
        key = f"bayesfloor-never-{uuid4().hex}"
        never = submit(never_run, key=key, resources={"bayesfloor-never": 1})
        workers = range(len(self.client.nthreads()))
        return [never, *(submit(never_run, future, never, key=f"{key}-{w}") for w in workers)]

    def _drop(self, key: int, name: str) -> None:
        self.kept.pop(name, None)
        self.futures.pop(name, None)
        if key in self.names and self.names[key][1] == name:
            del self.names[key]

    def forget(self) -> None:
        """Forget all arrays, so that they are sent again when they are wanted."""
        self.names.clear()
        self.waiting.clear()
        self.kept.clear()
        self.futures.clear()


class DaskExecutor:
    """Runs work on the workers of a Dask cluster.

    Parameters
    ----------
    client : distributed.Client
        Connected to the cluster.
    local : Threads
        Where work runs that stays in this process.
    """

    def __init__(self, client: Any, local: Threads = ALL_CORES) -> None:
        self._client, self.local = client, local
        self._arrays = SentArrays(client)
        with cluster_errors():
            check_versions(client)

    def __reduce__(self) -> tuple[Any, ...]:
        """Stay here: what was asked on a cluster and is read elsewhere runs on threads there."""
        return Threads, ()

    @property
    def workers(self) -> int:
        """Number of threads of all workers."""
        return sum(self._client.nthreads().values()) or 1

    @property
    def memory(self) -> int | None:
        """Bytes that the least of the workers may take before Dask moves data to its disk."""
        found = self._client.scheduler_info(n_workers=-1)["workers"].values()
        limits = [worker["memory_limit"] for worker in found if worker["memory_limit"]]
        return int(KEPT_IN_MEMORY * min(limits)) if limits else None

    def map(
        self,
        work: Callable[[Item], Result],
        items: Sequence[Item],
        *,
        multiplies: bool = False,  # noqa: ARG002  # a task has one thread in any case
        initializer: Callable[[], object] | None = None,  # noqa: ARG002
    ) -> Iterator[Result]:
        """Yield the result of each item, in order; one item runs here."""
        if len(items) <= 1:
            yield from map(work, items)
            return
        with cluster_errors():
            yield from self._map(work, items)

    def _map(self, work: Callable[[Item], Result], items: Sequence[Item]) -> Iterator[Result]:
        from distributed import CancelledError

        step = -(-len(items) // (TASKS_PER_THREAD * self.workers))
        chunks = [items[a : a + step] for a in range(0, len(items), step)]
        name, done, resent = f"work-{uuid4().hex}", 0, 0
        futures: deque[Any] = deque()
        try:
            while done < len(chunks):
                if not futures:
                    futures.extend(self._submit(name, work, chunks[done:]))
                try:
                    (results,) = self._client.gather([futures[0]], direct=True)
                except CancelledError:  # the arrays went with the workers that had them
                    resent += 1
                    if resent > MOST_RESENT or self._client.status != "running":
                        raise
                    self._stop(futures)
                    self._arrays.forget()
                    continue
                futures.popleft()
                done += 1
                yield from map(decode, results)
        finally:
            self._stop(futures)
            with suppress(Exception):
                self._client.run(forget, name, on_error="ignore")

    def _submit(self, name: str, work: object, chunks: Sequence[Any]) -> list[Any]:
        """Send work and start a task for each chunk of items."""
        with _packing():
            body, common = pack(work, self._arrays.name)
        packed, futures = [pack(list(chunk), self._arrays.name) for chunk in chunks], []
        self._arrays.send()
        for items, own in packed:
            arrays = {one: self._arrays.futures[one] for one in (*common, *own)}
            futures.append(
                self._client.submit(
                    run_items, name, body, items, arrays, key=f"bayesfloor-{uuid4().hex}"
                )
            )
        return futures

    def _stop(self, futures: deque[Any]) -> None:
        """Cancel what has not been computed."""
        if futures and self._client.status == "running":
            with suppress(Exception):
                self._client.cancel(list(futures))
        futures.clear()


def check_client(name: str, client: Any, local: Threads = ALL_CORES) -> DaskExecutor:
    """Return the executor over a client that was passed as argument `name`."""
    check_extra(f"{name}= needs Dask")
    from distributed import Client

    if not isinstance(client, Client):
        came = f"{name} is of type {type(client).__name__}"
        raise DataError(f"{came}; pass a distributed.Client that is connected to the cluster")
    if client.asynchronous or client.status != "running":
        state = "asynchronous" if client.asynchronous else str(client.status)
        raise DataError(f"{name} is {state}; pass a distributed.Client that waits and is connected")
    return DaskExecutor(client, local)


def check_extra(needs: str) -> None:
    """Refuse to go on without Dask."""
    try:
        import distributed  # noqa: F401
    except ImportError as problem:
        raise DataError(f"{needs}; pip install 'bayesfloor[dask]'") from problem


def check_versions(client: Any) -> None:
    """Refuse a cluster without workers, or with workers of other versions."""
    ours = versions()
    theirs = client.run(versions)
    if not theirs:
        raise DataError("the cluster has no workers; start one or more")
    for address, found in theirs.items():
        for package, mine in ours.items():
            if found[package] != mine:
                raise DataError(
                    f"worker {address} has {package} {found[package]}, and this process has {mine};"
                    " install the same version on both"
                )


@contextmanager
def cluster_errors() -> Iterator[None]:
    """Turn failures of the cluster into a DataError; those of the work stay what they are."""
    from distributed import CancelledError
    from distributed.comm.core import CommClosedError
    from distributed.scheduler import KilledWorker

    try:
        yield
    except KilledWorker as problem:
        raise DataError(
            "workers were lost again and again at the same task, most likely for lack of memory;"
            " give workers more memory, or pass fewer rows or a max_memory= that they have"
        ) from problem
    except ModuleNotFoundError as problem:
        raise DataError(
            f"a worker lacks the package {problem.name}; install bayesfloor and what it needs on"
            " every machine of the cluster"
        ) from problem
    except (CancelledError, CommClosedError, OSError) as problem:
        raise DataError(
            "the connection to the cluster is lost; check that its scheduler runs, and start again"
        ) from problem


@contextmanager
def _packing() -> Iterator[None]:
    """Say that work cannot be sent."""
    try:
        yield
    except (TypeError, AttributeError, ValueError, ImportError) as problem:
        reason = " ".join(str(problem).split())
        raise DataError(
            f"what the workers are to run cannot be sent to them ({reason}); pass a representation"
            " that can be pickled, or leave out client="
        ) from problem
