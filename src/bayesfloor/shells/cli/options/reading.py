"""Options that say what is read: files, columns, and what becomes of their values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any

import typer

from bayesfloor.base.memory import check_memory
from bayesfloor.base.options import check_not_negative
from bayesfloor.shells.cli.help import TABLE
from bayesfloor.shells.cli.options.declaration import column_option, one_of, option
from bayesfloor.shells.cli.options.records import OptionRecord
from bayesfloor.tables import (
    MIN_CLASS_ROWS,
    MISSING_CHOICES,
    SCALES,
    check_encoding,
    check_separator,
)

SCALE_HELP = "; ".join(f"{name}: {scale.summary}" for name, scale in SCALES.items()) + "."
MISSING_HELP = "; ".join(f"{name}: {one.summary}" for name, one in MISSING_CHOICES.items()) + "."
"""Helps of options that choose from a registry, in its own words."""

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
    column_option(
        "The column of labels: its name, else its position, from 1, or from -1 backwards."
    ),
]


@dataclass(frozen=True, slots=True)
class ColumnOptions(OptionRecord):
    """Which columns are used."""

    features: Annotated[
        list[str] | None,
        column_option(
            "Use these columns only: a,b,c, or the option again.", group=TABLE, value="COLUMNS"
        ),
    ] = None
    drop: Annotated[
        list[str] | None, column_option("Use all but these.", group=TABLE, value="COLUMNS")
    ] = None
    keep: Annotated[
        list[str] | None,
        column_option(
            "Use these though they look like identifiers or free text, or never change.",
            group=TABLE,
            value="COLUMNS",
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """Return options of `read_table`: an option that is not used is no list of columns."""
        return {
            "features": self.features or None,
            "drop": self.drop or None,
            "keep": self.keep or None,
        }


@dataclass(frozen=True, slots=True)
class ValueOptions(OptionRecord):
    """What becomes of the values of columns."""

    scale: Annotated[
        str,
        option(
            f"How to scale numbers. {SCALE_HELP}",
            group=TABLE,
            value="|".join(SCALES),
            **one_of(SCALES),
        ),
    ] = "standard"
    missing: Annotated[
        str,
        option(
            f"What to do about missing values. {MISSING_HELP}",
            group=TABLE,
            value="|".join(MISSING_CHOICES),
            **one_of(MISSING_CHOICES),
        ),
    ] = "impute"


@dataclass(frozen=True, slots=True)
class LabelledOptions(ValueOptions):
    """What becomes of the values of columns, and of rare labels."""

    min_class_rows: Annotated[
        int,
        option(
            "Leave out classes with fewer rows than this, as long as two remain; 0: none.",
            group=TABLE,
            value="ROWS",
            check=check_not_negative,
        ),
    ] = MIN_CLASS_ROWS


@dataclass(frozen=True, slots=True)
class FileOptions(OptionRecord):
    """What a file does not say itself, and the memory for it."""

    no_header: Annotated[
        bool,
        option(
            "The first line is a row; columns are 'column 1', 'column 2', ...",
            "--no-header",
            group=TABLE,
        ),
    ] = False
    separator: Annotated[
        str | None,
        option(
            "Separator of text files, if it is not found: a character, tab or space.",
            group=TABLE,
            value="CHARACTER",
            check=check_separator,
        ),
    ] = None
    encoding: Annotated[
        str | None,
        option(
            "Encoding of text files that are not UTF-8, for example cp1252.",
            group=TABLE,
            value="NAME",
            check=check_encoding,
        ),
    ] = None
    table: Annotated[
        str | None, option("Table of a database, if it has several.", group=TABLE, value="NAME")
    ] = None
    query: Annotated[
        str | None, option("Query of a database, in place of a table.", group=TABLE, value="SQL")
    ] = None
    max_memory: Annotated[
        int | None,
        option(
            "Memory that the call may take, for example 8GB; by default what there is. More would"
            " use a random subset of rows.",
            group=TABLE,
            value="SIZE",
            parse=str,
            check=check_memory,
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """Return options of `read_table`."""
        return {
            "header": not self.no_header,
            "separator": self.separator,
            "encoding": self.encoding,
            "table": self.table,
            "query": self.query,
            "max_memory": self.max_memory,
        }
