"""bayesfloor compare: which columns, or which sample, have the lower floor."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated, Any

from bayesfloor.base.errors import DataError, printable
from bayesfloor.shells.cli.command_errors import usage_errors
from bayesfloor.shells.cli.options.declaration import option
from bayesfloor.shells.cli.options.measuring import RunOptions
from bayesfloor.shells.cli.options.output import RunOutputOptions
from bayesfloor.shells.cli.options.reading import FileOptions, Label, LabelledOptions, Tables
from bayesfloor.shells.cli.output import as_flags, print_facts, print_lines, print_table

if TYPE_CHECKING:
    from rich.console import Console

    from bayesfloor.comparison import Comparison

COMPARISON_SCHEMA = 1
"""Version of the JSON document of a comparison."""


def compare(
    tables: Tables,
    label: Label,
    *,
    columns: Annotated[
        list[str] | None,
        option(
            "A set of columns, for example base=age,sex; the option again for each set.",
            value="NAME=COLUMNS",
        ),
    ] = None,
    key: Annotated[
        str | None,
        option(
            "Join the TABLEs by this column, and compare the columns of each and of all.",
            value="COLUMN",
        ),
    ] = None,
    reference: Annotated[
        str | None,
        option("Compare with this set, by default with the first.", value="NAME"),
    ] = None,
    output: RunOutputOptions,
    values: LabelledOptions,
    files: FileOptions,
    run: RunOptions,
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
    with usage_errors():
        sets = parse_sets(columns or [])
        _check_kind(tables, sets, key)
    options = {
        "reference": reference,
        "max_memory": files.max_memory,
        "progress": output.talks,
        **run.keywords(),
    }
    found = _compare(tables, label, sets, key, files, values, options)
    output.show(
        document=lambda: {"schema": COMPARISON_SCHEMA, **found.to_dict()},
        text=lambda console: print_comparison(found, console),
        page=lambda path: found.report(
            path, title=f"Which has the lower floor? {os.path.basename(tables[0])}"
        ),
    )


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
    files: FileOptions,
    values: LabelledOptions,
    options: dict[str, Any],
) -> Comparison:
    """Compare columns of one table, of joined tables, or samples."""
    from bayesfloor.comparison import compare as compare_sets
    from bayesfloor.comparison.joined_tables import join_tables
    from bayesfloor.tables import ReadOptions, read_table

    reading = {**values.keywords(), **files.keywords()}
    if sets:
        return compare_sets(sets, label, data=tables, **(options | reading))
    named = dict(zip(table_names(tables), tables, strict=True))
    if key is not None:
        of_files = ReadOptions(**files.keywords())
        joined = join_tables(named, key=key, label=label, options=of_files)
        options |= values.keywords()
        found = compare_sets(joined.sets, joined.label, data=joined.frame, **options)
        return found.with_notes(joined.notes)
    read = {name: read_table(one, label=label, **reading) for name, one in named.items()}
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
    from bayesfloor.comparison.record import HIGHER, LOWER, TELLS_LESS, TELLS_MORE
    from bayesfloor.shells.cli.answer_output import OPEN_TONE

    tones = {
        **dict.fromkeys((LOWER, TELLS_MORE), "green"),
        **dict.fromkeys((HIGHER, TELLS_LESS), "red"),
    }
    for one in found.differences.values():
        tone = tones.get(one.verdict, OPEN_TONE)
        print_lines([printable(one.sentence)], console, f"bold {tone}")
    console.print()
    print_table(found.table_lines(), console, rows=found.rows())
    console.print()
    print_facts([("note", as_flags(note)) for note in found.notes], console)
