"""Requests to the page's server: files come and go, runs are answered, cancelled and compared."""

from __future__ import annotations

import gzip
import multiprocessing
import os
import re
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

pytest.importorskip("starlette", reason="wants the extra: pip install 'bayesfloor[web]'")
pytest.importorskip("uvicorn", reason="wants the extra: pip install 'bayesfloor[web]'")

import bayesfloor as bf
from bayesfloor.shells.cli import app
from bayesfloor.shells.web.app import make_board
from bayesfloor.shells.web.uploads import plain_name
from web_server import TOKEN, Server, Tab, serving, until

HOSTILE = '</script><img src=x onerror="alert(1)">{{7*7}}\'"'


def csv(rows: int = 60, name: str = "sort") -> bytes:
    rng = np.random.default_rng(5)
    y = np.arange(rows) % 2
    a, b = rng.normal(size=(2, rows)) + y
    lines = [
        f"a,b,{name}",
        *(f"{p:.3f},{q:.3f},{'xy'[c]}" for p, q, c in zip(a, b, y, strict=True)),
    ]
    return "\n".join(lines).encode()


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with serving() as running:
        yield running


@pytest.fixture
def tab(server: Server) -> Tab:
    return Tab(server)


def folder(server: Server) -> list[Path]:
    path = server.board.folder.path
    return list(path.iterdir()) if path.exists() else []


def test_a_file_is_previewed_run_read_and_downloaded(tab: Tab, server: Server) -> None:
    table = tab.drop(csv())
    assert (table["rows"], table["likely_label"]) == (60, "sort")
    assert [column["kind"] for column in table["columns"]] == ["number", "number", "text"]
    run = tab.run(label="sort", target="90,5 0.55", model_error="30%", test_rows="100")
    assert run["title"] == "Run 1: “sort” from 2 columns of table.csv"
    done = tab.wait(run)
    assert done["state"] == "done", done
    assert done["summary"]["columns"] == ["a", "b"]
    assert [text.split(":")[0] for text in done["summary"]["headings"]] == [
        "Target of 9.5% error",
        "Target of 45% error",
        "Model with 30% error",
    ]
    place = f"/{TOKEN}/visits/{tab.id}/runs/{run['id']}/report"
    status, headers, page = server.request("GET", place)
    assert status == 200
    assert page.startswith(b"<!DOCTYPE html>")
    assert b"How low can the error on sort go?" in page
    assert "script" not in headers["content-security-policy"]
    assert "content-disposition" not in headers
    kept = server.request("GET", f"{place}?download")[1]["content-disposition"]
    assert kept == 'attachment; filename="bayesfloor-sort-1.html"'
    tab.ask("DELETE", f"/runs/{run['id']}")
    assert tab.state()["runs"] == []
    assert server.request("GET", place)[0] == 404


def test_the_same_file_is_asked_again_and_runs_are_compared(tab: Tab) -> None:
    tab.drop(csv())
    runs = [tab.run(label="sort", drop=drop) for drop in ([], ["b"])]
    both = [tab.wait(run) for run in runs]
    assert both[1]["title"] == "Run 2: “sort” from 1 column of table.csv"
    assert both[1]["summary"]["columns"] == ["a"]
    found = tab.ask("GET", f"/compare/{runs[0]['id']}/{runs[1]['id']}")
    assert "Run 1 has all columns of Run 2 and more" in found["sentence"]
    facts = {name: pair for name, *pair in found["facts"]}
    assert facts["columns"] == ["2", "1"]
    assert facts["only here"] == ["b", "none"]
    assert facts["class shares"] == ["those of the table"] * 2
    rare = tab.wait(tab.run(label="sort", priors="x=90%; y=10%"))
    assert rare["summary"]["shares"] == "x 90%, y 10%"
    assert rare["summary"]["largest_class"] == pytest.approx(0.1)
    other = tab.ask("GET", f"/compare/{runs[0]['id']}/{rare['id']}")
    assert "different class shares" in other["sentence"]
    nobody = tab.ask("GET", f"/compare/{runs[0]['id']}/none")
    assert nobody == "There is no such run; it was removed."


@pytest.mark.slow
def test_runs_with_other_columns_are_compared_on_the_same_rows(tab: Tab) -> None:
    rng = np.random.default_rng(0)
    y = np.arange(240) % 2
    a, b = rng.normal(size=240) + y, rng.normal(size=240) + 3 * y
    lines = [f"{p:.3f},{q:.3f},{'xy'[c]}" for p, q, c in zip(a, b, y, strict=True)]
    tab.drop("\n".join(["a,b,sort", *lines]).encode())
    few, more = (tab.wait(tab.run(label="sort", drop=drop)) for drop in (["b"], []))
    place = f"/compare/{few['id']}/{more['id']}"
    assert tab.ask("GET", place)["unpaired"] == ""
    pair = tab.wait(tab.ask("POST", place)["runs"][-1])
    assert (pair["state"], pair["is_pair"]) == ("done", True)
    assert pair["title"] == "Run 3: run 2 against run 1"
    assert pair["summary"]["verdict"] == "lower"
    assert pair["summary"]["sentence"].startswith("Run 2 lowers the floor against Run 1 by ")
    assert [side["name"] for side in pair["summary"]["sides"]] == ["Run 1", "Run 2"]
    own = bf.compare(
        {"Run 1": ["a"], "Run 2": ["a", "b"]},
        "sort",
        data=pl.DataFrame({"a": a.round(3), "b": b.round(3), "sort": y}),
    )
    assert pair["summary"]["sentence"] == own.differences["Run 2"].sentence
    report = f"/{TOKEN}/visits/{tab.id}/runs/{pair['id']}/report"
    assert b"Which has the lower floor, Run 1 or Run 2?" in tab.server.request("GET", report)[2]
    assert "comparison itself" in tab.ask("GET", f"/compare/{few['id']}/{pair['id']}")
    again = tab.ask("GET", f"/compare/{few['id']}/{few['id']}")
    assert again["unpaired"].startswith("The runs have the same columns")
    shares = tab.wait(tab.run(label="sort", priors="x=90%; y=10%"))
    assert "class shares" in tab.ask("POST", f"/compare/{few['id']}/{shares['id']}")
    dropped = tab.wait(tab.run(label="sort", missing="drop"))
    assert "different settings" in tab.ask("POST", f"/compare/{few['id']}/{dropped['id']}")
    tab.ask("DELETE", "/file")
    assert "was removed" in tab.ask("POST", place)


def test_a_cancel_that_comes_late_takes_no_answer_away(tab: Tab) -> None:
    tab.drop(csv())
    run = tab.wait(tab.run(label="sort"))
    tab.ask("POST", f"/runs/{run['id']}/cancel")
    assert tab.find(run)["state"] == "done"


def test_rows_that_belong_together_are_named_by_a_column(tab: Tab) -> None:
    rng = np.random.default_rng(0)
    lines = [f"p{j // 10},{rng.normal():.3f},{j},{'xy'[j // 10 % 2]}" for j in range(400)]
    tab.drop("\n".join(["who,a,day,sort", *lines]).encode())
    runs = [
        tab.wait(tab.run(label="sort", drop=["day"], groups="who")),
        tab.wait(tab.run(label="sort", drop=["who", "day"], time="day")),
    ]
    assert [run["problem"] for run in runs] == ["", ""]
    assert [run["summary"]["columns"] for run in runs] == [["a"], ["a"]]
    place = f"/{TOKEN}/visits/{tab.id}/runs/{runs[0]['id']}/report"
    assert b"40 groups" in tab.server.request("GET", place)[2]
    unknown = tab.wait(tab.run(label="sort", groups="whom"))
    assert unknown["state"] == "failed"
    assert unknown["problem"].endswith("no column 'whom'; did you mean 'who'?")


@pytest.mark.slow
def test_libraries_do_not_count_against_the_memory_of_a_run() -> None:
    with serving(board=make_board(10**6, 200 * 10**6)) as server:
        tab = Tab(server)
        tab.drop(csv(400))
        done = tab.wait(tab.run(label="sort"))
        assert (done["state"], done["problem"]) == ("done", "")


def test_what_is_wrong_with_a_file_is_said_in_the_words_of_the_page(tab: Tab) -> None:
    assert tab.drop(b"\x00\x01\x02", "table.parquet") == (
        "table.parquet: the suffix .parquet says Parquet but the contents do not; check the file"
    )
    problem = tab.drop(b"1,1\n2,2\n3,1\n")
    assert "“The first line is a row”" in problem
    again = tab.ask("POST", "/preview", {"header": False})
    assert again["file"]["preview"]["state"] in ("queued", "running")
    assert tab.preview()["columns"][0]["name"] == "column 1"
    assert "“Separator” is" in tab.ask("POST", "/preview", {"separator": "abc"})


def test_what_is_wrong_with_a_run_is_said_before_or_after_it(tab: Tab) -> None:
    assert tab.run(label="sort") == "There is no file yet; drop one on the page first."
    tab.drop(csv())
    assert tab.run() == "There is no label yet; choose one of the columns."
    assert tab.run(label="sort", target="most") == (
        "“Target” is 'most'; pass an accuracy above 0 and up to 1, such as 0.95."
    )
    assert tab.run(label="sort", test_rows="10") == (
        "“Test rows” adds to “Model error”; pass “Model error” too or leave it out."
    )
    assert "choose one of" in tab.run(label="sort", missing="guess")
    assert "“Confidence” is 2.0" in tab.run(label="sort", confidence="2")
    assert "“Class shares” has '90%' without a class" in tab.run(label="sort", priors="90%")
    unknown = tab.wait(tab.run(label="sort", priors="z=90%; y=10%"))
    assert unknown["problem"].startswith("“Class shares” names class 'z'")
    assert tab.run(label="sort", drop="a") == "The field drop is no list of names."
    lost = tab.wait(tab.run(label="nothing"))
    assert lost["state"] == "failed"
    assert lost["problem"].startswith("table.csv: no column 'nothing'")


@pytest.mark.parametrize("body", [b"", b"[]", b"{", b"[" * 100_000, b'{"label": 1}'])
def test_a_form_that_is_none_is_refused(tab: Tab, body: bytes) -> None:
    tab.drop(csv(20))
    assert isinstance(tab.ask("POST", "/runs", body), str)


def test_hostile_names_stay_text(tab: Tab, server: Server) -> None:
    data = csv(name=f'"{HOSTILE.replace(chr(34), chr(34) * 2)}"')
    table = tab.drop(data, f"../../{HOSTILE}.csv")
    assert table["columns"][2]["name"] == HOSTILE
    run = tab.wait(tab.run(label=HOSTILE))
    assert run["state"] == "done", run
    page = server.request("GET", f"/{TOKEN}/visits/{tab.id}/runs/{run['id']}/report?download")
    assert b"<img" not in page[2]
    assert re.fullmatch(r'attachment; filename="[\w.%-]+"', page[1]["content-disposition"])
    assert all(re.fullmatch(r"[\w-]+", path.name) for path in folder(server))


@pytest.mark.slow
def test_runs_are_cancelled_or_killed_and_the_next_is_served(tab: Tab) -> None:
    tab.drop(csv(18_000))
    slow, killed = tab.run(label="sort"), tab.run(label="sort", drop=["b"])
    waiting = tab.run(label="sort")
    until(lambda: tab.find(slow)["state"] == "running")
    assert tab.find(killed)["before"] == 1
    assert tab.find(waiting)["before"] == 2
    for run in (slow, waiting):
        tab.ask("DELETE", f"/runs/{run['id']}")
    assert tab.find(slow)["state"] == tab.find(waiting)["state"] == "cancelled"
    until(lambda: tab.find(killed)["doing"])
    for process in multiprocessing.active_children():  # the idle one of previews too
        process.kill()
    assert tab.wait(killed)["problem"].startswith("The worker process has ended before its time")
    assert tab.drop(csv())["rows"] == 60
    assert tab.wait(tab.run(label="nothing"))["problem"].startswith("table.csv: no column")


def test_files_go_when_another_comes_or_their_tab_does(tab: Tab, server: Server) -> None:
    server.board.tidy()
    before = set(folder(server))
    tab.drop(csv(20), "one.csv")
    first = set(folder(server)) - before
    tab.drop(csv(20), "two.csv")
    second = set(folder(server)) - before
    assert len(first) == len(second) == 1
    assert not first & second
    tab.ask("DELETE", "/file")
    assert set(folder(server)) == before
    tab.drop(csv(20))
    server.board.visit(tab.id).left = -1000.0
    server.board.tidy()
    assert set(folder(server)) == before
    assert tab.state() == "This tab was closed or idle for long; load it again."


def test_a_tab_that_is_loaded_again_keeps_its_file(tab: Tab, server: Server) -> None:
    tab.drop(csv(20))
    visit = server.board.visit(tab.id)
    server.request("POST", f"/{TOKEN}/visits/{tab.id}/leave")
    assert visit.left is not None
    assert tab.state()["file"]["name"] == "table.csv"
    assert visit.left is None


def test_a_file_that_is_too_large_leaves_nothing(tab: Tab, server: Server) -> None:
    before = folder(server)
    announced = server.request("POST", f"/{TOKEN}/visits/{tab.id}/file", Content_Length=str(10**10))
    assert announced[0] == 413
    assert b"--max-upload" in announced[2]
    chunks = b"100000\r\n" + b"x" * 2**20 + b"\r\n"  # no length is announced
    head = (
        f"POST /{TOKEN}/visits/{tab.id}/file?name=a HTTP/1.1\r\nHost: {server.host}\r\n"
        f"Origin: http://{server.host}\r\nTransfer-Encoding: chunked\r\n\r\n"
    )
    with socket.create_connection(("127.0.0.1", server.port)) as sender:
        sender.sendall(head.encode())
        for _ in range(6):
            try:
                sender.sendall(chunks)
            except ConnectionError:
                break
        assert b" 413 " in sender.recv(1000)
    assert folder(server) == before


def test_an_upload_that_breaks_off_leaves_nothing(tab: Tab, server: Server) -> None:
    before = len(folder(server))
    head = (
        f"POST /{TOKEN}/visits/{tab.id}/file?name=a HTTP/1.1\r\nHost: {server.host}\r\n"
        f"Origin: http://{server.host}\r\nContent-Length: 1000\r\n\r\nhalf"
    )
    with socket.create_connection(("127.0.0.1", server.port)) as sender:
        sender.sendall(head.encode())
        until(lambda: len(folder(server)) == before + 1)
    until(lambda: len(folder(server)) == before)
    assert tab.state()["file"] is None


def test_a_bomb_is_refused_and_the_next_file_is_read() -> None:
    bomb = gzip.compress(b"1,2,3\n" * 10**6) * 50  # 300 MB
    with serving(max_memory=10**9) as server:
        tab = Tab(server)
        problem = tab.drop(bomb, "bomb.csv.gz")
        assert "too much for the memory there is" in problem
        assert "--max-memory of bayesfloor serve" in problem
        assert tab.drop(csv())["rows"] == 60


def test_answers_say_what_they_may_do_and_files_are_those_of_the_page(server: Server) -> None:
    status, headers, page = server.request("GET", f"/{TOKEN}/")
    assert status == 200
    assert headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
    assert "unsafe" not in headers["content-security-policy"]
    assert (headers["cache-control"], headers["x-content-type-options"]) == ("no-store", "nosniff")
    text = page.decode()
    assert "style=" not in text
    assert re.findall(r"<script[^>]*>", text) == ['<script type="module" src="static/main.js">']
    for name in set(re.findall(r'"static/([^"]+)"', text)):
        assert server.request("GET", f"/{TOKEN}/static/{name}")[0] == 200
    for name in ("..%2f..%2fapp.py", "nothing", "%00", "../app.py"):
        assert server.request("GET", f"/{TOKEN}/static/{name}")[0] == 404
    assert server.request("GET", "/")[0] == 404
    assert server.request("GET", f"/{TOKEN}/", Host="evil.example")[0] == 421
    assert server.request("POST", f"/{TOKEN}/visits", Origin=None)[0] == 403


def test_names_of_files_lose_their_paths() -> None:
    assert plain_name("/etc/passwd") == "passwd"
    assert plain_name("x" * 500 + ".csv.gz").endswith(".gz")
    assert len(plain_name("x" * 500 + "." + "y" * 500)) < 250
    assert plain_name("") == plain_name("/") == "table"


def test_without_the_extra_the_command_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    result = CliRunner().invoke(app, ["serve"])
    assert result.exit_code == 1
    assert result.stderr == (
        "error: the page needs Starlette and uvicorn; pip install 'bayesfloor[web]'\n"
    )


def test_options_that_cannot_be_are_refused() -> None:
    for words in (["--port", "70000"], ["--max-upload", "much"], ["--max-memory", "0"]):
        result = CliRunner().invoke(app, ["serve", *words])
        assert result.exit_code == 2
        assert result.stderr.startswith(f"error: {words[0]} is ")
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        result = CliRunner().invoke(app, ["serve", "--port", port])
    assert result.exit_code == 1
    assert f"port {port} cannot be had" in result.stderr


@pytest.mark.slow
@pytest.mark.parametrize("how", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_nothing_is_left_when_the_command_ends(how: signal.Signals, tmp_path: Path) -> None:
    command = [sys.executable, "-m", "bayesfloor", "serve"]
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        address = process.stdout.readline().strip()
        match = re.fullmatch(r"http://127\.0\.0\.1:(\d+)/([\w-]{32})/", address)
        assert match is not None
        if how != signal.SIGINT:  # which ends it as soon as it is there
            tab = Tab(Server(int(match[1]), token=match[2]))
            assert tab.drop(csv(20))["rows"] == 20
            assert tab.drop_predictions(b"model\n" + b"x\n" * 20)["rows"] == 20
            tab.run(label="sort")
            (folder,) = tmp_path.iterdir()
            assert len(list(folder.iterdir())) == 2
            assert folder.stat().st_mode & 0o777 == 0o700
        process.send_signal(how)
        codes = {signal.SIGINT: 0, signal.SIGTERM: 143, signal.SIGKILL: -9}
        assert process.wait(30) == codes[how]
        said = process.stderr.read() if process.stderr is not None else ""
    assert said == "Open this address in a browser on this machine; Ctrl-C ends it.\n"
    until(lambda: not list(tmp_path.iterdir()))
