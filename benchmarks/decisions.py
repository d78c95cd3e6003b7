"""Measure intervals of decisions other than the error, and of the best AUC, on known populations.

Printed is how often the 95 % interval holds the truth, and its median width over that of an oracle,
who tests the best rule itself, or ranks by the true posterior, on the same rows. "balanced": the
balanced error of samples with a fifth of the first class. "2 %": the error where the first class
has a share of 2 %, from even samples. "10:1": the mean cost where a miss of the first class costs
ten false alarms. "AUC": the area under the best ROC curve.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass
from functools import cache
from itertools import product
from typing import Any
from zlib import crc32

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from bayesfloor import bayes_error
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.bounds.actions import LossTable
from bayesfloor.bounds.auc import auc_limits
from bayesfloor.bounds.strata import make_strata, mean_limit
from bayesfloor.truth.populations import (
    Population,
    figure3,
    ripley,
    scale,
    shift,
    wave,
)
from studies import run_study

TAIL = 0.025
Measured = tuple[bool, float, float]
"""Whether an interval holds the truth, its width, and that of the oracle."""
PIPED_WIDTH = 120
ROUNDING = 1e-6
"""Truths are integrals that are exact to this or better; an interval may end at the truth."""
SOURCES: dict[str, Population] = {
    population.name: population
    for population in (
        shift(3, 2),
        shift(2, 1),
        scale(5, 1.6),
        figure3(),
        wave(2, 0.8, 2),
        ripley(),
    )
}


@dataclass(frozen=True, slots=True)
class Question:
    """One decision: the share of the first class among rows, and what is asked."""

    share: float
    options: dict[str, Any]
    priors: tuple[float, float] | None = None  # shares that are given
    miss: float = 1.0  # cost of a miss of the first class


QUESTIONS = {
    "balanced": Question(0.2, {"metric": "balanced"}, priors=(0.5, 0.5)),
    "2 %": Question(0.5, {"priors": {0: 0.02}}, priors=(0.02, 0.98)),
    "10:1": Question(0.5, {"cost": {(0, 1): 10}}, miss=10.0),
    "AUC": Question(0.5, {}),
}


@dataclass(frozen=True, slots=True)
class Task:
    """One sample to draw."""

    source: str
    question: str
    rows: int
    seed: np.random.SeedSequence


def measure(task: Task) -> Measured:
    """Draw a sample; tell whether the interval holds the truth, its width, and the oracle's."""
    population, asked = SOURCES[task.source], QUESTIONS[task.question]
    rng = np.random.default_rng(task.seed)
    first = int(np.clip(rng.binomial(task.rows, asked.share), 2, task.rows - 2))
    points = np.vstack(population.draw(first, task.rows - first, rng))
    labels = np.repeat([0, 1], [first, task.rows - first])
    floor = bayes_error(points, labels, workers=1, **asked.options)
    eta = population.posterior(points, asked.share)
    if task.question == "AUC":
        low, high = floor.ceilings.classes[0].auc.interval
        least, most = auc_limits(eta, labels == 0, TAIL)
    else:
        low, high = floor.interval
        least, most = oracle_limits(eta, labels, asked)
    truth = truth_of(task.source, task.question)
    return bool(low - ROUNDING <= truth <= high + ROUNDING), high - low, most - least


@cache
def truth_of(source: str, question: str) -> float:
    """Return the exact answer."""
    population, asked = SOURCES[source], QUESTIONS[question]
    if question == "AUC":
        return population.auc()
    p = asked.share if asked.priors is None else asked.priors[0]
    return population.cost(p, first=asked.miss)


def oracle_limits(eta: Floats, labels: Ints, asked: Question) -> tuple[float, float]:
    """Return the limits of the loss of the best rule, tested on these rows."""
    shares = np.bincount(labels) / len(labels)
    given = asked.priors is not None
    true_shares = np.array([asked.share, 1 - asked.share])
    target = np.array(asked.priors if given else true_shares)
    cost = np.array([[0.0, 1.0], [asked.miss, 0.0]])
    posterior = np.column_stack([eta, 1 - eta])
    answers = (posterior @ (cost * target / true_shares).T).argmin(axis=1)
    table = LossTable(cost * (target / shares if given else 1.0))
    values, strata = table.losses[answers, labels], make_strata(labels, shares if given else None)
    largest = table.largest if given else table.largest.max(keepdims=True)
    of_row = largest[strata.of_row]
    mean = strata.mean(values)
    low = strata.mean(of_row) - mean_limit(of_row - values, strata, largest, 1.0, TAIL)
    return max(low, 0.0), max(mean_limit(values, strata, largest, 1.0, TAIL), mean)


def make_tasks(sizes: list[int], repetitions: int, seed: int, only: str) -> list[Task]:
    """Return the repetitions of every question and size, for populations with a text in it."""
    tasks, wanted = [], [source for source in SOURCES if only in source]
    for source, question, rows in product(wanted, QUESTIONS, sizes):
        key = crc32(f"{source} {question} {rows}".encode())
        children = np.random.SeedSequence([seed, key]).spawn(repetitions)
        tasks += [Task(source, question, rows, child) for child in children]
    return tasks


def make_table(found: dict[tuple[str, str, int], list[Measured]]) -> Table:
    """Lay out coverage and widths: populations and sizes down, questions across."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("population", no_wrap=True)
    table.add_column("rows", justify="right")
    for question in QUESTIONS:
        table.add_column(f"{question}: held", justify="right")
        table.add_column("width", justify="right")
    for source, rows in dict.fromkeys((source, rows) for source, _, rows in found):
        cells = []
        for question in QUESTIONS:
            held, width, oracle = map(np.array, zip(*found[source, question, rows], strict=True))
            cells += [f"{held.sum()} of {len(held)}", f"{np.median(width / oracle):.2f}"]
        table.add_row(source, f"{rows:,}", *cells)
    return table


def kind_of(task: Task) -> tuple[str, str, int]:
    """Return what a sample belongs to: a population, a question and a size."""
    return task.source, task.question, task.rows


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 4000], help="of a sample")
    parser.add_argument("--repetitions", type=int, default=200, help="samples of each kind")
    parser.add_argument("--seed", type=int, default=2018, help="default 2018")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument("--only", default="", help="populations whose name has this text")
    parser.add_argument("--quick", action="store_true", help="4 samples of 1000 rows of each kind")
    options = parser.parse_args()
    sizes, repetitions = ([1000], 4) if options.quick else (options.rows, options.repetitions)
    if min(sizes) < 20 or repetitions < 1 or options.seed < 0 or options.workers < 1:
        parser.error("give at least 20 rows, 1 repetition, 1 worker and a seed of 0 or more")
    tasks = make_tasks(sizes, repetitions, options.seed, options.only)
    return run_study(
        measure, tasks, kind_of, make_table, workers=options.workers, piped_width=PIPED_WIDTH
    )


if __name__ == "__main__":
    sys.exit(main())
