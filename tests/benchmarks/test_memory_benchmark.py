from __future__ import annotations

import sys

import pytest

from scripts import run_benchmark


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="peaks are read from /proc")
def test_the_memory_of_calls_is_compared_with_what_is_expected() -> None:
    done = run_benchmark("memory", "--most-rows", "20000", "--only", "raw")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line.split() for line in done.stdout.splitlines() if line.strip().startswith("20,000")]
    assert [line[1:4] for line in lines] == [
        ["3", "2", "raw"],
        ["20", "2", "raw"],
        ["3", "100", "raw"],
    ]
    assert all(float(line[6]) >= 1 for line in lines)  # nothing takes more than is expected
