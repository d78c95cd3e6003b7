"""Measure whether `next_source` finds the source with the lowest floor with fewer rows.

Four sources deliver rows of two normal classes that are more or less far apart; the Bayes errors
are known. All start with the same rows. Then batches come from the source that `next_source`
names, from all in turn, or from any by chance. Printed are, for each way and number of rows, how
often the source with the lowest estimate is the best one, how often that is settled and right, and
the mean width of the widest interval.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import bayesfloor as bf
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.processes import open_pool
from bayesfloor.base.progress import progress_bar

DELTAS = {"a": 0.5, "b": 1.0, "c": 1.4, "d": 2.3}
"""Distances between the classes of the sources, in standard deviations; the last is the best."""
BEST = "d"
WAYS = ("lowest", "width", "in turn", "by chance")
FIRST_ROWS, BATCH_ROWS = 60, 60
PIPED_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Task:
    """One run of one way."""

    way: str
    seed: int
    batches: int


def draw(name: str, n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Draw rows of a source."""
    labels = np.arange(n) % 2
    points = rng.normal(size=(n, 2))
    points[:, 0] += DELTAS[name] * labels
    return points, labels


def floor_of(points: Floats, labels: Ints) -> bf.Floor:
    """Bound the Bayes error of a source by neighbours, which takes milliseconds."""
    return bf.bayes_error(points, labels, representation="raw", workers=1)


def call(task: Task) -> list[tuple[int, bool, bool, float]]:
    """Run one way; return after each batch the rows, whether it is right and settled, the width."""
    rng = np.random.default_rng([task.seed, 25])
    streams = dict(zip(DELTAS, rng.spawn(len(DELTAS)), strict=True))
    chance = np.random.default_rng([task.seed, 7])
    data = {name: draw(name, FIRST_ROWS, stream) for name, stream in streams.items()}
    floors = {name: floor_of(*one) for name, one in data.items()}
    steps = []
    for batch in range(task.batches + 1):
        goal = task.way if task.way in ("lowest", "width") else "lowest"
        found = bf.next_source(floors, goal=goal, rows=BATCH_ROWS)
        widest = max(one.interval[1] - one.interval[0] for one in found.outlooks)
        right = found.best == BEST
        rows = sum(one.n for one in found.outlooks)
        steps.append((rows, right, found.settled and right, widest))
        name = found.name
        if task.way == "in turn":
            name = list(DELTAS)[batch % len(DELTAS)]
        elif task.way == "by chance":
            name = str(chance.choice(list(DELTAS)))
        points, labels = draw(name, BATCH_ROWS, streams[name])
        before = data[name]
        data[name] = np.concatenate([before[0], points]), np.concatenate([before[1], labels])
        floors[name] = floor_of(*data[name])
    return steps


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="20 repetitions: two minutes")
    parser.add_argument("--repetitions", type=int, default=None, help="default 100")
    parser.add_argument("--batches", type=int, default=40, help="default 40")
    parser.add_argument("--seed", type=int, default=2018, help="default 2018")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args()
    repetitions = options.repetitions or (20 if options.quick else 100)
    if min(repetitions, options.batches, options.workers) < 1 or options.seed < 0:
        parser.error("needs at least 1 repetition, batch and worker, and a seed of 0 or more")
    tasks = [
        Task(way, options.seed + r, options.batches) for r in range(repetitions) for way in WAYS
    ]
    found: dict[str, list[list[tuple[int, bool, bool, float]]]] = {way: [] for way in WAYS}
    bar = progress_bar("Choosing", len(tasks), show=True)
    with open_pool(options.workers) as pool, bar as advance:
        for task, steps in pool.run(call, tasks):
            found[task.way].append(steps)
            if advance is not None:
                advance(1)
    table = Table(box=SIMPLE_HEAD)
    for head in ("way", "rows", "best found", "settled", "widest interval"):
        table.add_column(head, no_wrap=True)
    for way, runs in found.items():
        means = np.array(runs, dtype=float).mean(axis=0)
        for step in sorted({options.batches // 2, options.batches}):
            rows, right, settled, width = means[step]
            cells = f"{right:.2f}", f"{settled:.2f}", f"{width:.3f}"
            table.add_row(way, f"{rows:.0f}", *cells)
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PIPED_WIDTH)
    console.print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
