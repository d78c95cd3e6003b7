"""Processes that are killed, limited or cut off leave no half file, and one line at most."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hostile import ATTACK

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="needs POSIX signals and limits"),
]

PAUSING = """
import os, sys, time
from bayesfloor.base import files
from bayesfloor.shells.cli import main
replace = os.replace
def pause(*paths):
    print("written aside", file=sys.stderr, flush=True)
    time.sleep(60)
    replace(*paths)
os.replace = pause
main()
"""
SIGNALS = [signal.SIGKILL, signal.SIGINT, *([signal.SIGTERM] if ATTACK else [])]
OLD_PAGE = "<!doctype html><p>old</p></html>"


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    rows = np.c_[rng.normal(size=(120, 2)), np.arange(120) % 2]
    path = tmp_path_factory.mktemp("table") / "table.csv"
    np.savetxt(path, rows, delimiter=",", header="a,b,y", comments="")
    return path


def estimate(table: Path, *words: str, code: str | None = None) -> list[str]:
    """Return the command that bounds the error of a table, in a process of its own."""
    run = ["-c", code] if code else ["-c", "from bayesfloor.shells.cli import main; main()"]
    return [sys.executable, *run, "estimate", str(table), "--label", "y", "--quiet", *words]


def start(command: list[str], **options: Any) -> subprocess.Popen[str]:
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, **options)


@pytest.mark.parametrize("signal_sent", SIGNALS)
def test_a_run_that_ends_before_the_last_step_keeps_the_old_page(
    signal_sent: signal.Signals, table: Path, tmp_path: Path
) -> None:
    page = tmp_path / "page.html"
    page.write_text(OLD_PAGE, encoding="utf-8")
    with start(estimate(table, "--report", str(page), code=PAUSING)) as process:
        assert process.stderr is not None
        assert process.stderr.readline() == "written aside\n"
        process.send_signal(signal_sent)
        _, errors = process.communicate(timeout=30)
    assert page.read_text(encoding="utf-8") == OLD_PAGE
    assert process.returncode in (-signal_sent, 130)
    if signal_sent == signal.SIGINT:
        assert errors == "interrupted\n"
        assert os.listdir(tmp_path) == ["page.html"]


KILLS = 100 if ATTACK else 2
"""Moments at which a run is killed."""


def test_a_run_that_is_killed_at_any_moment_leaves_no_half_page(
    table: Path, tmp_path: Path
) -> None:
    began = time.monotonic()
    subprocess.run(estimate(table, "--report", str(tmp_path / "whole.html")), check=True)
    whole, seconds = (tmp_path / "whole.html").read_bytes(), time.monotonic() - began
    rng = np.random.default_rng()
    for turn, share in enumerate(rng.uniform(0.2, 1.1, KILLS)):
        page = tmp_path / f"page{turn}.html"
        with start(estimate(table, "--report", str(page))) as process:
            time.sleep(share * seconds)
            process.send_signal(rng.choice([signal.SIGKILL, signal.SIGTERM, signal.SIGINT]))
        assert not page.exists() or page.read_bytes() == whole


PAPER = ("paper", "1", "--quick", "--repetitions", "6", "--workers", "2", "--out")


def paper(folder: Path) -> list[str]:
    """Return the command that simulates one figure, in a session of its own."""
    main = "from bayesfloor.shells.cli import main; main()"
    return [sys.executable, "-c", main, *PAPER, str(folder)]


def processes(session: int) -> dict[int, int]:
    """Return the processes of a session that have not ended, and their parents."""
    found = {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent, _, own = stat.read_text().rpartition(")")[2].split()[:4]
            if int(own) == session and state != "Z":
                found[int(stat.parent.name)] = int(parent)
    return found


def files(folder: Path) -> dict[str, bytes]:
    """Return the files under their final names, and not those that were written aside."""
    return {
        path.name: path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.name.startswith(".")
    }


@pytest.mark.skipif(sys.platform != "linux", reason="lists processes in /proc")
def test_a_simulation_whose_processes_are_killed_resumes_with_the_same_bytes(
    tmp_path: Path,
) -> None:
    """The command or a worker is killed; nothing runs on, no file is half, and the rest follows."""
    whole, began = tmp_path / "whole", time.monotonic()
    subprocess.run(paper(whole), check=True, capture_output=True)
    seconds, expected = time.monotonic() - began, files(whole)
    rng, folder = np.random.default_rng(), tmp_path / "broken"
    for turn in range(KILLS):
        if turn % 5 == 0:
            shutil.rmtree(folder, ignore_errors=True)
        with start(paper(folder), start_new_session=True) as process:
            time.sleep(rng.uniform(0.1, 1.0) * seconds)
            workers = [
                pid for pid, parent in processes(process.pid).items() if parent == process.pid
            ]
            victim = int(rng.choice([process.pid, *workers]))
            with suppress(ProcessLookupError):
                os.kill(victim, signal.SIGKILL)
            _, errors = process.communicate(timeout=60)
        if victim != process.pid and process.returncode:
            assert errors.count("\n") == 1, errors
        deadline = time.monotonic() + 30
        while processes(process.pid):
            assert time.monotonic() < deadline, "processes run on"
            time.sleep(0.02)
        present = {name: data for name, data in files(folder).items() if name in expected}
        assert present.items() <= expected.items()
    subprocess.run(paper(folder), check=True, capture_output=True)
    assert files(folder) == expected


def limit_files() -> None:
    import resource

    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (10_000, 10_000))


def test_a_page_that_does_not_fit_on_the_disk_is_one_line(table: Path, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    page.write_text(OLD_PAGE, encoding="utf-8")
    with start(estimate(table, "--report", str(page)), preexec_fn=limit_files) as process:
        out, errors = process.communicate(timeout=60)
    assert process.returncode == 1
    assert out.startswith("Lowest possible error")  # the answer was known before
    assert errors == "error: File too large\n"
    assert page.read_text(encoding="utf-8") == OLD_PAGE
    assert os.listdir(tmp_path) == ["page.html"]


@pytest.mark.skipif(not ATTACK, reason="test_cli.py has it for the other files")
def test_a_simulation_that_does_not_fit_on_the_disk_is_one_line(tmp_path: Path) -> None:
    with start(paper(tmp_path), preexec_fn=limit_files) as process:
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 1
    assert errors == "error: File too large\n"
    assert not any(b"<svg" in data or b"<html" in data for data in files(tmp_path).values())


VANISHING = """
import os, shutil, sys
cache = os.environ["NUMBA_CACHE_DIR"]
from bayesfloor.neighbours import engine_choice
load = engine_choice.load_kernels
def load_and_lose():
    load()
    shutil.rmtree(cache, ignore_errors=True)
engine_choice.load_kernels = load_and_lose
from bayesfloor.shells.cli import main
main()
"""


@pytest.mark.skipif(not ATTACK, reason="compiles the kernels, which takes a minute")
def test_a_cache_that_is_taken_away_is_no_error(table: Path, tmp_path: Path) -> None:
    words = ("--engine", "tree", "--representation", "raw")
    with start(
        estimate(table, "--json", *words, code=VANISHING),
        env={**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")},
    ) as process:
        out, errors = process.communicate(timeout=300)
    assert (process.returncode, errors) == (0, "")
    assert out == answer(table, {}, *words)


@pytest.mark.skipif(not ATTACK, reason="compiles the kernels twice, which takes a minute")
def test_two_interpreters_that_fill_one_cache_get_the_same_digits(
    table: Path, tmp_path: Path
) -> None:
    words = ("--json", "--engine", "tree", "--representation", "raw")
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    with (
        start(estimate(table, *words), env=environment) as one,
        start(estimate(table, *words), env=environment) as other,
    ):
        first, second = one.communicate(timeout=300), other.communicate(timeout=300)
    assert first == second
    assert first == (answer(table, {}, *words[1:]), "")


def test_a_closed_pipe_is_no_traceback(table: Path) -> None:
    with start(estimate(table, "--json")) as process:
        assert process.stdout is not None
        process.stdout.close()
        assert process.stderr is not None
        errors = process.stderr.read()
        process.wait(timeout=60)
    assert "Traceback" not in errors
    assert errors.count("\n") <= 1


LETTERS_OF_C = {"LANG": "C", "LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
PLACES: dict[str, dict[str, str]] = {
    "no home, letters of C": {"HOME": "/dev/null", "XDG_CACHE_HOME": "/dev/null/x", **LETTERS_OF_C},
    "strict, another order of sets": {"PYTHONWARNINGS": "error", "PYTHONHASHSEED": "7"},
    "optimised": {"PYTHONOPTIMIZE": "1"},
}


@pytest.fixture(scope="module")
def expected(table: Path) -> str:
    return answer(table, {})


def answer(table: Path, environment: dict[str, str], *words: str) -> str:
    """Return the JSON document of a run, which says nothing else."""
    run = subprocess.run(
        estimate(table, "--json", *words),
        env={**os.environ, **environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (run.returncode, run.stderr) == (0, "")
    return run.stdout


@pytest.mark.parametrize("place", PLACES)
def test_the_answer_is_the_same_wherever_it_is_asked(
    place: str, table: Path, expected: str
) -> None:
    assert answer(table, PLACES[place]) == expected


@pytest.mark.skipif(not ATTACK, reason="compiles the kernels, which takes a minute")
def test_no_folder_for_machine_code_is_no_error(table: Path) -> None:
    nowhere = {"HOME": "/dev/null", "NUMBA_CACHE_DIR": "/dev/null/cache"}
    words = ("--engine", "few", "--representation", "raw")
    assert answer(table, nowhere, *words) == answer(table, {}, *words)


def memory_left(room: int) -> Callable[[], None]:
    def limit() -> None:
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (room, room))

    return limit


@pytest.mark.skipif(not ATTACK, reason="test_compression.py has it without the command line")
def test_a_bomb_under_a_limit_of_the_shell_is_one_line(tmp_path: Path) -> None:
    import zlib

    path, squeeze = tmp_path / "bomb.csv.gz", zlib.compressobj(wbits=31)
    blocks = [squeeze.compress(b"1,2,3\n" * 10**6) for _ in range(150)]
    path.write_bytes(b"".join([*blocks, squeeze.flush()]))
    with start(estimate(path), preexec_fn=memory_left(3 * 10**9)) as process:
        out, errors = process.communicate(timeout=60)
    assert (process.returncode, out) == (1, "")
    assert errors.startswith(f"error: {path}: the contents would take more than")
    assert errors.count("\n") == 1
