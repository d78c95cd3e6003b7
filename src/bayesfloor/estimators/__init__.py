"""Estimators of the mismatch, by name."""
