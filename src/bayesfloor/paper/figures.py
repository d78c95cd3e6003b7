"""What each figure simulates: populations, class sizes and methods, as one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.truth.populations import figure1, figure2, figure3, figure4, shift

REPETITIONS, QUICK_REPETITIONS = 100, 20
"""Samples of each kind, and with --quick.

A mean squared error from R samples has a relative error of about √(2/R): 14 %, or 32 %.
"""
DIMENSIONS = (1, 2, 3, 5, 8, 12, 20)
"""Columns of the populations of figures 6 and 7; the last is that of the paper's figure 2."""


class SampleSource(Protocol):
    """What samples are drawn from: a population or, for figure 5, measured data."""

    def draw(self, n: int, m: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw n points of the first class and m of the second."""

    def divergence(self) -> float:
        """Return what is estimated."""

    def efficiency(self) -> tuple[float, float]:
        """Return the least variances of one point of either class."""

    @property
    def name(self) -> str:
        """Return the name in the data files."""

    @property
    def d(self) -> int:
        """Return the number of columns."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One figure: every source is sampled at every size, N rows of each class, again and again."""

    number: int
    title: str
    sources: tuple[SampleSource, ...]  # none: the robot data, which come at run time
    sizes: tuple[int, ...]
    quick_sizes: tuple[int, ...]
    methods: tuple[str, ...]
    repeat: int = 1  # samples of each kind for one repetition that was asked for

    @property
    def name(self) -> str:
        """Return the stem of its files."""
        return f"figure{self.number}"


@dataclass(frozen=True, slots=True)
class Scenario:
    """One source at one size."""

    figure: int
    source: SampleSource
    n: int
    methods: tuple[str, ...]

    @property
    def key(self) -> str:
        """Return the text that seeds its samples."""
        return f"figure {self.figure}, {self.source.name}, {self.n} rows a class"


def scenarios(
    figure: Figure, sources: tuple[SampleSource, ...], sizes: tuple[int, ...]
) -> Iterator[Scenario]:
    """Yield the scenarios of a figure, source by source, small samples first."""
    for source in sources:
        for n in sizes:
            yield Scenario(figure.number, source, n, figure.methods)


WNN = ("wnn-published", "wnn")
"""The estimator of the paper, and the default of bayesfloor."""
UP_TO_1600 = (100, 200, 400, 800, 1600)
"""Rows a class, doubling, as slopes are fitted to logarithms."""
SHIFTED_NORMALS = tuple(shift(d, 2) for d in DIMENSIONS)
"""N(0, I) and N(2e₁, I): the same divergence in every dimension."""

FIGURES: dict[int, Figure] = {
    figure.number: figure
    for figure in (
        Figure(
            number=1,
            title="Mean of the estimate, normals of means (0, 0) and (0, 1)",
            sources=(figure1(),),
            sizes=(*UP_TO_1600, 3200),
            quick_sizes=UP_TO_1600,
            methods=("knn k=5", "knn k=10", "knn k=20", *WNN),
        ),
        Figure(
            number=2,
            title="Error for identical classes, by dimension",
            sources=(figure2(2), figure2(10), figure2(20)),
            sizes=UP_TO_1600,
            quick_sizes=UP_TO_1600[:-1],
            methods=("knn k=5", *WNN),
        ),
        Figure(
            number=3,
            title="Error, normals of means (0, 0), (1, 0) and covariances I, 2I",
            sources=(figure3(),),
            sizes=(*UP_TO_1600, 3200, 6400),
            quick_sizes=UP_TO_1600,
            methods=("mst", "knn k=5", *WNN),
        ),
        Figure(
            number=4,
            title="Mean and 95 % band, normal against uniform",
            sources=(figure4(),),
            sizes=(*UP_TO_1600, 3200, 6400),
            quick_sizes=UP_TO_1600,
            methods=("mst", "knn k=5", *WNN),
        ),
        Figure(
            number=5,
            title="Error on the robot data, sharp-right-turn against move-forward",
            sources=(),
            sizes=(50, *UP_TO_1600),
            quick_sizes=(50, *UP_TO_1600[:-1]),
            methods=("knn k=5", "knn k=10", *WNN),
        ),
        Figure(
            number=6,
            title="Error over the efficiency bound, normals with means 2 apart",
            sources=SHIFTED_NORMALS,
            sizes=(1000,),
            quick_sizes=(500,),
            methods=("mst", "knn k=1", "knn k=5", *WNN),
        ),
        Figure(
            number=7,
            title="Coverage of the 95 % interval of wnn, normals with means 2 apart",
            sources=SHIFTED_NORMALS,
            sizes=(100, 300, 1000),
            quick_sizes=(100, 300),
            methods=("wnn",),
            repeat=2,
        ),
    )
}
"""The five figures of the paper, and two more."""
