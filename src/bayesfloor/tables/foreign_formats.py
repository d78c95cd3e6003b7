"""Files of other programs that people pass as tables, told by their first bytes."""

from __future__ import annotations

import re

from bayesfloor.base.errors import DataError

FOREIGN_FORMATS = {
    "an HTML page": rb"\s*(?:<!--.*?-->\s*)*<(?:!doctype\s+html|html|head|body|table|div)\b",
    "XML": rb"\s*<\?xml\b",
    "a PDF document": rb"%PDF-",
    "an SPSS file": rb"\$FL[23]",
    "a Stata file": rb"<stata_dta>|[\x71-\x73][\x01\x02]\x01\x00",
    "a SAS file": rb"\x00{12}\xc2\xea\x81\x60",
    "an HDF5 file": rb"\x89HDF\r\n",
    "a pickle of Python": rb"\x80[\x02-\x05][\x95}\]c(K]",
    "an R file": rb"RD[AX][23]\n|[XAB]\n\x00\x00\x00[\x02\x03]",
    "an OpenDocument file": rb"PK\x03\x04.{26}mimetypeapplication/vnd\.oasis\.",
}
"""Patterns of the first bytes, as the programs write them, by what messages call the files."""


def refuse_foreign(head: bytes) -> None:
    """Refuse a file of another program.

    Examples
    --------
    >>> refuse_foreign(b"<html><table>")
    Traceback (most recent call last):
    bayesfloor.base.errors.DataError: this is an HTML page; save the table as CSV or Parquet
    """
    for name, start in FOREIGN_FORMATS.items():
        if re.match(start, head, re.DOTALL | re.IGNORECASE):
            raise DataError(f"this is {name}; save the table as CSV or Parquet")
