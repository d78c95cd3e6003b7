"""Measure what the thresholds of representation="auto" are worth, varied one at a time.

Neighbours and maps are measured once on every sample. Each value of a threshold then says which of
the two would have been measured, and what both say together, so that a value more costs nothing.
For each value the table has

- how many samples are answered otherwise than by today's values: other things are measured, or the
  interval differs;
- the share of samples whose interval holds the true Bayes error;
- the width of the interval over that of an oracle who tests the best classifier on as many rows,
  as a geometric mean, and the largest;
- the seconds of one thread that measuring takes, over those of today's values.

A value is good if the interval holds the truth in 0.95 of the samples, is narrow, and takes little
time. `blurred` counts from `many_rows` on, so it is varied together with fewer of them; `heavy` is
a matter of time on large samples, and is only shown to matter for the width here. That most rows
have copies (`mostly_copies`) means more than half of them: it is not varied.
"""

from __future__ import annotations

import argparse
import math
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from typing import Any, TypeAlias
from zlib import crc32

import numpy as np
from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table

from bayesfloor import bayes_error
from bayesfloor.base.choices import LEARNED, RAW
from bayesfloor.base.progress import progress_bar
from bayesfloor.bounds.prior_error import wilson_limit
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor.limits import make_limits
from bayesfloor.representation import Measured, conclude
from bayesfloor.representation.auto import THRESHOLDS, Thresholds, choose
from bayesfloor.sample.gate import make_sample
from bayesfloor.sample.sample import Sample
from bayesfloor.truth.populations import scale, shift, wave
from intervals import RULES, Drawn, population_sample, rule_sample

Source: TypeAlias = partial[Drawn]
"""Draws rows: points, labels, and the Bayes error."""

SMOOTH = (shift(2, 1), shift(3, 2), scale(5, 1.5), wave(3, 0.8, 2), shift(10, 2))
ABRUPT = (("plane", 3), ("chessboard", 3), ("ball", 5))
SOURCES: dict[str, Source] = {
    **{str(one): partial(population_sample, one) for one in SMOOTH},
    **{f"{name}, d = {d}": partial(rule_sample, RULES[name], d) for name, d in ABRUPT},
}
"""Samples on either side of the thresholds: few columns and many, smooth labels and abrupt ones."""
SIZES = (150, 500)
"""Rows of a sample."""
TURNED, EVEN = 0.1, 0.5
"""Share of labels turned where they follow a rule, and of the first class where they do not."""
REPETITIONS = 10
CONFIDENCE = 0.95
FEW_MANY_ROWS = 100
"""Rows from which on `blurred` decides while it is varied; today 20,000, which would take hours."""
TODAY = "today"
PIPED_WIDTH = 120


@dataclass(frozen=True, slots=True)
class Variant:
    """The thresholds with a change."""

    name: str
    value: str
    thresholds: Thresholds


@dataclass(frozen=True, slots=True, eq=False)
class Case:
    """One sample, with all that can be measured of it."""

    sample: Sample
    truth: float
    everything: Measured
    seconds: dict[str, float]  # that neighbours and maps took


@dataclass(frozen=True, slots=True)
class Result:
    """The answer to one sample by one variant."""

    kinds: tuple[str, ...]
    interval: tuple[float, float]
    holds: bool
    width: float  # over that of the oracle
    seconds: float


def make_variants() -> list[Variant]:
    """Return today's thresholds, and each of them changed."""
    changes: dict[str, tuple[Any, ...]] = {
        "not_local": (0.2, 0.3, 0.5, 0.6),
        "few_columns": (1, 3, 5),
        "few_rows": (0, 1000),
        "heavy": (0, 1e6),
        "wrong": (0.5, 1, 3, math.inf),
        "blurred": (0.1, 0.2, 0.3, 0.4),
    }
    found = [Variant(TODAY, "", THRESHOLDS)]
    for name, values in changes.items():
        base = replace(THRESHOLDS, many_rows=FEW_MANY_ROWS) if name == "blurred" else THRESHOLDS
        today = f"today {getattr(THRESHOLDS, name):g}"
        found += [
            Variant(name, f"{value:g} ({today})", replace(base, **{name: value}))
            for value in values
        ]
    return found


def make_case(source: str, rows: int, seed: int) -> Case:
    """Draw a sample, and measure neighbours and maps."""
    rng = np.random.default_rng([crc32(source.encode()), rows, seed])
    level = TURNED if SOURCES[source].func is rule_sample else EVEN
    points, labels, truth = SOURCES[source](rows, level, rng)
    floors, seconds = {}, {}
    for kind in (RAW, LEARNED):
        started = time.process_time()
        floors[kind] = bayes_error(points, labels, representation=kind, workers=1)
        seconds[kind] = time.process_time() - started
    raw, learned = (floors[kind].run.measured for kind in (RAW, LEARNED))  # type: ignore[attr-defined]
    everything = replace(learned, neighbours=raw.neighbours)
    return Case(make_sample(points, labels), truth, everything, seconds)


def answer(case: Case, thresholds: Thresholds) -> Result:
    """Answer as a call with these thresholds would."""
    method = METHODS["wnn"]
    kinds = choose(case.sample, method, thresholds).kinds
    measured = replace(
        case.everything,
        neighbours=case.everything.neighbours if RAW in kinds else None,
        learned=case.everything.learned if LEARNED in kinds else None,
    )
    conclusion = conclude(case.sample, measured, confidence=CONFIDENCE, thresholds=thresholds)
    low, high = make_limits(case.sample, conclusion, method.bound, CONFIDENCE).ends.interval
    n, tail = case.sample.n, (1 - CONFIDENCE) / 2
    oracle = wilson_limit(case.truth, n, tail) + wilson_limit(1 - case.truth, n, tail) - 1
    holds = low <= case.truth <= high
    spent = sum(case.seconds[kind] for kind in kinds)
    return Result(kinds, (low, high), holds, (high - low) / oracle, spent)


def summarise(results: list[Result], today: list[Result]) -> list[str]:
    """Return the cells of one variant."""
    pairs = zip(results, today, strict=True)
    changed = sum((a.kinds, a.interval) != (b.kinds, b.interval) for a, b in pairs)
    widths = [one.width for one in results]
    spent = sum(one.seconds for one in results) / sum(one.seconds for one in today)
    return [
        f"{changed} of {len(results)}",
        f"{np.mean([one.holds for one in results]):.3f}",
        f"{np.exp(np.mean(np.log(widths))):.2f}",
        f"{max(widths):.2f}",
        f"{spent:.2f}",
    ]


def cases(repetitions: int) -> Iterator[Case]:
    """Draw all samples."""
    settings = list(product(SOURCES, SIZES, range(repetitions)))
    with progress_bar("Measuring", len(settings), show=True) as advance:
        for setting in settings:
            yield make_case(*setting)
            if advance is not None:
                advance(1)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repetitions", type=int, default=REPETITIONS)
    drawn = list(cases(parser.parse_args().repetitions))
    variants = make_variants()
    answers = {v: [answer(case, v.thresholds) for case in drawn] for v in variants}
    table = Table(
        *("threshold", "value", "changed", "held", "width", "widest", "time"), box=SIMPLE_HEAD
    )
    for variant in variants:
        cells = summarise(answers[variant], answers[variants[0]])
        table.add_row(variant.name, variant.value, *cells)
    console = Console()
    (console if console.is_terminal else Console(width=PIPED_WIDTH)).print(table)


if __name__ == "__main__":
    main()
