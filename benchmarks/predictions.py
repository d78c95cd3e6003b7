"""Measure floors with the predictions of a model, and the model's regret, on known populations.

Models: "true" knows the posterior, "noisy" adds noise to its log odds, "sure" triples them, "bad"
shuffles them among rows, "classes" answers the likeliest class of the noisy one and nothing else.
Printed is how often the 95 % interval of the floor holds the Bayes error and that of the regret
holds what the model errs more, the median width of the floor over that of the floor without a
model, how often it is wider by a tenth or more, and the mean weight of the model.
"""

from __future__ import annotations

import argparse
import os
import sys
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from zlib import crc32

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from scipy.special import expit, logit

from bayesfloor import bayes_error
from bayesfloor.base.arrays import Floats
from bayesfloor.base.processes import open_pool
from bayesfloor.base.progress import progress_bar
from bayesfloor.floor.run import Run, make_floor
from bayesfloor.predictions import Predictions
from bayesfloor.truth.populations import Population, figure3, ripley, scale, shift, wave

SOURCES: dict[str, Population] = {
    population.name: population
    for population in (
        shift(3, 2),
        shift(2, 1),
        shift(20, 2),
        scale(5, 1.6),
        figure3(),
        wave(2, 0.8, 2),
        ripley(),
    )
}
MODELS = ("true", "noisy", "sure", "bad", "classes")
NOISE = 1.0
"""Standard deviation of the noise of log odds."""
TRUTH_ROWS = 400_000
"""Rows that the error of a model is measured on: it is known to 0.001 or better."""
WIDER = 1.1
ROUNDING = 1e-9
PIPED_WIDTH = 120
Measured = tuple[bool, bool, float, float]
"""Whether both intervals hold, width over that without the model, weight."""


@dataclass(frozen=True, slots=True)
class Task:
    """One sample to draw."""

    source: str
    rows: int
    seed: np.random.SeedSequence


def predict(model: str, eta: Floats, rng: np.random.Generator) -> Floats:
    """Return the probability of the first class by a model that knows the posterior."""
    odds = logit(eta.clip(1e-9, 1 - 1e-9))
    if model == "sure":
        odds = 3 * odds
    elif model == "bad":
        odds = rng.permutation(odds)
    elif model != "true":
        odds = odds + NOISE * rng.normal(size=len(odds))
    return np.asarray(expit(odds))


@cache
def true_regret(source: str, model: str) -> float:
    """Return how much more a model errs than the best classifier on new rows."""
    population, rng, half = SOURCES[source], np.random.default_rng(2018), TRUTH_ROWS // 2
    eta = population.posterior(np.vstack(population.draw(half, half, rng)))
    worse = (predict(model, eta, rng) > 0.5) != (eta > 0.5)
    return float((worse * np.abs(2 * eta - 1)).mean())


def measure(task: Task) -> list[Measured]:
    """Draw a sample; compare the floors with each model with the truth and with the floor alone."""
    population, rng = SOURCES[task.source], np.random.default_rng(task.seed)
    first = int(np.clip(rng.binomial(task.rows, 0.5), 2, task.rows - 2))
    points = np.vstack(population.draw(first, task.rows - first, rng))
    labels = np.repeat([0, 1], [first, task.rows - first])
    eta, best = population.posterior(points), population.bayes_error()
    alone = bayes_error(points, labels, workers=1)
    run = alone.run
    assert isinstance(run, Run)
    found = []
    for model in MODELS:
        p = predict(model, eta, rng)
        given = None if model == "classes" else np.column_stack([p, 1 - p])
        origin = replace(run.origin, predictions=Predictions(np.where(p > 0.5, 0, 1), given))
        floor = make_floor(run.sample, run.settings, origin, run.measured)
        assert floor.model is not None
        regret = true_regret(task.source, model)
        holds = bool(floor.interval[0] <= best <= floor.interval[1])
        low, high = floor.model.regret_interval
        in_regret = low - ROUNDING <= regret <= high + ROUNDING
        width = float(np.ptp(floor.interval) / np.ptp(alone.interval))
        found.append((holds, in_regret, width, floor.model.weight))
    return found


def make_table(found: dict[tuple[str, int, str], list[Measured]]) -> Table:
    """Lay out what was measured: a line for each population, size and model."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("population", no_wrap=True)
    for name in ("rows", "model", "floor holds", "regret holds", "width", "wider", "weight"):
        table.add_column(name, justify="right")
    for (source, rows, model), some in found.items():
        holds, regret, width, weight = np.array(some, dtype=np.float64).T
        cells = [f"{holds.mean():.3f}", f"{regret.mean():.3f}", f"{np.median(width):.2f}"]
        cells += [f"{(width > WIDER).mean():.2f}", f"{weight.mean():.2f}"]
        table.add_row(source, str(rows), model, *cells)
    return table


def main(arguments: list[str] | None = None) -> None:
    """Measure, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, nargs="+", default=[1000])
    parser.add_argument("--samples", type=int, default=40)
    parser.add_argument("--sources", nargs="+", default=list(SOURCES), choices=list(SOURCES))
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    asked = parser.parse_args(arguments)
    tasks = []
    for source, rows in product(asked.sources, asked.rows):
        children = np.random.SeedSequence([asked.seed, crc32(f"{source} {rows}".encode())])
        tasks += [Task(source, rows, child) for child in children.spawn(asked.samples)]
    found: dict[tuple[str, int, str], list[Measured]] = {}
    with (
        open_pool(asked.workers) as pool,
        progress_bar("Measuring", len(tasks), show=True) as advance,
    ):
        for task, some in pool.run(measure, tasks):
            for model, one in zip(MODELS, some, strict=True):
                found.setdefault((task.source, task.rows, model), []).append(one)
            if advance is not None:
                advance(1)
    width = None if sys.stdout.isatty() else PIPED_WIDTH
    Console(width=width).print(make_table(found))


if __name__ == "__main__":
    main()
