from __future__ import annotations

import numpy as np
import pytest

from bayesfloor import populations
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import Threads
from bayesfloor.curve.measurement import make_survey, measure
from bayesfloor.curve.posterior import posterior_and_efficiency
from bayesfloor.curve.trend import fit_columns, fit_trend, make_polynomials
from bayesfloor.neighbours import Effort, growing_sums, rank_sums
from bayesfloor.sample.distinct_points import make_cells
from bayesfloor.sample.sample import Sample
from oracles import shared_ranks


def sample_of(points: Floats, labels: Ints) -> Sample:
    return Sample(np.ascontiguousarray(points, dtype=np.float64), labels, np.unique(labels))


def draw(population: populations.Population, n: int, m: int, seed: int) -> Sample:
    points = np.concatenate(population.draw(n, m, np.random.default_rng(seed)))
    return sample_of(points, np.repeat([0, 1], [n, m]))


@pytest.mark.parametrize("sizes", [(500, 500), (100, 900)])
@pytest.mark.parametrize(
    "name", ["shift(d=2, delta=1)", "scale(d=5, sigma=1.5)", "ripley()", "laplace(d=2, delta=1)"]
)
def test_the_efficiency_bound_is_near_the_true_one(name: str, sizes: tuple[int, int]) -> None:
    population = populations.POPULATIONS[name]
    (n, m), p = sizes, sizes[0] / sum(sizes)
    va, vb = population.efficiency(p)
    truth = (2 * p * (1 - p)) ** 2 * (va / n + vb / m)
    found = np.mean([measure(draw(population, n, m, s), ranks=80).efficiency for s in range(12)])
    # Of one sample its standard deviation is 12 to 30 %, so of the mean of 12 up to 9 %.
    assert 0.7 < found / truth < 1.35


def test_posteriors_that_are_noise_leave_little_of_the_efficiency_bound() -> None:
    """Without its correction the bound of identical classes is that of the noise, 1/(n · near)."""
    samples = [draw(populations.figure2(2), 300, 300, seed) for seed in range(40)]
    found = np.mean([measure(sample, ranks=80).efficiency for sample in samples])
    assert found < 0.3 / (600 * round(np.sqrt(600)))


def test_the_efficiency_bound_from_some_rows_is_that_of_all() -> None:
    survey = make_survey(draw(populations.shift(2, 1), 900, 1500, 4), ranks=50)
    some, *_, whole = growing_sums(survey.task, Effort(executor=Threads(1), first_round=60))
    assert some.share == 0.4
    found, truth = (
        survey.partial_measurement(one.sums, one.searched).efficiency for one in (some, whole)
    )
    assert found == pytest.approx(truth, rel=0.15)


@pytest.mark.parametrize("classes", [2, 3])
@pytest.mark.parametrize("rounded", [False, True])
def test_posteriors_and_variance_match_brute_force(classes: int, rounded: bool) -> None:
    rng = np.random.default_rng(classes)
    labels = np.arange(240) % classes
    points = rng.normal(size=(240, 2)) + labels[:, None]
    points = np.round(points) if rounded else points
    sample, coded = sample_of(points, labels), np.eye(classes)[labels]
    cells = make_cells(sample)
    trend = fit_trend(cells)
    fitted, own = trend.fitted[cells.of_row], trend.leverage[cells.of_row, None]
    near = round(np.sqrt(240))
    posterior = fitted.copy()
    for c in range(classes):
        values = np.broadcast_to((coded - fitted)[:, c], (240, 240))
        posterior[:, c] += shared_ranks(points, values, near)[0].mean(axis=1)
    clipped = posterior.clip(0, 1)
    without = (posterior - own / (1 - own) * (coded - fitted)).clip(0, 1)
    found = measure(sample, ranks=40)
    np.testing.assert_allclose(
        found.posterior, without / without.sum(axis=1, keepdims=True), atol=1e-10
    )
    v, variance = ((coded - posterior) ** 2).sum(axis=1), 0.0
    for c in range(classes):
        noise = [
            4 * e @ (np.diag(p) - np.outer(p, p)) @ e / near
            for p, e in zip(clipped, coded - clipped, strict=True)
        ]
        of_class = labels == c
        spread = v[of_class].var(ddof=1) - np.array(noise)[of_class].mean()
        variance += max(spread, 0.0) * of_class.sum() / 240**2
    assert found.efficiency == pytest.approx(variance, rel=1e-9)
    assert variance > 0


def test_the_leverage_is_what_a_label_adds_to_its_own_trend() -> None:
    rng = np.random.default_rng(6)
    sample = sample_of(np.round(rng.normal(size=(90, 1)), 1), np.arange(90) % 2)
    cells = make_cells(sample)
    columns = make_polynomials(cells, "quadratic")
    trend = fit_columns(cells, columns)
    labels = sample.labels.copy()
    labels[7] = 1 - labels[7]
    changed = make_cells(sample_of(sample.points, labels))
    moved = fit_columns(changed, make_polynomials(changed, "quadratic")).fitted - trend.fitted
    own = cells.of_row[7]
    assert abs(moved[own, 1]) == pytest.approx(trend.leverage[own], rel=1e-9)
    assert trend.leverage[cells.of_row].sum() == pytest.approx(trend.p)


@pytest.mark.parametrize("rounded", [False, True])
def test_posteriors_are_the_same_few_at_a_time(rounded: bool) -> None:
    sample = draw(populations.shift(2, 1), 90, 150, 5)
    sample = sample_of(np.round(sample.points) if rounded else sample.points, sample.labels)
    survey = make_survey(sample, ranks=40)
    labels = survey.cell_labels(rank_sums(survey.task, Effort()), slice(None))
    (one, _, first), (two, _, second) = (
        posterior_and_efficiency(
            sample, labels, survey.coding, survey.cells.of_row, at_a_time=at_a_time
        )
        for at_a_time in (50, 10**6)
    )
    assert one == pytest.approx(two, rel=1e-12)
    np.testing.assert_allclose(first, second, atol=1e-12)


def test_a_row_among_another_class_looks_unlike_its_label() -> None:
    rng = np.random.default_rng(3)
    labels = np.repeat([0, 1], 150)
    points = rng.normal(size=(300, 2)) + 8 * labels[:, None]
    labels[7] = 1  # in the middle of class 0
    posterior = measure(sample_of(points, labels), ranks=60).posterior
    local = 1 - posterior[np.arange(len(labels)), labels]
    assert local.argmax() == 7
    assert local[7] > 0.9
    assert np.delete(local, 7).max() < 0.5
    assert local.min() >= 0
