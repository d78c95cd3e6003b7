"""What a cluster costs and saves: local clusters against threads, bytes moved, memory, growth.

    python benchmarks/cluster.py    # two workers against two threads, and the model
    python benchmarks/cluster.py --rows 200000 --columns 50
    python benchmarks/cluster.py --check 100000 10000000    # the model against other sizes
    python benchmarks/cluster.py --growth 100000 1000000 10000000

The bytes are those of the loopback device, so nothing else should use it meanwhile. A worker has
one thread. The model is made of processor seconds, which other work on the machine hardly changes,
and says what times should be on machines that do nothing else. The growth is that of `bayes_error`
from a folder of Parquet files, on threads, every size in a process of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import bayesfloor as bf
from bayesfloor.base.cluster_address import open_cluster

DOUBLE, SHIFT, PARTS = 8, 0.8, 8
MACHINE_THREADS = 16
"""Threads of a machine of the model."""
MODEL_ROWS, MODEL_MACHINES = 10**8, (1, 10, 100)
NETWORK = 1e9
"""Bytes a second between machines of the model: ten gigabits, less what the protocol takes."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call took."""

    seconds: float
    interval: tuple[float, float]
    serial: float  # processor seconds of the thread that called
    here: float  # of all threads of this process
    there: float = 0.0  # of all workers
    moved: float = 0.0  # bytes
    worker_memory: float = 0.0  # bytes at the peak of the largest worker

    @property
    def processor(self) -> float:
        """Processor seconds of all processes."""
        return self.here + self.there


@dataclass(frozen=True, slots=True)
class TimeModel:
    """Processor seconds a row by who spends them, and the bytes a row that are moved."""

    serial: float  # by one thread of this process
    local: float  # by all threads of this process
    each: float  # by the threads of every machine, for all rows: its index
    shared: float  # by all threads of all machines
    sent: float  # bytes to every machine
    returned: float  # bytes from all machines together

    def seconds(self, rows: float, machines: int, threads: int, here: int) -> float:
        """Return the time of a call, with so many threads on a machine and in this process.

        Machines pass on what they are sent, two at a time.
        """
        moved = (self.sent * machines.bit_length() + self.returned) / NETWORK
        spent = self.serial + self.local / here
        spent += self.each / threads + self.shared / (machines * threads)
        return rows * (spent + moved)

    def processor(self, rows: float, machines: int) -> float:
        """Return the processor seconds of a call."""
        return rows * (self.serial + self.local + self.each * machines + self.shared)


def fit_model(rows: int, one: Outcome, two: Outcome) -> TimeModel:
    """Fit the model to what calls on one and on two workers took.

    What the second worker adds is what every worker does.
    """
    each, sent = max(two.there - one.there, 0.0), max(two.moved - one.moved, 0.0)
    return TimeModel(
        serial=one.serial / rows,
        local=(one.here - one.serial) / rows,
        each=each / rows,
        shared=max(one.there - each, 0.0) / rows,
        sent=sent / rows,
        returned=max(one.moved - sent, 0.0) / rows,
    )


def draw(rows: int, columns: int) -> tuple[Any, Any]:
    """Return points and labels of two classes that overlap."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, rows)
    return rng.normal(size=(rows, columns)) + SHIFT * labels[:, None], labels


def timed(call: Callable[[], bf.Floor]) -> Outcome:
    """Return what a call takes in this process."""
    started, thread, process = time.monotonic(), time.thread_time(), time.process_time()
    floor = call()
    spent = time.thread_time() - thread, time.process_time() - process
    return Outcome(time.monotonic() - started, floor.interval, *spent)


def on_threads(X: Any, y: Any, threads: int) -> Outcome:
    """Measure a call on threads."""
    return timed(lambda: bf.bayes_error(X, y, workers=threads))


def on_workers(X: Any, y: Any, workers: int) -> Outcome:
    """Measure a call on a local cluster, its start and first call aside."""
    with open_cluster("workers", f"local:{workers}") as client:
        client.wait_for_workers(workers)
        warm_up(client=client)
        before, worked = loopback_bytes(), worker_seconds(client)
        found = timed(lambda: bf.bayes_error(X, y, client=client))
        moved = loopback_bytes() - before
        there = worker_seconds(client) - worked
        memory = max(client.run(peak_memory).values())
    return replace(found, there=there, moved=moved, worker_memory=memory)


def worker_seconds(client: Any) -> float:
    """Return the processor time of all workers; others' is not in it."""
    return float(sum(client.run(time.process_time).values()))


def warm_up(**options: Any) -> None:
    """Load the compiled code."""
    X, y = draw(20_000, 3)
    bf.bayes_error(X, y, representation="raw", engine="tree", **options)
    bf.bayes_error(X[:300], y[:300], representation="learned", **options)


def loopback_bytes() -> int:
    """Return the bytes that this machine has sent to itself."""
    lines = Path("/proc/net/dev").read_text(encoding="utf-8").splitlines()
    (loopback,) = [line.split() for line in lines if line.strip().startswith("lo:")]
    return int(loopback[9])


def peak_memory() -> int:
    """Return the most bytes that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024


def compare(rows: int, columns: int, checked: list[int], say: Callable[[str], None]) -> None:
    """Print a table of threads and workers, and the model that follows."""
    X, y = draw(rows, columns)
    table = X.nbytes + y.nbytes
    warm_up()
    found = {"two threads": on_threads(X, y, 2)}
    found |= {f"{count} worker{'s' * (count > 1)}": on_workers(X, y, count) for count in (1, 2)}
    threads = found["two threads"].seconds
    same = len({one.interval for one in found.values()}) == 1
    say(f"{rows:,} rows of {columns} columns, {'the same' if same else 'OTHER'} digits\n")
    heads = "where | seconds | over two threads | of processors | bytes moved over the table"
    say(f"| {heads} | worker at most |")
    say("|---|---|---|---|---|---|")
    for name, one in found.items():
        ratio = f"{one.seconds / threads:.2f}"
        memory = f"{one.worker_memory / 1e9:.1f} GB"
        rest = f"{one.moved / table:.1f} | {memory}" if one.moved else "– | –"
        say(f"| {name} | {one.seconds:.1f} | {ratio} | {one.processor:.1f} | {rest} |")
    say("")
    model = fit_model(rows, found["1 worker"], found["2 workers"])
    del X, y
    extrapolate(model, columns, say)
    check(model, {rows: found["2 workers"]}, checked, columns, say)


def extrapolate(model: TimeModel, columns: int, say: Callable[[str], None]) -> None:
    """Print what the model says of more rows and machines."""
    say("| processor microseconds a row | by |")
    say("|---|---|")
    for spent, by in (
        (model.serial, "one thread of this process"),
        (model.local, "all threads of this process"),
        (model.each, "the threads of every machine"),
        (model.shared, "all threads of all machines"),
    ):
        say(f"| {spent * 1e6:.1f} | {by} |")
    say(f"\nBytes a row: {model.sent:.0f} to every machine, {model.returned:.0f} back\n")
    say(f"| machines of {MACHINE_THREADS} threads | {MODEL_ROWS:,} rows of {columns} columns |")
    say("|---|---|")
    for machines in MODEL_MACHINES:
        seconds = model.seconds(MODEL_ROWS, machines, MACHINE_THREADS, MACHINE_THREADS)
        say(f"| {machines} | {seconds / 60:.1f} min |")
    say("")


def check(
    model: TimeModel,
    known: dict[int, Outcome],
    sizes: list[int],
    columns: int,
    say: Callable[[str], None],
) -> None:
    """Print what two workers take for other numbers of rows, beside what the model says."""
    say("| rows on two workers | seconds | by the model | of processors | by the model |")
    say("|---|---|---|---|---|")
    here = os.cpu_count() or 1
    for rows in sorted({*known, *sizes}):
        one = known[rows] if rows in known else on_workers(*draw(rows, columns), 2)
        times = f"{one.seconds:.1f} | {model.seconds(rows, 2, 1, here):.1f}"
        say(f"| {rows:,} | {times} | {one.processor:.1f} | {model.processor(rows, 2):.1f} |")


def write_parts(folder: Path, rows: int, columns: int) -> None:
    """Write a table as a folder of Parquet files."""
    X, y = draw(rows, columns)
    for part, some in enumerate(np.array_split(np.arange(rows), PARTS)):
        values = {f"x{j}": X[some, j] for j in range(columns)}
        pl.DataFrame({**values, "y": y[some]}).write_parquet(folder / f"part.{part}.parquet")


def grow(sizes: list[int], columns: int, say: Callable[[str], None]) -> None:
    """Print time and memory for growing numbers of rows, each in a process of its own."""
    say(f"| rows of {columns} columns | seconds | of processors | memory at most | rows used |")
    say("|---|---|---|---|---|")
    for rows in sizes:
        with tempfile.TemporaryDirectory() as folder:
            maker = ["--write", folder, "--rows", str(rows), "--columns", str(columns)]
            subprocess.run([sys.executable, __file__, *maker], check=True)
            words = [sys.executable, __file__, "--read", folder]
            done = subprocess.run(words, check=True, capture_output=True, encoding="utf-8")
        took = json.loads(done.stdout)
        memory = f"{took['memory'] / 1e9:.1f} GB"
        times = f"{took['seconds']:.1f} | {took['processor']:.1f}"
        say(f"| {rows:,} | {times} | {memory} | {took['rows']:,} |")


def read(folder: str) -> dict[str, float]:
    """Bound the error of a folder of Parquet files, and return what it took."""
    warm_up()
    rows = 0

    def call() -> bf.Floor:
        nonlocal rows
        floor = bf.bayes_error(folder, label="y", representation="raw")
        rows = floor.n
        return floor

    took = timed(call)
    return {
        "seconds": took.seconds,
        "processor": took.processor,
        "memory": peak_memory(),
        "rows": rows,
    }


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=3)
    parser.add_argument("--check", type=int, nargs="+", default=[], help="other sizes to measure")
    parser.add_argument("--growth", type=int, nargs="+", default=[])
    parser.add_argument("--read", help=argparse.SUPPRESS)
    parser.add_argument("--write", type=Path, help=argparse.SUPPRESS)
    asked = parser.parse_args()

    def say(line: str) -> None:
        sys.stdout.write(f"{line}\n")
        sys.stdout.flush()

    if asked.read:
        say(json.dumps(read(asked.read)))
    elif asked.write:
        write_parts(asked.write, asked.rows, asked.columns)
    elif asked.growth:
        grow(asked.growth, asked.columns, say)
    else:
        say(f"{os.cpu_count()} cores\n")
        compare(asked.rows, asked.columns, asked.check, say)


if __name__ == "__main__":
    main()
