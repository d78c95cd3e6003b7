"""bayesfloor paper: reproduce Noshad & Hero (2018) and check its claims."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Annotated

import typer

from bayesfloor.shells.cli.command_errors import one_line_errors
from bayesfloor.shells.cli.output import talk


def paper(
    figures: Annotated[
        list[int] | None,
        typer.Argument(
            metavar="[FIGURE]...", help="Numbers from 1 to 7, all by default.", min=1, max=7
        ),
    ] = None,
    quick: Annotated[
        bool, typer.Option("--quick", help="Fewer repetitions and small samples: about a minute.")
    ] = False,
    repetitions: Annotated[
        int | None, typer.Option(metavar="R", min=5, help="Samples of each kind, usually 100.")
    ] = None,
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Folder for all files, paper or paper-quick by default."),
    ] = None,
    robot: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="sensor_readings_4.data for figure 5; else OpenML is asked."
        ),
    ] = None,
    workers: Annotated[
        int | None, typer.Option(metavar="W", min=1, help="Processes, one a core by default.")
    ] = None,
    seed: Annotated[int, typer.Option(metavar="S", min=0, help="Of all samples.")] = 2018,
) -> None:
    """Reproduce Noshad & Hero (2018) and check its claims.

    The figures of its numerical section are made anew. Data, charts and a page of verdicts,
    index.html, go to a folder. Stopped and started again, the command continues where it was; the
    data depend on the seed and the repetitions alone.
    """
    started = time.monotonic()
    folder = out or Path("paper-quick" if quick else "paper")
    with one_line_errors("; what is done is kept, and the same command goes on from there"):
        from rich.console import Console

        from bayesfloor.paper.run import PaperOptions, run
        from bayesfloor.paper.show import show_verdicts

        options = PaperOptions(
            folder, quick, repetitions, seed, workers or os.cpu_count() or 1, robot
        )
        results = run(options, sorted(set(figures or range(1, 8))), talk)
        show_verdicts(results.verdicts, Console(highlight=False))
        talk(f"{folder / 'index.html'} written, {time.monotonic() - started:.0f} s")
