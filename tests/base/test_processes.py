from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

from bayesfloor.base.processes import THREAD_VARIABLES, ignore_interrupts, open_pool, tell

BUSY = """
import os, time
from bayesfloor.base.processes import open_pool

def own_pid(task):
    time.sleep(100 if task else 0)
    return os.getpid()

if __name__ == "__main__":
    with open_pool(2) as pool:
        large = bytes(4_000_000)  # more than a pipe holds
        for _, pid in pool.run(own_pid, [b"", b"", large, large, large, large]):
            print(pid, flush=True)
"""


def test_results_come_with_their_tasks_as_they_are_done() -> None:
    with open_pool(2) as pool:
        done = list(pool.run(_sleep, [0.5, 0.0, 0.01]))
        assert sorted(done) == [(0.0, 0.0), (0.01, 0.01), (0.5, 0.5)]
        assert done[-1] == (0.5, 0.5)
        assert list(pool.run(_sleep, [])) == []


def test_more_workers_than_tasks_and_tasks_than_workers() -> None:
    with open_pool(3) as pool:
        assert len({pid for _, pid in pool.run(_own_pid, range(2))}) == 2
        assert len({pid for _, pid in pool.run(_own_pid, range(20))}) <= 3


def test_a_run_left_early_leaves_nothing_for_the_next() -> None:
    with open_pool(2) as pool:
        first = pool.run(_sleep, [0.0, 0.3, 0.3])
        assert next(first) == (0.0, 0.0)
        first.close()
        assert list(pool.run(_sleep, [0.01])) == [(0.01, 0.01)]


def test_an_error_comes_out_as_it_is_and_says_where_it_arose() -> None:
    with open_pool(2) as pool, pytest.raises(ZeroDivisionError) as raised:
        list(pool.run(_divide, [1, 0]))
    assert "in _divide" in raised.value.__notes__[0]


def test_an_error_of_files_is_not_taken_for_a_killed_process() -> None:
    with open_pool(1) as pool, pytest.raises(EOFError, match="bad file"):
        list(pool.run(_read_badly, [1]))


def test_a_result_that_cannot_be_sent_is_an_error() -> None:
    with open_pool(1) as pool, pytest.raises((TypeError, AttributeError), match="pickle"):
        list(pool.run(_return_a_lambda, [1]))


@pytest.mark.parametrize("answer", ["_return_the_unsendable", "_raise_the_unsendable"])
def test_what_cannot_be_sent_for_any_reason_is_told(answer: str) -> None:
    with open_pool(1) as pool, pytest.raises((ValueError, RuntimeError), match="no way"):
        list(pool.run(globals()[answer], [1]))


def threads_of_libraries(_: int) -> list[int]:
    import scipy.linalg  # noqa: F401  # it loads here, after the process has started
    from threadpoolctl import threadpool_info

    return [library["num_threads"] for library in threadpool_info()]


def test_matrix_products_in_a_process_take_one_thread(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else digits would depend on the number of cores."""
    for name in THREAD_VARIABLES:
        monkeypatch.delenv(name, raising=False)
    with open_pool(1) as pool:
        ((_, threads),) = pool.run(threads_of_libraries, [0])
    assert set(threads) == {1}


def test_a_pool_works_in_any_thread() -> None:
    found: list[tuple[int, float]] = []

    def work() -> None:
        with open_pool(1) as pool:
            found.extend(pool.run(_divide, [4]))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join(60)
    assert found == [(4, 0.25)]


@pytest.mark.skipif(os.name == "nt", reason="wants POSIX signals")
def test_a_pool_ends_where_requests_to_end_are_ignored(tmp_path: Path) -> None:
    script = tmp_path / "deaf.py"
    deaf = "import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN)"
    script.write_text(f"{deaf}\n{BUSY}".replace("large, large, large, large", "b''"))
    subprocess.run([sys.executable, script], timeout=60, check=True, stdout=subprocess.DEVNULL)


@pytest.mark.skipif(os.name == "nt", reason="wants POSIX signals")
def test_a_process_that_is_killed_is_an_error_of_one_sentence() -> None:
    with open_pool(2) as pool, pytest.raises(ChildProcessError, match="use fewer workers"):
        list(pool.run(_kill_oneself, [1]))


@pytest.mark.skipif(os.name == "nt", reason="wants POSIX signals")
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGKILL])
def test_all_processes_end_at_once_with_large_tasks_under_way(
    tmp_path: Path, sign: signal.Signals
) -> None:
    script = tmp_path / "busy.py"
    script.write_text(BUSY)
    process = subprocess.Popen(
        [sys.executable, script], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    workers = {int(process.stdout.readline()) for _ in range(2)}
    process.send_signal(sign)
    talk = process.communicate(timeout=30)[1]
    assert process.returncode == -sign
    assert talk.rstrip().endswith("KeyboardInterrupt") == (sign == signal.SIGINT)
    deadline = time.monotonic() + 30
    while any(map(_is_alive, workers)):
        assert time.monotonic() < deadline
        time.sleep(0.02)


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return True


def _sleep(seconds: float) -> float:
    time.sleep(seconds)
    return seconds


def _own_pid(_: int) -> int:
    return os.getpid()


def _divide(number: int) -> float:
    return 1 / number


class _UnsendableError(Exception):
    def __init__(self, first: str, second: str) -> None:
        super().__init__(first + second)

    def __reduce__(self) -> Any:
        raise ValueError("no way")


def _return_the_unsendable(_: int) -> Exception:
    return _UnsendableError("no ", "matter")


def _raise_the_unsendable(_: int) -> None:
    raise _UnsendableError("no ", "way")


def _kill_oneself(_: int) -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _read_badly(_: int) -> None:
    raise EOFError("bad file")


def _return_a_lambda(_: int) -> object:
    return lambda: None


def test_a_foreign_handler_of_interrupts_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[object] = []
    monkeypatch.setattr(signal, "signal", lambda *how: heard.append(how))  # None: set elsewhere
    with ignore_interrupts():
        pass
    assert heard == [(signal.SIGINT, signal.SIG_IGN)]


def test_a_task_can_tell_how_far_it_is() -> None:
    heard: list[int] = []
    with open_pool(2) as pool:
        done = dict(pool.run(_tell_steps, [3, 0], heard.append))
    assert done == {3: "done", 0: "done"}
    assert heard == [0, 1, 2]
    tell("nobody listens in this process")


def _tell_steps(steps: int) -> str:
    for step in range(steps):
        tell(step)
    return "done"


def test_a_pool_killed_from_another_thread_ends_its_run() -> None:
    with open_pool(1) as pool:
        runs = pool.run(_tell_and_sleep, [None], lambda _: pool.kill())
        with pytest.raises(ChildProcessError):
            list(runs)


def _tell_and_sleep(_: None) -> None:
    tell("here")
    time.sleep(100)


ORPHAN = """
import os, sys, time
from functools import partial
from pathlib import Path
from bayesfloor.base.processes import Pool

def tidy(path):
    time.sleep(0.5)  # longer than the process takes to end
    path.unlink()

class Deadly:
    def __reduce__(self):  # when it is sent, right after the process was started
        os.kill(os.getpid(), 9)

def work(path):
    print("at work", flush=True)

if __name__ == "__main__":
    path = Path(sys.argv[1])
    path.touch()
    pool = Pool(1, when_orphaned=partial(tidy, path))
    list(pool.run(work, [path if sys.argv[2] == "at work" else Deadly()]))
    time.sleep(100)
"""


@pytest.mark.parametrize("when", ["at work", "starting"])
def test_a_process_whose_parent_is_killed_ends_after_what_it_has_to_do(
    when: str, tmp_path: Path
) -> None:
    script, kept = tmp_path / "orphan.py", tmp_path / "kept"
    script.write_text(ORPHAN, encoding="utf-8")
    command = [sys.executable, str(script), str(kept), when]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        if when == "at work":
            assert process.stdout.readline() == "at work\n"
            assert kept.exists()
            process.kill()
    end = time.monotonic() + 30
    while kept.exists():
        assert time.monotonic() < end, "the process ended before it had tidied up"
        time.sleep(0.05)
