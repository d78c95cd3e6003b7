"""All that runs in a worker process: previews and runs, within the memory they may take."""

from __future__ import annotations

import os
import sys
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from bayesfloor.base.processes import tell
from bayesfloor.base.progress import telling_progress
from bayesfloor.comparison import compare
from bayesfloor.floor import bayes_error
from bayesfloor.shells.page_titles import page_title
from bayesfloor.shells.web.page_words import page_words
from bayesfloor.shells.web.summary import (
    PairSummary,
    RunSummary,
    summarise,
    summarise_pair,
)
from bayesfloor.tables import ReadOptions, TablePreview, preview_table, read_table

LARGEST_REUSED_BYTES = 10**9
"""Memory that a process may once have taken to be used again: memory that was freed is not always
given back. One gigabyte, a judgement."""
TOLD_EVERY = 0.1
"""Seconds between two messages on progress: as smooth as the page shows it, and cheap."""
STATM_DATA = 5
"""Place of the pages of data and stack in Linux's /proc/self/statm (proc(5))."""
WARM_ROWS = 200
"""Rows of the table that a process is warmed up with: from so many on maps are learned in one
column too, which loads their libraries."""


@dataclass(frozen=True, slots=True)
class WorkerSettings:
    """What a worker process is told when it starts."""

    max_memory: int
    warm: bool  # whether to load what runs need


@dataclass(frozen=True, slots=True)
class PreviewTask:
    """A file to look at."""

    path: Path
    name: str
    options: ReadOptions


@dataclass(frozen=True, slots=True)
class ModelFile:
    """A file with predictions of the user's model."""

    path: Path
    name: str


@dataclass(frozen=True, slots=True)
class RunTask:
    """A file to find the floor of, and what is asked about it."""

    path: Path
    name: str
    options: ReadOptions
    label: str
    drop: tuple[str, ...] = ()
    keep: tuple[str, ...] = ()
    reading: dict[str, Any] = field(default_factory=dict)  # further options of `read_table`
    measuring: dict[str, Any] = field(default_factory=dict)  # options of `bayes_error`
    asked: dict[str, Any] = field(default_factory=dict)  # what `answer` takes
    predictions: ModelFile | None = None
    key: str | None = None  # the column that joins them to the rows; by their order without

    def aside(self) -> set[str]:
        """Return the columns that are neither label nor used, whatever is ticked."""
        return {self.reading[name] for name in ("groups", "time") if name in self.reading} | (
            set() if self.key is None else {self.key}
        )


@dataclass(frozen=True, slots=True)
class PairTask:
    """A file, and two sets of its columns to compare row by row."""

    path: Path
    name: str
    options: ReadOptions
    label: str
    sets: dict[str, tuple[str, ...]]  # columns by name of the run; the first is the reference
    reading: dict[str, Any]
    confidence: float


@dataclass(frozen=True, slots=True)
class RunResult:
    """The report as a page, and what the list of runs shows of it."""

    page: str
    summary: RunSummary | PairSummary


class NamedFile:
    """An open file under the name that the user knows it by."""

    def __init__(self, path: Path, name: str) -> None:
        self.name, self._file = name, path.open("rb")

    def read(self, size: int = -1) -> bytes:
        """Read some bytes."""
        return self._file.read(size)


def settle(settings: WorkerSettings) -> None:
    """Load libraries, then limit the memory: what they take does not count."""
    import polars  # noqa: F401

    if settings.warm:
        _warm_up()
    with suppress(ImportError, ValueError, OSError):  # systems without such limits
        _limit_memory(settings.max_memory)


def _limit_memory(size: int) -> None:
    """Let this process take so many bytes more than it has, and no more.

    Memory that is only reserved does not count: libraries reserve gigabytes and never use them.
    """
    import resource

    pages = int(Path("/proc/self/statm").read_text(encoding="ascii").split()[STATM_DATA])
    most = pages * os.sysconf("SC_PAGE_SIZE") + size
    resource.setrlimit(resource.RLIMIT_DATA, (most, most))


def worn_out(_: WorkerSettings) -> bool:
    """Tell whether this process has been so large that another should take its place."""
    try:
        import resource
    except ImportError:  # Windows
        return True
    unit = 1 if sys.platform == "darwin" else 1024
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit > LARGEST_REUSED_BYTES


def preview(task: PreviewTask) -> TablePreview:
    """Say what the columns of a file hold."""
    tell(("Reading the table", 0.0))
    return preview_table(NamedFile(task.path, task.name), task.options)


def run(task: RunTask) -> RunResult:
    """Read a file, bound its Bayes error and draw the report."""
    tell(("Reading the table", 0.0))
    options = task.options
    table = read_table(
        NamedFile(task.path, task.name),
        label=task.label,
        drop=list(task.drop) or None,
        keep=list(task.keep) or None,
        key=task.key,
        **options.keywords(),
        **task.reading,
    )
    with telling_progress(_Teller()):
        floor = bayes_error(
            table,
            predictions=_opened(task.predictions),
            max_memory=options.max_memory,
            progress=True,
            **task.measuring,
        )
        found = floor.answer(**task.asked)
        from bayesfloor.report.rendering import render_report

        title = page_title(table, found.measure, header=options.header)
        page = render_report(
            floor, found, rows=floor.display, title=title, progress=True, wording=page_words
        )
    return RunResult(page, summarise(floor, found, table, task.measuring.get("priors")))


def _opened(predictions: ModelFile | None) -> NamedFile | None:
    return None if predictions is None else NamedFile(predictions.path, predictions.name)


def run_pair(task: PairTask) -> RunResult:
    """Read a file once, and compare two sets of its columns on the same rows."""
    tell(("Reading the table", 0.0))
    reading = {**task.options.keywords(), **task.reading, "max_memory": task.options.max_memory}
    with telling_progress(_Teller()):
        found = compare(
            task.sets,
            task.label,
            data=NamedFile(task.path, task.name),
            confidence=task.confidence,
            progress=True,
            **reading,
        )
        from bayesfloor.report.comparison import make_comparison_page, render_sets

        names = " or ".join(task.sets)
        page = render_sets(make_comparison_page(found, f"Which has the lower floor, {names}?"))
    return RunResult(page, summarise_pair(found, task.label))


class _Teller:
    """Tells how far a run is, not more often than anybody can see."""

    def __init__(self) -> None:
        self._told = ("", 0.0)

    def __call__(self, what: str, share: float) -> None:
        before, when = self._told
        if what != before or time.monotonic() > when + TOLD_EVERY:
            self._told = what, time.monotonic()
            tell((what, share))


def _warm_up() -> None:
    """Run once on a small table: this loads all that a run needs."""
    import polars as pl

    rows = range(WARM_ROWS)
    frame = pl.DataFrame({"a": [r % 7 / 7 for r in rows], "y": [r % 2 for r in rows]})
    floor = bayes_error(read_table(frame, label="y"), engine="tree")  # which is compiled
    from bayesfloor.report.rendering import render_report

    render_report(floor, floor.answer(), rows=floor.display)
