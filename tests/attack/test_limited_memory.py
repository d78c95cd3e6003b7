"""Under any limit of the shell a call answers, uses fewer rows and says so, or is one line."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

from hostile import ATTACK

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="reads its size from /proc")

CALL = """
import resource, sys
import numpy as np
import bayesfloor as bf
import bayesfloor.floor
n, d, m, room, representation, engine = sys.argv[1:]
n, d, m = int(n), int(d), int(m)
rng = np.random.default_rng(0)
y = rng.permutation(np.arange(n) % m)
X = rng.normal(size=(n, d)) + y[:, None] / m
used = int(next(l for l in open("/proc/self/status") if "VmSize" in l).split()[1]) * 1024
most = used + int(float(room) * 1e6)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    floor = bf.bayes_error(X, y, representation=representation, engine=engine)
    part = [note for note in floor.notes if "drawn at random" in note]
    print("part" if part else "all", floor.n)
except bf.DataError as problem:
    print("refused", problem)
"""


def call(n: int, d: int, m: int, room: int, *how: str) -> str:
    """Run a call in a process that may take `room` MB more; return what it says in one line."""
    words = [str(word) for word in (n, d, m, room, *how)]
    run = subprocess.run(
        [sys.executable, "-c", CALL, *words], capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, (words, run.returncode, run.stderr)
    assert run.stdout.count("\n") == 1
    return run.stdout


def test_a_call_beyond_the_memory_uses_some_rows() -> None:
    assert call(40_000, 2, 60, 1200, "raw", "scipy").startswith("part")


def test_a_call_that_no_part_of_the_rows_makes_small_is_one_line() -> None:
    told = call(40_000, 2, 2000, 1200, "raw", "scipy")
    assert told.startswith("refused 40,000 rows of 2 columns and 2,000 classes would take about")


GRID = [
    (n, d, m, room, *how)
    for n, d, m in [(30_000, 3, 2), (20_000, 40, 2), (20_000, 3, 100), (3000, 10, 30)]
    for room in (200, 500, 1000, 1500)
    for how in [("raw", "auto"), ("raw", "numpy"), ("auto", "auto")]
]


@pytest.mark.skipif(not ATTACK, reason="takes minutes; make attack runs it")
@pytest.mark.parametrize("shape", GRID, ids=str)
def test_no_limit_ends_the_process(shape: tuple[int, int, int, int, str, str]) -> None:
    n, d, m, room, *how = shape
    call(n, d, m, room, *how)


COMMAND = "from bayesfloor.shells.cli import main; main()"
LINES = {
    "numbers": b"1,2,0\n0,1,1\n",
    "texts": b"a,b,c\nb,a,d\n",
    "decimals": b"1.5,2.25,0\n0.5,1.75,1\n",
    "blanks": b"1 2 0\n0 1 1\n",
    "one column": b"1\n2\n",
}
LIMITS = ("RLIMIT_AS", "RLIMIT_DATA")


def read_limited(path: Path, limit: str, room: float) -> None:
    """Read a table in a process of so many GB, which has to answer or to say one line."""
    import resource

    most = int(room * 1e9)
    run = subprocess.run(
        [sys.executable, "-c", COMMAND, "estimate", str(path), "--label=-1", "--quiet", *RAW],
        capture_output=True,
        text=True,
        check=False,
        preexec_fn=lambda: resource.setrlimit(getattr(resource, limit), (most, most)),
    )
    assert run.returncode in (0, 1), (run.returncode, run.stderr)
    assert run.stderr.count("\n") == run.returncode, run.stderr


RAW = ("--representation", "raw")


@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("kind", ["numbers", "texts"])
def test_a_long_table_of_short_cells_is_no_abort(kind: str, limit: str, tmp_path: Path) -> None:
    """Such a file is small, and its columns are not."""
    path = tmp_path / "table.csv.gz"
    path.write_bytes(b"".join([gzip.compress(LINES[kind] * 10**6, 1)] * 10))
    read_limited(path, limit, 3)


@pytest.mark.skipif(not ATTACK, reason="takes minutes; make attack runs it")
@pytest.mark.parametrize("room", [2.5, 3.5, 5])
@pytest.mark.parametrize("limit", LIMITS)
@pytest.mark.parametrize("kind", LINES)
def test_no_number_of_short_cells_is_an_abort(
    kind: str, limit: str, room: float, tmp_path: Path
) -> None:
    for millions in (1, 2, 3, 4, 6, 8, 12, 20):
        path = tmp_path / "table.csv"
        path.write_bytes(LINES[kind] * (millions * 500_000))
        read_limited(path, limit, room)
