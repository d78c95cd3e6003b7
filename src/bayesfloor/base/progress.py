"""The progress of long work: a bar on a terminal, or told to whoever listens."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Lock
from typing import Protocol

Listener = Callable[[str, float], None]
"""Takes what is being done, and the share of it that is done."""
_listener: ContextVar[Listener | None] = ContextVar("listener", default=None)


class Advance(Protocol):
    """Advances a progress bar, and may show what is known so far."""

    def __call__(self, steps: int, known: str | None = None) -> None:
        """Advance by some steps."""


@contextmanager
def telling_progress(listener: Listener) -> Iterator[None]:
    """Tell a listener what bars in this block would show, in place of drawing them."""
    token = _listener.set(listener)
    try:
        yield
    finally:
        _listener.reset(token)


@contextmanager
def progress_bar(what: str, total: int, *, show: bool) -> Iterator[Advance | None]:
    """Yield a function that advances a bar on standard error, or None if no bar is wanted."""
    if not show:
        yield None
        return
    listener = _listener.get()
    if listener is not None:
        yield _telling(listener, what, total)
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


def _telling(listener: Listener, what: str, total: int) -> Advance:
    """Return a function that tells a listener of steps, from whichever thread they are taken."""
    done, lock = 0, Lock()
    listener(what, 0.0)

    def advance(steps: int, known: str | None = None) -> None:  # noqa: ARG001
        nonlocal done
        with lock:
            done += steps
            listener(what, min(1.0, done / max(total, 1)))

    return advance
