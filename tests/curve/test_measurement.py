"""The executor of a call reaches every loop, and does not change a digit."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np
import pytest

from bayesfloor import populations
from bayesfloor.base.executor import Executor, Threads
from bayesfloor.curve.design_columns import Blocks
from bayesfloor.curve.measurement import Measurement, make_survey, measure
from bayesfloor.curve.trend import fit_trend
from bayesfloor.estimators.estimation import estimate_mismatch
from bayesfloor.estimators.method import Evidence
from bayesfloor.estimators.methods import METHODS
from bayesfloor.neighbours import Effort, rank_sums
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.sample import Sample

Item = TypeVar("Item")
Result = TypeVar("Result")

BLOCK_ROWS = Blocks().size
"""More rows than this are fitted block by block."""


@dataclass
class RecordingExecutor:
    """Runs all work in the thread that asks for it, and records how many items it was given."""

    workers: int = 3
    memory: None = None
    calls: list[int] = field(default_factory=list)

    @property
    def local(self) -> RecordingExecutor:
        return self

    def map(
        self, work: Callable[[Item], Result], items: Sequence[Item], **_: Any
    ) -> Iterator[Result]:
        self.calls.append(len(items))
        return map(work, items)


def draw(n: int, seed: int = 3) -> Sample:
    points = np.concatenate(populations.shift(2, 2).draw(n, n, np.random.default_rng(seed)))
    return Sample(points, np.repeat([0, 1], n), np.array([0, 1]))


@pytest.fixture(scope="module")
def large() -> Sample:
    return draw(BLOCK_ROWS)


@pytest.fixture(scope="module")
def alone(large: Sample) -> Measurement:
    return measure(large, ranks=20, effort=Effort(executor=Threads(1)))


@pytest.mark.parametrize("workers", [2, 3, 5])
def test_the_number_of_workers_changes_no_digit(
    workers: int, large: Sample, alone: Measurement
) -> None:
    found = measure(large, ranks=20, effort=Effort(executor=Threads(workers)))
    for name in ("mismatch", "adjusted", "radius"):
        np.testing.assert_array_equal(getattr(found.curve, name), getattr(alone.curve, name))
    np.testing.assert_array_equal(found.posterior, alone.posterior)
    assert found.efficiency == alone.efficiency


def test_the_number_of_workers_changes_no_digit_of_a_trend_of_many_columns() -> None:
    """A library's matrix product on two threads may round otherwise than on one."""
    rng = np.random.default_rng(0)
    points = rng.normal(size=(20_000, 16))
    labels = (points[:, 0] * points[:, 1] + rng.normal(size=20_000) > 0).astype(np.int64)
    cells = make_cells(Sample(points, labels, np.array([0, 1])))
    one, *others = (fit_trend(cells, Blocks(Threads(w), size=8192)) for w in (1, 2, 3, 5))
    assert one.p > 100
    for other in others:
        np.testing.assert_array_equal(other.fitted, one.fitted)


@pytest.fixture
def no_other_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("threads of another executor were started")

    monkeypatch.setattr("bayesfloor.base.executor.ThreadPoolExecutor", refuse)


@pytest.mark.usefixtures("no_other_threads")
def test_a_measurement_uses_no_other_executor(large: Sample, alone: Measurement) -> None:
    executor = RecordingExecutor()
    found = measure(large, ranks=20, effort=Effort(executor=executor))
    assert executor.calls.count(2) > 4  # the trend is fitted in two blocks, every time
    assert max(executor.calls) > 2  # the search, in batches
    np.testing.assert_array_equal(found.curve.adjusted, alone.curve.adjusted)


@pytest.mark.usefixtures("no_other_threads")
def test_a_survey_uses_no_other_executor(large: Sample) -> None:
    executor = RecordingExecutor()
    survey = make_survey(large, 20, executor=executor)
    fitted = len(executor.calls)
    assert set(executor.calls) == {2}
    assert fitted > 3
    assert survey.trend.fitted.shape == (2 * BLOCK_ROWS, 2)
    assert len(executor.calls) == fitted  # what was fitted is kept


@pytest.mark.usefixtures("no_other_threads")
def test_a_tolerance_uses_no_other_executor(large: Sample) -> None:
    executor = RecordingExecutor()
    estimate_mismatch(large, METHODS["wnn"], 5, Effort(executor=executor, tolerance=0.1))
    assert executor.calls.count(2) > 3


def test_every_executor_of_the_package_can_be_recorded() -> None:
    executor: Executor = RecordingExecutor()
    assert list(executor.map(str, [1, 2])) == ["1", "2"]


def test_a_brief_survey_of_a_large_sample_has_no_trend() -> None:
    sample, ranks = draw(2000), METHODS["wnn"].ranks(4000, 1)
    brief = make_survey(sample, ranks, brief=True, large=3999)
    whole = make_survey(sample, ranks, brief=True, large=4000)
    assert (brief.trend.p, whole.trend.p > 1) == (1, True)
    found, truth = (one.measurement(rank_sums(one.task, Effort())) for one in (brief, whole))
    np.testing.assert_allclose(found.curve.adjusted, found.curve.mismatch, rtol=1e-3)
    np.testing.assert_allclose(found.curve.mismatch, truth.curve.mismatch, atol=1e-12)
    estimate = METHODS["wnn"].estimate(Evidence(sample, found, 1))
    below, above = estimate.margins(0.95)
    better = METHODS["wnn"].estimate(Evidence(sample, truth, 1)).mismatch
    assert estimate.mismatch - below <= better <= estimate.mismatch + above
