"""Foundations that every layer may use: errors, arrays, options, files, progress, threads."""
