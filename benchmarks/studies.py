"""What studies have in common: many tasks are measured in processes, and a table is printed."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from typing import TypeVar

from rich.console import Console
from rich.table import Table

from bayesfloor.base.processes import open_pool
from bayesfloor.base.progress import progress_bar

Task = TypeVar("Task")
Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")


def _measure_all(
    measure: Callable[[Task], Result],
    tasks: Sequence[Task],
    key: Callable[[Task], Key],
    *,
    workers: int,
) -> dict[Key, list[Result]]:
    """Return the results of all tasks, by what each belongs to, in the order of the tasks."""
    found: dict[Key, list[Result]] = {key(task): [] for task in tasks}
    with (
        progress_bar("Measuring", len(tasks), show=True) as advance,
        open_pool(workers) as pool,
    ):
        for task, one in pool.run(measure, tasks):
            found[key(task)].append(one)
            if advance is not None:
                advance(1)
    return found


def run_study(
    measure: Callable[[Task], Result],
    tasks: Sequence[Task],
    key: Callable[[Task], Key],
    make_table: Callable[[dict[Key, list[Result]]], Table],
    *,
    workers: int,
    piped_width: int,
) -> int:
    """Measure and print a table, as wide as the terminal; return the exit code."""
    try:
        table = make_table(_measure_all(measure, tasks, key, workers=workers))
    except KeyboardInterrupt:
        Console(stderr=True).print("Interrupted.")
        return 130
    console = Console(highlight=False)
    console = console if console.is_terminal else Console(highlight=False, width=piped_width)
    console.print(table)
    return 0
