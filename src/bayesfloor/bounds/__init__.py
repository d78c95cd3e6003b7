"""Pure formulas between the mismatch, the divergence and the Bayes error.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
