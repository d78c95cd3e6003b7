"""Thin shells around the library: they parse, call and print.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
