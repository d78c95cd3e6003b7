"""What a classifier decides: which answers it may give, and what each of them costs.

By default it names one class and any error counts one. Other class shares, costs of errors, an
answer that is none and several classes at once are all tables of losses, see
`bayesfloor.bounds.actions`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from bayesfloor.base.arrays import AnyArray, Floats
from bayesfloor.base.decision_options import MEAN_COST, SHARE_OF_ERRORS, DecisionOptions, Metric
from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import quoted_names, shorten, show
from bayesfloor.base.measures import COST, Measure
from bayesfloor.base.options import number
from bayesfloor.bounds.actions import Actions, AnswerSets, LossTable
from bayesfloor.bounds.loss_planes import MOST_PROJECTED
from bayesfloor.sample.sample import Sample

SAME_SHARE = 1e-12
"""Shares that differ by less are the same: they were divided, and rounded."""
LEAST_LARGEST_COST, LARGEST_COST = 1e-100, 1e100
"""The largest of all costs lies between these, so that squares of costs neither vanish nor
overflow."""
SHARE_ROUNDING = 1e-6
"""Shares may sum to one up to this: people round them."""


@dataclass(frozen=True, slots=True, eq=False)
class Decision:
    """The answers that are allowed, and what they lose.

    Attributes
    ----------
    metric : Metric
        What is bounded, an entry of `METRICS`.
    priors : (m,) array or None
        Class shares that were given; None for those of the sample.
    cost : (m, m) array or None
        Cost of each answer, a column, at a row of each class.
    reject : float or None
        Cost of no answer.
    top_k : int
        Classes that are named at once.
    actions : Actions
        The answers with their losses in the measure of the sample.
    unit : float or None
        What any error costs, if all cost the same and classes have the shares of the sample.
    """

    metric: Metric
    priors: Floats | None
    cost: Floats | None
    reject: float | None
    top_k: int
    actions: Actions
    unit: float | None
    classes: AnyArray

    def measure(self, shown: Measure) -> Measure:
        """Return the words for an error or accuracy of this decision."""
        among = "" if self.priors is None else self.metric.among
        if self.metric.in_costs:
            if shown.rises:
                raise DataError("costs have no accuracy; leave out shown_as='accuracy'")
            return replace(COST, among=among)
        kind = self.metric.adjective + (f"top-{self.top_k} " if self.top_k > 1 else "")
        has = "has the label among" if shown.rises else "misses the label among"
        best = shown.best.replace("possible ", f"possible {kind}")
        return replace(
            shown,
            name=f"{kind}{shown.name}",
            floor=f"best {kind}{shown.name}" if shown.rises else f"{kind or 'Bayes '}error",
            best=best,
            verb=shown.verb if self.top_k == 1 else f"{has} its {self.top_k} answers on",
            among=among,
        )

    def constant_answer(self, shares: Floats) -> str:
        """Say what the best answer is that does not look at the row."""
        losses = self.actions.best_constant(shares)
        if isinstance(self.actions, LossTable) and self.top_k == 1:
            row = int(np.flatnonzero((self.actions.losses == losses).all(axis=1))[0])
            if row == len(self.classes):
                return "always giving no answer"
            return f"always answering '{shorten(self.classes.tolist()[row])}'"
        named = [shorten(self.classes.tolist()[c]) for c in np.flatnonzero(losses == 0)]
        return f"always answering {quoted_names(named)}"

    def to_dict(self) -> dict[str, Any]:
        """Return what was decided on as plain values."""
        return {
            "metric": self.metric.name,
            "priors": None if self.priors is None else self.priors.tolist(),
            "cost": None if self.cost is None else self.cost.tolist(),
            "reject": self.reject,
            "top_k": self.top_k,
        }


def make_decision(options: DecisionOptions, sample: Sample) -> Decision | None:
    """Return the decision on the classes of a sample; None if it is the error on rows like it."""
    if not options.given:
        return None
    classes, m = sample.classes, sample.m
    priors = _shares(options.priors, classes) if options.priors is not None else None
    if options.metric and options.metric.equal_shares:
        priors = np.full(m, 1 / m)
    if priors is not None and np.abs(priors - sample.priors).max() < SAME_SHARE:
        priors = None
    cost = None if options.cost is None else _costs(options.cost, classes)
    is_cost = cost is not None or options.reject is not None
    top_k = 1 if options.top_k is None else _answers(options.top_k, m)
    ratio = np.ones(m) if priors is None else priors / sample.priors
    unit = _equal_cost(cost, m) if priors is None and options.reject is None else None
    metric = options.metric or SHARE_OF_ERRORS
    return Decision(
        metric=replace(MEAN_COST, among=metric.among) if is_cost else metric,
        priors=priors,
        cost=cost,
        reject=options.reject,
        top_k=top_k,
        actions=_actions(cost, options.reject, top_k, ratio),
        unit=unit if top_k == 1 else None,
        classes=classes,
    )


def _actions(cost: Floats | None, reject: float | None, top_k: int, ratio: Floats) -> Actions:
    """Return the answers with their losses, those of each class times its ratio."""
    m = len(ratio)
    if cost is None and reject is None and comb(m, top_k) > MOST_PROJECTED:
        return AnswerSets(top_k, ratio)
    losses = _sets(top_k, m) if cost is None else cost.T
    if reject is not None:
        losses = np.vstack([losses, np.full(m, reject)])
    return LossTable(losses * ratio)


def _sets(top_k: int, m: int) -> Floats:
    """Return a row a set of classes: 1 for each class that is not named."""
    sets = list(combinations(range(m), top_k))
    losses = np.ones((len(sets), m))
    for row, named in zip(losses, sets, strict=True):
        row[list(named)] = 0.0
    return losses


def _equal_cost(cost: Floats | None, m: int) -> float | None:
    """Return what every error costs, if that is the same, and right answers cost nothing."""
    if cost is None:
        return 1.0
    first = float(cost[0, 1])
    return first if np.array_equal(cost, first * (1 - np.eye(m))) else None


def _answers(top_k: int, m: int) -> int:
    if top_k >= m:
        raise DataError(f"top_k is {top_k}, but there are {m} classes; pass less than that")
    return top_k


def _shares(priors: Any, classes: AnyArray) -> Floats:
    """Return the shares of all classes; one that is left out has the rest."""
    if not isinstance(priors, Mapping):
        came = f"priors is of type {type(priors).__name__}"
        raise DataError(
            f"{came}; pass shares by class, such as {{{show(classes.tolist()[0])}: 0.02}}"
        )
    shares = np.full(len(classes), np.nan)
    for name, value in priors.items():
        share = number(value)
        if not 0 < share < 1:
            text = f"priors has {show(value)} for class {show(name)}"
            raise DataError(f"{text}; pass a share between 0 and 1, both excluded")
        code = _find_class("priors", name, classes)
        if not np.isnan(shares[code]):
            raise DataError(f"priors names class {show(name)} twice; name it once")
        shares[code] = share
    missing = np.flatnonzero(np.isnan(shares))
    if len(missing) > 1:
        names = quoted_names([classes.tolist()[c] for c in missing])
        raise DataError(f"priors lacks classes {names}; pass the shares of all but one")
    total = float(np.nansum(shares))
    if len(missing) == 1:
        shares[missing[0]] = 1 - total
    if (len(missing) == 0 and abs(total - 1) > SHARE_ROUNDING) or shares.min() <= 0:
        raise DataError(f"priors sum to {total:.6g}; pass shares that sum to 1")
    return np.asarray(shares / shares.sum())


def _costs(cost: Any, classes: AnyArray) -> Floats:
    """Return the cost of each answer, a column, at each class, a row."""
    m = len(classes)
    if isinstance(cost, Mapping):
        table = 1 - np.eye(m)
        for pair, value in cost.items():
            if not (isinstance(pair, tuple) and len(pair) == 2):
                what = f"cost has {show(pair)}, which is no pair"
                raise DataError(f"{what}; pass costs by (true class, answer)")
            table[tuple(_find_class("cost", name, classes) for name in pair)] = number(value)
    else:
        try:
            table = np.array(cost, dtype=np.float64)
        except (TypeError, ValueError) as problem:
            raise DataError("cost is no matrix of numbers; pass a row a class") from problem
        if table.shape != (m, m):
            what = f"cost has shape {table.shape}, but there are {m} classes"
            raise DataError(f"{what}; pass a row a class and a column an answer")
    if not (np.isfinite(table).all() and (table >= 0).all()):
        a, b = np.argwhere(~(np.isfinite(table) & (table >= 0)))[0]
        names = (show(classes.tolist()[c]) for c in (a, b))
        came = "cost of {} answered as {} is {:g}".format(*names, table[a, b])
        raise DataError(f"{came}; pass costs of 0 or more")
    if not LEAST_LARGEST_COST <= table.max() <= LARGEST_COST and (table > 0).any():
        what = f"the largest cost is {table.max():g}"
        raise DataError(f"{what}; pass costs in another unit, between 1e-100 and 1e100")
    if not (table > 0).any():
        raise DataError("cost is zero for all answers; pass what errors cost")
    return table


def _find_class(option: str, name: Any, classes: AnyArray) -> int:
    """Return the code of a class that is named, as it came or as text."""
    known = classes.tolist()
    found = [c for c, one in enumerate(known) if type(one) is type(name) and one == name]
    found = found or [c for c, one in enumerate(known) if not isinstance(name, str) and one == name]
    found = found or [c for c, one in enumerate(known) if str(one) == str(name)]
    if len(found) != 1:
        raise DataError(f"{option} names class {show(name)}; the classes are {quoted_names(known)}")
    return found[0]
