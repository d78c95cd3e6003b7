"""A progress bar for long work, on a terminal only."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Protocol


class Advance(Protocol):
    """Moves a progress bar on, and may say what is known by now."""

    def __call__(self, steps: int, known: str | None = None) -> None:
        """Take note of progress."""


@contextmanager
def progress_bar(what: str, total: int, *, show: bool) -> Iterator[Advance | None]:
    """Yield a function that advances a bar on standard error, or None if there is none to show."""
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
