"""The first sheet of an Excel workbook becomes a frame."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.tables.column_choice import column_names
from bayesfloor.tables.sources import Source

if TYPE_CHECKING:
    import polars as pl

UNNAMED_PREFIX = "__UNNAMED__"
"""What polars puts before the position of a sheet's column that has no name."""


def read_excel(source: Source) -> pl.DataFrame:
    """Read the first sheet, whose first row holds the names of the columns."""
    import polars as pl

    try:
        import fastexcel
    except ImportError as problem:
        install = "Excel files need an extra package: pip install 'bayesfloor[excel]'"
        raise DataError(f"{install}, or save the sheet as CSV") from problem
    data = source.data[:]
    frame = pl.read_excel(io.BytesIO(data), engine="calamine", raise_if_empty=False)
    book = fastexcel.read_excel(data)
    if not frame.height:
        empty = f"the first sheet, {book.sheet_names[0]!r}, has no rows below a header"
        raise DataError(f"{empty}; put the table there, or save its sheet as CSV")
    header = book.load_sheet(0, header_row=None, n_rows=1, dtypes="string").to_polars().row(0)
    column_names([name for name in header if name])  # polars would rename duplicates
    unnamed = [name for name in frame.columns if name.startswith(UNNAMED_PREFIX)]
    return frame.rename(
        {name: f"column {int(name.removeprefix(UNNAMED_PREFIX)) + 1}" for name in unnamed}
    )
