"""Measure what the defences against hostile input cost, as shares of the time of a call.

The time is that of the processor, by profile, which makes short functions look a little dearer than
they are. The defences are the functions below: what they do would not be done if all input were
known to be small and finite.
"""

from __future__ import annotations

import argparse
import cProfile
import io
import pstats
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from rich.console import Console
from rich.table import Table

import bayesfloor as bf

DEFENCES = {
    "base/memory.py": {"available_memory", "check_space_for", "unloaded_space", "check_memory"},
    "floor/memory_plan.py": {"fit_to_memory"},
    "neighbours/finders.py": {"check_finite"},
    "sample/assembly.py": {"fitting_limits"},
    "sample/class_codes.py": {"check_class_number"},
    "sample/gate.py": {"_finite"},
    "tables/arrow_buffers.py": {"buffers_size"},
    "tables/json_keys.py": {"check_keys"},
    "tables/json_lines.py": {"_check_lines", "json_depth"},
    "tables/parquet_pages.py": {"unpacked_size"},
    "votes/counts.py": {"check_item_memory"},
}
"""Functions that are there for hostile input only, by module."""
Call = Callable[[], object]


def sample(n: int, d: int) -> tuple[Any, Any]:
    """Draw two shifted normal classes."""
    rng = np.random.default_rng([n, d])
    labels = np.arange(n) % 2
    return rng.normal(size=(n, d)) + labels[:, None], labels


def file_of(n: int, d: int, write: str) -> bytes:
    """Return such a sample as the contents of a file."""
    X, y = sample(n, d)
    columns = {f"x{j}": column for j, column in enumerate(X.T)}
    frame, file = pl.DataFrame({**columns, "y": y}), io.BytesIO()
    getattr(frame, f"write_{write}")(file)
    return file.getvalue()


def calls(most: int) -> dict[str, Call]:
    """Return what is timed, by name."""

    def call(n: int, d: int, representation: str) -> Call:
        X, y = sample(n, d)
        return lambda: bf.bayes_error(X, y, representation=representation)

    def read(n: int, d: int, write: str) -> Call:
        data = file_of(n, d, write)
        return lambda: bf.bayes_error(io.BytesIO(data), "y", representation="raw")

    counts = np.random.default_rng(0).multinomial(5, [0.6, 0.3, 0.1], 1000)
    shapes = [(n, d) for n, d in ((500, 30), (10_000, 2), (100_000, 3)) if n <= most]
    found = {f"{n:,} x {d}, raw": call(n, d, "raw") for n, d in shapes}
    found["500 x 30, auto"] = call(500, 30, "auto")
    for write in ("csv", "ndjson", "json", "parquet", "ipc"):
        n = min(10_000, most)
        found[f"{n:,} x 5, {write}"] = read(n, 5, write)
    return {**found, "1,000 items with votes": lambda: bf.bayes_error_from_votes(counts)}


def defence_share(call: Call, runs: int) -> tuple[float, float]:
    """Return the seconds of a call, and the share of them that the defences take."""
    call()  # compiled and loaded
    profile = cProfile.Profile(time.process_time)
    profile.enable()
    for _ in range(runs):
        call()
    profile.disable()
    found = pstats.Stats(profile)
    return found.total_tt / runs, defending(found) / found.total_tt  # type: ignore[attr-defined]


def defending(found: pstats.Stats) -> float:
    """Return the seconds in defences, those that another defence calls counted once."""
    seconds = 0.0
    for function, (_, _, _, total, callers) in found.stats.items():  # type: ignore[attr-defined]
        if is_defence(function):
            within = sum(times[3] for caller, times in callers.items() if is_defence(caller))
            seconds += total - within
    return seconds


def is_defence(function: tuple[str, int, str]) -> bool:
    """Tell whether a function is one of the defences."""
    path, _, name = function
    return name in DEFENCES.get("/".join(Path(path).parts[-2:]), ())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--most", type=int, default=100_000, help="rows of the largest sample")
    parser.add_argument("--runs", type=int, default=20, help="of each call")
    options = parser.parse_args()
    table = Table("call", "ms", "defences, %")
    for name, call in calls(options.most).items():
        seconds, share = defence_share(call, options.runs)
        table.add_row(name, f"{1000 * seconds:.1f}", f"{100 * share:.2f}")
    Console(width=100).print(table)


if __name__ == "__main__":
    main()
