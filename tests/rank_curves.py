"""Rank curves with known shape and noise, for tests of what is fitted to them."""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.curve.rank_curve import RankCurve

K = 120


def curve_of(adjusted: Floats, plain: Floats | None = None, d: float = 2.0) -> RankCurve:
    rank = np.arange(1, len(adjusted) + 1)
    return RankCurve(
        rank=rank,
        mismatch=adjusted * 1000 / 999 if plain is None else plain,  # as for a flat trend, n = 1000
        adjusted=adjusted,
        radius=(rank / len(rank)) ** (1 / d),
        at_zero=np.zeros(len(rank)),
        intrinsic_dimension=d,
    )


def noisy(seed: int, level: float = 0.003) -> Floats:
    return level * np.random.default_rng(seed).normal(size=K)


RADIUS = np.sqrt(np.arange(1, K + 1) / K)
