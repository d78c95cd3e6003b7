"""One module a command.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
