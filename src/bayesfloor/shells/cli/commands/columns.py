"""bayesfloor columns: which columns of a table matter."""

from __future__ import annotations

import os
from typing import Annotated

import typer
from rich.console import Console
from rich.text import Text

from bayesfloor.base.files import check_page
from bayesfloor.base.memory import check_memory
from bayesfloor.base.options import check_confidence, check_count, check_positive
from bayesfloor.comparison import ColumnRanking, rank_columns
from bayesfloor.shells.cli.app import one_line_errors
from bayesfloor.shells.cli.options import (
    MEASURING,
    OUTPUT,
    Confidence,
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
    Seed,
    Separator,
    Table,
    Tables,
    Workers,
)
from bayesfloor.shells.cli.output import as_flags, print_document, print_facts, printable
from bayesfloor.shells.cli.values import share
from bayesfloor.tables import MIN_CLASS_ROWS, check_encoding, check_separator, read_table

RANKING_SCHEMA = 1
"""Version of the JSON document of a ranking."""


def columns(
    tables: Tables,
    label: Label,
    report: Report = None,
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
    confidence: Confidence = "0.95",
    seed: Seed = 0,
    max_seconds: Annotated[
        float | None,
        typer.Option(
            rich_help_panel=MEASURING,
            metavar="S",
            help="Try no further column after so many seconds; what was not tried is said.",
        ),
    ] = None,
    workers: Workers = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=OUTPUT)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Show no progress bar.", rich_help_panel=OUTPUT)
    ] = False,
) -> None:
    """Tell which columns of TABLE would be missed, and which of them are enough.

    Every column is left out in turn, and measured alone; then columns are added one by one, until
    none lowers the mismatch by more than chance. Strongly correlated columns count as one.

    Examples
    --------
    bayesfloor columns table.csv --label outcome
    bayesfloor columns table.csv --label outcome --max-seconds 60 --report page.html
    """
    sure = share(confidence)
    with one_line_errors(code=2):
        check_confidence("--confidence", sure)
        check_count("--seed", seed, low=0)
        check_count("--workers", 1 if workers is None else workers)
        check_positive("--max-seconds", 1 if max_seconds is None else max_seconds)
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
        found = rank_columns(
            read,
            confidence=sure,  # type: ignore[arg-type]  # checked above
            random_state=seed,
            max_seconds=max_seconds,
            workers=workers,
            max_memory=max_memory,
            progress=not (quiet or as_json),
        )
        if as_json:
            print_document({"schema": RANKING_SCHEMA, **found.to_dict()})
        else:
            print_ranking(found, Console(highlight=False))
        if report is not None:
            found.report(report, title=f"Which columns matter? {os.path.basename(tables[0])}")
            if not as_json:
                print_facts([("report", str(report))], Console(highlight=False))


def print_ranking(found: ColumnRanking, console: Console) -> None:
    """Print the sentences, the table, the path and the notes."""
    for sentence in found.sentences():
        console.print(Text(printable(sentence), "bold"), soft_wrap=not console.is_terminal)
    for table in (found.table_lines(), found.path_lines()):
        console.print()
        head, *lines = map(printable, table)
        console.print(Text(head, "bold"), soft_wrap=True)
        for line in lines:
            console.print(Text(line), soft_wrap=True)
    console.print()
    print_facts([("note", as_flags(note)) for note in found.notes], console)
