"""Measure how decisive the interval is: its width over an oracle's, and how often it is right.

The oracle knows the best classifier, and tests it on as many rows: its interval is Wilson's of the
Bayes error. Four studies. "populations": samples of populations with known Bayes error, class
shares left to chance. "noised": real tables with an error that is nearly zero, some labels turned
at random, so that the Bayes error is known but for that. "tables": real tables with an error that
is known to be reached; targets 2 points above it, and 2 and 5 points below. "maps": the loss of the
averaged maps and the time of a call, over those of scikit-learn's classifiers alone, learned from
and measured on the same folds of rows, so that no copy of a row is in both.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any
from zlib import crc32

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

import bayesfloor as bf
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.processes import open_pool
from bayesfloor.base.progress import progress_bar
from bayesfloor.bounds.loss import losses
from bayesfloor.bounds.prior_error import wilson_limit
from bayesfloor.representation.partition import make_partition
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.gate import make_sample
from bayesfloor.truth import populations as truth

DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
"""Real tables, beside the checkout."""
TAIL = 0.025
"""Of a 95 % interval."""
TIMED_FOLDS = 5
"""Folds of the cross-validation that a call's time is compared with."""
POPULATIONS = {
    population.name: population
    for population in (
        *truth.POPULATIONS.values(),
        truth.scale(8, 1.4),
        truth.shift(30, 3),
        truth.wave(3, 0.8, 1),
        truth.laplace(8, 1.5),
    )
}
QUICK = ("shift(d=3, delta=2)", "square()", "wave(d=2, amplitude=0.8, cycles=2)", "ripley()")
"""Populations of the quick form."""
TABLES: dict[str, tuple[str, str, dict[str, Any], float]] = {
    "german": ("tables/german.csv.gz", "20", {}, 0.232),
    "titanic": ("tables/pd_titanic.csv.gz", "survived", {}, 0.2052),
    "weather": ("tables/seattle-weather.csv.gz", "weather", {"drop": ["date"]}, 0.3518),
    "Chile": ("tables/pd_Chile.csv.gz", "vote", {"missing": "drop"}, 0.3241),
    "splice": ("tables/splice.csv.gz", "Class", {}, 0.037),
    "nursery": ("tables/nursery.csv.gz", "Class", {}, 0.0099),
    "penguins": ("tables/penguins.csv.gz", "species", {"missing": "impute"}, 0.0087),
    "segment": ("tables/segment.csv.gz", "category", {}, 0.0156),
    "mnist_5k": ("tables/mnist_5k.csv.gz", "-1", {"header": False}, 0.0146),
    "OJ": ("tables/OJ.csv.gz", "Purchase", {}, 0.1673),
    "phishing": ("tables/phishing.csv.gz", "is_phishing", {}, 0.0744),
    "libras": ("tables/movement_libras.csv.gz", "Class", {}, 0.125),
    "adult": (
        "adult/adult-train.csv.gz",
        "-1",
        {"header": False, "missing": "drop"},
        0.1405,
    ),
    "magic": ("magic/magic.tsv.gz", "target", {}, 0.118),
    "phoneme": ("phoneme/phoneme.tsv.gz", "target", {}, 0.08),
    "robot 4": ("robot/sensor_readings_4.data", "-1", {"header": False}, 0.0002),
    "robot 24": ("robot/sensor_readings_24.data", "-1", {"header": False}, 0.0018),
    "skin": ("skin/Skin_NonSkin.txt.gz", "-1", {"header": False}, 0.0005),
}
"""File, label, options of `read_table`, and an error that a classifier is known to reach."""
NOISED = ("penguins", "segment", "nursery", "robot 4", "robot 24", "skin")
"""Tables whose known error is so low that the Bayes error with turned labels is nearly known."""
TURNED = (0.05, 0.1, 0.2)
"""Shares of labels that are turned."""
MOST_NOISED_ROWS = 6000
"""Rows of a table with turned labels, so that a run takes minutes."""
ABOVE, BELOW = 0.02, (0.02, 0.05)
"""Targets: errors above and below the known one."""


@dataclass(frozen=True, slots=True)
class Task:
    """One call."""

    study: str
    name: str
    rows: int
    level: float
    seed: int


@dataclass(frozen=True, slots=True)
class Found:
    """What one call said, beside what is known."""

    low: float
    high: float
    estimate: float
    rests_on: str
    oracle: tuple[float, float]
    truth: tuple[float, float]  # limits of the Bayes error
    seconds: float

    @property
    def width(self) -> float:
        """Width of the interval over that of the oracle."""
        return (self.high - self.low) / (self.oracle[1] - self.oracle[0])

    @property
    def holds(self) -> bool:
        """Whether the interval holds what the Bayes error can be."""
        return self.low <= self.truth[1] and self.high >= self.truth[0]


def wilson(error: float, n: int) -> tuple[float, float]:
    """Return the oracle's interval."""
    return 1 - wilson_limit(1 - error, n, TAIL), wilson_limit(error, n, TAIL)


def read(name: str) -> bf.LabelledTable:
    """Read one of the real tables."""
    file, label, options, _ = TABLES[name]
    return bf.read_table(DATA / file, label=label, **options)


def draw(task: Task) -> tuple[Any, Any, tuple[float, float]]:
    """Return points, labels and limits of the Bayes error."""
    rng = np.random.default_rng([task.seed, crc32(f"{task.name} {task.rows}".encode())])
    if task.study == "populations":
        population = POPULATIONS[task.name]
        first = int(np.clip(rng.binomial(task.rows, task.level), 2, task.rows - 2))
        points = np.vstack(population.draw(first, task.rows - first, rng))
        error = population.bayes_error(task.level)
        return points, np.repeat([0, 1], [first, task.rows - first]), (error, error)
    table, known = read(task.name), TABLES[task.name][3]
    points, labels = np.asarray(table.X), np.unique(np.asarray(table.y), return_inverse=True)[1]
    if task.study == "tables":
        return table, None, (0.0, known)
    # One class against the others, so that turning labels has a simple effect on the error.
    labels = (labels == np.bincount(labels).argmax()).astype(np.int64)
    kept = rng.permutation(len(labels))[:MOST_NOISED_ROWS]
    turned = rng.random(len(kept)) < task.level
    limits = task.level, task.level + known * (1 - 2 * task.level)
    return points[kept], labels[kept] ^ turned, limits


def call(task: Task) -> Found:
    """Draw, and ask with one thread."""
    points, labels, known = draw(task)
    started = time.perf_counter()
    floor = bf.bayes_error(points, labels, random_state=task.seed, workers=1)
    seconds = time.perf_counter() - started
    (low, high), oracle = floor.interval, wilson(known[1], floor.n)
    return Found(low, high, floor.estimate, floor.lower_rests_on, oracle, known, seconds)


def run(tasks: Sequence[Task], workers: int) -> dict[tuple[str, int, float], list[Found]]:
    """Make all calls, with a progress bar."""
    found: dict[tuple[str, int, float], list[Found]] = {}
    bar = progress_bar("Measuring", len(tasks), show=True)
    with open_pool(workers) as pool, bar as advance:
        for task, one in pool.run(call, tasks):
            found.setdefault((task.name, task.rows, task.level), []).append(one)
            if advance is not None:
                advance(1)
    return {key: found[key] for key in dict.fromkeys((t.name, t.rows, t.level) for t in tasks)}


def show_intervals(found: dict[tuple[str, int, float], list[Found]], level: str) -> None:
    """Print width and coverage, a line a population or table."""
    heads = ["sample", "rows", level, "truth", "low", "high", "width/oracle", "holds"]
    table = Table(*heads, "low too high", "high too low", "rests on", "seconds", box=SIMPLE_HEAD)
    for (name, rows, share), some in found.items():
        table.add_row(
            name,
            f"{rows:,}" if rows else "all",
            f"{share:g}",
            f"{some[0].truth[1]:.4f}",
            f"{np.mean([one.low for one in some]):.4f}",
            f"{np.mean([one.high for one in some]):.4f}",
            f"{np.mean([one.width for one in some]):.2f}",
            f"{np.mean([one.holds for one in some]):.3f}",
            f"{sum(one.low > one.truth[1] for one in some)} of {len(some)}",
            f"{sum(one.high < one.truth[0] for one in some)} of {len(some)}",
            ", ".join(sorted({one.rests_on for one in some})),
            f"{np.mean([one.seconds for one in some]):.1f}",
        )
    print_table(table)
    widths = [np.mean([one.width for one in some]) for some in found.values()]
    holds = [np.mean([one.holds for one in some]) for some in found.values()]
    Console(highlight=False).print(
        f"width over the oracle's: median {np.median(widths):.2f}, worst {max(widths):.2f};"
        f" least coverage {min(holds):.3f}"
    )


def decided(interval: tuple[float, float], target: float) -> str:
    """Return what an interval says of a wanted error."""
    if target >= interval[1]:
        return "reachable"
    return "out of reach" if target < interval[0] else "undecided"


def show_tables(found: dict[tuple[str, int, float], list[Found]]) -> None:
    """Print the targets that are decided, and the lower ends that a classifier beats."""
    heads = ["table", "known error", "low", "high", "oracle", "+2 points", "-2", "-5"]
    table = Table(*heads, "beaten", "rests on", "seconds", box=SIMPLE_HEAD)
    counts = {"reachable": [0, 0], "decided": [0, 0], "beaten": [0, 0]}
    for (name, _, _), (one,) in found.items():
        known = one.truth[1]
        targets = [known + ABOVE, *(known - below for below in BELOW if known > below)]
        ours, oracle = (
            [decided(interval, target) for target in targets]
            for interval in ((one.low, one.high), one.oracle)
        )
        beaten = one.low > known
        for column, words in enumerate((ours, oracle)):
            counts["reachable"][column] += words[0] == "reachable"
            counts["decided"][column] += sum(word != "undecided" for word in words)
        counts["beaten"][0] += beaten
        cells = [f"{a} ({b})" for a, b in zip(ours, oracle, strict=True)]
        table.add_row(
            name,
            f"{known:.4f}",
            f"{one.low:.4f}",
            f"{one.high:.4f}",
            " to ".join(f"{end:.4f}" for end in one.oracle),
            *(cells + ["-"] * (3 - len(cells))),
            "BEATEN" if beaten else "",
            one.rests_on,
            f"{one.seconds:.1f}",
        )
    print_table(table)
    Console(highlight=False).print(
        f"reachable: {counts['reachable'][0]}, the oracle {counts['reachable'][1]};"
        f" decided: {counts['decided'][0]}, the oracle {counts['decided'][1]};"
        f" lower ends above a known error: {counts['beaten'][0]} of {len(found)}"
    )


def peers() -> dict[str, Callable[[], Any]]:
    """Return scikit-learn's classifiers that the averaged maps are compared with."""
    from sklearn.ensemble import (
        ExtraTreesClassifier,
        HistGradientBoostingClassifier,
        RandomForestClassifier,
    )
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return {
        "boosting": lambda: HistGradientBoostingClassifier(random_state=0),
        "logistic": lambda: make_pipeline(StandardScaler(), LogisticRegression(max_iter=1000)),
        "kernel": lambda: make_pipeline(
            Nystroem(gamma=0.5, n_components=300, random_state=0), LogisticRegression(max_iter=1000)
        ),
        "random forest": lambda: RandomForestClassifier(300, random_state=0, n_jobs=-1),
        "extra trees": lambda: ExtraTreesClassifier(300, random_state=0, n_jobs=-1),
    }


def compare_maps(name: str, most_rows: int | None, slow: bool) -> list[str]:
    """Return the losses and times of one table as the cells of a line."""
    import warnings

    from sklearn.model_selection import cross_val_predict

    table = read(name)
    points = np.asarray(table.X, dtype=np.float64)
    labels = np.unique(np.asarray(table.y), return_inverse=True)[1]
    kept = np.random.default_rng(0).permutation(len(labels))[:most_rows]
    points, labels = points[kept], labels[kept]
    points = points / np.sqrt(points.var(axis=0).sum())
    started = time.perf_counter()
    floor = bf.bayes_error(points, labels)
    ours = time.perf_counter() - started
    cells = [name, f"{floor.n:,}", f"{floor.loss:.4f}"]
    seconds = np.inf
    folds = same_folds(points, labels)
    for peer, make in peers().items():
        if not slow and peer in ("random forest", "extra trees"):
            cells.append("-")
            continue
        started = time.perf_counter()
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                found = cross_val_predict(make(), points, labels, cv=folds, method="predict_proba")
            cells.append(f"{floor.loss / mean_loss(found, labels):.3f}")
        except ValueError:
            cells.append("fails")
        if peer == "boosting":
            seconds = (time.perf_counter() - started) * TIMED_FOLDS / len(folds)
    return [*cells, f"{ours:.1f}", f"{seconds:.1f}", f"{ours / seconds:.2f}"]


def same_folds(points: Floats, labels: Ints) -> list[tuple[Ints, Ints]]:
    """Return the rows that a call learns from and those that it measures, fold by fold."""
    cells = make_cells(make_sample(points, labels))
    in_order = np.argsort(cells.class_order())[labels]  # names of classes decide nothing
    partition = make_partition(cells, in_order, seed=0)
    splits = partition.fold_splits()[: partition.scheme.folds]  # the first assignment
    return [(split.training, split.held_out) for split in splits]


def mean_loss(posterior: Floats, labels: Ints) -> float:
    """Return the mean squared loss of class probabilities."""
    return float(losses(posterior, labels).mean())


def show_maps(names: Sequence[str], most_rows: int | None, slow: bool) -> None:
    """Print the loss of the averaged maps over that of each peer, and the time of the call."""
    heads = ["table", "rows", "loss", *(f"over {peer}" for peer in peers())]
    table = Table(*heads, "call,s", "boosting,s", "ratio", box=SIMPLE_HEAD)
    compare_maps("penguins", 200, slow=False)  # imports are not timed
    with progress_bar("Learning", len(names), show=True) as advance:
        for name in names:
            table.add_row(*compare_maps(name, most_rows, slow))
            if advance is not None:
                advance(1)
    print_table(table)


def print_table(table: Table) -> None:
    """Print on the terminal's width, or a wide one where the output is piped."""
    console = Console(highlight=False)
    (console if console.is_terminal else Console(highlight=False, width=180)).print(table)


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("study", choices=["populations", "noised", "tables", "maps"])
    parser.add_argument("--rows", type=int, nargs="+", default=[1000, 4000])
    parser.add_argument("--share", type=float, default=0.5, help="of the first class")
    parser.add_argument("--repetitions", type=int, default=200, help="samples of each kind")
    parser.add_argument("--only", nargs="+", default=[], help="names that hold one of these texts")
    parser.add_argument("--quick", action="store_true", help="few samples of few kinds")
    parser.add_argument("--slow", action="store_true", help="compare maps with forests too")
    parser.add_argument("--seed", type=int, default=2018)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args()
    if options.study != "populations" and not DATA.exists():
        parser.error("the real tables are not beside this checkout")
    wanted: Callable[[str], bool] = lambda name: (  # noqa: E731
        any(text in name for text in options.only) if options.only else True
    )
    repetitions = 10 if options.quick else options.repetitions
    task = partial(Task, options.study)
    if options.study == "populations":
        names = [name for name in POPULATIONS if not options.quick or name in QUICK]
        tasks = [
            task(name, rows, options.share, options.seed + repetition)
            for name in filter(wanted, names)
            for rows in (options.rows[:1] if options.quick else options.rows)
            for repetition in range(repetitions)
        ]
        show_intervals(run(tasks, options.workers), "share")
    elif options.study == "noised":
        turned = TURNED[1:2] if options.quick else TURNED
        repetitions = min(repetitions, 5)
        tasks = [
            task(name, 0, share, options.seed + repetition)
            for name in filter(wanted, NOISED)
            for share in turned
            for repetition in range(repetitions)
        ]
        show_intervals(run(tasks, options.workers), "turned")
    elif options.study == "tables":
        small = [name for name in TABLES if not options.quick or name in QUICK_TABLES]
        tasks = [task(name, 0, 0.0, options.seed) for name in filter(wanted, small)]
        show_tables(run(tasks, options.workers))
    else:
        small = [name for name in TABLES if not options.quick or name in QUICK_TABLES]
        show_maps(list(filter(wanted, small)), None, options.slow)
    return 0


QUICK_TABLES = ("german", "titanic", "penguins", "OJ", "phishing")
"""Tables of the quick form."""

if __name__ == "__main__":
    sys.exit(main())
