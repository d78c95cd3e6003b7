"""One call turns files or data frames into columns of numbers with their labels."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.tables.category_encoding import encode_columns
from bayesfloor.tables.character_encoding import check_encoding
from bayesfloor.tables.column_choice import choose_columns, find_columns
from bayesfloor.tables.column_types import infer_types
from bayesfloor.tables.concatenation import concat_tables
from bayesfloor.tables.data_frames import load_data_frames
from bayesfloor.tables.formats import load_table
from bayesfloor.tables.label_column import check_labels, clean_labels
from bayesfloor.tables.leaks import leak_notes
from bayesfloor.tables.loaded_table import LoadedTable
from bayesfloor.tables.missing_values import MISSING_CHOICES, check_missing, complete_rows, impute
from bayesfloor.tables.scaling import SCALES
from bayesfloor.tables.screening import useful_columns
from bayesfloor.tables.sources import open_sources
from bayesfloor.tables.text_files import TextOptions, check_separator

if TYPE_CHECKING:
    import polars as pl


@dataclass(frozen=True, slots=True, eq=False)
class LabelledTable:
    """Holds a table that is ready for `bayes_error`.

    Attributes
    ----------
    X : polars.DataFrame
        Finite numbers, or true and false: numbers are scaled, text is encoded.
    y : polars.Series
        The labels.
    rows : polars.DataFrame
        The original values of the rows and columns that were used.
    notes : tuple of str
        Sentences that say what was left out or filled in, and what gives the label away.
    name : str
        The name of the file, or of the first of several.
    texts_merged : bool
        Whether a column has so many different texts that some of them share columns of `X`.
    """

    X: pl.DataFrame
    y: pl.Series
    rows: pl.DataFrame
    notes: tuple[str, ...]
    name: str
    texts_merged: bool = False


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
    max_memory: int | str | None = None,
) -> LabelledTable:
    r"""Read a table of mixed columns, and make it ready for `bayes_error`.

    Numbers are scaled. Text is encoded: the distance of two different texts is that of two numbers
    that differ by one standard deviation. Columns that identify rows or never change are left out.

    Parameters
    ----------
    paths : path, pattern, open file or data frame, or several of them
        Text with any common separator, Parquet, Arrow, JSON lines, Excel or NumPy arrays, plain or
        compressed by gzip, Zstandard, bzip2, xz or zip. "-" is standard input. The rows of several
        are combined.
    label : str or int
        The column of labels: its name, or its position, counted from 1, or from -1 backwards.
    features, drop : str, int or list of them, optional
        Columns to use, by default all but the label, and columns not to use.
    keep : str, int or list of them, optional
        Columns to use even if they look like identifiers or never change. Columns in `features`
        are kept too.
    header : bool
        Whether text starts with a line of names; otherwise columns are called "column 1",
        "column 2", ...
    scale : {"standard", "rank", "none"}
        Whether numbers are divided by their standard deviation, replaced by their ranks first, or
        left as they are.
    missing : {"error", "drop", "impute"}
        Whether missing values are refused, their rows left out, or filled in and marked.
    separator : str, optional
        The separator of text, if it is not detected.
    encoding : str, optional
        The encoding of text, if it is not UTF-8.
    max_memory : int or str, optional
        The memory that reading may take, in bytes or such as "8GB"; by default what the system, the
        container and the shell leave. Files that would take more are refused.

    Returns
    -------
    LabelledTable

    Raises
    ------
    DataError
        If the table cannot be used; the message says why, where, and what to do. It names options
        as on the command line: ``--missing drop`` is ``missing="drop"`` here.

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
    tables = _load_tables(paths, options, max_memory)
    name = tables[0].name + (f" and {len(tables) - 1} more" if len(tables) > 1 else "")
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    frame = concat_tables(tables).rechunk()  # polars is slow on the medians of chunks
    del tables  # frees their memory
    with error_prefix(name):
        target, chosen = choose_columns(frame.columns, label=label, features=features, drop=drop)
        kept = find_columns(frame.columns, keep) if keep is not None else []
        keep = {*kept, *(chosen if features is not None else [])}
        return _label_table(frame[[*chosen, target]], keep, scale, missing, name, notes)


def _load_tables(paths: Any, options: TextOptions, max_memory: Any) -> list[LoadedTable]:
    """Load data frames, or read files."""
    tables = load_data_frames(paths)
    if tables is not None:
        return tables
    sources = open_sources(paths, max_memory=max_memory)
    return [load_table(source, options) for source in sources]


def _label_table(
    frame: pl.DataFrame,
    keep: Collection[str],
    scale: str,
    missing: str,
    name: str,
    notes: tuple[str, ...],
) -> LabelledTable:
    """Turn the columns of a frame, the last of which is the label, into numbers."""
    labels, label_notes = clean_labels(frame.to_series(-1))
    types = infer_types(frame[:, :-1])
    typed, left_out_notes = useful_columns(types.frame, keep)
    rows = frame[typed.columns]
    notes += label_notes + types.notes + left_out_notes
    if missing == "drop":
        complete, drop_notes = complete_rows(typed, labels)
        typed, rows, labels = typed.filter(complete), rows.filter(complete), labels.filter(complete)
        notes += drop_notes
    check_labels(labels)
    if missing == "error":
        check_missing(typed, types.strays)
    leaks = leak_notes(typed, labels)
    filled, marks, impute_notes = impute(typed)
    X, merged_notes = encode_columns([*filled.iter_columns(), *marks], SCALES[scale])
    notes += leaks + impute_notes + merged_notes
    return LabelledTable(X, labels, rows, notes, name, texts_merged=bool(merged_notes))


def _check_choice(name: str, value: object, choices: Collection[str]) -> None:
    if value not in choices:
        raise DataError(f"{name} is {value!r}; choose one of {', '.join(choices)}")
