"""What each tab has: its files, previews of them, and its runs. It goes when the tab is closed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field

from bayesfloor.base.formatting import counted
from bayesfloor.shells.web.jobs import Job, new_id
from bayesfloor.shells.web.lane import Lane
from bayesfloor.shells.web.pairing import PageRun, pair_task, why_unpaired
from bayesfloor.shells.web.request_errors import RequestError
from bayesfloor.shells.web.uploads import Upload, UploadFolder
from bayesfloor.shells.web.worker import PreviewTask, RunTask, preview, run, run_pair
from bayesfloor.tables import ReadOptions

SILENT_SECONDS = 30 * 60
"""Time after which a tab that sends nothing is taken for closed: browsers let tabs in the
background speak once a minute, or put them to sleep. A judgement."""
LEFT_SECONDS = 30
"""Time for which a tab that was left can come back, as it does when it is loaded again.
A judgement."""
MOST_VISITS = 50
"""Tabs at once, at most; a judgement."""
MOST_RUNS = 40
"""Runs of a tab that are kept, at most: their pages take about a megabyte each."""

TOO_MANY_RUNS = f"{MOST_RUNS} runs are kept; remove some of them first."
"""What is said to a tab that asks for more."""
NO_FILE_YET = "There is no file yet; drop one on the page first."
"""What is said to a tab that asks about a table that it has not."""

MakeTask = Callable[[Upload, ReadOptions, Upload | None], RunTask]
"""Makes a task of a table, how it is read, and predictions if there are any."""


@dataclass(slots=True, eq=False)
class Held:
    """A file of a tab, how it is read, and the preview of it."""

    upload: Upload
    options: ReadOptions
    preview: Job

    @classmethod
    def of(cls, upload: Upload, options: ReadOptions) -> Held:
        """Hold a file whose preview is still to be queued."""
        task = PreviewTask(upload.path, upload.name, options)
        return cls(upload, options, Job(preview, task, (upload.id,)))


@dataclass(slots=True, eq=False)
class Visit:
    """All that one tab has."""

    seen: float  # when it last sent something, in the time of `time.monotonic`
    id: str = field(default_factory=new_id)
    left: float | None = None  # when it said that it was left
    table: Held | None = None  # that runs are about
    predictions: Held | None = None  # of the user's model, on its rows
    former: list[Upload] = field(default_factory=list)  # that queued runs still want
    runs: list[PageRun] = field(default_factory=list)
    counted: int = 0

    def jobs(self) -> Iterator[Job]:
        """Yield all jobs."""
        yield from (one.preview for one in self.held())
        yield from (one.job for one in self.runs)

    def held(self) -> list[Held]:
        """Return the files in use."""
        return [one for one in (self.table, self.predictions) if one is not None]

    def gone(self, now: float) -> bool:
        """Tell whether the tab was closed."""
        left = self.left is not None and now > self.left + LEFT_SECONDS
        return left or now > self.seen + SILENT_SECONDS


class Board:
    """Holds visits, and hands their work to two lanes: a preview never waits for a run."""

    def __init__(
        self,
        folder: UploadFolder,
        previews: Lane,
        runs: Lane,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.folder, self.previews, self.runs = folder, previews, runs
        self._clock, self._visits, self._lock = clock, dict[str, Visit](), threading.RLock()

    def start(self) -> None:
        """Start both lanes."""
        self.previews.start()
        self.runs.start()

    def close(self) -> None:
        """End all work, and remove all files."""
        self.previews.stop()
        self.runs.stop()
        self._visits.clear()
        self.folder.close()

    def open_visit(self) -> Visit:
        """Welcome a new tab."""
        with self._lock:
            if len(self._visits) >= MOST_VISITS:
                raise RequestError(429, f"{MOST_VISITS} tabs are open; close some of them first.")
            visit = Visit(self._clock())
            self._visits[visit.id] = visit
            return visit

    def visit(self, name: str) -> Visit:
        """Return the visit of a tab, which is alive then."""
        with self._lock:
            visit = self._visits.get(name)
            if visit is None:
                raise RequestError(404, "This tab was closed or idle for long; load it again.")
            visit.seen, visit.left = self._clock(), None
            return visit

    def leave(self, name: str) -> None:
        """Note that a tab is being closed, or loaded again."""
        with self._lock:
            if name in self._visits:
                self._visits[name].left = self._clock()

    def take_table(self, visit: Visit, upload: Upload, options: ReadOptions) -> None:
        """Give a visit another table; files of the one before go when no run wants them."""
        self._take(visit, upload, options, is_table=True)

    def take_predictions(self, visit: Visit, upload: Upload, options: ReadOptions) -> None:
        """Give a visit the predictions of a model on the rows of its table."""
        self._take(visit, upload, options, is_table=False)

    def _take(self, visit: Visit, upload: Upload, options: ReadOptions, *, is_table: bool) -> None:
        held = Held.of(upload, options)
        with self._lock:
            if visit.id not in self._visits or not (is_table or visit.table):
                self.folder.remove(upload)  # the tab or its table has gone while the file came
                raise RequestError(409, NO_FILE_YET)
            self._set_aside(visit, table=is_table)
            if is_table:
                visit.table = held
            else:
                visit.predictions = held
            self.tidy()
        self.previews.add(held.preview)

    def drop_table(self, visit: Visit) -> None:
        """Forget the files of a visit; queued runs still get their answers."""
        with self._lock:
            self._set_aside(visit)
            self.tidy()

    def drop_predictions(self, visit: Visit) -> None:
        """Forget the predictions of a visit; queued runs still get their answers."""
        with self._lock:
            self._set_aside(visit, table=False)
            self.tidy()

    def _set_aside(self, visit: Visit, *, table: bool = True) -> None:
        """Let go of the predictions, and of the table that they are about."""
        for held in visit.held():
            if table or held is visit.predictions:
                self.previews.cancel(held.preview)
                visit.former.append(held.upload)
        visit.predictions = None
        if table:
            visit.table = None

    def read_again(self, visit: Visit, options: ReadOptions) -> None:
        """Queue another preview of the table."""
        with self._lock:
            table = self.table_of(visit)
            self.previews.cancel(table.preview)
            visit.table = held = Held.of(table.upload, options)
        self.previews.add(held.preview)

    def ask_run(self, visit: Visit, make_task: MakeTask) -> PageRun:
        """Queue a run on the table, read as it was for the preview."""
        with self._lock:
            table, model = self.table_of(visit), visit.predictions
            if len(visit.runs) >= MOST_RUNS:
                raise RequestError(429, TOO_MANY_RUNS)
            task = make_task(table.upload, table.options, None if model is None else model.upload)
            visit.counted += 1
            job = Job(run, task, tuple(one.upload.id for one in visit.held()))
            found = PageRun(visit.counted, _title(visit, task), task, job)
            visit.runs.append(found)
        self.runs.add(found.job)
        return found

    def why_unpaired(self, visit: Visit, first: PageRun, second: PageRun) -> str:
        """Say why two runs cannot be compared row by row, in a sentence; nothing if they can."""
        here = visit.table is not None and {visit.table.upload.id} == {
            one.job.uploads[0] for one in (first, second)
        }
        return why_unpaired(first, second, file_is_here=here)

    def ask_pair(self, visit: Visit, first: PageRun, second: PageRun) -> PageRun:
        """Queue the comparison of two runs on the same rows."""
        with self._lock:
            reason = self.why_unpaired(visit, first, second)
            if reason:
                raise RequestError(409, reason)
            if len(visit.runs) >= MOST_RUNS:
                raise RequestError(429, TOO_MANY_RUNS)
            task = pair_task(first, second)
            visit.counted += 1
            title = f"Run {visit.counted}: run {second.number} against run {first.number}"
            job = Job(run_pair, task, first.job.uploads[:1])
            found = PageRun(visit.counted, title, task, job)
            visit.runs.append(found)
        self.runs.add(found.job)
        return found

    def run_of(self, visit: Visit, name: str) -> PageRun:
        """Return a run of a visit."""
        for one in list(visit.runs):
            if one.job.id == name:
                return one
        raise RequestError(404, "There is no such run; it was removed.")

    def cancel_run(self, visit: Visit, name: str) -> None:
        """Cancel a run; one that has just ended keeps its answer."""
        with self._lock:
            self.runs.cancel(self.run_of(visit, name).job)
            self.tidy()

    def remove_run(self, visit: Visit, name: str) -> None:
        """Forget a run; one that has not ended is cancelled, and stays in the list."""
        with self._lock:
            found = self.run_of(visit, name)
            if found.job.ended:
                visit.runs.remove(found)
            self.runs.cancel(found.job)
            self.tidy()

    def tidy(self) -> None:
        """Forget tabs that were closed, and files that nothing wants any more."""
        with self._lock:
            now = self._clock()
            for visit in [one for one in self._visits.values() if one.gone(now)]:
                self._forget(visit)
            for visit in self._visits.values():
                wanted = {name for job in visit.jobs() if not job.ended for name in job.uploads}
                for upload in [one for one in visit.former if one.id not in wanted]:
                    visit.former.remove(upload)
                    self.folder.remove(upload)

    def _forget(self, visit: Visit) -> None:
        del self._visits[visit.id]
        self._set_aside(visit)
        for one in visit.runs:
            self.runs.cancel(one.job)
        for upload in visit.former:
            self.folder.remove(upload)

    def table_of(self, visit: Visit) -> Held:
        """Return the table of a visit."""
        if visit.table is None:
            raise RequestError(409, NO_FILE_YET)
        return visit.table


def _title(visit: Visit, task: RunTask) -> str:
    """Return what a run is called: what it predicts, from what."""
    columns = ""
    if visit.table is not None and visit.table.preview.result is not None:
        others = {one.name for one in visit.table.preview.result.columns}
        used = len(others - {task.label} - {*task.drop} - task.aside())
        columns = f"{counted(used, 'column')} of "
    model = "" if task.predictions is None else f", with {task.predictions.name}"
    return f"Run {visit.counted}: “{task.label}” from {columns}{task.name}{model}"
