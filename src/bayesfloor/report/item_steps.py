"""What to do next where items have votes or probabilities instead of columns."""

from __future__ import annotations

from bayesfloor.floor import Floor
from bayesfloor.report.answer import ALREADY_MET, BELOW, OUT_OF_REACH, ROOM, UNDECIDED, Answer
from bayesfloor.report.next_steps import (
    HALVING,
    MODEL,
    NO_NEED,
    NextStep,
    NextSteps,
    first_target,
    meets_by_largest_class,
    percentage_points,
    target_name,
)

ITEMS, VOTES_WAY, LABELS = "More items", "More votes", "Clearer labels"
"""Ways to a surer answer, or to a lower error of the best possible classifier."""


def item_next_steps(floor: Floor, answer: Answer) -> NextSteps:
    """Say what to do, and what each way would bring."""
    headline, first = _choice(floor, answer)
    steps = [_better_model(floor, answer), _more_items(floor, answer)]
    if floor.votes is not None:
        steps.append(_more_votes(floor, answer))
    return NextSteps(headline, first, (*steps, _clearer_labels(floor, answer)))


def _choice(floor: Floor, answer: Answer) -> tuple[str, str | None]:
    """Return what to do first, and the way that this is."""
    target, model = answer.target, answer.model
    if model is not None and model.verdict == BELOW:
        return "check how the model was tested", None
    if target is None:
        room = model is not None and model.verdict == ROOM
        return ("train a better model", MODEL) if room else ("compare your model with it", None)
    if meets_by_largest_class(floor, target):
        return "ask for more than the largest class gives", None
    if target.verdict == ALREADY_MET:
        return "nothing, the target is met", None
    if target.verdict == OUT_OF_REACH:
        return "make labels clearer, or ask for less", LABELS
    if target.verdict != UNDECIDED:
        return "train a model", MODEL
    if target.rows_to_decide is not None:
        return f"collect items, about {target.rows_to_decide:,} in all", ITEMS
    return ("collect votes", VOTES_WAY) if floor.votes is not None else ("try a model", MODEL)


def _better_model(floor: Floor, answer: Answer) -> NextStep:
    model, measure = answer.model, answer.measure
    limit = f"no classifier gets {measure.past} {measure.percent(floor.interval[0])}"
    if model is None:
        return NextStep(MODEL, "down to the floor", f"Whatever it sees of an item, {limit}.")
    left = percentage_points(model.to_win_interval[1])
    text = f"Your model {measure.verb} {measure.as_given(model.error)} of new votes; {limit}."
    return NextStep(
        MODEL, f"up to {left} left" if model.to_win_interval[1] else "nothing left", text
    )


def _more_items(floor: Floor, answer: Answer) -> NextStep:
    target = first_target(answer, UNDECIDED)
    if answer.targets and target is None:
        return NextStep(ITEMS, NO_NEED, f"{floor.n:,} items decide {_all_targets(answer)}.")
    if target is not None and target.rows_to_decide is not None:
        name = target_name(target, answer)
        text = f"So many would likely decide the {name}; there are {floor.n:,} now."
        return NextStep(ITEMS, f"about {target.rows_to_decide:,} in all", text)
    text = f"The margin of error of {floor.n:,} items would be about half as wide."
    return NextStep(ITEMS, f"{HALVING * floor.n:,} halve the margin", text)


def _more_votes(floor: Floor, answer: Answer) -> NextStep:
    assert floor.votes is not None
    more = floor.votes.to_halve
    if answer.targets and first_target(answer, UNDECIDED) is None:
        return NextStep(VOTES_WAY, NO_NEED, f"These votes decide {_all_targets(answer)}.")
    if more is None:
        return NextStep(VOTES_WAY, "would not halve it", "The items are what the interval lacks.")
    return NextStep(VOTES_WAY, "would halve the interval", f"It takes {more.sentence()}.")


def _clearer_labels(floor: Floor, answer: Answer) -> NextStep:
    missed = first_target(answer, OUT_OF_REACH) or first_target(answer, UNDECIDED)
    if answer.targets and missed is None:
        what = "The target is" if len(answer.targets) == 1 else "All targets are"
        return NextStep(LABELS, NO_NEED, f"{what} reached with these.")
    text = "Where people disagree, a classifier cannot agree with all: sharpen the question they"
    limit = f"{answer.measure.past} {answer.measure.percent(floor.interval[0])}"
    return NextStep(LABELS, f"the only way {limit}", f"{text} are asked.")


def _all_targets(answer: Answer) -> str:
    return "the target" if len(answer.targets) == 1 else "all targets"
