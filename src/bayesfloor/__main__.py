"""`python -m bayesfloor` is the command line."""

from bayesfloor.shells.cli import main

main()
