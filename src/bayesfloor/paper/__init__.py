"""The numerical section of Noshad & Hero (2018): simulated, drawn, and its claims checked.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""
