"""What each tab has: its file, the preview of it, and its runs. It goes when the tab is closed."""

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
from bayesfloor.shells.web.worker import (
    PreviewTask,
    RunTask,
    preview,
    run,
    run_pair,
)
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


@dataclass(slots=True, eq=False)
class Visit:
    """All that one tab has."""

    seen: float  # when it last sent something, in the time of `time.monotonic`
    id: str = field(default_factory=new_id)
    left: float | None = None  # when it said that it was left
    upload: Upload | None = None  # the file that runs are about
    former: list[Upload] = field(default_factory=list)  # that queued runs still want
    options: ReadOptions = field(default_factory=ReadOptions)
    preview: Job | None = None
    runs: list[PageRun] = field(default_factory=list)
    counted: int = 0

    def jobs(self) -> Iterator[Job]:
        """Yield all jobs."""
        if self.preview is not None:
            yield self.preview
        yield from (one.job for one in self.runs)

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

    def take_upload(self, visit: Visit, upload: Upload) -> None:
        """Give a visit another file; the one before goes when no run wants it."""
        with self._lock:
            if visit.id not in self._visits:  # closed while the file came
                self.folder.remove(upload)
                return
            self._set_aside(visit)
            visit.upload = upload
            self.tidy()

    def drop_upload(self, visit: Visit) -> None:
        """Forget the file of a visit; queued runs still get their answers."""
        with self._lock:
            self._set_aside(visit)
            self.tidy()

    def _set_aside(self, visit: Visit) -> None:
        if visit.preview is not None:
            self.previews.cancel(visit.preview)
        if visit.upload is not None:
            visit.former.append(visit.upload)
        visit.upload = visit.preview = None

    def ask_preview(self, visit: Visit, options: ReadOptions) -> Job:
        """Queue a preview of the file."""
        with self._lock:
            upload = self._upload_of(visit)
            if visit.preview is not None:
                self.previews.cancel(visit.preview)
            visit.options = options
            job = Job(preview, PreviewTask(upload.path, upload.name, options), upload.id)
            visit.preview = job
        self.previews.add(job)
        return job

    def ask_run(self, visit: Visit, make_task: Callable[[Upload, ReadOptions], RunTask]) -> PageRun:
        """Queue a run on the file, read as it was for the preview."""
        with self._lock:
            upload = self._upload_of(visit)
            if len(visit.runs) >= MOST_RUNS:
                raise RequestError(429, TOO_MANY_RUNS)
            task = make_task(upload, visit.options)
            visit.counted += 1
            found = PageRun(visit.counted, _title(visit, task), task, Job(run, task, upload.id))
            visit.runs.append(found)
        self.runs.add(found.job)
        return found

    def why_unpaired(self, visit: Visit, first: PageRun, second: PageRun) -> str:
        """Say why two runs cannot be compared row by row, in a sentence; nothing if they can."""
        here = visit.upload is not None and {visit.upload.id} == {
            one.job.upload for one in (first, second)
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
            found = PageRun(visit.counted, title, task, Job(run_pair, task, first.job.upload))
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
                wanted = {job.upload for job in visit.jobs() if not job.ended}
                for upload in [one for one in visit.former if one.id not in wanted]:
                    visit.former.remove(upload)
                    self.folder.remove(upload)

    def _forget(self, visit: Visit) -> None:
        del self._visits[visit.id]
        if visit.preview is not None:
            self.previews.cancel(visit.preview)
        for one in visit.runs:
            self.runs.cancel(one.job)
        for upload in (*visit.former, visit.upload):
            if upload is not None:
                self.folder.remove(upload)

    def _upload_of(self, visit: Visit) -> Upload:
        if visit.upload is None:
            raise RequestError(409, "There is no file yet; drop one on the page first.")
        return visit.upload


def _title(visit: Visit, task: RunTask) -> str:
    """Return what a run is called: what it predicts, from what."""
    columns = ""
    if visit.preview is not None and visit.preview.result is not None:
        used = len(visit.preview.result.columns) - 1 - len(task.drop)
        columns = f"{counted(used, 'column')} of "
    return f"Run {visit.counted}: {task.label} from {columns}{task.name}"
