"""What to do next: a better model, more rows, better columns, or nothing.

Every way is given its answer, and one of them goes first.
"""

from __future__ import annotations

from dataclasses import dataclass

from bayesfloor.base.formatting import as_percent, quoted_names
from bayesfloor.base.measures import ERROR, Measure
from bayesfloor.floor import Floor
from bayesfloor.floor.confusion import make_confusion
from bayesfloor.report.answer import (
    ALREADY_MET,
    BELOW,
    OUT_OF_REACH,
    ROOM,
    UNDECIDED,
    Answer,
    TargetAnswer,
    nobody,
)
from bayesfloor.report.answer.wording import model_error_text
from bayesfloor.report.names import class_names

MODEL, ROWS, BETTER_COLUMNS = "A better model", "More rows", "Better columns"
"""Ways to a lower error, or to a surer answer."""
NO_NEED = "not needed"
"""Said of a way that the target does not ask for."""
STEP_ROUNDING = 1e-12
"""Shares are off by less than this."""
HALVING = 4
"""Times the rows that halve a margin of error: it falls like one over their root."""


@dataclass(frozen=True, slots=True)
class NextStep:
    """One way to go on, and what it would bring here."""

    way: str
    value: str  # a few words
    text: str


@dataclass(frozen=True, slots=True)
class NextSteps:
    """All ways to go on, and which to take."""

    headline: str  # what to do
    first: str | None  # the way that it names; None if it is none of these
    steps: tuple[NextStep, ...]


def next_steps(floor: Floor, answer: Answer) -> NextSteps:
    """Say what to do, and what each way would bring."""
    headline, first = _choice(floor, answer)
    steps = _better_model(floor, answer), _more_rows(floor, answer), _better_columns(floor, answer)
    return NextSteps(headline, first, steps)


def percentage_points(share: float, measure: Measure = ERROR) -> str:
    """Write a difference of two shares in percentage points, or of two costs.

    Examples
    --------
    >>> percentage_points(0.049), percentage_points(0.0012), percentage_points(0.01)
    ('4.9 points', '0.12 points', '1 point')
    """
    if measure.is_cost:
        return measure.percent(share)
    text = f"{100 * share:.2g}" if share < 0.1 else f"{100 * share:.0f}"
    return f"{text} point{'' if text == '1' else 's'}"


def meets_by_largest_class(floor: Floor, target: TargetAnswer) -> bool:
    """Tell whether always answering the largest class meets the target."""
    return target.error + STEP_ROUNDING >= floor.constant.loss


def _choice(floor: Floor, answer: Answer) -> tuple[str, str | None]:
    """Return what to do first, and the way that this is."""
    target, model = answer.target, answer.model
    if model is not None and model.verdict == BELOW:
        return "check how the model was tested", None
    if target is not None:
        return _choice_for_target(floor, target, has_model=model is not None)
    if model is not None and model.verdict == ROOM:
        return "train a better model", MODEL
    if floor.interval[1] >= floor.constant.loss:
        return "look for better columns", BETTER_COLUMNS
    if model is not None:
        return "look for better columns, the model may be done", BETTER_COLUMNS
    return "compare your model with the floor", None


def _choice_for_target(
    floor: Floor, target: TargetAnswer, *, has_model: bool
) -> tuple[str, str | None]:
    if meets_by_largest_class(floor, target):
        return "ask for more than the largest class gives", None
    if target.verdict == ALREADY_MET:
        return "nothing, the target is met", None
    if target.verdict == OUT_OF_REACH:
        return "look for better columns", BETTER_COLUMNS
    if target.verdict != UNDECIDED:
        return "train a better model" if has_model else "train a model", MODEL
    if target.rows_to_decide is None:
        return "try a better model", MODEL
    return f"collect rows, about {target.rows_to_decide:,} in all", ROWS


def first_target(answer: Answer, verdict: str) -> TargetAnswer | None:
    """Return the first target with a verdict."""
    return next((one for one in answer.targets if one.verdict == verdict), None)


def target_name(target: TargetAnswer, answer: Answer) -> str:
    """Name a target, with its number if there are others."""
    number = f" of {answer.measure.as_given(target.error)}" if len(answer.targets) > 1 else ""
    return f"target{number}"


def _better_model(floor: Floor, answer: Answer) -> NextStep:
    """Say how much a better model could gain."""
    model, target, low = answer.model, answer.target, floor.interval[0]
    measure, percent = answer.measure, answer.measure.percent
    if model is not None and model.verdict == BELOW:
        text = "It is better than these columns allow: a leak or copied rows in its test?"
        return NextStep(MODEL, "too good already", text)
    limit = f"{nobody(floor)} gets {measure.past} {percent(low)}"
    if percent(low) == percent(0):
        limit = "these rows do not show how much better a model can be"
    if model is None:
        left = max(floor.upper - low, 0.0)
        reached = f"{measure.verb} {percent(floor.upper)} {measure.rows('held-out rows')}"
        text = f"A rule learned here {reached}; {limit}."
        return NextStep(
            MODEL,
            f"up to {percentage_points(left, measure)} left" if left else "nothing left",
            text,
        )
    least, most = model.to_win_interval
    if most == 0:
        return NextStep(MODEL, "nothing left", "Your model makes no error.")
    gain = f"{percentage_points(least, measure).split()[0]} to " if least else "up to "
    gain += percentage_points(most, measure)
    error = model_error_text(floor, model.error, measure)
    text = f"Your model {measure.verb} {error}; {limit}."
    if target is not None and model.error > target.error:
        missing = percentage_points(model.error - target.error, measure)
        text += f" The {target_name(target, answer)} takes {missing}."
    return NextStep(MODEL, f"{gain} left", text)


def _more_rows(floor: Floor, answer: Answer) -> NextStep:
    """Say how many more rows would decide the target, or narrow the interval."""
    target, many = first_target(answer, UNDECIDED), f"{HALVING * floor.n:,}"
    if not answer.targets:
        text = f"The margin of error of {floor.n:,} rows would be about half as wide"
        text += "." if floor.groups is None else f", if they are of new {floor.groups.kind}."
        return NextStep(ROWS, f"{many} halve the margin", text)
    if target is None:
        what = "the target" if len(answer.targets) == 1 else "all targets"
        text = f"{floor.n:,} rows decide {what} with {as_percent(floor.confidence)} confidence."
        return NextStep(ROWS, NO_NEED, text)
    name = target_name(target, answer)
    if target.rows_to_decide is None:
        text = f"The {name} is too close to the best estimate: only a model that gets there tells."
        return NextStep(ROWS, "would not decide it", text)
    text = f"So many would likely decide the {name}; there are {floor.n:,} now."
    return NextStep(ROWS, f"about {target.rows_to_decide:,} in all", text)


def _better_columns(floor: Floor, answer: Answer) -> NextStep:
    """Say whether other columns are needed, and what they must tell apart."""
    low, percent = floor.interval[0], answer.measure.percent
    missed = first_target(answer, OUT_OF_REACH)
    if answer.targets and missed is None and first_target(answer, UNDECIDED) is None:
        what = "The target is" if len(answer.targets) == 1 else "All targets are"
        return NextStep(BETTER_COLUMNS, NO_NEED, f"{what} reached with these.")
    found, texts = make_confusion(floor), quoted_names(floor.texts_left_out)
    wanted = f" Free text was left out: {texts}." if texts else ""
    if len(found.shares):
        names = class_names(floor)
        a, b = names[found.labels[0]], names[found.taken_for[0]]
        wanted += f" Look for what tells {a} from {b}: the hardest rows show where it is missing."
    if missed is not None:
        needed = (
            "needed"
            if len(answer.targets) == 1
            else f"needed for the {target_name(missed, answer)}"
        )
        other = " or another kind of model" if floor.ground.scope else ""
        return NextStep(
            BETTER_COLUMNS, needed, f"Only others{other} can pass {percent(low)}.{wanted}"
        )
    if percent(low) == percent(0):
        first = _choice(floor, answer)[1] == BETTER_COLUMNS
        value = "may be needed" if first else "may not be needed"
        return NextStep(BETTER_COLUMNS, value, f"These rows show no limit yet.{wanted}")
    way = f"{'the way' if floor.ground.scope else 'the only way'} {answer.measure.past}"
    return NextStep(
        BETTER_COLUMNS, f"{way} {percent(low)}", wanted.strip() or "No class is confused."
    )
