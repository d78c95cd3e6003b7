"""bayesfloor demo: bound the Bayes error of a small real table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from bayesfloor.base.files import check_page
from bayesfloor.base.measures import DEFAULT_MEASURE
from bayesfloor.shells.cli.options.declaration import one_of
from bayesfloor.shells.cli.options.output import Ascii, Report
from bayesfloor.shells.cli.options.questions import ShownAs
from bayesfloor.shells.cli.output import print_facts, print_lines
from bayesfloor.shells.demos import DEMOS, load_demo


def demo(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help=f"One of {', '.join(DEMOS)}.",
            **one_of(DEMOS),
        ),
    ] = "breast-cancer",
    report: Report = None,
    shown_as: ShownAs = DEFAULT_MEASURE,
    ascii_only: Ascii = False,
) -> None:
    """Do so on a small real table that scikit-learn holds.

    The page goes to bayesfloor-NAME.html in this directory unless --report says otherwise. The
    model and the target in it are made up, to show what the page says of yours.
    """
    from rich.console import Console

    from bayesfloor.floor import bayes_error
    from bayesfloor.shells.cli.answer_output import print_answer

    chosen, path = DEMOS[name], check_page(report or Path(f"bayesfloor-{name}.html"))
    data = load_demo(name)
    floor = bayes_error(data.points, data.labels, progress=True)
    asked: dict[str, Any] = {
        "model_error": chosen.model_error,
        "target": chosen.target,
        "shown_as": shown_as,
    }
    found, console = floor.answer(**asked), Console(highlight=False)
    print_lines([f"{chosen.title}, each column scaled to unit variance.", ""], console)
    print_answer(floor, found, console, ascii_only=ascii_only)
    print_lines(["", chosen.lesson(floor, found)], console)
    floor.report(path, rows=data.rows, title=chosen.title, progress=True, **asked)
    print_facts([("report", str(path))], console)
