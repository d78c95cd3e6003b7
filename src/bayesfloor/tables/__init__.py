"""Files and data frames become columns of numbers with their labels.

`sources` opens files, `formats` reads them, `data_frames` takes frames from memory, `concatenation`
makes one table of several. Then `column_choice`, `label_column`, `column_types`, `screening`,
`dates`, `missing_values`, `leaks`, `scaling` and `category_encoding` turn mixed columns into
numbers; `reader` calls them in turn, `table_pair` does so for two tables together, and `preview`
says what columns hold before a label is chosen.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.base.late_imports import late_names

if TYPE_CHECKING:
    from bayesfloor.tables.character_encoding import check_encoding
    from bayesfloor.tables.column_choice import find_column, find_columns
    from bayesfloor.tables.header import header_names
    from bayesfloor.tables.label_column import MIN_CLASS_ROWS
    from bayesfloor.tables.labelled_table import LabelledTable
    from bayesfloor.tables.missing_values import MISSING_CHOICES
    from bayesfloor.tables.preview import ColumnPreview, TablePreview, preview_table
    from bayesfloor.tables.problems import Problems
    from bayesfloor.tables.read_options import FILE_OPTIONS, ReadOptions, check_separator
    from bayesfloor.tables.reader import is_readable, read_frame, read_table
    from bayesfloor.tables.scaling import SCALES
    from bayesfloor.tables.table_pair import NEW, OLD, TablePair, read_pair
    from bayesfloor.tables.unlabelled import encode_frame

__all__ = [
    "FILE_OPTIONS",
    "MIN_CLASS_ROWS",
    "MISSING_CHOICES",
    "NEW",
    "OLD",
    "SCALES",
    "ColumnPreview",
    "LabelledTable",
    "Problems",
    "ReadOptions",
    "TablePair",
    "TablePreview",
    "check_encoding",
    "check_separator",
    "encode_frame",
    "find_column",
    "find_columns",
    "header_names",
    "is_readable",
    "preview_table",
    "read_frame",
    "read_pair",
    "read_table",
]

__getattr__ = late_names(
    __name__,
    {
        "character_encoding": ("check_encoding",),
        "column_choice": (
            "find_column",
            "find_columns",
        ),
        "header": ("header_names",),
        "label_column": ("MIN_CLASS_ROWS",),
        "labelled_table": ("LabelledTable",),
        "missing_values": ("MISSING_CHOICES",),
        "preview": (
            "ColumnPreview",
            "TablePreview",
            "preview_table",
        ),
        "problems": ("Problems",),
        "read_options": (
            "FILE_OPTIONS",
            "ReadOptions",
            "check_separator",
        ),
        "reader": (
            "is_readable",
            "read_frame",
            "read_table",
        ),
        "scaling": ("SCALES",),
        "table_pair": (
            "NEW",
            "OLD",
            "TablePair",
            "read_pair",
        ),
        "unlabelled": ("encode_frame",),
    },
)
