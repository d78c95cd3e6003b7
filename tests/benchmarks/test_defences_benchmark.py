from __future__ import annotations

import pytest

from scripts import run_benchmark

pytestmark = pytest.mark.slow


def test_the_script_prints_what_the_defences_cost() -> None:
    done = run_benchmark("defences", "--most", "500", "--runs", "1")
    assert (done.returncode, done.stderr) == (0, "")
    rows = [line.split("│") for line in done.stdout.splitlines() if line.startswith("│")]
    assert len(rows) == 8
    assert all(0 < float(row[3]) < 100 for row in rows)
