"""A call that would take more memory than there is runs on fewer threads, then on fewer rows.

Only the last of these changes the answer: its interval is that of the rows which were used.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from bayesfloor.base.choices import AUTO, RAW
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import Threads
from bayesfloor.base.memory import available_memory, show_size, unloaded_space
from bayesfloor.base.memory_costs import CallShape, call_bytes
from bayesfloor.base.settings import Settings
from bayesfloor.curve.measurement import LARGE_SAMPLE
from bayesfloor.curve.trend import count_design_columns
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor.origin import Origin
from bayesfloor.representation import classifies
from bayesfloor.representation.auto import group_count, may_learn_maps
from bayesfloor.representation.maps import MAPS, TrainingSize, forest_trees
from bayesfloor.sample.folds import draw_rows
from bayesfloor.sample.sample import Sample

SMALL_CALL = 100_000_000
"""Bytes up to which memory is not asked for: about what the libraries of a call take anyway."""
LIBRARIES = 300_000_000
"""Bytes that are left for the libraries that a call loads and for the stacks of its threads.
A judgement."""
FEWEST_SAMPLED_ROWS = 1000
"""Rows that a part must have to stand for more; a judgement."""


def fit_to_memory(
    sample: Sample,
    settings: Settings,
    origin: Origin,
    *,
    what: str = "answer",
    memory: Callable[[], int] = available_memory,
    gives_back: bool = False,
) -> tuple[Sample, Settings, Origin]:
    """Return what can be run within the memory: all of it, on fewer threads, or a part of the rows.

    Parameters
    ----------
    sample, settings, origin
        What was asked for.
    what : str
        What comes out, for the note.
    memory : callable
        Returns the bytes that are left; not called for a small sample, nor if there is a limit in
        the settings.
    gives_back : bool
        Whether the caller forgets the whole sample once a part is drawn.
    """
    shape = call_shape(sample.n, sample.d, sample.m, settings, group_count(sample))
    size = call_bytes(shape)
    if size <= SMALL_CALL:
        return sample, settings, origin
    left = memory_left(settings, memory)
    if settings.max_memory is not None:
        left = max(left - held_bytes(sample, origin), 0)
    workers = settings.executor.memory
    where = "left" if workers is None or workers >= left else "there for a worker"
    room = max(left if workers is None else min(left, workers), SMALL_CALL)
    if size <= room:
        return sample, settings, origin
    if isinstance(settings.executor, Threads):
        threads = next(
            (w for w in range(shape.workers, 1, -1) if call_bytes(shape.on(w)) <= room), 1
        )
        settings = replace(settings, executor=Threads(threads))
    if call_bytes(call_shape(sample.n, sample.d, sample.m, settings, group_count(sample))) <= room:
        return sample, settings, origin
    copies = copied_bytes(sample, origin) / sample.n
    rows = most_rows(sample, settings, room, copies, sample_bytes(sample) if gives_back else 0)
    came = f"{sample.n:,} rows of {sample.d:,} columns and {sample.m:,} classes"
    needs = f"would take about {show_size(size)} of memory, and {show_size(room)} are {where}"
    kept = draw_rows(sample.labels, rows, np.random.default_rng(settings.seed))
    part = sample.only(kept)
    if rows < FEWEST_SAMPLED_ROWS or part.counts.min() < 2:
        raise DataError(f"{came} {needs}; pass fewer columns or classes, or a larger max_memory=")
    hint = "pass a larger max_memory= if there is more"
    if where != "left":
        hint = "start workers with more memory to use more"
    note = (
        f"The {what} is from {part.n:,} of {sample.n:,} rows, drawn at random: all of them {needs}."
        f" Its interval is that of so many rows; {hint}."
    )
    return part, settings, origin.drawn(np.flatnonzero(kept), note)


def memory_left(settings: Settings, memory: Callable[[], int] = available_memory) -> int:
    """Return the bytes that a call may take: those of its settings, or what the system leaves."""
    if settings.max_memory is not None:
        return settings.max_memory
    return memory() - max(LIBRARIES, unloaded_space())


def sample_bytes(sample: Sample) -> int:
    """Return what a sample holds."""
    return size_of(sample.points) + size_of(sample.labels) + size_of(sample.groups)


def held_bytes(sample: Sample, origin: Origin) -> int:
    """Return what a call holds of its input: the sample, and the table if it has read one."""
    was_read = origin.display is not None
    tables = size_of(origin.table) + size_of(origin.display) if was_read else 0
    return sample_bytes(sample) + tables


def copied_bytes(sample: Sample, origin: Origin) -> int:
    """Return what all rows would take that are copied where a part of them is drawn."""
    return sample_bytes(sample) + size_of(origin.table) + size_of(origin.display)


def size_of(values: Any) -> int:
    """Return the bytes of an array or a frame, 0 of what does not tell.

    Examples
    --------
    >>> size_of(np.zeros(3)), size_of(None)
    (24, 0)
    """
    if hasattr(values, "estimated_size"):  # of polars
        return int(values.estimated_size())
    return int(getattr(values, "nbytes", 0))


def most_rows(
    sample: Sample, settings: Settings, room: int, copies: float = 0.0, given_back: int = 0
) -> int:
    """Return the rows that fit, with so many bytes a row that are copied first.

    What is given back is free again before the call begins, but not while rows are copied.
    """
    groups = group_count(sample)

    def fits(n: int) -> bool:
        call = call_bytes(call_shape(n, sample.d, sample.m, settings, groups))
        return max(0, call - given_back) + copies * n <= room

    return most_fitting(fits, sample.n)


def most_fitting(fits: Callable[[int], bool], n: int) -> int:
    """Return how many of n rows fit, to two digits, so that a little more memory changes nothing.

    Examples
    --------
    >>> most_fitting(lambda rows: rows <= 1234, 5000), most_fitting(lambda rows: True, 1234)
    (1200, 1234)
    """
    if fits(n):
        return n
    low, high = 0, n
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if fits(middle) else (low, middle)
    unit = 10 ** max(len(str(low)) - 2, 0)
    return low // unit * unit


def call_shape(n: int, d: int, m: int, settings: Settings, groups: int | None = None) -> CallShape:
    """Return what the memory of a call depends on, for n rows, d columns and m classes."""
    method, representation = METHODS[settings.method], settings.representation
    named = isinstance(representation, str)
    learns = classifies(representation) if not named else representation != RAW
    if named and representation == AUTO:
        learns = method.may_learn and may_learn_maps(n, d, groups=groups)
    size = TrainingSize(n, d, m)
    partial = settings.tolerance is not None or settings.max_seconds is not None
    brief = partial and n > LARGE_SAMPLE  # without a trend, see `make_survey`
    own = sum(known.suits(size) for known in MAPS.values()) if named else 1
    return CallShape(
        n,
        d,
        m,
        design_columns=1 if brief else count_design_columns(n, d, m),
        maps=own if learns else 0,
        forest_trees=forest_trees(size) if learns and named else 0,
        spanning_tree=method.needs_all_rows,
        workers=settings.executor.local.workers,
    )
