"""Files become columns of numbers and a column of labels; alone in opening the user's files."""

from __future__ import annotations

import csv
import gzip
import io
import reprlib
import zlib
from collections import Counter
from collections.abc import Iterator
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING

from bayesfloor.errors import DataError

if TYPE_CHECKING:
    import polars as pl

GZIP = b"\x1f\x8b"
"""The first bytes of a gzip file."""
MOST_NAMES = 8
"""Column names that a message lists."""


def read_csv(path: str | PathLike[str], label: str) -> tuple[pl.DataFrame, pl.Series]:
    r"""Read a comma-separated table with a header, plain or gzipped.

    Empty lines are skipped. Missing values stay missing, for `bayes_error` to name them.

    Parameters
    ----------
    path : str or path
        The file, in UTF-8.
    label : str
        Name of the column that holds the labels; all others hold numbers or true and false.

    Returns
    -------
    features : polars.DataFrame
        The other columns, in the order of the file.
    labels : polars.Series
        The labels.

    Raises
    ------
    DataError
        If the file cannot be used; the message says which, where, and what to do.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile(suffix=".csv") as file:
    ...     _ = file.write(b"size,sort\n1,a\n2.5,b\n")
    ...     file.flush()
    ...     features, labels = read_csv(file.name, "sort")
    >>> features.rows(), labels.to_list()
    ([(1.0,), (2.5,)], ['a', 'b'])
    """
    try:
        data = _contents(Path(path))
        _check_header(next(_lines(data), (1, []))[1], label)
        frame = _parsed(data)
        return _split(frame, label)
    except DataError as problem:
        raise DataError(f"{path}: {problem}") from problem.__cause__


def _contents(path: Path) -> bytes:
    """Return the text in a file, as bytes."""
    try:
        data = path.read_bytes()
        return gzip.decompress(data) if data.startswith(GZIP) else data
    except FileNotFoundError as problem:
        raise DataError("no such file; check the path") from problem
    except IsADirectoryError as problem:
        raise DataError("a directory, not a file; pass a CSV file") from problem
    except PermissionError as problem:
        raise DataError("no permission to read the file; ask its owner for it") from problem
    except (EOFError, zlib.error, gzip.BadGzipFile) as problem:
        raise DataError("the gzip file is damaged or cut short; compress it again") from problem
    except (OSError, ValueError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise DataError(f"the file cannot be read ({reason}); check the path") from problem


def _lines(data: bytes) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines that are not empty: number, counted from 1, and fields."""
    if b"\0" in data:
        raise DataError("binary data, not text; pass a CSV file in UTF-8")
    reader = csv.reader(io.TextIOWrapper(io.BytesIO(data), "utf-8-sig", newline=""))
    try:
        yield from ((reader.line_num, fields) for fields in reader if fields)
    except UnicodeDecodeError as problem:
        raise DataError("not UTF-8 text; save it as a CSV file in UTF-8") from problem
    except csv.Error as problem:
        raise DataError(f"not a CSV file ({problem}); check quotes and separators") from problem


def _check_header(names: list[str], label: str) -> None:
    """Refuse a header without the label, or with names that are empty or come twice."""
    if not names:
        raise DataError("the file is empty; pass a CSV file with a header and rows")
    if label not in names:
        shown = ", ".join(map(reprlib.repr, names[:MOST_NAMES]))
        more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
        hint = ", and separate columns by commas" if len(names) == 1 else ""
        raise DataError(f"no column {label!r}; name the label column, one of {shown}{more}{hint}")
    if "" in names:
        place = f"column {names.index('') + 1} of {len(names)} has no name in the header"
        raise DataError(f"{place}; name it, or remove it if it holds row numbers")
    name, times = Counter(names).most_common(1)[0]
    if times > 1:
        raise DataError(f"{times} columns are named {name!r}; give each its own name")
    if len(names) == 1:
        raise DataError(f"no column but the label {label!r}; add columns of numbers")


def _parsed(data: bytes) -> pl.DataFrame:
    """Read the columns, each with the type that fits all its rows."""
    import polars as pl

    try:
        frame = pl.read_csv(data, infer_schema_length=None)
    except Exception as problem:
        raise DataError(_complaint(data)) from problem
    frame = frame.filter(~pl.all_horizontal(pl.all().is_null()))
    if frame.is_empty():
        raise DataError("no rows below the header; pass a CSV file with a header and rows")
    return frame


def _complaint(data: bytes) -> str:
    """Say why a table cannot be parsed: the first line that is too long, or text in doubt."""
    lines = _lines(data)
    width = len(next(lines)[1])
    for number, fields in lines:
        if len(fields) > width:
            return f"line {number} has {len(fields)} fields, the header {width}; make them equal"
    return "not a CSV file; check quotes and separators"


def _split(frame: pl.DataFrame, label: str) -> tuple[pl.DataFrame, pl.Series]:
    """Part the label from the columns of numbers."""
    import polars as pl

    features = frame.drop(label).with_columns(pl.col(pl.Int128).cast(pl.Float64))
    for column in features.select(pl.col(pl.String)).iter_columns():
        features = features.with_columns(_numbers(column))
    labels = frame.get_column(label)
    return features, labels.cast(pl.String) if labels.dtype == pl.Int128 else labels


def _numbers(column: pl.Series) -> pl.Series:
    """Read text as numbers, where spaces or very many digits hid them."""
    import polars as pl

    numbers = column.str.strip_chars().cast(pl.Float64, strict=False)
    unread = numbers.is_null() & column.is_not_null()
    if unread.any():
        row = unread.arg_true()[0]
        where = f"column {column.name!r} holds {reprlib.repr(column[row])} in row {row}"
        raise DataError(f"{where}; turn text into numbers, or drop the column")
    return numbers
