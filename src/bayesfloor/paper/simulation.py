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
from bayesfloor.bounds.henze_penrose import divergence, divergence_error
from bayesfloor.curve.measurement import measure
from bayesfloor.estimators.method import Evidence
from bayesfloor.estimators.methods import METHODS
from bayesfloor.neighbours import Effort
from bayesfloor.paper.figures import Scenario
from bayesfloor.paper.methods import parse_method
from bayesfloor.sample.gate import make_pair

CHUNK_SIZE = 5
"""Repetitions that are handed to a worker, and saved, together.

A judgement: a stopped run loses few of them, and there are not too many files.
"""

FIXED_COST = 10
"""Work for a row of no columns, in columns; a rough guess that only orders and times the chunks."""

Row: TypeAlias = tuple[str, int, int, int, str, float, float]
"""Source, columns d, rows a class n, repetition, method, divergence and its standard error."""


@dataclass(frozen=True, slots=True)
class Chunk:
    """Some repetitions of a scenario."""

    scenario: Scenario
    start: int
    stop: int
    seed: int

    @property
    def cost(self) -> int:
        """Return the work, roughly in proportion to time."""
        n, d = self.scenario.n, self.scenario.source.d
        return (self.stop - self.start) * n * (FIXED_COST + d)


def make_chunks(scenario: Scenario, repetitions: int, seed: int) -> Iterator[Chunk]:
    """Yield the repetitions of a scenario a few at a time."""
    for start in range(0, repetitions, CHUNK_SIZE):
        yield Chunk(scenario, start, min(start + CHUNK_SIZE, repetitions), seed)


def chunk_rows(chunk: Chunk) -> list[Row]:
    """Simulate; the rows depend on the seed, the scenario and the repetition, on nothing else."""
    scenario, source = chunk.scenario, chunk.scenario.source
    root = np.random.SeedSequence([chunk.seed, crc32(scenario.key.encode())])
    children = root.spawn(chunk.stop)[chunk.start :]
    return [
        (source.name, source.d, scenario.n, repetition, method, value, se)
        for repetition, child in enumerate(children, chunk.start)
        for method, value, se in estimates(
            *source.draw(scenario.n, scenario.n, np.random.default_rng(child)), scenario.methods
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
    parsed = [parse_method(method) for method in methods]
    ranks = max(METHODS[name].ranks(sample.n, k) for name, k in parsed)
    measured = measure(sample, ranks=ranks, effort=Effort(executor=ONE_THREAD))
    for method, (name, k) in zip(methods, parsed, strict=True):
        try:
            found = METHODS[name].estimate(Evidence(sample, measured, k, ONE_THREAD))
        except DataError:
            yield method, math.nan, math.nan
        else:
            value = divergence(found.mismatch, sample.priors)
            yield method, value, divergence_error(math.sqrt(found.variance), sample.priors)
