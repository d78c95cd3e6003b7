"""What every layer may use: errors, arrays, formatting, options, files, progress, executors.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
