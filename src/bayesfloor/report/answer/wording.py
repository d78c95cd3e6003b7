"""What verdicts and floors say in words, in errors or in accuracies.

Verdicts call these with numbers that they have decided on; nothing is decided here.
"""

from __future__ import annotations

from bayesfloor.base.formatting import as_percent
from bayesfloor.base.measures import DEFAULT_MEASURE, Measure
from bayesfloor.estimators.methods import DEFAULT_METHOD
from bayesfloor.floor import Floor
from bayesfloor.report.item_texts import (
    item_in_reach,
    item_open_question,
    item_out_of_reach,
    item_summary,
    new_labels,
)


def summary_sentences(floor: Floor, shown_as: str = DEFAULT_MEASURE) -> tuple[str, ...]:
    """Say what the floor means, to a reader who knows classifiers and nothing else."""
    measure, (low, high) = floor.measure(shown_as), floor.interval
    if floor.of_items:
        return item_summary(floor, measure)
    which = "this column" if floor.columns == 1 else f"these {floor.columns:,} columns"
    sure, reached = as_percent(floor.confidence), measure.percent(high)
    seeing = "on" if floor.ground.scope else "that sees only"
    limit = (
        f"the best possible classifier that sees only {which} {measure.verb} {reached}"
        f" {measure.rows()} {measure.or_better}; that it is never wrong cannot be ruled out."
        if has_no_limit(floor)
        else f"{nobody(floor)} {seeing} {which} {measure.verb} {measure.better}"
        f" {measure.percent(low)} {measure.rows()}, and the best possible classifier {measure.verb}"
        f" {reached} {measure.or_better}."
    )
    return (
        f"With {sure} confidence, {limit}",
        f"{grounds_sentence(floor, measure)} The best estimate of the {measure.best} is"
        f" {measure.percent(floor.estimate)}.",
    )


def has_no_limit(floor: Floor) -> bool:
    """Tell whether a perfect classifier cannot be ruled out."""
    measure = floor.measure()
    return measure.percent(floor.interval[0]) == measure.percent(0)


def is_held_out(floor: Floor) -> bool:
    """Tell whether the upper end is the error of a held-out rule, not a published bound."""
    return floor.how.sharpens


def nobody(floor: Floor) -> str:
    """Name those who the lower end speaks of: no classifier, or none of the kinds tried."""
    scope = floor.ground.scope
    return f"no model {scope}" if scope else "no classifier"


def grounds_sentence(floor: Floor, measure: Measure) -> str:
    """Say what the two ends of the interval rest on."""
    condition = " and ".join(floor.provisos)
    if not is_held_out(floor):
        return f"Both numbers come from {floor.how.explanation}: they hold if {condition}."
    fact = (
        f"is measured: a rule learned on some of the {floor.n:,} rows{helped(floor)} {measure.verb}"
        f" {measure.percent(floor.upper)} {measure.rows('the others')}."
    )
    if has_no_limit(floor):
        return (
            f"This number {fact} A limit that nobody passes would rest on {floor.ground.summary},"
            " but these rows give none with that confidence."
        )
    measured, other = ("lower", "higher") if measure.rises else ("higher", "lower")
    return (
        f"The {measured} number {fact} The {other} one rests on {floor.ground.summary}: it holds if"
        f" {condition}."
    )


def helped(floor: Floor) -> str:
    """Say that the user's model has a part in the rule, if it has."""
    if floor.model is None or floor.model.weight == 0:
        return ""
    return ", averaged with your model's held-out predictions,"


def model_error_text(floor: Floor, error: float, measure: Measure) -> str:
    """Write the error of the user's model: as it was given, or rounded if predictions tell it."""
    return measure.as_given(error) if floor.model is None else measure.percent(error)


def trivial_sentence(floor: Floor, error: float, measure: Measure) -> str:
    """Say that a target asks for no more than the largest class gives."""
    wanted = measure.as_given(error)
    return (
        f"{largest_class_sentence(floor, measure)}, which meets the target of {wanted}: ask for"
        " more, or judge each class on its own."
    )


def largest_class_sentence(floor: Floor, measure: Measure) -> str:
    """Say how good the largest class alone is, or another answer that is always the same."""
    constant, rows = floor.constant, measure.rows(new_labels(floor, "these"))
    return f"{constant.text} {measure.verb} {measure.percent(constant.loss)} {rows}"


def met_sentence(floor: Floor, error: float, worst: float, measure: Measure) -> str:
    """Say that the model meets the target, and doubt it if it cannot."""
    too_good = worst < floor.interval[0]
    what = "these items" if floor.of_items else "these columns"
    but = f"; but that is too good for {what}, so check its test first" if too_good else ""
    return f"your model {measure.verb} {measure.as_given(error)} {measure.or_better} already{but}."


def reachable_sentence(floor: Floor, error: float, measure: Measure) -> str:
    """Say that a target is reached, and how that is known."""
    if floor.of_items:
        return item_in_reach(floor, error, measure)
    sure, wanted = as_percent(floor.confidence), measure.as_given(error)
    reached = f"{measure.percent(floor.interval[1])} {measure.or_better} {measure.rows()}"
    if not is_held_out(floor):
        return (
            f"the best possible classifier {measure.verb} {reached} with {sure} confidence, which"
            f" meets the target of {wanted}. This holds if {' and '.join(floor.provisos)}."
        )
    return (
        f"a rule learned on some of these rows {measure.verb} {measure.percent(floor.upper)}"
        f" {measure.per} the others, {'' if measure.is_cost else 'on '}{reached} with {sure}"
        f" confidence, which meets the target of {wanted}."
    )


def out_of_reach_sentence(floor: Floor, error: float, measure: Measure) -> str:
    """Say that nobody gets there, and of whom that is known."""
    if floor.of_items:
        return item_out_of_reach(floor, error, measure)
    limit, sure = measure.percent(floor.interval[0]), as_percent(floor.confidence)
    text = (
        f"{nobody(floor)} {measure.verb} {measure.as_given(error)} {measure.or_better}"
        f" {measure.rows()} from these columns, however many rows it learns from; the limit is"
        f" {limit}, with {sure} confidence. This holds if {' and '.join(floor.provisos)}."
    )
    texts = ", such as numbers from the free text that was left out" if floor.texts_left_out else ""
    if floor.ground.scope:
        return f"{text} Other columns would help{texts}, or a model of another kind."
    return f"{text} Better columns are needed{texts}, not a better model."


def undecided_sentence(floor: Floor, error: float, rows: int | None, measure: Measure) -> str:
    """Say on which side a target likely is, and what would decide it."""
    if floor.of_items:
        return item_open_question(floor, error, rows, measure)
    wanted = measure.as_given(error)
    if rows is not None:
        side = "in reach" if error >= floor.estimate else "out of reach"
        return (
            f"{wanted} looks {side}, but {floor.n:,} rows are too few to tell; about {rows:,} rows"
            " would likely decide it."
        )
    if not is_held_out(floor):
        return (
            f"{wanted} is too close to the bounds of method {floor.method}"
            f" ({measure.span(floor.lower, floor.upper)}) or between them, and more rows do not"
            f" bring these together; method {DEFAULT_METHOD} may decide it."
        )
    return (
        f"{wanted} is so close to the best estimate, {measure.percent(floor.estimate)}, that no"
        " realistic number of rows decides it; only a model that gets there can tell."
    )


def model_subject(
    floor: Floor, error: float, interval: tuple[float, float] | None, measure: Measure
) -> str:
    """Name a model by its error, with the margin that its test leaves."""
    margin = f" ({measure.span(*interval)} by its test rows)" if interval is not None else ""
    rows = measure.rows(new_labels(floor))
    return f"a model that {measure.verb} {measure.as_given(error)} {rows}{margin}"


def predictions_subject(floor: Floor, measure: Measure) -> str:
    """Name the user's model by its error on these rows, with its margin."""
    model = floor.model
    assert model is not None
    return (
        f"your model, which {measure.verb} {measure.percent(model.error)}"
        f" {measure.rows(f'{model.rows:,} rows')} ({measure.span(*model.interval)} of new rows),"
    )


def with_error(measure: Measure, error: float) -> str:
    """Write a measured error with the name of the measure.

    Examples
    --------
    >>> from bayesfloor.base.measures import COST, ERROR
    >>> with_error(ERROR, 0.12345), with_error(COST, 0.5)
    ('12.3% error', 'mean cost 0.5')
    """
    shown = measure.percent(error)
    return f"mean {measure.name} {shown}" if measure.is_cost else f"{shown} {measure.name}"


def below_sentence(floor: Floor, model: str, measure: Measure) -> str:
    """Say that a model is too good to be true."""
    scope, sure = floor.ground.scope, as_percent(floor.confidence)
    beaten = f"every model {scope}" if scope else "every possible classifier"
    return (
        f"{model} would beat {beaten} (the limit is {measure.percent(floor.interval[0])}, with"
        f" {sure} confidence): look for training rows in its test, a leak, or copied rows. The"
        f" limit holds if {' and '.join(floor.provisos)}."
    )


def room_sentence(
    floor: Floor,
    model: str,
    to_win: tuple[float, float],
    measure: Measure,
    *,
    by_rule: bool,
    useless: str,
) -> str:
    """Say how much a model can still improve; `useless` if the largest class does as well."""
    better = ": a rule learned on some of these rows does better" if by_rule else ""
    constant = "the largest class" if floor.decision is None else "always answering the same"
    other = f" It is no better than {constant}: {useless}." if useless else ""
    return (
        f"{model} can still improve by {measure.gain(to_win[0])} or more, with"
        f" {as_percent(floor.confidence)} confidence, and by {measure.gain(to_win[1], unit=False)}"
        f" at most{better}."
        f"{other}"
    )


def done_sentence(floor: Floor, model: str, most: float, measure: Measure) -> str:
    """Say that a model may be as good as any."""
    return (
        f"{model} has at most {measure.gain(most)} of improvement left, with"
        f" {as_percent(floor.confidence)} confidence, possibly none: it may be as good as these"
        f" {'items' if floor.of_items else 'columns'} allow."
    )
