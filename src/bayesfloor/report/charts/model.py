"""Where the user's model loses more than the rule of the floor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from bayesfloor.base.formatting import as_percent
from bayesfloor.base.measures import Measure
from bayesfloor.floor import Floor
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.charts.style import (
    BLUE,
    FONT_SIZE,
    GREY,
    RED,
    inline_chart,
    layered,
)
from bayesfloor.report.model_facts import losses_text, regret_text
from bayesfloor.report.names import class_names

if TYPE_CHECKING:
    import altair as alt

MOST_CLASS_LINES = 6
"""Classes with a line of their own, those where the model loses most. A judgement."""
LINE_STEP, LINE_NAME_ABOVE = 40, -14
"""Pixels from one line to the next, and from the middle of a line to its name."""
WHOLE_TEST, THE_MODEL, THE_RULE = "all rows", "your model", "the rule of the floor"
"""What lines and dots are called."""


def draw(request: ChartRequest) -> Drawing:
    """Draw the loss of model and rule on all rows, on classes, and where the model loses most."""
    floor, measure = request.floor, request.answer.measure
    lines = model_lines(floor)
    listed = "; ".join(
        f"{name}: {measure.percent(model)} and {measure.percent(rule)}"
        for name, model, rule in lines
    )
    description = f"Pairs of dots, your model and the rule. {listed}."
    return Drawing(model_chart(lines, measure), model_sentence(floor, measure), description)


def model_lines(floor: Floor) -> list[tuple[str, float, float]]:
    """Return what each line speaks of, with the losses of the model and of the rule there."""
    found = floor.model
    assert found is not None
    names = class_names(floor)
    return [
        (WHOLE_TEST, found.error, found.rule_error),
        *(
            (f"class {names[o.code]}", o.loss, o.rule_loss)
            for o in found.classes[:MOST_CLASS_LINES]
        ),
        *((f"{one.column} {one.values}", one.loss, one.rule_loss) for one in found.regions),
    ]


def model_sentence(floor: Floor, measure: Measure) -> str:
    """Say how far the model is from the best possible, and where it loses."""
    found = floor.model
    assert found is not None
    sure = as_percent(floor.confidence)
    return (
        f"Your model {measure.verb} {measure.percent(found.error)} of its rows. Its regret, with"
        f" {sure} confidence: {regret_text(found, measure)}. All are measured on the same rows, so"
        f" that the noise of labels cancels. Where it loses most beside the rule:"
        f" {losses_text(floor, measure, 1)}."
    )


def model_chart(lines: list[tuple[str, float, float]], measure: Measure) -> alt.LayerChart:
    """Draw two dots on each line, with its name above."""
    import altair as alt

    shown = [(name, measure.of(model), measure.of(rule)) for name, model, rule in lines]
    ends = [
        {"rank": i, "text": name, "low": min(model, rule), "high": max(model, rule)}
        for i, (name, model, rule) in enumerate(shown)
    ]
    dots: list[dict[str, Any]] = [
        {"rank": i, "loss": loss, "line": who}
        for i, (_, model, rule) in enumerate(shown)
        for who, loss in ((THE_RULE, rule), (THE_MODEL, model))
    ]
    title = f"{measure.name.capitalize()}{'' if measure.is_cost else ', share of rows'}"
    axis = {"tickCount": 5} if measure.is_cost else {"tickCount": 5, "format": "~%"}
    scale = alt.Scale(zero=not measure.rises, nice=True)
    x = alt.X("loss:Q", title=title).scale(scale).axis(**axis)
    y = alt.Y("rank:O", title=None).axis(None)
    colour = alt.Color("line:N", title=None, sort=[THE_MODEL, THE_RULE]).scale(
        domain=[THE_MODEL, THE_RULE], range=[RED, BLUE]
    )
    shape = alt.Shape("line:N", title=None, sort=[THE_MODEL, THE_RULE]).scale(
        domain=[THE_MODEL, THE_RULE], range=["circle", "diamond"]
    )
    legend = alt.Legend(orient="top")
    line = inline_chart(ends).encode(y)
    between = line.mark_rule(color=GREY, strokeWidth=2)
    name = line.mark_text(align="left", fontSize=FONT_SIZE, dy=LINE_NAME_ABOVE)
    marks = inline_chart(dots).mark_point(filled=True, size=90, opacity=1)
    return layered(
        between.encode(alt.X("low:Q"), alt.X2("high")),
        name.encode(alt.Text("text:N"), x=alt.value(0)),
        marks.encode(x, y, colour.legend(legend), shape.legend(legend)),
        height=LINE_STEP * len(lines),
    )


CHART = Chart(
    "model",
    "Where does your model lose?",
    draw,
    applies=lambda floor: floor.model is not None,
    needs="predictions of a model, predictions=",
)
