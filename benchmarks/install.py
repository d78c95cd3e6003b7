"""Measure what an installation takes: megabytes, packages and seconds, with and without its parts.

Every row is a fresh environment, made by uv without its cache. "arrays" is the least that a call on
arrays needs, "library" what a call on files and frames needs too; "base" is what
`pip install bayesfloor` brings, with the command and the report, and the others are its extras.

    pip install uv && python benchmarks/install.py
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import tomllib
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

ROOT = Path(__file__).parents[1]
ARRAYS = {"numba", "numpy", "scikit-learn", "scipy", "threadpoolctl", "narwhals"}
TABLES = {"polars", "zstandard"}
"""Packages that tables need on top."""


def requirements() -> dict[str, list[str]]:
    """Return what each row installs."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    found = {"arrays": only(project["dependencies"], ARRAYS)}
    found["library"] = only(project["dependencies"], ARRAYS | TABLES)
    found["base"] = [str(ROOT)]
    extras = sorted(project["optional-dependencies"], key=lambda name: (name == "all", name))
    return found | {f"[{name}]": [f"{ROOT}[{name}]"] for name in extras}


def only(needed: list[str], names: set[str]) -> list[str]:
    """Return the requirements of these packages."""
    return [one for one in needed if one.split(">")[0] in names]


def measured(name: str, wanted: list[str]) -> list[str]:
    """Install into an environment that is new, and return a row of the table."""
    with tempfile.TemporaryDirectory() as folder:
        uv = [sys.executable, "-m", "uv"]
        subprocess.run(
            [*uv, "venv", "-q", "--python", sys.executable, folder, "--clear"], check=True
        )
        place = ["--python", f"{folder}/bin/python"]
        empty, start = size(Path(folder)), time.perf_counter()
        subprocess.run([*uv, "pip", "install", "-q", "--no-cache", *place, *wanted], check=True)
        seconds = time.perf_counter() - start
        packages = len(list(Path(folder).rglob("*.dist-info")))
        megabytes = (size(Path(folder)) - empty) / 1e6
    return [escape(name), f"{packages}", f"{megabytes:.0f}", f"{seconds:.1f}"]


def size(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(path.lstat().st_size for path in folder.rglob("*") if path.is_file())


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0] if __doc__ else None)
    parser.add_argument("--only", default="", help="name of a row")
    asked = parser.parse_args().only
    table = Table("installed", "packages", "MB", "seconds")
    for name, wanted in requirements().items():
        if asked in ("", name):
            table.add_row(*measured(name, wanted))
    Console().print(table)


if __name__ == "__main__":
    main()
