"""The requests of the page, each a function: look up, ask the board, answer in JSON."""

from __future__ import annotations

import re
from dataclasses import asdict
from typing import Any
from urllib.parse import quote

from starlette.requests import ClientDisconnect, Request
from starlette.responses import HTMLResponse, JSONResponse, Response
from starlette.routing import Route

from bayesfloor.base.errors import DataError
from bayesfloor.shells.web.board import Board, Held, Visit
from bayesfloor.shells.web.forms import read_form, read_options, run_task
from bayesfloor.shells.web.jobs import DONE, QUEUED, Job
from bayesfloor.shells.web.lane import Lane
from bayesfloor.shells.web.page_words import page_words
from bayesfloor.shells.web.pairing import PageRun, floor_of
from bayesfloor.shells.web.request_errors import RequestError
from bayesfloor.shells.web.security import REPORT_POLICY
from bayesfloor.shells.web.summary import compare_runs
from bayesfloor.shells.web.uploads import Upload
from bayesfloor.shells.web.worker import PairTask, RunResult
from bayesfloor.tables import ReadOptions, TablePreview

UNSAFE_IN_NAMES = re.compile(r"[^\w.-]+", re.ASCII)
"""Matches what the name of a downloaded file should not have."""


class Routes:
    """Answers the requests of the page.

    Parameters
    ----------
    board : Board
        What the tabs have.
    page : str
        The page itself.
    static : dict of str to (bytes, str)
        Its other files, with their types.
    max_memory : int
        Bytes that reading or running may take.
    """

    def __init__(
        self, board: Board, page: str, static: dict[str, tuple[bytes, str]], max_memory: int
    ) -> None:
        self.board, self.page, self.static, self.max_memory = board, page, static, max_memory

    def routes(self) -> list[Route]:
        """Return all routes; the first part of every path, the token, is checked before."""
        visit = "/{token}/visits/{visit}"
        table = [
            ("GET", "/{token}/", self.show_page),
            ("GET", "/{token}/static/{name}", self.show_static),
            ("POST", "/{token}/visits", self.open_visit),
            ("GET", visit, self.show_visit),
            ("POST", f"{visit}/leave", self.leave),
            ("POST", f"{visit}/file", self.take_file),
            ("DELETE", f"{visit}/file", self.drop_file),
            ("POST", f"{visit}/preview", self.read_again),
            ("GET", f"{visit}/preview", self.show_preview),
            ("POST", f"{visit}/predictions", self.take_predictions),
            ("DELETE", f"{visit}/predictions", self.drop_predictions),
            ("GET", f"{visit}/predictions", self.show_predictions),
            ("POST", f"{visit}/runs", self.ask_run),
            ("DELETE", f"{visit}/runs/{{run}}", self.remove_run),
            ("POST", f"{visit}/runs/{{run}}/cancel", self.cancel_run),
            ("GET", f"{visit}/runs/{{run}}/report", self.show_report),
            ("GET", f"{visit}/compare/{{run}}/{{other}}", self.compare_runs),
            ("POST", f"{visit}/compare/{{run}}/{{other}}", self.ask_pair),
        ]
        return [Route(path, answer, methods=[method]) for method, path, answer in table]

    async def show_page(self, _: Request) -> Response:
        """Send the page."""
        return HTMLResponse(self.page)

    async def show_static(self, request: Request) -> Response:
        """Send a file of the page, from a table in memory."""
        found = self.static.get(request.path_params["name"])
        if found is None:
            raise RequestError(404, "There is no such file.")
        return Response(found[0], media_type=found[1])

    async def open_visit(self, _: Request) -> Response:
        """Welcome a tab."""
        return JSONResponse(self._state(self.board.open_visit()), 201)

    async def show_visit(self, request: Request) -> Response:
        """Say how far everything of a tab is."""
        return JSONResponse(self._state(self._visit(request)))

    async def leave(self, request: Request) -> Response:
        """Note that a tab is being closed."""
        self.board.leave(request.path_params["visit"])
        return Response(status_code=204)

    async def take_file(self, request: Request) -> Response:
        """Take a table, and look at it."""
        visit, upload = await self._receive(request)
        self.board.take_table(visit, upload, self._as_written())
        return JSONResponse(self._state(visit), 201)

    async def drop_file(self, request: Request) -> Response:
        """Forget the table of a tab, and predictions on its rows."""
        visit = self._visit(request)
        self.board.drop_table(visit)
        return JSONResponse(self._state(visit))

    async def take_predictions(self, request: Request) -> Response:
        """Take predictions of the user's model on the rows of the table, and look at them."""
        self.board.table_of(self._visit(request))
        visit, upload = await self._receive(request)
        self.board.take_predictions(visit, upload, self._as_written())
        return JSONResponse(self._state(visit), 201)

    async def drop_predictions(self, request: Request) -> Response:
        """Forget the predictions."""
        visit = self._visit(request)
        self.board.drop_predictions(visit)
        return JSONResponse(self._state(visit))

    async def _receive(self, request: Request) -> tuple[Visit, Upload]:
        visit, folder = self._visit(request), self.board.folder
        announced = request.headers.get("content-length", "")
        folder.check_size(int(announced) if announced.isdecimal() else 0)
        name = request.query_params.get("name", "")
        return visit, await folder.receive(name, request.stream())

    def _as_written(self) -> ReadOptions:
        return read_options({}, self.max_memory)

    async def read_again(self, request: Request) -> Response:
        """Read the table again, with other options."""
        visit = self._visit(request)
        form = await read_form(request.stream())
        self.board.read_again(visit, read_options(form, self.max_memory))
        return JSONResponse(self._state(visit), 202)

    async def show_preview(self, request: Request) -> Response:
        """Say what the columns of the table hold."""
        table = asdict(_previewed(self._visit(request).table))
        for column in table["columns"]:
            for name in ("problem", "label_problem"):
                column[name] = page_words(column[name])
        table["notes"] = [page_words(note) for note in table["notes"]]
        return JSONResponse(table)

    async def show_predictions(self, request: Request) -> Response:
        """Say how many predictions there are, and what their columns are called."""
        found = _previewed(self._visit(request).predictions)
        columns = [column.name for column in found.columns]
        return JSONResponse({"rows": found.rows, "columns": columns})

    async def ask_run(self, request: Request) -> Response:
        """Queue a run."""
        visit = self._visit(request)
        form = await read_form(request.stream())
        self.board.ask_run(visit, run_task(form))
        return JSONResponse(self._state(visit), 202)

    async def cancel_run(self, request: Request) -> Response:
        """Cancel a run, unless it has ended."""
        visit = self._visit(request)
        self.board.cancel_run(visit, request.path_params["run"])
        return JSONResponse(self._state(visit))

    async def remove_run(self, request: Request) -> Response:
        """Cancel a run, or forget one that has ended."""
        visit = self._visit(request)
        self.board.remove_run(visit, request.path_params["run"])
        return JSONResponse(self._state(visit))

    async def show_report(self, request: Request) -> Response:
        """Send the report of a run, to be read or, with ?download, to be kept."""
        found, result = self._done(request, "run")
        headers = {"Content-Security-Policy": REPORT_POLICY}
        if "download" in request.query_params:
            label = UNSAFE_IN_NAMES.sub("-", result.summary.label).strip("-.") or "label"
            name = f"bayesfloor-{label[:60]}-{found.number}.html"
            headers["Content-Disposition"] = f'attachment; filename="{quote(name)}"'
        return HTMLResponse(result.page, headers=headers)

    async def compare_runs(self, request: Request) -> Response:
        """Say what two runs tell about each other, and why they cannot be paired, if so."""
        visit, first, second = self._two(request)
        names = f"Run {first.number}", f"Run {second.number}"
        found = compare_runs(floor_of(first)[1], floor_of(second)[1], names)
        unpaired = self.board.why_unpaired(visit, first, second)
        return JSONResponse({**asdict(found), "unpaired": unpaired})

    async def ask_pair(self, request: Request) -> Response:
        """Queue the comparison of two runs on the same rows."""
        visit, first, second = self._two(request)
        self.board.ask_pair(visit, first, second)
        return JSONResponse(self._state(visit), 202)

    def _two(self, request: Request) -> tuple[Visit, PageRun, PageRun]:
        visit = self._visit(request)
        first, second = (
            self.board.run_of(visit, request.path_params[which]) for which in ("run", "other")
        )
        return visit, first, second

    def _visit(self, request: Request) -> Visit:
        return self.board.visit(request.path_params["visit"])

    def _done(self, request: Request, which: str) -> tuple[PageRun, RunResult]:
        """Return a run that has an answer, and the answer."""
        found = self.board.run_of(self._visit(request), request.path_params[which])
        if found.job.state != DONE:
            raise RequestError(409, "This run has no answer yet.")
        return found, found.job.result

    def _state(self, visit: Visit) -> dict[str, Any]:
        return {
            "visit": visit.id,
            "file": self._file_state(visit.table),
            "predictions": self._file_state(visit.predictions),
            "runs": [self._run_state(one) for one in list(visit.runs)],
        }

    def _file_state(self, held: Held | None) -> dict[str, Any] | None:
        if held is None:
            return None
        preview = _job_state(held.preview, self.board.previews)
        return {"name": held.upload.name, "size": held.upload.size, "preview": preview}

    def _run_state(self, found: PageRun) -> dict[str, Any]:
        result = found.job.result
        return {
            "number": found.number,
            "title": found.title,
            "is_pair": isinstance(found.task, PairTask),
            "summary": None if result is None else asdict(result.summary),
            **_job_state(found.job, self.board.runs),
        }


def _previewed(held: Held | None) -> TablePreview:
    if held is None or held.preview.state != DONE:
        raise RequestError(409, "The file has not been read yet.")
    found: TablePreview = held.preview.result
    return found


def _job_state(job: Job, lane: Lane) -> dict[str, Any]:
    return {
        "id": job.id,
        "state": job.state,
        "before": lane.place(job) if job.state == QUEUED else 0,
        "doing": job.doing,
        "share": job.share,
        "problem": job.problem,
    }


async def show_problem(_: Request, problem: Exception) -> Response:
    """Answer with what is wrong with a request."""
    if isinstance(problem, RequestError):
        return JSONResponse({"problem": problem.sentence}, problem.status)
    text = page_words(str(problem))
    return JSONResponse({"problem": f"{text[:1].upper()}{text[1:]}."}, 400)


async def end_quietly(_: Request, __: Exception) -> Response:
    """Answer a request that broke off, though nobody is there to hear it."""
    return Response(status_code=499)


PROBLEMS = {
    RequestError: show_problem,
    DataError: show_problem,
    ClientDisconnect: end_quietly,
}
"""How exceptions of requests are answered."""
