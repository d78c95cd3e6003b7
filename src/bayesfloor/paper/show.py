"""The verdict table on the terminal."""

from __future__ import annotations

from collections.abc import Sequence

from rich.console import Console
from rich.table import Table
from rich.text import Text

from bayesfloor.paper.claims import Verdict

COLOURS = {"holds": "green", "partly": "yellow", "fails": "red", "open": "cyan", "absent": "dim"}
"""Colour of a verdict on a terminal, by its kind."""


def show_verdicts(verdicts: Sequence[Verdict], console: Console) -> None:
    """Print a table on a terminal, else four plain lines a claim."""
    if console.is_terminal:
        console.print(_table(verdicts))
        return
    for verdict in verdicts:
        for line in _lines(verdict):
            console.print(Text(line), soft_wrap=True)


def _table(verdicts: Sequence[Verdict]) -> Table:
    table = Table("figure", "claim", "verdict", "measured", show_lines=True, highlight=False)
    for verdict in verdicts:
        claim, finding = verdict.claim, verdict.finding
        table.add_row(
            str(claim.figure),
            Text(claim.quotation),
            Text(finding.verdict, style=COLOURS[verdict.kind]),
            Text(f"{finding.numbers} {finding.why}".strip()),
        )
    return table


def _lines(verdict: Verdict) -> list[str]:
    claim, finding = verdict.claim, verdict.finding
    lines = [f"figure {claim.figure}: {claim.quotation}", f"  {finding.verdict}"]
    lines += [f"  measured: {finding.numbers}"] if finding.numbers != "–" else []
    return lines + ([f"  why: {finding.why}"] if finding.why else [])
