"""How much of a secret the columns give away, in the measures of quantitative information flow.

The label is the secret, the columns are what an attacker sees. Without them, the best guess is the
largest class, and errs with probability G; with them, the best attacker errs with the Bayes error.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import log2
from typing import Any

from bayesfloor.base.formatting import as_percent


@dataclass(frozen=True, slots=True)
class Leak:
    """One measure of leakage: its estimate, and its interval."""

    value: float
    interval: tuple[float, float]


@dataclass(frozen=True, slots=True)
class Leakage:
    """How much the columns tell of the label.

    The class shares of the sample count as known: in most such studies they are chosen.

    Attributes
    ----------
    guessing_error : float
        Error G of the best guess without the columns.
    multiplicative : Leak
        (1 − ε)/(1 − G): how many times as often the best attacker is right; 1 if nothing leaks.
    additive : Leak
        G − ε: how much more often, as a share of rows; 0 if nothing leaks.
    bayes_security : Leak
        ε/G: share of the errors that are left; 1 if nothing leaks, 0 if all does.
    min_entropy : Leak
        log₂ of the multiplicative leakage, in bits.
    confidence : float
        Of the intervals.
    rests_on : str
        What the ends rest on that say how much leaks at most. Those that say how much leaks at
        least are free of assumptions: a rule has shown it on rows that it was not learned from.

    References
    ----------
    Smith (2009), FoSSaCS, 288-302; Cherubin, Chatzikokolakis & Palamidessi (2019), IEEE S&P,
    835-852 (F-BLEAU); Chatzikokolakis, Cherubin, Palamidessi & Troncoso (2023), CSF, 162-177.
    """

    guessing_error: float
    multiplicative: Leak
    additive: Leak
    bayes_security: Leak
    min_entropy: Leak
    confidence: float
    rests_on: str

    @property
    def headline(self) -> str:
        """Say how much leaks."""
        low, high = self.multiplicative.interval
        return (
            f"With the columns, the best attacker is right {low:.3g} to {high:.3g} times as often"
            f" as without ({as_percent(self.confidence)} confidence)"
        )

    def facts(self) -> list[tuple[str, str]]:
        """Return the measures as pairs of a name and a text."""
        rows = (
            (
                "multiplicative",
                self.multiplicative,
                "",
                "right guesses with the columns over those without",
            ),
            ("additive", self.additive, "", "share of rows that are guessed right because of them"),
            (
                "Bayes security",
                self.bayes_security,
                "",
                "errors with the columns over those without",
            ),
            ("min-entropy", self.min_entropy, " bits", "of the secret are given away"),
        )
        sure = as_percent(self.confidence)
        return [
            *(
                (name, f"{leak.value:.4g}{unit} ({sure} interval {_span(leak)}): {meaning}")
                for name, leak, unit, meaning in rows
            ),
            ("most that leaks", f"{self._most_rests_on()}; the least is free of assumptions"),
        ]

    def _most_rests_on(self) -> str:
        if self.bayes_security.interval[0] == 0:
            return "that all of the secret leaks cannot be ruled out"
        return f"rests on {self.rests_on}"

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain Python values, ready for JSON."""
        names = ("multiplicative", "additive", "bayes_security", "min_entropy")
        leaks = {name: getattr(self, name) for name in names}
        return {
            "guessing_error": self.guessing_error,
            **{
                name: {"value": leak.value, "interval": list(leak.interval)}
                for name, leak in leaks.items()
            },
        }


def _span(leak: Leak) -> str:
    return " to ".join(f"{end:.4g}" for end in leak.interval)


def make_leakage(
    estimate: float,
    interval: tuple[float, float],
    largest_prior: float,
    *,
    confidence: float,
    rests_on: str,
) -> Leakage:
    """Turn a Bayes error with its interval into leakage; each measure is monotone in it.

    Parameters
    ----------
    estimate, interval : float, tuple of float
        The Bayes error; above the guessing error it counts as that: nothing leaks.
    largest_prior : float
        Share of the largest class.
    confidence : float
        Of the interval.
    rests_on : str
        What its lower end rests on.

    Examples
    --------
    >>> found = make_leakage(0.25, (0.2, 0.3), 0.5, confidence=0.95, rests_on="models")
    >>> found.multiplicative.interval, found.bayes_security.value
    ((1.4, 1.6), 0.5)
    """
    guess = 1 - largest_prior
    error, low, high = (min(one, guess) for one in (estimate, *interval))

    def leak(measure: Any) -> Leak:
        ends = sorted((measure(low), measure(high)))
        return Leak(measure(error), (ends[0], ends[1]))

    return Leakage(
        guess,
        leak(lambda e: (1 - e) / largest_prior),
        leak(lambda e: guess - e),
        leak(lambda e: e / guess),
        leak(lambda e: log2((1 - e) / largest_prior)),
        confidence,
        rests_on,
    )
