"""The page's server in a thread of the tests, and requests to it as a browser sends them."""

from __future__ import annotations

import http.client
import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import uvicorn

from bayesfloor.shells.web.app import make_board, make_web_app
from bayesfloor.shells.web.board import Board
from bayesfloor.shells.web.server import LOOPBACK, listen

TOKEN = "a-token-of-the-tests"
PATIENCE = 60.0
"""Seconds to wait for anything."""


class Server:
    """A running server: where it is, and what it holds."""

    board: Board  # of a server in this process

    def __init__(self, port: int, token: str = TOKEN) -> None:
        self.port, self.token = port, token
        self.host = f"{LOOPBACK}:{port}"
        self.address = f"http://{self.host}/{token}/"

    def request(
        self, method: str, path: str, body: Any = None, **headers: str | None
    ) -> tuple[int, dict[str, str], bytes]:
        """Send a request; a header that is None is left out."""
        sent: dict[str, str | None] = {"Host": self.host, "Origin": f"http://{self.host}"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection(LOOPBACK, self.port, timeout=PATIENCE)
        try:
            connection.putrequest(method, path, skip_host=True, skip_accept_encoding=True)
            data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            if data is not None:
                connection.putheader("Content-Length", str(len(data)))
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, value)
            connection.endheaders(data)
            response = connection.getresponse()
            found = {name.lower(): value for name, value in response.getheaders()}
            return response.status, found, response.read()
        finally:
            connection.close()


class Tab:
    """A tab that has the page open."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.id = json.loads(server.request("POST", f"/{server.token}/visits")[2])["visit"]

    def ask(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request of the tab; return what it says, or the problem as text."""
        place = f"/{self.server.token}/visits/{self.id}{path}"
        _, _, said = self.server.request(method, place, body)
        found = json.loads(said)
        return found.get("problem", found)

    def state(self) -> Any:
        return self.ask("GET", "")

    def drop(self, data: bytes, name: str = "table.csv") -> Any:
        """Send a file, and wait until it is read; return its preview, or the problem as text."""
        said = self.ask("POST", f"/file?name={quote(name)}", data)
        if isinstance(said, str):
            return said
        return self.preview()

    def drop_predictions(self, data: bytes, name: str = "model.csv") -> Any:
        """Send predictions, and wait until they are read; return what they are, or the problem."""
        said = self.ask("POST", f"/predictions?name={quote(name)}", data)
        if isinstance(said, str):
            return said
        job = until(lambda: ended(self.state()["predictions"]["preview"]))
        return self.ask("GET", "/predictions") if job["state"] == "done" else job["problem"]

    def preview(self) -> Any:
        job = until(lambda: ended(self.state()["file"]["preview"]))
        return self.ask("GET", "/preview") if job["state"] == "done" else job["problem"]

    def run(self, **form: Any) -> Any:
        """Start a run, and return its state at once, or the problem as text."""
        said = self.ask("POST", "/runs", form)
        return said if isinstance(said, str) else said["runs"][-1]

    def wait(self, run: Any) -> Any:
        """Wait for the end of a run."""
        return until(lambda: ended(self.find(run)))

    def find(self, run: Any) -> Any:
        return next(one for one in self.state()["runs"] if one["id"] == run["id"])


def ended(job: Any) -> Any:
    return job if job["state"] in ("done", "failed", "cancelled") else None


def until(found: Callable[[], Any], patience: float = PATIENCE) -> Any:
    """Wait until something is true, and return it."""
    end = time.monotonic() + patience
    while not (value := found()):
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)
    return value


@contextmanager
def serving(
    max_upload: int = 5 * 10**6, max_memory: int = 10**11, board: Board | None = None
) -> Iterator[Server]:
    """Serve the page in a thread; all is gone with the block.

    The memory is for libraries too, which reserve some for each core: processes that are not warmed
    up load them within it.
    """
    board = board or make_board(max_upload, max_memory, warm=False)
    listener = listen(0)
    config = uvicorn.Config(
        make_web_app(board, TOKEN, max_memory),
        log_level="warning",
        lifespan="on",
        ws="none",
        timeout_graceful_shutdown=1,
    )
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
    thread.start()
    try:
        until(lambda: server.started)
        running = Server(listener.getsockname()[1])
        running.board = board
        yield running
    finally:
        server.should_exit = True
        thread.join(PATIENCE)
        listener.close()
    assert not thread.is_alive()
    assert not board.folder.path.exists()
