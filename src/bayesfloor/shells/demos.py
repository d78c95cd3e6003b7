"""Small real tables that scikit-learn holds, each with a sentence on what to look at."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from bayesfloor.base.formatting import as_percent

if TYPE_CHECKING:
    from bayesfloor.floor import Floor
    from bayesfloor.report.answer import Answer


@dataclass(frozen=True, slots=True)
class Demo:
    """A table by name: how scikit-learn calls it, what it holds and how to read its floor."""

    loader: str
    title: str
    model_error: float  # of an imagined model, to have something to compare with
    target: float
    lesson: Callable[[Floor, Answer], str]


@dataclass(frozen=True, slots=True)
class DemoData:
    """The columns as measured, the same scaled to unit variance, and the labels."""

    rows: Any  # polars.DataFrame
    points: Any
    labels: Any


def load_demo(name: str) -> DemoData:
    """Load one of `DEMOS`; nothing is fetched from anywhere."""
    import polars as pl
    from sklearn import datasets

    data = getattr(datasets, DEMOS[name].loader)()
    rows = pl.DataFrame(data.data, schema=list(data.feature_names))
    spread = data.data.std(axis=0)
    points = data.data / (spread + (spread == 0))
    return DemoData(rows, points, data.target_names[data.target])


def _tumours(floor: Floor, answer: Answer) -> str:
    from bayesfloor.report.answer import has_no_limit, nobody

    measure, (low, high), sure = answer.measure, floor.interval, as_percent(floor.confidence)
    reached = (
        f"What to look at: a rule learned on some of the {floor.n} tumours {measure.verb}"
        f" {measure.percent(floor.upper)} of the others, and with {sure} confidence on"
        f" {measure.percent(high)} {measure.or_better} of new ones."
    )
    if has_no_limit(floor):
        return (
            f"{reached} How much better a classifier can be is not known: {floor.n} tumours are too"
            " few to rule out that one is never wrong."
        )
    limit = f"{measure.verb} {measure.better} {measure.percent(low)}"
    return f"{reached} {nobody(floor).capitalize()} {limit}."


def _wines(floor: Floor, answer: Answer) -> str:
    span = answer.measure.span
    return (
        f"What to look at: the bounds are {span(floor.lower, floor.upper)}, but the interval is"
        f" wide ({span(*floor.interval)}), because {floor.n} wines cannot show how rare errors are."
        " The learning curve shows what more wines would bring."
    )


def _digits(floor: Floor, _: Answer) -> str:
    hard = int((floor.local_mismatch > 0.5).sum())
    return (
        f"What to look at: which digits are confused (the bars), and the {hard} images whose"
        " label is less likely than the other digits together: the report lists the hardest of them"
        " by row."
    )


DEMOS: dict[str, Demo] = {
    "breast-cancer": Demo(
        "load_breast_cancer", "Malignant or benign? Breast cancer data", 0.05, 0.995, _tumours
    ),
    "wine": Demo("load_wine", "Which of three growers? Wine data", 0.05, 0.99, _wines),
    "digits": Demo("load_digits", "Which digit? Handwritten digits", 0.05, 0.97, _digits),
}
"""The data sets that come with scikit-learn and show something, by name."""
