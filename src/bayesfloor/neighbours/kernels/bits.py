"""The bits of doubles: the logarithm of a product is faster than a sum of logarithms.

The layout is that of IEEE 754 binary64: 52 bits of mantissa below 11 bits of exponent.
"""

from __future__ import annotations

TINY_SQUARED = 1e-300
"""Squared distances below this take the slow path, with a logarithm of their own.

Below 2.2e-308 doubles are not normal and have no full mantissa; the margin is a judgement.
"""
MANTISSA_MASK = (1 << 52) - 1
"""Selects the 52 bits of the mantissa."""
EXPONENT_BIAS = 1023
"""What is added to the exponent of a double before it is stored."""
EXPONENT_OF_ONE = EXPONENT_BIAS << 52
"""The exponent bits of the numbers from 1 to 2."""
MOST_FACTORS = 512
"""Factors from 1 to 2 that are multiplied before a logarithm is taken.

Their product is below 2^512, far from overflow at 2^1024.
"""
