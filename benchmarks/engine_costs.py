"""Time the neighbour engines on this machine, and fit the costs by which one is chosen.

Every engine searches samples of several sizes, columns and ranks, on one core. The coefficients of
`bayesfloor.neighbours.engine_costs` are fitted to these times by least squares of relative errors,
none of them negative. Printed are the coefficients in use, those fitted and their ratio; then, for
either, how often the engine that is chosen was the fastest, and how much longer it took on average.
Ratios far from 1 that are alike do not change the choice. A coefficient is fitted as 0 where its
part of the time does not show in these samples. The last columns of a sample are a linear function
of the first, so that its intrinsic dimension, and with it the work of a tree, is that of the first.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.optimize import nnls
from threadpoolctl import threadpool_limits

from bayesfloor.base.arrays import Floats
from bayesfloor.base.executor import ONE_THREAD
from bayesfloor.curve.measurement import make_survey
from bayesfloor.estimators.method import curve_ranks
from bayesfloor.neighbours import ENGINES, Effort, SearchTask, rank_sums
from bayesfloor.neighbours.engine_choice import fastest_compiled, fastest_plain, make_engine
from bayesfloor.neighbours.engine_costs import (
    MEASURED_COSTS,
    EngineCosts,
    blocks_row_seconds,
    few_row_seconds,
    numpy_seconds,
    scipy_seconds,
)
from bayesfloor.neighbours.engines.tree import TreeSums
from bayesfloor.sample.gate import make_sample

SIZES, QUICK_SIZES = (1000, 4000, 12_000), (600, 2000)
"""Points of the samples."""
COLUMNS, QUICK_COLUMNS = ((2, 2), (4, 4), (8, 8), (20, 20), (20, 3), (60, 60)), ((2, 2), (12, 3))
"""Columns of the samples, and their intrinsic dimensions."""
RANK_SHARES = (1.0, 0.3)
"""Ranks that are searched, as a share of those of a rank curve."""
PROBES = 200
"""Rows whose visits to leaves are counted."""
PIPED_WIDTH = 120

Part = tuple[str, ...]
"""Coefficients that are fitted together."""


@dataclass(frozen=True, slots=True)
class Workload:
    """A sample to search."""

    points: int
    columns: int
    inner: int  # intrinsic dimension
    ranks: int


@dataclass(frozen=True, slots=True, eq=False)
class Timing:
    """The seconds that engines took for a sample, and what its tree was like."""

    task: SearchTask
    seconds: Mapping[str, float]
    build: float  # seconds to build the tree
    leaves: float  # that a row visits


def make_task(workload: Workload) -> SearchTask:
    """Draw two shifted normal classes and say what to average over their neighbours."""
    n, d, inner = workload.points, workload.columns, workload.inner
    rng = np.random.default_rng([n, d, inner])
    labels = np.arange(n) % 2
    points = rng.normal(size=(n, inner))
    points[:, 0] += 2 * labels
    if inner < d:
        points = np.hstack([points, points @ rng.normal(size=(inner, d - inner))])
    return make_survey(make_sample(points, labels), workload.ranks).task


def seconds_of(work: Callable[[], object], runs: int) -> float:
    """Return the shortest processor time of some runs, which other processes hardly change."""
    found = []
    for _ in range(runs):
        start = time.process_time()
        work()
        found.append(time.process_time() - start)
    return min(found)


def predicted_seconds(task: SearchTask) -> dict[str, float]:
    """Return how long engines should take, by the costs in use; a tree is always worth a trial."""
    (u, d), costs = task.points.shape, MEASURED_COSTS
    few = replace(costs, few_points=u)
    return {
        "blocks": u * blocks_row_seconds(costs, u, d),
        "few": u * few_row_seconds(few, u, d, task.ranks),
        "scipy": scipy_seconds(costs, u, d, task.ranks),
        "numpy": numpy_seconds(costs, u, d),
    }


def time_engines(workload: Workload, runs: int, most: float) -> Timing:
    """Time the engines that should take no more than `most` seconds."""
    task = make_task(workload)
    predicted = predicted_seconds(task)
    seconds = {
        name: seconds_of(lambda: rank_sums(task, Effort(name, ONE_THREAD)), runs)  # noqa: B023
        for name in ENGINES
        if predicted.get(name, 0.0) <= most
    }
    build = seconds_of(lambda: make_engine(task, "tree", ONE_THREAD), runs)
    return Timing(task, seconds, build, TreeSums(task, ONE_THREAD).leaves_visited(PROBES))


def features(timing: Timing) -> dict[Part, tuple[list[float], float]]:
    """Return what the coefficients are multiplied by, and the seconds that it should add up to."""
    (u, d), ranks, seconds = timing.task.points.shape, timing.task.ranks, timing.seconds
    leaves, found = u * timing.leaves, dict[Part, tuple[list[float], float]]()
    if "scipy" in seconds and d <= MEASURED_COSTS.scipy_columns:
        found[("scipy_rank_column",)] = [u * (1 + d) * min(ranks, u)], seconds["scipy"]
    if "numpy" in seconds:
        found["numpy_pair", "numpy_pair_column"] = [u * u, u * u * d], seconds["numpy"]
    if "blocks" in seconds:
        names = "blocks_row", "blocks_pair", "blocks_pair_column"
        found[names] = [u, u * u, u * u * d], seconds["blocks"]
    if "few" in seconds and u <= MEASURED_COSTS.few_points:
        names = "few_rank", "few_pair", "few_pair_column"
        found[names] = [u * ranks, u * u, u * u * d], seconds["few"]
    names = "tree_rank", "tree_leaf", "tree_leaf_column"
    rest = max(seconds["tree"] - timing.build, 1e-9)
    found[names] = [u * ranks, leaves, leaves * d], rest
    found["tree_build", "tree_build_point"] = [1.0, u], timing.build
    return found


def fit_costs(timings: list[Timing]) -> EngineCosts:
    """Fit the coefficients to the times, by nonnegative least squares of relative errors."""
    rows: dict[Part, list[Floats]] = {}
    for timing in timings:
        for names, (values, seconds) in features(timing).items():
            rows.setdefault(names, []).append(np.array(values) / seconds)
    fitted: dict[str, float] = {}
    for names, equations in rows.items():
        matrix = np.array(equations)
        scale = np.abs(matrix).max(axis=0)  # or nnls takes small numbers for zero
        found = nnls(matrix / scale, np.ones(len(matrix)))[0] / scale
        fitted |= dict(zip(names, found.tolist(), strict=True))
    return replace(MEASURED_COSTS, **fitted)  # type: ignore[arg-type]


def lost_time(timings: list[Timing], costs: EngineCosts, *, compiled: bool) -> Floats:
    """Return the time of the engine that is chosen over that of the fastest, less 1."""
    names = [name for name, spec in ENGINES.items() if spec.compiled == compiled]
    lost = []
    for timing in timings:
        known = {name: timing.seconds[name] for name in names if name in timing.seconds}
        chosen = _chosen(timing.task, costs, compiled=compiled)
        if chosen in known and len(known) > 1:
            lost.append(known[chosen] / min(known.values()) - 1)
    return np.array(lost)


def _chosen(task: SearchTask, costs: EngineCosts, *, compiled: bool) -> str:
    """Return the name of the engine that is chosen among those that are compiled, or the others."""
    if not compiled:
        spec = fastest_plain(task, costs)[1]
        return next(name for name, other in ENGINES.items() if other is spec)
    found = type(fastest_compiled(task, ONE_THREAD, costs))
    built = ((name, ENGINES[name].build(task, ONE_THREAD)) for name in ENGINES)
    return next(name for name, engine in built if type(engine) is found)


def show_costs(console: Console, fitted: EngineCosts) -> None:
    """Print the coefficients in use and those fitted."""
    table = Table(box=SIMPLE_HEAD, title="Costs, seconds on one core", title_justify="left")
    table.add_column("cost")
    for head in ("in use", "fitted", "ratio"):
        table.add_column(head, justify="right")
    for name in EngineCosts.__dataclass_fields__:
        if name in ("patience", "compiling", "few_points", "scipy_columns"):
            continue
        old, new = getattr(MEASURED_COSTS, name), getattr(fitted, name)
        table.add_row(name, f"{old:.2g}", f"{new:.2g}", f"{new / old:.2f}")
    console.print(table)


def show_choice(console: Console, timings: list[Timing], fitted: EngineCosts) -> None:
    """Print how often the fastest engine is chosen, and how much time is lost otherwise."""
    table = Table(box=SIMPLE_HEAD, title="Choice of engine", title_justify="left")
    for head in ("among", "by costs", "samples", "fastest chosen", "mean time lost", "most"):
        table.add_column(head, justify="left" if head in ("among", "by costs") else "right")
    for compiled, among in ((True, "compiled engines"), (False, "plain engines")):
        for costs, which in ((MEASURED_COSTS, "in use"), (fitted, "fitted")):
            lost = lost_time(timings, costs, compiled=compiled)
            if len(lost):
                shares = (lost == 0).mean(), lost.mean(), lost.max()
                cells = [f"{100 * share:.0f} %" for share in shares]
                table.add_row(among, which, f"{len(lost)}", *cells)
    console.print(table)


def make_workloads(*, quick: bool) -> list[Workload]:
    """Return the samples to search."""
    sizes, columns = (QUICK_SIZES, QUICK_COLUMNS) if quick else (SIZES, COLUMNS)
    return [
        Workload(n, d, inner, max(1, int(share * curve_ranks(n))))
        for n in sizes
        for d, inner in columns
        for share in RANK_SHARES
    ]


def main() -> None:
    """Time the engines, fit their costs, and print both tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="few small samples, some seconds")
    parser.add_argument("--runs", type=int, default=2, help="the shortest of which counts")
    parser.add_argument("--most", type=float, default=1.0, help="seconds an engine may take")
    options = parser.parse_args()
    console, progress = Console(), Console(stderr=True)
    if not console.is_terminal:
        console = Console(width=PIPED_WIDTH)
    workloads = make_workloads(quick=options.quick)
    with threadpool_limits(1):
        for name in ENGINES:  # compiled or loaded
            rank_sums(make_task(workloads[0]), Effort(name, ONE_THREAD))
        shown = track(
            workloads, "Timing", console=progress, transient=True, disable=not progress.is_terminal
        )
        timings = [time_engines(workload, options.runs, options.most) for workload in shown]
        fitted = fit_costs(timings)
        show_costs(console, fitted)
        show_choice(console, timings, fitted)


if __name__ == "__main__":
    main()
