from __future__ import annotations

import numpy as np
import pytest
from scipy.special import digamma

from bayesfloor import populations
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.curve.intrinsic_dimension import crowding, intrinsic_dimension
from bayesfloor.curve.measurement import measure
from bayesfloor.sample.sample import Sample
from oracles import shared_ranks


def sample_of(points: Floats, labels: Ints) -> Sample:
    return Sample(np.ascontiguousarray(points, dtype=np.float64), labels, np.unique(labels))


def draw(population: populations.Population, n: int, m: int, seed: int) -> Sample:
    points = np.concatenate(population.draw(n, m, np.random.default_rng(seed)))
    return sample_of(points, np.repeat([0, 1], [n, m]))


@pytest.mark.parametrize("d", [1, 2, 3, 5])
def test_the_intrinsic_dimension_is_read_off_the_radii(d: int) -> None:
    rng = np.random.default_rng(d)
    flat = rng.uniform(size=(4000, d))
    frame = np.linalg.qr(rng.normal(size=(12, d)))[0]
    curve = measure(sample_of(flat @ frame.T, np.arange(4000) % 2), ranks=60).curve
    assert curve.intrinsic_dimension == pytest.approx(d, rel=0.12)


@pytest.mark.parametrize(("grows", "found"), [(0.5, 0.5), (2.5, 2.5), (9.0, 3.0), (-1.0, 3.0)])
def test_the_dimension_is_that_of_the_growth_and_at_most_the_columns(
    grows: float, found: float
) -> None:
    rank = np.arange(1, 12)
    logs = 2 / grows * np.asarray(digamma(rank), dtype=np.float64) - 7
    assert intrinsic_dimension(rank, logs, 3) == pytest.approx(found)
    assert intrinsic_dimension(rank[:2], logs[:2], 3) == 0


def test_crowding_is_what_the_first_rank_lacks() -> None:
    line = 0.4 * np.asarray(digamma(np.arange(1, 61)), dtype=np.float64) - 3
    near = line - np.r_[2 * np.log(2), np.zeros(59)]  # half as far
    assert crowding(near, 1000) == pytest.approx(0.5)
    assert crowding(near[:10], 1000) == pytest.approx(0.5)
    assert crowding(near[:9], 1000) == 0  # too few ranks
    assert crowding(near, 3) == 0  # by chance
    assert crowding(line, 10**9) == 0
    assert crowding(line - np.r_[0.1, np.zeros(59)], 10**9) == 0  # too little
    assert crowding(line + np.r_[1.0, np.zeros(59)], 10**9) == 0
    curved = line - np.r_[np.zeros(30), np.ones(30)]  # far ranks do not count
    assert crowding(curved, 10**9) == 0


@pytest.mark.parametrize("name", [*populations.POPULATIONS])
def test_independent_rows_do_not_crowd(name: str) -> None:
    sample = draw(populations.POPULATIONS[name], 400, 400, 3)
    curve = measure(sample, ranks=40).curve
    assert crowding(2 * np.log(curve.radius), sample.n) == 0


def test_ranks_where_most_rows_are_copies_say_nothing_of_the_dimension() -> None:
    rng = np.random.default_rng(6)
    points = np.concatenate(
        [rng.uniform(size=(150, 2)).repeat(5, axis=0), rng.normal(size=(50, 2))]
    )
    _, squared = shared_ranks(points, np.zeros((800, 800)), 40)
    assert ((squared == 0).mean(axis=0) > 0.9).tolist() == [True] * 4 + [False] * 36
    logs = [np.log(column[column > 0]).mean() for column in squared.T[4:]]
    slope = np.polyfit(digamma(np.arange(5, 41)), logs, 1)[0]
    curve = measure(sample_of(points, np.arange(800) % 2), ranks=40).curve
    assert curve.intrinsic_dimension == pytest.approx(min(2 / slope, 2))
