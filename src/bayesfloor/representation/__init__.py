"""Many columns as a few numbers: raw as they are, or learned by cross-fitted maps."""

from bayesfloor.representation.auto import measure_by_rule
from bayesfloor.representation.learned import learn
from bayesfloor.representation.pooling import PooledMismatch, pool_mismatch
from bayesfloor.representation.representation import (
    AUTO,
    RAW,
    REPRESENTATIONS,
    Representation,
    check_representation,
    raw_representation,
)

__all__ = [
    "AUTO",
    "RAW",
    "REPRESENTATIONS",
    "PooledMismatch",
    "Representation",
    "check_representation",
    "learn",
    "measure_by_rule",
    "pool_mismatch",
    "raw_representation",
]
