"""Thin shells around the library: they parse, call and print."""
