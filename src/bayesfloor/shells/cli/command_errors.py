"""How commands end when data or options cannot be used: with one line on standard error."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager

import typer

from bayesfloor.base.errors import DataError, printable
from bayesfloor.shells.cli.output import as_flags


@contextmanager
def one_line_errors(after_stop: str = "", *, code: int = 1) -> Iterator[None]:
    """Turn bad data and Ctrl-C into one line on stderr."""
    try:
        yield
    except DataError as problem:
        typer.echo(f"error: {printable(as_flags(str(problem)))}", err=True)
        raise typer.Exit(code) from problem
    except KeyboardInterrupt as stop:
        typer.echo(f"interrupted{after_stop}", err=True)
        raise typer.Exit(130) from stop


def usage_errors() -> AbstractContextManager[None]:
    """Turn options that cannot be used, or not together, into one line on stderr."""
    return one_line_errors(code=2)
