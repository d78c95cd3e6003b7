"""The command line: parse, call, print. Answers go to stdout, talk and errors to stderr.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

from bayesfloor.shells.cli.app import make_app, run_app
from bayesfloor.shells.cli.command import Command

__all__ = ["COMMANDS", "app", "main"]

COMMANDS = (
    Command("estimate", "Tell how low the error of any classifier can go on a table."),
    Command("votes", "Do so for items that several people labelled."),
    Command("compare", "Compare the floors of sets of columns, or of samples."),
    Command("columns", "Tell which columns would be missed, and which are enough."),
    Command("shift", "Tell whether new rows are drawn like old ones, and what differs."),
    Command("serve", "Serve a page on this machine: drop a table on it, read the report."),
    Command("demo", "Bound the error on a small real table that scikit-learn holds."),
    Command("paper", "Reproduce Noshad & Hero (2018) and check its claims."),
)
"""Each has a module of its own in `commands/`; help lists them in this order."""

app = make_app(COMMANDS)


def main() -> None:
    """Run the command line."""
    run_app(app)
