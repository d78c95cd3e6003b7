"""Measure the bounds where neighbours are not local: many columns, known Bayes error.

Each line is a population and a way to answer. The upper bound is compared with the true mismatch R,
which it estimates; then come the shares of repetitions whose interval, and whose interval of the
point estimate, hold the true Bayes error, the mean estimate, and the mean time of a call with one
thread. The upper bound of ``knn k=1`` is the error of the nearest neighbour, leaving one row out.
"""

from __future__ import annotations

import argparse
import os
import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from bayesfloor import bayes_error
from bayesfloor.base.arrays import AnyArray, Floats, Ints
from bayesfloor.base.processes import open_pool
from bayesfloor.base.progress import progress_bar
from bayesfloor.truth.populations import POPULATIONS, Population, scale, shift, surface, wave

WAYS: dict[str, dict[str, object]] = {
    "default": {},
    "raw": {"representation": "raw"},
    "learned": {"representation": "learned"},
    "knn k=1": {"method": "knn", "k": 1},
    "mst": {"method": "mst"},
}
"""Arguments of `bayes_error`."""


@dataclass(frozen=True, slots=True)
class Setting:
    """A population that samples are drawn from, with its truth."""

    name: str
    draw: Callable[[np.random.Generator], tuple[AnyArray, AnyArray]]
    bayes_error: float
    mismatch: float


@dataclass(frozen=True, slots=True)
class Answer:
    """What one call said of one sample."""

    upper: float
    inside: bool  # the interval holds the Bayes error
    estimate: float
    estimate_inside: bool
    seconds: float
    representation: str


def of_population(population: Population, n: int) -> Setting:
    """Draw n points of each class."""

    def draw(rng: np.random.Generator) -> tuple[Floats, Ints]:
        return np.vstack(population.draw(n, n, rng)), np.repeat([0, 1], n)

    name = f"{population.name}, {n}/{n}"
    return Setting(name, draw, population.bayes_error(), population.mismatch())


def independent(n: int, d: int) -> Setting:
    """Draw n rows whose labels depend on nothing."""

    def draw(rng: np.random.Generator) -> tuple[Floats, Ints]:
        return rng.normal(size=(n, d)), rng.permutation(np.arange(n) % 2)

    return Setting(f"independent labels, d = {d}, n = {n}", draw, 0.5, 0.5)


def from_file(path: Path) -> Setting:
    """Take the rows of twonorm as they are: columns, then the class, tab-separated."""
    table = np.loadtxt(path, skiprows=1)
    truth = shift(1, 4)  # the means lie four standard deviations apart
    rows = table[:, :-1], table[:, -1].astype(np.int64)
    return Setting(
        f"twonorm, {len(table)} rows", lambda _: rows, truth.bayes_error(), truth.mismatch()
    )


def make_settings(core: bool, twonorm: Path | None) -> dict[str, Setting]:
    """Return the settings by name."""
    settings = [
        *(of_population(shift(d, 2), 2000) for d in (20, 50)),
        of_population(shift(30, 3), 2000),
        of_population(scale(20, 2), 2000),
        of_population(scale(10, 1.3), 2000),
        of_population(surface(30), 2000),
        of_population(wave(10, 0.8, 2), 2000),
        independent(4000, 50),
        independent(200, 100),
    ]
    settings += [from_file(twonorm)] if twonorm else []
    settings += [of_population(p, 500) for p in POPULATIONS.values()] if core else []
    return {setting.name: setting for setting in settings}


@dataclass(frozen=True, slots=True)
class Task:
    """One repetition of a setting, and the way to answer."""

    name: str
    way: str
    repetition: int
    core: bool
    twonorm: Path | None
    seed: int


def answer(task: Task) -> Answer:
    """Draw one sample and ask; the sample depends on the setting and the repetition alone."""
    setting = make_settings(task.core, task.twonorm)[task.name]
    rng = np.random.default_rng([task.seed, crc32(task.name.encode()), task.repetition])
    points, labels = setting.draw(rng)
    options: dict[str, Any] = {**WAYS[task.way], "random_state": task.repetition, "workers": 1}
    started = time.perf_counter()
    floor = bayes_error(points, labels, **options)
    return Answer(
        floor.upper,
        _holds(floor.interval, setting.bayes_error),
        floor.estimate,
        _holds(floor.estimate_interval, setting.bayes_error),
        time.perf_counter() - started,
        floor.representation,
    )


def _holds(interval: tuple[float, float], value: float) -> bool:
    return interval[0] - 1e-9 <= value <= interval[1] + 1e-9


def line(setting: Setting, way: str, answers: list[Answer]) -> list[str]:
    """Sum up the answers of one way as the cells of a table."""
    upper = np.array([a.upper for a in answers])
    off = upper.mean() / setting.mismatch - 1
    kinds = sorted({a.representation for a in answers})
    return [
        setting.name,
        way + (f" ({'/'.join(kinds)})" if way == "default" else ""),
        f"{setting.mismatch:.4f}",
        f"{upper.mean():.4f}",
        f"{off:+.1%}",
        f"{np.mean([a.inside for a in answers]):.2f}",
        f"{setting.bayes_error:.4f}",
        f"{np.mean([a.estimate for a in answers]):.4f}",
        f"{np.mean([a.estimate_inside for a in answers]):.2f}",
        f"{np.mean([a.seconds for a in answers]):.1f}",
    ]


def main() -> None:
    """Run all settings and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=10)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=list(WAYS))
    parser.add_argument("--core", action="store_true", help="add the core's populations")
    parser.add_argument("--only", default="", help="settings whose name holds this text")
    parser.add_argument("--twonorm", type=Path, help="the file of the twonorm data")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count())
    asked = parser.parse_args()
    settings = make_settings(asked.core, asked.twonorm)
    lines = product([name for name in settings if asked.only in name], asked.ways)
    tasks = [
        Task(name, way, repetition, asked.core, asked.twonorm, asked.seed)
        for name, way in lines
        for repetition in range(asked.repetitions)
    ]
    answers: dict[tuple[str, str], list[Answer]] = {(t.name, t.way): [] for t in tasks}
    bar = progress_bar("Measuring", len(tasks), show=True)
    with open_pool(asked.workers) as pool, bar as advance:
        for task, found in pool.run(answer, tasks):
            answers[task.name, task.way].append(found)
            if advance is not None:
                advance(1)
    heads = ["population", "way", "R", "upper", "off", "holds", "Bayes error", "estimate"]
    table = Table(*heads, "holds", "seconds", box=SIMPLE_HEAD)
    for (name, way), some in answers.items():
        table.add_row(*line(settings[name], way, some))
    Console(highlight=False, width=None if os.isatty(1) else 160).print(table)


if __name__ == "__main__":
    main()
