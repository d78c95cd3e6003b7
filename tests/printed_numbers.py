"""Printed text that may differ in the last digits of its numbers: processors round differently."""

from __future__ import annotations

import doctest
import re

NUMBER = re.compile(r"\d+(?:,\d{3})*(?:\.\d+)?")
UNITS = 2
"""Units of the last digit shown by which numbers may differ; of a single decimal, one may."""


def same_print(shown: str, printed: str) -> bool:
    """Tell whether texts are the same but for white space and the last digits of numbers."""
    words, others = (" ".join(NUMBER.sub("#", text).split()) for text in (shown, printed))
    numbers = zip(NUMBER.findall(shown), NUMBER.findall(printed), strict=False)
    return words == others and all(is_near(one, other) for one, other in numbers)


def is_near(shown: str, printed: str) -> bool:
    """Tell whether two numbers differ by some units of the last digit shown."""
    one, other = (text.replace(",", "") for text in (shown, printed))
    (whole, _, decimals), (other_whole, _, other_decimals) = (
        one.partition("."),
        other.partition("."),
    )
    as_long = len(decimals) == len(other_decimals)
    digits = min(len(decimals), len(other_decimals))
    if digits == 0 or (not as_long and len(whole) == len(other_whole)):  # unlike 9.99 and 10.0
        return one == other
    units = UNITS if digits > 1 else 1
    return abs(float(one) - float(other)) < (units + 0.5) * 10**-digits


class NearNumbers(doctest.OutputChecker):
    """Compares the output of examples, last digits aside."""

    def check_output(self, want: str, got: str, optionflags: int) -> bool:
        """Tell whether an example printed what is shown."""
        return same_print(want, got) or super().check_output(want, got, optionflags)
