"""The command line: parse, call, print. Answers go to stdout, talk and errors to stderr."""

from bayesfloor.shells.cli.app import make_app, run_app
from bayesfloor.shells.cli.commands.columns import columns
from bayesfloor.shells.cli.commands.compare import compare
from bayesfloor.shells.cli.commands.demo import demo
from bayesfloor.shells.cli.commands.estimate import estimate
from bayesfloor.shells.cli.commands.paper import paper
from bayesfloor.shells.cli.commands.serve import serve
from bayesfloor.shells.cli.commands.shift import shift
from bayesfloor.shells.cli.commands.votes import votes

__all__ = ["COMMANDS", "app", "main"]

COMMANDS = (estimate, votes, compare, columns, shift, serve, demo, paper)
"""Each is a function in a module of its own; help lists them in this order."""

app = make_app(COMMANDS)


def main() -> None:
    """Run the command line."""
    run_app(app)
