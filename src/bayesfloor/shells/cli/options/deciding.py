"""Options that say what a classifier decides, and what its answers cost."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

from bayesfloor.base.decision_options import METRICS
from bayesfloor.shells.cli.help import DECISION
from bayesfloor.shells.cli.options.declaration import option
from bayesfloor.shells.cli.options.records import OptionRecord
from bayesfloor.shells.cli.values import class_share, pair_cost, share


@dataclass(frozen=True, slots=True)
class DecidingOptions(OptionRecord):
    """What a classifier decides; plain errors by default."""

    priors: Annotated[
        list[str] | None,
        option(
            "Share of a class where a classifier will be used, such as yes=2%; again for each"
            " class but one.",
            "--prior",
            group=DECISION,
            value="CLASS=SHARE",
        ),
    ] = None
    cost: Annotated[
        list[str] | None,
        option(
            "Cost of an answer, such as yes:no=10 for a yes that is answered as no; other errors"
            " then cost 1.",
            "--cost",
            group=DECISION,
            value="CLASS:ANSWER=COST",
        ),
    ] = None
    metric: Annotated[
        str | None,
        option(
            "What is bounded; balanced is the error with equal class shares.",
            group=DECISION,
            value="|".join(METRICS),
            show_default=False,
        ),
    ] = None
    reject: Annotated[
        str | None,
        option(
            "Cost of no answer, where an error costs 1, or what --cost says.",
            group=DECISION,
            value="COST",
        ),
    ] = None
    top_k: Annotated[
        int | None,
        option(
            "Name K classes at once; an error is a label that is not among them.",
            group=DECISION,
            value="K",
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """Return options of `bayes_error`, still to be checked."""
        return {
            "priors": dict(map(class_share, self.priors)) if self.priors else None,
            "cost": dict(map(pair_cost, self.cost)) if self.cost else None,
            "metric": self.metric,
            "reject": None if self.reject is None else share(self.reject),
            "top_k": self.top_k,
        }
