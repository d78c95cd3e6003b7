"""Engines that find neighbours and sum over their ranks.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
