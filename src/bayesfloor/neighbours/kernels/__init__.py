"""Compiled code, and what it works on."""
