"""One call from files or a data frame to columns of numbers with their labels."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayesfloor.base.errors import DataError
from bayesfloor.tables.column_choice import choose_columns, find_columns
from bayesfloor.tables.column_types import typed_columns
from bayesfloor.tables.encoding import SCALES, encoded
from bayesfloor.tables.formats import Part, TextOptions, read_part
from bayesfloor.tables.label_column import check_labels, plain_labels
from bayesfloor.tables.missing_values import MISSING_CHOICES, check_missing, complete_rows, imputed
from bayesfloor.tables.screening import leak_notes, useful_columns
from bayesfloor.tables.sources import open_sources
from bayesfloor.tables.stacking import memory_parts, stacked
from bayesfloor.tables.text_files import check_encoding

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class LabelledTable:
    """A table ready for `bayes_error`.

    Attributes
    ----------
    X : polars.DataFrame
        Finite numbers, or true and false: scaled and encoded.
    y : polars.Series
        The labels.
    rows : polars.DataFrame
        The values as they came, of the rows and columns in `X`.
    notes : tuple of str
        Sentences a reader must know: what was left out, filled in, or gives the label away.
    name : str
        The file, or the first of several.
    crowded : bool
        Whether a column has more different texts than could have a column each.
    """

    X: pl.DataFrame
    y: pl.Series
    rows: pl.DataFrame
    notes: tuple[str, ...]
    name: str
    crowded: bool = False


def read_table(
    paths: Any,
    *,
    label: str | int,
    features: Any = None,
    drop: Any = None,
    keep: Any = None,
    header: bool = True,
    scale: str = "standard",
    missing: str = "error",
    separator: str | None = None,
    encoding: str | None = None,
) -> LabelledTable:
    r"""Read a table of mixed columns, and make it ready for `bayes_error`.

    Numbers are scaled, text is encoded so that two different texts are as far apart as two
    numbers a standard deviation apart; columns that identify rows or never change are left out.

    Parameters
    ----------
    paths : path, pattern, open file or data frame, or several of them
        Text with any usual separator, Parquet, Arrow, JSON lines, Excel, NumPy arrays; plain,
        gzip or Zstandard. "-" is standard input. Several files are put below each other.
    label : str or int
        The column of labels: its name, or its position from 1, or from -1 backwards.
    features, drop : str, int or list of them, optional
        Columns to use, all others by default, and columns not to use.
    keep : str, int or list of them, optional
        Columns to use though they look like identifiers or never change. Those named in
        `features` are kept too.
    header : bool
        Whether text starts with a line of names; else columns are "column 1", "column 2", ...
    scale : {"standard", "rank", "none"}
        Divide numbers by their standard deviation, or take their ranks and then that.
    missing : {"error", "drop", "impute"}
        Refuse missing values, leave out their rows, or fill them in and mark them.
    separator, encoding : str, optional
        Of text, when they are not found or not UTF-8.

    Returns
    -------
    LabelledTable

    Raises
    ------
    DataError
        If the table cannot be used; the message says which, where, and what to do. It names
        options as the command line does: ``--missing drop`` is ``missing="drop"`` here.

    Examples
    --------
    >>> import io
    >>> import bayesfloor as bf
    >>> file = io.BytesIO(b"size,shape,sort\n1,round,a\n2,flat,b\n3,round,a\n2,flat,b\n")
    >>> table = bf.read_table(file, label="sort", scale="none")
    >>> table.X.columns, table.X.rows()
    (['size', 'shape=round'], [(1.0, True), (2.0, False), (3.0, True), (2.0, False)])
    >>> bf.bayes_error(table).n
    4
    """
    _check_choice("scale", scale, SCALES)
    _check_choice("missing", missing, MISSING_CHOICES)
    check_encoding("encoding", encoding)
    options = TextOptions(header, check_separator("separator", separator), encoding)
    parts = _parts(paths, options)
    name = parts[0].name + (f" and {len(parts) - 1} more" if len(parts) > 1 else "")
    notes = tuple(dict.fromkeys(note for part in parts for note in part.notes))
    frame = stacked(parts).rechunk()  # medians of pieces take long
    del parts  # and their memory
    try:
        target, chosen = choose_columns(frame.columns, label=label, features=features, drop=drop)
        kept = find_columns(frame.columns, keep) if keep is not None else []
        named = {*kept, *(chosen if features is not None else [])}
        return _labelled(frame[[*chosen, target]], named, scale, missing, name, notes)
    except DataError as problem:
        raise DataError(f"{name}: {problem}") from problem.__cause__


def _parts(paths: Any, options: TextOptions) -> list[Part]:
    """Return the tables in memory or in files."""
    parts = memory_parts(paths)
    if parts is not None:
        return parts
    return [read_part(source, options) for source in open_sources(paths)]


def _labelled(
    frame: pl.DataFrame,
    keep: Collection[str],
    scale: str,
    missing: str,
    name: str,
    notes: tuple[str, ...],
) -> LabelledTable:
    """Make the columns of a frame, of which the last is the label, ready for distances."""
    labels, label_notes = plain_labels(frame.to_series(-1))
    typed, type_notes, strays = typed_columns(frame[:, :-1])
    typed, out_notes = useful_columns(typed, keep)
    rows = frame[typed.columns]
    drop_notes: tuple[str, ...] = ()
    if missing == "drop":
        full, drop_notes = complete_rows(typed, labels)
        typed, rows, labels = typed.filter(full), rows.filter(full), labels.filter(full)
    check_labels(labels)
    if missing == "error":
        check_missing(typed, strays)
    leaks = leak_notes(typed, labels)
    filled, marks, fill_notes = imputed(typed)
    X, level_notes = encoded([*filled.iter_columns(), *marks], scale)
    found = (label_notes, type_notes, out_notes, drop_notes, leaks, fill_notes, level_notes)
    notes += tuple(note for some in found for note in some)
    return LabelledTable(X, labels, rows, notes, name, crowded=bool(level_notes))


def _check_choice(name: str, value: object, choices: Collection[str]) -> None:
    if value not in choices:
        raise DataError(f"{name} is {value!r}; choose one of {', '.join(choices)}")


def check_separator(name: str, value: str | None) -> str | None:
    """Return a separator; a tab may be spelt out, as shells make it hard to type."""
    spelt = {"\\t": "\t", "tab": "\t", "space": " "}
    mark = spelt.get(value, value) if value is not None else None
    if mark is not None and (len(mark) != 1 or not mark.isascii() or mark in "\r\n\"'"):
        raise DataError(f"{name} is {value!r}; pass one character, or tab or space")
    return mark
