"""What commands print: answers on standard output, talk on standard error."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import typer

from bayesfloor.base.errors import printable

if TYPE_CHECKING:
    from rich.console import Console

NAME_WIDTH = len("HP divergence")
"""Columns of the names of facts: the longest, so that all blocks line up."""
PARAMETER = re.compile(
    r"""(?<![\w'"])(?:header=False|(?:annotator|cost|drop|encoding|features|groups|item|keep|"""
    r"""key|label|max_memory|max_seconds|metric|min_class_rows|missing|predictions|priors|query|"""
    r"""reject|scale|separator|shown_as|table|test_rows|time|top_k|vote)=(?:"[^"]*"|'[^']*'|\d+)?)"""
)
"""Matches a parameter of the library in a message, with its value if it has one."""

SPELLED = {"groups": "group", "priors": "prior", "shown_as": "as"}
"""Parameters whose options are called otherwise."""


def as_flags(message: str) -> str:
    """Write the parameters that a message of the library names as options of the command line.

    Examples
    --------
    >>> as_flags('pass missing="drop", or choose some with features=')
    'pass --missing drop, or choose some with --features'
    """
    return PARAMETER.sub(lambda found: _flag(found[0]), message)


def _flag(parameter: str) -> str:
    if parameter == "header=False":
        return "--no-header"
    name, value = parameter.split("=", 1)
    name, value = SPELLED.get(name, name), value.replace("'", "")
    return f"--{name.replace('_', '-')} {value.strip(chr(34))}".rstrip()


def talk(line: str) -> None:
    """Print a line of progress on standard error."""
    typer.echo(printable(line), err=True)


def finite(value: Any) -> Any:
    """Replace NaN and infinity, which JSON does not know, by None."""
    if isinstance(value, dict):
        return {key: finite(item) for key, item in value.items()}
    if isinstance(value, list):
        return [finite(item) for item in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value


def print_document(document: dict[str, Any]) -> None:
    """Print a document on one line, before anything else is done."""
    typer.echo(json.dumps(finite(document), allow_nan=False))


def print_facts(facts: list[tuple[str, str]], console: Console) -> None:
    """Print names in bold beside their texts on a terminal, else one plain line each."""
    if not console.is_terminal:
        print_lines([f"{name:<16}{printable(text)}" for name, text in facts], console)
        return
    from rich.table import Table
    from rich.text import Text

    grid = Table.grid(padding=(0, 2))
    grid.add_column(min_width=NAME_WIDTH)
    grid.add_column()
    for name, text in facts:
        grid.add_row(Text(name, style="bold"), Text(printable(text)))
    console.print(grid)


def print_lines(lines: list[str], console: Console, style: str = "") -> None:
    """Print text as it is, broken between words on a terminal only."""
    from rich.text import Text

    for line in lines:
        console.print(Text(line, style), soft_wrap=not console.is_terminal)


def print_table(
    lines: list[str], console: Console, *, rows: Iterable[tuple[str, ...]] = ()
) -> None:
    """Print a table that is lines of text, the head in bold.

    Its lines are never broken, but on a terminal that is too narrow for them the same table, given
    as `rows` too, has cells of several lines.
    """
    from rich.table import Table
    from rich.text import Text

    heads, *others = rows or [()]
    if heads and console.is_terminal and max(map(len, lines)) > console.width:
        table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
        for head in heads:
            table.add_column(Text(printable(head)))
        for row in others:
            table.add_row(*(Text(printable(cell)) for cell in row))
        console.print(table)
        return
    for place, line in enumerate(lines):
        console.print(Text(printable(line), "" if place else "bold"), soft_wrap=True)
