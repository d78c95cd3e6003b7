"""Write docs/cli.md: the reference of the command line, from the texts that --help shows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from inspect import cleandoc
from pathlib import Path
from typing import Any

import typer

from bayesfloor.shells.cli import app

HEAD = """\
# Command line

Generated from the command's own help by `make docs`; a test compares the two.
The [tutorial](tutorial.md) shows it at work; [contents](README.md) has all pages.

Answers go to standard output, progress and errors to standard error. Exit codes: 0; 1 for data that
cannot be used, with one line that says what to do; 2 for wrong usage; 130 after Ctrl-C.
"""


def reference() -> str:
    """Return the page."""
    group: Any = typer.main.get_command(app)
    with group.make_context("bayesfloor", ["demo"], resilient_parsing=True) as context:
        parts = [HEAD, f"{group.help}\n", *_options(group, context)]
        for name, command in group.commands.items():
            parts += ["", *_command(f"bayesfloor {name}", command, context)]
    return "\n".join(parts).rstrip() + "\n"


def _command(name: str, command: Any, parent: Any) -> Iterator[str]:
    with command.make_context(name, [], parent=parent, resilient_parsing=True) as context:
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        usage = " ".join(p.metavar if p.required else f"[{p.metavar}]" for p in arguments)
        yield f"## `{name}`\n\n```\n{name} {usage} [OPTIONS]\n```\n\n{cleandoc(command.help)}\n"
        yield from _options(command, context)


def _options(command: Any, context: Any) -> Iterator[str]:
    yield "| option | meaning |\n|---|---|"
    for parameter in command.get_params(context):
        if not parameter.name.endswith("_completion"):
            yield f"| `{_names(parameter)}` | {_meaning(parameter)} |"


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar).replace("|", r"\|")
    kind = "" if parameter.is_flag else f" {parameter.metavar or 'VALUE'}"
    return (", ".join(parameter.opts) + kind).replace("|", r"\|")


def _meaning(parameter: Any) -> str:
    text = " ".join(parameter.help.split()).replace("|", r"\|")
    if parameter.required:
        return f"{text} Required."
    silent = parameter.default is None or parameter.default is False or parameter.name == "help"
    return text if silent else f"{text} Default: {parameter.default}."


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8")
