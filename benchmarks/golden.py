"""Write down every number of many runs, and compare them with those of another version, bit by bit.

For changes that must not change any result. `write FILE` runs everything and keeps the numbers, in
about four minutes of processor time; `compare FILE` runs it again and names the first number of
each run that differs. The runs are every method on samples of all populations, every engine, large
samples, parts of the rows, a map of one's own, the demos, groups, weights, decisions and models,
votes, comparisons, rankings of columns and pairs of tables, the JSON of the command line on real
tables where these are at hand, and the data of the paper's quick figures. Texts are left out, as
words may change. Numbers belong to one machine: compare on the machine that wrote them.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console

import bayesfloor as bf
from bayesfloor.report.document import document
from bayesfloor.report.plain_values import plain

SEED = 2018
DATA = Path(__file__).parents[1] / ".." / "shared" / "data"
TABLES: dict[str, list[str]] = {
    "tables/german.csv.gz": ["--label", "20"],
    "tables/pd_titanic.csv.gz": ["--label", "survived"],
    "tables/seattle-weather.csv.gz": ["--label", "weather", "--drop", "date"],
    "tables/pd_Chile.csv.gz": ["--label", "vote", "--missing", "drop"],
    "tables/splice.csv.gz": ["--label", "Class"],
    "tables/nursery.csv.gz": ["--label", "Class"],
    "tables/penguins.csv.gz": ["--label", "species", "--missing", "impute"],
    "tables/segment.csv.gz": ["--label", "category"],
    "tables/mnist_5k.csv.gz": ["--label", "-1", "--no-header"],
    "tables/OJ.csv.gz": ["--label", "Purchase"],
    "tables/phishing.csv.gz": ["--label", "is_phishing"],
    "tables/movement_libras.csv.gz": ["--label", "Class"],
    "adult/adult-test.csv.gz": ["--label", "-1", "--missing", "impute", "--no-header"],
    "magic/magic.tsv.gz": ["--label", "-1"],
    "phoneme/phoneme.tsv.gz": ["--label", "-1", "--method", "knn"],
    "ripley_synth/synth.tr": ["--label", "-1", "--target", "0.95", "--model-error", "0.12"],
    "robot/sensor_readings_4.data": ["--label", "-1", "--no-header"],
    "robot/sensor_readings_2.data": ["--label", "-1", "--no-header", "--method", "mst"],
    "skin/Skin_NonSkin.txt.gz": ["--label", "-1", "--no-header", "--tolerance", "0.002"],
    "twonorm/twonorm.tsv.gz": ["--label", "-1", "--scale", "rank"],
}
"""Real tables that are kept beside the checkout, with the options that they are read with."""
TEXTS = {"notes", "sentence", "verdict"}
"""Fields of a document that hold words."""

Numbers = Any
"""A tree of numbers: dictionaries, lists, numbers and short names."""


def of_floor(floor: bf.Floor) -> Numbers:
    """Return every number of a floor; long arrays by a fingerprint."""
    found = {k: v for k, v in floor.to_dict().items() if k not in TEXTS}
    found["pairwise"] = floor.run.pairwise().tolist()
    rows = np.ascontiguousarray(floor.local_mismatch)
    return {**found, "local_mismatch": hashlib.sha256(rows.tobytes()).hexdigest()}


def population_runs() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Yield every method on samples of all populations."""
    for name, population in bf.populations.POPULATIONS.items():
        for sizes in ((300, 300), (60, 540)):
            x, y = population.draw(*sizes, np.random.default_rng(SEED))
            X, labels = np.concatenate([x, y]), np.repeat(["a", "b"], sizes)
            for method in ("wnn", "wnn-published", "knn", "mst"):
                yield (
                    f"{name} {sizes} {method}",
                    partial(method_run, X, labels, method),
                )


def method_run(X: Any, y: Any, method: str) -> Numbers:
    """Return a floor, or that a method refuses the sample."""
    try:
        return floor_run(X, y, method=method)
    except bf.DataError:
        return "refused"


def floor_run(X: Any, y: Any, **options: Any) -> Numbers:
    """Return the numbers of a call."""
    return of_floor(bf.bayes_error(X, y, **options))


def grid_sample(n: int, d: int, m: int) -> tuple[Any, Any]:
    """Draw points on a grid, with many ties and copies, of several classes."""
    rng = np.random.default_rng(SEED)
    X = rng.integers(0, 6, (n, d)).astype(float)
    return X, (X.sum(axis=1) + rng.integers(0, 3, n)).astype(int) % m


def normal_sample(n: int, d: int) -> tuple[Any, Any]:
    """Draw two normal classes, three halves apart."""
    rng = np.random.default_rng(SEED)
    y = rng.integers(0, 2, n)
    X = rng.standard_normal((n, d))
    X[:, 0] += 1.5 * y
    return X, y


def special_runs() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Yield engines, large samples, parts of the rows, own maps, pairs and demos."""
    samples = {"grid": grid_sample(900, 3, 3), "normal": normal_sample(3000, 4)}
    for engine in ("tree", "blocks", "few", "scipy", "numpy"):
        for name, (X, y) in samples.items():
            yield (
                f"engine {engine} {name}",
                partial(floor_run, X, y, engine=engine, representation="raw"),
            )
    for n, d in ((150_000, 3), (60_000, 2), (25_000, 12)):
        X, y = normal_sample(n, d)
        yield f"large {n} x {d}", partial(floor_run, X, y)
        for workers in (1, 3):
            yield (
                f"large {n} x {d}, {workers} workers",
                partial(floor_run, X, y, workers=workers),
            )
    X, y = normal_sample(250_000, 3)
    yield "tolerance", partial(floor_run, X, y, tolerance=0.005, random_state=3)
    few, labels = normal_sample(6000, 3)
    yield "tree of 6000", partial(floor_run, few, labels, method="mst")
    wide, classes = normal_sample(800, 30)
    yield "own map", lambda: of_floor(own_map(wide, classes))
    yield "learned", partial(floor_run, wide, classes, representation="learned")
    yield "pair", lambda: list(vars_of(bf.henze_penrose(wide[classes == 0], wide[classes == 1])))
    from sklearn import datasets

    for name in ("load_breast_cancer", "load_wine", "load_digits"):
        data = getattr(datasets, name)()
        spread = data.data.std(axis=0)
        points = data.data / (spread + (spread == 0))
        yield name, partial(floor_run, points, data.target)


def question_runs() -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Yield floors of groups, decisions, models and votes, and what compares floors or tables."""
    X, y = normal_sample(500, 3)
    rng = np.random.default_rng(SEED)
    p = 1 / (1 + np.exp(-rng.normal(1.5 * (X[:, 0] - 0.75), 0.3)))
    asked: dict[str, dict[str, Any]] = {
        "groups": {"groups": np.arange(500) // 5},
        "time": {"time": np.arange(500)},
        "weights": {"sample_weight": np.where(y == 0, 0.5, 2.0)},
        "shares": {"priors": {0: 0.1}},
        "costs": {"cost": {(0, 1): 5}},
        "rejection": {"reject": 0.2},
        "balanced": {"metric": "balanced"},
        "model": {"predictions": np.column_stack([1 - p, p])},
    }
    for name, options in asked.items():
        yield f"question {name}", partial(question_run, X, y, options)
    grid, classes = grid_sample(500, 3, 4)
    yield "question top 2", partial(question_run, grid, classes, {"top_k": 2})
    yield "question ceilings", lambda: without_texts(plain(bf.bayes_error(X, y).ceilings))
    counts = rng.multinomial(5, rng.dirichlet([0.3, 0.3, 0.3], 300))
    views = rng.normal(size=(300, 2)) + counts[:, :2]
    yield "question votes", lambda: without_texts(document(bf.bayes_error_from_votes(counts)))
    yield (
        "question votes and columns",
        lambda: without_texts(document(bf.bayes_error_from_votes(counts, X=views))),
    )
    sets = {"one": X[:, :1], "two": X[:, :2], "all": X}
    yield "question compare", lambda: without_texts(bf.compare(sets, y).to_dict())
    yield "question columns", lambda: without_texts(bf.rank_columns(X, y).to_dict())
    moved = normal_sample(400, 3)[0] + 0.2
    yield "question two samples", lambda: without_texts(bf.two_sample_test(X, moved).to_dict())


def question_run(X: Any, y: Any, options: dict[str, Any]) -> Numbers:
    """Return the document of a floor."""
    return without_texts(document(bf.bayes_error(X, y, **options)))


def own_map(X: Any, y: Any) -> bf.Floor:
    """Bound the error with a classifier of one's own."""
    from sklearn.linear_model import LogisticRegression

    return bf.bayes_error(X, y, representation=LogisticRegression())


def vars_of(found: bf.Divergence) -> Iterator[float]:
    """Yield the numbers of a divergence."""
    yield from (found.value, found.se, *found.interval)


def table_runs(data: Path) -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Yield the command line's JSON on real tables."""
    for name, options in TABLES.items():
        if (data / name).exists():
            yield name, partial(printed_document, data / name, options)


def printed_document(path: Path, options: list[str]) -> Numbers:
    """Return the numbers of the JSON document, or the code with which the command ends."""
    command = [sys.executable, "-c", MAIN]
    run = subprocess.run(
        [*command, "estimate", str(path), *options, "--json"],
        capture_output=True,
        text=True,
        check=False,
    )
    return without_texts(json.loads(run.stdout)) if run.returncode == 0 else run.returncode


MAIN = (
    "from importlib.metadata import entry_points;"
    "entry_points(group='console_scripts', name='bayesfloor')['bayesfloor'].load()()"
)
"""Runs the command line wherever it lives."""


def without_texts(value: Any) -> Any:
    """Leave out words from a document."""
    if isinstance(value, dict):
        return {k: without_texts(v) for k, v in value.items() if k not in TEXTS}
    return [without_texts(one) for one in value] if isinstance(value, list) else value


def paper_run(data: Path) -> Numbers:
    """Return fingerprints of the data behind the paper's quick figures."""
    robot = data / "robot" / "sensor_readings_4.data"
    figures = [str(n) for n in range(1, 8) if n != 5 or robot.exists()]
    with tempfile.TemporaryDirectory() as folder:
        options = ["--quick", "--out", folder, *(["--robot", str(robot)] if robot.exists() else [])]
        subprocess.run(
            [sys.executable, "-c", MAIN, "paper", *figures, *options],
            check=True,
            capture_output=True,
        )
        files = sorted(Path(folder).glob("*.csv"))
        return {f.name: hashlib.sha256(f.read_bytes()).hexdigest() for f in files}


def runs(data: Path) -> Iterator[tuple[str, Callable[[], Numbers]]]:
    """Yield all runs by name."""
    yield from population_runs()
    yield from special_runs()
    yield from question_runs()
    yield from table_runs(data)
    yield "paper --quick", lambda: paper_run(data)


def first_difference(old: Any, new: Any, where: str = "") -> str | None:
    """Name the first place at which two trees of numbers differ."""
    if isinstance(old, dict) and isinstance(new, dict):
        for key in [*old, *(k for k in new if k not in old)]:
            if key not in old or key not in new:
                return f"{where}.{key} is in one of them only"
            found = first_difference(old[key], new[key], f"{where}.{key}")
            if found:
                return found
        return None
    if isinstance(old, list) and isinstance(new, list) and len(old) == len(new):
        pairs = enumerate(zip(old, new, strict=True))
        found_all = (first_difference(a, b, f"{where}[{i}]") for i, (a, b) in pairs)
        return next((found for found in found_all if found), None)
    same = old == new or (old != old and new != new)
    return None if same else f"{where}: {str(old)[:50]} became {str(new)[:50]}"


def main() -> None:
    """Write or compare."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("action", choices=("write", "compare"))
    parser.add_argument("file", type=Path)
    parser.add_argument("--data", type=Path, default=DATA)
    parser.add_argument("--only", default="", help="runs whose name has this text")
    parser.add_argument("--skip", default="nothing", help="runs whose name has not this text")
    options = parser.parse_args()
    console, found, differ = Console(highlight=False, soft_wrap=True), dict[str, Numbers](), 0
    known = json.loads(options.file.read_text()) if options.action == "compare" else {}
    for name, run in runs(options.data):
        if options.only not in name or options.skip in name:
            continue
        found[name] = json.loads(json.dumps(run(), default=np.ndarray.tolist))
        if known:
            problem = first_difference(known.get(name), found[name])
            differ += problem is not None
            if problem:
                console.print(f"{name}{problem}")
    if options.action == "write":
        options.file.write_text(json.dumps(found))
        console.print(f"{len(found)} runs written")
    else:
        console.print(f"{differ} of {len(found)} runs differ")
        sys.exit(bool(differ))


if __name__ == "__main__":
    main()
