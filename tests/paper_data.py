"""Made-up results of simulations, whose truth is known."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from bayesfloor.paper.figures import FIGURES
from bayesfloor.paper.replicates import FigureData, Replicates

Figures = Callable[[str, int, int], float]


def no_bias(method: str, n: int, d: int) -> float:  # noqa: ARG001
    return 0.0


def one_over_n(method: str, n: int, d: int) -> float:  # noqa: ARG001
    return 0.5 / n


def made_up(
    number: int, bias: Figures = no_bias, variance: Figures = one_over_n, repetitions: int = 200
) -> FigureData:
    """Return normal estimates with given bias and variance for every scenario of a figure."""
    figure, rng = FIGURES[number], np.random.default_rng(number)
    columns = [source.d for source in figure.sources] or [4]
    data = FigureData()
    for d in columns:
        for n in figure.sizes:
            for method in figure.methods:
                spread = variance(method, n, d) ** 0.5
                estimate = 0.5 + bias(method, n, d) + spread * rng.normal(size=repetitions)
                se = np.full(repetitions, spread)
                data.append(Replicates(d, n, method, 0.5, 0.5 / n, estimate, se))
    return data
