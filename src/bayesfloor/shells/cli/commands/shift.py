"""bayesfloor shift: tell whether new rows are drawn like old ones, and what differs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from bayesfloor.base.options import check_not_negative
from bayesfloor.shells.cli.help import MEASURING
from bayesfloor.shells.cli.options.declaration import option
from bayesfloor.shells.cli.options.measuring import MaxSeconds, RunOptions
from bayesfloor.shells.cli.options.output import RunOutputOptions
from bayesfloor.shells.cli.options.reading import ColumnOptions, FileOptions, ValueOptions


@dataclass(frozen=True, slots=True)
class ShiftRunOptions(RunOptions):
    """Options of every run; the seed is that of permutations."""

    seed: Annotated[
        int,
        option(
            "Random seed of permutations.", group=MEASURING, value="S", check=check_not_negative
        ),
    ] = 0


def shift(
    old: Annotated[
        str,
        typer.Argument(
            metavar="OLD",
            help="The table with the old rows, in any usual format.",
            show_default=False,
        ),
    ],
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW",
            help="The table with the new rows, of the same columns.",
            show_default=False,
        ),
    ],
    *,
    output: RunOutputOptions,
    check: Annotated[
        bool,
        option("Exit by the verdict: 0 no difference found, 3 may differ, 6 differ.", "--check"),
    ] = False,
    used: ColumnOptions,
    values: ValueOptions,
    files: FileOptions,
    permutations: Annotated[
        int | None,
        option(
            "How often labels are permuted; by default 999 times up to some 15,000 different rows,"
            " else the normal limit is taken, as with 0.",
            group=MEASURING,
            value="B",
            check=check_not_negative,
        ),
    ] = None,
    max_seconds: MaxSeconds = None,
    run: ShiftRunOptions,
) -> None:
    """Tell whether the rows of NEW are drawn like those of OLD, and what differs.

    Both tables are read and encoded together. Labels old and new are permuted on the fixed graph of
    neighbours, which makes the p-value exact. Columns that moved are named with the number of
    columns told, and rows of NEW that lie where no row of OLD does are listed.

    Examples
    --------
    bayesfloor shift january.csv february.csv
    bayesfloor shift january.csv february.csv --drop outcome --report shift.html
    bayesfloor shift train.parquet today.parquet --check --json
    """
    from bayesfloor.shells.cli.shift_output import SHIFT_CODES, print_shift
    from bayesfloor.two_sample import two_sample_test

    found = two_sample_test(
        old,
        new,
        permutations=permutations,
        max_seconds=max_seconds,
        progress=output.talks,
        **run.keywords(),
        **used.keywords(),
        **values.keywords(),
        **files.keywords(),
    )
    output.show(
        document=found.to_dict,
        text=lambda console: print_shift(found, console),
        page=found.report,
    )
    if check:
        raise typer.Exit(SHIFT_CODES.get(found.verdict, 0))
