"""Draw samples and estimate their divergence, one spawned generator a repetition."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TypeAlias
from zlib import crc32

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import ONE_THREAD
from bayesfloor.bounds.henze_penrose import divergence, independent_mismatch
from bayesfloor.curve.measurement import measure
from bayesfloor.estimators.methods import METHODS
from bayesfloor.neighbours import Effort
from bayesfloor.paper.settings import Cell
from bayesfloor.sample.gate import make_pair

CHUNK = 5
"""Repetitions that are handed to a worker, and saved, together."""

Row: TypeAlias = tuple[str, int, int, int, str, float, float]
"""Source, columns d, rows a class n, repetition, method, divergence and its standard error."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some repetitions of a cell."""

    cell: Cell
    start: int
    stop: int
    seed: int

    @property
    def cost(self) -> int:
        """Work, roughly in proportion to time."""
        n, d = self.cell.n, self.cell.source.d
        return (self.stop - self.start) * n * (10 + d)


def make_chunks(cell: Cell, repetitions: int, seed: int) -> Iterator[Chunk]:
    """Yield the repetitions of a cell a few at a time."""
    for start in range(0, repetitions, CHUNK):
        yield Chunk(cell, start, min(start + CHUNK, repetitions), seed)


def chunk_rows(chunk: Chunk) -> list[Row]:
    """Simulate; the rows depend on the seed, the cell and the repetition, on nothing else."""
    cell, source = chunk.cell, chunk.cell.source
    root = np.random.SeedSequence([chunk.seed, crc32(cell.key.encode())])
    children = root.spawn(chunk.stop)[chunk.start :]
    return [
        (source.name, source.d, cell.n, repetition, method, value, se)
        for repetition, child in enumerate(children, chunk.start)
        for method, value, se in estimates(
            *source.draw(cell.n, cell.n, np.random.default_rng(child)), cell.methods
        )
    ]


def estimates(x: Floats, y: Floats, methods: tuple[str, ...]) -> Iterator[tuple[str, float, float]]:
    """Estimate the divergence by many methods from one neighbour search.

    Yields
    ------
    method, divergence, standard error
        Both NaN where the method refuses the sample.
    """
    sample = make_pair(x, y)
    asked = [split_method(method) for method in methods]
    ranks = max(METHODS[name].ranks(sample.n, k) for name, k in asked)
    measured = measure(sample, ranks=ranks, effort=Effort(executor=ONE_THREAD))
    unit = independent_mismatch(sample.priors)
    for method, (name, k) in zip(methods, asked, strict=True):
        try:
            found = METHODS[name].estimate(sample, measured, k)
        except DataError:
            yield method, math.nan, math.nan
        else:
            value = divergence(found.mismatch, sample.priors)
            yield method, value, math.sqrt(found.variance) / unit


def split_method(text: str) -> tuple[str, int]:
    """Return the key in METHODS, and k.

    Examples
    --------
    >>> split_method("knn k=10"), split_method("mst")
    (('knn', 10), ('mst', 1))
    """
    name, _, k = text.partition(" k=")
    return name, int(k or 1)
