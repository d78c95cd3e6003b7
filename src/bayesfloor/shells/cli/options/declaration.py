"""How an option is declared: its help, where help lists it, and the check of its value."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Collection
from typing import Any

import typer

from bayesfloor.shells.cli.command_errors import usage_errors

HARMLESS_NAME = re.compile(r"[\w .:%+/()-]+")
"""Matches a name in which no shell finds anything to run or expand: shells evaluate what is offered
to them, and a file may come from anywhere."""


def option(
    text: str,
    *names: str,
    group: str | None = None,
    value: str | None = None,
    check: Callable[[str, Any], Any] | None = None,
    parse: Callable[[str], Any] | None = None,
    **others: Any,
) -> Any:
    """Declare an option, for `Annotated`.

    Parameters
    ----------
    text : str
        Its help.
    *names : str
        How it is spelled, by default as the parameter.
    group : str, optional
        The heading under which help lists it.
    value : str, optional
        What help calls its value.
    check : function, optional
        Returns the value that a command gets, or refuses it; takes the name of the option first.
    parse : function, optional
        Makes a value of what is typed, which is text that `check` refuses if it is none.
    **others
        What else `typer.Option` takes.
    """
    if check is not None:
        others["callback"] = _callback(check)
    if parse is not None:
        others["parser"] = lambda typed: parse(str(typed))  # defaults are parsed too
    return typer.Option(*names, help=text, rich_help_panel=group, metavar=value, **others)


def _callback(check: Callable[[str, Any], Any]) -> Callable[..., Any]:
    """Return what calls a check with the option's name; options that are not used need none."""

    def call(context: typer.Context, parameter: typer.CallbackParam, value: Any) -> Any:
        if value is None or context.resilient_parsing:
            return value
        with usage_errors():
            return check(parameter.opts[0], value)

    return call


def one_of(
    choices: Collection[str], registry: Callable[[], Collection[str]] | None = None
) -> dict[str, Any]:
    """Return what makes a word one of the choices: a check, and its completion.

    Parameters
    ----------
    choices : collection of str
        What there is; help and checks need no more.
    registry : function, optional
        Loads all that there is now, if that takes long: other words are looked up there.
    """

    def everything() -> list[str]:
        found = choices if registry is None else (*choices, *registry())
        return list(dict.fromkeys(found))

    def check(name: str) -> str:
        if name not in choices and name not in everything():
            raise typer.BadParameter(f"{name!r} is not one of {', '.join(everything())}.")
        return name

    return {"callback": check, "autocompletion": everything}


def option_name(name: str) -> str:
    """Spell the name of a parameter as an option of the command line."""
    return f"--{name.replace('_', '-')}"


def complete_column(context: typer.Context, incomplete: str) -> list[str]:
    """Return the columns of the file that was named before, of which the last may be a part."""
    before, comma, _ = incomplete.rpartition(",")
    names = named_columns(context)
    return [f"{before}{comma}{name}" for name in names if HARMLESS_NAME.fullmatch(name)]


def named_columns(context: typer.Context) -> list[str]:
    """Return the columns of the first file that was named, as far as words are parsed."""
    from bayesfloor.tables import header_names

    words = [*(context.params.get("tables") or []), *context.args]
    file = next(filter(os.path.isfile, words), None)
    return header_names(file) if file is not None else []


def column_option(text: str, *, group: str | None = None, value: str = "COLUMN") -> Any:
    """Declare an option that names a column of the table, or several."""
    return option(text, group=group, value=value, autocompletion=complete_column)
