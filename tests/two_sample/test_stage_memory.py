"""Stages of a two-sample test know what they need, and use fewer rows where there is less."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import bayesfloor as bf
from bayesfloor.base.executor import Threads
from bayesfloor.base.settings import Settings
from bayesfloor.two_sample.column_profiles import array_columns
from bayesfloor.two_sample.stage_memory import (
    classifier_cost,
    columns_cost,
    new_rows_cost,
    plan_stage,
)

LABELS = np.arange(200_000) % 2
STAGES = {
    "classifier": classifier_cost(40),
    "columns": columns_cost(array_columns(list("abcdefgh"), np.zeros((2, 8))), 99),
    "new rows": new_rows_cost(40),
}


@pytest.fixture
def settings() -> Settings:
    return Settings(executor=Threads(2), max_memory=110_000_000)


@pytest.mark.parametrize("stage", STAGES)
def test_a_stage_beyond_the_memory_takes_a_part_of_the_rows_and_says_so(
    stage: str, settings: Settings
) -> None:
    plan = plan_stage("What is found is", STAGES[stage], LABELS, settings)
    rows = int(plan.kept.sum())
    assert 1000 <= rows < 200_000
    assert STAGES[stage](rows, plan.executor.workers) <= 110_000_000
    assert plan.notes[0].startswith(f"What is found is from {rows:,} of 200,000 rows, drawn at")


@pytest.mark.parametrize("stage", STAGES)
def test_with_enough_memory_a_stage_takes_all_rows(stage: str, settings: Settings) -> None:
    plan = plan_stage("", STAGES[stage], LABELS, replace(settings, max_memory=10**11))
    assert plan.kept.all()
    assert (plan.executor.workers, plan.notes) == (2, ())


def test_fewer_threads_come_before_fewer_rows(settings: Settings) -> None:
    plan = plan_stage("", new_rows_cost(10), LABELS[:50_000], settings)
    assert (plan.executor.workers, plan.notes) == (1, ())


def test_without_a_limit_the_system_is_asked(settings: Settings) -> None:
    unlimited = replace(settings, max_memory=None)
    plan = plan_stage("", classifier_cost(40), LABELS, unlimited, memory=lambda: 500_000_000)
    assert not plan.kept.all()


def test_a_stage_for_which_no_part_is_small_enough_is_one_line(settings: Settings) -> None:
    with pytest.raises(bf.DataError, match=r"would take about .* are left; pass fewer columns"):
        plan_stage("", classifier_cost(100_000), LABELS[:3000], settings)


def test_every_stage_of_a_call_keeps_to_the_memory() -> None:
    rng = np.random.default_rng(0)
    X, Y = rng.integers(0, 20, (2, 400_000, 3)).astype(np.float64)
    found = bf.two_sample_test(X, Y, permutations=0, max_memory="100MB", max_seconds=1, workers=1)
    starts = ["Classifiers learn", "What the columns show is", "The divergence is", "Rows of a new"]
    for start in starts:
        assert any(note.startswith(start) for note in found.notes), (start, found.notes)
