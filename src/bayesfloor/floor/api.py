"""One call from a labelled sample to bounds on its Bayes error."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any

import numpy as np

from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import Threads
from bayesfloor.base.options import check_count, check_positive, check_seed, check_share
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor.record import Divergence, Floor
from bayesfloor.floor.run import make_floor
from bayesfloor.neighbours import ENGINES, Effort
from bayesfloor.representation import check_representation
from bayesfloor.sample.gate import Sample, make_pair, make_sample
from bayesfloor.tables import LabelledTable


def bayes_error(
    X: Any,
    y: Any = None,
    *,
    method: str = "wnn",
    k: int = 5,
    representation: Any = "auto",
    confidence: float = 0.95,
    random_state: Any = 0,
    tolerance: float | None = None,
    max_seconds: float | None = None,
    engine: str = "auto",
    workers: int | None = None,
    progress: bool = False,
) -> Floor:
    """Bound the Bayes error of a labelled sample: no classifier can do better.

    Parameters
    ----------
    X : array or data frame of shape (n, d)
        Finite numbers: NumPy, lists, pandas, polars, Arrow. Distances are Euclidean, so columns
        in different units should be scaled first. Or what `read_table` returns, without `y`.
    y : array or column of length n
        Labels of any type, with two rows or more of each class.
    method : {"wnn", "wnn-published", "knn", "mst"}
        "wnn" is the most accurate; the others are the published estimators.
    k : int
        The neighbour that method "knn" looks at; the other methods do not use it.
    representation : {"auto", "raw", "learned"} or scikit-learn classifier or transformer
        What neighbours are searched in. "raw": the columns as they are. "learned": class
        probabilities, by the best of several classifiers, learned on one part of the rows and
        measured on the other. "auto": raw where the method is a published one, or neighbours
        are local and maps find no less mismatch; else learned. A classifier or transformer of your
        own is learned and measured in parts too.
    confidence : float
        Of the intervals, between 0 and 1.
    random_state : int, None, or NumPy Generator or RandomState
        Seed that parts the rows for learning and measuring; None takes another at every call.
    tolerance : float, optional
        Standard error of the mismatch that is small enough. Rows, in random order, are compared
        with their neighbours among all rows until it is met; the intervals include the noise of
        having asked some rows only.
    max_seconds : float, optional
        Search for about so long, in random order too. What comes before the search, such as sorting
        the rows, takes the time it takes.
    engine : {"auto", "tree", "blocks", "few", "scipy", "numpy"}
        How neighbours are searched; all find the same. "auto" takes the fastest.
    workers : int, optional
        Threads, all cores by default; the result does not depend on it.
    progress : bool
        Show a progress bar on a terminal.

    Returns
    -------
    Floor

    Raises
    ------
    DataError
        If the input cannot be used; the message says what came, where, and what to do.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor as bf
    >>> rng = np.random.default_rng(0)
    >>> X = np.r_[rng.normal(0, 1, (500, 2)), rng.normal(2, 1, (500, 2))]
    >>> y = np.repeat(["a", "b"], 500)
    >>> floor = bf.bayes_error(X, y)
    >>> floor.lower < 0.0786 < floor.upper  # the true Bayes error is 0.0786
    True
    """
    _check_options(method, workers)
    check_representation(representation)
    seed = check_seed("random_state", random_state)
    effort = _make_effort(method, tolerance, max_seconds, engine, workers, seed)
    table = X if isinstance(X, LabelledTable) and y is None else None
    if table is not None:
        X, y = table.X, table.y
    sample = make_sample(X, y)
    floor = make_floor(
        sample,
        method=method,
        k=_check_k(k, sample, method),
        representation=representation,
        table=X,
        confidence=check_share("confidence", confidence),
        seed=seed,
        effort=effort,
        progress=progress,
    )
    if table is None:
        return floor
    notes = table.notes + floor.notes
    return replace(floor, notes=notes, _rows=table.rows, _crowded=table.texts_merged)


def henze_penrose(
    X: Any,
    Y: Any,
    *,
    method: str = "wnn",
    k: int = 5,
    representation: Any = "auto",
    confidence: float = 0.95,
) -> Divergence:
    """Estimate the Henze-Penrose divergence of two point sets.

    Parameters
    ----------
    X, Y : arrays or data frames of shape (n, d) and (m, d)
        Points of the two classes; the prior is n / (n + m).
    method, k, representation, confidence
        As in `bayes_error`. The divergence of a learned representation is that of the points or
        less.

    Returns
    -------
    Divergence

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor as bf
    >>> rng = np.random.default_rng(0)
    >>> found = bf.henze_penrose(rng.normal(0, 1, (500, 2)), rng.normal(0, 1, (500, 2)))
    >>> found.interval[0]
    0.0
    """
    _check_options(method, None)
    check_representation(representation)
    sample = make_pair(X, Y)
    floor = make_floor(
        sample,
        method=method,
        k=_check_k(k, sample, method),
        representation=representation,
        table=None if isinstance(representation, str) else _below_each_other(X, Y),
        confidence=check_share("confidence", confidence),
    )
    assert floor.divergence is not None
    assert floor.divergence_se is not None
    assert floor.divergence_interval is not None
    return Divergence(floor.divergence, floor.divergence_se, floor.divergence_interval)


def _below_each_other(X: Any, Y: Any) -> Any:
    """Return the rows of two tables as they came, for a map of the user's own."""
    import narwhals.stable.v1 as nw

    first, second = (nw.from_native(one, eager_only=True, pass_through=True) for one in (X, Y))
    if isinstance(first, nw.DataFrame) and isinstance(second, nw.DataFrame):
        alike = first.implementation == second.implementation and first.schema == second.schema
        if alike:
            return nw.concat([first, second], how="vertical").to_native()
    return np.concatenate([np.asarray(X), np.asarray(Y)])


def _make_effort(
    method: str,
    tolerance: object,
    max_seconds: object,
    engine: str,
    workers: int | None,
    seed: int,
) -> Effort:
    if engine not in ("auto", *ENGINES):
        names = ", ".join(("auto", *ENGINES))
        raise DataError(f"engine is {engine!r}; pass one of {names}")
    if method == "mst" and not (tolerance is None and max_seconds is None):
        raise DataError("the spanning tree needs all rows; leave out tolerance and max_seconds")
    seconds = None if max_seconds is None else check_positive("max_seconds", max_seconds)
    return Effort(
        engine=engine,
        executor=Threads(workers),
        tolerance=None if tolerance is None else check_positive("tolerance", tolerance),
        deadline=None if seconds is None else time.monotonic() + seconds,
        seed=seed,
    )


def _check_options(method: object, workers: object) -> None:
    if method not in METHODS:
        raise DataError(f"method is {method!r}; choose one of {', '.join(sorted(METHODS))}")
    if workers is not None:
        check_count("workers", workers)


def _check_k(k: object, sample: Sample, method: str) -> int:
    return check_count("k", k, high=sample.n - 1 if method == "knn" else None)
