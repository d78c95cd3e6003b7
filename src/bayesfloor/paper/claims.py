"""The claims of the paper's numerical section, each with a rule that decides it from the data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from bayesfloor.paper import comparison_checks, default_checks, neighbour_checks
from bayesfloor.paper.findings import Finding
from bayesfloor.paper.replicates import FigureData
from bayesfloor.paper.rules import verdict_kind


@dataclass(frozen=True, slots=True)
class Claim:
    """A claim in the paper's words, and the rule that decides it."""

    figure: int
    quotation: str
    rule: str
    check: Callable[[FigureData], Finding]
    ours: bool = False


@dataclass(frozen=True, slots=True)
class Verdict:
    """A row of the verdict table."""

    claim: Claim
    finding: Finding

    @property
    def kind(self) -> str:
        """Return one of holds, partly, fails, open and absent."""
        return verdict_kind(self.finding.verdict)


def verdicts(data: Mapping[int, FigureData], absent: Mapping[int, str]) -> list[Verdict]:
    """Decide every claim whose figure has data; the others say why they have none."""
    return [
        Verdict(
            claim,
            claim.check(data[claim.figure])
            if claim.figure in data
            else Finding(f"not run: {absent[claim.figure]}", "–"),
        )
        for claim in CLAIMS
    ]


SMALLEST = (
    "from some N on no rival is smaller by more than two errors at any size, and each is larger on"
    " average over these sizes by more than two; it fails if over the larger half of the sizes a"
    " rival is smaller on average by more than two"
)
"""What `rules.smallest_verdict` asks for, in words."""

CLAIMS: tuple[Claim, ...] = (
    Claim(
        1,
        "As N increases, the bias for any k tends to zero.",
        "For each k, |bias| at the largest N is below that at the smallest, and below 5 % of D or"
        " two errors.",
        neighbour_checks.bias_vanishes,
    ),
    Claim(
        1,
        "the bias decreases slower as k increases",
        "The exponent of N is smaller for k = 20 than for k = 5 by more than two errors; or else"
        " the bias of k = 20 is larger by more than two errors.",
        neighbour_checks.larger_k_is_slower,
    ),
    Claim(
        1,
        "which is due to the (k/N)^(γ/d) term",
        "One power of k/N is fitted to the bias of all k and N; its exponent is within two errors"
        " of 1/2, or above.",
        neighbour_checks.bias_power,
    ),
    Claim(
        1,
        "the variance is almost independent of k",
        "Averaged over N, variances are within a factor of 1.25 of that of k = 5.",
        neighbour_checks.variance_ignores_k,
    ),
    Claim(
        1,
        "and decreases linear towards zero",
        "For each k, the slope of log variance against log N is within three errors of −1.",
        neighbour_checks.variance_is_linear,
    ),
    Claim(
        2,
        "as d increases, the experiment shows that the MSE rate increases",
        "Averaged over N, the MSE of k-NN grows from each d to the next by more than two errors; it"
        " fails if growth by a factor of 1.25 to the largest d is excluded by two errors.",
        neighbour_checks.error_grows_with_dimension,
    ),
    Claim(
        3,
        "This experiment verifies the advantage of WNN estimator over the k-NN and MST estimators,"
        " in terms of their convergence rates.",
        f"The slope of its MSE is below both others by more than two errors; and {SMALLEST}.",
        comparison_checks.best_rate,
    ),
    Claim(
        3,
        "the performance of MST estimator is slightly better than the k-NN estimator",
        f"For the MSE, {SMALLEST}.",
        comparison_checks.tree_beats_neighbours,
    ),
    Claim(
        3,
        "WNN estimator can achieve optimum parametric MSE rate of O(1/N), and we validated our"
        " results (conclusion)",
        "The slope of log MSE against log N is not above −1 by more than two errors.",
        comparison_checks.parametric_rate,
    ),
    Claim(
        4,
        "The confidence band becomes narrower for greater values of N",
        "The slope of log width against log N is below 0 by more than two errors for each method.",
        comparison_checks.bands_narrow,
    ),
    Claim(
        4,
        "and the WNN estimator has the narrowest confidence band",
        f"For the variance, {SMALLEST}.",
        comparison_checks.narrowest_band,
    ),
    Claim(
        5,
        "There are total number of 5456 instances … four different classes of actions",
        "Rows and classes are counted when the data are read.",
        comparison_checks.robot_counts,
    ),
    Claim(
        5,
        "Note the superior performance of the WNN estimator as compared to the k-NN estimators.",
        f"For the MSE against D = 1, {SMALLEST}.",
        comparison_checks.best_on_robot,
    ),
    Claim(
        6,
        "The default wnn stays within twice the efficiency bound in 1 to 20 dimensions.",
        "The MSE over the bound exceeds 2 by at most two errors in each dimension.",
        default_checks.near_the_bound,
        ours=True,
    ),
    Claim(
        7,
        "The 95 % interval of the default wnn holds the truth in 95 % of samples.",
        "The share is at most two errors below 95 % for each N and d.",
        default_checks.interval_covers,
        ours=True,
    ),
)
"""Every claim, in the order of the paper; the last two are about bayesfloor."""
