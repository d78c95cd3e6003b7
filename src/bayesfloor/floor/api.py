"""The calls: from a labelled sample to its floor, from two point sets to their divergence."""

from __future__ import annotations

from contextlib import nullcontext
from dataclasses import replace
from time import monotonic
from typing import Any

import numpy as np

from bayesfloor.base.errors import error_prefix
from bayesfloor.base.executor import Executor
from bayesfloor.base.memory import memory_errors
from bayesfloor.base.options import check_count
from bayesfloor.base.settings import Settings
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor.input import (
    check_key,
    group_notes,
    label_hint,
    labelled_table,
    predictions_of,
    scale_notes,
)
from bayesfloor.floor.memory_plan import fit_to_memory
from bayesfloor.floor.options import make_settings
from bayesfloor.floor.origin import BY_GROUP, BY_TIME, Origin, origin_of
from bayesfloor.floor.record import Floor
from bayesfloor.floor.row_weights import with_row_weights
from bayesfloor.floor.run import run_floor
from bayesfloor.floor.summaries import Divergence
from bayesfloor.sample.gate import make_pair, make_sample
from bayesfloor.sample.sample import Sample


def bayes_error(
    X: Any,
    y: Any = None,
    *,
    label: str | int | None = None,
    groups: Any = None,
    time: Any = None,
    method: str = "wnn",
    k: int = 5,
    representation: Any = "auto",
    confidence: float = 0.95,
    random_state: Any = 0,
    tolerance: float | None = None,
    max_seconds: float | None = None,
    engine: str = "auto",
    workers: int | Executor | None = None,
    client: Any = None,
    max_memory: int | str | None = None,
    priors: Any = None,
    cost: Any = None,
    metric: str | None = None,
    reject: float | None = None,
    top_k: int | None = None,
    sample_weight: Any = None,
    predictions: Any = None,
    key: str | int | None = None,
    progress: bool = False,
    **reading: Any,
) -> Floor:
    """Bound the Bayes error of a labelled sample: no classifier can do better.

    Parameters
    ----------
    X : data frame, path, or array of shape (n, d)
        With `label`, or the name of a column as `y`: anything that `read_table` reads, which
        scales and encodes its columns; or what it returns, without `y`. With `y`: finite numbers
        in NumPy, lists, pandas, polars, Arrow or Dask, which are taken as they are. Distances are
        Euclidean, so columns in different units should be scaled first.
    y : array or column of length n, or str
        Labels of any type, with two rows or more of each class; or the name of their column.
    label : str or int, optional
        The column of labels: its name, or its position, counted from 1, or from -1 backwards.
    groups : array of length n, or str, optional
        What each row belongs to, such as a person or a recording; or the name of such a column.
        Rows of one group are never compared, learned from and measured at once, or taken for
        independent: the floor is that of new groups.
    time : array of length n, or str, optional
        When each row was, numbers or dates; or the name of such a column. Rows are cut into blocks
        of time, which act as groups.
    method : {"wnn", "wnn-published", "knn", "mst"}
        "wnn" is the most accurate; the others are the published estimators.
    k : int
        The neighbour that method "knn" looks at; the other methods do not use it.
    representation : {"auto", "raw", "learned"} or scikit-learn classifier or transformer
        What is measured. "raw": neighbours in the columns as they are. "learned": class
        probabilities by the average of several classifiers, learned on one part of the rows and
        measured on the other. "auto": neighbours where they are local, with learned maps beside
        them; learned maps alone elsewhere. A classifier of your own takes the place of the maps;
        neighbours are compared in what a transformer of your own returns.
    confidence : float
        Of the intervals, between 0 and 1.
    random_state : int, None, or NumPy Generator or RandomState
        Seed that parts the rows for learning and measuring; None takes another at every call.
    tolerance : float, optional
        Standard error of the mismatch that is small enough. Rows, in random order, are compared
        with their neighbours among all rows until it is met; the intervals include the noise of
        having searched some rows only.
    max_seconds : float, optional
        Seconds from the call after which no more rows are searched; they are searched in random
        order too. What follows, and sorting the rows before, take the time they take.
    engine : {"auto", "tree", "blocks", "few", "scipy", "numpy"}
        How neighbours are searched; all find the same. "auto" takes the fastest.
    workers : int or Executor, optional
        Threads, all cores by default, or where else to run (`bayesfloor.base.executor`); the result
        does not depend on it.
    client : distributed.Client, optional
        Run on the workers of this Dask cluster; the result does not depend on it. `workers` then
        is the number of threads for what stays in this process.
    max_memory : int or str, optional
        The memory that the call may take, in bytes or such as "8GB"; by default what the system,
        the container and the shell leave. A call that would take more runs on fewer threads, then
        on a random part of the rows, which a note tells.
    priors : dict, optional
        Share of each class where a classifier will be used, such as ``{"yes": 0.02}``: all numbers
        then are for these shares. One class may be left out. By default those of the sample.
    cost : dict or (m, m) array, optional
        What answers cost: ``{("yes", "no"): 10}`` says that a yes which is answered as no costs 10;
        other errors then cost 1, and right answers nothing. Or a matrix with a row for each class
        and a column for each answer, both sorted. All numbers then are mean costs.
    metric : {"error", "balanced", "cost"}, optional
        What is bounded; "balanced" is the error at equal class shares. By default the error, or
        the cost if there is one.
    reject : float, optional
        Cost of no answer, where an error costs 1, or what `cost` says.
    top_k : int, optional
        Name so many classes at once; an error is a label that is not among them.
    sample_weight : array of length n, or str, optional
        Weight of each row, or the name of such a column. Weights that are the same for all rows of
        a class are class shares, as in `priors`; others are refused, see the how-to.
    predictions : array of shape (n,) or (n, m), data frame or path, optional
        What a model of yours says of each row, *made on rows that it was not learned from*, such as
        by `cross_val_predict`: its class, or a probability for each class, sorted, or in columns
        named like them. In the order of the rows, or joined by `key`. `floor.model` then tells its
        error, calibration and regret, and where it loses; its probabilities are one more map.
    key : str or int, optional
        The column of X and of `predictions` that says which row a prediction belongs to.
    progress : bool
        Show a progress bar on a terminal.
    **reading
        Options of `read_table`, such as ``missing="drop"`` or ``drop="id"``.

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
    >>> floor.interval[0] < 0.0786 < floor.interval[1]  # the true Bayes error is 0.0786
    True

    A data frame or a file with its column of labels is read like by the command line.

    >>> import polars as pl
    >>> frame = pl.DataFrame({"size": X[:, 0], "weight": X[:, 1], "sort": y})
    >>> bf.bayes_error(frame, "sort").columns
    2
    """
    started, settings = monotonic(), make_settings(locals())
    named = {"groups": groups, "time": time, "sample_weight": sample_weight, "key": key}
    table = labelled_table(X, y, label, reading, max_memory, **named)
    kind = BY_GROUP if time is None else BY_TIME
    check_key(key, predictions, table, X)
    if table is None:
        with memory_errors(), label_hint(X):
            sample = make_sample(X, y, groups=groups, time=time, executor=settings.executor.local)
        settings = _checked_for(sample, settings, sample_weight)
        notes = scale_notes(sample, X) + group_notes(sample, groups)
        found = predictions_of(sample, predictions, max_memory=max_memory)
        origin = Origin(X, notes=notes, grouping=kind, predictions=found)
        with memory_errors():
            fitted = fit_to_memory(sample, settings, origin, gives_back=True)
            del sample, origin  # where a part is drawn, the whole is given back
            return run_floor(*fitted, started=started)
    with nullcontext() if table is X else error_prefix(table.name):
        if table is not X or (groups is None and time is None):
            groups, time = table.groups, table.time
        if table is not X or sample_weight is None:
            sample_weight = table.sample_weight
        kind = BY_GROUP if time is None else BY_TIME
        with memory_errors():
            sample = make_sample(
                table.X, table.y, groups=groups, time=time, executor=settings.executor.local
            )
        settings = _checked_for(sample, settings, sample_weight)
        origin = origin_of(table)
        notes = origin.notes + group_notes(sample, groups)
    found = predictions_of(sample, predictions, table, max_memory=max_memory)
    origin = replace(origin, notes=notes, grouping=kind, predictions=found)
    with nullcontext() if table is X else error_prefix(table.name), memory_errors():
        fitted = fit_to_memory(sample, settings, origin, gives_back=True)
        del table, sample, origin  # where a part is drawn, the whole is given back
        return run_floor(*fitted, started=started)


def _run(sample: Sample, settings: Settings, origin: Origin, started: float) -> Floor:
    """Run within the memory there is."""
    with memory_errors():
        return run_floor(*fit_to_memory(sample, settings, origin), started=started)


def henze_penrose(
    X: Any,
    Y: Any,
    *,
    method: str = "wnn",
    k: int = 5,
    representation: Any = "auto",
    confidence: float = 0.95,
    random_state: Any = 0,
    tolerance: float | None = None,
    max_seconds: float | None = None,
    engine: str = "auto",
    workers: int | Executor | None = None,
    client: Any = None,
    max_memory: int | str | None = None,
    progress: bool = False,
) -> Divergence:
    """Estimate the Henze-Penrose divergence of two point sets.

    Parameters
    ----------
    X, Y : arrays or data frames of shape (n, d) and (m, d)
        Points of the two classes; the prior is n / (n + m).
    method, k, representation, confidence, random_state, tolerance, max_seconds, engine, workers, \
    client, max_memory, progress
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
    started, settings = monotonic(), make_settings(locals())
    with memory_errors():
        sample = make_pair(X, Y, executor=settings.executor.local)
    _check_k(settings, sample)
    table = None if isinstance(representation, str) else _stacked(X, Y)
    floor = _run(sample, settings, Origin(table), started)
    assert floor.divergence is not None
    assert floor.divergence_se is not None
    assert floor.divergence_interval is not None
    return Divergence(floor.divergence, floor.divergence_se, floor.divergence_interval)


def _stacked(X: Any, Y: Any) -> Any:
    """Return the rows of two tables as they came, for a map of the user's own."""
    import narwhals.stable.v1 as nw

    first, second = (nw.from_native(one, eager_only=True, pass_through=True) for one in (X, Y))
    if isinstance(first, nw.DataFrame) and isinstance(second, nw.DataFrame):
        alike = first.implementation == second.implementation and first.schema == second.schema
        if alike:
            return nw.concat([first, second], how="vertical").to_native()
    return np.concatenate([np.asarray(X), np.asarray(Y)])


def _checked_for(sample: Sample, settings: Settings, sample_weight: Any) -> Settings:
    """Return the settings for a sample, or refuse those that do not fit it."""
    _check_k(settings, sample)
    return with_row_weights(settings, sample, sample_weight)


def _check_k(settings: Settings, sample: Sample) -> None:
    if METHODS[settings.method].uses_k:
        check_count("k", settings.k, high=sample.most_neighbours)
