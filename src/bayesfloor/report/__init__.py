"""A floor as charts and as a page worth reading.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
