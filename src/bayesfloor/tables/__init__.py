"""Files and data frames become columns of numbers with their labels.

`sources` opens files, `formats` picks the reader, `stack` joins the parts; `choose`, `words`,
`typed`, `screen`, `missing` and `encode` turn mixed columns into numbers.
"""

from __future__ import annotations

from bayesfloor.tables.encoding import SCALES
from bayesfloor.tables.missing_values import MISSING_CHOICES
from bayesfloor.tables.reader import LabelledTable, check_separator, read_table
from bayesfloor.tables.text_files import check_encoding

__all__ = [
    "MISSING_CHOICES",
    "SCALES",
    "LabelledTable",
    "check_encoding",
    "check_separator",
    "read_table",
]
