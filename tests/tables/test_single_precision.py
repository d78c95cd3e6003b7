"""Numbers in single precision are the same table as their values in double precision."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest

import bayesfloor as bf
from bayesfloor.tables.column_types import infer_types
from bayesfloor.tables.problems import Problems

ROWS = 3000


@pytest.fixture(scope="module")
def frame() -> pl.DataFrame:
    """Columns of every kind that rules look at, as Float32."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, ROWS)
    who = rng.permutation(ROWS) // 10
    missing = pl.Series(rng.normal(size=ROWS)).set(pl.Series(rng.random(ROWS) < 0.1), None)
    columns = {
        "far": rng.normal(size=ROWS) + y + 1e6,
        "grid": np.round(rng.normal(size=ROWS) + y, 1),
        "large": rng.normal(size=ROWS) * 5e37,
        "small": rng.normal(size=ROWS) * 1e-40,
        "missing": missing,
        "nan": np.where(rng.random(ROWS) < 0.1, np.nan, rng.normal(size=ROWS)),
        "row": np.arange(ROWS) + 2**20,
        "same": np.ones(ROWS),
        "group": (who * 977) % 4096 + 2**23,
        "leak": y + rng.normal(size=ROWS) * 1e-3,
    }
    label = pl.Series("y", (who % 2) ^ (rng.random(ROWS) < 0.001))
    columns["leak"] = label.to_numpy() + rng.normal(size=ROWS) * 1e-3
    return pl.DataFrame(columns).cast(pl.Float32).with_columns(label)


def doubled(frame: pl.DataFrame) -> pl.DataFrame:
    return frame.cast({pl.Float32: pl.Float64})


@pytest.mark.parametrize("scale", ["standard", "rank", "none"])
@pytest.mark.parametrize("missing", ["impute", "drop"])
@pytest.mark.parametrize("keep", [None, ["row", "same"]])
def test_the_table_is_the_same_to_the_last_bit(
    frame: pl.DataFrame, scale: str, missing: str, keep: Any
) -> None:
    options: dict[str, Any] = {"label": "y", "scale": scale, "missing": missing, "keep": keep}
    single, double = (bf.read_table(one, **options) for one in (frame, doubled(frame)))
    assert single.X.equals(double.X)
    assert set(single.X.dtypes) <= {pl.Float64, pl.Boolean}
    assert single.notes == double.notes
    assert any("Possible leak" in getattr(note, "headline", "") for note in single.notes)
    assert any("'group'" in note for note in single.notes)


def test_columns_are_not_copied_into_double_precision(frame: pl.DataFrame) -> None:
    typed = infer_types(frame.select("far", "grid", "large"), Problems()).frame
    assert typed.dtypes == [pl.Float32] * 3


def test_infinity_is_refused(frame: pl.DataFrame) -> None:
    bad = frame.with_columns(pl.when(pl.col("row") == 2**20 + 7).then(np.inf).otherwise("grid"))
    bad = bad.with_columns(grid=pl.col("literal").cast(pl.Float32)).drop("literal")
    with pytest.raises(bf.DataError, match="column 'grid' holds infinity in row 7"):
        bf.read_table(bad, label="y")


@pytest.mark.parametrize("representation", ["raw", "auto"])
def test_a_floor_has_the_same_digits_from_memory_maps_arrays_and_files(
    tmp_path: Path, representation: str
) -> None:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 600)
    X = (rng.normal(size=(600, 3)) + y[:, None]).astype(np.float32)
    np.save(tmp_path / "X.npy", X)
    np.save(tmp_path / "y.npy", y)
    np.save(tmp_path / "double.npy", X.astype(np.float64))
    mapped = [np.load(tmp_path / name, mmap_mode="r") for name in ("X.npy", "double.npy")]
    floors = [
        bf.bayes_error(one, y, representation=representation)
        for one in (X, X.astype(np.float64), *mapped)
    ]
    assert len({floor.interval for floor in floors}) == 1
    for floor in floors[1:]:
        np.testing.assert_array_equal(floor.posterior, floors[0].posterior)
    titles = [f"x{j}" for j in range(3)]
    table = pl.DataFrame(X, schema=titles).with_columns(y=pl.Series(y))
    table.write_parquet(tmp_path / "single.parquet")
    doubled(table).write_parquet(tmp_path / "double.parquet")
    options: dict[str, Any] = {"label": "y", "representation": representation}
    found = [
        bf.bayes_error(tmp_path / f"{name}.parquet", **options) for name in ("single", "double")
    ]
    found.append(bf.bayes_error([tmp_path / "X.npy", tmp_path / "y.npy"], **options))
    assert len({floor.interval for floor in found}) == 1
