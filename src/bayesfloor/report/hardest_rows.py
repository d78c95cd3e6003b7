"""The rows whose label is the least likely, with the label that is likelier and their values."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.errors import DataError, reading
from bayesfloor.base.formatting import is_missing, percent, shorten
from bayesfloor.floor import Floor
from bayesfloor.report.column_evidence import NumericColumn, column_evidence, make_column
from bayesfloor.report.names import class_names

if TYPE_CHECKING:
    import polars as pl

MOST_ROWS = 12
"""Rows that are shown: as many as fit on a screen."""
MOST_COLUMNS = 8
"""Columns of the user that are shown: as many as fit beside the first ones on a desk."""
FIRST_COLUMNS = ("row", "label", "likelier label", "chance of another label")
"""Columns that come before those of the user."""
SPEAKING = "columns that speak for it"
"""Column of the whole table that names others."""
SPEAKS = float(np.log(2))
"""A value speaks for another class if it is twice as frequent there: a judgement."""
MOST_SPEAKING = 3
"""Values of a row that are marked, the first of those that speak for another class. A judgement."""
MOST_ROWS_COMPARED, MOST_VALUES_COMPARED = 20_000, 5_000_000
"""Rows and values, drawn at random where there are more, that show how frequent a value is: enough
for a ratio, within seconds. Judgements."""
COMPARED_SEED = 2018
"""Seed of the rows that are drawn, fixed so that a floor always says the same."""


@dataclass(frozen=True, slots=True)
class RowTable:
    """A table of text, ready to be shown."""

    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int  # columns that there were to choose from
    speaking: tuple[frozenset[int], ...]  # cells of each row that speak for the likelier label


@dataclass(frozen=True, slots=True)
class ShownColumns:
    """The columns of the user, and how to take some of their rows."""

    names: list[str]
    height: int
    take: Callable[[int, Ints], list[Any]]  # some rows of the column with this position


def hardest_rows(floor: Floor, values: Any) -> RowTable:
    """Return the rows with the largest local mismatch, largest first; equal ones by row number.

    The columns whose values speak for the likelier label come first.
    """
    order = rows_by_mismatch(floor)
    user = read_values(values, floor.n)
    evidence = _evidence(floor, user, order)
    shown = np.argsort(-evidence.clip(0).sum(axis=0), kind="stable")[:MOST_COLUMNS]
    cells = [[shorten(value) for value in user.take(j, order)] for j in shown.tolist()]
    rows = zip(*_first_cells(floor, order), *cells, strict=True)
    speaking = [_speaking(one[shown]) for one in evidence]
    return RowTable(
        (*FIRST_COLUMNS, *(shorten(user.names[j]) for j in shown)),
        tuple(rows),
        len(user.names),
        tuple(frozenset(len(FIRST_COLUMNS) + j for j in one) for one in speaking),
    )


def hardest_rows_sentence(table: RowTable) -> str:
    """Say what to do with the hardest rows."""
    text = (
        "Rows whose label is the least likely, judged without it, counted from 0. Look here first"
        " for wrong labels, broken values, and cases that need another column to be told apart."
    )
    shown = len(table.columns) - len(FIRST_COLUMNS)
    if any(table.speaking):
        text += (
            " Values in bold are at least twice as frequent among rows of the likelier label;"
            " columns with most of that come first."
        )
    return text + (f" {shown} of {table.total} columns are shown." if shown < table.total else "")


def misplaced_rows(floor: Floor, values: Any) -> pl.DataFrame:
    """Return all rows that have a likelier label than their own, the least likely first.

    Parameters
    ----------
    floor : Floor
        The floor.
    values : data frame or array of n rows, or None
        The values to show.
    """
    import polars as pl

    order = rows_by_mismatch(floor, None)
    order = order[_likelier(floor, order) != floor.labels[order]]
    user = read_values(values, floor.n)
    spoken = [
        ", ".join(shorten(user.names[j]) for j in _speaking(one))
        for one in _evidence(floor, user, order)
    ]
    classes = [str(label) for label in floor.classes.tolist()]
    first: list[list[Any]] = [
        row_numbers(floor, order).tolist(),
        [classes[c] for c in floor.labels[order]],
        [classes[c] for c in _likelier(floor, order)],
        floor.local_mismatch[order].tolist(),
        spoken,
    ]
    names = [*FIRST_COLUMNS, SPEAKING]
    columns = dict(zip(names, first, strict=True))
    for j, name in enumerate(user.names):
        columns[_new_name(name, columns)] = user.take(j, order)
    kinds = {names[0]: pl.Int64, names[3]: pl.Float64}
    return pl.DataFrame(
        [_series(name, cells, kinds.get(name, pl.String)) for name, cells in columns.items()]
    )


def _new_name(name: str, taken: dict[str, Any]) -> str:
    """Return a name that is not taken."""
    return name if name not in taken else _new_name(f"{name} (table)", taken)


def _series(name: str, values: list[Any], empty: Any) -> pl.Series:
    """Return a column of numbers, or of text for anything else; `empty` is the type of none."""
    import polars as pl

    plain = [None if is_missing(value) else value for value in values]
    if not any(value is not None for value in plain):
        return pl.Series(name, plain, dtype=empty)
    if all(value is None or isinstance(value, int | float) for value in plain):
        return pl.Series(name, plain, strict=False)
    return pl.Series(name, [None if value is None else str(value) for value in plain])


def rows_by_mismatch(floor: Floor, most: int | None = MOST_ROWS) -> Ints:
    """Return the rows that were searched, the largest local mismatch first."""
    order = np.argsort(-floor.local_mismatch, kind="stable")  # NaN is last
    return order[: len(floor.known_mismatch)][:most]


def _likelier(floor: Floor, order: Ints) -> Ints:
    """Return the likeliest class of some rows: their own where no other is likelier."""
    best = floor.posterior[order].argmax(axis=1)
    own = floor.labels[order]
    highest = floor.posterior[order, best] > floor.posterior[order, own]
    return np.where(highest, best, own)


def row_numbers(floor: Floor, order: Ints) -> Ints:
    """Return where rows are in the table that was read, some of whose rows may be left out."""
    numbers = floor.run.origin.row_numbers
    return order if numbers is None else numbers[order]


def _first_cells(floor: Floor, order: Ints) -> list[list[str]]:
    """Return the cells before those of the user, column by column."""
    names, own, likelier = class_names(floor), floor.labels[order], _likelier(floor, order)
    return [
        [str(row) for row in row_numbers(floor, order)],
        [names[c] for c in own],
        [names[b] if b != a else "–" for a, b in zip(own, likelier, strict=True)],
        [percent(share) for share in floor.local_mismatch[order]],
    ]


def _speaking(evidence: Floats) -> list[int]:
    """Return the positions of the values that speak most for another class."""
    best = np.argsort(-evidence, kind="stable")[:MOST_SPEAKING]
    return [int(j) for j in best if evidence[j] >= SPEAKS]


def _evidence(floor: Floor, user: ShownColumns, order: Ints) -> Floats:
    """Return what each value of some rows says for their likelier label, (rows, columns)."""
    compared = _compared_rows(floor.n, len(user.names))
    rows = np.concatenate([compared, order])
    labels = np.concatenate([floor.labels[compared], np.full(len(order), -1)])
    asked = np.arange(len(compared), len(rows))
    own, other = floor.labels[order], _likelier(floor, order)
    found = np.zeros((len(order), len(user.names)))
    if not (own != other).any():
        return found
    for j in range(len(user.names)):
        column: NumericColumn = make_column(user.take(j, rows))
        found[:, j] = column_evidence(column, labels, asked, own, other)
    return found


def _compared_rows(n: int, columns: int) -> Ints:
    """Return the rows that show how frequent values are: all, or some of many."""
    most = min(MOST_ROWS_COMPARED, MOST_VALUES_COMPARED // max(columns, 1))
    if n <= most:
        return np.arange(n)
    return np.sort(np.random.default_rng(COMPARED_SEED).choice(n, most, replace=False))


def read_values(values: Any, n: int) -> ShownColumns:
    """Return the columns of a frame or array of n rows; None has none."""
    import narwhals.stable.v1 as nw

    if values is None:
        return ShownColumns([], n, lambda _, __: [])
    with reading("rows", "give each column its own name"):
        frame = nw.from_native(values, eager_only=True, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        columns = list(frame.iter_columns())
        found = ShownColumns(
            [series.name for series in columns],
            len(frame),
            lambda j, rows: columns[j][rows.tolist()].to_list(),
        )
    else:
        table = np.asarray(values)
        table = table[:, None] if table.ndim == 1 else table
        names = [f"column {j}" for j in range(table.shape[1])]
        found = ShownColumns(names, len(table), lambda j, rows: table[rows, j].tolist())
    if found.height != n:
        came = f"rows has {found.height} rows, the floor {n}"
        raise DataError(f"{came}; pass the rows it was computed from")
    return found
