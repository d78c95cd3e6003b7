"""What the neighbours say of a sample: smooth trend, posteriors, rank curve.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
