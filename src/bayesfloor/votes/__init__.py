"""Items with several votes each: their counts, and what these say of the Bayes error.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
