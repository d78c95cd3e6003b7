"""bayesfloor columns: which columns of a table matter."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

from bayesfloor.base.errors import printable
from bayesfloor.base.options import check_positive
from bayesfloor.shells.cli.help import MEASURING
from bayesfloor.shells.cli.options.declaration import option
from bayesfloor.shells.cli.options.measuring import RunOptions
from bayesfloor.shells.cli.options.output import RunOutputOptions
from bayesfloor.shells.cli.options.reading import (
    ColumnOptions,
    FileOptions,
    Label,
    LabelledOptions,
    Tables,
)
from bayesfloor.shells.cli.output import as_flags, print_facts, print_lines, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from bayesfloor.comparison import ColumnRanking

RANKING_SCHEMA = 1
"""Version of the JSON document of a ranking."""


def columns(
    tables: Tables,
    label: Label,
    *,
    output: RunOutputOptions,
    used: ColumnOptions,
    values: LabelledOptions,
    files: FileOptions,
    max_seconds: Annotated[
        float | None,
        option(
            "Try no further column after so many seconds; what was not tried is said.",
            group=MEASURING,
            value="S",
            check=check_positive,
        ),
    ] = None,
    run: RunOptions,
) -> None:
    """Tell which columns of TABLE would be missed, and which of them are enough.

    Every column is left out in turn, and measured alone; then columns are added one by one, until
    none lowers the mismatch by more than chance. Strongly correlated columns count as one.

    Examples
    --------
    bayesfloor columns table.csv --label outcome
    bayesfloor columns table.csv --label outcome --max-seconds 60 --report page.html
    """
    from bayesfloor.comparison import rank_columns
    from bayesfloor.tables import read_table

    read = read_table(
        tables, label=label, **used.keywords(), **values.keywords(), **files.keywords()
    )
    found = rank_columns(
        read,
        **run.keywords(),
        max_seconds=max_seconds,
        max_memory=files.max_memory,
        progress=output.talks,
    )
    output.show(
        document=lambda: {"schema": RANKING_SCHEMA, **found.to_dict()},
        text=lambda console: print_ranking(found, console),
        page=lambda path: found.report(
            path, title=f"Which columns matter? {os.path.basename(tables[0])}"
        ),
    )


def print_ranking(found: ColumnRanking, console: Console) -> None:
    """Print the sentences, the table, the path and the notes."""
    print_lines([printable(sentence) for sentence in found.sentences()], console, "bold")
    tables = (found.table_lines(), found.rows()), (found.path_lines(), found.path_rows())
    for lines, rows in tables:
        console.print()
        print_table(lines, console, rows=rows)
    console.print()
    print_facts([("note", as_flags(note)) for note in found.notes], console)
