"""Columns that belong together: encodings of one column, and columns that say the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats

STRONG_CORRELATION = 0.95
"""Correlation from which on columns are one group: either can stand for the other, so that neither
would be missed alone. A judgement."""
MOST_CORRELATED_ROWS = 10_000
"""Rows, evenly spaced, that correlations are read from: they are known to a percent."""
ENCODED = ("=", "~", " ")
"""What follows the name of a column in those of its encodings: a text, a share of rarer texts, the
part of a date or the mark of missing values."""


@dataclass(frozen=True, slots=True)
class ColumnGroup:
    """Columns that are looked at together."""

    names: tuple[str, ...]  # as they came
    places: tuple[int, ...]  # of all their encodings

    @property
    def name(self) -> str:
        """The names in one text."""
        return " / ".join(self.names)


def encoded_places(names: Sequence[str], originals: Sequence[str]) -> dict[str, list[int]]:
    """Return where the encodings of each original column are.

    Examples
    --------
    >>> encoded_places(["age", "town=x", "town=y", "age is missing"], ["age", "town"])
    {'age': [0, 3], 'town': [1, 2]}
    """
    places: dict[str, list[int]] = {name: [] for name in originals}
    longest = sorted(originals, key=len, reverse=True)
    for place, name in enumerate(names):
        own = name if name in places else next((o for o in longest if _encodes(name, o)), name)
        places.setdefault(own, []).append(place)
    return {name: found for name, found in places.items() if found}


def _encodes(name: str, original: str) -> bool:
    return any(name.startswith(f"{original}{mark}") for mark in ENCODED)


def make_groups(points: Floats, places: dict[str, list[int]]) -> list[ColumnGroup]:
    """Merge columns that are strongly correlated, directly or through others.

    Columns with several encodings are the same if each encoding has its like in the other.

    Examples
    --------
    >>> points = np.array([[1.0, 2.0, 5.0], [2.0, 4.0, 1.0], [3.0, 6.0, 4.0], [4.0, 8.0, 2.0]])
    >>> [group.names for group in make_groups(points, {"a": [0], "b": [1], "c": [2]})]
    [('a', 'b'), ('c',)]
    """
    alike = _correlations(points) >= STRONG_CORRELATION
    names, root = list(places), {name: name for name in places}
    for j, second in enumerate(names):
        for first in names[:j]:
            block = alike[np.ix_(places[first], places[second])]
            if block.any(axis=0).all() and block.any(axis=1).all():
                old, new = root[second], root[first]
                root = {name: new if own == old else own for name, own in root.items()}
    return [
        ColumnGroup(
            members := tuple(name for name in names if root[name] == leader),
            tuple(place for name in members for place in places[name]),
        )
        for leader in dict.fromkeys(root.values())
    ]


def _correlations(points: Floats) -> Floats:
    """Return how strongly columns are correlated, whatever the sign, (d, d)."""
    some = points[:: len(points) // MOST_CORRELATED_ROWS + 1]
    centred = some - some.mean(axis=0)
    norms = np.sqrt((centred**2).sum(axis=0))
    centred /= np.where(norms > 0, norms, 1.0)
    return np.abs(centred.T @ centred)
