from __future__ import annotations

import math
from functools import cache

import numpy as np
import pytest

import bayesfloor as bf
from bayesfloor.paper.figures import FIGURES, Scenario
from bayesfloor.paper.methods import parse_method
from bayesfloor.paper.replicates import FigureData, Replicates, slope
from bayesfloor.paper.simulation import Chunk, chunk_rows, estimates
from bayesfloor.truth.populations import figure3, shift


@cache
def simulated(
    number: int, source: int, sizes: tuple[int, ...], methods: tuple[str, ...]
) -> FigureData:
    """Simulate a small part of a figure."""
    population = FIGURES[number].sources[source]
    va, vb = population.efficiency()
    data = FigureData()
    for n in sizes:
        rows = chunk_rows(Chunk(Scenario(number, population, n, methods), 0, 50, seed=1))
        for method in methods:
            pairs = np.array([(row[5], row[6]) for row in rows if row[4] == method])
            truth, bound = population.divergence(), (va + vb) / n
            data.append(Replicates(population.d, n, method, truth, bound, *pairs.T))
    return data


@pytest.mark.parametrize("n", [60, 300])
def test_one_search_gives_what_bayes_error_gives_for_each_method(n: int) -> None:
    x, y = figure3().draw(n, n, np.random.default_rng(3))
    methods = ("mst", "knn k=1", "knn k=5", "knn k=20", "wnn-published", "wnn")
    for method, value, se in estimates(x, y, methods):
        name, k = parse_method(method)
        floor = bf.bayes_error(np.vstack([x, y]), np.repeat([0, 1], n), method=name, k=k)
        assert floor.divergence == pytest.approx(value, abs=1e-12), method
        assert floor.divergence_se == pytest.approx(se, abs=1e-12), method


def test_a_method_that_refuses_leaves_a_gap() -> None:
    x, y = shift(20, 2).draw(100, 100, np.random.default_rng(0))
    (_, value, se), (_, other, _) = estimates(x, y, ("wnn-published", "knn k=5"))
    assert math.isnan(value)
    assert math.isnan(se)
    assert math.isfinite(other)


def test_a_repetition_depends_on_seed_cell_and_its_number_only() -> None:
    scenario = Scenario(3, figure3(), 30, ("wnn", "knn k=5"))
    whole = chunk_rows(Chunk(scenario, 0, 6, seed=4))
    assert (
        chunk_rows(Chunk(scenario, 0, 2, seed=4)) + chunk_rows(Chunk(scenario, 2, 6, seed=4))
        == whole
    )
    assert chunk_rows(Chunk(scenario, 0, 6, seed=5)) != whole
    assert len({row[5] for row in whole if row[4] == "wnn"}) == 6


@pytest.mark.parametrize("number", [1, 3, 4])
def test_the_mean_of_wnn_is_the_exact_divergence(number: int) -> None:
    (replicates,) = simulated(number, 0, (400,), ("wnn",))
    bias = replicates.bias()
    assert abs(bias.value) < 3.5 * bias.se + 0.002


@pytest.mark.parametrize("source", [0, 1, 2])
def test_neighbours_are_unbiased_for_identical_classes_in_any_dimension(source: int) -> None:
    (replicates,) = simulated(2, source, (100,), ("knn k=5",))
    assert replicates.truth == pytest.approx(0, abs=1e-9)
    expected = 1 / (2 * replicates.n - 1)  # of the other rows, n are of the other class
    assert abs(replicates.estimate.mean() + expected) < 3.5 * replicates.bias().se


def test_the_error_of_wnn_falls_as_one_over_n() -> None:
    data = simulated(3, 0, (100, 200, 400, 800), ("wnn",))
    found = slope(data.series("wnn"), Replicates.log_mse)
    assert found.se < 0.15
    assert abs(found.value + 1) < 3 * found.se


def test_the_error_of_wnn_is_near_the_bound() -> None:
    for replicates in simulated(3, 0, (100, 200, 400, 800), ("wnn",)):
        found = replicates.log_mse()
        assert abs(found.value - math.log(replicates.bound)) < 3.5 * found.se + math.log(1.3)


def test_the_figures_have_the_settings_of_the_paper() -> None:
    truths = {n: FIGURES[n].sources[0].divergence() for n in (1, 2, 3, 4)}
    assert truths == pytest.approx({1: 0.204042, 2: 0, 3: 0.211477, 4: 0.644596}, abs=1e-6)
    assert [source.d for source in FIGURES[2].sources] == [2, 10, 20]
    assert {"knn k=5", "knn k=10", "knn k=20"} < set(FIGURES[1].methods)
    assert {"knn k=5", "knn k=10"} < set(FIGURES[5].methods)
    for figure in FIGURES.values():
        assert "wnn" in figure.methods
        assert figure.number == 7 or "wnn-published" in figure.methods
        assert set(figure.quick_sizes) <= set(figure.sizes) or figure.number == 6
