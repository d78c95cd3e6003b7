"""A table as it comes gives an answer by `bayesfloor estimate FILE --label NAME` alone."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import sqlite3
import zipfile
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import bayesfloor as bf
from bayesfloor.shells.cli import app

N = 121
NAMES = ["id", "seen on", "size", "colour", "remark", "species"]
WORDS = ["tall", "small", "near", "the", "old", "river", "wall", "with", "moss", "and", "rust"]


def rows() -> list[tuple[Any, ...]]:
    """Return a table with missing values, dates, an identifier, free text and a rare class."""
    rng = np.random.default_rng(23)
    made: list[tuple[Any, ...]] = []
    for row in range(N):
        kind = row % 2
        made.append(
            (
                f"r{row:03}",
                f"{2020 + row % 3}-{1 + (row * 7) % 12:02}-{1 + (row * 5) % 28:02}",
                None if row % 11 == 3 else round(float(rng.normal(2 * kind)), 3),
                None if row % 13 == 5 else ["red", "blue", "green"][int(rng.integers(0, 3))],
                " ".join(rng.choice(WORDS, 6)),
                "rare" if row == N - 1 else None if row == 7 else ["setosa", "virginica"][kind],
            )
        )
    return made


def frame() -> pl.DataFrame:
    return pl.DataFrame(rows(), schema=NAMES, orient="row")


def csv(path: Path) -> None:
    frame().write_csv(path)


def zipped(data: bytes) -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("plants.csv", data)
    return file.getvalue()


def packed_csv(pack: Callable[[bytes], bytes]) -> Callable[[Path], None]:
    def write(path: Path) -> None:
        path.write_bytes(pack(frame().write_csv(separator=";").encode()))

    return write


def json_array(path: Path) -> None:
    path.write_text(json.dumps([dict(zip(NAMES, row, strict=True)) for row in rows()], indent=1))


def json_lines(path: Path) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in frame().rows(named=True)))


def parquet(path: Path) -> None:
    frame().with_columns(pl.col("seen on").str.to_date()).write_parquet(path)


def written(value: object) -> str:
    return "?" if value is None else f"'{value}'" if " " in str(value) else str(value)


def arff(path: Path) -> None:
    types = ["string", "date 'yyyy-MM-dd'", "numeric", "{red,blue,green}", "string"]
    types.append("{setosa, virginica, rare}")
    head = ["% Some plants.", "%", "@RELATION 'some plants'", ""]
    head += [f"@ATTRIBUTE '{name}' {kind}" for name, kind in zip(NAMES, types, strict=True)]
    body = [",".join(map(written, row)) for row in rows()]
    path.write_text("\n".join([*head, "", "@DATA", *body, "%", ""]))


def keel(path: Path) -> None:
    types = [" {x}", " {x}", " real [-5.0, 9.0]", " {red, blue, green}", " {x}"]
    types.append("{setosa, virginica, rare}")
    names = [name.replace(" ", "_") for name in NAMES]
    head = ["@relation plants", *map("@attribute {}{}".format, names, types)]
    head += [f"@inputs {', '.join(names[:-1])}", f"@outputs {names[-1]}", "@data"]
    body = [", ".join("<null>" if v is None else str(v) for v in row) for row in rows()]
    path.write_text("\r\n".join([*head, *body]))


def sqlite(path: Path) -> None:
    with closing(sqlite3.connect(path)) as connection:
        columns = ", ".join(f'"{name}"' for name in NAMES)
        connection.execute(f"CREATE TABLE plants ({columns})")
        connection.executemany("INSERT INTO plants VALUES (?, ?, ?, ?, ?, ?)", rows())
        connection.commit()


FILES: dict[str, Callable[[Path], None]] = {
    "plants.csv": csv,
    "plants.csv.gz": packed_csv(gzip.compress),
    "plants.csv.bz2": packed_csv(bz2.compress),
    "plants.csv.xz": packed_csv(lzma.compress),
    "plants.csv.zip": packed_csv(zipped),
    "plants.json": json_array,
    "plants.jsonl": json_lines,
    "plants.parquet": parquet,
    "plants.arff": arff,
    "plants.dat": keel,
    "plants.sqlite": sqlite,
}
"""How the same table is written in each format."""


ALONE = "plants.csv"
"""The file for which the command has no option; the others leave out maps, which take long."""


@pytest.mark.parametrize("name", FILES)
def test_the_first_command_answers(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    FILES[name](path)
    representation = "auto" if name == ALONE else "raw"
    options = [] if name == ALONE else ["--representation", representation]
    words = ["estimate", str(path), "--label", "species", "--json", *options]
    result = CliRunner().invoke(app, words)
    assert (result.exit_code, result.stderr) == (0, "")
    found = json.loads(result.stdout)
    expected = bf.bayes_error(frame(), "species", representation=representation).to_dict()
    assert found["n"] == N - 2
    assert found["classes"] == ["setosa", "virginica"]
    assert found["columns"] == 3
    assert (found["lower"], found["upper"]) == (expected["lower"], expected["upper"])
    assert found["interval"] == list(expected["interval"])


def test_notes_say_what_was_done(tmp_path: Path) -> None:
    csv(tmp_path / "plants.csv")
    words = ["estimate", str(tmp_path / "plants.csv"), "--label", "species", "--method", "knn"]
    shown = CliRunner().invoke(app, words).stdout
    for what in (
        "texts of several words: 'remark'; the answer is about the other columns; --keep uses",
        "different in every row, like an identifier: 'id'; --keep uses a column anyway.",
        "Left out 1 of 121 rows without a label (0.8%).",
        "Left out 1 of 120 rows of classes with fewer than 5 rows (0.8%): 'rare' (1 row);",
        "Dates were turned into days, and year, month, weekday, hour where these vary: 'seen on'.",
        "Missing numbers were replaced by the median and marked in an extra column: 'size'.",
        "Missing texts count as a value of their own: 'colour'.",
    ):
        assert what in shown
