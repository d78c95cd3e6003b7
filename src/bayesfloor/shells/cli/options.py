"""Options that commands share, each with its help."""

from __future__ import annotations

import os
import re
from collections.abc import Collection
from pathlib import Path
from typing import Annotated, Any

import typer

from bayesfloor.base.decision_options import METRICS
from bayesfloor.base.measures import MEASURES
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor import ENGINES
from bayesfloor.representation import REPRESENTATIONS
from bayesfloor.tables import MISSING_CHOICES, SCALES, header_names

METHOD_HELP = "; ".join(f"{name}: {method.summary}" for name, method in METHODS.items()) + "."
SCALE_HELP = "; ".join(f"{name}: {scale.summary}" for name, scale in SCALES.items()) + "."
MISSING_HELP = "; ".join(f"{name}: {one.summary}" for name, one in MISSING_CHOICES.items()) + "."
REPRESENTATION_HELP = (
    "What is measured. "
    + "; ".join(f"{name}: {text}" for name, text in REPRESENTATIONS.items())
    + "."
)
"""Helps of options that choose from a registry, in its own words."""
TABLE, MEASURING, OUTPUT = "The table", "How it is measured", "What is printed"
DECISION = "What a classifier decides"
"""Headings under which help lists options, after those that are used most."""
HARMLESS_NAME = re.compile(r"[\w .:%+/()-]+")
"""Matches a name in which no shell finds anything to run or expand: shells evaluate what is offered
to them, and a file may come from anywhere."""


def one_of(choices: Collection[str], *others: str) -> dict[str, Any]:
    """Return what makes a word one of the choices or others: a check, and its completion."""

    def check(name: str) -> str:
        if name not in (*others, *choices):
            raise typer.BadParameter(f"{name!r} is not one of {', '.join((*others, *choices))}.")
        return name

    return {"callback": check, "autocompletion": lambda: [*others, *choices]}


def option_name(name: str) -> str:
    """Spell the name of a parameter as an option of the command line."""
    return f"--{name.replace('_', '-')}"


def complete_column(context: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the file that was named before, of which the last may be a part."""
    before, comma, _ = incomplete.rpartition(",")
    words = [*(context.params.get("tables") or []), *context.args]  # as far as they are parsed
    file = next(filter(os.path.isfile, words), None)
    names = header_names(file) if file is not None else []
    return [f"{before}{comma}{name}" for name in names if HARMLESS_NAME.fullmatch(name)]


Tables = Annotated[
    list[str],
    typer.Argument(
        metavar="TABLE",
        help="One file or more, of the same columns: text with any usual separator, Parquet,"
        " Arrow, JSON, ARFF, KEEL, Excel, NumPy, SQLite, DuckDB; gzip, zst, bz2, xz or zip. A"
        " pattern, the URL of a database, or - for standard input.",
        show_default=False,
    ),
]
Label = Annotated[
    str,
    typer.Option(
        metavar="COLUMN",
        help="The column of labels: its name, else its position, from 1, or from -1 backwards.",
        autocompletion=complete_column,
    ),
]
Group = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="What each row belongs to, such as a person: the floor is that of new groups.",
        autocompletion=complete_column,
    ),
]
Time = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="When each row was: blocks of time act as groups.",
        autocompletion=complete_column,
    ),
]
Features = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=TABLE,
        metavar="COLUMNS",
        help="Use these columns only: a,b,c, or the option again.",
        autocompletion=complete_column,
    ),
]
Drop = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=TABLE,
        metavar="COLUMNS",
        help="Use all but these.",
        autocompletion=complete_column,
    ),
]
Keep = Annotated[
    list[str] | None,
    typer.Option(
        rich_help_panel=TABLE,
        metavar="COLUMNS",
        help="Use these though they look like identifiers or free text, or never change.",
        autocompletion=complete_column,
    ),
]
NoHeader = Annotated[
    bool,
    typer.Option(
        "--no-header",
        rich_help_panel=TABLE,
        help="The first line is a row; columns are 'column 1', 'column 2', ...",
    ),
]
Scale = Annotated[
    str,
    typer.Option(
        rich_help_panel=TABLE,
        metavar="|".join(SCALES),
        help=f"How to scale numbers. {SCALE_HELP}",
        **one_of(SCALES),
    ),
]
Missing = Annotated[
    str,
    typer.Option(
        rich_help_panel=TABLE,
        metavar="|".join(MISSING_CHOICES),
        help=f"What to do about missing values. {MISSING_HELP}",
        **one_of(MISSING_CHOICES),
    ),
]
MinClassRows = Annotated[
    int,
    typer.Option(
        rich_help_panel=TABLE,
        metavar="ROWS",
        help="Leave out classes with fewer rows than this, as long as two remain; 0: none.",
    ),
]
Separator = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=TABLE,
        metavar="CHARACTER",
        help="Separator of text files, if it is not found: a character, tab or space.",
    ),
]
Encoding = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=TABLE,
        metavar="NAME",
        help="Encoding of text files that are not UTF-8, for example latin-1.",
    ),
]
Table = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=TABLE, metavar="NAME", help="Table of a database, if it has several."
    ),
]
Query = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=TABLE, metavar="SQL", help="Query of a database, in place of a table."
    ),
]
MaxMemory = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=TABLE,
        metavar="SIZE",
        help="Memory that the call may take, for example 8GB; by default what there is. More would"
        " use a random subset of rows.",
    ),
]
Method = Annotated[
    str,
    typer.Option(rich_help_panel=MEASURING, metavar="METHOD", help=METHOD_HELP, **one_of(METHODS)),
]
Representation = Annotated[
    str,
    typer.Option(
        rich_help_panel=MEASURING,
        metavar="NAME",
        help=REPRESENTATION_HELP,
        **one_of(REPRESENTATIONS),
    ),
]
Neighbour = Annotated[
    int,
    typer.Option(
        "--k",
        "-k",
        rich_help_panel=MEASURING,
        metavar="K",
        help="The neighbour that method knn looks at.",
    ),
]
Confidence = Annotated[
    str,
    typer.Option(
        rich_help_panel=MEASURING,
        metavar="SHARE",
        help="Confidence of the intervals, such as 0.95 or 95%.",
    ),
]
Seed = Annotated[
    int,
    typer.Option(
        rich_help_panel=MEASURING, metavar="S", help="Random seed of the train/measure split."
    ),
]
Tolerance = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=MEASURING,
        metavar="SE",
        help="Stop when the mismatch has this standard error (uses a random subset of rows).",
    ),
]
MaxSeconds = Annotated[
    float | None,
    typer.Option(
        rich_help_panel=MEASURING,
        metavar="S",
        help="Time limit in seconds (uses a random subset of rows).",
    ),
]
Engine = Annotated[
    str,
    typer.Option(
        rich_help_panel=MEASURING,
        metavar="ENGINE",
        help="How neighbours are searched; all engines find the same.",
        **one_of(ENGINES, "auto"),
    ),
]
Workers = Annotated[
    int | None,
    typer.Option(
        rich_help_panel=MEASURING, metavar="W", help="Number of threads, all cores by default."
    ),
]
Priors = Annotated[
    list[str] | None,
    typer.Option(
        "--prior",
        rich_help_panel=DECISION,
        metavar="CLASS=SHARE",
        help="Share of a class where a classifier will be used, such as yes=2%; again for each"
        " class but one.",
    ),
]
Costs = Annotated[
    list[str] | None,
    typer.Option(
        "--cost",
        rich_help_panel=DECISION,
        metavar="CLASS:ANSWER=COST",
        help="Cost of an answer, such as yes:no=10 for a yes that is answered as no; other errors"
        " then cost 1.",
    ),
]
Metric = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=DECISION,
        metavar="|".join(METRICS),
        help="What is bounded; balanced is the error with equal class shares.",
        show_default=False,
    ),
]
Reject = Annotated[
    str | None,
    typer.Option(
        rich_help_panel=DECISION,
        metavar="COST",
        help="Cost of no answer, where an error costs 1, or what --cost says.",
    ),
]
TopK = Annotated[
    int | None,
    typer.Option(
        rich_help_panel=DECISION,
        metavar="K",
        help="Name K classes at once; an error is a label that is not among them.",
    ),
]
Report = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.html",
        help="Write a page with charts: one file, no network.",
    ),
]


ShownAs = Annotated[
    str,
    typer.Option(
        "--as",
        metavar="|".join(MEASURES),
        help="Show errors or accuracies, everywhere.",
        **one_of(MEASURES),
    ),
]
Ascii = Annotated[
    bool,
    typer.Option(
        "--ascii", help="Draw the scale in ASCII, as into a pipe.", rich_help_panel=OUTPUT
    ),
]
