"""Two samples: whether they differ, by how much, in which columns and rows.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

from __future__ import annotations

from bayesfloor.two_sample.api import two_sample_test
from bayesfloor.two_sample.record import TwoSampleTest

__all__ = ["TwoSampleTest", "two_sample_test"]
