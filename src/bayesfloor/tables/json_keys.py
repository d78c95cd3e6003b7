"""Objects with keys of their own are told before each key becomes a column of all rows."""

from __future__ import annotations

import re

import numpy as np

from bayesfloor.base.errors import DataError
from bayesfloor.base.memory import show_size

JSON_KEY = re.compile(rb'"([^"\\]*+(?:\\.[^"\\]*+)*+)"\s*+:', re.DOTALL)
"""Matches a key with its colon."""
JSON_CELL_BYTES = 8
"""Bytes of a cell of a column, filled or not."""
KEY_PROBES, PROBE_BYTES = 100, 4096
"""Places of a long text in which keys are looked at, and bytes of each: they take milliseconds."""


def check_keys(data: bytes, rows: int, limit: int) -> None:
    """Refuse objects whose keys, a column each, would take more bytes than `limit`.

    Keys are counted only where some places of the text, drawn at random so that no file can know
    them, have many keys that occur once.

    Examples
    --------
    >>> check_keys(b'{"a": 1}{"b": 2}', rows=2, limit=31)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    bayesfloor.base.errors.DataError: 2 rows have 2 different keys, ... give all rows the same keys
    """
    most = limit // (JSON_CELL_BYTES * max(rows, 1))
    if data.count(b":") <= most or _likely_keys(data) <= most:
        return
    keys = len(set(JSON_KEY.findall(data)))
    if keys > most:
        raise DataError(
            f"{rows:,} rows have {keys:,} different keys, and a column for each would take more"
            f" than {show_size(limit)}; give all rows the same keys"
        )


def _likely_keys(data: bytes) -> float:
    """Estimate the different keys from those of some places, and from how many occur there once.

    The share of keys seen once is the chance that the next one is new (Good 1953).
    """
    if len(data) <= KEY_PROBES * PROBE_BYTES:
        return np.inf
    starts = np.random.default_rng().integers(len(data) - PROBE_BYTES, size=KEY_PROBES)
    found = [JSON_KEY.findall(data, a, a + PROBE_BYTES) for a in starts.tolist()]
    names, counts = np.unique(np.array([key for keys in found for key in keys]), return_counts=True)
    seen = max(int(counts.sum()), 1)
    all_keys = seen * len(data) / (KEY_PROBES * PROBE_BYTES)
    return len(names) + float((counts == 1).sum()) / seen * all_keys
