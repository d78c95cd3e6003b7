"""Time reading a table against polars alone on the same file, in the same run.

Prints the seconds of `polars.read_csv`, of reading the file into one frame, and of `read_table`,
which also scales, encodes and looks for identifiers and leaks; best of several runs. Without a
file, a table of numbers and text is written for the occasion.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable
from pathlib import Path

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

from bayesfloor import read_table
from bayesfloor.base.arrays import AnyArray
from bayesfloor.tables import MISSING_CHOICES
from bayesfloor.tables.formats import load_table
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.sources import open_sources
from speed import seconds_of


def write_table(path: Path, rows: int) -> None:
    """Write numbers, whole numbers, texts and a label, about 130 bytes a row."""
    rng = np.random.default_rng(rows)
    cities = np.array([f"city {j}" for j in range(30)])
    columns: dict[str, AnyArray] = {
        f"x{j}": rng.normal(size=rows).astype(np.float32) for j in range(9)
    }
    columns |= {f"i{j}": rng.integers(0, 1000, rows) for j in range(4)}
    columns |= {"city": cities[rng.integers(0, 30, rows)], "y": rng.integers(0, 2, rows)}
    pl.DataFrame(columns).write_csv(path)


def measured(path: Path, *, header: bool, separator: str, missing: str, runs: int) -> list[str]:
    """Time the three ways on one file whose last column is the label."""

    def read() -> object:
        options = ReadOptions(header=header)
        return [load_table(source, options) for source in open_sources(path)]

    ways: list[Callable[[], object]] = [
        lambda: pl.read_csv(path, has_header=header, separator=separator),
        read,
        lambda: read_table(path, label=-1, header=header, missing=missing),
    ]
    rounds = [[seconds_of(way, 1) for way in ways] for _ in range(runs)]  # other work hits all
    bare, ours, whole = map(min, zip(*rounds, strict=True))
    seconds = [f"{bare:.3f}", f"{ours:.3f}", f"{ours / bare:.2f}"]
    return [path.name, *seconds, f"{whole:.3f}", f"{whole / bare:.2f}"]


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", type=Path, nargs="*")
    parser.add_argument("--no-header", action="store_true")
    parser.add_argument("--separator", default=",")
    parser.add_argument("--missing", choices=MISSING_CHOICES, default="impute")
    parser.add_argument("--rows", type=int, default=1_500_000)
    parser.add_argument("--runs", type=int, default=5)
    options = parser.parse_args()
    table = Table("file", "polars, s", "read, s", "ratio", "read_table, s", "ratio")
    with tempfile.TemporaryDirectory() as folder:
        files = options.files or [Path(folder) / "table.csv"]
        if not options.files:
            write_table(files[0], options.rows)
        for path in files:
            row = measured(
                path,
                header=not options.no_header,
                separator=options.separator.replace("tab", "\t"),
                missing=options.missing,
                runs=options.runs,
            )
            table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
