"""Print what a call on a large table takes, by how the table is given: memory maps and Parquet.

    python benchmarks/input_memory.py    # 10,000,000 rows of 20 columns, max_memory of 7 GB
    python benchmarks/input_memory.py --rows 1000000 --max-memory 2GB

Every call runs in a process of its own: the memory is its peak, libraries and the pages of mapped
files included, and the time that of its processor. All four tables hold the same values, so their
digits differ only by the rows that are drawn, and by the scaling of columns that are read.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl

import bayesfloor as bf

CHUNK = 100_000
"""Rows that are written at a time."""
SHIFT, TELLING = 0.4, 3
"""How far apart two classes are, in so many of the columns."""
KINDS = {
    "float32, memory map": "single.npy",
    "float64, memory map": "double.npy",
    "float32, Parquet": "single.parquet",
    "float64, Parquet": "double.parquet",
}
"""Ways to give a table, and its file."""


def write_tables(folder: Path, rows: int, columns: int) -> None:
    """Write the same table in all ways."""
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, rows)
    np.save(folder / "y.npy", y)
    shape = (rows, columns)
    single = np.lib.format.open_memmap(folder / "single.npy", "w+", np.float32, shape)
    double = np.lib.format.open_memmap(folder / "double.npy", "w+", np.float64, shape)
    for start in range(0, rows, CHUNK):
        some = slice(start, min(rows, start + CHUNK))
        values = rng.normal(size=(some.stop - start, columns))
        values[:, :TELLING] += SHIFT * y[some, None]
        single[some] = values
        double[some] = single[some]
    for name, points in (("single", single), ("double", double)):
        titles = {f"x{j}": np.ascontiguousarray(points[:, j]) for j in range(columns)}
        pl.DataFrame({**titles, "y": y}).write_parquet(folder / f"{name}.parquet")


def call(folder: Path, kind: str, max_memory: str, tolerance: float) -> dict[str, Any]:
    """Bound the error of a table, and return what it took."""
    path = folder / KINDS[kind]
    options: dict[str, Any] = {
        "representation": "raw",
        "max_memory": max_memory,
        "tolerance": tolerance,
    }
    if path.suffix == ".npy":
        X, y = (np.load(one, mmap_mode="r") for one in (path, folder / "y.npy"))
        floor = bf.bayes_error(X, y, **options)
    else:
        floor = bf.bayes_error(path, label="y", **options)
    used = resource.getrusage(resource.RUSAGE_SELF)
    return {
        "memory": used.ru_maxrss * 1024,
        "seconds": used.ru_utime + used.ru_stime,
        "rows": floor.n,
        "interval": floor.interval,
    }


def main() -> None:
    """Print a line for each way."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--rows", type=int, default=10_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--max-memory", default="7GB", help="of the call, without libraries")
    parser.add_argument("--tolerance", type=float, default=0.02)
    parser.add_argument("--in", dest="folder", type=Path, help=argparse.SUPPRESS)
    parser.add_argument("--kind", help=argparse.SUPPRESS)
    asked = parser.parse_args()
    if asked.kind:
        found = call(asked.folder, asked.kind, asked.max_memory, asked.tolerance)
        sys.stdout.write(json.dumps(found))
    elif asked.folder:
        write_tables(asked.folder, asked.rows, asked.columns)
    else:
        compare(sys.argv[1:], asked.rows, asked.columns)


def compare(words: list[str], rows: int, columns: int) -> None:
    """Write the tables, call on each, and print the table."""
    head = f"{rows:,} rows of {columns} columns"
    sys.stdout.write(f"| {head} | memory at most | rows used | processor seconds | interval |\n")
    sys.stdout.write("|---|---|---|---|---|\n")
    with tempfile.TemporaryDirectory() as folder:
        again = [sys.executable, __file__, *words, "--in", folder]
        subprocess.run(again, check=True)
        for kind in KINDS:
            done = subprocess.run([*again, "--kind", kind], check=True, capture_output=True)
            took = json.loads(done.stdout)
            low, high = took["interval"]
            cells = (
                kind,
                f"{took['memory'] / 1e9:.1f} GB",
                f"{took['rows']:,}",
                f"{took['seconds']:.0f}",
                f"{low:.4f} to {high:.4f}",
            )
            sys.stdout.write(f"| {' | '.join(cells)} |\n")
            sys.stdout.flush()


if __name__ == "__main__":
    main()
