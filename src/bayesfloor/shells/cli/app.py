"""The application that is made of commands, and how it ends."""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Iterable
from contextlib import suppress
from typing import Annotated

import typer

from bayesfloor import __version__
from bayesfloor.shells.cli.command import Command, command_group

WIDEST_HELP = 100
"""Columns of help, at most: longer lines are hard to read. A judgement."""


def _print_version(asked: bool) -> None:
    if asked:
        typer.echo(f"bayesfloor {__version__}")
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_print_version, is_eager=True, help="Print the version."
        ),
    ] = False,
) -> None:
    pass


def make_app(commands: Iterable[Command]) -> typer.Typer:
    """Make the application of some commands, which help lists in their order."""
    app = typer.Typer(
        cls=command_group({command.name: command for command in commands}),
        help="How low can the error of any classifier go on this data?",
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode=None,
        context_settings={"help_option_names": ["-h", "--help"], "max_content_width": WIDEST_HELP},
    )
    app.callback()(_options)
    return app


def run_app(app: typer.Typer) -> None:
    """Run an application; leave with 0, 1 for bad data, 2 for wrong usage, 130 for Ctrl-C."""
    for stream in (sys.stdout, sys.stderr):
        getattr(stream, "reconfigure", lambda **_: None)(errors="backslashreplace")
    try:
        app(prog_name="bayesfloor")
    except OSError as problem:  # a full disk; Typer sees to broken pipes
        typer.echo(f"error: {problem.strerror or problem}", err=True)
        with suppress(OSError, ValueError):  # what is still held back must not fail again at exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    finally:  # whoever presses Ctrl-C again while Python ends shall not see a traceback
        with suppress(ValueError):  # not the main thread
            signal.signal(signal.SIGINT, signal.SIG_IGN)
