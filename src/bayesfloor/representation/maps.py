"""The classifiers whose class probabilities are averaged, each with bounded work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import log2
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.representation.boosted_trees import BoostedTrees

MOST_TREE_COLUMNS = 100
"""Columns that bounded boosting looks at, the most telling ones where there are more."""
MOST_BOOSTING_SECONDS = 6.0
"""Estimated seconds of one fit of boosting, on one core, above which its work is bounded: a
judgement of how long people wait."""
TREE_SECONDS, TREE_SECONDS_A_COLUMN, TREE_SECONDS_A_CELL = 2e-5, 2e-5, 8e-9
"""Seconds that boosting takes for a tree, beside that for each column and for each row of each
column: from fits of 400 to 24,000 rows of real tables on one core, rounded."""
FOREST_SECONDS, FOREST_SECONDS_A_SPLIT = 5e-4, 1.7e-8
"""Seconds that a forest takes for a tree, and for each row and column looked at on each level: from
the same tables."""
BOOSTING_ROUNDS = 100
"""Rounds of scikit-learn's default boosting, whose other defaults are used too."""
LARGEST_STEP = 0.3
"""Learning rate of bounded boosting, at most: a judgement."""
FEWEST_ROUNDS = 20
"""Rounds of bounded boosting, at least: with fewer, trees hardly add up. A judgement."""
MOST_FOREST_TREES, FEWEST_FOREST_TREES = 60, 8
"""Trees of a forest: beyond 60 the average hardly moves; fewer than 8 are too rough to be of use,
so that no forest is grown. Judgements."""
FOREST_SHARE, FOREST_SHARE_OF_MANY_ROWS = 3.0, 0.35
"""Time of a forest over that of boosting, up to `FEW_ROWS` and from `MANY_ROWS` on, so that the
whole call stays within a small multiple of scikit-learn's boosting."""
FEW_ROWS, MANY_ROWS = 5_000, 20_000
"""Rows between which the share of a forest falls in proportion to them."""
SMALL_STEPS_ROUNDS = 50
"""Rounds of boosting in small steps, so that it takes about a third of the time of the default."""
TOTAL_STEP = 6.0
"""Learning rate times rounds of boosting in small steps: default boosting, at 10, follows the noise
of few rows. A judgement."""
FEW_TREE_LEAVES = 15
"""Leaves of a tree in small steps: interactions of three columns, seldom more."""
LARGEST_MIN_LEAF, SMALLEST_MIN_LEAF, LEAVES_OF_ROWS = 20, 5, 40
"""Rows of a leaf at least: one in 40, within these limits; scikit-learn's default is 20."""
MOST_SMALL_STEPS_ROWS = 5_000
"""Rows up to which boosting in small steps is learned: default boosting does no worse on more, see
docs/high-dimension.md."""
MOST_LINEAR_COLUMNS = 800
"""Leading components are taken of more columns: the work grows with their cube."""
MOST_QUADRATIC_COLUMNS = 40
"""Components of the quadratic discriminant: each class has a covariance of their square."""
ROWS_PER_COMPONENT = 4
"""Rows of a class, on average, for each component of its covariance, so that this can be
inverted."""
QUADRATIC_SHRINKAGE = 0.1
"""Share of the identity in each covariance, so that it can be inverted: a judgement."""
KERNEL_CENTRES = 300
"""Points that the kernel is anchored at (Nystroem): a judgement, to bound the time."""
KERNEL_WIDTH = 0.5
"""Gamma of the kernel, for points of unit total variance: as wide as the sample."""
SMOOTH_PENALTY, SHARP_PENALTY = 1.0, 0.01
"""Penalties of the two kernels: scikit-learn's default, and a hundredth of it."""
MOST_NEIGHBOUR_COLUMNS = 8
"""Columns up to which votes of neighbours are learned: among more, trees search in vain."""
KERNEL_STEPS = 100
"""Steps of the optimiser, at most: scikit-learn's default, to bound the time."""
MOST_KERNEL_ROWS = 2_500
"""Rows that kernels learn from: with so few centres more rows take time and change little."""


@dataclass(frozen=True, slots=True)
class TrainingSize:
    """What a map is built for."""

    rows: int
    columns: int
    classes: int


@dataclass(frozen=True, slots=True)
class Map:
    """A classifier that can stand for many columns: how it is made, and what that depends on."""

    make: Callable[..., Any]  # returns an unfitted classifier
    summary: str
    depends_on: tuple[str, ...] = ()  # fields of a `TrainingSize`, passed by name
    most_rows: int | None = None  # rows that it learns from, drawn at random where there are more
    suits: Callable[[TrainingSize], bool] = lambda _: True  # whether it is worth its time

    def build(self, size: TrainingSize) -> Any:
        """Return an unfitted classifier for so many rows, columns and classes."""
        return self.make(**{name: getattr(size, name) for name in self.depends_on})


def linear(*, rows: int, columns: int) -> Any:
    """Make a linear discriminant with a shrunk covariance."""
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline

    discriminant = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    if columns <= MOST_LINEAR_COLUMNS:
        return discriminant
    leading = PCA(min(rows - 1, MOST_LINEAR_COLUMNS), random_state=0)
    return make_pipeline(leading, discriminant)


def logistic() -> Any:
    """Make a logistic regression on scaled columns."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(max_iter=200))


def quadratic(*, rows: int, columns: int, classes: int) -> Any:
    """Make a quadratic discriminant on the leading components."""
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    most = max(1, min(MOST_QUADRATIC_COLUMNS, rows // (ROWS_PER_COMPONENT * classes)))
    leading = [PCA(most, random_state=0)] if most < columns else []
    discriminant = QuadraticDiscriminantAnalysis(reg_param=QUADRATIC_SHRINKAGE)
    return make_pipeline(StandardScaler(), *leading, StandardScaler(), discriminant)


def smooth_kernel(*, rows: int) -> Any:
    """Make a kernel classifier whose log-odds bend smoothly."""
    return _kernel(rows, penalty=SMOOTH_PENALTY)


def sharp_kernel(*, rows: int) -> Any:
    """Make a kernel classifier whose log-odds bend with little restraint."""
    return _kernel(rows, penalty=SHARP_PENALTY)


def boosting(*, rows: int, columns: int, classes: int) -> Any:
    """Make default boosting; bounded columns and rounds where it would take long."""
    whole = TrainingSize(rows, columns, classes)
    if boosting_seconds(whole) <= MOST_BOOSTING_SECONDS:
        return BoostedTrees(rounds=BOOSTING_ROUNDS)
    rounds = _affordable_rounds(whole, BOOSTING_ROUNDS)
    step = min(TOTAL_STEP / rounds, LARGEST_STEP)
    return _with_few_columns(BoostedTrees(rounds=rounds, step=step), columns)


def boosting_in_small_steps(*, rows: int, columns: int, classes: int) -> Any:
    """Make boosting of small trees with a smaller step, which follows less noise of few rows."""
    rounds = _affordable_rounds(TrainingSize(rows, columns, classes), SMALL_STEPS_ROUNDS)
    boosted = BoostedTrees(
        rounds=rounds,
        step=TOTAL_STEP / rounds,
        leaves=FEW_TREE_LEAVES,
        rows_of_leaf=min(max(rows // LEAVES_OF_ROWS, SMALLEST_MIN_LEAF), LARGEST_MIN_LEAF),
        penalty=1.0,
    )
    return _with_few_columns(boosted, columns)


def _affordable_rounds(size: TrainingSize, rounds: int) -> int:
    """Return as many rounds, or fewer where they would take long on the columns looked at."""
    used = replace(size, columns=min(size.columns, MOST_TREE_COLUMNS))
    share = min(MOST_BOOSTING_SECONDS / boosting_seconds(used), 1.0)
    return max(int(rounds * share), FEWEST_ROUNDS)


def _with_few_columns(boosted: BoostedTrees, columns: int) -> Any:
    """Let boosting look at the most telling columns only, where there are many."""
    if columns <= MOST_TREE_COLUMNS:
        return boosted
    return TellingColumns(boosted, MOST_TREE_COLUMNS)


class TellingColumns:
    """A classifier on the columns that tell most about the classes, each by itself.

    Not a pipeline of scikit-learn: those ask of every step what only its own estimators know.
    """

    def __init__(self, model: Any, most: int) -> None:
        self.model = model
        self.most = most

    def fit(self, X: Any, y: Any) -> TellingColumns:
        """Choose columns, and learn on these."""
        points = np.asarray(X, dtype=np.float64)
        told = share_told(points, np.unique(y, return_inverse=True)[1])
        self.kept_ = np.sort(np.argsort(-told, kind="stable")[: self.most])
        self.model.fit(points[:, self.kept_], y)
        self.classes_ = self.model.classes_
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return class probabilities, (n, m)."""
        return np.asarray(self.model.predict_proba(np.asarray(X)[:, self.kept_]))


def share_told(points: Floats, labels: Ints) -> Floats:
    """Return the share of the variance of each column that is between classes, (d,).

    Examples
    --------
    >>> share_told(np.array([[0.0, 1, 7], [1, 1, 7], [0, 2, 7], [1, 2, 7]]), np.array([0, 0, 1, 1]))
    array([0., 1., 0.])
    """
    centred = points - points.mean(axis=0)
    total = (centred**2).sum(axis=0)
    sums = np.array([centred[labels == c].sum(axis=0) for c in range(int(labels.max()) + 1)])
    between = (sums**2 / np.bincount(labels)[:, None]).sum(axis=0)
    return np.asarray(np.where(total > 0, between / np.where(total > 0, total, 1.0), 0.0))


def forest(*, rows: int, columns: int, classes: int) -> Any:
    """Make extremely randomised trees, as many as fit into a share of the time of boosting."""
    return ExtraTrees(max(forest_trees(TrainingSize(rows, columns, classes)), 1))


class ExtraTrees:
    """Extremely randomised trees (Geurts, Ernst & Wehenkel 2006), one after the other.

    Scikit-learn's own forest hands its trees to joblib, whose warnings are not safe among threads.
    """

    def __init__(self, trees: int) -> None:
        self.trees = trees

    def fit(self, X: Any, y: Any) -> ExtraTrees:
        """Grow every tree on all rows."""
        from sklearn.tree import ExtraTreeClassifier

        points = _for_trees(X)
        self.grown_ = [
            ExtraTreeClassifier(max_features="sqrt", random_state=seed).fit(
                points, y, check_input=False
            )
            for seed in range(self.trees)
        ]
        self.classes_ = self.grown_[0].classes_
        return self

    def predict_proba(self, X: Any) -> Floats:
        """Return the mean of what the trees say, (n, m)."""
        points = _for_trees(X)
        found = sum(tree.predict_proba(points, check_input=False) for tree in self.grown_)
        return np.asarray(found / self.trees)


def _for_trees(X: Any) -> Any:
    """Return points in the precision and layout that trees work in, so that they need not check."""
    return np.ascontiguousarray(X, dtype=np.float32)


def boosting_seconds(size: TrainingSize) -> float:
    """Estimate the seconds of one fit of default boosting, from the shape of the table alone.

    A clock would make the result depend on the machine.
    """
    trees = BOOSTING_ROUNDS * (size.classes if size.classes > 2 else 1)
    cells = size.rows * size.columns
    return trees * (
        TREE_SECONDS + TREE_SECONDS_A_COLUMN * size.columns + TREE_SECONDS_A_CELL * cells
    )


def leaves_columns_out(size: TrainingSize) -> bool:
    """Tell whether boosting looks at some of the columns only, as among the pixels of an image."""
    return size.columns > MOST_TREE_COLUMNS and boosting_seconds(size) > MOST_BOOSTING_SECONDS


def forest_trees(size: TrainingSize) -> int:
    """Return the number of trees that a forest can have for its share of the time."""
    looked_at = size.rows * log2(max(size.rows, 2)) * size.columns**0.5
    share = float(
        np.interp(size.rows, (FEW_ROWS, MANY_ROWS), (FOREST_SHARE, FOREST_SHARE_OF_MANY_ROWS))
    )
    seconds = share * min(boosting_seconds(size), MOST_BOOSTING_SECONDS)
    affordable = seconds / (FOREST_SECONDS + FOREST_SECONDS_A_SPLIT * looked_at)
    return min(int(affordable), MOST_FOREST_TREES)


def neighbours(*, rows: int) -> Any:
    """Make a vote of the nearest rows, as many as the root of all."""
    from sklearn.neighbors import KNeighborsClassifier

    return KNeighborsClassifier(max(1, round(rows**0.5)))


def _kernel(rows: int, penalty: float) -> Any:
    """Make a logistic regression on a Gaussian kernel of points of unit total variance."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    centres = min(KERNEL_CENTRES, max(rows // 2, 1))
    return make_pipeline(
        Nystroem(gamma=KERNEL_WIDTH, n_components=centres, random_state=0),
        LogisticRegression(C=1 / penalty, max_iter=KERNEL_STEPS),
    )


_SIZE = ("rows", "columns", "classes")

MAPS: dict[str, Map] = {
    "boosting": Map(boosting, "discontinuities and interactions of columns", _SIZE),
    "boosting in small steps": Map(
        boosting_in_small_steps,
        "the same in few rows",
        _SIZE,
        suits=lambda size: size.rows <= MOST_SMALL_STEPS_ROWS,
    ),
    "forest": Map(
        forest,
        "what is known about rows like this one",
        _SIZE,
        suits=lambda size: forest_trees(size) >= FEWEST_FOREST_TREES,
    ),
    "linear": Map(linear, "linear discriminant: works with few rows too", ("rows", "columns")),
    "logistic": Map(logistic, "linear log-odds, whatever the shape of the classes"),
    "quadratic": Map(quadratic, "classes that differ in their spread", _SIZE),
    "smooth kernel": Map(
        smooth_kernel, "log-odds that bend smoothly", ("rows",), most_rows=MOST_KERNEL_ROWS
    ),
    "sharp kernel": Map(
        sharp_kernel,
        "log-odds that bend with little restraint",
        ("rows",),
        most_rows=MOST_KERNEL_ROWS,
    ),
    "neighbours": Map(
        neighbours,
        "labels of near rows, whatever their shape",
        ("rows",),
        suits=lambda size: size.columns <= MOST_NEIGHBOUR_COLUMNS,
    ),
}
"""The maps that are learned. The points they are given have a total variance of one."""
