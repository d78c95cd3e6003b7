"""Sets of columns of one table, all with the same rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from functools import partial
from typing import Any

from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.tables import (
    FILE_OPTIONS,
    LabelledTable,
    Problems,
    ReadOptions,
    find_columns,
    read_frame,
    read_table,
)
from bayesfloor.tables.column_choice import ChosenColumns, choose_columns

OTHER_COLUMNS = ("drop", "keep", "groups", "time", "sample_weight", "key")
"""Options of `read_table` that name columns which need not be in any set."""


def read_column_sets(
    data: Any, sets: Mapping[str, Any], label: Any, reading: Mapping[str, Any]
) -> dict[str, LabelledTable]:
    """Read a table once, and make each set of its columns ready for `bayes_error`.

    Rows that one set must leave out are left out of all.

    Parameters
    ----------
    data : anything that `read_table` reads
        The table.
    sets : dict
        The columns of each set.
    label : str or int
        The column of labels.
    reading : dict
        Options of `read_table`.
    """
    if label is None:
        raise DataError("the column of labels is not named; pass its name as y")
    choices = {name: value for name, value in reading.items() if name not in FILE_OPTIONS}
    every = [column for columns in sets.values() for column in _listed(columns)]
    others = {name for name in OTHER_COLUMNS if choices.get(name) is not None}
    choose = None if others else partial(_named_columns, label=label, features=every)
    loaded = read_frame(data, ReadOptions.from_arguments(reading), choose)
    with error_prefix(loaded.name), _of_frame():
        whole = read_table(loaded.frame, label=label, features=every, **choices)
    frame = loaded.frame
    if whole.row_numbers is not None:
        frame = frame[whole.row_numbers.to_numpy()]
    choices["min_class_rows"] = 0  # rare classes are gone
    found = {}
    for name, columns in sets.items():
        with error_prefix(f"set {name!r}"), _of_frame():
            found[name] = read_table(frame, label=label, features=_listed(columns), **choices)
    return found


def _named_columns(names: list[str], *, label: Any, features: list[Any]) -> ChosenColumns:
    """Return the columns of all sets; where some are given by position, all have to be there."""
    chosen = choose_columns(names, label=label, features=features, drop=None, keep=None)
    fewer = [name for name in names if name in (chosen.label, *chosen.features)]
    for given in (label, *features):
        problems = Problems()
        if find_columns(names, given, problems) != find_columns(fewer, given, problems):
            raise DataError("columns are given by position")
    return chosen


@contextmanager
def _of_frame() -> Iterator[None]:
    """Leave the name of a data frame out of a message: the user passed a file, or knows."""
    try:
        yield
    except DataError as problem:
        raise DataError(str(problem).removeprefix("data frame: ")) from problem.__cause__


def _listed(columns: Any) -> list[Any]:
    return [columns] if isinstance(columns, str | int) else list(columns)
