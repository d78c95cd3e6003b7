"""Measure how often intervals hold the Bayes error on new groups, with and without groups.

Every sample is a panel, a population of groups whose Bayes error on new groups is known exactly.
Printed is how often the 95 % interval holds it, with ``groups=`` and without, and the median width
of the first over that of an oracle, who tests the best rule on the same rows, with their groups.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.table import Table

from bayesfloor import bayes_error
from bayesfloor.base.clustered_noise import critical_value, mean_error
from bayesfloor.truth.panels import PANELS
from studies import run_study

SIZES = (20, 100, 400)
"""Groups of a panel."""
PIPED_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Task:
    """One panel to draw."""

    panel: str
    groups: int
    seed: np.random.SeedSequence


def make_tasks(sizes: Sequence[int], repetitions: int, seed: int) -> list[Task]:
    """Return the repetitions of every panel and size."""
    tasks = []
    for name in PANELS:
        for groups in sizes:
            key = crc32(f"{name} {groups}".encode())
            children = np.random.SeedSequence([seed, key]).spawn(repetitions)
            tasks += [Task(name, groups, child) for child in children]
    return tasks


def measure(task: Task) -> tuple[bool, bool, float]:
    """Draw a panel; tell whether the intervals hold the truth, and how wide the first one is."""
    panel, rng = PANELS[task.panel], np.random.default_rng(task.seed)
    points, labels, groups = panel.draw(task.groups, rng)
    with_groups = bayes_error(points, labels, groups=groups, workers=1)
    without = bayes_error(points, labels, workers=1)
    truth = panel.bayes_error
    low, high = with_groups.interval
    wrong = ((points[:, 0] > 0) != labels).astype(np.float64)
    oracle = 2 * critical_value(0.95, groups) * mean_error(wrong, groups)
    holds = [one.interval[0] <= truth <= one.interval[1] for one in (with_groups, without)]
    return holds[0], holds[1], (high - low) / oracle


def make_table(found: dict[tuple[str, int], list[tuple[bool, bool, float]]]) -> Table:
    """Lay out the shares that hold and the widths: a line for each panel and size."""
    table = Table(box=SIMPLE_HEAD)
    table.add_column("panel", no_wrap=True)
    for name in ("groups", "truth", "with groups", "without", "width over the oracle's"):
        table.add_column(name, justify="right")
    for (name, groups), some in found.items():
        holds, without, width = np.array(some, dtype=np.float64).T
        table.add_row(
            name,
            str(groups),
            f"{PANELS[name].bayes_error:.3f}",
            f"{holds.mean():.3f}",
            f"{without.mean():.3f}",
            f"{np.median(width):.2f}",
        )
    return table


def kind_of(task: Task) -> tuple[str, int]:
    """Return what a sample belongs to: a panel and its size."""
    return task.panel, task.groups


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--repetitions", type=int, default=200, help="panels of each kind")
    parser.add_argument("--groups", type=int, nargs="+", default=list(SIZES), help="of a panel")
    parser.add_argument("--quick", action="store_true", help="10 repetitions of up to 100 groups")
    parser.add_argument("--seed", type=int, default=2018, help="default 2018")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    options = parser.parse_args()
    if min(options.groups) < 6 or options.repetitions < 1 or options.workers < 1:
        parser.error("give at least 6 groups, 1 repetition and 1 worker")
    sizes = [groups for groups in options.groups if not options.quick or groups <= 100]
    tasks = make_tasks(sizes, 10 if options.quick else options.repetitions, options.seed)
    return run_study(
        measure, tasks, kind_of, make_table, workers=options.workers, piped_width=PIPED_WIDTH
    )


if __name__ == "__main__":
    sys.exit(main())
