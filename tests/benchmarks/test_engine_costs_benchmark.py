from __future__ import annotations

import pytest

from scripts import run_benchmark

pytestmark = pytest.mark.slow


def test_the_script_prints_every_cost_and_how_good_the_choice_is() -> None:
    done = run_benchmark("engine_costs", "--quick", "--runs", "1")
    assert (done.returncode, done.stderr) == (0, "")
    costs, choices = done.stdout.split("Choice of engine")
    rows = [line.split() for line in costs.splitlines() if "_" in line]
    assert len(rows) == 14
    for name, old, fitted, ratio in rows:
        assert name.startswith(("scipy", "numpy", "blocks", "few", "tree"))
        assert float(old) > 0
        assert float(fitted) >= 0
        assert float(ratio) >= 0
    lines = [line for line in choices.splitlines() if "engines" in line]
    assert [line.split()[0] for line in lines] == ["compiled"] * 2 + ["plain"] * 2
    for line in lines:
        assert 0 <= float(line.split("%")[0].split()[-1]) <= 100
