"""Measure how fast bayesfloor is beside its peers, and compare with the ratios that were kept last.

A ratio is the time of the peer over ours, both in this run: larger is faster. Both take turns, and
the shortest time of each counts, so that other work on the machine hits both; of processes of their
own, the processor time. A ratio that has fallen by a third is measured again before it counts, and
one above five counts as five: it wobbles with a time too short to matter. With --keep the ratios
are added to the file:

    python benchmarks/ratios.py --keep
"""

from __future__ import annotations

import argparse
import datetime
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import polars as pl
from rich.console import Console
from rich.table import Table
from scipy.spatial import cKDTree
from sklearn.datasets import load_breast_cancer
from sklearn.ensemble import HistGradientBoostingClassifier
from sklearn.model_selection import cross_val_predict
from sklearn.neighbors import NearestNeighbors
from sklearn.preprocessing import scale
from threadpoolctl import threadpool_limits

import bayesfloor as bf
from bayesfloor.curve.measurement import make_survey
from bayesfloor.estimators.method import curve_ranks
from bayesfloor.neighbours import Effort, rank_sums
from bayesfloor.neighbours.spanning_tree import spanning_edges
from bayesfloor.sample.gate import make_sample
from reading import write_table
from speed import make_data, seconds_of
from startup import LIBRARIES

KEPT = Path(__file__).parent / "results" / "ratios.json"
"""Ratios of one release after another, the last one last."""
LEAST = 2 / 3
"""Share of the last ratio below which a ratio has fallen: by a third."""
ENOUGH = 5.0
"""Ratio above which a ratio may fall as it likes. A judgement: a third below it, help takes 0.45 s
where the import of scikit-learn and polars takes 1.5, and 0.4 s are its goal."""
TRIES = 5
"""Times that a ratio which has fallen is measured in all."""
Work = Callable[[], object]
Ratios = dict[str, float]


@dataclass(frozen=True, slots=True)
class Race:
    """Our work and a peer's, and how many times each is run."""

    ours: Work
    peer: Work
    rounds: int = 5
    seconds: Callable[[Work], float] = seconds_of


def search_race(n: int, d: int, peer: Callable[[Any, int], object]) -> Race:
    """Return the sums over as many neighbours as a call ranks, and a search for as many."""
    (points, labels), k = make_data(n, d), curve_ranks(n)
    task = make_survey(make_sample(points, labels), k).task
    return Race(lambda: rank_sums(task, Effort()), lambda: peer(points, k), 3)


def tree_query(points: Any, k: int) -> object:
    """Search neighbours by SciPy's tree."""
    return cKDTree(points).query(points, k=k + 1, workers=-1)


def brute_query(points: Any, k: int) -> object:
    """Search neighbours by scikit-learn's matrix products."""
    return NearestNeighbors(n_neighbors=k, algorithm="brute").fit(points).kneighbors()


def call_race() -> Race:
    """Return a whole call on a small real table, and the held-out predictions of boosted trees.

    The trees grow on one thread: for so few rows several are not faster, and where other work
    keeps the cores busy they wait for each other fifty times as long.
    """
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)

    def peer() -> None:
        with threadpool_limits(limits=1, user_api="openmp"):
            cross_val_predict(HistGradientBoostingClassifier(), X, y, cv=5)

    return Race(lambda: bf.bayes_error(X, y), peer, 3)


def reading_race(folder: Path) -> Race:
    """Return reading a table up to its numbers, and polars' reading of it."""
    path = folder / "table.csv"
    write_table(path, 200_000)
    return Race(lambda: bf.read_table(path, label=-1), lambda: pl.read_csv(path), 10)


def start_race() -> Race:
    """Return the command's help, and the start of the packages that a run needs."""
    return Race(
        lambda: _python("-m", "bayesfloor", "--help"),
        lambda: _python("-c", LIBRARIES),
        seconds=_children_seconds,
    )


def _python(*options: str) -> None:
    """Run Python in a process of its own."""
    subprocess.run([sys.executable, *options], check=True, stdout=subprocess.DEVNULL)


def _children_seconds(work: Work) -> float:
    """Return the processor time of the processes that a work starts."""
    before = os.times()
    work()
    after = os.times()
    children = after.children_user + after.children_system
    return children - before.children_user - before.children_system


def races(folder: Path) -> Iterator[tuple[str, Race]]:
    """Make all races, one after the other."""
    yield "neighbours, 60,000 x 3, cKDTree", search_race(60_000, 3, tree_query)
    yield "neighbours, 4,000 x 50, sklearn", search_race(4_000, 50, brute_query)
    points = make_data(20_000, 2)[0]
    tree = Race(lambda: spanning_edges(points), lambda: tree_query(points, 10))
    yield "spanning tree, 20,000 x 2, cKDTree", tree
    yield "call, 569 x 30, boosted trees", call_race()
    yield "read_table, 200,000 rows, polars", reading_race(folder)
    yield "--help, import of sklearn and polars", start_race()


def ratio_of(race: Race, wanted: float) -> float:
    """Return the ratio of a race, measured again while it is below the wanted one."""
    race.ours(), race.peer()  # compiled and loaded
    best = [float("inf"), float("inf")]
    for _ in range(TRIES):
        for _ in range(race.rounds):
            times = race.seconds(race.ours), race.seconds(race.peer)
            best = [min(pair) for pair in zip(best, times, strict=True)]
        if best[1] / best[0] >= wanted:
            break
    return best[1] / best[0]


def least_wanted(name: str, last: Mapping[str, float]) -> float:
    """Return what a ratio has to reach: a third below the last one, or below what is enough."""
    return LEAST * min(last.get(name, 0), ENOUGH)


def fallen(ratios: Mapping[str, float], last: Mapping[str, float]) -> list[str]:
    """Return the names of ratios that are a third below the last ones."""
    return [name for name, ratio in ratios.items() if ratio < least_wanted(name, last)]


def read_kept(path: Path) -> list[dict[str, Any]]:
    """Return what was kept, the last one last."""
    return json.loads(path.read_text(encoding="utf-8")) if path.exists() else []


def keep(path: Path, ratios: Ratios) -> None:
    """Add ratios to the file."""
    today = datetime.datetime.now(datetime.UTC).date().isoformat()
    rounded = {name: round(ratio, 2) for name, ratio in ratios.items()}
    entry = {"date": today, "version": bf.__version__, "ratios": rounded}
    text = json.dumps([*read_kept(path), entry], indent=2) + "\n"
    path.write_text(text, encoding="utf-8")


def show(ratios: Ratios, last: Ratios) -> None:
    """Print the ratios beside the last ones."""
    table = Table("ours, and the peer", "last ratio", "ratio", "")
    for name, ratio in ratios.items():
        before = f"{last[name]:.2f}" if name in last else "-"
        table.add_row(name, before, f"{ratio:.2f}", *(["fallen"] * (name in fallen(ratios, last))))
    Console(width=100).print(table)


def main(make_races: Callable[[Path], Iterable[tuple[str, Race]]] = races) -> int:
    """Print the ratios, and return 1 if one has fallen by a third."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--keep", action="store_true", help="add the ratios to the file")
    parser.add_argument("--only", default="", help="part of a name")
    parser.add_argument("--kept", type=Path, default=KEPT, help="file of ratios")
    options = parser.parse_args()
    kept = read_kept(options.kept)
    last: Ratios = kept[-1]["ratios"] if kept else {}
    with tempfile.TemporaryDirectory() as folder:
        ratios = {
            name: ratio_of(race, least_wanted(name, last))
            for name, race in make_races(Path(folder))
            if options.only in name
        }
    show(ratios, last)
    if options.keep:
        keep(options.kept, ratios)
    return 1 if fallen(ratios, last) and not options.keep else 0


if __name__ == "__main__":
    sys.exit(main())
