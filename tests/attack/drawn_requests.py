"""Requests drawn from a number and sent to a page: uploads, forms, names, broken HTTP, tabs."""

from __future__ import annotations

import csv
import io
import json
import logging
import random
import socket
from contextlib import ExitStack
from functools import cache
from typing import Any
from urllib.parse import quote

from drawn_calls import Call, seldom
from drawn_files import CELLS, damage
from test_hostile_files import FILES, TABLE

from bayesfloor.shells.web.board import MOST_RUNS, MOST_VISITS
from bayesfloor.shells.web.server import LOOPBACK
from hostile import NAMES
from web_server import TOKEN, Server, Tab, ended, serving, until

MAX_UPLOAD = 100_000
"""Bytes that a file may have on the attacked page."""
RUN_SHARE = 0.01
"""Share of the attacks that wait for a run: a second each."""
PREDICTION_RUN_SHARE = 0.1
"""The same of those with predictions: most of what is wrong with these is found in a run."""
TABLE_ROWS = TABLE.count(b"\n") - 1
MOST_ANSWER_LINES = 1
"""Lines of what is said about a bad request."""
ODD_TEXTS = [*NAMES, "\ud800", "\udc80x", "../../etc/passwd", "%00", "a" * 20_000, "1e999", "-0"]
ODD_TEXTS += ["NaN", "9" * 5000, "1_0", "٣", "95%", "1,5", "=;=", "a=1;a=2", "\x1b[31m", "²", "%"]
ODD_VALUES: list[Any] = [
    *ODD_TEXTS,
    None,
    True,
    0,
    -1,
    1e308,
    10**30,
    [],
    {},
    [[]],
    ["y"],
    {"a": 1},
]
FIELDS = ["label", "target", "model_error", "test_rows", "shown_as", "confidence", "max_seconds"]
FIELDS += ["priors", "missing", "scale", "min_class_rows", "groups", "time", "drop", "keep"]
FIELDS += ["key", "header", "separator", "encoding", "table", "unknown"]
BROKEN = [
    b"",
    b"\0\xff\r\n\r\n",
    b"GET\r\n\r\n",
    b"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\n",
    b"POST {path} HTTP/1.1\r\nHost: {host}\r\nContent-Length: " + b"9" * 5000 + b"\r\n\r\n",
    b"POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\nContent-Length: 99\r\n\r\nx",
    b"POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
    b"Transfer-Encoding: chunked\r\n\r\nffffffffffffffffff\r\nx\r\n",
    b"POST {path} HTTP/1.1\r\nHost: {host}\r\nOrigin: http://{host}\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n5\r\na,b,y\r\nzz\r\n",
    b"GET {path} HTTP/1.1\r\nHost: {host}\r\nX: " + b"x" * 200_000 + b"\r\n\r\n",
    b"GET {path} HTTP/1.1\r\nHost: [::1\r\n\r\n",
    b"GET /%ff%fe/%00 HTTP/1.1\r\nHost: {host}\r\n\r\n",
    b"GET {path} HTTP/1.1\r\nHost: {host}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n",
]
"""What is no request, or ends in its middle."""


class _Errors(logging.Handler):
    """Keeps what the server writes of its own failures."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.told: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        problem = record.exc_info[1] if record.exc_info else ""
        self.told.append(f"{record.getMessage()} {problem!r}")


ERRORS = _Errors()
SERVED = ExitStack()
"""Ends the server; whoever has made calls closes it."""


@cache
def attacked() -> Server:
    """Return a server that runs until `SERVED` is closed."""
    server = SERVED.enter_context(serving(max_upload=MAX_UPLOAD))
    log = logging.getLogger("uvicorn")
    log.handlers, log.propagate = [ERRORS], False
    return server


class _Tabs:
    """Two tabs that the attacks share, opened anew when they are gone."""

    def __init__(self) -> None:
        self._open: list[Tab] = []

    def one(self, rng: random.Random) -> Tab:
        while len(self._open) < 2:
            self._open.append(Tab(attacked()))
        return rng.choice(self._open)

    def forget(self) -> None:
        """Let go of both: their server has ended."""
        self._open.clear()


TABS = _Tabs()


def send(method: str, path: str, body: Any = None, **headers: str | None) -> tuple[int, bytes]:
    """Send a request; fail unless it is answered, and what is refused in one line."""
    status, found, said = attacked().request(method, path, body, **headers)
    assert status < 500 or status == 507, (status, said[:300])
    assert "content-security-policy" in found
    if status >= 400 and said and "json" in found.get("content-type", ""):
        problem = json.loads(said)["problem"]
        assert len(problem.splitlines()) == MOST_ANSWER_LINES, problem
        assert len(problem) < 1000, problem
    told = ERRORS.told.copy()
    ERRORS.told.clear()
    assert not told, told
    return status, said


def _place(tab: Tab, path: str = "") -> str:
    return f"/{TOKEN}/visits/{tab.id}{path}"


def state(tab: Tab) -> Any:
    """Return what the page says of a tab; fail if a job ended otherwise than it may."""
    status, said = send("GET", _place(tab))
    assert status == 200, (status, said)
    found = json.loads(said)
    files = [found[name] for name in ("file", "predictions") if found[name]]
    for job in [*found["runs"], *(file["preview"] for file in files)]:
        assert "inside bayesfloor" not in job["problem"], job
        assert len(job["problem"].splitlines()) <= MOST_ANSWER_LINES, job
    return found


def page_call(rng: random.Random) -> Call:
    """Draw an attack on the page."""
    kinds = [_upload, _predictions, _form, _form, _unknown, _broken, _headers, _crossed]
    return _run(rng) if rng.random() < RUN_SHARE else rng.choice(kinds)(rng)


def _drawn_file(rng: random.Random) -> tuple[bytes, str]:
    """Draw a file that may be damaged, and a name for the address, which may be any."""
    suffix = rng.choice(list(FILES))
    data = bytes(damage(rng, bytearray(FILES[suffix]))) if rng.random() < 0.7 else FILES[suffix]
    if rng.random() < 0.05:
        data = rng.choice([b"", b"\0", b"x" * (MAX_UPLOAD + 1), rng.randbytes(1000)])
    if rng.random() < 0.05:  # a form of a browser, instead of the file itself
        data = b'--x\r\nContent-Disposition: form-data; name="f"\r\n\r\n' + data + b"\r\n--x"
    name = seldom(rng, rng.choice(ODD_TEXTS), f"table{suffix}", chance=0.3)
    return data, quote(name, errors="surrogatepass") if rng.random() < 0.9 else "%ff%fe%"


def _upload(rng: random.Random) -> Call:
    """Send a file that may be damaged, under any name."""
    data, query = _drawn_file(rng)

    def call() -> None:
        tab = TABS.one(rng)
        status, _ = send("POST", _place(tab, f"/file?name={query}"), data)
        if status == 201:
            until(lambda: ended(state(tab)["file"]["preview"]))
            send("GET", _place(tab, "/preview"))

    return call


def _predictions(rng: random.Random) -> Call:
    """Send predictions of any kind beside a table, and perhaps wait for a run with them."""
    data, query = _drawn_file(rng)
    if rng.random() < 0.7:
        data, query = drawn_predictions(rng), "model.csv"
    key = rng.choice(["", "", "a", "y", "id", *ODD_TEXTS])
    runs = rng.random() < PREDICTION_RUN_SHARE

    def call() -> None:
        tab = TABS.one(rng)
        send("POST", _place(tab, "/file?name=t.csv"), TABLE)
        status, _ = send("POST", _place(tab, f"/predictions?name={query}"), data)
        if status == 201:
            until(lambda: ended(state(tab)["predictions"]["preview"]))
            send("GET", _place(tab, "/predictions"))
        body = json.dumps({"label": "y", "key": key}).encode()
        status, _ = send("POST", _place(tab, "/runs"), body)
        if status == 202:
            run = state(tab)["runs"][-1]["id"]
            if runs:
                until(lambda: ended(next(one for one in state(tab)["runs"] if one["id"] == run)))
            for _ in range(2):
                send("DELETE", _place(tab, f"/runs/{run}"))
        send("DELETE", _place(tab, "/predictions"))

    return call


def drawn_predictions(rng: random.Random) -> bytes:
    """Draw a text of predictions: any names, any cells, any number of rows."""
    names = rng.sample(["0", "1", "y", "a", "id", "guess", *NAMES], rng.choice([1, 1, 2, 3]))
    cells = [["0", "1"], ["0.5"], ["0.2", "0.8"], CELLS, ["", "0"], ["nan", "inf", "-1"]]
    drawn = rng.choice(cells)
    rows = rng.choice([TABLE_ROWS] * 6 + [0, 1, TABLE_ROWS - 1, TABLE_ROWS + 1, 3 * TABLE_ROWS])
    file = io.StringIO()
    writer = csv.writer(file)
    writer.writerows([names, *([rng.choice(drawn) for _ in names] for _ in range(rows))])
    return file.getvalue().encode("utf-8", "replace")[:MAX_UPLOAD]


def _drawn_form(rng: random.Random) -> Any:
    form: Any = {"label": rng.choice(["y", "y", "a", "none"])} if rng.random() < 0.8 else {}
    for name in rng.sample(FIELDS, rng.choice([0, 1, 1, 2, 3])):
        form[name] = rng.choice(ODD_VALUES if rng.random() < 0.7 else CELLS)
    return form


def _form(rng: random.Random) -> Call:
    """Send a form with odd values, or something that is none."""
    form = _drawn_form(rng)
    body: Any = json.dumps(form).encode()
    if rng.random() < 0.2:
        body = rng.choice(
            [
                b"",
                b"[]",
                b"null",
                b"\xff",
                b"[" * 100_000,
                b'{"label": ' + b"9" * 5000 + b"}",
                bytes(damage(rng, bytearray(body))),
                b'{"label": "' + b"x" * 5_000_000 + b'"}',
            ]
        )
    where = rng.choice(["/runs", "/preview"])

    def call() -> None:
        tab = TABS.one(rng)
        if rng.random() < 0.3:
            send("POST", _place(tab, "/file?name=t.csv"), TABLE)
        _, said = send("POST", _place(tab, where), body)
        found = state(tab)
        for run in found["runs"]:  # most are cancelled before they start
            send("DELETE", _place(tab, f"/runs/{run['id']}"))
            send("DELETE", _place(tab, f"/runs/{run['id']}"))
        assert said

    return call


def _run(rng: random.Random) -> Call:
    """Wait for a run of a form with odd values, and ask for all that it has."""
    form = _drawn_form(rng) | {"label": "y"}

    def call() -> None:
        tab = Tab(attacked())
        send("POST", _place(tab, "/file?name=t.csv"), TABLE)
        status, _ = send("POST", _place(tab, "/runs"), json.dumps(form).encode())
        if status == 202:
            run = until(lambda: ended(state(tab)["runs"][0]))["id"]
            send("GET", _place(tab, f"/runs/{run}/report"))
            send("GET", _place(tab, f"/runs/{run}/report?download=" + quote(rng.choice(NAMES))))
            send("GET", _place(tab, f"/compare/{run}/{run}"))
        send("POST", _place(tab, "/leave"))
        _forget(tab)

    return call


def _unknown(rng: random.Random) -> Call:
    """Ask for what there is not: tabs, runs, files, with names of any kind."""
    odd = quote(rng.choice(ODD_TEXTS), safe=seldom(rng, "/.", ""), errors="surrogatepass")[:5000]
    path = rng.choice(
        [
            f"/{odd}/",
            f"/{TOKEN}/{odd}",
            f"/{TOKEN}/static/{odd}",
            f"/{TOKEN}/visits/{odd}",
            f"/{TOKEN}/visits/{odd}/runs/{odd}/report",
            f"/{TOKEN}/visits/{{tab}}/runs/{odd}",
            f"/{TOKEN}/visits/{{tab}}/compare/{odd}/{odd}",
            f"/{TOKEN}/static/../../{odd}",
        ]
    )
    method = rng.choice(["GET", "POST", "DELETE", "PUT", "HEAD", "OPTIONS", "PATCH"])

    def call() -> None:
        status, _ = send(method, path.replace("{tab}", TABS.one(rng).id) or "/", b"{}")
        assert status != 201

    return call


def _broken(rng: random.Random) -> Call:
    """Send bytes that are no request, or stop in the middle of one."""
    raw = bytearray(rng.choice(BROKEN))
    if rng.random() < 0.3:
        raw = damage(rng, raw)

    def call() -> None:
        tab, server = TABS.one(rng), attacked()
        path = _place(tab, rng.choice(["/file?name=x.csv", "/runs", ""]))
        data = bytes(raw).replace(b"{path}", path.encode())
        with socket.create_connection((LOOPBACK, server.port), timeout=60) as connection:
            connection.settimeout(0.02)
            try:
                connection.sendall(data.replace(b"{host}", server.host.encode()))
                said = connection.recv(2**16)
            except OSError:
                said = b""
        assert not said.startswith((b"HTTP/1.1 5", b"HTTP/1.1 2 ")), said
        state(tab)

    return call


def _headers(rng: random.Random) -> Call:
    """Send headers that a browser would not, or those of another page."""
    odd = rng.choice(
        ["", "null", "x" * 9000, "http://evil.example", "\xff\xfe", "[::1", "a b", "::"]
    )
    name = rng.choice(["Host", "Origin", "Sec_Fetch_Site", "Content_Type", "Cookie", "Range"])

    def call() -> None:
        tab = TABS.one(rng)
        status, _ = send("POST", _place(tab, "/preview"), b"{}", **{name: odd})
        assert name not in ("Host", "Origin", "Sec_Fetch_Site") or status in (
            403,
            421,
            400,
            409,
            202,
        )
        assert name not in ("Host", "Origin") or status != 202, (name, odd)

    return call


def _crossed(rng: random.Random) -> Call:
    """Ask in one tab for what belongs to the other, close tabs, and open too many."""
    what = rng.choice(["runs", "leave", "visits", "many runs", "drop"])

    def call() -> None:
        one, other = Tab(attacked()), TABS.one(rng)
        opened = [one]
        send("POST", _place(one, "/file?name=t.csv"), TABLE)
        if what == "runs":
            send("POST", _place(one, "/runs"), b'{"label": "y"}')
            run = state(one)["runs"][0]["id"]
            for method, path in [("GET", "/report"), ("DELETE", "")]:
                status, _ = send(method, _place(other, f"/runs/{run}{path}"))
                assert status == 404
        elif what == "leave":
            send("POST", _place(one, "/leave"))
            send("POST", _place(one, "/runs"), b'{"label": "y"}')
        elif what == "drop":
            send("POST", _place(one, "/runs"), b'{"label": "y"}')
            send("DELETE", _place(one, "/file"))
            status, _ = send("POST", _place(one, "/runs"), b'{"label": "y"}')
            assert status == 409
        elif what == "visits" and rng.random() < 0.1:
            for _ in range(MOST_VISITS + 2):
                status, said = send("POST", f"/{TOKEN}/visits")
                if status == 429:
                    break
                opened.append(_named(one, json.loads(said)["visit"]))
            assert status == 429
        elif what == "many runs" and rng.random() < 0.1:
            for _ in range(MOST_RUNS + 1):
                status, _ = send("POST", _place(one, "/runs"), b'{"label": "y"}')
            assert status == 429
        for tab in opened:
            _forget(tab)

    return call


def _named(tab: Tab, name: str) -> Tab:
    found = object.__new__(Tab)
    found.server, found.id = tab.server, name
    return found


def _forget(tab: Tab) -> None:
    """Remove all runs of a tab, and close it as if its time were over."""
    for run in state(tab)["runs"]:
        send("DELETE", _place(tab, f"/runs/{run['id']}"))
        send("DELETE", _place(tab, f"/runs/{run['id']}"))
    board = attacked().board
    board.visit(tab.id).seen = float("-inf")
    board.tidy()
