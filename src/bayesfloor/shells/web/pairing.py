"""A run of a tab; which two can be compared row by row, and what is compared then."""

from __future__ import annotations

from dataclasses import dataclass

from bayesfloor.shells.web.jobs import DONE, Job
from bayesfloor.shells.web.request_errors import RequestError
from bayesfloor.shells.web.summary import RunSummary
from bayesfloor.shells.web.worker import PairTask, RunTask


@dataclass(slots=True, eq=False)
class PageRun:
    """A run of a tab: what it is called, what it was asked, and its job."""

    number: int
    title: str
    task: RunTask | PairTask
    job: Job


def floor_of(found: PageRun) -> tuple[RunTask, RunSummary]:
    """Return what a run on one set of columns was asked, and what it answered."""
    if isinstance(found.task, PairTask):
        raise RequestError(409, "This run is a comparison itself; choose two others.")
    if found.job.state != DONE:
        raise RequestError(409, "This run has no answer yet.")
    return found.task, found.job.result.summary


def why_unpaired(first: PageRun, second: PageRun, *, file_is_here: bool) -> str:
    """Say why two runs cannot be compared row by row, in a sentence; nothing if they can."""
    (task, one), (other_task, other) = floor_of(first), floor_of(second)
    if task.path != other_task.path:
        return "The runs are about different files, so they are not compared row by row."
    if not file_is_here:
        return "The file of these runs was removed, so they are not compared row by row."
    if task.label != other_task.label:
        return "The runs are about different labels, so they are not compared row by row."
    if set(one.columns) == set(other.columns):
        return "The runs have the same columns, so there is nothing to compare row by row."
    if (task.options, task.reading) != (other_task.options, other_task.reading):
        return "The table was read with different settings, so the rows do not pair."
    if one.shares or other.shares:
        return "Runs with class shares of their own are not compared row by row."
    return ""


def pair_task(first: PageRun, second: PageRun) -> PairTask:
    """Return the task that compares two runs, at the higher of their confidences."""
    (task, one), (_, other) = floor_of(first), floor_of(second)
    return PairTask(
        task.path,
        task.name,
        task.options,
        task.label,
        {f"Run {first.number}": one.columns, f"Run {second.number}": other.columns},
        task.reading,
        max(one.confidence, other.confidence),
    )
