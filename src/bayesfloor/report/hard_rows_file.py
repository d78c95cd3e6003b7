"""The rows with a likelier label than their own as a CSV file that spreadsheets can open safely."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesfloor.base.files import check_csv, write_whole
from bayesfloor.floor import Floor
from bayesfloor.report.hardest_rows import FIRST_COLUMNS, SPEAKING, misplaced_rows

if TYPE_CHECKING:
    import polars as pl

FORMULA = r"^\s*[=+\-@＝＋－＠]|^[\t\r\n]"
"""Matches text that a spreadsheet would run as a formula (OWASP, CSV injection)."""
HEADER = ",".join((*FIRST_COLUMNS, SPEAKING))
"""How the file starts: only such a file may be overwritten."""


def check_hard_rows(path: str | PathLike[str]) -> Path:
    """Return the path if the rows can be written there; raise a DataError if not."""
    return check_csv(path, HEADER)


def write_hard_rows(floor: Floor, path: str | PathLike[str], *, rows: Any = None) -> Path:
    """Write all rows with a likelier label than their own, the least likely first.

    Parameters
    ----------
    floor : Floor
        The floor.
    path : str or path
        A CSV file; it is written aside and then renamed.
    rows : data frame or array of n rows, optional
        The values to write; by default the rows as they were given.
    """
    check_hard_rows(path)
    table = misplaced_rows(floor, floor.display if rows is None else rows)
    return write_whole(path, inert(table).write_csv())


def inert(table: pl.DataFrame) -> pl.DataFrame:
    """Put an apostrophe before text that a spreadsheet would run, in cells and names.

    Examples
    --------
    >>> import polars as pl
    >>> inert(pl.DataFrame({"=a": ["=1+1", "plain"], "b": [-1, 2]})).to_dict(as_series=False)
    {"'=a": ["'=1+1", 'plain'], 'b': [-1, 2]}
    """
    import polars as pl

    texts = pl.col(pl.String)
    safe = pl.when(texts.str.contains(FORMULA)).then("'" + texts).otherwise(texts)
    names = pl.Series(table.columns, dtype=pl.String)
    risky = names.str.contains(FORMULA)
    renamed = [f"'{name}" if risk else name for name, risk in zip(names, risky, strict=True)]
    return table.with_columns(safe.name.keep()).rename(
        dict(zip(table.columns, renamed, strict=True))
    )
