"""Compiled code, and what it works on.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
