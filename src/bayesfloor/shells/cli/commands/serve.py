"""bayesfloor serve: a page on this machine to drop a table on."""

from __future__ import annotations

from typing import Annotated

import typer

from bayesfloor.base.memory import available_memory, check_memory
from bayesfloor.base.options import check_count
from bayesfloor.shells.cli.options.declaration import option
from bayesfloor.shells.cli.output import talk
from bayesfloor.shells.web.server import MAX_UPLOAD
from bayesfloor.shells.web.server import serve as serve_page

LAST_PORT = 65535
"""The largest number of a port."""
MEMORY_PARTS = 2
"""Parts of the memory there is, of which a worker process may take one: there are two of them."""


def serve(
    port: Annotated[
        int,
        option(
            "Port to listen on; 0 for any that is free.",
            value="PORT",
            check=lambda name, value: check_count(name, value, low=0, high=LAST_PORT),
        ),
    ] = 0,
    open_browser: Annotated[bool, option("Open the page in the browser.", "--open")] = False,
    max_upload: Annotated[
        str, option("Size of a file at most, such as 500MB.", value="SIZE", check=check_memory)
    ] = f"{MAX_UPLOAD // 10**9}GB",
    max_memory: Annotated[
        int | None,
        option(
            "Memory that a worker process may take, such as 8GB; by default half of what there is.",
            value="SIZE",
            parse=str,
            check=check_memory,
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
    serve_page(
        port=port,
        max_upload=check_memory("--max-upload", max_upload),
        max_memory=available_memory() // MEMORY_PARTS if max_memory is None else max_memory,
        open_browser=open_browser,
        say=_say,
    )


def _say(address: str) -> None:
    """Print the address on standard output, and on standard error what to do with it."""
    typer.echo(address)
    talk("Open this address in a browser on this machine; Ctrl-C ends it.")
