"""The rule of representation="auto": what is measured, and what all of it says together.

| the sample | what is measured | the lower end rests on |
|---|---|---|
| the method may not learn (the published ones) | neighbours | neighbours |
| most rows have exact copies | neighbours | repeats |
| few rows, or very many, whose neighbours must be local | neighbours | neighbours |
| neighbours are local, and comparing all rows is cheap | both | neighbours, or else models |
| every other sample | maps, where they can be learned; else neighbours | models |

Where both were measured, `conclude` reconciles them: the mismatch is at most the loss of any map,
so maps whose loss is surely below what the neighbours say have proved them wrong, and take over.
Otherwise the neighbours stand, and where discontinuities can hide between them, their interval
reaches down to where that of the maps ends: both err upwards, if they do. Maps do not stand for
being surer of themselves: at discontinuities their curves promise too little. The interval of the
neighbours allows for discontinuities that hide between them, see `Doubt`. Class probabilities are
those of the maps wherever these were learned: near rows share their neighbours and are right or
wrong together, so that the error of a rule by neighbours is known less well. Where neighbours
differ more often than any two rows, labels change from row to row, and there is no lower end.
The thresholds are judgements: `benchmarks/thresholds.py` varies each of them, its table is in
docs/high-dimension.md, and `benchmarks/decisive.py` shows what the rule as a whole is worth.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from bayesfloor.base.choices import LEARNED, RAW
from bayesfloor.bounds.henze_penrose import independent_mismatch
from bayesfloor.estimators.method import Method, curve_ranks
from bayesfloor.representation.conclusion import (
    Conclusion,
    Doubt,
    error_between,
    of_maps,
    of_neighbours,
    reaching_down,
    with_maps,
)
from bayesfloor.representation.learned import Learned, can_learn
from bayesfloor.representation.locality import Surroundings, make_surroundings
from bayesfloor.representation.pooling import PooledMismatch
from bayesfloor.sample.sample import Sample


@dataclass(frozen=True, slots=True)
class Thresholds:
    """Where the rule changes."""

    mostly_copies: float = 0.5
    """Share of rows with an exact copy from which on copies tell the mismatch: a majority."""
    not_local: float = 0.4
    """Distance of the nearest neighbour over that of the last from which on neighbours are not
    local: a judgement."""
    few_columns: int = 2
    """In so few columns neighbours are close enough to follow a discontinuity: maps find no less
    mismatch there."""
    few_rows: int = 200
    """So few rows do not show a discontinuity, and maps learn little from them."""
    many_rows: int = 20_000
    """From so many rows on, `blurred` decides instead of `few_columns`, and maps are learned only
    where neighbours do not follow discontinuities: learning takes long, and the neighbours' rule is
    known well."""
    blurred: float = 0.3
    """A discontinuity is blurred where the first neighbour is so far, in distances of the last:
    among many rows that is in five columns or more."""
    heavy: float = 1e9
    """Rows squared times columns from which on comparing rows takes longer than learning: from the
    times of real tables of 5,000 to 30,000 rows."""
    wrong: float = 2.0
    """Standard errors by which maps must lose less than the mismatch that neighbours show, to have
    proved them wrong."""


IMPOSSIBLE_ERRORS = 3.0
"""Standard errors beyond which an impossible mismatch is not chance: a judgement."""
THRESHOLDS = Thresholds()
"""The thresholds that are used; others are for tests and experiments."""


@dataclass(frozen=True, slots=True, eq=False)
class Choice:
    """What to measure: neighbours in the columns as they are, learned maps, or both."""

    kinds: tuple[str, ...]
    surroundings: Surroundings | None = None  # of the points, where they were looked at


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """All that was measured of a sample: neighbours, learned maps or both."""

    neighbours: PooledMismatch | None = None
    learned: Learned | None = None
    surroundings: Surroundings | None = None


def choose(sample: Sample, method: Method, thresholds: Thresholds = THRESHOLDS) -> Choice:
    """Choose by the table above."""
    if not method.may_learn or not may_learn_maps(
        sample.n, sample.d, thresholds, groups=group_count(sample)
    ):
        return Choice((RAW,))
    surroundings = make_surroundings(sample)
    few = not can_learn(surroundings.cells, sample.groups)
    if surroundings.copied > thresholds.mostly_copies or few:
        return Choice((RAW,), surroundings)
    local = surroundings.locality.nearness < thresholds.not_local
    both = local and not _is_heavy(sample, thresholds)
    return Choice((RAW, LEARNED) if both else (LEARNED,), surroundings)


def may_learn_maps(
    n: int, d: int, thresholds: Thresholds = THRESHOLDS, *, groups: int | None = None
) -> bool:
    """Tell, without a look at the points, that maps may be learned from so many rows.

    Rows of a group may lie together and count as one, or not: it is enough if either may be so.
    """
    worthwhile = thresholds.few_rows <= n < thresholds.many_rows
    found = worthwhile or not follows_discontinuities(n, d, thresholds)
    return found or (groups is not None and may_learn_maps(min(groups, n), d, thresholds))


def _must_be_local(sample: Sample, thresholds: Thresholds) -> bool:
    """Tell that neighbours follow discontinuities, whether rows of a group count as one or not."""
    groups = group_count(sample)
    counts = (sample.n,) if groups is None else (sample.n, groups)
    return all(follows_discontinuities(count, sample.d, thresholds) for count in counts)


def group_count(sample: Sample) -> int | None:
    """Return the number of groups, if there are any."""
    return None if sample.groups is None else int(sample.groups.max()) + 1


def follows_discontinuities(n: int, d: int, thresholds: Thresholds = THRESHOLDS) -> bool:
    """Tell, without a look at the points, that neighbours are local and follow the labels."""
    nearness = curve_ranks(n) ** (-1 / d)  # of points spread evenly
    many = n >= thresholds.many_rows
    blurred = nearness > thresholds.blurred if many else d > thresholds.few_columns
    shows = n >= thresholds.few_rows and blurred
    return nearness < thresholds.not_local and not shows


def _is_heavy(sample: Sample, thresholds: Thresholds) -> bool:
    return float(sample.n) ** 2 * sample.d >= thresholds.heavy


def measure_by_rule(
    sample: Sample,
    method: Method,
    measure_neighbours: Callable[[], PooledMismatch],
    learn_maps: Callable[[Surroundings], Learned],
    *,
    has_time: Callable[[], bool] = lambda: True,
    thresholds: Thresholds = THRESHOLDS,
) -> Measured:
    """Measure what the rule says. Without time left the first answer stands."""
    choice = choose(sample, method, thresholds)
    measured = Measured(surroundings=choice.surroundings)
    if RAW in choice.kinds:
        measured = replace(measured, neighbours=measure_neighbours())
    if LEARNED in choice.kinds and (measured.neighbours is None or has_time()):
        assert choice.surroundings is not None
        measured = replace(measured, learned=learn_maps(choice.surroundings))
    return measured


def conclude(
    sample: Sample,
    measured: Measured,
    *,
    confidence: float = 0.95,
    thresholds: Thresholds = THRESHOLDS,
) -> Conclusion:
    """Say what neighbours and maps tell together, by the rule at the top of this module."""
    neighbours, learned = measured.neighbours, measured.learned
    if neighbours is None:
        assert learned is not None
        return of_maps(sample, learned, confidence)
    cells = None if measured.surroundings is None else measured.surroundings.cells
    alone = partial(of_neighbours, sample, neighbours, confidence, thresholds.mostly_copies, cells)
    if alternates(sample, neighbours.mismatch, neighbours.se):
        found = alone(Doubt.DECIDES)
        found = found if learned is None else with_maps(found, sample, learned)
        return replace(found, known=None)
    if learned is None:
        return alone(doubt_without_maps(sample, thresholds))
    by_maps = of_maps(sample, learned, confidence)
    if by_maps.known is None:
        return with_maps(alone(Doubt.DECIDES), sample, learned)
    error = error_between(sample, neighbours, learned)
    loss = float(by_maps.known.influence.mean())
    if neighbours.mismatch - loss > thresholds.wrong * error:
        return by_maps
    stands = alone(Doubt.COUNTS)
    if not _must_be_local(sample, thresholds):
        stands = reaching_down(stands, by_maps)
    return with_maps(stands, sample, learned)


def alternates(sample: Sample, mismatch: float, se: float) -> bool:
    """Tell whether neighbours differ more often than any two rows, by more than chance.

    Labels then change from row to row, as on a chessboard, and nothing is known of the lower end.
    """
    return mismatch > min(independent_mismatch(sample.priors) + IMPOSSIBLE_ERRORS * se, 1.0)


def doubt_without_maps(sample: Sample, thresholds: Thresholds = THRESHOLDS) -> Doubt:
    """Return the doubt where neighbours alone were measured."""
    local = _must_be_local(sample, thresholds)
    return Doubt.COUNTS if local else Doubt.DECIDES
