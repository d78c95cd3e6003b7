"""The command line: parse, call, print. Answers go to stdout, talk and errors to stderr."""

from __future__ import annotations

import json
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayesfloor import __version__
from bayesfloor.answer import answer, check_asked, document
from bayesfloor.demos import DEMOS, load_demo
from bayesfloor.errors import DataError
from bayesfloor.files import check_writable
from bayesfloor.floor import Floor, bayes_error
from bayesfloor.methods import METHODS
from bayesfloor.tables import read_csv

METHOD_HELP = "; ".join(f"{name}: {method.summary}" for name, method in METHODS.items()) + "."

app = typer.Typer(
    help="How low can the error of any classifier go on this data?",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode="markdown",
)


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"bayesfloor {__version__}")
        raise typer.Exit


def _known_method(name: str) -> str:
    if name not in METHODS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(METHODS)}.")
    return name


ModelError = Annotated[
    float | None,
    typer.Option(
        metavar="SHARE", help="Error of your model on new rows, such as 0.12: what is left to win?"
    ),
]
Target = Annotated[
    float | None,
    typer.Option(metavar="ACCURACY", help="Accuracy you want, such as 0.95: is it in reach?"),
]
Report = Annotated[
    Path | None,
    typer.Option(metavar="FILE.html", help="Write a page with charts: one file, no network."),
]


def _known_demo(name: str) -> str:
    if name not in DEMOS:
        raise typer.BadParameter(f"{name!r} is not one of {', '.join(DEMOS)}.")
    return name


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


@app.command()
def estimate(
    table: Annotated[
        Path, typer.Argument(metavar="TABLE", help="CSV file with a header, plain or gzipped.")
    ],
    label: Annotated[str, typer.Option(metavar="COLUMN", help="The column of labels.")],
    method: Annotated[
        str,
        typer.Option(
            metavar="METHOD",
            help=METHOD_HELP,
            callback=_known_method,
            autocompletion=lambda: list(METHODS),
        ),
    ] = "wnn",
    k: Annotated[int, typer.Option("--k", "-k", help="The neighbour that knn looks at.")] = 5,
    confidence: Annotated[
        float, typer.Option(help="Of the intervals, between 0 and 1, both excluded.")
    ] = 0.95,
    workers: Annotated[int | None, typer.Option(help="Threads, all cores by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress bar.")] = False,
    model_error: ModelError = None,
    target: Target = None,
    report: Report = None,
) -> None:
    """Bound the Bayes error of TABLE: the error that no classifier can go below.

    All columns but the label hold numbers, or true and false. Distances between rows are
    Euclidean: scale columns in different units first, for example to unit variance.
    Messages count rows from 0, and call the label y and the other columns X.
    """
    with _one_line_errors():
        check_asked(model_error, target)
        if report is not None:
            check_writable(report)
        features, labels = read_csv(table, label)
        options = {"method": method, "k": k, "confidence": confidence, "workers": workers}
        talk = not (quiet or as_json)
        floor = _floor(table, features, labels, progress=talk, **options)
        asked = {"model_error": model_error, "target": target}
        if report is not None:
            title = f"How low can the error on {label} go?"
            floor.report(report, title=title, progress=talk, **asked)
        if as_json:
            typer.echo(json.dumps(_finite(document(floor, **asked)), allow_nan=False))
        else:
            _print_facts(_all_facts(floor, report, **asked), Console(highlight=False))


@app.command()
def demo(
    name: Annotated[
        str,
        typer.Argument(
            metavar="NAME",
            help=f"One of {', '.join(DEMOS)}.",
            callback=_known_demo,
            autocompletion=lambda: list(DEMOS),
        ),
    ] = "breast-cancer",
    report: Report = None,
) -> None:
    """Bound the Bayes error of a small real table that scikit-learn holds.

    The page goes to bayesfloor-NAME.html in this directory unless --report says otherwise. The
    model and the target in it are made up, to show what the page says of yours.
    """
    with _one_line_errors():
        chosen, path = DEMOS[name], check_writable(report or Path(f"bayesfloor-{name}.html"))
        data = load_demo(name)
        floor = bayes_error(data.points, data.labels, progress=True)
        asked = {"model_error": chosen.model_error, "target": chosen.target}
        floor.report(path, rows=data.rows, title=chosen.title, progress=True, **asked)
        console = Console(highlight=False)
        _print_lines([f"{chosen.title}, each column scaled to unit variance.", ""], console)
        _print_facts(_all_facts(floor, path, **asked), console)
        _print_lines(["", chosen.lesson(floor)], console)


def main() -> None:
    """Run the command line; leave with 0, 1 for bad data, 2 for wrong usage, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    try:
        app(prog_name="bayesfloor")
    except OSError as problem:  # a full disk; Typer sees to broken pipes
        typer.echo(f"error: {problem.strerror or problem}", err=True)
        with suppress(OSError, ValueError):  # what is still held back must not fail again at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)


@contextmanager
def _one_line_errors() -> Iterator[None]:
    """Turn bad data and Ctrl-C into one line on stderr and an exit code."""
    try:
        yield
    except DataError as problem:
        typer.echo(f"error: {_printable(str(problem))}", err=True)
        raise typer.Exit(1) from problem
    except KeyboardInterrupt as stop:
        typer.echo("interrupted", err=True)
        raise typer.Exit(130) from stop


def _floor(table: Path, features: Any, labels: Any, **options: Any) -> Floor:
    """Bound the Bayes error, naming the table when it cannot be used."""
    try:
        return bayes_error(features, labels, **options)
    except DataError as problem:
        raise DataError(f"{table}: {problem}") from problem


def _printable(text: str) -> str:
    """Escape line breaks and whatever else a terminal would obey."""
    return "".join(c if c.isprintable() else ascii(c)[1:-1] for c in text)


def _finite(value: Any) -> Any:
    """Replace NaN and infinity, which JSON does not know, by None."""
    if isinstance(value, dict):
        return {key: _finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def _all_facts(
    floor: Floor, report: Path | None, *, model_error: float | None, target: float | None
) -> list[tuple[str, str]]:
    """Return the floor's facts with the answers to what was asked before its notes."""
    facts = floor.facts()
    first_note = next((i for i, fact in enumerate(facts) if fact[0] == "note"), len(facts))
    asked = answer(floor, model_error=model_error, target=target).facts()
    page = [("report", str(report))] if report is not None else []
    return facts[:first_note] + asked + facts[first_note:] + page


def _print_facts(facts: list[tuple[str, str]], console: Console) -> None:
    """Print names in bold beside their texts on a terminal, else one plain line each."""
    if not console.is_terminal:
        _print_lines([f"{name:<16}{_printable(text)}" for name, text in facts], console)
        return
    grid = Table.grid(padding=(0, 2))
    for name, text in facts:
        grid.add_row(Text(name, style="bold"), Text(_printable(text)))
    console.print(grid)


def _print_lines(lines: list[str], console: Console) -> None:
    """Print text as it is, broken between words on a terminal only."""
    for line in lines:
        console.print(Text(line), soft_wrap=not console.is_terminal)
