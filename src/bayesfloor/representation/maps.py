"""The classifiers whose class probabilities stand for many columns, with bounded work."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

MOST_TREE_COLUMNS = 100
"""Columns that boosting looks at, the most telling ones where there are more: it bounds the
work."""
TREE_WORK = 1e8
"""Rows times columns times trees that boosting may take: a judgement, to bound the time."""
MOST_TREES = 400
"""Trees that boosting may grow in all, except that each class has `FEWEST_ROUNDS`."""
FEWEST_ROUNDS, MOST_ROUNDS = 20, 100
"""Rounds of boosting, with a learning rate that fits: a judgement."""
TOTAL_STEP = 6.0
"""Learning rate times rounds: any number of rounds then comes about equally far. A judgement."""
MOST_TREE_LEAVES = 15
"""Leaves of a tree: interactions of three columns, seldom more."""
LARGEST_MIN_LEAF, SMALLEST_MIN_LEAF, LEAVES_OF_ROWS = 20, 5, 40
"""Rows of a leaf at least: one in 40, within these limits; scikit-learn's default is 20."""
MOST_LINEAR_COLUMNS = 800
"""Leading components are taken of more columns: the work grows with their cube."""
MOST_QUADRATIC_COLUMNS = 40
"""Components of the quadratic discriminant: each class has a covariance of their square."""
ROWS_PER_COMPONENT = 4
"""Rows of a class, on average, for each component of its covariance, so that this can be
inverted."""
KERNEL_CENTRES = 300
"""Points that the kernel is anchored at (Nystroem): a judgement, to bound the time."""
KERNEL_WIDTH = 0.5
"""Gamma of the kernel, for points of unit total variance: as wide as the sample."""


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

    return make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=200))


def quadratic(*, rows: int, columns: int, classes: int) -> Any:
    """Make a quadratic discriminant on the leading components."""
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    most = max(1, min(MOST_QUADRATIC_COLUMNS, rows // (ROWS_PER_COMPONENT * classes)))
    leading = [PCA(most, random_state=0)] if most < columns else []
    return make_pipeline(
        StandardScaler(), *leading, StandardScaler(), QuadraticDiscriminantAnalysis(reg_param=0.1)
    )


def smooth_kernel(*, rows: int) -> Any:
    """Make a kernel classifier whose log-odds bend smoothly."""
    return _kernel(rows, penalty=1.0)


def sharp_kernel(*, rows: int) -> Any:
    """Make a kernel classifier whose log-odds bend with little restraint."""
    return _kernel(rows, penalty=0.01)


def trees(*, rows: int, columns: int, classes: int) -> Any:
    """Make boosted trees, in as many rounds as the work allows."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.feature_selection import SelectKBest
    from sklearn.pipeline import make_pipeline

    used, scores = min(columns, MOST_TREE_COLUMNS), classes if classes > 2 else 1
    affordable = min(TREE_WORK / rows / used, MOST_TREES) / scores
    rounds = int(min(max(affordable, FEWEST_ROUNDS), MOST_ROUNDS))
    boosted = HistGradientBoostingClassifier(
        max_iter=rounds,
        learning_rate=TOTAL_STEP / rounds,
        max_leaf_nodes=MOST_TREE_LEAVES,
        min_samples_leaf=min(max(rows // LEAVES_OF_ROWS, SMALLEST_MIN_LEAF), LARGEST_MIN_LEAF),
        l2_regularization=1.0,
        early_stopping=False,
        random_state=0,
    )
    return make_pipeline(SelectKBest(k=used), boosted) if used < columns else boosted


def _kernel(rows: int, penalty: float) -> Any:
    """Make a logistic regression on a Gaussian kernel of points of unit total variance."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    centres = min(KERNEL_CENTRES, max(rows // 2, 1))
    return make_pipeline(
        Nystroem(gamma=KERNEL_WIDTH, n_components=centres, random_state=0),
        LogisticRegression(C=1 / penalty, max_iter=300),
    )


MAPS: dict[str, Map] = {
    "linear": Map(linear, "linear discriminant: works with few rows too", ("rows", "columns")),
    "logistic": Map(logistic, "linear log-odds, whatever the shape of the classes"),
    "quadratic": Map(
        quadratic, "classes that differ in their spread", ("rows", "columns", "classes")
    ),
    "smooth kernel": Map(smooth_kernel, "log-odds that bend smoothly", ("rows",)),
    "sharp kernel": Map(sharp_kernel, "log-odds that bend with little restraint", ("rows",)),
    "trees": Map(
        trees,
        "discontinuities, interactions and waves along single columns",
        ("rows", "columns", "classes"),
    ),
}
"""The maps that are tried. The points they are given have a total variance of one."""
