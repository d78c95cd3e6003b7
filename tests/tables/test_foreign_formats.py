"""Files of other programs are told by what they are."""

from __future__ import annotations

import io
import pickle
import re
import zipfile
from pathlib import Path
from typing import Literal

import pandas as pd
import pytest

import bayesfloor as bf
from bayesfloor.tables import read_table

FRAME = pd.DataFrame({"a": [1, 2, 2, 1], "y": ["u", "v", "v", "u"]})


def dta(version: Literal[114, 118]) -> bytes:
    file = io.BytesIO()
    FRAME.to_stata(file, version=version)
    return file.getvalue()


def ods() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as archive:
        archive.writestr("mimetype", "application/vnd.oasis.opendocument.spreadsheet")
        archive.writestr("content.xml", "<x/>")
    return file.getvalue()


FILES = {
    "an HTML page": [FRAME.to_html().encode(), b"\n<!DOCTYPE html>\n<html>", b"<HTML><body>"],
    "XML": [b"<?xml version='1.0'?><rows/>", "\ufeff<?xml version='1.0'?>".encode("utf-16-le")],
    "a PDF document": [b"%PDF-1.4\n%\xe2\xe3"],
    "an SPSS file": [b"$FL2@(#) SPSS DATA FILE" + bytes(50)],
    "a Stata file": [dta(114), dta(118)],
    "a SAS file": [bytes(12) + b"\xc2\xea\x81\x60" + bytes(50)],
    "an HDF5 file": [b"\x89HDF\r\n\x1a\n" + bytes(50)],
    "a pickle of Python": [pickle.dumps(FRAME), pickle.dumps({"a": [1]}, 2)],
    "an R file": [b"RDX3\nX\n\x00\x00\x00\x03", b"X\n\x00\x00\x00\x03\x00\x04"],
    "an OpenDocument file": [ods()],
}


@pytest.mark.parametrize("name", FILES)
def test_files_of_other_programs_are_told(name: str) -> None:
    for data in FILES[name]:
        with pytest.raises(bf.DataError) as problem:
            read_table(io.BytesIO(data), label="y")
        said = f"open BytesIO: this is {name}; save the table as CSV or Parquet"
        assert str(problem.value) == said


def test_a_web_page_under_the_name_of_a_sheet_is_told(tmp_path: Path) -> None:
    path = tmp_path / "export.xls"
    path.write_bytes(FILES["an HTML page"][0])
    with pytest.raises(bf.DataError, match=re.escape("export.xls: this is an HTML page; save")):
        read_table(path, label="y")


@pytest.mark.parametrize("name", ["X", "XML", "div", "%PDF", "q", "RDX3", "<table", "<5"])
def test_tables_that_start_with_such_letters_are_read(name: str) -> None:
    text = f"{name}_,y\n1,u\n2,v\n2,v\n1,u\n"
    assert read_table(io.BytesIO(text.encode()), label="y").X.columns == [f"{name}_"]
