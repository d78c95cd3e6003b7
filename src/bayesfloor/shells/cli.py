"""The command line: parse, call, print. Answers go to stdout, talk and errors to stderr."""

from __future__ import annotations

import json
import math
import os
import signal
import sys
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayesfloor import __version__
from bayesfloor.base.errors import DataError
from bayesfloor.base.files import check_page
from bayesfloor.base.options import check_count, check_positive, check_share
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor import Floor, bayes_error
from bayesfloor.report.answer import answer, check_model_error, check_target, document
from bayesfloor.representation import REPRESENTATIONS
from bayesfloor.shells.demos import DEMOS, load_demo
from bayesfloor.tables import (
    MISSING_CHOICES,
    SCALES,
    LabelledTable,
    check_encoding,
    check_separator,
    read_table,
)

METHOD_HELP = "; ".join(f"{name}: {method.summary}" for name, method in METHODS.items()) + "."
SCALE_HELP = "; ".join(f"{name}: {scale.summary}" for name, scale in SCALES.items()) + "."
MISSING_HELP = "; ".join(f"{name}: {what}" for name, what in MISSING_CHOICES.items()) + "."
REPRESENTATION_HELP = (
    "What neighbours are searched in. "
    + "; ".join(f"{name}: {text}" for name, text in REPRESENTATIONS.items())
    + "."
)

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


def _one_of(choices: Collection[str]) -> dict[str, Any]:
    """Return what makes a word one of the choices: a check, and its completion."""

    def check(name: str) -> str:
        if name not in choices:
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(choices)}.")
        return name

    return {"callback": check, "autocompletion": lambda: list(choices)}


Tables = Annotated[
    list[str],
    typer.Argument(
        metavar="TABLE",
        help="One file or more, of the same columns: text with any usual separator, Parquet,"
        " Arrow, JSON lines, Excel, NumPy; gzip or zst. A pattern, or - for standard input.",
        show_default=False,
    ),
]
Label = Annotated[
    str,
    typer.Option(
        metavar="COLUMN",
        help="The column of labels: its name, else its position, from 1, or from -1 backwards.",
    ),
]
Features = Annotated[
    list[str] | None,
    typer.Option(metavar="COLUMNS", help="Use these columns only: a,b,c, or the option again."),
]
Drop = Annotated[list[str] | None, typer.Option(metavar="COLUMNS", help="Use all but these.")]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMNS", help="Use these though they look like identifiers or never change."
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header", help="The first line is a row; columns are 'column 1', 'column 2', ..."
    ),
]
Scale = Annotated[
    str,
    typer.Option(
        metavar="|".join(SCALES),
        help=f"How to scale numbers. {SCALE_HELP}",
        **_one_of(SCALES),
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        metavar="|".join(MISSING_CHOICES),
        help=f"What to do about missing values. {MISSING_HELP}",
        **_one_of(MISSING_CHOICES),
    ),
]
Separator = Annotated[
    str | None, typer.Option(help="Of text columns, if it is not found: a character, tab, space.")
]
Encoding = Annotated[
    str | None, typer.Option(help="Of text that is not UTF-8, for example latin-1.")
]


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
    tables: Tables,
    label: Label,
    features: Features = None,
    drop: Drop = None,
    keep: Keep = None,
    no_header: NoHeader = False,
    scale: Scale = "standard",
    missing: Missing = "error",
    separator: Separator = None,
    encoding: Encoding = None,
    method: Annotated[
        str, typer.Option(metavar="METHOD", help=METHOD_HELP, **_one_of(METHODS))
    ] = "wnn",
    representation: Annotated[
        str, typer.Option(metavar="NAME", help=REPRESENTATION_HELP, **_one_of(REPRESENTATIONS))
    ] = "auto",
    k: Annotated[int, typer.Option("--k", "-k", help="The neighbour that knn looks at.")] = 5,
    confidence: Annotated[
        float, typer.Option(help="Of the intervals, between 0 and 1, both excluded.")
    ] = 0.95,
    seed: Annotated[int, typer.Option(help="Parts the rows for learning and measuring.")] = 0,
    tolerance: Annotated[
        float | None,
        typer.Option(help="Search rows at random until the mismatch has this standard error."),
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(help="Search rows at random for about so long.")
    ] = None,
    workers: Annotated[int | None, typer.Option(help="Threads, all cores by default.")] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress bar.")] = False,
    model_error: ModelError = None,
    target: Target = None,
    report: Report = None,
) -> None:
    """Bound the Bayes error of TABLE: the error that no classifier can go below.

    Columns hold numbers, true and false, or text. Distances between rows are Euclidean:
    a standard deviation of a number weighs as much as another text. Columns that identify
    rows or never change are left out, and named. Messages count rows from 0.
    """
    with _one_line_errors(code=2):
        check_count("-k", k)
        check_share("--confidence", confidence)
        check_count("--seed", seed, low=0)
        check_count("--workers", 1 if workers is None else workers)
        check_positive("--tolerance", 1 if tolerance is None else tolerance)
        check_positive("--max-seconds", 1 if max_seconds is None else max_seconds)
        _check_all_rows(method, {"--tolerance": tolerance, "--max-seconds": max_seconds})
        check_model_error("--model-error", model_error)
        check_target("--target", target)
        check_separator("--separator", separator)
        check_encoding("--encoding", encoding)
    with _one_line_errors():
        if report is not None:
            check_page(report)
        table = read_table(
            tables,
            label=label,
            features=features or None,
            drop=drop or None,
            keep=keep or None,
            header=not no_header,
            scale=scale,
            missing=missing,
            separator=separator,
            encoding=encoding,
        )
        options = {
            "method": method,
            "k": k,
            "representation": representation,
            "confidence": confidence,
            "random_state": seed,
            "tolerance": tolerance,
            "max_seconds": max_seconds,
            "workers": workers,
        }
        talk = not (quiet or as_json)
        floor = _floor(table, progress=talk, **options)
        asked = {"model_error": model_error, "target": target}
        if report is not None:
            title = _title(table, header=not no_header)
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
            **_one_of(DEMOS),
        ),
    ] = "breast-cancer",
    report: Report = None,
) -> None:
    """Bound the Bayes error of a small real table that scikit-learn holds.

    The page goes to bayesfloor-NAME.html in this directory unless --report says otherwise. The
    model and the target in it are made up, to show what the page says of yours.
    """
    with _one_line_errors():
        chosen, path = DEMOS[name], check_page(report or Path(f"bayesfloor-{name}.html"))
        data = load_demo(name)
        floor = bayes_error(data.points, data.labels, progress=True)
        asked = {"model_error": chosen.model_error, "target": chosen.target}
        floor.report(path, rows=data.rows, title=chosen.title, progress=True, **asked)
        console = Console(highlight=False)
        _print_lines([f"{chosen.title}, each column scaled to unit variance.", ""], console)
        _print_facts(_all_facts(floor, path, **asked), console)
        _print_lines(["", chosen.lesson(floor)], console)


@app.command()
def paper(
    figures: Annotated[
        list[int] | None,
        typer.Argument(
            metavar="[FIGURE]...", help="Numbers from 1 to 7, all by default.", min=1, max=7
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repetitions and small samples: about a minute.")
    ] = False,
    repetitions: Annotated[
        int | None, typer.Option(metavar="R", min=5, help="Samples of each kind, usually 100.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for all files, paper or paper-quick by default."),
    ] = None,
    robot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="sensor_readings_4.data for figure 5; else OpenML is asked."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="W", min=1, help="Processes, one a core by default.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Of all samples.")] = 2018,
) -> None:
    """Reproduce the numerical section of Noshad & Hero (2018), and check its claims.

    Data, charts and a page of verdicts, index.html, go to a folder. Stopped and started again, the
    command continues where it was; the data depend on the seed and the repetitions alone.
    """
    started = time.monotonic()
    folder = out or Path("paper-quick" if quick else "paper")
    with _one_line_errors("; what is done is kept, and the same command goes on from there"):
        from bayesfloor.paper.run import Options, run
        from bayesfloor.paper.show import show_verdicts

        options = Options(folder, quick, repetitions, seed, workers or os.cpu_count() or 1, robot)
        results = run(options, sorted(set(figures or range(1, 8))), _talk)
        show_verdicts(results.verdicts, Console(highlight=False))
        _talk(f"{folder / 'index.html'} written, {time.monotonic() - started:.0f} s")


def _talk(line: str) -> None:
    typer.echo(_printable(line), err=True)


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
    finally:  # whoever presses Ctrl-C again while Python ends shall not see a traceback
        with suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGINT, signal.SIG_IGN)


@contextmanager
def _one_line_errors(after_stop: str = "", *, code: int = 1) -> Iterator[None]:
    """Turn bad data, or with code 2 bad options, and Ctrl-C into one line on stderr."""
    try:
        yield
    except DataError as problem:
        typer.echo(f"error: {_printable(str(problem))}", err=True)
        raise typer.Exit(code) from problem
    except KeyboardInterrupt as stop:
        typer.echo(f"interrupted{after_stop}", err=True)
        raise typer.Exit(130) from stop


def _check_all_rows(method: str, limits: dict[str, float | None]) -> None:
    """Refuse limits on the rows that are searched where the method needs them all."""
    given = [option for option, value in limits.items() if value is not None]
    if method == "mst" and given:
        raise DataError(
            f"{given[0]} does not go with --method mst: the spanning tree needs all rows;"
            f" leave out {' and '.join(given)}"
        )


def _floor(table: LabelledTable, **options: Any) -> Floor:
    """Bound the Bayes error, naming the table when it cannot be used."""
    try:
        return bayes_error(table, **options)
    except DataError as problem:
        raise DataError(f"{table.name}: {problem}") from problem


def _title(table: LabelledTable, *, header: bool) -> str:
    """Return the heading of a page: what the label is called, or the file if it has no names."""
    on_label, file = f" on {table.y.name}", f" {os.path.basename(table.name)}"
    return f"How low can the error{on_label if header else ''} go?{'' if header else file}"


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
