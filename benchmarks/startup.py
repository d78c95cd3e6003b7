"""Measure what starting costs: help, and the first answer on a table of 569 rows and 30 columns.

Processor time of a fresh process each, the least of some runs, with bytecode in place as after an
installation. "start" is the first answer less the second of the same process, which is the work
itself: reading, fits, printing. It is compared with the import of scikit-learn and Polars alone, of
which it should take less than twice the time.

    python benchmarks/startup.py
    python benchmarks/startup.py --runs 9 --json
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

SRC = Path(__file__).parents[1] / "src"
LIBRARIES = "import sklearn.ensemble, polars"
"""What is imported for comparison."""
MOST_HELP_SECONDS, MOST_RATIO = 0.4, 2.0
"""Goals: help of the command, and the start of the first answer against the import."""
TABLE = """
import sys
import polars as pl
from sklearn.datasets import load_breast_cancer
data = load_breast_cancer()
frame = pl.DataFrame(data.data, schema=list(data.feature_names))
frame.with_columns(pl.Series("target", data.target)).write_csv(sys.argv[1])
"""
"""Writes the table."""
TWICE = """
import contextlib, io, sys, time
from bayesfloor.shells.cli import app
def answer():
    before = time.process_time()
    with contextlib.redirect_stdout(io.StringIO()):
        app(["estimate", sys.argv[1], "--label", "target", "--quiet"], standalone_mode=False)
    return time.process_time() - before
answer()
print(answer())
"""
"""Answers twice, and prints the processor seconds of the second answer."""


def processor_seconds(words: Sequence[str], environment: dict[str, str]) -> float:
    """Run Python on some words, and return what its process took."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, *words], env=environment, stdout=subprocess.DEVNULL, check=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def measure(runs: int) -> dict[str, float]:
    """Return seconds by name, the least of some runs."""
    with tempfile.TemporaryDirectory() as folder:
        environment = {
            **{
                name: text for name, text in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"
            },
            "PYTHONPATH": str(SRC),
            "PYTHONPYCACHEPREFIX": f"{folder}/bytecode",
        }
        table = f"{folder}/table.csv"
        subprocess.run([sys.executable, "-c", TABLE, table], env=environment, check=True)
        commands = {
            LIBRARIES: ["-c", LIBRARIES],
            "bayesfloor --help": ["-m", "bayesfloor", "--help"],
            "bayesfloor estimate --help": ["-m", "bayesfloor", "estimate", "--help"],
            "first answer": ["-m", "bayesfloor", "estimate", table, "--label", "target", "--quiet"],
        }
        found = {}
        for name, words in commands.items():
            processor_seconds(words, environment)  # writes bytecode
            found[name] = min(processor_seconds(words, environment) for _ in range(runs))
        second = [
            subprocess.run(
                [sys.executable, "-c", TWICE, table],
                env=environment,
                capture_output=True,
                text=True,
                check=True,
            ).stdout
            for _ in range(runs)
        ]
    found["second answer"] = min(map(float, second))
    found["start"] = found["first answer"] - found["second answer"]
    found["start / import"] = found["start"] / found[LIBRARIES]
    return found


def main() -> None:
    """Print the times, and whether they are within the goals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    found = measure(options.runs)
    console = Console(highlight=False)
    if options.json:
        console.print_json(json.dumps(found))
    else:
        for name, seconds in found.items():
            console.print(f"{name:34}{seconds:6.2f}{'' if name == 'start / import' else ' s'}")
    within = found["bayesfloor --help"] < MOST_HELP_SECONDS and found["start / import"] < MOST_RATIO
    sys.exit(0 if within else 1)


if __name__ == "__main__":
    main()
