"""Points on a small grid, full of ties and copies."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from bayesfloor.base.arrays import Floats


def tied_points(least: int = 2, most: int = 30) -> st.SearchStrategy[Floats]:
    """Draw up to so many points of up to three columns with five different values."""
    shapes = st.tuples(st.integers(least, most), st.integers(1, 3))
    return arrays(np.float64, shapes, elements=st.integers(-2, 2).map(float))
