"""Columns of two samples: their values, and how these are spread in the old and the new rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.formatting import MISSING_WORD, shorten

PROFILE_BARS = 12
"""Bars of a column of numbers. A judgement: a phone shows as many side by side."""
OUTER_SHARE = 0.005
"""Share of the values at either end that the outermost bars take in, however far they are.
A judgement."""
PROFILE_TEXTS = 8
"""Texts with a bar of their own, those whose shares differ most; the others have one together.
A judgement."""
OTHERS = "others"
"""Name of the bar of all other texts."""


@dataclass(frozen=True, slots=True, eq=False)
class ColumnValues:
    """A column of both samples: numbers, NaN where one is missing, or codes of texts."""

    name: str
    values: Floats  # (n,)
    texts: Sequence[str] | None = None  # what the codes stand for; None for numbers


@dataclass(frozen=True, slots=True)
class ColumnProfile:
    """Shares of the old and of the new rows by value."""

    values: tuple[str, ...]  # where each bar starts, or its text
    old: tuple[float, ...]
    new: tuple[float, ...]


def column_profile(column: ColumnValues, labels: Ints) -> ColumnProfile:
    """Return the shares of rows by value, or by range of values.

    Examples
    --------
    >>> column = ColumnValues("x", np.array([0.0, 1.0, 1.0, 0.0]), ["no", "yes"])
    >>> column_profile(column, np.array([0, 0, 1, 1]))
    ColumnProfile(values=('no', 'yes'), old=(0.5, 0.5), new=(0.5, 0.5))
    """
    names, codes = (
        _number_bins(column.values) if column.texts is None else _text_bins(column, labels)
    )
    shares = [
        np.bincount(codes[labels == c], minlength=len(names)) / (labels == c).sum() for c in (0, 1)
    ]
    return ColumnProfile(tuple(names), *(tuple(float(x) for x in one) for one in shares))


def _number_bins(values: Floats) -> tuple[list[str], Ints]:
    """Return the names of equal ranges, and the range of each value; missing ones come last."""
    missing = np.isnan(values)
    present = values[~missing]
    if not len(present):
        return [MISSING_WORD], np.zeros(len(values), dtype=np.int64)
    distinct = np.unique(present)
    if len(distinct) <= PROFILE_BARS:
        names, codes = [short_number(one) for one in distinct], np.searchsorted(distinct, values)
    else:
        low, high = np.quantile(present, [OUTER_SHARE, 1 - OUTER_SHARE])
        share = np.arange(1, PROFILE_BARS) / PROFILE_BARS
        edges = (1 - share) * low + share * high  # the range itself may be no number
        names = [short_number(one) for one in (low, *edges)]
        codes = np.searchsorted(edges, values, side="right")
    if missing.any():
        codes = np.where(missing, len(names), codes)
        names.append(MISSING_WORD)
    return names, codes


def _text_bins(column: ColumnValues, labels: Ints) -> tuple[list[str], Ints]:
    """Return the texts whose shares differ most, and the others as one."""
    assert column.texts is not None
    codes = column.values.astype(np.int64)
    shares = [
        np.bincount(codes[labels == c], minlength=len(column.texts)) / (labels == c).sum()
        for c in (0, 1)
    ]
    listed = np.sort(np.argsort(-np.abs(shares[1] - shares[0]), kind="stable")[:PROFILE_TEXTS])
    place = np.full(len(column.texts), len(listed))
    place[listed] = np.arange(len(listed))
    names = [shorten(column.texts[j]) for j in listed]
    return names + ([OTHERS] if len(listed) < len(column.texts) else []), place[codes]


def short_number(value: float) -> str:
    """Write a number with four digits.

    Examples
    --------
    >>> short_number(12345.678), short_number(0.0123456), short_number(3.0)
    ('12346', '0.01235', '3')
    """
    rounded = round(value) if abs(value) >= 1000 else float(f"{value:.4g}")
    return shorten(float(rounded))


def array_columns(names: Sequence[str], points: Floats) -> list[ColumnValues]:
    """Return the columns of an array of numbers."""
    return [ColumnValues(name, points[:, j]) for j, name in enumerate(names)]
