"""Doubles taken apart: a logarithm of a product is faster than the sum of logarithms."""

from __future__ import annotations

TINY = 1e-300
"""Squared distances below this are summed up by their logarithms: they may not be normal."""
MANTISSA = (1 << 52) - 1
ONE = 1023 << 52
"""Exponent of the numbers between 1 and 2."""
BIAS = 1023
FACTORS = 512
"""Factors between 1 and 2 whose product is safe from overflow."""
