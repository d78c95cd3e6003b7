"""The gate: anything that holds a labelled sample becomes a trusted `Sample`.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
