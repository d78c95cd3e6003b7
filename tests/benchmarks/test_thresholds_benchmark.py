from __future__ import annotations

from dataclasses import fields, replace
from types import ModuleType

import numpy as np
import pytest

from bayesfloor import bayes_error
from bayesfloor.representation.auto import THRESHOLDS, Thresholds
from scripts import load_benchmark


@pytest.fixture(scope="module")
def thresholds() -> ModuleType:
    return load_benchmark("thresholds")


def test_every_threshold_but_the_majority_of_copies_is_varied(thresholds: ModuleType) -> None:
    varied = {
        field.name
        for variant in thresholds.make_variants()
        for field in fields(Thresholds)
        if getattr(variant.thresholds, field.name) != getattr(THRESHOLDS, field.name)
    }
    assert varied == {field.name for field in fields(Thresholds)} - {"mostly_copies"}


def test_the_answer_is_that_of_a_call_and_changes_with_the_thresholds(
    thresholds: ModuleType,
) -> None:
    case = thresholds.make_case("plane, d = 3", 250, 0)
    points, labels = case.sample.points, case.sample.labels
    found = thresholds.answer(case, THRESHOLDS)
    assert found.kinds == ("raw", "learned")
    assert found.interval == bayes_error(points, labels, workers=1).interval
    few = {"few_columns": 3, "few_rows": 300}
    for change, kind in ((few, "raw"), ({"not_local": 0.0}, "learned")):
        other = thresholds.answer(case, replace(THRESHOLDS, **change))
        assert other.kinds == (kind,)
        assert other.seconds == case.seconds[kind]
    cells = thresholds.summarise([other, found], [found, found])
    assert cells[0] == "1 of 2"
    assert float(cells[2]) == pytest.approx(np.sqrt(other.width * found.width), abs=0.006)
