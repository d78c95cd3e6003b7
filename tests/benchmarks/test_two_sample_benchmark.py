from __future__ import annotations

import pytest

from scripts import run_benchmark

pytestmark = pytest.mark.slow


def test_the_script_prints_the_share_of_small_p_values() -> None:
    done = run_benchmark("two_sample", "--part", "null", "--null", "2", "--workers", "1")
    assert (done.returncode, done.stderr) == (0, "")
    lines = [line for line in done.stdout.splitlines() if "grid" in line]
    assert len(lines) == 3
    assert all(0 <= float(line.split()[-1]) <= 1 for line in lines)


def test_what_cannot_be_drawn_is_refused() -> None:
    done = run_benchmark("two_sample", "--workers", "0")
    assert done.returncode == 2
    assert "at least 1 sample" in done.stderr
