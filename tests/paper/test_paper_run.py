from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any
from urllib.error import URLError

import pytest
import sklearn.datasets
from typer.testing import CliRunner

from bayesfloor.base.errors import DataError
from bayesfloor.paper.figures import FIGURES
from bayesfloor.paper.run import PaperOptions, figure_work, run
from bayesfloor.shells import cli

MAIN = "from bayesfloor.shells.cli import main; main()"
FIGURE, REPETITIONS = 1, 20


def options(folder: Path, **changes: Any) -> PaperOptions:
    usual: dict[str, Any] = {
        "quick": True,
        "repetitions": 5,
        "seed": 7,
        "workers": 2,
        "robot": None,
    }
    return PaperOptions(folder=folder, **{**usual, **changes})


def command(folder: Path, *more: str) -> list[str]:
    words = ["paper", str(FIGURE), "--quick", "--repetitions", str(REPETITIONS), "--out"]
    return [sys.executable, "-c", MAIN, *words, str(folder), *more]


def launch(folder: Path, *more: str) -> subprocess.Popen[str]:
    pipes: dict[str, Any] = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    return subprocess.Popen(command(folder, *more), **pipes)


def wait_for(condition: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    deadline = time.monotonic() + 120
    while not condition():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < deadline
        time.sleep(0.02)


def interrupted(process: subprocess.Popen[str]) -> str:
    """Press Ctrl-C, again if Python lost it (inside a finalizer it is ignored); return the talk."""
    for _ in range(10):
        process.send_signal(signal.SIGINT)
        with suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=3)[1]
    raise AssertionError("not to be interrupted")


def parts(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in (folder / ".parts").glob("*/*.csv")}


@pytest.fixture(scope="module")
def whole(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with one worker that nothing stopped."""
    folder = tmp_path_factory.mktemp("whole")
    done = subprocess.run(command(folder, "--workers", "1"), capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "figure 1: As N increases" in done.stdout
    assert "index.html written" in done.stderr
    return folder


def test_a_run_leaves_data_pictures_and_the_page_and_nothing_else(whole: Path) -> None:
    endings = {f"figure1.{e}" for e in ("csv", "json", "svg", "png", "html")}
    assert {p.name for p in whole.iterdir()} == {*endings, "index.html"}
    lines = (whole / "figure1.csv").read_text().splitlines()
    sizes, methods = FIGURES[FIGURE].quick_sizes, FIGURES[FIGURE].methods
    assert len(lines) == 1 + len(sizes) * len(methods) * REPETITIONS
    assert lines[0] == "source,d,n,repetition,method,divergence,se,truth,bound"


@pytest.mark.slow
def test_two_workers_give_the_same_bytes_as_one(whole: Path, tmp_path: Path) -> None:
    run(options(tmp_path, repetitions=REPETITIONS, seed=2018), [FIGURE], print)
    assert (tmp_path / "figure1.csv").read_bytes() == (whole / "figure1.csv").read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="wants POSIX signals")
def test_a_run_that_was_stopped_twice_goes_on_and_gives_the_same_bytes(
    whole: Path, tmp_path: Path
) -> None:
    first = launch(tmp_path, "--workers", "2")
    wait_for(lambda: len(parts(tmp_path)) >= 2, first)
    talk = interrupted(first)
    assert first.returncode == 130
    assert talk.splitlines() == [
        "interrupted; what is done is kept, and the same command goes on from there"
    ]
    kept = parts(tmp_path)
    assert not (tmp_path / "figure1.csv").exists()
    second = launch(tmp_path, "--workers", "1")
    wait_for(lambda: len(parts(tmp_path)) > len(kept), second)
    second.kill()
    second.communicate(timeout=60)
    now = parts(tmp_path)
    assert kept.items() <= now.items()  # whole files, none made again
    job = figure_work(options(tmp_path, repetitions=REPETITIONS, seed=2018), FIGURES[FIGURE])
    assert 0 < len(job.missing) == len(job.chunks) - len(now)
    third = launch(tmp_path)
    assert third.wait(timeout=120) == 0, third.communicate()
    third.communicate()
    assert (tmp_path / "figure1.csv").read_bytes() == (whole / "figure1.csv").read_bytes()
    assert not (tmp_path / ".parts").exists()


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="wants POSIX signals")
def test_ctrl_c_again_while_it_ends_adds_nothing(tmp_path: Path) -> None:
    process = launch(tmp_path, "--workers", "2")
    wait_for(lambda: bool(parts(tmp_path)), process)
    process.send_signal(signal.SIGINT)
    assert process.stderr is not None
    assert process.stderr.readline().startswith("interrupted; ")
    while process.poll() is None:
        time.sleep(0.01)  # nobody is faster
        process.send_signal(signal.SIGINT)
    assert process.communicate()[1] == ""
    assert process.returncode == 130


def test_a_complete_run_is_only_drawn_again(whole: Path, tmp_path: Path) -> None:
    for name in ("figure1.csv", "figure1.json"):
        (tmp_path / name).write_bytes((whole / name).read_bytes())
    written = (tmp_path / "figure1.csv").stat().st_mtime_ns
    same = options(tmp_path, repetitions=REPETITIONS, seed=2018)
    assert sorted(run(same, [FIGURE], print).data) == [FIGURE]
    assert (tmp_path / "figure1.csv").stat().st_mtime_ns == written  # not simulated again
    for name in ("figure1.svg", "figure1.png", "figure1.html", "index.html"):
        assert (tmp_path / name).stat().st_size > 1000


@pytest.mark.parametrize("changes", [{"seed": 8}, {"repetitions": 11}, {"quick": False}])
def test_other_settings_and_altered_data_are_made_anew(
    whole: Path, tmp_path: Path, changes: dict[str, Any]
) -> None:
    for name in ("figure1.csv", "figure1.json"):
        (tmp_path / name).write_bytes((whole / name).read_bytes())
    asked = {"repetitions": REPETITIONS, "seed": 2018}
    assert figure_work(options(tmp_path, **asked), FIGURES[FIGURE]).chunks == ()
    changed = figure_work(options(tmp_path, **{**asked, **changes}), FIGURES[FIGURE])
    assert len(changed.missing) == len(changed.chunks) > 0
    (tmp_path / "figure1.csv").write_text("altered")
    assert figure_work(options(tmp_path, **asked), FIGURES[FIGURE]).missing


def test_without_robot_data_the_other_figures_run(
    whole: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def offline(*_: Any, **__: Any) -> None:
        raise URLError("no network")

    for name in ("figure1.csv", "figure1.json"):
        (tmp_path / name).write_bytes((whole / name).read_bytes())
    monkeypatch.setattr(sklearn.datasets, "fetch_openml", offline)
    said: list[str] = []
    same = options(tmp_path, repetitions=REPETITIONS, seed=2018)
    results = run(same, [FIGURE, 5], said.append)
    (line,) = said
    assert line.startswith("figure 5 is left out: the robot data are not in scikit-learn's cache")
    (row,) = [v for v in results.verdicts if "superior" in v.claim.quotation]
    assert row.finding.verdict == line.replace("figure 5 is left out", "not run")
    with pytest.raises(DataError, match="OpenML did not answer"):
        run(same, [5], said.append)


def test_the_robot_figure_runs_on_the_file_and_is_kept_without_it(
    tmp_path: Path, shared_data: Path
) -> None:
    robot = shared_data / "robot" / "sensor_readings_4.data"
    figures = {**FIGURES, 5: replace(FIGURES[5], quick_sizes=(50, 100))}
    data = run(options(tmp_path, robot=robot, figures=figures), [5], print).data[5]
    assert {(r.d, r.truth, r.bound) for r in data} == {(4, 1.0, 0.0)}
    assert 5 in run(options(tmp_path, figures=figures), [5], print).data  # neither file nor network


def test_wrong_usage_is_refused(tmp_path: Path) -> None:
    for words in (["8"], ["--repetitions", "1"], ["--seed", "-1"], ["--workers", "0"], ["x"]):
        result = CliRunner().invoke(cli.app, ["paper", "--out", str(tmp_path / "new"), *words])
        assert result.exit_code == 2, words
    result = CliRunner().invoke(
        cli.app, ["paper", "5", "--robot", str(tmp_path), "--out", str(tmp_path)]
    )
    assert result.exit_code == 1
    assert result.stderr.startswith("error: ")
    assert result.stderr.count("\n") == 1


def test_a_folder_that_cannot_be_made_is_refused_in_one_line(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    done = subprocess.run(
        command(tmp_path / "file" / "out"), capture_output=True, text=True, check=False
    )
    assert done.returncode == 1
    assert done.stderr.count("\n") == 1
