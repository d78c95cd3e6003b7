"""From a floor to its charts, their sentences and the record of the page."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bayesfloor import __version__
from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import as_percent, counted, counted_columns, percent, shorten
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor import Floor
from bayesfloor.floor.confusion import confusion_rows, make_confusion
from bayesfloor.floor.growth import growth_rows, make_growth
from bayesfloor.report import captions as words
from bayesfloor.report import drawing as charts
from bayesfloor.report.answer import Answer, ModelAnswer, TargetAnswer, summary_sentences
from bayesfloor.report.hardest_rows import class_names, hardest_rows
from bayesfloor.report.page import Figure, Report, Tile, Verdict

WIDE, NARROW = 720, 340
"""Widths of a drawing, in pixels, on a desk and on a phone."""
MOODS = {"reachable": "good", "room left": "good", "out of reach": "bad", "below the floor": "bad"}

Advance = Callable[[int], None] | None
Drawn = tuple[Any, str]
"""A chart, or None where there is nothing to draw, and what it says."""


@dataclass(frozen=True, slots=True)
class Chart:
    """A chart by name: its heading, how to draw it, and the rows it works through again."""

    heading: str
    draw: Callable[[Floor, Answer, Advance], Drawn]
    rows: Callable[[Floor], int] = lambda floor: 0  # noqa: ARG005
    fewest_classes: int = 2


def make_report(
    floor: Floor, asked: Answer, *, rows: Any, title: str | None, advance: Advance = None
) -> Report:
    """Collect all that the page says."""
    hardest = hardest_rows(floor, rows)
    return Report(
        title=title or "How low can the error go?",
        data=_data(floor),
        words=summary_sentences(floor),
        tiles=_tiles(floor),
        verdicts=tuple(_verdict(part) for part in (asked.target, asked.model) if part is not None),
        figures=tuple(_figure(floor, asked, name, advance) for name in chart_names(floor)),
        hardest=hardest,
        hardest_sentence=words.hardest_words(hardest),
        notes=floor.notes,
        method=words.method_words(floor),
        facts=tuple(fact for fact in floor.facts() if fact[0] != "note"),
        version=__version__,
    )


def chart_names(floor: Floor) -> list[str]:
    """Return the charts that apply."""
    return [name for name, chart in CHARTS.items() if len(floor.classes) >= chart.fewest_classes]


def find_chart(floor: Floor, name: str) -> Chart:
    """Return a chart by its name."""
    if name not in CHARTS:
        raise DataError(f"there is no chart {name!r}; choose one of {', '.join(CHARTS)}")
    if name not in chart_names(floor):
        raise DataError(f"chart {name!r} needs three classes or more; see divergence for two")
    return CHARTS[name]


def _figure(floor: Floor, asked: Answer, name: str, advance: Advance) -> Figure:
    chart = CHARTS[name]
    drawn, sentence = chart.draw(floor, asked, advance)
    wide, narrow = ("" if drawn is None else charts.as_svg(drawn, w) for w in (WIDE, NARROW))
    return Figure(name, chart.heading, sentence, wide, narrow)


def _interval(floor: Floor, asked: Answer, advance: Advance) -> Drawn:  # noqa: ARG001
    chart = charts.interval_chart(
        (floor.lower, floor.upper),
        floor.interval,
        estimate=floor.estimate,
        majority=1 - float(floor.priors.max()),
        model_error=None if asked.model is None else asked.model.error,
        target_error=None if asked.target is None else 1 - asked.target.accuracy,
    )
    return chart, words.interval_words(floor)


def _curve(floor: Floor, asked: Answer, advance: Advance) -> Drawn:  # noqa: ARG001
    fit = METHODS[floor.method].fitted_curve
    fitted = None if fit is None or floor.maps else fit(floor.curve, floor.n, len(floor.classes))
    chart = charts.curve_chart(
        floor.curve,
        fitted,
        floor.mismatch,
        floor.mismatch_interval,
        by_rank=bool(floor.maps),
    )
    return chart, words.curve_words(floor, fitted)


def _growth(floor: Floor, asked: Answer, advance: Advance) -> Drawn:  # noqa: ARG001
    growth = make_growth(floor, advance)
    several = len(growth.sizes) > 1
    chart = charts.growth_chart(growth.sizes, growth.bounds, growth.intervals) if several else None
    return chart, words.growth_words(floor, growth)


def _confusion(floor: Floor, asked: Answer, advance: Advance) -> Drawn:  # noqa: ARG001
    found = make_confusion(floor, advance)
    names = [class_names(floor)[c] for c in found.members]
    chart = charts.confusion_chart(names, found.divergence)
    total = len(floor.classes)
    return chart, words.confusion_words(names, found.divergence, total, found.most_rows)


def _local(floor: Floor, asked: Answer, advance: Advance) -> Drawn:  # noqa: ARG001
    return charts.local_chart(floor.known_mismatch), words.local_words(floor)


CHARTS: dict[str, Chart] = {
    "interval": Chart("The floor, and what to compare it with", _interval),
    "curve": Chart("How the estimate is read off the neighbours", _curve),
    "growth": Chart("Would more rows change it?", _growth, growth_rows),
    "confusion": Chart("Which classes are confused", _confusion, confusion_rows, 3),
    "local": Chart("Where the error comes from", _local),
}


def _data(floor: Floor) -> str:
    shares = zip(class_names(floor), floor.priors, strict=True)
    shown = ", ".join(f"{name} ({share:.1%})" for name, share in list(shares)[:8])
    more = f" and {len(floor.classes) - 8} more" if len(floor.classes) > 8 else ""
    size = f"{counted(floor.n, 'row')} · {counted_columns(floor.columns, floor.d)}"
    return f"{size} · {len(floor.classes)} classes: {shown}{more}"


def _tiles(floor: Floor) -> tuple[Tile, ...]:
    (low, high), sure = floor.interval, f"with {100 * floor.confidence:.6g}% confidence"
    span = " to ".join(map(percent, floor.estimate_interval))
    most = percent(1 - low)
    majority = class_names(floor)[int(floor.priors.argmax())]
    return (
        Tile(
            most,
            f"accuracy that no classifier exceeds, {sure}"
            if most != percent(1)
            else "accuracy cannot be ruled out",
        ),
        Tile(percent(1 - high), f"accuracy that the best one reaches, {sure}"),
        Tile(
            percent(floor.estimate),
            f"best guess of the lowest possible error; likely {span}, less sure than the limits",
        ),
        Tile(
            percent(1 - float(floor.priors.max())),
            f"error of always answering {shorten(majority)}",
        ),
    )


def _verdict(part: TargetAnswer | ModelAnswer) -> Verdict:
    if isinstance(part, TargetAnswer):
        heading = f"Target of {as_percent(part.accuracy)} accuracy: {part.verdict}"
    else:
        heading = f"Model with {as_percent(part.error)} error: {part.verdict}"
    text = part.sentence[0].upper() + part.sentence[1:]
    return Verdict(MOODS.get(part.verdict, "open"), heading, text)
