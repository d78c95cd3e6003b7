"""What the page must bear: a large file, a bomb, many runs, tabs that close while a run goes on."""

from __future__ import annotations

import gzip
from typing import Any

import numpy as np
import pytest

pytest.importorskip("starlette", reason="wants the extra: pip install 'bayesfloor[web]'")
pytest.importorskip("uvicorn", reason="wants the extra: pip install 'bayesfloor[web]'")

from web_server import Server, Tab, ended, serving, until

LARGE = 100 * 10**6
"""Bytes of a file that has to be answered."""
BOMB = gzip.compress(b"1,2,3\n" * 10**6, 9) * 1700
"""Unpacks to 10 GB, of fifteen megabytes."""
PATIENCE = 1200.0
"""Seconds to wait for a large file where other work goes on."""


def csv(size: int) -> bytes:
    """Return about so many bytes of two classes with shifted columns, no row like another."""
    rng = np.random.default_rng(0)
    block, rows = [], 20_000
    for row in range(rows):
        numbers = rng.normal(size=10) + (row % 2) * 0.5
        block.append(",".join(f"{x:.4f}" for x in numbers) + f",{'ab'[row % 2]}\n")
    text = "".join(block).encode()
    more = (
        text.replace(b".", f".{copy % 10}".encode()) for copy in range(max(1, size // len(text)))
    )
    return b"x0,x1,x2,x3,x4,x5,x6,x7,x8,x9,label\n" + b"".join(more)


def files(server: Server) -> int:
    path = server.board.folder.path
    return len(list(path.iterdir())) if path.exists() else 0


def patiently(tab: Tab, run: Any) -> Any:
    return until(lambda: ended(tab.find(run)), PATIENCE)


@pytest.mark.slow
def test_a_hundred_megabytes_are_answered_and_other_tabs_served_meanwhile() -> None:
    data = csv(LARGE)
    assert len(data) > LARGE
    with serving(max_upload=2 * LARGE) as server:
        tab, other = Tab(server), Tab(server)
        tab.ask("POST", "/file?name=large.csv", data)
        until(lambda: ended(tab.state()["file"]["preview"]), PATIENCE)
        table = tab.ask("GET", "/preview")
        assert table["rows"] == data.count(b"\n") - 1
        run = tab.run(label="label", max_seconds="5")
        assert other.drop(csv(10**6), "small.csv")["rows"] > 0
        assert tab.find(run)["state"] in ("queued", "running")
        done = patiently(tab, run)
        assert (done["state"], done["problem"]) == ("done", "")
        assert done["summary"]["rows"] == table["rows"]
        tab.ask("DELETE", "/file")
        assert files(server) == 1


@pytest.mark.slow
def test_ten_gigabytes_in_a_small_file_leave_it_serving() -> None:
    assert len(BOMB) < 50 * 10**6
    with serving(max_upload=LARGE, max_memory=2 * 10**9) as server:
        tab = Tab(server)
        assert "too much for the memory there is" in tab.drop(BOMB, "bomb.csv.gz")
        assert tab.drop(csv(10**6))["rows"] > 0
        assert "too much for the memory there is" in tab.drop_predictions(BOMB, "model.csv.gz")
        assert tab.drop(b"no such thing", "table.parquet").startswith("table.parquet: the suffix")
        assert tab.drop(csv(10**6))["rows"] > 0
        assert files(server) == 1


@pytest.mark.slow
def test_ten_runs_of_two_tabs_are_served_in_the_order_in_which_they_came() -> None:
    lines = csv(10**6).splitlines()[:60]
    with serving() as server:
        tabs = Tab(server), Tab(server)
        for tab in tabs:
            tab.drop(b"\n".join(lines))
        runs = [(tab, tab.run(label="label")) for _ in range(5) for tab in tabs]
        assert [tab.find(run)["before"] for tab, run in runs[-2:]] == [8, 9]
        order = list[str]()
        while len(order) < len(runs):
            states = [(run["id"], tab.find(run)["state"]) for tab, run in runs]
            order += [name for name, state in states if state == "done" and name not in order]
            assert all(state in ("queued", "running", "done") for _, state in states)
        assert order == [run["id"] for _, run in runs]


@pytest.mark.slow
def test_a_tab_that_closes_during_its_run_leaves_the_others_served() -> None:
    with serving() as server:
        closed, other = Tab(server), Tab(server)
        closed.drop(csv(3 * 10**6))
        closed.drop_predictions(b"model\n" + b"a\n" * 1000)
        other.drop(b"\n".join(csv(10**6).splitlines()[:200]))
        run = closed.run(label="label")
        until(lambda: closed.find(run)["state"] == "running")
        waiting = other.run(label="label")
        server.request("POST", f"/{server.token}/visits/{closed.id}/leave")
        server.board.visit(closed.id).left = -1000.0  # half a minute later
        server.board.tidy()
        assert other.wait(waiting)["state"] == "done"
        assert files(server) == 1
