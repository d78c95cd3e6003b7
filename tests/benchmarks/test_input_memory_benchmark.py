from __future__ import annotations

import pytest

from scripts import run_benchmark


@pytest.mark.slow
def test_all_ways_to_give_a_table_are_measured_and_precision_changes_no_digit() -> None:
    done = run_benchmark("input_memory", "--rows", "20000", "--columns", "4", "--max-memory", "1GB")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [[cell.strip() for cell in line.split("|")] for line in done.stdout.splitlines()]
    assert len(lines) == 6
    cells = {line[1]: line[2:6] for line in lines[2:]}
    assert all(one[1] == "20,000" for one in cells.values())
    for way in ("memory map", "Parquet"):
        assert cells[f"float32, {way}"][3] == cells[f"float64, {way}"][3]
