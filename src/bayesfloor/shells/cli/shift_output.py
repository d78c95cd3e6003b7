"""What is printed of two samples: the verdict, facts, and the columns and rows that differ."""

from __future__ import annotations

from rich.box import SIMPLE_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayesfloor.base.errors import printable
from bayesfloor.base.formatting import cut
from bayesfloor.shells.cli.output import as_flags, print_facts
from bayesfloor.two_sample import TwoSampleTest
from bayesfloor.two_sample.record import ALIKE, DIFFER, MAY_DIFFER, p_text

LISTED_COLUMNS, LISTED_ROWS = 12, 8
"""Columns and new rows that are listed: with the facts they fill a screen."""
NAME_LETTERS_SHOWN = 24
"""Letters of a column's name in the table, which so fits 80 columns."""
SHIFT_STYLES = {DIFFER: "bold red", ALIKE: "bold green"}
"""Colours of verdicts on a terminal; the words say the same."""
SHIFT_CODES = {MAY_DIFFER: 3, DIFFER: 6}
"""Exit codes of --check by verdict; no difference is 0."""


def print_shift(found: TwoSampleTest, console: Console) -> None:
    """Print the verdict, the facts, and the columns and rows that differ."""
    headline = Text(printable(found.headline), SHIFT_STYLES.get(found.verdict, "bold yellow"))
    console.print(headline, soft_wrap=not console.is_terminal)
    console.print()
    notes = [(name, as_flags(text)) for name, text in found.facts() if name == "note"]
    print_facts([fact for fact in found.facts() if fact[0] != "note"], console)
    console.print(_columns_table(found), soft_wrap=not console.is_terminal)
    if found.new_rows:
        console.print(_rows_table(found), soft_wrap=not console.is_terminal)
    print_facts(notes, console)


def _columns_table(found: TwoSampleTest) -> Table:
    """Return the columns that moved most, as a table."""
    table = Table(box=SIMPLE_HEAD)
    for head in ("column", "moved", "adjusted p", "from old to new"):
        table.add_column(head, no_wrap=head != "from old to new")
    for column in found.columns[:LISTED_COLUMNS]:
        moved = column in found.moved
        table.add_row(
            Text(printable(cut(column.name, NAME_LETTERS_SHOWN)), "bold" if moved else ""),
            "yes" if moved else "-",
            p_text(column.adjusted).removeprefix("p ").removeprefix("= "),
            Text(printable(column.change)),
        )
    hidden = len(found.columns) - LISTED_COLUMNS
    if hidden > 0:
        table.add_row(f"and {hidden} more", "", "", "")
    return table


def _rows_table(found: TwoSampleTest) -> Table:
    """Return the rows that lie where old rows do not, the farthest first."""
    table = Table(box=SIMPLE_HEAD)
    for head in ("new row", "distance", "nearest old row", "differs most in"):
        table.add_column(head, no_wrap=head != "differs most in")
    for row in found.new_rows[:LISTED_ROWS]:
        names = ", ".join(cut(name, NAME_LETTERS_SHOWN) for name in row.columns)
        table.add_row(
            f"{row.row}", f"{row.distance:.1f} × usual", f"{row.nearest}", Text(printable(names))
        )
    hidden = len(found.new_rows) - LISTED_ROWS
    if hidden > 0:
        table.add_row(f"and {hidden:,} more", "", "", "")
    return table
