"""Estimators of the mismatch, by name.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
