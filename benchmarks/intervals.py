"""Measure how often the intervals hold the Bayes error, in two studies.

In both every row draws its class, as in most tables. "shares": the populations of few columns, with
classes of several shares, so that the shares of a sample differ from those of the population.
"jumps": labels that follow a rule, some of them turned, so that posteriors jump and the lower bound
is the Bayes error itself. Printed is how often the interval of the bounds and that of the estimate
hold the true Bayes error, at 95 % confidence.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import product
from zlib import crc32

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from bayesfloor import bayes_error
from bayesfloor.base.arrays import Bools, Floats, Ints
from bayesfloor.base.choices import REPRESENTATIONS
from bayesfloor.truth.populations import POPULATIONS, Population
from studies import run_study

MOST_COLUMNS = 5
DIMENSIONS = (2, 3, 5)
PIPED_WIDTH = 140

Drawn = tuple[Floats, Ints, float]
"""Points, labels, and the Bayes error."""


@dataclass(frozen=True, slots=True)
class Study:
    """What is drawn: sources by name, each at several levels."""

    sources: Mapping[str, Callable[[int, float, np.random.Generator], Drawn]]
    levels: tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """One sample to draw."""

    study: str
    source: str
    level: float
    rows: int
    representation: str
    seed: np.random.SeedSequence


def population_sample(
    population: Population, rows: int, share: float, rng: np.random.Generator
) -> Drawn:
    """Draw rows of a population, of which the first class has a share."""
    n = int(np.clip(rng.binomial(rows, share), 2, rows - 2))
    points = np.vstack(population.draw(n, rows - n, rng))
    return points, np.repeat([0, 1], [n, rows - n]), population.bayes_error(share)


def rule_sample(
    rule: Callable[[Floats], Bools], d: int, rows: int, turned: float, rng: np.random.Generator
) -> Drawn:
    """Draw rows whose labels follow a rule, some of them turned."""
    points = rng.uniform(-1, 1, (rows, d))
    labels = rule(points) ^ (rng.random(rows) < turned)
    return points, labels.astype(np.int64), turned


RULES: dict[str, Callable[[Floats], Bools]] = {
    "plane": lambda points: points.sum(axis=1) > 0,
    "ball": lambda points: (points**2).mean(axis=1) > 0.3,
    "corner": lambda points: points[:, :3].min(axis=1) > -0.4,
    "chessboard": lambda points: points[:, 0] * points[:, 1] > 0,
}
"""Labels of points in a cube about 0."""
STUDIES = {
    "shares": Study(
        {
            name: partial(population_sample, population)
            for name, population in POPULATIONS.items()
            if population.d <= MOST_COLUMNS
        },
        (0.5, 0.1, 0.03),
    ),
    "jumps": Study(
        {
            f"{name}, d = {d}": partial(rule_sample, rule, d)
            for (name, rule), d in product(RULES.items(), DIMENSIONS)
        },
        (0.0, 0.1, 0.2),
    ),
}
"""Levels are the share of the first class, and the share of labels turned."""


def make_tasks(
    study: str,
    rows: int,
    representation: str,
    repetitions: int,
    seed: int,
    only: Sequence[str] = (),
) -> list[Task]:
    """Return the repetitions of every source and level, or of sources with one of some texts."""
    tasks = []
    wanted = [
        source
        for source in STUDIES[study].sources
        if not only or any(text in source for text in only)
    ]
    for source, level in product(wanted, STUDIES[study].levels):
        key = crc32(f"{source} {level} {rows}".encode())
        children = np.random.SeedSequence([seed, key]).spawn(repetitions)
        tasks += [Task(study, source, level, rows, representation, child) for child in children]
    return tasks


def holds(task: Task) -> tuple[bool, bool]:
    """Draw a sample; tell whether either interval holds the Bayes error."""
    draw = STUDIES[task.study].sources[task.source]
    points, labels, truth = draw(task.rows, task.level, np.random.default_rng(task.seed))
    floor = bayes_error(points, labels, representation=task.representation, workers=1)
    low, high = floor.interval
    least, most = floor.estimate_interval
    return bool(low <= truth <= high), bool(least <= truth <= most)


def make_table(study: str, found: dict[tuple[str, float], list[tuple[bool, bool]]]) -> Table:
    """Lay out the shares of intervals that hold: sources down, levels across."""
    table, levels = Table(box=SIMPLE_HEAD), STUDIES[study].levels
    table.add_column("population", no_wrap=True)
    for what, level in product(("interval", "estimate"), levels):
        table.add_column(f"{what} {level:.0%}", justify="right", no_wrap=True)
    for source in dict.fromkeys(name for name, _ in found):
        means = np.array([np.mean(found[source, level], axis=0) for level in levels])
        table.add_row(source, *(f"{value:.3f}" for value in means.T.ravel()))
    return table


def kind_of(task: Task) -> tuple[str, float]:
    """Return what a sample belongs to: a source and its level."""
    return task.source, task.level


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("study", choices=list(STUDIES), help="what is drawn")
    parser.add_argument("--rows", type=int, default=1000, help="of a sample, default 1000")
    parser.add_argument("--repetitions", type=int, default=200, help="samples of each kind")
    parser.add_argument(
        "--representation", choices=list(REPRESENTATIONS), default="auto", help="default auto"
    )
    parser.add_argument("--only", nargs="+", default=[], help="names that hold one of these texts")
    parser.add_argument("--seed", type=int, default=2018, help="default 2018")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args()
    if options.rows < 20 or options.repetitions < 1 or options.seed < 0 or options.workers < 1:
        parser.error("give at least 20 rows, 1 repetition, 1 worker and a seed of 0 or more")
    tasks = make_tasks(
        options.study,
        options.rows,
        options.representation,
        options.repetitions,
        options.seed,
        options.only,
    )
    if not tasks:
        parser.error("no population has such a name")
    return run_study(
        holds,
        tasks,
        kind_of,
        partial(make_table, options.study),
        workers=options.workers,
        piped_width=PIPED_WIDTH,
    )


if __name__ == "__main__":
    sys.exit(main())
