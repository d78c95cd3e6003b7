"""Measure how often the intervals hold the Bayes error when class shares are left to chance.

Every row draws its class, so that the shares of a sample differ from those of the population, as in
most tables. Printed is how often the interval of the bounds and that of the estimate hold the true
Bayes error, at 95 % confidence.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from itertools import product
from zlib import crc32

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from bayesfloor import bayes_error
from bayesfloor.pool import open_pool
from bayesfloor.populations import POPULATIONS
from bayesfloor.progress import progress_bar

SHARES = (0.5, 0.1, 0.03)
"""Chance of a row to be of the first class."""
MOST_COLUMNS = 5
PIPED_WIDTH = 140


@dataclass(frozen=True, slots=True)
class Task:
    """One sample to draw."""

    population: str
    share: float
    rows: int
    seed: np.random.SeedSequence


def make_tasks(rows: int, repetitions: int, seed: int) -> list[Task]:
    """Return the repetitions of every population of few columns and every share."""
    names = [name for name, population in POPULATIONS.items() if population.d <= MOST_COLUMNS]
    tasks = []
    for name, share in product(names, SHARES):
        key = crc32(f"{name} {share} {rows}".encode())
        children = np.random.SeedSequence([seed, key]).spawn(repetitions)
        tasks += [Task(name, share, rows, child) for child in children]
    return tasks


def holds(task: Task) -> tuple[bool, bool]:
    """Draw a sample; tell whether either interval holds the Bayes error."""
    rng, population = np.random.default_rng(task.seed), POPULATIONS[task.population]
    n = int(np.clip(rng.binomial(task.rows, task.share), 2, task.rows - 2))
    points = np.vstack(population.draw(n, task.rows - n, rng))
    labels = np.repeat([0, 1], [n, task.rows - n])
    floor = bayes_error(points, labels, representation="raw", workers=1)
    truth = population.bayes_error(task.share)
    low, high = floor.interval
    least, most = floor.estimate_interval
    return bool(low <= truth <= high), bool(least <= truth <= most)


def make_table(found: dict[tuple[str, float], list[tuple[bool, bool]]]) -> Table:
    """Lay out the shares of intervals that hold: populations down, class shares across."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("population", no_wrap=True)
    for what, share in product(("interval", "estimate"), SHARES):
        table.add_column(f"{what} {share:.0%}", justify="right", no_wrap=True)
    for name in dict.fromkeys(name for name, _ in found):
        means = np.array([np.mean(found[name, share], axis=0) for share in SHARES])
        table.add_row(name, *(f"{value:.3f}" for value in means.T.ravel()))
    return table


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, default=1000, help="of a sample, default 1000")
    parser.add_argument("--repetitions", type=int, default=200, help="samples of each kind")
    parser.add_argument("--seed", type=int, default=2018, help="default 2018")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args()
    if options.rows < 20 or options.repetitions < 1 or options.seed < 0 or options.workers < 1:
        parser.error("give at least 20 rows, 1 repetition, 1 worker and a seed of 0 or more")
    tasks = make_tasks(options.rows, options.repetitions, options.seed)
    found: dict[tuple[str, float], list[tuple[bool, bool]]] = {
        (task.population, task.share): [] for task in tasks
    }
    try:
        with (
            progress_bar("Measuring", len(tasks), show=True) as advance,
            open_pool(options.workers) as pool,
        ):
            for task, inside in pool.run(holds, tasks):
                found[task.population, task.share].append(inside)
                if advance is not None:
                    advance(1)
    except KeyboardInterrupt:
        Console(stderr=True).print("Interrupted.")
        return 130
    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=PIPED_WIDTH)
    console.print(make_table(found))
    return 0


if __name__ == "__main__":
    sys.exit(main())
