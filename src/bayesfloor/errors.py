"""The one error that bad input raises."""

from __future__ import annotations


class DataError(ValueError):
    """Input that cannot be used; the message says what came, where, and what to do."""
