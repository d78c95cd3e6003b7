"""`bayes_error` reads frames and files with the name of a label, and takes arrays as they are."""

from __future__ import annotations

import io
import json
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from typer.testing import CliRunner

import bayesfloor as bf
from bayesfloor.report.document import document
from bayesfloor.shells.cli import app

N = 90


def columns() -> dict[str, Any]:
    rng = np.random.default_rng(0)
    side = np.arange(N) % 3
    return {
        "id": [f"r{row}" for row in range(N)],
        "size": [None if row % 9 == 4 else round(v, 3) for row, v in enumerate(rng.normal(side))],
        "colour": [("red", "green", "blue")[c] for c in (side + rng.integers(0, 2, N)) % 3],
        "day": [f"2024-{1 + row % 12:02}-{1 + row % 27:02}" for row in range(N)],
        "species": [("u", "v", "w")[c] for c in side],
    }


@pytest.fixture(scope="module")
def csv(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("input") / "table.csv"
    pl.DataFrame(columns()).write_csv(path)
    return path


@pytest.mark.parametrize(
    "options",
    [{"method": "knn"}, {"method": "knn", "missing": "drop", "scale": "rank", "drop": "day"}],
)
def test_frame_path_and_command_give_the_same(csv: Path, options: dict[str, Any]) -> None:
    words = [word for name, value in options.items() for word in (f"--{name}", value)]
    command = CliRunner().invoke(
        app, ["estimate", str(csv), "--label", "species", "--json", *words]
    )
    expected = json.loads(command.stdout)
    frame = pl.DataFrame(columns())
    for given in (frame, frame.to_pandas(), frame.to_arrow(), csv, str(csv), [csv]):
        assert document(bf.bayes_error(given, "species", **options)) == expected
        assert document(bf.bayes_error(given, label="species", **options)) == expected
    assert document(bf.bayes_error(io.BytesIO(csv.read_bytes()), label=-1, **options)) == expected
    assert expected["columns"] == (2 if "drop" in options else 3)


def test_what_cannot_be_read_is_named_with_the_parameter(csv: Path) -> None:
    frame, X = pd.DataFrame(columns()), np.arange(10.0).reshape(5, 2)
    cases: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
        ((frame, "Species"), {}, "data frame: no column 'Species'; did you mean 'species'?"),
        ((frame, frame["species"]), {"label": "species"}, "both y and label= are given; pass one"),
        (
            (X,),
            {"label": "a"},
            "label= names a column, but X is of type ndarray; pass a data frame",
        ),
        ((X, "a"), {}, "y is a single str; pass one label a row"),
        (
            (str(csv),),
            {},
            'the column of labels is not named; pass its name, as in label="species"',
        ),
        (
            (X, [0, 1, 0, 1, 0]),
            {"scale": "none"},
            "scale= is for tables that are still to be read;",
        ),
        (
            (bf.read_table(frame, label=-1),),
            {"drop": "id"},
            "drop= is for tables that are still to",
        ),
    ]
    read = bf.read_table(frame, label=-1)
    cases.append(((read,), {"label": "id"}, "label= is for tables that are still to be read;"))
    for given, options, message in cases:
        with pytest.raises(bf.DataError) as caught:
            bf.bayes_error(*given, **options)
        assert str(caught.value).startswith(message)
    with pytest.raises(
        TypeError, match=r"bayes_error\(\) got an unexpected keyword argument 'sclae'"
    ):
        bf.bayes_error(frame, "species", sclae="none")


def test_memory_is_limited_in_python_and_on_the_command_line(csv: Path) -> None:
    assert bf.bayes_error(csv, "species", max_memory="100MB", method="knn").n == N
    with pytest.raises(bf.DataError, match=r"or a larger max_memory=$"):
        bf.bayes_error(csv, "species", max_memory="1kB")
    words = ["estimate", str(csv), "--label", "species", "--max-memory", "1kB"]
    assert CliRunner().invoke(app, words).stderr.endswith("or a larger --max-memory\n")


def test_problems_after_reading_name_the_file(csv: Path) -> None:
    with pytest.raises(
        bf.DataError, match=r"table\.csv: k is 999; pass a whole number from 1 to 89"
    ):
        bf.bayes_error(csv, "species", method="knn", k=999)


def test_arrays_of_different_scales_are_noted() -> None:
    raw, rng = partial(bf.bayes_error, representation="raw"), np.random.default_rng(0)
    X, y = rng.normal(size=(300, 3)) * [1, 1000, 5], np.arange(300) % 2
    note = raw(X, y).notes[0]
    assert note.startswith("Columns differ in scale: column 1 varies 1,0")
    assert "times as much as column 0, so distances hardly see the latter" in note
    frame = pd.DataFrame(X, columns=["a", "b", "c"])
    assert "column 'b' varies 1,0" in raw(frame, y).notes[0]
    assert "column 'b' varies 1,0" in raw(pa.table(frame), y).notes[0]
    for alike in (X / [1, 50, 5], X * [0, 1, 10], X[:, :1]):
        assert not any("differ in scale" in text for text in raw(alike, y).notes)
    assert not any("differ in scale" in n for n in raw(frame.assign(y=y), "y").notes)
