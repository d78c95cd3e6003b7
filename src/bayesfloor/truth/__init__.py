"""Distributions whose divergence and Bayes error are known exactly."""
