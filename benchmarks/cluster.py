"""What a cluster costs and saves: local clusters against threads, bytes moved, memory, growth.

    python benchmarks/cluster.py    # two workers against two threads, and the model
    python benchmarks/cluster.py --rows 200000 --columns 50
    python benchmarks/cluster.py --growth 100000 1000000 10000000

The bytes are those of the loopback device, so nothing else should use it meanwhile. A worker has
one thread. The growth is that of `bayes_error` from a folder of Parquet files, on threads, every
size in a process of its own.
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
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one call took."""

    seconds: float
    interval: tuple[float, float]
    processor: float  # seconds of all processes
    moved: float = 0.0  # bytes over those of the table
    worker_memory: float = 0.0  # bytes at the peak of the largest worker


@dataclass(frozen=True, slots=True)
class TimeModel:
    """Seconds a row: what every machine or this process does for all rows, and what is shared."""

    fixed: float
    shared: float

    def seconds(self, rows: float, threads: float) -> float:
        """Return the time of a call on so many threads."""
        return rows * (self.fixed + self.shared / threads)


def fit_model(rows: int, one: float, two: float) -> TimeModel:
    """Fit the model to the times of one and two workers.

    Examples
    --------
    >>> fit_model(10, one=30.0, two=20.0)
    TimeModel(fixed=1.0, shared=2.0)
    """
    shared = max(2 * (one - two), 0.0)
    return TimeModel((one - shared) / rows, shared / rows)


def draw(rows: int, columns: int) -> tuple[Any, Any]:
    """Return points and labels of two classes that overlap."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, rows)
    return rng.normal(size=(rows, columns)) + SHIFT * labels[:, None], labels


def timed(call: Callable[[], bf.Floor]) -> tuple[float, bf.Floor]:
    """Return how long a call takes, and what it returns."""
    started = time.monotonic()
    floor = call()
    return time.monotonic() - started, floor


def on_threads(X: Any, y: Any, threads: int) -> Outcome:
    """Measure a call on threads."""
    before = time.process_time()
    seconds, floor = timed(lambda: bf.bayes_error(X, y, workers=threads))
    return Outcome(seconds, floor.interval, time.process_time() - before)


def on_workers(X: Any, y: Any, workers: int) -> Outcome:
    """Measure a call on a local cluster, its start and first call aside."""
    with open_cluster("workers", f"local:{workers}") as client:
        client.wait_for_workers(workers)
        warm_up(client=client)
        before, worked = loopback_bytes(), processor_seconds(client)
        seconds, floor = timed(lambda: bf.bayes_error(X, y, client=client))
        moved = (loopback_bytes() - before) / (X.nbytes + y.nbytes)
        worked = processor_seconds(client) - worked
        memory = max(client.run(peak_memory).values())
    return Outcome(seconds, floor.interval, worked, moved, memory)


def processor_seconds(client: Any) -> float:
    """Return the processor time of this process and of all workers; others' is not in it."""
    return time.process_time() + float(sum(client.run(time.process_time).values()))


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


def compare(rows: int, columns: int, say: Callable[[str], None]) -> None:
    """Print a table of threads and workers, and the model that follows."""
    X, y = draw(rows, columns)
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
        rest = f"{one.moved:.1f} | {one.worker_memory / 1e9:.1f} GB" if one.moved else "– | –"
        say(f"| {name} | {one.seconds:.1f} | {ratio} | {one.processor:.1f} | {rest} |")
    say("")
    model = fit_model(rows, found["1 worker"].seconds, found["2 workers"].seconds)
    extrapolate(model, columns, say)


def extrapolate(model: TimeModel, columns: int, say: Callable[[str], None]) -> None:
    """Print what the model says of more rows and machines."""
    each, shared = model.fixed * 1e6, model.shared * 1e6
    say(f"Microseconds a row: {each:.1f} on every machine, {shared:.1f} shared out\n")
    say(f"| machines of {MACHINE_THREADS} threads | {MODEL_ROWS:,} rows of {columns} columns |")
    say("|---|---|")
    for machines in MODEL_MACHINES:
        seconds = model.seconds(MODEL_ROWS, machines * MACHINE_THREADS)
        say(f"| {machines} | {seconds / 60:.0f} min |")


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
    before = time.process_time()
    seconds, floor = timed(lambda: bf.bayes_error(folder, label="y", representation="raw"))
    processor = time.process_time() - before
    return {
        "seconds": seconds,
        "processor": processor,
        "memory": peak_memory(),
        "rows": floor.n,
    }


def main() -> None:
    """Print what was asked for."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=1_000_000)
    parser.add_argument("--columns", type=int, default=3)
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
        compare(asked.rows, asked.columns, say)


if __name__ == "__main__":
    main()
