"""A progress bar for long work, shown on a terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Advance(Protocol):
    """Advances a progress bar, and may show what is known so far."""

    def __call__(self, steps: int, known: str | None = None) -> None:
        """Advance by some steps."""


@contextmanager
def progress_bar(what: str, total: int, *, show: bool) -> Iterator[Advance | None]:
    """Yield a function that advances a bar on standard error, or None if no bar is wanted."""
    if not show:
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn())
    console = Console(stderr=True)
    with Progress(
        *columns, console=console, transient=True, disable=not console.is_terminal
    ) as bar:
        task = bar.add_task(what, total=total)

        def advance(steps: int, known: str | None = None) -> None:
            bar.advance(task, steps)
            if known is not None:
                bar.update(task, description=f"{what}: {known}")

        yield advance
