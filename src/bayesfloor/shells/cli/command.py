"""A command of the command line: its function is loaded when it is called, or its help is read."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from typing import Any, cast

import typer
from typer.core import TyperGroup

from bayesfloor.shells.cli.help import GroupedCommand

HOME = "bayesfloor.shells.cli.commands"
"""Where the modules of commands are."""


@dataclass(frozen=True, slots=True)
class Command:
    """A command, by default the function of its name in the module of its name."""

    name: str
    summary: str  # in the list of commands
    function: Callable[..., None] | None = None

    def load(self) -> Callable[..., None]:
        """Return the function; this imports what it needs."""
        if self.function is not None:
            return self.function
        module = import_module(f"{HOME}.{self.name}")
        return cast("Callable[..., None]", getattr(module, self.name))

    def make(self) -> Any:
        """Make the command that parses and runs."""
        from bayesfloor.shells.cli.options.records import with_records

        alone = typer.Typer(
            add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False
        )
        alone.command(self.name, cls=GroupedCommand)(with_records(self.load()))
        return typer.main.get_command(alone)


class CommandTable(Mapping[str, Any]):
    """Commands by name, each made when it is asked for."""

    def __init__(self, commands: Mapping[str, Command]) -> None:
        self.known = commands

    def __getitem__(self, name: str) -> Any:
        return self.known[name].make()

    def __iter__(self) -> Iterator[str]:
        return iter(self.known)

    def __len__(self) -> int:
        return len(self.known)


def command_group(commands: Mapping[str, Command]) -> type[TyperGroup]:
    """Return the kind of group that has these commands, and lists them without loading any."""

    class CommandGroup(TyperGroup):
        def __init__(self, **options: Any) -> None:
            super().__init__(**options)
            self.commands = CommandTable(commands)  # type: ignore[assignment]

        def format_commands(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
            with formatter.section("Commands"):
                formatter.write_dl([(one.name, one.summary) for one in commands.values()])

    return CommandGroup
