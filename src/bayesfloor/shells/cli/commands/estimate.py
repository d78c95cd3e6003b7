"""bayesfloor estimate: bound the Bayes error of a table."""

from __future__ import annotations

import json
import os
from typing import Annotated, Any

import typer
from rich.console import Console

from bayesfloor.base.errors import DataError
from bayesfloor.base.files import check_page
from bayesfloor.base.memory import check_memory
from bayesfloor.base.options import check_confidence, check_count, check_positive
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor import ENGINES, Floor, bayes_error
from bayesfloor.report.answer import check_questions
from bayesfloor.report.document import document
from bayesfloor.representation import REPRESENTATIONS
from bayesfloor.shells.cli.app import one_line_errors
from bayesfloor.shells.cli.options import (
    METHOD_HELP,
    REPRESENTATION_HELP,
    Drop,
    Encoding,
    Features,
    Keep,
    Label,
    MaxMemory,
    MinClassRows,
    Missing,
    NoHeader,
    Query,
    Report,
    Scale,
    Separator,
    Table,
    Tables,
    one_of,
    option_name,
)
from bayesfloor.shells.cli.output import all_facts, finite, print_facts
from bayesfloor.tables import (
    MIN_CLASS_ROWS,
    LabelledTable,
    check_encoding,
    check_separator,
    read_table,
)


def estimate(
    tables: Tables,
    label: Label,
    features: Features = None,
    drop: Drop = None,
    keep: Keep = None,
    no_header: NoHeader = False,
    scale: Scale = "standard",
    missing: Missing = "impute",
    min_class_rows: MinClassRows = MIN_CLASS_ROWS,
    separator: Separator = None,
    encoding: Encoding = None,
    table: Table = None,
    query: Query = None,
    max_memory: MaxMemory = None,
    method: Annotated[
        str, typer.Option(metavar="METHOD", help=METHOD_HELP, **one_of(METHODS))
    ] = "wnn",
    representation: Annotated[
        str, typer.Option(metavar="NAME", help=REPRESENTATION_HELP, **one_of(REPRESENTATIONS))
    ] = "auto",
    k: Annotated[
        int, typer.Option("--k", "-k", help="The neighbour that method knn looks at.")
    ] = 5,
    confidence: Annotated[
        float, typer.Option(help="Confidence of the intervals, between 0 and 1.")
    ] = 0.95,
    seed: Annotated[int, typer.Option(help="Random seed of the train/measure split.")] = 0,
    tolerance: Annotated[
        float | None,
        typer.Option(
            help="Stop when the mismatch has this standard error (uses a random subset of rows)."
        ),
    ] = None,
    max_seconds: Annotated[
        float | None, typer.Option(help="Time limit in seconds (uses a random subset of rows).")
    ] = None,
    engine: Annotated[
        str,
        typer.Option(
            metavar="ENGINE",
            help="How neighbours are searched; all engines find the same.",
            **one_of(ENGINES, "auto"),
        ),
    ] = "auto",
    workers: Annotated[
        int | None, typer.Option(help="Number of threads, all cores by default.")
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress bar.")] = False,
    report: Report = None,
    **asked: float | None,
) -> None:
    """Bound the Bayes error of TABLE: the error that no classifier can go below.

    Columns hold numbers, true and false, dates or text. Distances between rows are Euclidean:
    a standard deviation of a number weighs as much as another text. Missing values are imputed.
    Columns that identify rows or never change, free text and rare classes are left out, and
    named. Messages count rows from 0.
    """
    with one_line_errors(code=2):
        check_count("-k", k)
        check_confidence("--confidence", confidence)
        check_count("--seed", seed, low=0)
        check_count("--workers", 1 if workers is None else workers)
        check_positive("--tolerance", 1 if tolerance is None else tolerance)
        check_positive("--max-seconds", 1 if max_seconds is None else max_seconds)
        _check_all_rows(method, {"--tolerance": tolerance, "--max-seconds": max_seconds})
        check_questions(asked, option_name)
        check_count("--min-class-rows", min_class_rows, low=0)
        check_separator("--separator", separator)
        check_encoding("--encoding", encoding)
        check_memory("--max-memory", 1 if max_memory is None else max_memory)
    with one_line_errors():
        if report is not None:
            check_page(report)
        read = read_table(
            tables,
            label=label,
            features=features or None,
            drop=drop or None,
            keep=keep or None,
            header=not no_header,
            scale=scale,
            missing=missing,
            min_class_rows=min_class_rows,
            separator=separator,
            encoding=encoding,
            table=table,
            query=query,
            max_memory=max_memory,
        )
        options = {
            "method": method,
            "k": k,
            "representation": representation,
            "confidence": confidence,
            "random_state": seed,
            "tolerance": tolerance,
            "max_seconds": max_seconds,
            "engine": engine,
            "workers": workers,
        }
        talk = not (quiet or as_json)
        floor = _floor(read, progress=talk, **options)
        if report is not None:
            title = _title(read, header=not no_header)
            floor.report(report, title=title, progress=talk, **asked)
        if as_json:
            typer.echo(json.dumps(finite(document(floor, **asked)), allow_nan=False))
        else:
            print_facts(all_facts(floor, report, **asked), Console(highlight=False))


def _check_all_rows(method: str, limits: dict[str, float | None]) -> None:
    """Refuse limits on the rows that are searched where the method needs them all."""
    given = [option for option, value in limits.items() if value is not None]
    if METHODS[method].needs_all_rows and given:
        raise DataError(
            f"{given[0]} does not go with --method {method}, which needs all rows;"
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
