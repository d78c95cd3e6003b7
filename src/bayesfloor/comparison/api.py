"""The call: from column sets or samples to their floors and differences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.base.formatting import quoted_names, show
from bayesfloor.comparison.column_sets import read_column_sets
from bayesfloor.comparison.record import Comparison, make_comparison
from bayesfloor.comparison.sides import Side, learned_maps, side_of_maps, side_of_neighbours
from bayesfloor.floor import Floor, bayes_error
from bayesfloor.floor.input import no_label_hint
from bayesfloor.floor.run import Run
from bayesfloor.tables import LabelledTable


def compare(
    sets: Mapping[str, Any],
    y: Any = None,
    *,
    data: Any = None,
    reference: str | None = None,
    confidence: float = 0.95,
    random_state: Any = 0,
    workers: Any = None,
    client: Any = None,
    max_memory: int | str | None = None,
    progress: bool = False,
    **reading: Any,
) -> Comparison:
    """Compare column sets on the same rows, or samples of the same classes.

    Parameters
    ----------
    sets : dict
        Two or more, by name. With labels `y`: arrays or data frames with the same rows, taken as
        they are. With `data`: the columns of each set. Without both: samples, each a pair of
        points and labels, or what `read_table` returns.
    y : array or column of length n, or str
        The labels of the rows; or the name of their column in `data`.
    data : data frame or path, optional
        Anything that `read_table` reads; it is scaled and encoded.
    reference : str, optional
        The set that all others are compared with, by default the first.
    confidence : float
        Of the intervals, between 0 and 1.
    random_state, workers, client, max_memory, progress
        As in `bayes_error`.
    **reading
        Options of `read_table`, with `data`.

    Returns
    -------
    Comparison

    Notes
    -----
    The same labels decide about all sets, and most of their noise cancels: row by row, the losses
    of the class probabilities of two sets are subtracted. What maps would still gain with more
    rows is read off both learning curves, measured on the same rows.

    Examples
    --------
    >>> import numpy as np
    >>> import bayesfloor as bf
    >>> rng = np.random.default_rng(0)
    >>> y = np.repeat(["ill", "well"], 300)
    >>> base = rng.normal(size=(600, 2)) + (y == "ill")[:, None]
    >>> lab = rng.normal(size=(600, 1)) + 2 * (y == "ill")[:, None]
    >>> found = bf.compare({"base": base, "base + lab": np.hstack([base, lab])}, y)
    >>> found.differences["base + lab"].verdict
    'lower'
    """
    _check_sets(sets, reference)
    options = {
        "confidence": confidence,
        "random_state": random_state,
        "workers": workers,
        "client": client,
        "max_memory": max_memory,
        "progress": progress,
    }
    floors = _floors(sets, y, data, options, {**reading, "max_memory": max_memory})
    paired = not (y is None and data is None)
    _check_rows(floors, paired)
    return make_comparison(
        floors,
        _sides(floors),
        reference=next(iter(sets)) if reference is None else reference,
        paired=paired,
        confidence=next(iter(floors.values())).confidence,
    )


def _floors(
    sets: Mapping[str, Any], y: Any, data: Any, options: dict[str, Any], reading: dict[str, Any]
) -> dict[str, Floor]:
    """Bound the Bayes error of every set, and name the set that cannot be used."""
    if data is not None:
        sets = read_column_sets(data, sets, y, reading)
    elif len(reading) > 1:
        name = next(iter(reading))
        raise DataError(f"{name}= is for tables that are still to be read; pass them as data=")
    floors = {}
    for name, one in sets.items():
        with error_prefix(f"set {name!r}"), no_label_hint():
            floors[name] = bayes_error(*_points_and_labels(one, y, data), **options)
    return floors


def _points_and_labels(one: Any, y: Any, data: Any) -> tuple[Any, ...]:
    if data is not None or isinstance(one, LabelledTable):
        return (one,)
    if y is not None:
        return one, y
    if not isinstance(one, tuple) or len(one) != 2:
        raise DataError("without y, a set is a pair of points and labels; pass (X, y), or y=")
    return one


def _sides(floors: Mapping[str, Floor]) -> dict[str, Side]:
    """Return what each set says: by maps if any was learned, else by neighbours."""
    if all(cast(Run, floor.run).measured.learned is None for floor in floors.values()):
        return {name: side_of_neighbours(floor) for name, floor in floors.items()}
    return {
        name: side_of_maps(cast(Run, floor.run).sample, learned_maps(floor), floor.confidence)
        for name, floor in floors.items()
    }


def _check_sets(sets: Any, reference: str | None) -> None:
    if not isinstance(sets, Mapping) or len(sets) < 2:
        raise DataError(f"sets is {show(sets)}; pass a dict of two sets or more, by name")
    if not all(isinstance(name, str) and name for name in sets):
        raise DataError("a set has no name; name each by a text")
    if reference is not None and reference not in sets:
        names = quoted_names(list(sets))
        raise DataError(f"reference is {show(reference)}; choose one of {names}")


def _check_rows(floors: Mapping[str, Floor], paired: bool) -> None:
    """Refuse to pair sets that were drawn from, and samples of other classes."""
    first, *others = floors.items()
    for name, floor in others:
        if paired and floor.n != first[1].n:
            raise DataError(
                f"memory allows {first[1].n:,} rows of set {first[0]!r} and {floor.n:,} of"
                f" {name!r}, so they cannot be compared row by row; pass fewer rows"
            )
        if list(floor.classes) != list(first[1].classes):
            raise DataError(
                f"sets {first[0]!r} and {name!r} have different classes; compare samples of the"
                " same ones"
            )
