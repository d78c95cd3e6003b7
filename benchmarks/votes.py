"""Measure how often intervals from votes hold the Bayes error, and how wide they are.

Votes are drawn from laws of posteriors with an exact Bayes error, skewed and even, certain and
undecided, of two classes and of ten. Printed are, for each law and number of votes on an item, the
Bayes error, the mean ends of the interval, its mean width over that of an oracle who knows the
posteriors of the same items (`bayes_error_from_probabilities`), how often it holds the Bayes error,
and how often either end misses it. "2 to 11" are numbers of votes that differ between items.

`--columns` measures votes with columns instead, beside the same votes alone: the log-odds of an
item are normal, and two columns tell all of them, half of their variance, or nothing.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from numpy.typing import NDArray
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from scipy.integrate import quad
from scipy.special import expit
from scipy.stats import norm

import bayesfloor as bf
from bayesfloor.base.processes import open_pool
from bayesfloor.base.progress import progress_bar
from bayesfloor.bounds.bounded_mean import bounded_mean_limits
from bayesfloor.truth.vote_laws import VOTE_LAWS
from bayesfloor.votes.interval import bound_by_votes

VOTES = ("2", "3", "5", "20", "2 to 11")
QUICK = ("Beta(0.3, 0.3)", "0.1 on 50%, else 0.9", "0.5 on 2%, else 1", "Dirichlet(10 × 0.1)")
"""Laws of the quick form."""
ROUNDING = 1e-9
PIPED_WIDTH = 160


@dataclass(frozen=True, slots=True)
class Task:
    """Some samples of one kind."""

    law: str
    votes: str
    items: int
    seeds: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Found:
    """What the votes of one sample say, and the oracle's width."""

    low: float
    high: float
    oracle: float


def call(task: Task) -> list[Found]:
    """Draw samples, and bound their Bayes errors."""
    law, found = VOTE_LAWS[task.law], list[Found]()
    for seed in task.seeds:
        rng = np.random.default_rng([seed, crc32(f"{task.law} {task.votes}".encode()), task.items])
        eta = law.posteriors(task.items, rng)
        differ = task.votes.partition(" to ")[1]
        votes = rng.integers(2, 12, task.items) if differ else int(task.votes)
        low, high = bound_by_votes(rng.multinomial(votes, eta), confidence=0.95).interval
        once = np.ones(task.items, np.int64)
        best, worst = bounded_mean_limits(1 - eta.max(axis=1), once, 0.025)
        found.append(Found(low, high, worst - best))
    return found


SPREAD = 2.5
"""Standard deviation of the log-odds of items that have columns."""
TOLD = {"columns tell all": 1.0, "half": 0.5, "nothing": 0.0}
"""Share of the variance of the log-odds that the columns tell."""


def items_with_columns(
    told: float, items: int, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return two columns of each item, and its posterior."""
    x, hidden = rng.normal(size=(items, 2)), rng.normal(size=items)
    seen = 0.8 * x[:, 0] + 0.6 * x[:, 1]
    chance = expit(SPREAD * (np.sqrt(told) * seen + np.sqrt(1 - told) * hidden))
    return x, np.column_stack([chance, 1 - chance])


def compare_with_columns(options: argparse.Namespace) -> Table:
    """Measure votes with columns and votes alone on the same samples."""
    truth = 2 * quad(lambda z: expit(-SPREAD * z) * norm.pdf(z), 0, 12)[0]
    heads = ["columns", "items", "votes", "truth", "low", "high", "width", "holds"]
    table = Table(box=SIMPLE_HEAD)
    for head in (*heads, "low alone", "high alone", "width alone", "holds alone"):
        table.add_column(head, no_wrap=True)
    for items in options.items or [500]:
        for name, told in TOLD.items():
            for votes in (2, 3, 5):
                ends = []
                for seed in range(options.seed, options.seed + options.repetitions):
                    rng = np.random.default_rng([seed, crc32(f"{name} {votes}".encode()), items])
                    x, eta = items_with_columns(told, items, rng)
                    floor = bf.bayes_error_from_votes(rng.multinomial(votes, eta), X=x)
                    assert floor.votes is not None
                    assert floor.votes.columns is not None
                    ends.append((*floor.interval, *floor.votes.columns.interval_by_votes))
                found = np.array(ends)
                cells = [name, f"{items:,}", str(votes), f"{truth:.4f}"]
                for low, high in (found[:, :2].T, found[:, 2:].T):
                    held = ((low <= truth) & (truth <= high)).sum()
                    cells += [f"{one.mean():.4f}" for one in (low, high, high - low)]
                    cells.append(f"{held} of {len(low)}")
                table.add_row(*cells)
    return table


def run(tasks: Sequence[Task], workers: int) -> dict[tuple[str, str, int], list[Found]]:
    """Make all calls, with a progress bar."""
    found: dict[tuple[str, str, int], list[Found]] = {
        (task.law, task.votes, task.items): [] for task in tasks
    }
    bar = progress_bar("Measuring", len(tasks), show=True)
    with open_pool(workers) as pool, bar as advance:
        for task, some in pool.run(call, tasks):
            found[task.law, task.votes, task.items] += some
            if advance is not None:
                advance(1)
    return found


def make_table(found: dict[tuple[str, str, int], list[Found]]) -> Table:
    """Lay out coverage and width, a line a law, number of items and number of votes."""
    heads = ["law", "items", "votes", "truth", "low", "high", "width", "width/oracle", "holds"]
    table = Table(box=SIMPLE_HEAD)
    for head in (*heads, "low too high", "high too low"):
        table.add_column(head, no_wrap=True)
    for (name, votes, items), some in found.items():
        truth = VOTE_LAWS[name].bayes_error
        low, high, oracle = np.array([(one.low, one.high, one.oracle) for one in some]).T
        over, under = low > truth + ROUNDING, high < truth - ROUNDING
        table.add_row(
            name,
            f"{items:,}",
            votes,
            f"{truth:.4f}",
            f"{low.mean():.4f}",
            f"{high.mean():.4f}",
            f"{(high - low).mean():.4f}",
            f"{(high - low).mean() / oracle.mean():.2f}",
            f"{1 - (over | under).mean():.3f}",
            f"{over.mean():.3f}",
            f"{under.mean():.3f}",
        )
    return table


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--quick", action="store_true", help="four laws, 100 items: a minute")
    parser.add_argument("--columns", action="store_true", help="votes with columns, and alone")
    parser.add_argument("--items", type=int, nargs="+", default=None, help="default 100 1000; 500")
    parser.add_argument("--repetitions", type=int, default=200, help="samples of each kind")
    parser.add_argument("--seed", type=int, default=2018, help="default 2018")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args()
    sizes = options.items or ([100] if options.quick else [100, 1000])
    if min(sizes) < 2 or options.repetitions < 1 or options.seed < 0 or options.workers < 1:
        parser.error("needs at least 2 items, 1 repetition, 1 worker and a seed of 0 or more")
    console = Console(highlight=False)
    if not console.is_terminal:
        console = Console(highlight=False, width=PIPED_WIDTH)
    if options.columns:
        console.print(compare_with_columns(options))
        return 0
    seeds = range(options.seed, options.seed + options.repetitions)
    tasks = [
        Task(law, votes, items, tuple(seeds[start : start + 20]))
        for law in (QUICK if options.quick else VOTE_LAWS)
        for items in sizes
        for votes in VOTES
        for start in range(0, len(seeds), 20)
    ]
    found = run(tasks, options.workers)
    console.print(make_table(found))
    truths = {key: VOTE_LAWS[key[0]].bayes_error for key in found}
    holds = [
        np.mean([one.low - ROUNDING <= truths[key] <= one.high + ROUNDING for one in some])
        for key, some in found.items()
    ]
    console.print(f"holds: mean {np.mean(holds):.3f}, worst {min(holds):.3f}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
