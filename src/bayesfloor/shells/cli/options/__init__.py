"""Options of the command line, each declared once; records of them are parameters of commands.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
