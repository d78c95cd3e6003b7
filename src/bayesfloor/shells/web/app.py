"""The application: routes behind the guard, with a board that lives as long as the server."""

from __future__ import annotations

import asyncio
import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress
from functools import partial
from importlib.resources import files
from typing import Any

from starlette.applications import Starlette

from bayesfloor.base.measures import MEASURES
from bayesfloor.base.memory import show_size
from bayesfloor.report.answer import QUESTIONS
from bayesfloor.report.html import render_template
from bayesfloor.shells.web.board import Board
from bayesfloor.shells.web.forms import field_label
from bayesfloor.shells.web.lane import Lane
from bayesfloor.shells.web.routes import PROBLEMS, Routes
from bayesfloor.shells.web.security import Guard
from bayesfloor.shells.web.uploads import UploadFolder
from bayesfloor.shells.web.worker import WorkerSettings, settle, worn_out
from bayesfloor.tables import MIN_CLASS_ROWS, MISSING_CHOICES, SCALES

WEB = "bayesfloor.shells.web"
"""The package that has the page's templates and files."""
TYPES = {"js": "text/javascript", "svg": "image/svg+xml"}
"""Types of the files of the page, by suffix."""
TIDY_SECONDS = 2.0
"""Time between two looks for tabs that were closed. A judgement."""


def make_board(max_upload: int, max_memory: int, *, warm: bool = True) -> Board:
    """Make a board with its folder and its two worker processes, which are not started yet.

    With `warm`, the one for runs loads what it needs before the first run comes.
    """
    folder = UploadFolder(max_upload)
    tidy = partial(shutil.rmtree, folder.path, ignore_errors=True)
    previews, runs = (
        Lane(settle, WorkerSettings(max_memory, one), worn_out=worn_out, when_orphaned=tidy)
        for one in (False, warm)
    )
    return Board(folder, previews, runs)


def make_web_app(board: Board, token: str, max_memory: int) -> Guard:
    """Make the application; it starts the board, and closes it in the end."""
    routes = Routes(board, page(board.folder.most_bytes), static_files(), max_memory)

    @asynccontextmanager
    async def lifespan(_: Starlette) -> AsyncIterator[None]:
        board.start()
        tidying = asyncio.create_task(_keep_tidy(board))
        try:
            yield
        finally:
            tidying.cancel()
            with suppress(asyncio.CancelledError):
                await tidying
            await asyncio.to_thread(board.close)

    app = Starlette(
        routes=routes.routes(), lifespan=lifespan, exception_handlers=dict[Any, Any](PROBLEMS)
    )
    return Guard(app, token)


async def _keep_tidy(board: Board) -> None:
    while True:
        await asyncio.sleep(TIDY_SECONDS)
        await asyncio.to_thread(board.tidy)


def page(max_upload: int) -> str:
    """Return the page."""
    return render_template(
        WEB,
        "page.html",
        questions={name: (field_label(name), one) for name, one in QUESTIONS.items()},
        measures=MEASURES,
        missing=MISSING_CHOICES,
        scales=SCALES,
        min_class_rows=MIN_CLASS_ROWS,
        max_upload=max_upload,
        max_upload_shown=show_size(max_upload),
    )


def static_files() -> dict[str, tuple[bytes, str]]:
    """Return all files of the page by name: nothing is looked up on the disk later."""
    scripts = {
        one.name: (one.read_bytes(), TYPES[one.name.rpartition(".")[2]])
        for one in (files(WEB) / "static").iterdir()
        if one.name.rpartition(".")[2] in TYPES
    }
    style = render_template(WEB, "style.css").encode()
    return {**scripts, "style.css": (style, "text/css")}
