"""Errors or accuracies: what numbers are shown as, and the words that go with them.

An answer speaks of one of the two throughout. The numbers inside the package are errors.
"""

from __future__ import annotations

from dataclasses import dataclass

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import as_percent, percent, show


@dataclass(frozen=True, slots=True)
class Measure:
    """One way to show how good a classifier is."""

    name: str
    floor: str  # what a fact calls the interval of the Bayes error
    best: str  # what is bounded, in a sentence
    verb: str  # before a share of rows
    better: str  # before a limit that nobody passes
    or_better: str  # after a limit that somebody reaches
    rises: bool  # whether more is better

    def of(self, error: float) -> float:
        """Return an error in this measure."""
        return 1 - error if self.rises else error

    def percent(self, error: float) -> str:
        """Write an error that was computed.

        Examples
        --------
        >>> ERROR.percent(0.123), ACCURACY.percent(0.123)
        ('12.3%', '87.7%')
        """
        return percent(self.of(error))

    def as_given(self, error: float) -> str:
        """Write an error that the user gave, or the accuracy, with their digits."""
        return as_percent(self.of(error))

    def span(self, low: float, high: float) -> str:
        """Write an interval of errors, the smaller number first.

        Examples
        --------
        >>> ERROR.span(0.1, 0.2), ACCURACY.span(0.1, 0.2)
        ('10.0% to 20.0%', '80.0% to 90.0%')
        """
        ends = (high, low) if self.rises else (low, high)
        return " to ".join(map(self.percent, ends))


ERROR = Measure(
    "error", "Bayes error", "lowest possible error", "errs on", "less than", "or less", rises=False
)
ACCURACY = Measure(
    "accuracy",
    "best accuracy",
    "best possible accuracy",
    "is right on",
    "more than",
    "or more",
    rises=True,
)
MEASURES = {measure.name: measure for measure in (ERROR, ACCURACY)}
"""What numbers can be shown as, by name; the first is the default."""
DEFAULT_MEASURE = ERROR.name
"""What numbers are shown as where nothing else is wanted: people speak of errors here."""


def find_measure(name: object, *, option: str = "shown_as") -> Measure:
    """Return a measure by its name; `option` is what messages call it."""
    if not isinstance(name, str) or name not in MEASURES:
        raise DataError(f"{option} is {show(name)}; choose one of {', '.join(MEASURES)}")
    return MEASURES[name]
