"""Measure the test of two samples: p-values where they are alike, power where they differ, time.

"null": samples that are alike, with unequal sizes, ties and copies. Printed are the p-value of a
Kolmogorov-Smirnov test that the p-values are uniform (ties of the statistic broken at random), and
how often the p-value as it is reported is at most 0.05 and 0.01. Where "permutations" is 0, they
are those of the normal limit, for a hundred labellings of each set of rows.

"power": how often p ≤ 0.05 on populations with a known divergence, for the neighbour test and the
classifier test of this package, for the published classifier test (accuracy on a held-out half,
Lopez-Paz & Oquab 2017) with a logistic regression and with 5 neighbours, and for the published
spanning-tree test (Friedman & Rafsky 1979), with permuted labels.

"time": CPU seconds of the neighbour test, and over those that SciPy's tree takes to find the same
number of neighbours of the same rows.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
import warnings
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from scipy import stats
from scipy.spatial import cKDTree

from bayesfloor.base.arrays import Floats
from bayesfloor.base.executor import ONE_THREAD
from bayesfloor.base.processes import open_pool
from bayesfloor.base.progress import progress_bar
from bayesfloor.neighbours.spanning_tree import spanning_edges
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.gate import make_pair
from bayesfloor.truth import populations
from bayesfloor.truth.populations import Population
from bayesfloor.two_sample.classifier import run_classifier_test
from bayesfloor.two_sample.graph import make_graph
from bayesfloor.two_sample.graph_statistic import NeighbourTest, Scorer, run_neighbour_test
from bayesfloor.two_sample.permutations import cell_counts, compare_with_permuted, labellings
from bayesfloor.two_sample.smooth_features import smooth_features
from bayesfloor.two_sample.tails import largest_tail

LEVEL = 0.05
PIPED_WIDTH = 150
BATCH = 10
"""Samples of a task."""


def normals(rng: np.random.Generator, n: int, d: int) -> Floats:
    """Draw normal rows."""
    return rng.normal(size=(n, d))


def grid(rng: np.random.Generator, n: int, d: int) -> Floats:
    """Draw rows of whole numbers from 0 to 2: most are tied or equal."""
    return rng.integers(0, 3, (n, d)).astype(float)


def copies(rng: np.random.Generator, n: int, d: int) -> Floats:
    """Draw normal rows, each of them about three times, in any order."""
    return rng.normal(size=(n // 3 + 1, d))[rng.integers(0, n // 3 + 1, n)]


DRAWS: dict[str, Callable[[np.random.Generator, int, int], Floats]] = {
    "normal": normals,
    "grid": grid,
    "copies": copies,
}
NULLS = (
    ("normal", 30, 30, 2, 199),
    ("normal", 20, 80, 5, 199),
    ("grid", 25, 40, 2, 199),
    ("grid", 20, 20, 1, 199),
    ("copies", 30, 60, 3, 199),
    ("normal", 3000, 3000, 3, 0),
    ("copies", 3000, 6000, 3, 0),
    ("normal", 2000, 14_000, 8, 0),
    ("grid", 6000, 6000, 8, 0),
)
"""Kinds of rows, rows of both samples, columns, and permutations."""
LABELLINGS = 100
"""Samples of a task where rows are many: labels of the same rows."""

POWERS: tuple[tuple[Population, int, int], ...] = (
    (populations.figure2(d=2), 30, 30),
    (populations.figure1(), 20, 20),
    (populations.figure1(), 20, 60),
    (populations.figure3(), 25, 25),
    (populations.figure3(), 60, 20),
    (populations.figure4(), 10, 10),
    (populations.shift(d=5, delta=0.6), 50, 50),
    (populations.shift(d=20, delta=0.8), 60, 60),
    (populations.scale(d=5, sigma=1.3), 40, 40),
    (populations.scale(d=20, sigma=1.1), 60, 60),
    (populations.ring(d=2), 25, 25),
    (populations.laplace(d=3, delta=0.7), 40, 40),
    (populations.wave(d=2, amplitude=0.6, cycles=3), 100, 100),
)
"""Populations with the rows of both samples; the first are those of the paper, the very first is
alike."""
RIVALS = ("neighbours", "classifier", "half, logistic", "half, 5 neighbours", "spanning tree")


@dataclass(frozen=True, slots=True)
class Task:
    """Some samples of one kind: a place in the table of the null, or of power."""

    part: str
    place: int
    seeds: tuple[int, ...]


def call(task: Task) -> list[tuple[float, ...]]:
    """Draw samples and test them."""
    warnings.simplefilter("ignore")
    if task.part == "null" and not NULLS[task.place][-1]:
        return limit_samples(task)
    one = null_sample if task.part == "null" else power_sample
    return [one(task.place, np.random.default_rng([seed, task.place])) for seed in task.seeds]


def null_sample(place: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Return the p-value with ties broken at random, and as it is reported."""
    kind, old, new, d, permutations = NULLS[place]
    points = DRAWS[kind](rng, old + new, d)
    found = neighbour_test(points[:old], points[old:], permutations, rng)
    if found.permutation is None:
        return found.p_value, found.p_value
    return found.permutation.randomised(rng), found.p_value


def limit_samples(task: Task) -> list[tuple[float, ...]]:
    """Return the p-values of the normal limit for labels permuted over the same rows."""
    kind, old, new, d, _ = NULLS[task.place]
    points = DRAWS[kind](np.random.default_rng([task.seeds[0], task.place]), old + new, d)
    cells = make_cells(make_pair(points[:old], points[old:]))
    scorer = Scorer(make_graph(cells, executor=ONE_THREAD), smooth_features(cells), new)
    blocks = cell_counts(cells.sizes, new, len(task.seeds), task.seeds[0])
    found = np.concatenate([scorer.largest(block) for block in blocks])
    return [(largest_tail(float(one), scorer.correlations),) * 2 for one in found]


def power_sample(place: int, rng: np.random.Generator) -> tuple[float, ...]:
    """Return the p-values of all tests."""
    population, old, new = POWERS[place]
    x, y = population.draw(old, new, rng)
    seed = int(rng.integers(2**31))
    classifier = run_classifier_test(make_pair(x, y), seed=seed, executor=ONE_THREAD)
    return (
        neighbour_test(x, y, 199, rng).p_value,
        1.0 if classifier is None else classifier.p_value,
        half_test(x, y, rng, neighbours=False),
        half_test(x, y, rng, neighbours=True),
        spanning_tree_test(x, y, seed),
    )


def neighbour_test(
    x: Floats, y: Floats, permutations: int, rng: np.random.Generator
) -> NeighbourTest:
    """Run the test of the package on one thread."""
    cells = make_cells(make_pair(x, y))
    graph = make_graph(cells, executor=ONE_THREAD)
    seed = int(rng.integers(2**31))
    return run_neighbour_test(
        graph, cells, permutations=permutations, seed=seed, executor=ONE_THREAD
    )


def half_test(x: Floats, y: Floats, rng: np.random.Generator, *, neighbours: bool) -> float:
    """Learn on a random half of the rows; compare the accuracy on the other with guessing."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.neighbors import KNeighborsClassifier

    points, labels = np.concatenate([x, y]), np.repeat([0, 1], [len(x), len(y)])
    order = rng.permutation(len(points))
    learned, held_out = order[: len(order) // 2], order[len(order) // 2 :]
    if len(set(labels[learned])) < 2:
        return 1.0
    model = KNeighborsClassifier(min(5, len(learned))) if neighbours else LogisticRegression()
    right = int(
        (
            model.fit(points[learned], labels[learned]).predict(points[held_out])
            == labels[held_out]
        ).sum()
    )
    guess = max(len(x), len(y)) / len(points)
    return float(stats.binom.sf(right - 1, len(held_out), guess))


def spanning_tree_test(x: Floats, y: Floats, seed: int, permutations: int = 199) -> float:
    """Count edges of the minimum spanning tree between samples, and permute the labels."""
    points = np.concatenate([x, y])
    a, b = spanning_edges(points, ONE_THREAD).T
    observed = float(((a < len(x)) != (b < len(x))).sum())
    permuted = np.concatenate(
        [
            (marks[a] != marks[b]).sum(axis=0)
            for marks in labellings(len(points), len(y), permutations, seed)
        ]
    )
    return compare_with_permuted(-observed, -permuted.astype(float), complete=False).p_value


def name_of(part: str, place: int) -> str:
    """Return the first entries of a row of the table."""
    if part == "power":
        return str(POWERS[place][0])
    return " ".join(map(str, NULLS[place]))


def run(tasks: list[Task], workers: int) -> dict[tuple[str, int], Floats]:
    """Test all samples, with a progress bar."""
    found: dict[tuple[str, int], list[tuple[float, ...]]] = {}
    bar = progress_bar("Testing", len(tasks), show=True)
    with open_pool(workers) as pool, bar as advance:
        for task, some in pool.run(call, tasks):
            found.setdefault((task.part, task.place), []).extend(some)
            if advance is not None:
                advance(1)
    return {key: np.array(some) for key, some in sorted(found.items())}


def null_table(found: dict[tuple[str, int], Floats]) -> Table:
    """Lay out what the p-values of alike samples look like."""
    table = Table(box=SIMPLE_HEAD, title="alike")
    heads = (
        "rows",
        "old",
        "new",
        "columns",
        "permutations",
        "samples",
        "KS p",
        "p ≤ 0.05",
        "p ≤ 0.01",
    )
    for head in heads:
        table.add_column(head, no_wrap=True)
    for (part, place), p_values in found.items():
        if part != "null":
            continue
        uniform, reported = p_values.T
        shares = [f"{(reported <= level).mean():.3f}" for level in (LEVEL, 0.01)]
        ks = stats.kstest(uniform, "uniform").pvalue
        table.add_row(*map(str, NULLS[place]), str(len(uniform)), f"{ks:.3f}", *shares)
    return table


def power_table(found: dict[tuple[str, int], Floats]) -> Table:
    """Lay out how often each test finds a difference."""
    table = Table(box=SIMPLE_HEAD, title="share of samples with p ≤ 0.05")
    for head in ("population", "old", "new", "divergence", *RIVALS):
        table.add_column(head, no_wrap=True)
    for (part, place), p_values in found.items():
        if part != "power":
            continue
        population, old, new = POWERS[place]
        divergence = population.divergence(p=old / (old + new))
        shares = [f"{share:.3f}" for share in (p_values <= LEVEL).mean(axis=0)]
        table.add_row(str(population), str(old), str(new), f"{divergence:.3f}", *shares)
    return table


def time_table(sizes: list[tuple[int, int]]) -> Table:
    """Measure CPU seconds of the neighbour test, and over those of a tree search alone."""
    table = Table(box=SIMPLE_HEAD, title="time")
    for head in ("rows", "columns", "CPU seconds", "over SciPy's tree"):
        table.add_column(head, no_wrap=True)
    for n, d in sizes:
        rng = np.random.default_rng(0)
        x, y = rng.normal(size=(n // 2, d)), rng.normal(size=(n - n // 2, d))
        neighbour_test(x[:50], y[:50], 0, rng)  # loads what there is to load
        start = time.process_time()
        found = neighbour_test(x, y, 999 if n <= 10_000 else 0, rng)
        seconds, start = time.process_time() - start, time.process_time()
        points = np.concatenate([x, y])
        cKDTree(points).query(points, k=found.ranks + 1)
        table.add_row(
            f"{n:,}", str(d), f"{seconds:.1f}", f"{seconds / (time.process_time() - start):.2f}"
        )
    return table


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="few repetitions: two minutes")
    parser.add_argument("--part", choices=("null", "power", "time"), nargs="+", default=None)
    parser.add_argument("--null", type=int, default=None, help="samples, default 2000")
    parser.add_argument("--power", type=int, default=None, help="samples, default 400")
    parser.add_argument("--named", default="", help="rows whose names hold this")
    parser.add_argument("--seed", type=int, default=2018, help="default 2018")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args()
    nulls = options.null or (200 if options.quick else 2000)
    powers = options.power or (40 if options.quick else 400)
    if min(nulls, powers, options.workers) < 1 or options.seed < 0:
        parser.error("needs at least 1 sample, 1 worker and a seed of 0 or more")
    parts = options.part or ("null", "power", "time")
    tasks = []
    for part, places, count in (("null", len(NULLS), nulls), ("power", len(POWERS), powers)):
        for place in range(places if part in parts else 0):
            if options.named not in name_of(part, place):
                continue
            batch = LABELLINGS if part == "null" and not NULLS[place][-1] else BATCH
            seeds = range(options.seed, options.seed + count)
            tasks += [
                Task(part, place, tuple(seeds[a : a + batch])) for a in range(0, count, batch)
            ]
    found = run(tasks, options.workers) if tasks else {}
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PIPED_WIDTH)
    if "null" in parts:
        console.print(null_table(found))
    if "power" in parts:
        console.print(power_table(found))
    if "time" in parts:
        sizes = [(1000, 3), (10_000, 5)] + ([] if options.quick else [(100_000, 5), (100_000, 20)])
        console.print(time_table(sizes))
    return 0


if __name__ == "__main__":
    sys.exit(main())
