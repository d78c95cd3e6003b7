"""What is measured of a sample: neighbours, learned maps, and what both say together.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

from bayesfloor.representation.auto import Measured, conclude, measure_by_rule
from bayesfloor.representation.conclusion import Conclusion
from bayesfloor.representation.learned import Learned, learn
from bayesfloor.representation.learning_curve import LearningCurve
from bayesfloor.representation.pooling import PooledMismatch, pool_mismatch
from bayesfloor.representation.representation import (
    Representation,
    check_representation,
    classifies,
    raw_representation,
)
from bayesfloor.representation.transformer import transform_rows

__all__ = [
    "Conclusion",
    "Learned",
    "LearningCurve",
    "Measured",
    "PooledMismatch",
    "Representation",
    "check_representation",
    "classifies",
    "conclude",
    "learn",
    "measure_by_rule",
    "pool_mismatch",
    "raw_representation",
    "transform_rows",
]
