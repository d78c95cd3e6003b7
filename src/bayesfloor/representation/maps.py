"""The classifiers whose class probabilities stand for many columns, with bounded work."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

COLUMNS_OF_TREES = 100
TREE_WORK = 1e8
"""Rows times columns times trees that boosting may take."""
MOST_TREES = 400
"""Trees that boosting may grow, except that each class has 20."""
COLUMNS_OF_LINEAR = 800
"""Leading components are taken of more columns: the work grows with their cube."""
COLUMNS_OF_QUADRATIC = 40
KERNEL_CENTRES = 300


def linear(n: int, d: int, m: int) -> Any:  # noqa: ARG001
    """Linear discriminant with a shrunk covariance: works with few rows too."""
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import LinearDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline

    discriminant = LinearDiscriminantAnalysis(solver="lsqr", shrinkage="auto")
    if d <= COLUMNS_OF_LINEAR:
        return discriminant
    return make_pipeline(PCA(min(n - 1, COLUMNS_OF_LINEAR), random_state=0), discriminant)


def logistic(n: int, d: int, m: int) -> Any:  # noqa: ARG001
    """Linear log-odds, whatever the shape of the classes."""
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    return make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=200))


def quadratic(n: int, d: int, m: int) -> Any:
    """Quadratic discriminant on the leading components: classes that differ in spread."""
    from sklearn.decomposition import PCA
    from sklearn.discriminant_analysis import QuadraticDiscriminantAnalysis
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    most = max(1, min(COLUMNS_OF_QUADRATIC, n // (4 * m)))
    leading = [PCA(most, random_state=0)] if most < d else []
    return make_pipeline(
        StandardScaler(), *leading, StandardScaler(), QuadraticDiscriminantAnalysis(reg_param=0.1)
    )


def smooth_kernel(n: int, d: int, m: int) -> Any:  # noqa: ARG001
    """Log-odds that bend smoothly, as wide as the whole sample."""
    return _kernel(n, penalty=1.0)


def sharp_kernel(n: int, d: int, m: int) -> Any:  # noqa: ARG001
    """Log-odds that bend with little restraint."""
    return _kernel(n, penalty=0.01)


def trees(n: int, d: int, m: int) -> Any:
    """Boosted trees: jumps, interactions and waves along single columns."""
    from sklearn.ensemble import HistGradientBoostingClassifier
    from sklearn.feature_selection import SelectKBest
    from sklearn.pipeline import make_pipeline

    columns, scores = min(d, COLUMNS_OF_TREES), m if m > 2 else 1
    rounds = int(min(max(min(TREE_WORK / n / columns, MOST_TREES) / scores, 20), 100))
    boosted = HistGradientBoostingClassifier(
        max_iter=rounds,
        learning_rate=6 / rounds,
        max_leaf_nodes=15,
        min_samples_leaf=min(max(n // 40, 5), 20),
        l2_regularization=1.0,
        early_stopping=False,
        random_state=0,
    )
    return make_pipeline(SelectKBest(k=columns), boosted) if columns < d else boosted


MAPS: dict[str, Callable[[int, int, int], Any]] = {
    "linear": linear,
    "logistic": logistic,
    "quadratic": quadratic,
    "smooth kernel": smooth_kernel,
    "sharp kernel": sharp_kernel,
    "trees": trees,
}
"""Each takes the rows, columns and classes to learn from and returns an unfitted classifier.

The points they are given have a total variance of one.
"""


def _kernel(n: int, penalty: float) -> Any:
    """Logistic regression on a Gaussian kernel; the points have unit total variance."""
    from sklearn.kernel_approximation import Nystroem
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline

    centres = min(KERNEL_CENTRES, max(n // 2, 1))
    return make_pipeline(
        Nystroem(gamma=0.5, n_components=centres, random_state=0),
        LogisticRegression(C=1 / penalty, max_iter=300),
    )
