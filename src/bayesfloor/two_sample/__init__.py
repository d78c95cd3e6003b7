"""Two samples: whether they differ, by how much, in which columns and rows."""

from __future__ import annotations

from bayesfloor.two_sample.api import two_sample_test
from bayesfloor.two_sample.record import TwoSampleTest

__all__ = ["TwoSampleTest", "two_sample_test"]
