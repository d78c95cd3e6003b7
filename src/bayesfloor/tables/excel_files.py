"""The first sheet of an Excel workbook becomes a frame."""

from __future__ import annotations

import io
import logging
import re
import zipfile
from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.tables.column_choice import column_names
from bayesfloor.tables.compression import ZIP_START, member_pieces, too_large
from bayesfloor.tables.sources import Source

if TYPE_CHECKING:
    import polars as pl

UNNAMED_PREFIX = "__UNNAMED__"
"""What polars puts before the position of a sheet's column that has no name."""
SHEET = "xl/worksheets/"
"""Where the sheets of a workbook are (ECMA-376, part 1, section 12.3.24)."""
CELL_REFERENCE = re.compile(rb'\sr="([A-Z]{0,3})(\d{1,7})"')
"""Matches the place of a row, such as 12, or of a cell, such as AB12."""
SHARED_TEXTS = "xl/sharedStrings.xml"
"""Where the texts of cells are, each once (ECMA-376, part 1, section 12.3.15)."""
SHARED_CELL = b't="s"'
"""Marks a cell that shows one of these texts."""
SHARED_PLACE = re.compile(SHARED_CELL + rb"[^>]*>\s*<v>(\d{1,9})</v>")
"""Matches such a cell with the place of its text."""
REFERENCE_BYTES = 20
"""Bytes that the place of a cell takes at most: what pieces of a sheet overlap by."""
CELL_BYTES = 32
"""Bytes that a cell takes, empty ones between others too: the size of calamine's `Data`."""


def read_excel(source: Source) -> pl.DataFrame:
    """Read the first sheet, whose first row holds the names of the columns."""
    import polars as pl

    try:
        import fastexcel
    except ImportError as problem:
        install = "Excel files need an extra package: pip install 'bayesfloor[excel]'"
        raise DataError(f"{install}, or save the sheet as CSV") from problem
    logging.getLogger("fastexcel").setLevel(logging.ERROR)  # it warns of every empty column
    data = source.data
    if data.startswith(ZIP_START):
        _check_workbook(data, source.limit)
    frame = pl.read_excel(io.BytesIO(data), engine="calamine", raise_if_empty=False)
    book = fastexcel.read_excel(data)
    if not frame.height:
        empty = f"the first sheet, {book.sheet_names[0]!r}, has no rows below a header"
        raise DataError(f"{empty}; put the table there, or save its sheet as CSV")
    header = book.load_sheet(0, header_row=None, n_rows=1, dtypes="string").to_polars().row(0)
    column_names([name for name in header if name])  # polars would rename duplicates
    unnamed = [name for name in frame.columns if name.startswith(UNNAMED_PREFIX)]
    return frame.rename(
        {name: _by_position(int(name.removeprefix(UNNAMED_PREFIX))) for name in unnamed}
    )


def _by_position(place: int) -> str:
    """Return a name for a column without one; the first, which may number the rows, has none."""
    return f"column {place + 1}" if place else ""


def _check_workbook(data: bytes, limit: int) -> None:
    """Refuse a workbook that takes too much memory: unpacked, or as a rectangle of cells.

    A cell far below and to the right of the others makes the rectangle around them huge.
    """
    size = texts = 0
    with zipfile.ZipFile(io.BytesIO(data)) as book:
        for member in book.infolist():
            rows, letters, tail = 0, set[bytes](), b""
            for piece in member_pieces(book, member):
                size += len(piece)
                if member.filename.startswith(SHEET):
                    texts += piece.count(SHARED_CELL)
                    found = CELL_REFERENCE.findall(tail + piece)
                    letters |= {column for column, _ in found}
                    rows = max([rows, *{int(row) for _, row in found}])
                    tail = piece[-REFERENCE_BYTES:]
                cells = rows * max(map(_column_number, letters), default=0)
                if size > limit or cells * CELL_BYTES > limit:
                    raise too_large("the sheets of the workbook", limit)
        if _shared_texts_size(book, texts, limit) > limit:
            raise too_large("the texts of the workbook", limit)


def _shared_texts_size(book: zipfile.ZipFile, cells: int, enough: int) -> int:
    """Return the bytes of all texts, each as often as cells show it, or a bound that is enough.

    A text that many cells show is in the workbook once, and in memory once for each.
    """
    if SHARED_TEXTS not in book.namelist():
        return 0
    lengths = [len(text) for text in book.read(SHARED_TEXTS).split(b"</si>")]
    if max(lengths) * cells <= enough:
        return max(lengths) * cells
    sheets = [name for name in book.namelist() if name.startswith(SHEET)]
    shown = (int(place) for name in sheets for place in SHARED_PLACE.findall(book.read(name)))
    return sum(lengths[place] for place in shown if place < len(lengths))


def _column_number(letters: bytes) -> int:
    """Return the number of a column from its letters, counted from 1.

    Examples
    --------
    >>> _column_number(b"A"), _column_number(b"AB"), _column_number(b"XFD")
    (1, 28, 16384)
    """
    number = 0
    for letter in letters:
        number = 26 * number + letter - ord("A") + 1
    return number
