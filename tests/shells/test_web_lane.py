"""A lane serves in order, survives what its process does not, and lets go of large processes."""

from __future__ import annotations

import os
import signal
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bayesfloor.base.errors import DataError
from bayesfloor.base.processes import tell
from bayesfloor.shells.web.jobs import Job
from bayesfloor.shells.web.lane import KILLED, Lane

PATIENCE = 30.0


def test_ten_jobs_are_served_in_order(tmp_path: Any) -> None:
    log = tmp_path / "log"
    jobs = [Job(_append, (str(log), place), ()) for place in range(10)]
    with _lane() as lane:
        for job in jobs:
            lane.add(job)
        assert [lane.place(job) for job in jobs[7:]] == [7, 8, 9]
        _wait(jobs[-1])
    assert log.read_text(encoding="ascii").split() == list("0123456789")
    assert [job.result for job in jobs] == list(range(10))


def test_progress_is_heard_while_a_job_runs() -> None:
    job = Job(_tell_and_wait, None, ())
    with _lane() as lane:
        lane.add(job)
        end = time.monotonic() + PATIENCE
        while job.doing != "half" and time.monotonic() < end:
            time.sleep(0.01)
        assert (job.state, job.doing, job.share) == ("running", "half", 0.5)
        lane.cancel(job)
        assert job.state == "cancelled"


def test_a_process_that_ends_is_replaced() -> None:
    with _lane() as lane:
        ends, fails, bad, good = (
            Job(_end, None, ()),
            Job(_fail, None, ()),
            Job(_refuse, None, ()),
            Job(_pid, None, ()),
        )
        for job in (ends, fails, bad, good):
            lane.add(job)
        _wait(good)
    assert (ends.state, ends.problem) == ("failed", KILLED)
    assert fails.problem.startswith("Something went wrong inside bayesfloor (ZeroDivisionError)")
    assert (bad.state, bad.problem) == ("failed", "no; pass “Missing values” drop")
    assert good.state == "done"


def test_a_process_is_used_again_unless_it_is_worn_out() -> None:
    for worn_out, processes in ((_never, 1), (_always, 3)):
        jobs = [Job(work, None, ()) for work in (_pid, _refuse, _pid, _pid)]
        with _lane(worn_out) as lane:
            for job in jobs:
                lane.add(job)
            _wait(jobs[-1])
        assert len({job.result for job in jobs} - {None}) == processes


def test_what_waits_is_cancelled_when_the_lane_stops() -> None:
    jobs = [Job(_tell_and_wait, None, ()) for _ in range(3)]
    with _lane() as lane:
        for job in jobs:
            lane.add(job)
    assert {job.state for job in jobs} == {"cancelled"}


def test_a_process_that_cannot_settle_fails_its_job() -> None:
    job = Job(_pid, None, ())
    lane = Lane(_end, None, worn_out=_never)
    lane.start()
    lane.add(job)
    _wait(job)
    lane.stop()
    assert job.problem == KILLED


@contextmanager
def _lane(worn_out: Any = None) -> Iterator[Lane]:
    lane = Lane(_nothing, None, worn_out=worn_out or _never)
    lane.start()
    try:
        yield lane
    finally:
        lane.stop()


def _wait(job: Job) -> None:
    end = time.monotonic() + PATIENCE
    while not job.ended:
        assert time.monotonic() < end
        time.sleep(0.01)


def _nothing(_: object) -> None:
    pass


def _never(_: object) -> bool:
    return False


def _always(_: object) -> bool:
    return True


def _append(task: tuple[str, int]) -> int:
    path, place = task
    with open(path, "a", encoding="ascii") as file:
        file.write(f"{place}\n")
    return place


def _tell_and_wait(_: object) -> None:
    tell(("half", 0.5))
    time.sleep(PATIENCE)


def _pid(_: object) -> int:
    return os.getpid()


def _end(_: object) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _fail(_: object) -> float:
    return 1 / 0


def _refuse(_: object) -> None:
    raise DataError('no; pass missing="drop"')


def test_the_end_of_a_job_is_final() -> None:
    job = Job(_pid, None, ())
    job.end("cancelled")
    job.end("done", result=1)
    assert (job.state, job.result) == ("cancelled", None)


@pytest.mark.parametrize("state", ["done", "failed", "cancelled"])
def test_a_job_that_has_ended_forgets_its_task(state: str) -> None:
    job = Job(_pid, "a path", ())
    job.end(state)
    assert job.ended
    assert job.task is None
