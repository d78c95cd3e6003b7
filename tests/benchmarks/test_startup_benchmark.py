from __future__ import annotations

import json

import pytest

from scripts import run_benchmark

pytestmark = pytest.mark.slow


def test_the_script_prints_what_starting_costs() -> None:
    done = run_benchmark("startup", "--runs", "1", "--json")
    found = json.loads(done.stdout)
    assert done.stderr == ""
    assert list(found)[-2:] == ["start", "start / import"]
    assert found["start"] == pytest.approx(found["first answer"] - found["second answer"])
    assert found["bayesfloor estimate --help"] < found["import sklearn.ensemble, polars"]
