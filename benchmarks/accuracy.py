"""Measure accuracy and coverage on populations with known truth.

For each population, class sizes and method, many samples are drawn and D̂, the estimate of the
Henze-Penrose divergence, is compared with the truth. The tables show its mean squared error divided
by the efficiency bound, the least variance of any regular estimator. ``--csv`` adds its bias, in
standard deviations of the bound, and the coverage of the 95 % interval. Where the bound is zero, as
for identical classes, mean squared error and bias are given as they are.
"""

from __future__ import annotations

import argparse
import csv
import math
import sys
from collections.abc import Callable, Sequence
from dataclasses import astuple, dataclass, fields
from itertools import product
from pathlib import Path

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console, Group
from rich.table import Table
from rich.text import Text

from bayesfloor import METHODS, DataError, bayes_error
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.choices import REPRESENTATIONS
from bayesfloor.base.processes import open_pool
from bayesfloor.base.progress import progress_bar
from bayesfloor.truth.populations import POPULATIONS, Population
from class_sizes import SIZES, Size, add_sample_options, spawn_seeds

REPETITIONS = 100
QUICK_SIZES, QUICK_REPETITIONS = SIZES[:2], 20
NEIGHBOURS = (1, 5)
"""The values of k that method knn is measured with."""
FEW_COLUMNS = 5
"""Populations of more columns stay out of the geometric mean: neighbours are far apart there."""
RAW = "raw"
"""The columns as they are: what is measured unless another representation is asked for."""
TOLERANCE = 1e-9
"""Truths are exact to this; a bound below it is zero."""
PIPED_WIDTH = 120
SETTING = ["population", "d", "n", "m", "method", "repetitions"]
"""Fields of the CSV file that come before those of the score."""


@dataclass(frozen=True, slots=True)
class Column:
    """A method with its k, and what it looks at."""

    name: str
    method: str
    k: int
    representation: str = RAW


@dataclass(frozen=True, slots=True)
class Task:
    """One repetition: a sample to draw, and the methods that see it."""

    population: str
    size: Size
    seed: np.random.SeedSequence
    columns: tuple[Column, ...]


@dataclass(frozen=True, slots=True)
class Score:
    """How a method did over all repetitions; all NaN if it refused a sample."""

    ratio: float
    ratio_se: float  # Monte-Carlo standard error
    bias: float
    coverage: float
    coverage_se: float


@dataclass(frozen=True, slots=True)
class Row:
    """A population, class sizes and a method with their score."""

    population: Population
    size: Size
    method: str
    repetitions: int
    bound: float
    score: Score


def make_columns(methods: Sequence[str], representation: str = RAW) -> tuple[Column, ...]:
    """Return one column for each method, and for knn one for each k."""
    columns: list[Column] = []
    for method in methods:
        if method == "knn":
            columns += [Column(f"knn k={k}", method, k, representation) for k in NEIGHBOURS]
        else:
            columns.append(Column(method, method, max(NEIGHBOURS), representation))
    return tuple(columns)


def make_tasks(
    population: str, size: Size, columns: tuple[Column, ...], repetitions: int, seed: int
) -> list[Task]:
    """Return the repetitions of one setting, seeded by its name, so that nothing else matters."""
    seeds = spawn_seeds(population, size, repetitions, seed)
    return [Task(population, size, child, columns) for child in seeds]


def estimates(task: Task) -> Floats:
    """Draw a sample; return D̂ and both ends of its interval for each column, (columns, 3)."""
    n, m = task.size
    rng = np.random.default_rng(task.seed)
    points = np.vstack(POPULATIONS[task.population].draw(n, m, rng))
    labels = np.repeat([0, 1], [n, m])
    return np.array([_estimate(points, labels, column) for column in task.columns])


def _estimate(points: Floats, labels: Ints, column: Column) -> tuple[float, float, float]:
    """Return D̂ and its interval, NaN where the method refuses the sample."""
    try:
        floor = bayes_error(
            points,
            labels,
            method=column.method,
            k=column.k,
            representation=column.representation,
            workers=1,
        )
    except DataError:
        return math.nan, math.nan, math.nan
    assert floor.divergence is not None
    assert floor.divergence_interval is not None
    return floor.divergence, *floor.divergence_interval


def make_score(found: Floats, *, truth: float, bound: float) -> Score:
    """Compare estimates with the truth.

    Parameters
    ----------
    found : (repetitions, 3) array
        The estimate and both ends of its interval; NaN where there is none.
    truth : float
        What is estimated.
    bound : float
        Least variance; errors are counted in units of it unless it is zero.

    Returns
    -------
    Score

    Examples
    --------
    >>> found = np.array([[0.4, 0.3, 0.6], [0.8, 0.7, 0.9]])
    >>> score = make_score(found, truth=0.5, bound=0.01)
    >>> round(score.ratio, 6), round(score.bias, 6), score.coverage
    (5.0, 1.0, 0.5)
    """
    unit = 1.0 if bound < TOLERANCE else bound
    estimate, low, high = found.T
    error = estimate - truth
    inside = (low <= truth + TOLERANCE) & (high >= truth - TOLERANCE)
    coverage = float(np.where(np.isnan(estimate), np.nan, inside).mean())
    return Score(
        ratio=float((error**2).mean() / unit),
        ratio_se=float((error**2).std(ddof=1) / unit / math.sqrt(len(found))),
        bias=float(error.mean() / math.sqrt(unit)),
        coverage=coverage,
        coverage_se=math.sqrt(coverage * (1 - coverage) / len(found)),
    )


def make_rows(name: str, size: Size, columns: Sequence[Column], found: Floats) -> list[Row]:
    """Score every column of one setting from its estimates, (repetitions, columns, 3)."""
    population, (n, m) = POPULATIONS[name], size
    p = n / (n + m)
    va, vb = population.efficiency(p)
    truth, bound = population.divergence(p), va / n + vb / m
    scores = [make_score(x, truth=truth, bound=bound) for x in found.swapaxes(0, 1)]
    return [
        Row(population, size, column.name, len(found), bound, score)
        for column, score in zip(columns, scores, strict=True)
    ]


def measure(
    names: Sequence[str],
    sizes: Sequence[Size],
    columns: tuple[Column, ...],
    *,
    repetitions: int,
    seed: int,
    workers: int,
) -> list[Row]:
    """Run every setting; the result does not depend on the number of workers."""
    settings = list(product(names, sizes))
    tasks = [t for setting in settings for t in make_tasks(*setting, columns, repetitions, seed)]
    with progress_bar("Measuring", sum(sum(t.size) for t in tasks), show=True) as advance:
        found = run(tasks, workers, advance)
    groups = np.array(found).reshape(len(settings), repetitions, len(columns), 3)
    return [
        row
        for (name, size), group in zip(settings, groups, strict=True)
        for row in make_rows(name, size, columns, group)
    ]


def run(tasks: Sequence[Task], workers: int, advance: Callable[[int], None] | None) -> list[Floats]:
    """Return the estimates of every task, from processes of one thread each."""
    found = {}
    with open_pool(workers) as pool:
        for task, estimate in pool.run(estimates, tasks):
            found[id(task)] = estimate
            if advance is not None:
                advance(sum(task.size))
    return [found[id(task)] for task in tasks]


def ratio_table(rows: Sequence[Row]) -> Group:
    """Tabulate the ratio of one pair of sizes: populations down, methods across."""
    cells = {(row.population.name, row.method): _ratio_text(row) for row in rows}
    table = _grid(cells)
    methods = dict.fromkeys(row.method for row in rows)
    means = [geometric_mean([r for r in rows if r.method == method]) for method in methods]
    table.add_section()
    table.add_row(f"geometric mean, d ≤ {FEW_COLUMNS}", *map(_number, means))
    what = "Mean squared error of D̂ / efficiency bound"
    return _titled(
        f"{what}, {_size_text(rows[0])} points, {rows[0].repetitions} repetitions", table
    )


def coverage_table(rows: Sequence[Row]) -> Group:
    """Tabulate the coverage of one method: populations down, sizes across."""
    cells = {(row.population.name, _size_text(row)): f"{row.score.coverage:.3f}" for row in rows}
    title = (
        f"Coverage of the 95 % interval of D, {rows[0].method}, {rows[0].repetitions} repetitions"
    )
    return _titled(title, _grid(cells))


def _grid(cells: dict[tuple[str, str], str]) -> Table:
    """Lay out texts by row and column name, in order of appearance."""
    heads = dict.fromkeys(head for _, head in cells)
    table = Table("population", box=SIMPLE_HEAD)
    for head in heads:
        table.add_column(head, justify="right", no_wrap=True)
    for name in dict.fromkeys(name for name, _ in cells):
        table.add_row(name, *(cells[name, head] for head in heads))
    return table


def _titled(title: str, table: Table) -> Group:
    return Group(Text(title, style="bold"), table)


def _size_text(row: Row) -> str:
    return f"{row.size[0]}/{row.size[1]}"


def _ratio_text(row: Row) -> str:
    return _number(row.score.ratio) + ("*" if row.bound < TOLERANCE else "")


def _number(value: float) -> str:
    if math.isnan(value):
        return "–"
    return f"{value:.0f}" if 100 <= value < 1e5 else f"{value:#.3g}"


def geometric_mean(rows: Sequence[Row]) -> float:
    """Average the ratio over populations of few columns with a bound above zero; NaN if none."""
    ratios = [
        row.score.ratio
        for row in rows
        if row.population.d <= FEW_COLUMNS and row.bound >= TOLERANCE
    ]
    return float(np.exp(np.log(ratios).mean())) if ratios else math.nan


def summary(rows: Sequence[Row]) -> str:
    """Sum up the rows of one method in a line."""
    few = [row for row in rows if row.population.d <= FEW_COLUMNS]
    ratio = f"geometric mean of the ratio {_number(geometric_mean(rows))} (d ≤ {FEW_COLUMNS})"
    coverage = [f"coverage {_coverage_text(rows)} (all populations)"]
    if few:
        coverage.insert(0, f"coverage {_coverage_text(few)} (d ≤ {FEW_COLUMNS})")
    return f"Overall, {rows[0].method}: " + "; ".join([ratio, *coverage])


def _coverage_text(rows: Sequence[Row]) -> str:
    worst = min(rows, key=lambda row: row.score.coverage)
    where = f"{worst.population.name} at {_size_text(worst)}"
    mean = np.mean([row.score.coverage for row in rows])
    return f"lowest {worst.score.coverage:.3f} for {where}, mean {mean:.3f}"


def show(rows: Sequence[Row]) -> None:
    """Print the tables."""
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PIPED_WIDTH)
    for size in dict.fromkeys(row.size for row in rows):
        console.print(ratio_table([row for row in rows if row.size == size]))
    if any(row.bound < TOLERANCE for row in rows):
        console.print("* mean squared error itself, as the bound is zero")
    if any(math.isnan(row.score.ratio) for row in rows):
        console.print("– the method refuses such samples; wnn-published, too many columns")
    wnn = [row for row in rows if row.method == "wnn"]
    if wnn:
        console.print(coverage_table(wnn))
        console.print(summary(wnn), soft_wrap=True)


def write_rows(rows: Sequence[Row], path: Path) -> None:
    """Write tidy rows, aside first, so that the file is whole or not there."""
    aside = path.with_name(path.name + ".part")
    with aside.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow([*SETTING, *(field.name for field in fields(Score))])
        writer.writerows(map(_record, rows))
    aside.replace(path)


def _record(row: Row) -> list[object]:
    setting = [row.population.name, row.population.d, *row.size, row.method, row.repetitions]
    return [*setting, *("" if math.isnan(number) else number for number in astuple(row.score))]


def parse() -> argparse.Namespace:
    """Read the command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    add_sample_options(parser, max(NEIGHBOURS))
    add = parser.add_argument
    add("--methods", nargs="+", choices=list(METHODS), default=list(METHODS), help="all by default")
    add("--representation", choices=list(REPRESENTATIONS), default=RAW, help="default raw")
    add("--csv", type=Path, metavar="FILE", help="write one row for each cell")
    return _completed(parser.parse_args(), parser)


def _completed(options: argparse.Namespace, parser: argparse.ArgumentParser) -> argparse.Namespace:
    """Fill in what was left out; refuse what cannot be done before the long work."""
    options.sizes = options.sizes or (QUICK_SIZES if options.quick else SIZES)
    usual = QUICK_REPETITIONS if options.quick else REPETITIONS
    options.repetitions = options.repetitions or usual
    options.populations = chosen(options.populations)
    if not options.populations:
        parser.error(f"no such population; choose from {', '.join(POPULATIONS)}")
    if options.csv and (options.csv.is_dir() or not options.csv.parent.is_dir()):
        parser.error(f"cannot write {options.csv}; name a file in a folder that exists")
    return options


def chosen(parts: Sequence[str] | None) -> list[str]:
    """Return the populations whose name contains one of the parts, all for None."""
    return [name for name in POPULATIONS if parts is None or any(part in name for part in parts)]


def main() -> int:
    """Measure, print, write."""
    options = parse()
    try:
        rows = measure(
            options.populations,
            options.sizes,
            make_columns(list(dict.fromkeys(options.methods)), options.representation),
            repetitions=options.repetitions,
            seed=options.seed,
            workers=options.workers,
        )
    except KeyboardInterrupt:
        Console(stderr=True).print("Interrupted; nothing was written.")
        return 130
    show(rows)
    if options.csv:
        write_rows(rows, options.csv)
    return 0


if __name__ == "__main__":
    sys.exit(main())
