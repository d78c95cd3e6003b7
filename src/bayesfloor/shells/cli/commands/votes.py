"""bayesfloor votes: bound the Bayes error of items that several people labelled."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer
from rich.console import Console

from bayesfloor.base.errors import DataError
from bayesfloor.base.files import check_page
from bayesfloor.base.measures import DEFAULT_MEASURE
from bayesfloor.base.memory import check_memory
from bayesfloor.base.options import check_confidence
from bayesfloor.floor import bayes_error_from_probabilities, bayes_error_from_votes
from bayesfloor.report.document import document
from bayesfloor.shells.cli.answer_output import print_answer
from bayesfloor.shells.cli.app import one_line_errors
from bayesfloor.shells.cli.commands.estimate import check_asked
from bayesfloor.shells.cli.options import (
    Ascii,
    Confidence,
    Encoding,
    MaxMemory,
    NoHeader,
    Query,
    Report,
    Separator,
    ShownAs,
    Table,
    Tables,
    complete_column,
    option_name,
)
from bayesfloor.shells.cli.output import print_document, print_facts
from bayesfloor.shells.cli.values import share
from bayesfloor.tables import check_encoding, check_separator


def votes(
    tables: Tables,
    item: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column that names the items, by default 'item' where there is a row a vote.",
            autocompletion=complete_column,
        ),
    ] = None,
    vote: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column of votes, by default 'vote'; without it, every column is a class, and"
            " holds how many votes it got.",
            autocompletion=complete_column,
        ),
    ] = None,
    annotator: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="The column of those who voted, by default 'annotator': nobody may vote twice on"
            " an item.",
            autocompletion=complete_column,
        ),
    ] = None,
    probabilities: Annotated[
        bool,
        typer.Option("--probabilities", help="Every column is a class, and holds its probability."),
    ] = False,
    no_header: NoHeader = False,
    separator: Separator = None,
    encoding: Encoding = None,
    table: Table = None,
    query: Query = None,
    max_memory: MaxMemory = None,
    confidence: Confidence = "0.95",
    shown_as: ShownAs = DEFAULT_MEASURE,
    as_json: Annotated[bool, typer.Option("--json", help="Print one JSON document.")] = False,
    ascii_only: Ascii = False,
    report: Report = None,
    **asked: Any,
) -> None:
    """Bound the Bayes error of items that several people labelled, from their votes alone.

    TABLE is a matrix of counts, with a row an item and a column a class, or has a row a vote, with
    columns for the item, the vote and perhaps the annotator. The numbers of votes may differ.
    Nothing is assumed about how votes are spread over classes and items.
    """
    columns = {"item": item, "vote": vote, "annotator": annotator}
    sure = share(confidence)
    with one_line_errors(code=2):
        sure = check_confidence("--confidence", sure)
        check_asked(asked, check=False)
        separator = check_separator("--separator", separator)
        check_encoding("--encoding", encoding)
        check_memory("--max-memory", 1 if max_memory is None else max_memory)
        given = [option_name(name) for name, value in columns.items() if value is not None]
        if probabilities and given:
            raise DataError(f"{given[0]} is for votes; leave it out with --probabilities")
    with one_line_errors():
        if report is not None:
            check_page(report)
        reading = {
            "header": not no_header,
            "separator": separator,
            "encoding": encoding,
            "table": table,
            "query": query,
            "max_memory": max_memory,
        }
        floor = (
            bayes_error_from_probabilities(tables, confidence=sure, **reading)
            if probabilities
            else bayes_error_from_votes(tables, confidence=sure, **columns, **reading)
        )
        asked["shown_as"] = shown_as
        if as_json:
            print_document(document(floor, **asked))
        else:
            found = floor.answer(**asked)
            print_answer(floor, found, Console(highlight=False), ascii_only=ascii_only)
        if report is not None:
            question = floor.measure(shown_as).question()
            title = f"{question} {os.path.basename(tables[0])}"
            floor.report(report, title=title, progress=False, **asked)
            if not as_json:
                print_facts([("report", str(report))], Console(highlight=False))
