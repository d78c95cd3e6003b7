"""Measure what each cost of the rank-curve models is worth.

Every option of `bayesfloor.estimators.curve_models.AveragingOptions` is halved, doubled and
switched off, one at a time. All variants see the same samples, drawn from the populations of few
columns. For each variant the table has

- the mean squared error of D̂, the estimate of the Henze-Penrose divergence, over the efficiency
  bound, as a geometric mean over populations and sizes;
- the same over that of today's values, with its Monte-Carlo standard error;
- where the error is largest, and how large;
- how often the 95 % interval of D holds the truth, on average and for the population where it does
  so least often;
- the length of the interval over that of today's values, as a geometric mean.

The lower the error and the shorter the interval, the better, as long as the coverage is 0.95.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from itertools import product
from typing import TypeAlias

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from bayesfloor.base.arrays import Floats
from bayesfloor.base.executor import ONE_THREAD
from bayesfloor.base.processes import open_pool
from bayesfloor.base.progress import progress_bar
from bayesfloor.bounds.henze_penrose import independent_mismatch
from bayesfloor.curve.measurement import measure
from bayesfloor.estimators.curve_models import AveragingOptions
from bayesfloor.estimators.method import Evidence, curve_ranks
from bayesfloor.estimators.mismatch import pool_estimates
from bayesfloor.estimators.wnn import wnn
from bayesfloor.neighbours import Effort
from bayesfloor.sample.gate import make_sample
from bayesfloor.truth.populations import POPULATIONS
from class_sizes import SIZES, Size, add_sample_options, spawn_seeds

Setting: TypeAlias = tuple[str, Size]
"""A population, and class sizes."""

REPETITIONS = 100
QUICK_SIZES, QUICK_REPETITIONS = SIZES[:2], 40
FEW_COLUMNS = 5
"""Populations of more columns stay out: neighbours are far apart there."""
CONFIDENCE = 0.95
TOLERANCE = 1e-9
"""Truths are exact to this; a bound below it is zero, and no error can be divided by it."""
PIPED_WIDTH = 140
TODAY = "today's values"
OPTIONS = [field.name for field in fields(AveragingOptions)]
COUNTS = ("windows", "smallest_window")
"""Options that are whole numbers; without windows there are no models to switch to."""
OFF = {
    "noise_factor": 1.0,
    "inverse_temperature": 1.0,
    "trend_excess": math.inf,
    "largest_offset": math.inf,
    "doubling_weight": math.inf,
}
"""Values that leave an option without effect where zero does not: a factor of one, no limit, and a
trend that is never given up."""
FORBIDDING_COST = 1e6
"""Cost at which a model has no weight, whatever the curve is."""


@dataclass(frozen=True, slots=True)
class Variant:
    """Options with one change."""

    option: str
    change: str  # from today's value to another
    options: AveragingOptions


@dataclass(frozen=True, slots=True)
class Task:
    """One sample to draw, and the variants that see it."""

    population: str
    size: Size
    seed: np.random.SeedSequence
    variants: tuple[Variant, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Scores:
    """How all variants did in one setting."""

    errors: Floats | None  # (repetitions, variants), squares over the bound; None if it is zero
    coverage: Floats  # (variants,)
    length: Floats  # (variants,), mean length of the interval


@dataclass(frozen=True, slots=True)
class Row:
    """How a variant did over all populations and sizes."""

    variant: Variant
    error: float  # geometric mean of the mean squared error over the efficiency bound
    change: float  # the same over that of today's values
    change_se: float  # Monte-Carlo standard error
    worst: tuple[float, str]  # largest error, and where
    coverage: float
    lowest: tuple[float, str]  # lowest coverage of a population, over all sizes, and which
    length: float  # of the interval over that of today's values


def make_variants(options: Sequence[str]) -> tuple[Variant, ...]:
    """Return today's values, then each option halved, doubled and switched off."""
    today = AveragingOptions()
    variants = [Variant(TODAY, "", today)]
    for name in options:
        value = getattr(today, name)
        values = [value / 2, 2 * value]
        values = [int(x) for x in values] if name in COUNTS else [*values, OFF.get(name, 0.0)]
        if name == "discontinuity_cost":
            values.append(FORBIDDING_COST)
        variants += [
            Variant(name, f"{value:g} → {x:g}", replace(today, **{name: x}))
            for x in dict.fromkeys(values)
        ]
    return tuple(variants)


def make_tasks(
    population: str, size: Size, variants: tuple[Variant, ...], repetitions: int, seed: int
) -> list[Task]:
    """Return the repetitions of one setting, seeded by its name, so that nothing else matters."""
    seeds = spawn_seeds(population, size, repetitions, seed)
    return [Task(population, size, child, variants) for child in seeds]


def estimates(task: Task) -> Floats:
    """Draw a sample; return D̂ and both ends of its interval for each variant, (variants, 3)."""
    points = np.vstack(
        POPULATIONS[task.population].draw(*task.size, np.random.default_rng(task.seed))
    )
    sample = make_sample(points, np.repeat([0, 1], task.size))
    measured = measure(sample, ranks=curve_ranks(sample.n), effort=Effort(executor=ONE_THREAD))
    most, found = independent_mismatch(sample.priors), []
    for variant in task.variants:
        estimate = wnn(Evidence(sample, measured, 1, ONE_THREAD), variant.options)
        pooled = pool_estimates([estimate], np.ones(1), CONFIDENCE)
        mismatch, (below, above) = pooled.mismatch, pooled.margins
        low = min(max(mismatch - below, 0.0), most)
        high = min(max(mismatch, 0.0) + above, most)
        found.append(1 - np.array([mismatch, high, low]) / most)
    return np.array(found)


def make_rows(variants: Sequence[Variant], found: Mapping[Setting, Floats]) -> list[Row]:
    """Score every variant from the estimates of each setting, (repetitions, variants, 3)."""
    scores = {setting: make_scores(setting, values) for setting, values in found.items()}
    return [make_row(variant, j, scores) for j, variant in enumerate(variants)]


def make_scores(setting: Setting, found: Floats) -> Scores:
    """Compare the estimates of one setting, (repetitions, variants, 3), with the truth."""
    name, (n, m) = setting
    p = n / (n + m)
    (va, vb), truth = POPULATIONS[name].efficiency(p), POPULATIONS[name].divergence(p)
    bound = va / n + vb / m
    estimate, low, high = np.moveaxis(found, -1, 0)
    inside = (low <= truth + TOLERANCE) & (high >= truth - TOLERANCE)
    errors = (estimate - truth) ** 2 / bound if bound > TOLERANCE else None
    return Scores(errors, inside.mean(axis=0), (high - low).mean(axis=0))


def make_row(variant: Variant, j: int, scores: Mapping[Setting, Scores]) -> Row:
    """Score variant j against the first, over all settings."""
    errors = {place: one.errors for place, one in scores.items() if one.errors is not None}
    means = {place: float(values[:, j].mean()) for place, values in errors.items()}
    worst = max(means, key=means.__getitem__)
    by_name: dict[str, list[float]] = {}
    for (name, _), one in scores.items():
        by_name.setdefault(name, []).append(float(one.coverage[j]))
    coverage = {name: float(np.mean(values)) for name, values in by_name.items()}
    lowest = min(coverage, key=coverage.__getitem__)
    change, change_se = paired_change([values[:, [0, j]] for values in errors.values()])
    return Row(
        variant=variant,
        error=geometric_mean(list(means.values())),
        change=change,
        change_se=change_se,
        worst=(means[worst], f"{_short(worst[0])} {worst[1][0]}/{worst[1][1]}"),
        coverage=float(np.mean(list(coverage.values()))),
        lowest=(coverage[lowest], _short(lowest)),
        length=geometric_mean([float(one.length[j] / one.length[0]) for one in scores.values()]),
    )


def geometric_mean(values: Sequence[float]) -> float:
    """Return the geometric mean of positive numbers."""
    return float(np.exp(np.log(values).mean()))


def paired_change(pairs: Sequence[Floats]) -> tuple[float, float]:
    """Return the geometric mean of ratios of two means, and its standard error.

    Each entry has the pairs of one setting, (repetitions, 2). The error is that of a mean of
    logarithms, by the delta method.

    Examples
    --------
    >>> change, error = paired_change([np.array([[1.0, 2.0], [3.0, 6.0]])])
    >>> round(change, 9), round(error, 9)
    (2.0, 0.0)
    """
    means = [pair.mean(axis=0) for pair in pairs]
    change = geometric_mean([float(mean[1] / mean[0]) for mean in means])
    relative = [pair / mean for pair, mean in zip(pairs, means, strict=True)]
    noise = [np.var(one[:, 1] - one[:, 0], ddof=1) / len(one) for one in relative]
    return change, change * math.sqrt(sum(noise)) / len(noise)


def _short(name: str) -> str:
    """Return the name of a population with its first argument only."""
    first, comma, _ = name.partition(",")
    return first + ")" if comma else name


def make_table(rows: Sequence[Row]) -> Table:
    """Lay out one line for each variant."""
    table = Table(box=SIMPLE_HEAD)
    for head in ("option", "value"):
        table.add_column(head, no_wrap=True)
    for head in ("error", "over today's", "worst", "coverage", "lowest", "length"):
        table.add_column(head, justify="right", no_wrap=True)
    last = rows[0].variant.option
    for row in rows:
        if row.variant.option != last:
            table.add_section()
        last = row.variant.option
        table.add_row(
            row.variant.option,
            row.variant.change,
            f"{row.error:.3f}",
            f"{row.change:.3f} ± {row.change_se:.3f}" if row.variant.change else "",
            f"{row.worst[1]} {row.worst[0]:.2f}",
            f"{row.coverage:.3f}",
            f"{row.lowest[1]} {row.lowest[0]:.3f}",
            f"{row.length:.3f}",
        )
    return table


def measure_variants(
    variants: tuple[Variant, ...],
    names: Sequence[str],
    sizes: Sequence[Size],
    *,
    repetitions: int,
    seed: int,
    workers: int,
) -> list[Row]:
    """Run every setting; the result does not depend on the number of workers."""
    settings = list(product(names, sizes))
    tasks = [t for setting in settings for t in make_tasks(*setting, variants, repetitions, seed)]
    found = {}
    with (
        progress_bar("Measuring", sum(sum(task.size) for task in tasks), show=True) as advance,
        open_pool(workers) as pool,
    ):
        for task, values in pool.run(estimates, tasks):
            found[id(task)] = values
            if advance is not None:
                advance(sum(task.size))
    groups = np.array([found[id(task)] for task in tasks])
    groups = groups.reshape(len(settings), repetitions, len(variants), 3)
    return make_rows(variants, dict(zip(settings, groups, strict=True)))


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_sample_options(parser)
    add = parser.add_argument
    add("--options", nargs="+", choices=OPTIONS, default=OPTIONS, help="all by default")
    options = parser.parse_args()
    options.sizes = options.sizes or (QUICK_SIZES if options.quick else SIZES)
    usual = QUICK_REPETITIONS if options.quick else REPETITIONS
    options.repetitions = options.repetitions or usual
    names = [name for name, population in POPULATIONS.items() if population.d <= FEW_COLUMNS]
    parts = options.populations or [""]
    options.populations = [name for name in names if any(part in name for part in parts)]
    if not any(POPULATIONS[name].efficiency()[0] > TOLERANCE for name in options.populations):
        parser.error(f"no such population with a bound above zero; choose from {', '.join(names)}")
    return options


def main() -> int:
    """Measure and print."""
    options = parse()
    try:
        rows = measure_variants(
            make_variants(list(dict.fromkeys(options.options))),
            options.populations,
            options.sizes,
            repetitions=options.repetitions,
            seed=options.seed,
            workers=options.workers,
        )
    except KeyboardInterrupt:
        Console(stderr=True).print("Interrupted.")
        return 130
    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=PIPED_WIDTH)
    console.print(make_table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())
