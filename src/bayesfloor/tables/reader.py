"""One call turns files or data frames into columns of numbers with their labels."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.base.memory import check_space_for, memory_errors
from bayesfloor.base.options import check_choice, check_count
from bayesfloor.tables.column_choice import ChosenColumns, choose_columns, without_patterns
from bayesfloor.tables.concatenation import concat_tables
from bayesfloor.tables.data_frames import load_data_frames
from bayesfloor.tables.database_urls import load_database_urls
from bayesfloor.tables.formats import ColumnChoice, load_table, may_read_columns
from bayesfloor.tables.label_column import MIN_CLASS_ROWS
from bayesfloor.tables.labelled_table import LabelledTable, TableChoices, label_table
from bayesfloor.tables.loaded_table import LoadedTable
from bayesfloor.tables.missing_values import MISSING_CHOICES
from bayesfloor.tables.problems import Problems
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.scaling import SCALES
from bayesfloor.tables.sources import open_sources
from bayesfloor.tables.time_column import moments

if TYPE_CHECKING:
    import polars as pl

TITLE_ROWS = 20
"""Rows that may be titles above a header, at most; a judgement."""


def read_table(
    paths: Any,
    *,
    label: str | int,
    groups: str | int | None = None,
    time: str | int | None = None,
    sample_weight: str | int | None = None,
    key: str | int | None = None,
    features: Any = None,
    drop: Any = None,
    keep: Any = None,
    header: bool = True,
    scale: str = "standard",
    missing: str = "impute",
    min_class_rows: int = MIN_CLASS_ROWS,
    separator: str | None = None,
    encoding: str | None = None,
    table: str | None = None,
    query: str | None = None,
    max_memory: int | str | None = None,
) -> LabelledTable:
    r"""Read a table of mixed columns, and make it ready for `bayes_error`.

    Numbers are scaled. Dates become days, and their year, month, weekday and hour where these
    vary. Text is encoded: the distance of two different texts is that of two numbers that differ by
    one standard deviation. Columns that identify rows or never change are left out.

    Parameters
    ----------
    paths : path, pattern, folder, open file or data frame, or several of them
        Text with any common separator, Parquet, Arrow, JSON lines, arrays or objects, ARFF or KEEL,
        Excel or NumPy arrays, SQLite or DuckDB, plain or compressed by gzip, Zstandard,
        bzip2, xz or zip, or the URL of a database. "-" is standard input. The rows of several are
        combined, and so are those of all Parquet files in a folder. Data frames may be those of
        Dask, which compute on its cluster.
    label : str or int
        The column of labels: its name, or its position, counted from 1, or from -1 backwards.
    groups, time : str or int, optional
        A column that tells which rows belong together, such as those of one person, or when each
        row was; neither is used as a feature. See `bayes_error`.
    sample_weight : str or int, optional
        A column with the weight of each row; it is not used as a feature. See `bayes_error`.
    key : str or int, optional
        A column that is different in every row, by which predictions of a model are joined; it is
        not used as a feature.
    features, drop : str, int or list of them, optional
        Columns to use, by default all but the label, and columns not to use.
    keep : str, int or list of them, optional
        Columns to use even if they look like identifiers or free text, or never change. Columns in
        `features` are kept too.
    header : bool
        Whether text starts with a line of names; otherwise columns are called "column 1",
        "column 2", ...
    scale : {"standard", "rank", "none"}
        Whether numbers are divided by their standard deviation, replaced by their ranks first, or
        left as they are.
    missing : {"impute", "drop", "error"}
        Whether missing numbers are replaced by the median and marked in an extra column, and
        missing texts are one more value; or the rows are left out; or the table is refused. Rows
        without a label are left out unless the table is refused.
    min_class_rows : int
        Rows of a class with fewer rows than this are left out, as long as two classes remain; 0
        leaves out none.
    separator : str, optional
        The separator of text, if it is not detected.
    encoding : str, optional
        The encoding of text, if it is not UTF-8.
    table, query : str, optional
        The table of a database if it has several, or a query in its place.
    max_memory : int or str, optional
        The memory that reading may take, in bytes or such as "8GB"; by default what the system, the
        container and the shell leave. Tables that would take more are refused.

    Returns
    -------
    LabelledTable

    Raises
    ------
    DataError
        If the table cannot be used; the message says why, where, and what to do.

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
    check_space_for("polars")
    check_choice("scale", scale, SCALES)
    check_choice("missing", missing, MISSING_CHOICES)
    check_count("min_class_rows", min_class_rows, low=0)
    options = ReadOptions.from_arguments(locals())
    aside = {"groups": groups, "time": time, "sample_weight": sample_weight, "key": key}
    choose = partial(
        choose_columns, label=label, features=features, drop=drop, keep=keep, aside=aside
    )
    read = read_frame(paths, options, choose)
    with error_prefix(read.name), memory_errors():
        try:
            chosen = choose(read.all_names)
        except DataError as problem:
            raise DataError(f"{problem}{_header_hint(read.frame, label)}") from problem
        choices = TableChoices(
            chosen.keep,
            SCALES[scale],
            MISSING_CHOICES[missing],
            min_class_rows,
            grouped=not {"groups", "time"}.isdisjoint(chosen.aside),
            nameless=read.nameless,
        )
        frame = read.frame[[*chosen.features, chosen.label]]
        table_read = label_table(frame, choices, read.name, read.notes)
        return _with_aside(table_read, read.frame, chosen.aside)


def _header_hint(frame: pl.DataFrame, label: Any) -> str:
    """Say in which of the first rows the name of a label is, if it is no column."""
    if isinstance(label, str) and label not in frame.columns:
        for row, values in enumerate(frame.head(TITLE_ROWS).iter_rows()):
            if label in (value.strip() for value in values if isinstance(value, str)):
                return f"; row {row} holds {label!r}: if it has the names, delete the lines above"
    return ""


def _with_aside(
    table: LabelledTable, frame: pl.DataFrame, aside: Mapping[str, str]
) -> LabelledTable:
    """Add the columns that tell groups or times, of the rows that are used."""
    numbers = table.row_numbers
    found = {}
    for option, name in aside.items():
        values = frame[name] if numbers is None else frame[name].gather(numbers)
        values = moments(values) if option == "time" else values
        if values.null_count():
            row = int(values.is_null().arg_true()[0])
            row = row if numbers is None else int(numbers[row])
            raise DataError(
                f"{option}= names {name!r}, which has no value in row {row}; give every row one,"
                " or leave the row out"
            )
        found[option] = values
    return replace(
        table,
        groups=found.get("groups"),
        time=found.get("time"),
        sample_weight=found.get("sample_weight"),
        key=found.get("key"),
        rows_read=frame.height,
    )


def is_readable(value: Any) -> bool:
    """Return whether `read_table` would read it: a path, an open file, a frame, or several."""
    if isinstance(value, list | tuple):
        return bool(value) and all(map(is_readable, value))
    is_path = isinstance(value, str | os.PathLike)
    return is_path or hasattr(value, "read") or hasattr(value, "columns")


def read_frame(
    paths: Any, options: ReadOptions, choose: Callable[[list[str]], ChosenColumns] | None = None
) -> LoadedTable:
    """Read files or data frames, and make one frame of them, with its name and notes.

    With `choose`, other columns than those chosen may be missing from the frame, but not from the
    names.
    """
    with memory_errors():
        tables = _load_tables(paths, options, None if choose is None else _needed_by(choose))
    tables = [_plainly_named(table) for table in tables]
    name = tables[0].name + (f" and {len(tables) - 1} more" if len(tables) > 1 else "")
    notes = tuple(dict.fromkeys(note for table in tables for note in table.notes))
    with memory_errors():
        frame = concat_tables(tables).rechunk()  # polars is slow on the medians of chunks
    return LoadedTable(name, frame, notes, names=tables[0].names, nameless=tables[0].nameless)


def _needed_by(choose: Callable[[list[str]], ChosenColumns]) -> ColumnChoice:
    """Return what tells the columns that are chosen; all of them if the choice is refused.

    It is refused again, with all that is to say, when everything is read.
    """

    def needed(names: list[str]) -> list[str]:
        plain = without_patterns(names)
        shown = [plain.get(name, name) for name in names]
        try:
            chosen = choose(shown)
        except DataError:
            return names
        used = {chosen.label, *chosen.features, *chosen.aside.values()}
        return [name for name, title in zip(names, shown, strict=True) if title in used]

    return needed


def _plainly_named(table: LoadedTable) -> LoadedTable:
    """Return a table in which no name of a column stands for others."""
    renamed = without_patterns(table.all_names)
    frame = table.frame.rename(renamed, strict=False) if renamed else table.frame
    return replace(table, frame=frame, names=[renamed.get(name, name) for name in table.names])


def _load_tables(
    paths: Any, options: ReadOptions, needed: ColumnChoice | None
) -> list[LoadedTable]:
    """Load data frames, read from databases, or read files, of which one is held at a time."""
    loaded = load_data_frames(paths) or load_database_urls(paths, options)
    if loaded is not None:
        return loaded
    problems, tables, taken = Problems(), list[LoadedTable](), 0
    sources = open_sources(paths, max_memory=options.max_memory)
    needed = needed if all(map(may_read_columns, sources)) else None
    room = sources[0].limit
    while sources:
        source = sources.pop(0)
        source = replace(source, limit=max(min(source.limit, room - taken), 0))
        with problems.collected():
            tables.append(load_table(source, options, needed=needed))
            taken += int(tables[-1].frame.estimated_size())
            if needed is not None:
                needed = _always(tables[0].frame.columns)  # a position is one of the first file
    problems.check()
    return tables


def _always(columns: list[str]) -> ColumnChoice:
    return lambda _: columns
