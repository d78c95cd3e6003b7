"""Write docs/cli.md: the reference of the command line, from the texts that --help shows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer

from bayesfloor.shells.cli import app
from bayesfloor.shells.cli.help import group_place, option_group, split_help

HEAD = """\
# Command line

Generated from the command's own help by `make docs`; a test compares the two.
The [tutorial](tutorial.md) shows it at work; [contents](README.md) has all pages.

Answers go to standard output, progress and errors to standard error. The answer is printed as soon
as it is known; then the page is drawn. Into a pipe, every fact is one line and the scale is drawn
in ASCII.

| exit code | when |
|---|---|
| 0 | there is an answer; with `--check`, a good one |
| 1 | data that cannot be used, with one line that says what to do |
| 2 | wrong usage |
| 3 | with `--check`: a target is undecided |
| 4 | with `--check`: a target is out of reach |
| 5 | with `--check`: the model is below the floor, so its test cannot be right |
| 130 | after Ctrl-C |

`--check` takes the worst of all verdicts, the largest code. So a pipeline can stop before it trains
a model for a target that none reaches, or before it ships one whose test has a leak:

```
bayesfloor estimate table.csv --label outcome --target 95% --check || exit
bayesfloor estimate table.csv --label outcome --predictions model.csv --check || exit
```

`--target`, `--model-error` and `--confidence` are shares: `0.95`, `95%` and `0,95` are the same.
An accuracy above 1 is in percent (`--target 95` or `99,5`), unless answers have costs; an error is
not read so, for `0.5` could be both.
`--target` is always an accuracy and `--model-error` an error; `--as` says what the answer is shown
as, never both.
"""


def reference() -> str:
    """Return the page."""
    group: Any = typer.main.get_command(app)
    with group.make_context("bayesfloor", ["demo"], resilient_parsing=True) as context:
        parts = [HEAD, f"{group.help}\n", *_options(group, context)]
        for name, command in group.commands.items():
            parts += [*_command(f"bayesfloor {name}", command, context)]
    return "\n".join(parts).rstrip() + "\n"


def _command(name: str, command: Any, parent: Any) -> Iterator[str]:
    with command.make_context(name, [], parent=parent, resilient_parsing=True) as context:
        arguments = [p for p in command.params if p.param_type_name == "argument"]
        usage = [p.metavar if p.required else f"[{p.metavar}]" for p in arguments]
        said, examples = split_help(command.help)
        shown = "\n".join([" ".join([name, *usage, "[OPTIONS]"]), *examples])
        yield f"## `{name}`\n\n```\n{shown}\n```\n\n{said}\n"
        yield from _options(command, context)


def _options(command: Any, context: Any) -> Iterator[str]:
    groups: dict[str, list[str]] = {}
    for parameter in command.get_params(context):
        if not parameter.name.endswith("_completion"):
            group = option_group(parameter)
            row = f"| `{_names(parameter)}` | {_meaning(parameter)} |"
            groups.setdefault(group, []).append(row)
    for group, rows in sorted(groups.items(), key=lambda one: group_place(one[0])):
        yield "\n".join([f"| {group.lower()} | meaning |\n|---|---|", *rows]) + "\n"


def _names(parameter: Any) -> str:
    if parameter.param_type_name == "argument":
        return str(parameter.metavar).replace("|", r"\|")
    kind = "" if parameter.is_flag else f" {parameter.metavar or 'VALUE'}"
    names = ", ".join(sorted(parameter.opts, key=len))
    return f"{names}{kind}".replace("|", r"\|")


def _meaning(parameter: Any) -> str:
    text = " ".join(parameter.help.split()).replace("|", r"\|")
    if parameter.required:
        return f"{text} Required."
    silent = parameter.default is None or parameter.default is False or parameter.name == "help"
    return text if silent else f"{text} Default: {parameter.default}."


if __name__ == "__main__":
    Path(sys.argv[1]).write_text(reference(), encoding="utf-8")
