"""Whatever is sent to the page, it answers in one line, writes no traceback, and goes on."""

from __future__ import annotations

import json
import random
import socket
from collections.abc import Iterator

import pytest
from drawn_requests import BROKEN, ERRORS, SERVED, TABS, attacked, page_call, send, state
from test_hostile_files import TABLE

from bayesfloor.shells.web.server import LOOPBACK
from hostile import ATTACK
from web_server import Server

REQUESTS = 1000 if ATTACK else 40


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with SERVED:
        yield attacked()
    attacked.cache_clear()
    TABS.forget()


@pytest.mark.usefixtures("server")
def test_any_request_is_answered_or_refused() -> None:
    for number in range(REQUESTS):
        page_call(random.Random(f"requests {number}"))()


@pytest.mark.parametrize("path", ["/runs", "/preview", "/file?name=x.csv"])
@pytest.mark.parametrize("raw", BROKEN[3:8], ids=range(3, 8))
def test_a_request_that_breaks_off_leaves_no_traceback(
    server: Server, raw: bytes, path: str
) -> None:
    tab = TABS.one(random.Random(0))
    place = f"/{server.token}/visits/{tab.id}{path}"
    sent = raw.replace(b"{path}", place.encode()).replace(b"{host}", server.host.encode())
    with socket.create_connection((LOOPBACK, server.port), timeout=60) as connection:
        connection.sendall(sent)
        connection.shutdown(socket.SHUT_WR)
        connection.recv(2**16)
    state(tab)
    assert ERRORS.told == []


@pytest.mark.parametrize("field", ["label", "groups", "priors", "table", "encoding", "target"])
def test_halves_of_letters_in_a_form_are_told_or_refused(server: Server, field: str) -> None:
    tab = TABS.one(random.Random(0))
    place = f"/{server.token}/visits/{tab.id}"
    send("POST", f"{place}/file?name=t.csv", TABLE)
    body = json.dumps({"label": "y", field: "\ud800=1"}).encode()
    for path in ("/runs", "/preview"):
        send("POST", f"{place}{path}", body)
        state(tab)
