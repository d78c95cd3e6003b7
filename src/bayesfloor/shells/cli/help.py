"""Help of a command: options in groups, the common ones first, and examples to type."""

from __future__ import annotations

from inspect import cleandoc
from typing import Any

import typer
from typer.core import TyperCommand

from bayesfloor.base.errors import printable
from bayesfloor.base.formatting import quoted_names
from bayesfloor.shells.cli.options.declaration import named_columns

EXAMPLES = "\n\nExamples\n--------\n"
"""Heads the last section of a command's docstring."""
ARGUMENTS = "Arguments"
FIRST_GROUP = "Options"
"""Headings of arguments, and of options that name no group."""
DECISION = "What a classifier decides"
TABLE, MEASURING, OUTPUT = "The table", "How it is measured", "What is printed"
"""Headings of options that are used less often."""
HEADINGS = (ARGUMENTS, FIRST_GROUP, DECISION, TABLE, MEASURING, OUTPUT)
"""The order in which help lists them."""
NO_BREAK = "\ufdd0"
"""Stands for a hyphen while lines are broken, so that no name of an option or method is."""


class GroupedCommand(TyperCommand):
    """A command whose help lists options by the group that each names.

    If the label is missing, it says which columns there are to choose from.
    """

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Parse what was typed."""
        try:
            return super().parse_args(ctx, args)
        except typer.BadParameter as problem:
            is_label = problem.param is not None and problem.param.name == "label"
            names = named_columns(ctx) if is_label and not problem.message else []
            if names:
                problem.message = printable(f"Choose it from {quoted_names(names)}.")
            raise

    def format_help_text(self, ctx: Any, formatter: Any) -> None:  # noqa: ARG002
        """Write what the command does, then its examples."""
        text, examples = split_help(self.help or "")
        formatter.write_paragraph()
        with formatter.indentation():
            formatter.write_text(text)
        if examples:
            with formatter.section("Examples"):
                for line in examples:
                    formatter.write(f"{'':>{formatter.current_indent}}{line}\n")

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the arguments, then each group of options."""
        groups: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            record = parameter.get_help_record(ctx)
            if record is not None:
                is_argument = parameter.param_type_name == "argument"
                name = str(parameter.metavar) if is_argument else record[0]  # no type of Python
                groups.setdefault(option_group(parameter), []).append((name, record[1]))
        for group, records in sorted(groups.items(), key=lambda one: group_place(one[0])):
            with formatter.section(group):
                formatter.write_dl([(name, text.replace("-", NO_BREAK)) for name, text in records])
        formatter.buffer[:] = [part.replace(NO_BREAK, "-") for part in formatter.buffer]


def split_help(text: str) -> tuple[str, list[str]]:
    """Return what a docstring says, and the commands in its examples."""
    said, _, examples = cleandoc(text).partition(EXAMPLES)
    return said, examples.splitlines()


def group_place(group: str) -> int:
    """Return where help lists a group, from the first on."""
    return HEADINGS.index(group) if group in HEADINGS else len(HEADINGS)


def option_group(parameter: Any) -> str:
    """Return the heading under which help lists a parameter."""
    if parameter.param_type_name == "argument":
        return ARGUMENTS
    return getattr(parameter, "rich_help_panel", None) or FIRST_GROUP
