"""Time neighbour search, whole calls and spanning trees against peers, in one run, as ratios.

Every row runs in a process of its own, so that its peak memory is its own; all that is compiled or
loaded once is called before. Peers that are not installed are left out (``pip install --group
speed``). Their queries are timed on `--queries` of the points where there are more, drawn at
random, and scaled up; building their index counts in full. Ratios above 1 mean that bayesfloor is
faster, but for the matrix product and the spanning trees, where its time is divided by theirs.
"""

from __future__ import annotations

import argparse
import multiprocessing
import resource
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib.util import find_spec
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track
from rich.table import Table
from scipy.spatial import cKDTree

from bayesfloor import bayes_error
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.curve.measurement import make_survey
from bayesfloor.estimators.method import curve_ranks
from bayesfloor.neighbours import Effort, rank_sums
from bayesfloor.neighbours.spanning_tree import spanning_edges
from bayesfloor.sample.gate import make_sample

WORKLOADS = [
    (10_000, 2),
    (10_000, 20),
    (10_000, 100),
    (40_000, 2),
    (40_000, 100),
    (100_000, 3),
    (100_000, 20),
    (200_000, 2),
    (200_000, 3),
    (200_000, 5),
    (200_000, 8),
    (1_000_000, 2),
    (1_000_000, 3),
]
GROWTH = ((100_000, 3), (1_000_000, 3))
"""Workloads whose times are compared."""
MANY_COLUMNS = 20
"""From here on a peer's tree is no better than brute force: fewer queries are timed."""
TREES = [(10_000, 2), (10_000, 8), (100_000, 2), (100_000, 3), (100_000, 5), (1_000_000, 3)]
FIRST_CALLS = [(500, 30), (5_000, 5), (20_000, 10), (100_000, 10)]
"""Workloads of a user who changes nothing."""
Row = list[str]


def make_data(n: int, d: int) -> tuple[Floats, Ints]:
    """Draw two shifted normal classes of n points in all."""
    rng = np.random.default_rng([n, d])
    labels = np.arange(n) % 2
    points = rng.normal(size=(n, d))
    points[:, 0] += 2 * labels
    return points, labels


def seconds_of(work: Callable[[], object], runs: int = 1) -> float:
    """Return the shortest time of some runs."""
    found = []
    for _ in range(runs):
        start = time.perf_counter()
        work()
        found.append(time.perf_counter() - start)
    return min(found)


def peak_megabytes() -> float:
    """Return the most memory the process has held so far."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def query_seconds(
    points: Floats, most: int, build: Callable[[], Callable[[Floats], object]]
) -> float:
    """Time building an index, and the queries of all points from those of some."""
    start = time.perf_counter()
    query = build()
    built = time.perf_counter() - start
    asked = np.random.default_rng(0).permutation(points)[:most]
    return built + seconds_of(lambda: query(asked)) * len(points) / len(asked)


def scipy_index(points: Floats, k: int) -> Callable[[Floats], object]:
    """Build SciPy's tree; it is queried on all cores."""
    tree = cKDTree(points)
    return lambda asked: tree.query(asked, k=k + 1, workers=-1)


def sklearn_index(points: Floats, k: int) -> Callable[[Floats], object]:
    """Build scikit-learn's index; it is queried on all cores."""
    from sklearn.neighbors import NearestNeighbors

    index = NearestNeighbors(n_neighbors=k + 1, n_jobs=-1).fit(points)
    return index.kneighbors


def faiss_index(points: Floats, k: int) -> Callable[[Floats], object]:
    """Build the flat index of faiss, which is brute force in single precision."""
    import faiss

    index = faiss.IndexFlatL2(points.shape[1])
    index.add(points.astype(np.float32))
    return lambda asked: index.search(asked.astype(np.float32), k + 1)


def product_seconds(points: Floats) -> float:
    """Time the product of all points with all points in single precision, a block at a time."""
    single = points.astype(np.float32)

    def multiply() -> None:
        for a in range(0, len(single), 1024):
            single[a : a + 1024] @ single.T

    return seconds_of(multiply)


def search_row(task: tuple[int, int, int, int]) -> Row:
    """Time one workload against the peers."""
    n, d, most, runs = task
    k = curve_ranks(n)
    bayes_error(*make_data(60_000, min(d, 3)), representation="raw", engine="tree")
    rank_sums(make_survey(make_sample(*make_data(2000, d)), 50).task, Effort(engine="blocks"))
    points, labels = make_data(n, d)
    before = peak_megabytes()
    call = seconds_of(lambda: bayes_error(points, labels, representation="raw"), runs)
    memory = peak_megabytes() - before
    search = make_survey(make_sample(points, labels), k).task
    curve = seconds_of(lambda: rank_sums(search, Effort()), runs)
    few = max(100, most // 10)
    asked = few if d >= MANY_COLUMNS else most
    bare = query_seconds(points, asked, lambda: scipy_index(points, k))
    sklearn = query_seconds(points, few, lambda: sklearn_index(points, k))
    faiss = (
        f"{query_seconds(points, few, lambda: faiss_index(points, k)) / call:.1f}"
        if find_spec("faiss")
        else "-"
    )
    product = f"{call / product_seconds(points):.2f}" if d >= MANY_COLUMNS else "-"
    times = [f"{seconds:.2f}" for seconds in (curve, call, bare)]
    ratios = [f"{bare / curve:.1f}", f"{bare / call:.1f}", f"{sklearn / call:.1f}", faiss, product]
    return [f"{n:,}", f"{d}", f"{k}", *times, *ratios, f"{memory:.0f}"]


def tree_row(task: tuple[int, int, int, int]) -> Row:
    """Time one minimum spanning tree against the peers."""
    n, d, _, runs = task
    points, small = make_data(n, d)[0], make_data(6000, d)[0]
    peers: dict[str, Callable[[Floats], object]] = {}
    if find_spec("quitefastmst"):
        import quitefastmst

        peers["quitefastmst"] = quitefastmst.mst_euclid
    if find_spec("fast_hdbscan"):
        from fast_hdbscan.hdbscan import compute_minimum_spanning_tree

        peers["fast_hdbscan"] = lambda x: compute_minimum_spanning_tree(x, min_samples=1)
    spanning_edges(small)
    ours = seconds_of(lambda: spanning_edges(points), runs)
    ratios = []
    for name in ("quitefastmst", "fast_hdbscan"):
        if name not in peers:
            ratios.append("-")
            continue
        peers[name](small)
        ratios.append(f"{ours / seconds_of(lambda: peers[name](points), runs):.2f}")  # noqa: B023
    return [f"{n:,}", f"{d}", f"{ours:.2f}", *ratios]


def dataeval_row(task: tuple[int, int, int, int]) -> Row:
    """Time DataEval's estimates of the Bayes error, if it is installed."""
    n, d, _, runs = task
    points, labels = make_data(n, d)
    bayes_error(*make_data(60_000, 2), representation="raw")
    ours = seconds_of(lambda: bayes_error(points, labels, representation="raw"), runs)
    row = [f"{n:,}", f"{d}", f"{ours:.2f}"]
    if not find_spec("dataeval"):
        return [*row, "not installed", "not installed"]
    from dataeval.core import ber_knn, ber_mst

    few = slice(2000)
    ber_mst(points[few], labels[few])  # compiled
    ber_knn(points[few], labels[few], 1)
    peers = (lambda: ber_mst(points, labels), lambda: ber_knn(points, labels, 1))
    return [*row, *(f"{seconds_of(peer, runs) / ours:.2f}" for peer in peers)]


def small_row(task: tuple[int, int, int, int]) -> Row:
    """Time a call on the breast cancer data against scikit-learn's leave-one-out 1-NN query.

    The process is warm: compiled code has been used. A call before it was is timed too.
    """
    from sklearn.datasets import load_breast_cancer
    from sklearn.neighbors import NearestNeighbors
    from sklearn.preprocessing import scale

    X, y = load_breast_cancer(return_X_y=True)
    X, runs, ranks = scale(X), 20 * task[3], curve_ranks(len(X))

    def ours() -> object:
        return bayes_error(X, y, representation="raw")

    def peer(k: int) -> Callable[[], object]:
        return lambda: NearestNeighbors(n_neighbors=k).fit(X).kneighbors()

    before, _ = in_turn(ours, peer(1), runs=runs)
    bayes_error(*make_data(60_000, 3), representation="raw", engine="tree")
    call, one, several = in_turn(ours, peer(1), peer(ranks), runs=runs)
    times = [f"{1000 * seconds:.1f}" for seconds in (call, one, several, before)]
    ratios = [f"{call / one:.2f}", f"{call / several:.2f}", f"{before / one:.2f}"]
    return [f"{ranks}", *times, *ratios]


def in_turn(*works: Callable[[], object], runs: int) -> list[float]:
    """Return the shortest time of each of some short works, which take turns of ten runs."""
    found = [[seconds_of(work, 10) for work in works] for _ in range(runs)]
    return [min(times) for times in zip(*found, strict=True)]


def copies_row(task: tuple[int, int, int, int]) -> Row:
    """Time a call on points that are all different, or equal in part, or tied on a grid."""
    n, d, _, runs = task
    points, labels = make_data(n, d)
    bayes_error(*make_data(60_000, d), representation="raw", engine="tree")
    one, some = points.copy(), points.copy()
    one[0] = one[-1]
    some[: n // 30] = some[-(n // 30) :]
    kinds = (points, one, some, np.round(8 * points))
    apart, *others = (
        seconds_of(lambda: bayes_error(x, labels, representation="raw"), runs)  # noqa: B023
        for x in kinds
    )
    return [f"{n:,}", f"{d}", f"{apart:.2f}", *(f"{seconds / apart:.2f}" for seconds in others)]


def first_row(task: tuple[int, int, int, int]) -> Row:
    """Time the first call of a process, as a user makes it, and training a classifier instead."""
    n, d, _, runs = task
    points, labels = make_data(n, d)
    first = seconds_of(lambda: bayes_error(points, labels))
    later = seconds_of(lambda: bayes_error(points, labels), runs)
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.model_selection import cross_val_score

    peer = HistGradientBoostingClassifier()
    cross = seconds_of(lambda: cross_val_score(peer, points, labels, cv=5), runs)
    return [f"{n:,}", f"{d}", *(f"{s:.2f}" for s in (first, later, cross)), f"{later / cross:.2f}"]


def tolerance_row(task: tuple[int, int, int, int]) -> Row:
    """Time a call with a tolerance; tell whether its interval holds that of the call without."""
    n, d, _, runs = task
    points, labels = make_data(n, d)
    bayes_error(*make_data(60_000, 3), representation="raw", engine="tree")
    short = seconds_of(lambda: bayes_error(points, labels, tolerance=0.005), runs)
    some = bayes_error(points, labels, tolerance=0.005).interval
    start = time.perf_counter()
    whole = bayes_error(points, labels).interval
    full = time.perf_counter() - start
    intervals = [f"{low:.4f} to {high:.4f}" for low, high in (some, whole)]
    holds = "yes" if some[0] <= whole[0] and whole[1] <= some[1] else "no"
    return [f"{n:,}", f"{short:.2f}", f"{full:.2f}", f"{short / full:.3f}", *intervals, holds]


def alone(work: Callable[[Any], Row], task: object) -> Row:
    """Run some work in a process of its own."""
    with ProcessPoolExecutor(1, multiprocessing.get_context("spawn")) as pool:
        return pool.submit(work, task).result()


def show(
    console: Console,
    title: str,
    heads: Sequence[str],
    work: Callable[[Any], Row],
    tasks: Sequence[object],
) -> list[Row]:
    """Print one table, its rows on standard error as they are made, and return them."""
    if not tasks:
        return []
    table, rows, progress = (
        Table(*heads, title=title, title_justify="left"),
        [],
        Console(stderr=True),
    )
    for task in track(tasks, description=title, console=progress, transient=True):
        rows.append(alone(work, task))
        progress.print(*rows[-1])
        table.add_row(*rows[-1])
    console.print(table)
    return rows


def show_growth(console: Console, tasks: Sequence[tuple[int, ...]], rows: list[Row]) -> None:
    """Print how the time of a call grows with the points."""
    calls = {task[:2]: float(row[4]) for task, row in zip(tasks, rows, strict=True)}
    if all(workload in calls for workload in GROWTH):
        (few, d), (many, _) = GROWTH
        ratio = calls[GROWTH[1]] / calls[GROWTH[0]]
        console.print(f"From {few:,} to {many:,} points in d = {d} a call takes {ratio:.1f} times.")


def main() -> None:
    """Print the tables."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=5_000_000, help="points of the largest sample")
    parser.add_argument("--queries", type=int, default=20_000, help="of a peer, scaled up")
    parser.add_argument("--runs", type=int, default=2, help="the best of which counts")
    options = parser.parse_args()
    rest, console = (options.queries, options.runs), Console(width=160)
    ours = [(n, d, *rest) for n, d in WORKLOADS if n <= options.most]
    heads = "points columns ranks curve,s call,s cKDTree,s cKDTree/curve cKDTree/call sklearn/call"
    heads += " faiss/call call/sgemm peak,MB"
    title = "Neighbours: the rank curve, and a whole call"
    show_growth(console, ours, show(console, title, heads.split(), search_row, ours))
    trees = [(n, d, *rest) for n, d in TREES if n <= options.most]
    heads = "points columns tree,s tree/quitefastmst tree/fast_hdbscan"
    show(console, "Minimum spanning tree", heads.split(), tree_row, trees)
    heads = "points columns call,s ber_mst/call ber_knn/call"
    if options.most >= 40_000:
        sizes = [(10_000, 2, *rest), (40_000, 2, *rest)]
        show(console, "DataEval", heads.split(), dataeval_row, sizes)
    heads = "k call,ms 1-NN,ms k-NN,ms before,ms call/1-NN call/k-NN before/1-NN"
    show(
        console,
        "569 x 30, warm, against scikit-learn's query of one neighbour, and of as many as we rank",
        heads.split(),
        small_row,
        [(569, 30, *rest)],
    )
    heads = "points columns apart,s one_copy/apart copies/apart grid/apart"
    copies = [(100_000, d, *rest) for d in (2, 3) if options.most >= 100_000]
    show(console, "Equal rows: two, or 3 %, or all on a grid", heads.split(), copies_row, copies)
    firsts = [(n, d, *rest) for n, d in FIRST_CALLS if n <= options.most]
    heads = "points columns first,s later,s boosting,s later/boosting"
    title = "The default, against 5-fold cross-validation of boosted trees"
    show(console, title, heads.split(), first_row, firsts)
    if options.most >= 5_000_000:
        heads = "points tolerance,s full,s ratio interval full_interval holds_it"
        show(console, "tolerance=0.005", heads.split(), tolerance_row, [(5_000_000, 3, *rest)])


if __name__ == "__main__":
    main()
