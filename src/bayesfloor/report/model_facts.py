"""The user's model beside the floor, as pairs of a name and a text."""

from __future__ import annotations

from bayesfloor.base.formatting import as_percent, counted, percent
from bayesfloor.base.measures import DEFAULT_MEASURE, Measure
from bayesfloor.bounds.calibration import Calibration
from bayesfloor.floor import Floor
from bayesfloor.floor.model import ClassRegret, ModelReview
from bayesfloor.floor.model_regions import Region
from bayesfloor.report.names import class_names

MOST_LOSSES = 3
"""Classes and regions that a line names. A judgement."""


def model_facts(floor: Floor, shown_as: str = DEFAULT_MEASURE) -> list[tuple[str, str]]:
    """Return the error of the user's model, its regret, its calibration and where it loses."""
    model, measure = floor.model, floor.measure(shown_as)
    if model is None:
        return []
    rows = measure.rows(counted(model.rows, "row"))
    error = (
        f"{measure.percent(model.error)} {rows} ({measure.span(*model.interval)} with"
        f" {as_percent(floor.confidence)} confidence); the rule of the floor has"
        f" {measure.percent(model.rule_error)} on the same rows"
    )
    calibration = []
    if model.calibration is not None:
        calibration = [("calibration", calibration_text(model.calibration))]
    return [
        (f"model's {measure.name}", error),
        ("model's regret", regret_text(model, measure)),
        *calibration,
        ("loses most", losses_text(floor, measure)),
    ]


def regret_text(model: ModelReview, measure: Measure) -> str:
    """Say how far the model is from the best possible classifier."""
    low, high = model.regret_interval
    least, most = (measure.gain(one, unit=False) for one in model.regret)
    return (
        f"{measure.gain(low, unit=False)} to {measure.gain(high)} from the best possible classifier"
        f" (without the margin of error: {least} to {most})"
    )


def calibration_text(found: Calibration) -> str:
    """Say whether the model is as often right as it says."""
    text = (
        f"it says that it is right on {percent(found.claimed)}, and is on {percent(found.reached)};"
        f" within the margin of error in {found.within} of {len(found.stated)} groups of rows"
    )
    if found.is_honest:
        return f"{text}: it can be taken at its word"
    return f"{text}: it is {misjudged(found)}"


def misjudged(found: Calibration) -> str:
    """Say in which direction probabilities are off, or that they are in both."""
    sure, careful = found.too_sure, found.too_careful
    if sure and careful:
        return f"too sure in {counted(sure, 'group')} and too careful in {careful:,}"
    return "too sure of itself" if sure else "too careful"


def losses_text(floor: Floor, measure: Measure, most: int = MOST_LOSSES) -> str:
    """Name the classes and the values of columns where a model loses more than the rule."""
    model = floor.model
    assert model is not None
    names = class_names(floor)
    sure = [one for one in model.classes if one.interval[0] > 0]
    parts = [f"class {names[one.code]} ({_against(one, measure)})" for one in sure[:most]]
    parts += [
        f"{one.column} {one.values} ({_against(one, measure)})" for one in model.regions[:most]
    ]
    if not parts:
        return "no class and no range of a column stands out by more than chance"
    return "; ".join(parts)


def _against(one: ClassRegret | Region, measure: Measure) -> str:
    return f"{measure.percent(one.loss)} against {measure.percent(one.rule_loss)} of the rule"
