"""The server binds to this machine only, says its address, and cleans up when it ends."""

from __future__ import annotations

import asyncio
import signal
import socket
import sys
import webbrowser
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from typing import Any

from bayesfloor.base.errors import DataError

LOOPBACK = "127.0.0.1"
"""The address that only this machine reaches."""
MAX_UPLOAD = 2 * 10**9
"""Size of an upload at most, if nothing else is wanted: 2 GB, a judgement."""
SHUTDOWN_SECONDS = 2
"""Time that requests have to end when the server is stopped. A judgement."""
SIGNAL_EXIT = 128
"""What shells add to the number of a signal that ended a command."""


def serve(
    *,
    port: int,
    max_upload: int,
    max_memory: int,
    open_browser: bool,
    say: Callable[[str], None],
) -> None:
    """Serve the page until Ctrl-C.

    Parameters
    ----------
    port : int
        Port to listen on; 0 for any that is free.
    max_upload, max_memory : int
        Bytes of a file, and of memory of a worker process, at most.
    open_browser : bool
        Whether to open the page in the browser.
    say : callable
        Prints a line.

    Raises
    ------
    DataError
        If the port cannot be had, or the packages of the extra are missing.
    """
    check_extra()
    import uvicorn

    from bayesfloor.shells.web.app import make_board, make_web_app
    from bayesfloor.shells.web.security import new_token

    with closing(listen(port)) as listener, _ending_when_told():
        token, board = new_token(), make_board(max_upload, max_memory)
        address = f"http://{LOOPBACK}:{listener.getsockname()[1]}/{token}/"

        class Announcing(uvicorn.Server):
            async def startup(self, sockets: Any = None) -> None:
                await super().startup(sockets)
                if self.started:
                    say(address)
                    if open_browser:
                        webbrowser.open(address)

        config = uvicorn.Config(
            make_web_app(board, token, max_memory),
            log_level="warning",
            access_log=False,
            server_header=False,
            lifespan="on",
            ws="none",
            timeout_graceful_shutdown=SHUTDOWN_SECONDS,
        )
        try:
            with suppress(KeyboardInterrupt):
                asyncio.run(Announcing(config).serve(sockets=[listener]))
        finally:
            board.close()


@contextmanager
def _ending_when_told() -> Iterator[None]:
    """Have SIGTERM end the process as an exception does, so that files are removed."""

    def end(number: int, _: object) -> None:
        sys.exit(SIGNAL_EXIT + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def check_extra() -> None:
    """Refuse to go on without the packages of the extra."""
    try:
        import starlette  # noqa: F401
        import uvicorn  # noqa: F401
    except ImportError as problem:
        raise DataError(
            "the page needs Starlette and uvicorn; pip install 'bayesfloor[web]'"
        ) from problem


def listen(port: int) -> socket.socket:
    """Return a socket that listens on this machine only."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((LOOPBACK, port))
        listener.listen()
    except (OSError, OverflowError) as problem:
        listener.close()
        reason = getattr(problem, "strerror", None) or problem
        raise DataError(
            f"port {port} cannot be had ({reason}); choose another with --port, or 0 for any"
        ) from problem
    return listener
