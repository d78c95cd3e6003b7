"""bayesfloor compare: which columns, or which sample, have the lower floor."""

from __future__ import annotations

import os
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.text import Text

from bayesfloor.base.errors import DataError
from bayesfloor.base.files import check_page
from bayesfloor.base.memory import check_memory
from bayesfloor.base.options import check_confidence, check_count
from bayesfloor.comparison import Comparison
from bayesfloor.comparison import compare as compare_sets
from bayesfloor.comparison.joined_tables import join_tables
from bayesfloor.comparison.record import HIGHER, LOWER, TELLS_LESS, TELLS_MORE
from bayesfloor.shells.cli.answer_output import OPEN_TONE
from bayesfloor.shells.cli.app import one_line_errors
from bayesfloor.shells.cli.options import (
    OUTPUT,
    Confidence,
    Encoding,
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
from bayesfloor.shells.cli.output import print_document, print_facts, printable
from bayesfloor.shells.cli.values import share
from bayesfloor.tables import (
    MIN_CLASS_ROWS,
    ReadOptions,
    check_encoding,
    check_separator,
    read_table,
)

COMPARISON_SCHEMA = 1
"""Version of the JSON document of a comparison."""
SET_STYLES = {
    **dict.fromkeys((LOWER, TELLS_MORE), "green"),
    **dict.fromkeys((HIGHER, TELLS_LESS), "red"),
}
"""Colours of verdicts on sets; all others are open."""


def compare(
    tables: Tables,
    label: Label,
    columns: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME=COLUMNS",
            help="A set of columns, for example base=age,sex; the option again for each set.",
        ),
    ] = None,
    key: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN",
            help="Join the TABLEs by this column, and compare the columns of each and of all.",
        ),
    ] = None,
    reference: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Compare with this set, by default with the first."),
    ] = None,
    report: Report = None,
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
    workers: Workers = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=OUTPUT)
    ] = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Show no progress bar.", rich_help_panel=OUTPUT)
    ] = False,
) -> None:
    """Compare the floors of sets of columns, or of samples of the same classes.

    With --columns, the sets are columns of one table; with --key, those of several tables about
    the same rows. The same labels decide about all sets, and most of their noise cancels, so that
    the difference is known better than each floor. Without both, every TABLE is a sample of its
    own.

    Examples
    --------
    bayesfloor compare table.csv --label ill --columns base=age,sex --columns lab=age,sex,crp
    bayesfloor compare base.csv lab.csv --label ill --key patient --report page.html
    bayesfloor compare north.csv south.csv --label ill
    """
    sure = share(confidence)
    with one_line_errors(code=2):
        check_confidence("--confidence", sure)
        check_count("--seed", seed, low=0)
        check_count("--workers", 1 if workers is None else workers)
        check_count("--min-class-rows", min_class_rows, low=0)
        separator = check_separator("--separator", separator)
        check_encoding("--encoding", encoding)
        check_memory("--max-memory", 1 if max_memory is None else max_memory)
        sets = parse_sets(columns or [])
        _check_kind(tables, sets, key)
    with one_line_errors():
        if report is not None:
            check_page(report)
        files = ReadOptions(not no_header, separator, encoding, table, query, max_memory)
        choices = {"scale": scale, "missing": missing, "min_class_rows": min_class_rows}
        options = {
            "reference": reference,
            "confidence": sure,
            "random_state": seed,
            "workers": workers,
            "max_memory": max_memory,
            "progress": not (quiet or as_json),
        }
        found = _compare(tables, label, sets, key, files, choices, options)
        if as_json:
            print_document({"schema": COMPARISON_SCHEMA, **found.to_dict()})
        else:
            print_comparison(found, Console(highlight=False))
        if report is not None:
            found.report(report, title=f"Which has the lower floor? {os.path.basename(tables[0])}")
            if not as_json:
                print_facts([("report", str(report))], Console(highlight=False))


def parse_sets(typed: list[str]) -> dict[str, list[str]]:
    """Return the columns of each set from NAME=a,b,c.

    Examples
    --------
    >>> parse_sets(["base=age,sex", "lab=crp"])
    {'base': ['age,sex'], 'lab': ['crp']}
    """
    sets: dict[str, list[str]] = {}
    for text in typed:
        name, equals, columns = text.partition("=")
        if not (equals and name.strip() and columns.strip()):
            raise DataError(f"--columns is {text!r}; write it as NAME=a,b,c")
        if name.strip() in sets:
            raise DataError(f"--columns names {name.strip()!r} twice; give each set its own name")
        sets[name.strip()] = [columns]
    return sets


def _check_kind(tables: list[str], sets: dict[str, list[str]], key: str | None) -> None:
    if sets and key is not None:
        raise DataError("--columns and --key are both given; pass one of them")
    if sets and len(sets) < 2:
        raise DataError("--columns names one set; pass the option again for each set")
    if not sets and len(tables) < 2:
        raise DataError("there is one table and no set of columns; pass --columns, or more tables")


def _compare(
    tables: list[str],
    label: str,
    sets: dict[str, list[str]],
    key: str | None,
    files: ReadOptions,
    choices: dict[str, Any],
    options: dict[str, Any],
) -> Comparison:
    """Compare columns of one table, of joined tables, or samples."""
    of_file: dict[str, Any] = {
        "header": files.header,
        "separator": files.separator,
        "encoding": files.encoding,
        "table": files.table,
        "query": files.query,
    }
    if sets:
        return compare_sets(sets, label, data=tables, **options, **choices, **of_file)
    named = dict(zip(table_names(tables), tables, strict=True))
    if key is not None:
        joined = join_tables(named, key=key, label=label, options=files)
        found = compare_sets(joined.sets, joined.label, data=joined.frame, **options, **choices)
        return found.with_notes(joined.notes)
    read = {
        name: read_table(one, label=label, max_memory=files.max_memory, **choices, **of_file)
        for name, one in named.items()
    }
    return compare_sets(read, **options)


def table_names(tables: list[str]) -> list[str]:
    """Name tables by their files, or by their paths, numbered, where these are alike.

    Examples
    --------
    >>> table_names(["north.csv", "data/south.csv.gz"]), table_names(["a/x.csv", "b/x.csv"])
    (['north', 'south'], ['1 a/x.csv', '2 b/x.csv'])
    """
    stems = [os.path.basename(path).split(".")[0] or path for path in tables]
    if len(set(stems)) == len(stems):
        return stems
    return [f"{place} {path}" for place, path in enumerate(tables, 1)]


def print_comparison(found: Comparison, console: Console) -> None:
    """Print the verdicts, the table and the notes."""
    for one in found.differences.values():
        style = f"bold {SET_STYLES.get(one.verdict, OPEN_TONE)}"
        console.print(Text(printable(one.sentence), style), soft_wrap=not console.is_terminal)
    console.print()
    head, *rows = (printable(line) for line in found.table_lines())
    console.print(Text(head, "bold"), soft_wrap=True)
    for row in rows:
        console.print(Text(row), soft_wrap=True)
    console.print()
    print_facts([("note", note) for note in found.notes], console)
