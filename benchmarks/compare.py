"""Measure paired intervals of differences, and how often columns are rightly called needed.

Part "pairs" draws samples of ten pairs of column sets with known truth. Printed are, for each pair,
the true differences of the mismatch and of the Bayes error, how often the paired interval holds
each, how often the p-value of the mismatch is below 0.05, and the mean width over that of unpaired
intervals: of the mismatch, over two independent samples of as many rows; of the floor, over the sum
of the widths of both floors, as whoever subtracts these has. "known" are the paired intervals on
the same labels of whoever knows the class probabilities: no rule of the maps can do better.

Part "columns" ranks 20 columns of 1,000 rows, 3 that matter, a copy of each, and noise. Printed is
the share of samples in which a column of noise is called needed or selected, and in which one that
matters is not. Part "speed" prints the processor time of ranking 30 columns of 10,000 rows, over
that of a call of `bayes_error`.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import product
from typing import Protocol
from zlib import crc32

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from scipy.special import expit, softmax

import bayesfloor as bf
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.processes import open_pool
from bayesfloor.base.progress import progress_bar
from bayesfloor.bounds.loss import losses
from bayesfloor.comparison.difference import make_difference
from bayesfloor.comparison.paired_excess import NO_EXCESS
from bayesfloor.comparison.sides import unpaired_differences

TRUTH_ROWS = 400_000
"""Rows that truths are averaged over: standard errors are 0.0003 or less."""
PIPED_WIDTH = 160
MATTER = {f"column {j}" for j in range(6)}
"""Columns that matter, and their copies, in part "columns"."""


class Law(Protocol):
    """Rows with labels, and class probabilities of any set of columns."""

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
        """Draw rows and their labels."""
        ...

    def posterior(self, rows: Floats, columns: Sequence[int]) -> Floats:
        """Return the class probabilities of rows of which only some columns are seen."""
        ...


@dataclass(frozen=True)
class Normal:
    """Columns that are normal and independent in each class."""

    means: tuple[tuple[float, ...], ...]  # (m, d)
    spread: tuple[float, ...]  # standard deviation in each class
    priors: tuple[float, ...]

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
        """Draw rows and their labels."""
        y = rng.choice(len(self.priors), n, p=self.priors)
        noise = rng.normal(size=(n, len(self.means[0])))
        return np.array(self.means)[y] + np.array(self.spread)[y, None] * noise, y

    def posterior(self, rows: Floats, columns: Sequence[int]) -> Floats:
        """Return the class probabilities."""
        seen = rows[:, list(columns)]
        logs = [
            np.log(prior)
            - 0.5 * (((seen - np.array(mean)[list(columns)]) / s) ** 2).sum(axis=1)
            - len(columns) * np.log(s)
            for mean, s, prior in zip(self.means, self.spread, self.priors, strict=True)
        ]
        return np.asarray(softmax(np.column_stack(logs), axis=1))


def shift(deltas: Sequence[float], first: float = 0.5) -> Normal:
    """Return two classes whose means differ by these numbers."""
    means = tuple(np.zeros(len(deltas))), tuple(deltas)
    return Normal(means, (1.0, 1.0), (first, 1 - first))


@dataclass(frozen=True)
class Grid:
    """Columns that are uniform on a grid, and log-odds that are a function of them."""

    values: tuple[float, ...]
    columns: int
    name: str  # of the log-odds in `ODDS`

    def draw(self, n: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
        """Draw rows and their labels."""
        rows = rng.choice(self.values, size=(n, self.columns))
        return rows, (rng.random(n) < expit(ODDS[self.name](rows))).astype(np.int64)

    def posterior(self, rows: Floats, columns: Sequence[int]) -> Floats:
        """Average over all values of the columns that are not seen but matter."""
        hidden = [j for j in MATTERING[self.name] if j not in columns]
        total, filled = np.zeros(len(rows)), rows.copy()
        for unseen in product(self.values, repeat=len(hidden)):
            filled[:, hidden] = unseen
            total += expit(ODDS[self.name](filled))
        share = total / len(self.values) ** len(hidden)
        return np.column_stack([1 - share, share])


FINE = tuple(np.linspace(-2, 2, 161).tolist())
"""Values that look continuous."""
WORTH = np.random.default_rng(1).normal(size=(4, 4)) * 0.8
"""Log-odds of the values 0 to 3 of four columns."""
ODDS = {
    "product": lambda x: 1.73 * np.sign(x[:, 0] * x[:, 1]),
    "wave": lambda x: 2 * np.sin(2 * x[:, 0]) + x[:, 1],
    "table": lambda x: WORTH[np.arange(4), x.astype(int)].sum(axis=1),
}
MATTERING = {"product": (0, 1), "wave": (0, 1), "table": (0, 1, 2, 3)}
"""Log-odds by name, and the columns that they depend on."""
THREE = ((1.0, 0, 0, 0.5, 0), (0, 1.0, 0, 0.5, 1.0), (0, 0, 1.0, 0, -1.0))

PAIRS: dict[str, tuple[Law, tuple[int, ...], tuple[int, ...]]] = {
    "shift, 2 to 3": (shift([1, 1, 1]), (0, 1), (0, 1, 2)),
    "noise, 5 to 6": (shift([0.8] * 5 + [0]), (*range(5),), (*range(6),)),
    "shift, 10 to 11": (shift([0.5] * 10 + [0.7]), (*range(10),), (*range(11),)),
    "overlap, 3 and 3": (shift([0.6, 1, 1, 1.2]), (0, 1, 2), (1, 2, 3)),
    "scale, 3 to 5": (Normal(((0.0,) * 5,) * 2, (1.0, 1.8), (0.5, 0.5)), (0, 1, 2), (*range(5),)),
    "product, 2 to 3": (Grid(FINE, 3, "product"), (0, 2), (0, 1, 2)),
    "wave, 3 to 4": (Grid(FINE, 4, "wave"), (0, 2, 3), (0, 1, 2, 3)),
    "table, 3 to 4": (Grid((0.0, 1.0, 2.0, 3.0), 4, "table"), (0, 1, 2), (0, 1, 2, 3)),
    "three, 4 to 5": (Normal(THREE, (1.0,) * 3, (1 / 3,) * 3), (0, 1, 2, 3), (*range(5),)),
    "rare, 3 to 6": (shift([1, 0.7, 0.5, 0.5, 0.5, 0.5], 0.9), (0, 1, 2), (*range(6),)),
}
"""A law and two sets of its columns."""


@dataclass(frozen=True, slots=True)
class Task:
    """One sample."""

    pair: str
    rows: int
    seed: int


@dataclass(frozen=True, slots=True)
class Found:
    """What is found in one sample of a pair."""

    mismatch: tuple[float, float]
    floor: tuple[float, float]
    p_value: float
    unpaired: float  # width of the mismatch's interval without pairing
    both: float  # widths of the floors' intervals, added
    known: tuple[float, float]  # the mismatch's interval if class probabilities are known


def true_differences(pair: str) -> tuple[float, float]:
    """Return the differences of the mismatch and of the Bayes error, second less first."""
    law, *sets = PAIRS[pair]
    rows, _ = law.draw(TRUTH_ROWS, np.random.default_rng(99))
    first, second = (law.posterior(rows, columns) for columns in sets)
    mismatch = (first**2).sum(axis=1) - (second**2).sum(axis=1)
    return float(mismatch.mean()), float((first.max(axis=1) - second.max(axis=1)).mean())


def compare_pair(task: Task) -> Found:
    """Draw a sample, and compare its two sets."""
    law, first, second = PAIRS[task.pair]
    rng = np.random.default_rng([task.seed, crc32(task.pair.encode()), task.rows])
    X, y = law.draw(task.rows, rng)
    found = bf.compare({"a": X[:, first], "b": X[:, second]}, y, workers=1)
    one = found.differences["b"]
    alone = unpaired_differences(found.sides["b"], found.sides["a"], 0.95).mismatch
    both = sum(float(np.ptp(floor.interval)) for floor in found.floors.values())
    width = alone.interval[1] - alone.interval[0]
    known = known_interval(law, X, y, first, second)
    return Found(
        one.mismatch.interval, one.floor.interval, one.mismatch.p_value, width, both, known
    )


def known_interval(
    law: Law, X: Floats, y: Ints, first: Sequence[int], second: Sequence[int]
) -> tuple[float, float]:
    """Return the paired interval of the mismatch by the true class probabilities."""
    apart = losses(law.posterior(X, second), y) - losses(law.posterior(X, first), y)
    found = make_difference(
        float(apart.mean()), float(apart.std()) / len(y) ** 0.5, 0.95, NO_EXCESS
    )
    return found.interval


def rank_sample(task: Task) -> tuple[bool, bool, bool, bool]:
    """Return whether noise is needed or selected, and what matters is not."""
    rng = np.random.default_rng([task.seed, task.rows])
    y = rng.integers(0, 2, task.rows)
    X = rng.normal(size=(task.rows, 20))
    X[:, :3] += 0.8 * y[:, None]
    X[:, 3:6] = X[:, :3]
    found = bf.rank_columns(X, y, workers=1)
    needed, selected = set(found.needed), set(found.selected)
    missed = len(selected & MATTER) < 3
    return bool(needed - MATTER), bool(selected - MATTER), not needed >= MATTER, missed


def measure_speed(rows: int, columns: int) -> float:
    """Return the processor time of a ranking over that of a call."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    odds = X[:, 0] + X[:, 1] ** 2 - 1 + np.sin(2 * X[:, 2]) * X[:, 3] + X[:, 4] / 2
    y = rng.random(rows) < expit(odds)
    started = time.process_time()
    bf.bayes_error(X, y)
    between = time.process_time()
    bf.rank_columns(X, y)
    return (time.process_time() - between) / (between - started)


def pairs_table(found: dict[str, list[Found]]) -> Table:
    """Lay out coverage and width, a line a pair."""
    heads = ["pair", "ΔR", "held", "width/unpaired", "known: held", "width", "p < 0.05"]
    table = Table(box=SIMPLE_HEAD)
    for head in (*heads, "Δ floor", "held", "width/both floors"):
        table.add_column(head, no_wrap=True)
    for pair, some in found.items():
        mismatch, floor = true_differences(pair)
        names = ("mismatch", "floor", "known")
        r, f, k = (np.array([getattr(one, name) for one in some]) for name in names)
        unpaired = np.mean([one.unpaired for one in some])
        table.add_row(
            pair,
            f"{mismatch:.4f}",
            f"{np.mean((r[:, 0] <= mismatch) & (mismatch <= r[:, 1])):.3f}",
            f"{np.ptp(r, axis=1).mean() / unpaired:.2f}",
            f"{np.mean((k[:, 0] <= mismatch + 1e-9) & (mismatch - 1e-9 <= k[:, 1])):.3f}",
            f"{np.ptp(k, axis=1).mean() / unpaired:.2f}",
            f"{np.mean([one.p_value < 0.05 for one in some]):.2f}",
            f"{floor:.4f}",
            f"{np.mean((f[:, 0] <= floor) & (floor <= f[:, 1])):.3f}",
            f"{np.ptp(f, axis=1).mean() / np.mean([one.both for one in some]):.2f}",
        )
    return table


def coverage(found: dict[str, list[Found]]) -> tuple[float, float]:
    """Return how often intervals of the mismatch and of the floor hold the truth, in all."""
    held = []
    for pair, some in found.items():
        truths = true_differences(pair)
        held += [
            [low <= truth <= high for (low, high), truth in zip(ends, truths, strict=True)]
            for ends in ((one.mismatch, one.floor) for one in some)
        ]
    first, second = np.mean(held, axis=0).tolist()
    return first, second


def run_pairs(
    pairs: Sequence[str], rows: int, seeds: range, workers: int
) -> dict[str, list[Found]]:
    """Compare all samples, with a progress bar."""
    found: dict[str, list[Found]] = {pair: [] for pair in pairs}
    tasks = [Task(pair, rows, seed) for pair in pairs for seed in seeds]
    bar = progress_bar("Comparing", len(tasks), show=True)
    with open_pool(workers) as pool, bar as advance:
        for task, one in pool.run(compare_pair, tasks):
            found[task.pair].append(one)
            if advance is not None:
                advance(1)
    return found


def run_columns(rows: int, seeds: range, workers: int) -> Floats:
    """Rank all samples, with a progress bar; return the shares of what `rank_sample` tells."""
    found, tasks = [], [Task("columns", rows, seed) for seed in seeds]
    bar = progress_bar("Ranking", len(tasks), show=True)
    with open_pool(workers) as pool, bar as advance:
        for _, one in pool.run(rank_sample, tasks):
            found.append(one)
            if advance is not None:
                advance(1)
    return np.asarray(np.mean(found, axis=0))


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--part", choices=["pairs", "columns", "speed"], default="pairs")
    parser.add_argument("--quick", action="store_true", help="few samples: some minutes")
    parser.add_argument("--pair", choices=list(PAIRS), action="append", help="default all")
    parser.add_argument("--rows", type=int, default=None, help="of a sample, default 1000")
    parser.add_argument("--columns", type=int, default=30, help="of part speed, default 30")
    parser.add_argument("--repetitions", type=int, default=None, help="samples, default 200")
    parser.add_argument("--seed", type=int, default=2018, help="default 2018")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args()
    rows = options.rows or (10_000 if options.part == "speed" else 1000)
    repetitions = options.repetitions or (10 if options.quick else 200)
    if rows < 100 or repetitions < 1 or options.seed < 0 or options.workers < 1:
        parser.error("needs at least 100 rows, 1 repetition, 1 worker and a seed of 0 or more")
    seeds = range(options.seed, options.seed + repetitions)
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PIPED_WIDTH)
    if options.part == "speed":
        ratio = measure_speed(rows, options.columns)
        console.print(f"ranking {options.columns} columns of {rows:,} rows: {ratio:.1f} calls")
    elif options.part == "columns":
        shares = run_columns(rows, seeds, options.workers)
        names = ("noise is needed", "noise is selected", "some is not needed", "some is missed")
        for name, share in zip(names, shares.tolist(), strict=True):
            console.print(f"{name}: {share:.3f} of {repetitions} samples")
    else:
        found = run_pairs(options.pair or list(PAIRS), rows, seeds, options.workers)
        console.print(pairs_table(found))
        mismatch, floor = coverage(found)
        console.print(f"holds: mismatch {mismatch:.3f}, floor {floor:.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
