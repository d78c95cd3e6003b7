"""bayesfloor serve: a page on this machine to drop a table on."""

from __future__ import annotations

from typing import Annotated

import typer

from bayesfloor.base.memory import available_memory, check_memory
from bayesfloor.base.options import check_count
from bayesfloor.shells.cli.app import one_line_errors
from bayesfloor.shells.cli.output import talk
from bayesfloor.shells.web.server import MAX_UPLOAD
from bayesfloor.shells.web.server import serve as serve_page

LAST_PORT = 65535
"""The largest number of a port."""
MEMORY_PARTS = 2
"""Parts of the memory there is, of which a worker process may take one: there are two of them."""


def serve(
    port: Annotated[
        int, typer.Option(metavar="PORT", help="Port to listen on; 0 for any that is free.")
    ] = 0,
    open_browser: Annotated[
        bool, typer.Option("--open", help="Open the page in the browser.")
    ] = False,
    max_upload: Annotated[
        str, typer.Option(metavar="SIZE", help="Size of a file at most, such as 500MB.")
    ] = f"{MAX_UPLOAD // 10**9}GB",
    max_memory: Annotated[
        str | None,
        typer.Option(
            metavar="SIZE",
            help="Memory that a worker process may take, such as 8GB; by default half of what there"
            " is.",
        ),
    ] = None,
) -> None:
    """Serve a page on this machine: drop a table on it, read the report.

    Needs the extra: pip install 'bayesfloor[web]'. The page is for this machine only, under an
    address that nobody can guess, and nothing leaves it. Files are removed when their tab is
    closed, and all of them when the command ends, with Ctrl-C.

    Examples
    --------
    bayesfloor serve --open
    bayesfloor serve --port 8571 --max-upload 500MB
    """
    with one_line_errors(code=2):
        check_count("--port", port, low=0, high=LAST_PORT)
        upload = check_memory("--max-upload", max_upload)
        memory = (
            available_memory() // MEMORY_PARTS
            if max_memory is None
            else check_memory("--max-memory", max_memory)
        )
    with one_line_errors():
        serve_page(
            port=port,
            max_upload=upload,
            max_memory=memory,
            open_browser=open_browser,
            say=_say,
        )


def _say(address: str) -> None:
    """Print the address on standard output, and on standard error what to do with it."""
    typer.echo(address)
    talk("Open this address in a browser on this machine; Ctrl-C ends it.")
