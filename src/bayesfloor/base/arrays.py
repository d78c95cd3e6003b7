"""Names for the array types that the layers pass to each other."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

Floats = npt.NDArray[np.float64]
Floats32 = npt.NDArray[np.float32]
Ints = npt.NDArray[np.int64 | np.int32]
SmallInts = npt.NDArray[np.uint8 | np.int16]
Bools = npt.NDArray[np.bool_]
AnyArray = npt.NDArray[Any]
