"""How often the user's model is right, against how often it says that it is."""

from __future__ import annotations

from bayesfloor.base.formatting import percent
from bayesfloor.report.charts.calibration import calibration_chart
from bayesfloor.report.charts.chart import Chart, ChartRequest, Drawing
from bayesfloor.report.model_facts import calibration_text


def draw(request: ChartRequest) -> Drawing:
    """Draw how often the model is right against its stated chance."""
    found = request.floor.model
    assert found is not None
    assert found.calibration is not None
    groups = found.calibration
    listed = "; ".join(
        f"stated {percent(s)}, right {percent(r)}"
        for s, r in zip(groups.stated, groups.right, strict=True)
    )
    text = calibration_text(groups)
    return Drawing(
        calibration_chart(groups, "your model says"),
        f"Of its likeliest class {text}.",
        f"Dots with intervals beside a diagonal, by group of rows: {listed}.",
    )


CHART = Chart(
    "model-calibration",
    "Is your model as good as it says?",
    draw,
    applies=lambda floor: floor.model is not None and floor.model.calibration is not None,
    needs="the class probabilities of a model, predictions=",
)
