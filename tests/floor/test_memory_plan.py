"""A call that would take more memory than there is runs on fewer threads, then on fewer rows."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, Self

import numpy as np
import polars as pl
import pytest
from sklearn.base import BaseEstimator, TransformerMixin

import bayesfloor as bf
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import Threads
from bayesfloor.base.memory_costs import CallShape, assembly_bytes, call_bytes
from bayesfloor.base.settings import Settings
from bayesfloor.curve.measurement import LARGE_SAMPLE, make_survey
from bayesfloor.curve.trend import count_design_columns
from bayesfloor.estimators.method import curve_ranks
from bayesfloor.floor.memory_plan import (
    LIBRARIES,
    call_shape,
    copied_bytes,
    fit_to_memory,
    held_bytes,
    most_rows,
)
from bayesfloor.floor.origin import Origin
from bayesfloor.sample.gate import make_sample
from bayesfloor.sample.sample import Sample

RAW = Settings(representation="raw", executor=Threads(4))


@pytest.fixture(scope="module")
def sample() -> Sample:
    rng = np.random.default_rng(0)
    y = np.arange(60_000) % 3 // 2
    return make_sample(rng.normal(size=(60_000, 3)) + y[:, None], y)


def bytes_of(sample: Sample, settings: Settings) -> int:
    return call_bytes(call_shape(sample.n, sample.d, sample.m, settings))


def test_a_call_that_fits_is_left_alone(sample: Sample) -> None:
    room = bytes_of(sample, RAW) + LIBRARIES
    origin = Origin()
    assert fit_to_memory(sample, RAW, origin, memory=lambda: room) == (sample, RAW, origin)


def test_memory_is_not_asked_for_a_small_sample() -> None:
    small = make_sample(np.arange(100.0)[:, None], np.arange(100) % 2)
    assert fit_to_memory(small, RAW, Origin(), memory=lambda: pytest.fail("asked"))[0] is small


def test_fewer_threads_come_before_fewer_rows(sample: Sample) -> None:
    two = bytes_of(sample, replace(RAW, executor=Threads(2)))
    settings = replace(RAW, max_memory=two + held_bytes(sample, Origin()))
    found, changed, origin = fit_to_memory(sample, settings, Origin())
    assert found is sample
    assert changed.executor == Threads(2)
    assert origin.notes == ()


def test_too_little_for_all_rows_takes_a_random_part_and_says_so(sample: Sample) -> None:
    found, changed, origin = fit_to_memory(
        sample, RAW, Origin(np.arange(sample.n)), memory=lambda: LIBRARIES + 10**8
    )
    assert 10_000 < found.n < sample.n
    assert bytes_of(found, changed) <= 10**8
    np.testing.assert_allclose(found.priors, sample.priors, atol=1e-4)
    kept = origin.table
    np.testing.assert_array_equal(sample.labels[kept], found.labels)
    assert np.corrcoef(kept, np.arange(len(kept)))[0, 1] > 0.999  # in their order, from all over
    assert origin.notes[0].startswith(f"The answer is from {found.n:,} of 60,000 rows, drawn at")
    assert "100 MB are left" in origin.notes[0]


def test_a_little_more_memory_draws_the_same_rows(sample: Sample) -> None:
    assert most_rows(sample, RAW, 100_000_000) == most_rows(sample, RAW, 100_100_000)


def test_the_same_seed_draws_the_same_rows_and_another_seed_others(sample: Sample) -> None:
    def labels_and_rows(seed: int) -> bytes:
        settings = replace(RAW, seed=seed, max_memory=10**8)
        return fit_to_memory(sample, settings, Origin())[0].points.tobytes()

    assert labels_and_rows(1) == labels_and_rows(1) != labels_and_rows(2)


def test_classes_that_a_part_of_the_rows_would_lack_are_refused_in_one_line() -> None:
    y = np.repeat(np.arange(1000), 20)
    many = make_sample(np.random.default_rng(0).normal(size=(20_000, 2)), y)
    with pytest.raises(DataError) as caught:
        fit_to_memory(many, replace(RAW, max_memory=1), Origin())
    assert str(caught.value) == (
        "20,000 rows of 2 columns and 1,000 classes would take about 4.0 GB of memory, and 100 MB"
        " are left; pass fewer columns or classes, or a larger max_memory="
    )


def test_the_call_tells_the_part_of_the_rows_and_counts_them() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50_000, 2)), np.arange(50_000) % 2
    floor = bf.bayes_error(X, y, representation="raw", max_memory="50MB")
    assert floor.n == len(floor.labels) == len(floor.display) < 50_000
    assert f"from {floor.n:,} of 50,000 rows" in " ".join(floor.notes)
    part = bf.henze_penrose(X[:25_000], X[25_000:], representation="raw", max_memory=1)
    assert part.se > bf.henze_penrose(X[:25_000], X[25_000:], representation="raw").se


def test_a_table_keeps_the_rows_that_are_shown_beside_their_labels() -> None:
    rng = np.random.default_rng(0)
    y = np.arange(50_000) % 2
    frame = pl.DataFrame({"a": rng.normal(size=50_000) + y, "b": rng.normal(size=50_000), "y": y})
    floor = bf.bayes_error(frame, "y", representation="raw", max_memory="100MB")
    assert floor.n < 50_000
    assert floor.display.height == floor.n


def test_what_is_held_and_what_is_copied_counts_in_the_limit(sample: Sample) -> None:
    own = sample.points.nbytes + sample.labels.nbytes
    frame = pl.DataFrame({f"x{j}": sample.points[:, 0] for j in range(99)})
    read, arrays = Origin(frame, frame.select("x0")), Origin(sample.points)
    assert held_bytes(sample, read) == own + 8 * sample.n * 100 == copied_bytes(sample, read)
    assert held_bytes(sample, arrays) == own  # the user's array is the user's
    assert copied_bytes(sample, arrays) == own + sample.points.nbytes
    limited = replace(RAW, max_memory=100_000_000 + held_bytes(sample, read))
    plain = fit_to_memory(sample, replace(RAW, max_memory=100_000_000 + own), Origin())[0]
    part = fit_to_memory(sample, limited, read)[0]
    assert (
        bytes_of(part, replace(RAW, executor=Threads(1))) + part.n * (own / sample.n + 800)
        <= 100_000_000
    )
    assert part.n < plain.n
    more = fit_to_memory(sample, limited, read, gives_back=True)[0]
    assert more.n > part.n


class Watching(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Leaves the points as they are, and counts the rows of all samples that are alive."""

    def fit(self, X: Any, y: Any = None) -> Self:
        del X, y
        seen.extend(one.n for one in gc.get_objects() if isinstance(one, Sample))
        return self

    def transform(self, X: Any) -> Any:
        return np.asarray(X)


seen: list[int] = []


def test_the_whole_sample_is_given_back_where_a_part_is_drawn() -> None:
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(50_001, 2)), np.arange(50_001) % 2
    gc.collect()
    table = pl.DataFrame(X).with_columns(y=pl.Series(y))
    for given in ({"X": X, "y": y}, {"X": table, "label": "y"}):
        seen.clear()
        bf.bayes_error(**given, representation=Watching(), max_memory="90MB")
        assert seen
        assert 50_001 not in seen


class Exhausted(Threads):
    """Threads that find no memory for their work."""

    def map(self, *_: object, **__: object) -> Iterator[Any]:
        raise MemoryError


def test_memory_that_is_gone_after_all_is_one_line() -> None:
    with pytest.raises(DataError, match="not enough memory left; pass fewer rows"):
        bf.bayes_error(np.arange(20.0)[:, None], np.arange(20) % 2, workers=Exhausted())


def test_maps_count_where_they_are_learned_only() -> None:
    def maps(d: int, n: int = 5000, **options: object) -> int:
        return call_shape(n, d, 2, replace(RAW, **options)).maps  # type: ignore[arg-type]

    assert maps(10) == 0
    assert maps(2, representation="auto") > 5
    assert maps(2, n=50_000, representation="auto") == 0
    assert maps(2, n=100, representation="auto") == 0
    assert call_shape(50_000, 2, 2, replace(RAW, representation="auto"), 1000).maps > 5
    assert call_shape(50_000, 2, 2, replace(RAW, representation="auto"), 100).maps == 0
    assert maps(10, representation="auto") > 5
    assert maps(10, representation="auto", method="knn") == 0
    assert maps(10, representation="learned", method="knn") > 5


@pytest.mark.parametrize(("n", "d", "m"), [(1000, 3, 2), (1000, 20, 2), (5000, 3, 5), (300, 9, 40)])
def test_no_trend_has_more_columns_than_are_counted(n: int, d: int, m: int) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(n) % m
    points = rng.normal(size=(n, d)) + np.sin(y)[:, None]
    survey = make_survey(make_sample(points, y), curve_ranks(n))
    assert survey.trend.p <= count_design_columns(n, d, m)


def test_every_part_of_a_call_costs_memory() -> None:
    plain = CallShape(10**5, 10, 3, design_columns=20, maps=5, forest_trees=10)
    for more in (
        {"rows": 2 * 10**5},
        {"columns": 20},
        {"classes": 6},
        {"design_columns": 40},
        {"maps": 6},
        {"forest_trees": 20},
        {"spanning_tree": True},
        {"workers": 2},
    ):
        assert call_bytes(replace(plain, **more)) > call_bytes(plain)
    assert assembly_bytes(100, 10, 10) > assembly_bytes(100, 10, 1)


def test_a_part_of_many_rows_is_searched_without_the_memory_of_a_trend() -> None:
    for partial in ({"tolerance": 0.01}, {"max_seconds": 10.0}):
        settings = replace(RAW, **partial)  # type: ignore[arg-type]
        for n, trend in ((LARGE_SAMPLE, True), (LARGE_SAMPLE + 1, False)):
            columns = call_shape(n, 20, 2, settings).design_columns
            assert columns == (call_shape(n, 20, 2, RAW).design_columns if trend else 1)
            y = np.arange(n) % 2
            points = np.random.default_rng(0).normal(size=(n, 2)) + y[:, None]
            survey = make_survey(make_sample(points, y), 5, brief=True)
            assert (survey.trend.p > 1) == trend


def test_many_rows_cost_less_each_and_more_rows_never_less() -> None:
    shapes = [CallShape(rows, 3, 2, design_columns=40) for rows in (10**5, 2 * 10**5, 10**6, 10**7)]
    sizes = [call_bytes(shape) for shape in shapes]
    assert sizes == sorted(sizes)
    assert sizes[1] - sizes[0] == pytest.approx(sizes[0], rel=0.3)
    assert 538e6 < sizes[2] < 3 * 538e6  # as measured by benchmarks/memory.py
    assert sizes[3] < 9e9  # all rows are used on a machine of 16 GB


def test_a_part_has_enough_rows_to_stand_for_all(sample: Sample) -> None:
    wide = replace(sample, points=np.broadcast_to(0.0, (sample.n, 20_000)))
    with pytest.raises(DataError, match="60,000 rows of 20,000 columns"):
        fit_to_memory(wide, replace(RAW, max_memory=10**8), Origin())
