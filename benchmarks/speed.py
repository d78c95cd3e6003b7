"""Time one `bayes_error` call against the bare neighbour query it stands on, in the same run.

Prints, for each size and dimension, the seconds of both, best of several runs, their ratio, and
the peak memory of the call above what the process held before.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable

import numpy as np
from rich.console import Console
from rich.table import Table
from scipy.spatial import cKDTree

from bayesfloor import bayes_error
from bayesfloor.arrays import Floats, Ints
from bayesfloor.methods import curve_ranks


def make_data(n: int, d: int) -> tuple[Floats, Ints]:
    """Draw two shifted normal classes of n points in all."""
    rng = np.random.default_rng([n, d])
    labels = np.arange(n) % 2
    points = rng.normal(size=(n, d))
    points[:, 0] += 2 * labels
    return points, labels


def best_seconds(work: Callable[[], object], runs: int) -> float:
    """Return the shortest time of several runs."""
    seconds = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        seconds.append(time.perf_counter() - start)
    return min(seconds)


def peak_megabytes() -> float:
    """Return the most memory the process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def measure_row(n: int, d: int, runs: int) -> list[str]:
    """Time both sides on one data set."""
    points, labels = make_data(n, d)
    k = curve_ranks(n)
    before = peak_megabytes()
    bayes_error(points, labels, representation="raw")
    memory = peak_megabytes() - before
    bare = best_seconds(lambda: cKDTree(points).query(points, k=k + 1, workers=-1), runs)
    ours = best_seconds(lambda: bayes_error(points, labels, representation="raw"), runs)
    return [
        f"{n}",
        f"{d}",
        f"{k}",
        f"{bare:.2f}",
        f"{ours:.2f}",
        f"{ours / bare:.2f}",
        f"{memory:.0f}",
    ]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sizes", type=int, nargs="+", default=[40_000])
    parser.add_argument("--dimensions", type=int, nargs="+", default=[2, 3, 5])
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    bayes_error(*make_data(200, 2))  # loads what is loaded once
    table = Table(
        "points", "columns", "ranks", "bare query, s", "bayes_error, s", "ratio", "peak, MB"
    )
    for n in options.sizes:
        for d in options.dimensions:
            table.add_row(*measure_row(n, d, options.runs))
    Console().print(table)


if __name__ == "__main__":
    main()
