"""What the page shows of a run beside its report, and how two runs compare."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from bayesfloor.base.cautions import Caution
from bayesfloor.base.formatting import as_percent
from bayesfloor.base.measures import Measure, find_measure
from bayesfloor.comparison import Comparison
from bayesfloor.floor import Floor
from bayesfloor.report.answer import Answer, has_no_limit, summary_sentences
from bayesfloor.shells.web.page_words import page_words
from bayesfloor.tables import LabelledTable


@dataclass(frozen=True, slots=True)
class RunSummary:
    """The answer of a run in a few words and numbers; the numbers are errors."""

    file: str
    label: str
    columns: tuple[str, ...]  # that were used
    rows: int
    classes: tuple[str, ...]
    headings: tuple[str, ...]  # verdicts on what was asked
    sentence: str  # what the floor says
    cautions: tuple[str, ...]
    interval: tuple[float, float]
    estimate: float
    largest_class: float  # error of always answering the largest class
    shares: str  # of classes, where others than those of the table were asked for
    confidence: float
    rests_on: str
    shown_as: str


def summarise(
    floor: Floor, found: Answer, table: LabelledTable, shares: Mapping[str, float] | None = None
) -> RunSummary:
    """Return what the list of runs shows of a floor; `shares` are those of classes, if asked."""
    return RunSummary(
        file=table.name,
        label=str(table.y.name),
        columns=tuple(table.rows.columns),
        rows=floor.n,
        classes=tuple(map(str, floor.classes)),
        headings=tuple(found.headings()),
        sentence=summary_sentences(floor, found.measure.shown_as)[0],
        cautions=tuple(note.headline for note in floor.notes if isinstance(note, Caution)),
        interval=(float(floor.interval[0]), float(floor.interval[1])),
        estimate=float(floor.estimate),
        largest_class=float(floor.constant.loss),
        shares=_shown_shares(shares),
        confidence=float(floor.confidence),
        rests_on="nothing" if has_no_limit(floor) else floor.lower_rests_on,
        shown_as=found.measure.shown_as,
    )


@dataclass(frozen=True, slots=True)
class PairSummary:
    """What two sets of columns, measured on the same rows, tell about each other."""

    label: str
    verdict: str
    sentence: str
    notes: tuple[str, ...]
    sides: tuple[SideSummary, ...]  # the reference first
    largest_class: float  # error of always answering the largest class
    table: tuple[tuple[str, ...], ...]  # its heads first
    shown_as: str = "error"


@dataclass(frozen=True, slots=True)
class SideSummary:
    """The floor of one set of columns; the numbers are errors."""

    name: str
    interval: tuple[float, float]
    estimate: float


def summarise_pair(found: Comparison, label: str) -> PairSummary:
    """Return what the list of runs shows of a comparison of two runs."""
    (apart,) = found.differences.values()
    floors = {name: found.floors[name] for name in (found.reference, apart.name)}
    sides = tuple(
        SideSummary(name, (float(one.interval[0]), float(one.interval[1])), float(one.estimate))
        for name, one in floors.items()
    )
    return PairSummary(
        label=label,
        verdict=apart.verdict,
        sentence=apart.sentence,
        notes=tuple(page_words(note) for note in found.notes),
        sides=sides,
        largest_class=float(floors[found.reference].constant.loss),
        table=tuple(found.rows()),
    )


def _shown_shares(shares: Mapping[str, float] | None) -> str:
    return ", ".join(f"{name} {as_percent(share)}" for name, share in (shares or {}).items())


@dataclass(frozen=True, slots=True)
class RunComparison:
    """Two runs beside each other: a sentence, and facts of both."""

    sentence: str
    facts: tuple[tuple[str, str, str], ...]  # name, of the first, of the second


def compare_runs(first: RunSummary, second: RunSummary, names: tuple[str, str]) -> RunComparison:
    """Say what two runs, called by their names, tell about each other."""
    measure = find_measure(first.shown_as)
    return RunComparison(_sentence(first, second, names), _facts(first, second, measure))


def _sentence(first: RunSummary, second: RunSummary, names: tuple[str, str]) -> str:
    if (first.label, set(first.classes)) != (second.label, set(second.classes)):
        return "The two runs are about different labels or classes, so their errors do not compare."
    if first.shares != second.shares:
        return "The two runs are about different class shares, so their errors do not compare."
    if names[0] == names[1]:
        return "Both are the same run; choose two different ones."
    lower = _lower(first, second, names)
    if first.rows != second.rows or first.file != second.file:
        return f"{lower} They are not about the same rows, though."
    return f"{lower}{_nested(first, second, names)}"


def _lower(first: RunSummary, second: RunSummary, names: tuple[str, str]) -> str:
    """Say which interval is below the other, if any is."""
    if first.interval[1] < second.interval[0]:
        return f"{names[0]} allows a lower error than {names[1]}: the intervals do not overlap."
    if second.interval[1] < first.interval[0]:
        return f"{names[1]} allows a lower error than {names[0]}: the intervals do not overlap."
    return "The intervals overlap, so these runs alone do not tell which allows the lower error."


def _nested(first: RunSummary, second: RunSummary, names: tuple[str, str]) -> str:
    """Say so if one run has all columns of the other: the truth is then no higher."""
    own, others = set(first.columns), set(second.columns)
    if own == others or not (own > others or others > own):
        return ""
    more, fewer = names if own > others else names[::-1]
    return (
        f" {more} has all columns of {fewer} and more, so the lowest possible error on its columns"
        " cannot be higher."
    )


def _facts(
    first: RunSummary, second: RunSummary, measure: Measure
) -> tuple[tuple[str, str, str], ...]:
    only = [sorted(set(a.columns) - set(b.columns)) for a, b in ((first, second), (second, first))]
    rows = {
        measure.floor: [measure.span(*one.interval) for one in (first, second)],
        "best estimate": [measure.percent(one.estimate) for one in (first, second)],
        "always the largest class": [measure.percent(one.largest_class) for one in (first, second)],
        f"{'upper' if measure.rises else 'lower'} end rests on": [
            one.rests_on for one in (first, second)
        ],
        "label": [one.label for one in (first, second)],
        "class shares": [one.shares or "those of the table" for one in (first, second)],
        "rows": [f"{one.rows:,}" for one in (first, second)],
        "columns": [f"{len(one.columns):,}" for one in (first, second)],
        "only here": [", ".join(names) or "none" for names in only],
        "verdicts": [" · ".join(one.headings) or "none asked" for one in (first, second)],
    }
    return tuple((name, *texts) for name, texts in rows.items())  # type: ignore[misc]
