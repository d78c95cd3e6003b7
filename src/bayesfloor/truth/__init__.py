"""Distributions whose divergence and Bayes error are known exactly.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
