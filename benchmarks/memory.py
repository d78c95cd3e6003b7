"""Compare the memory that calls take with what they are expected to take.

Every call runs in a process of its own, on points of two overlapping classes or of many. Printed is
the peak above what the process held with its libraries loaded and the table drawn, the estimate of
`bayesfloor.base.memory_costs` that decides on threads and rows, and their ratio: below 1 a call
could take more than there is, far above 1 it leaves out rows that would have fitted.
"""

from __future__ import annotations

import argparse
import multiprocessing
import sys
from dataclasses import dataclass
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.progress import progress_bar

MOST_ROWS = 3_000_000
"""Rows of the largest call."""


@dataclass(frozen=True, slots=True)
class Shape:
    """A call to measure."""

    rows: int
    columns: int
    classes: int = 2
    representation: str = "raw"
    tolerance: float = 1e-9  # all rows are searched


SHAPES = (
    Shape(2_000, 3),
    Shape(20_000, 3),
    Shape(20_000, 20),
    Shape(20_000, 3, 100),
    Shape(50_000, 8),
    Shape(200_000, 1),
    Shape(200_000, 3),
    Shape(200_000, 3, 20),
    Shape(600_000, 5),
    Shape(1_000_000, 1),
    Shape(1_000_000, 3),
    Shape(1_000_000, 3, 8),
    Shape(1_000_000, 2, 20),
    Shape(2_000_000, 3),
    Shape(1_000_000, 20, tolerance=0.02),
    Shape(3_000_000, 20, tolerance=0.02),
    Shape(2_000, 10, representation="learned"),
    Shape(20_000, 10, representation="learned"),
    Shape(20_000, 50, representation="learned"),
    Shape(20_000, 10, 20, representation="learned"),
)


def draw(shape: Shape) -> tuple[Floats, Ints]:
    """Return points and labels."""
    rng = np.random.default_rng(0)
    labels = rng.integers(0, shape.classes, shape.rows)
    points = rng.normal(size=(shape.rows, shape.columns))
    points[:, 0] += labels
    return points, labels


def resident(field: str) -> int:
    """Return a number of this process from Linux's /proc/self/status, in bytes."""
    for line in Path("/proc/self/status").read_text(encoding="ascii").splitlines():
        if line.startswith(f"{field}:"):
            return int(line.split()[1]) * 1024
    raise SystemExit("this system does not tell the peak of a process; run it on Linux")


def measure(shape: Shape, pipe: Connection) -> None:
    """Send the peak of a call above what there was before, and what was expected."""
    import bayesfloor as bf
    from bayesfloor.base.memory_costs import call_bytes
    from bayesfloor.base.settings import Settings
    from bayesfloor.floor.memory_plan import call_shape

    small = Shape(2_000, shape.columns, shape.classes, shape.representation)
    options: dict[str, Any] = {
        "representation": shape.representation,
        "max_memory": "1000GB",
        "tolerance": shape.tolerance,
    }
    bf.bayes_error(*draw(small), **options)  # loads and compiles
    points, labels = draw(shape)
    Path("/proc/self/clear_refs").write_text("5", encoding="ascii")  # the peak begins anew
    before = resident("VmRSS")
    bf.bayes_error(points, labels, **options)
    settings = Settings(representation=shape.representation, tolerance=shape.tolerance)
    expected = call_bytes(call_shape(shape.rows, shape.columns, shape.classes, settings))
    pipe.send((resident("VmHWM") - before, expected))


def run(shape: Shape) -> tuple[int, int]:
    """Measure a call in a process of its own."""
    context = multiprocessing.get_context("spawn")
    ours, theirs = context.Pipe()
    process = context.Process(target=measure, args=(shape, theirs))
    process.start()
    theirs.close()
    try:
        peak, expected = ours.recv()
    finally:
        process.join()
    return peak, expected


def main() -> int:
    """Measure all shapes, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--most-rows", type=int, default=MOST_ROWS, help="of a call")
    parser.add_argument("--only", choices=["raw", "learned"], help="one kind of call")
    arguments = parser.parse_args()
    shapes = [
        shape
        for shape in SHAPES
        if shape.rows <= arguments.most_rows and arguments.only in (None, shape.representation)
    ]
    heads = ["rows", "columns", "classes", "representation", "tolerance", "peak, MB"]
    table = Table(*heads, "expected, MB", "ratio", "peak a row, bytes", box=SIMPLE_HEAD)
    with progress_bar("Measuring", len(shapes), show=True) as advance:
        for shape in shapes:
            peak, expected = run(shape)
            table.add_row(
                f"{shape.rows:,}",
                str(shape.columns),
                str(shape.classes),
                shape.representation,
                f"{shape.tolerance:g}",
                f"{peak / 1e6:.0f}",
                f"{expected / 1e6:.0f}",
                f"{expected / max(peak, 1):.1f}",
                f"{peak / shape.rows:.0f}",
            )
            if advance is not None:
                advance(1)
    Console(highlight=False, width=None if sys.stdout.isatty() else 110).print(table)
    return 0


if __name__ == "__main__":
    sys.exit(main())
