"""The methods of the figures: a key of METHODS, for k-NN with its k, written as one label."""

from __future__ import annotations

from typing import NamedTuple


class FigureMethod(NamedTuple):
    """A method as a figure runs it."""

    name: str  # a key of METHODS
    k: int = 1  # neighbours; methods other than knn ignore it


def parse_method(label: str) -> FigureMethod:
    """Read the label of a method, as data files and legends show it.

    Examples
    --------
    >>> parse_method("knn k=10")
    FigureMethod(name='knn', k=10)
    >>> parse_method("mst")
    FigureMethod(name='mst', k=1)
    """
    name, _, k = label.partition(" k=")
    return FigureMethod(name, int(k)) if k else FigureMethod(name)
