"""What a classifier is to decide, as it is asked for: before anything is known of the classes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from bayesfloor.base.errors import DataError
from bayesfloor.base.options import check_choice, check_count, check_positive


@dataclass(frozen=True, slots=True)
class Metric:
    """What is bounded, and what it says of class shares and costs."""

    name: str
    equal_shares: bool = False  # whether classes count the same, however frequent they are
    takes_costs: bool = True  # whether answers may have costs of their own
    in_costs: bool = (
        False  # whether it is a cost, which has no accuracy and cannot do without costs
    )
    adjective: str = ""  # before "error" and "accuracy"
    among: str = " with the class shares given"  # after "rows", if shares are not the sample's


SHARE_OF_ERRORS = Metric("error", takes_costs=False)
MEAN_COST = Metric("cost", in_costs=True)
BALANCED = Metric(
    "balanced", equal_shares=True, adjective="balanced ", among=" with equal class shares"
)
METRICS: dict[str, Metric] = {
    metric.name: metric for metric in (SHARE_OF_ERRORS, BALANCED, MEAN_COST)
}
"""What can be bounded: the share of errors, its mean over classes, the mean cost of answers."""


@dataclass(frozen=True, slots=True, eq=False)
class DecisionOptions:
    """Options that say what a classifier decides, and what its answers cost."""

    priors: Any = None  # share of each class where it is used, by class
    cost: Any = None  # a matrix, or costs by pairs of true class and answer
    metric: Metric | None = None
    reject: float | None = None  # cost of no answer
    top_k: int | None = None  # classes that may be named at once

    @property
    def given(self) -> list[str]:
        """Names of the options that were used."""
        return [name for name in self.__slots__ if getattr(self, name) is not None]


NO_DECISION = DecisionOptions()
"""The error on rows like these."""


def check_decision(arguments: Mapping[str, Any]) -> DecisionOptions:
    """Check the options of a decision among the arguments of a call, as far as they tell."""
    named, reject, top_k = (arguments.get(name) for name in ("metric", "reject", "top_k"))
    metric = None if named is None else METRICS[check_choice("metric", named, METRICS)]
    options = DecisionOptions(
        priors=arguments.get("priors"),
        cost=arguments.get("cost"),
        metric=metric,
        reject=None if reject is None else check_positive("reject", reject),
        top_k=None if top_k is None else check_count("top_k", top_k),
    )
    costs = [f"{name}=" for name in ("cost", "reject") if name in options.given]
    if metric and metric.equal_shares and options.priors is not None:
        raise DataError("priors= and metric= both say how frequent classes are; leave one out")
    if costs and metric and not metric.takes_costs:
        what = f"{costs[0]} does not go with metric='{metric.name}'"
        raise DataError(f"{what}; leave one of them out")
    if not costs and metric and metric.in_costs:
        raise DataError(f"metric='{metric.name}' needs costs; pass cost= or reject=")
    if costs and options.top_k is not None:
        raise DataError(f"{costs[0]} does not go with top_k=; leave one of them out")
    return options
