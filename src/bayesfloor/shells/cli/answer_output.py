"""The answer as a person reads it: verdicts, the scale, what it rests on, facts and notes."""

from __future__ import annotations

from collections import Counter

from rich.console import Console
from rich.text import Text

from bayesfloor.base.errors import printable
from bayesfloor.base.formatting import as_percent
from bayesfloor.floor import Floor
from bayesfloor.floor.leakage import Leakage
from bayesfloor.report.answer import (
    ALREADY_MET,
    BELOW,
    OUT_OF_REACH,
    QUESTIONS,
    REACHABLE,
    ROOM,
    Answer,
)
from bayesfloor.report.facts import CAUTION, NOTE, floor_facts, ground_facts
from bayesfloor.shells.cli.error_axis import ASCII, BLOCKS, draw_axis
from bayesfloor.shells.cli.output import as_flags, print_facts

WIDEST_SCALE = 90
"""Columns of the scale, at most; a wider one says no more. A judgement."""
OPEN_TONE = "yellow"
"""Colour of a verdict that is open."""
VERDICT_STYLES = {
    **dict.fromkeys((REACHABLE, ALREADY_MET, ROOM), "green"),
    **dict.fromkeys((OUT_OF_REACH, BELOW), "red"),
}
"""Colours of verdicts on a terminal; all others are open. The words say the same."""


def print_answer(
    floor: Floor, answer: Answer, console: Console, *, ascii_only: bool = False
) -> None:
    """Print the answer in a line, the scale, what it rests on, cautions, then facts and notes."""
    draws_blocks = console.is_terminal and not (ascii_only or console.options.ascii_only)
    width = min(console.width, WIDEST_SCALE)
    glyphs = BLOCKS if draws_blocks else ASCII
    shown_as = answer.measure.shown_as
    facts = _with_flags(floor_facts(floor, shown_as))
    first = [*ground_facts(floor, shown_as), *(f for f in facts if f[0] == CAUTION)]
    for line in [
        *_headlines(floor, answer),
        Text(),
        *draw_axis(floor, answer, width=width, glyphs=glyphs),
        Text(),
        *_target_lines(answer),
    ]:
        console.print(line, soft_wrap=not console.is_terminal)
    print_facts([*_reasons(answer), *first], console)
    console.print()
    print_facts([fact for fact in facts if fact not in first], console)


def _with_flags(facts: list[tuple[str, str]]) -> list[tuple[str, str]]:
    """Return facts whose notes name options of the command line, not parameters."""
    return [(name, as_flags(text) if name in (CAUTION, NOTE) else text) for name, text in facts]


def print_leakage(found: Leakage, console: Console) -> None:
    """Print how much of the label the columns give away."""
    console.print()
    console.print(Text(found.headline, "bold"), soft_wrap=not console.is_terminal)
    print_facts(found.facts(), console)


def _headlines(floor: Floor, answer: Answer) -> list[Text]:
    """Return the verdicts and the interval, the most important first."""
    verdicts = [
        Text(printable(reply.heading), f"bold {VERDICT_STYLES.get(reply.verdict, OPEN_TONE)}")
        for name, replies in answer.replies.items()
        for reply in replies
        if not (name == "target" and len(answer.targets) > 1)
    ]
    if len(answer.targets) > 1:
        found = Counter(one.verdict for one in answer.targets).items()
        counts = ", ".join(f"{count} {verdict}" for verdict, count in found)
        verdicts.insert(0, Text(f"{len(answer.targets)} targets: {counts}", "bold"))
    best = answer.measure.best[0].upper() + answer.measure.best[1:]
    sure = f"({as_percent(floor.confidence)} confidence)"
    return [*verdicts, Text(f"{best}: {answer.measure.span(*floor.interval)} {sure}", "bold")]


def _target_lines(answer: Answer) -> list[Text]:
    """Return several targets as a table."""
    if len(answer.targets) < 2:
        return []
    head, *rows = answer.targets.lines()
    return [Text(head, "bold"), *map(Text, rows), Text()]


def _reasons(answer: Answer) -> list[tuple[str, str]]:
    """Return what was asked with its verdict and why; a table has that of several targets."""
    several = len(answer.targets) > 1
    return [
        fact for fact in answer.facts() if not (several and fact[0] == QUESTIONS["target"].fact)
    ]
