"""Errors, accuracies or costs: what numbers are shown as, and the words that go with them.

An answer speaks of one of them throughout. The numbers inside the package are errors, or the costs
of the answers that a decision allows.
"""

from __future__ import annotations

from dataclasses import dataclass

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import as_percent, percent, show

FINE_POINTS = 0.00995
"""Shares up to this are written in percentage points with two digits, others with one.
A judgement."""
COST_DIGITS = 3
"""Digits of a cost that was computed: a judgement."""


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
    shown_as: str = "error"  # the option that asks for it
    among: str = ""  # after "rows": what is special about them
    per: str = "of"  # between a number and the rows that it speaks of
    is_cost: bool = False  # whether numbers are costs, not shares

    @property
    def past(self) -> str:
        """The word between a model and a limit that it passes."""
        return "above" if self.rises else "below"

    def question(self, about: str = "") -> str:
        """Return what is asked, the heading of a page.

        Examples
        --------
        >>> ERROR.question(" on species"), ACCURACY.question()
        ('How low can the error on species go?', 'How high can the accuracy go?')
        """
        return f"How {'high' if self.rises else 'low'} can the {self.name}{about} go?"

    def of(self, error: float) -> float:
        """Return an error in this measure."""
        return 1 - error if self.rises else error

    def percent(self, error: float) -> str:
        """Write an error that was computed.

        Examples
        --------
        >>> ERROR.percent(0.123), ACCURACY.percent(0.123), COST.percent(0.123)
        ('12.3%', '87.7%', '0.123')
        """
        return f"{error + 0.0:.{COST_DIGITS}g}" if self.is_cost else percent(self.of(error))

    def as_given(self, error: float) -> str:
        """Write an error that the user gave, or the accuracy, with their digits."""
        return f"{error:.10g}" if self.is_cost else as_percent(self.of(error))

    def titled(self, error: float) -> str:
        """Write an error that the user gave with the name of the measure.

        Examples
        --------
        >>> ERROR.titled(0.05), ACCURACY.titled(0.05), COST.titled(0.5)
        ('5% error', '95% accuracy', 'mean cost 0.5')
        """
        given = self.as_given(error)
        return f"mean {self.name} {given}" if self.is_cost else f"{given} {self.name}"

    def span(self, low: float, high: float) -> str:
        """Write an interval of errors, the smaller number first.

        Examples
        --------
        >>> ERROR.span(0.1, 0.2), ACCURACY.span(0.1, 0.2)
        ('10.0% to 20.0%', '80.0% to 90.0%')
        """
        ends = (high, low) if self.rises else (low, high)
        return " to ".join(map(self.percent, ends))

    def rows(self, rows: str = "new rows") -> str:
        """Say of which rows a number speaks, after it.

        Examples
        --------
        >>> ERROR.rows(), COST.rows("these rows")
        ('of new rows', 'on these rows')
        """
        return f"{self.per} {rows}{self.among}"

    def gain(self, error: float, *, unit: bool = True) -> str:
        """Write a difference of two errors.

        Examples
        --------
        >>> ERROR.gain(0.049), ERROR.gain(0.0012, unit=False), COST.gain(0.25)
        ('4.9 percentage points', '0.12', '0.25')
        """
        if self.is_cost:
            return self.percent(error)
        text = f"{100 * error:.{1 if error > FINE_POINTS else 2}f}"
        return f"{text} percentage points" if unit else text


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
    shown_as="accuracy",
)
COST = Measure(
    "cost",
    "lowest cost",
    "lowest possible mean cost",
    "costs on average",
    "less than",
    "or less",
    rises=False,
    per="on",
    is_cost=True,
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
