"""Which columns moved: a test for each, and what changed in it.

A column of numbers is looked at through polynomials of its ranks: the first shows a move of its
middle, the second of its spread, the others of its shape (Neyman's smooth test). A column of texts
is looked at text by text, which is Pearson's chi-squared test. Missing values are one more value.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.formatting import percent, shorten
from bayesfloor.base.p_values import holm
from bayesfloor.two_sample.column_profiles import (
    ColumnProfile,
    ColumnValues,
    column_profile,
    short_number,
)
from bayesfloor.two_sample.permutations import (
    PERMUTATIONS,
    compare_with_permuted,
    is_complete,
    labellings,
)
from bayesfloor.two_sample.smooth_features import LOWEST_SCORE, NO_SPREAD, chi_squared_score

DEGREE = 4
"""Polynomials of the ranks of a column of numbers: middle, spread, lean and shoulders."""
PERMUTED_ROWS = 10_000
"""Rows up to which labels are permuted by default: the chi-squared limit serves more."""
LISTED_TEXTS = 50
"""Texts of a column that are looked at one by one, the most frequent; the others count as one.
A judgement."""


@dataclass(frozen=True, slots=True)
class MovedColumn:
    """What a column shows of the difference between two samples.

    Attributes
    ----------
    name : str
        Of the column.
    p_value : float
        Chance of such a difference, or a larger one, if the samples were alike.
    adjusted : float
        The same with the number of columns told: the chance that any column shows as much.
    change : str
        What changed most, in words.
    profile : ColumnProfile
        Shares of old and new rows by value, for a chart.
    """

    name: str
    p_value: float
    adjusted: float
    change: str
    profile: ColumnProfile


def compare_columns(
    columns: Sequence[ColumnValues], labels: Ints, *, permutations: int | None = None, seed: int = 0
) -> tuple[MovedColumn, ...]:
    """Test each column, and sort them by what they show.

    Parameters
    ----------
    columns : sequence of ColumnValues
        The n values of each.
    labels : (n,) array
        0 for old rows, 1 for new ones.
    permutations : int, optional
        How often labels are permuted: by default 999 times up to 10,000 rows. 0 takes the
        chi-squared limit and Holm's adjustment, as more rows do.
    seed : int
        Of the permutations.
    """
    if permutations is None:
        permutations = PERMUTATIONS if len(labels) <= PERMUTED_ROWS else 0
    features = [column_features(column) for column in columns]
    observed = np.array([_scores(f, labels[:, None])[0] for f in features])
    if permutations:
        single, adjusted = _permuted(features, observed, labels, permutations, seed)
    else:
        single = ndtr(-observed)
        adjusted = holm(single)
    order = np.lexsort((np.arange(len(columns)), -observed))
    return tuple(
        MovedColumn(
            columns[j].name,
            float(single[j]),
            float(adjusted[j]),
            describe_change(columns[j], features[j], labels),
            column_profile(columns[j], labels),
        )
        for j in order
    )


def column_features(column: ColumnValues) -> Floats:
    """Return functions of a column's values, (n, r), orthonormal over the rows, that sum to zero.

    Examples
    --------
    >>> column_features(ColumnValues("x", np.array([1.0, 2.0, 1.0, 2.0]))).shape
    (4, 1)
    """
    from scipy.stats import rankdata

    if column.texts is not None:
        return _text_features(column.values.astype(np.int64))
    missing = np.isnan(column.values)
    present = ~missing
    design = np.zeros((len(missing), DEGREE + 1))
    if present.any():
        place = (rankdata(column.values[present]) - 0.5) / present.sum() * 2 - 1
        powers = np.polynomial.legendre.legvander(place, DEGREE)[:, 1:]
        design[present, :DEGREE] = powers - powers.mean(axis=0)
    design[:, DEGREE] = missing - missing.mean()
    return _orthonormal(design)


def _orthonormal(design: Floats) -> Floats:
    """Make columns orthonormal one after the other, without those that add nothing."""
    basis: list[Floats] = []
    for column in design.T:
        length = float(column @ column)
        for one in (*basis, *basis):  # twice, against rounding
            column = column - (one @ column) * one
        rest = float(column @ column)
        if rest > NO_SPREAD * max(length, NO_SPREAD):
            basis.append(column / np.sqrt(rest))
    return np.column_stack(basis) if basis else np.zeros((len(design), 0))


def _text_features(codes: Ints) -> Floats:
    """Return an orthonormal basis of the indicators of texts, without the constant."""
    counts = np.bincount(codes)
    listed = np.argsort(-counts, kind="stable")[: min(np.count_nonzero(counts), LISTED_TEXTS)]
    design = (codes[:, None] == listed).astype(np.float64)
    return _orthonormal(design - design.mean(axis=0))


def _scores(features: Floats, labels: Floats | Ints) -> Floats:
    """Return the normal score of a column for each labelling, (b,)."""
    n, r = features.shape
    if r == 0:
        return np.full(labels.shape[1], LOWEST_SCORE)
    q = float(labels[:, 0].mean())
    sums = features.T @ labels
    return chi_squared_score((sums**2).sum(axis=0) * (n - 1) / (n * q * (1 - q)), r)


def _permuted(
    features: Sequence[Floats], observed: Floats, labels: Ints, permutations: int, seed: int
) -> tuple[Floats, Floats]:
    """Return p-values by permuted labels: of each column, and against the largest of all.

    The second hold for all columns together (Westfall & Young 1993, the single step).
    """
    new = int(labels.sum())
    blocks = [
        np.array([_scores(f, block.astype(np.float64)) for f in features])
        for block in labellings(len(labels), new, permutations, seed)
    ]
    scores = np.hstack(blocks)
    complete, largest = is_complete(len(labels), new, permutations), scores.max(axis=0)
    pairs = zip(observed, scores, strict=True)
    single = [compare_with_permuted(one, some, complete=complete).p_value for one, some in pairs]
    adjusted = [compare_with_permuted(one, largest, complete=complete).p_value for one in observed]
    return np.array(single), np.array(adjusted)


def describe_change(column: ColumnValues, features: Floats, labels: Ints) -> str:
    """Say what changed most in a column, from the old rows to the new ones."""
    old, new = column.values[labels == 0], column.values[labels == 1]
    if column.texts is not None:
        return _text_change(column.texts, old.astype(np.int64), new.astype(np.int64))
    gaps = np.isnan(old).mean(), np.isnan(new).mean()
    if features.shape[1] == 0:
        return "the same value everywhere"
    if abs(gaps[1] - gaps[0]) > _largest_gap(column.values, labels) or min(gaps) == 1:
        return f"missing {percent(gaps[0])} → {percent(gaps[1])}"
    return _number_change(old[~np.isnan(old)], new[~np.isnan(new)])


def _largest_gap(values: Floats, labels: Ints) -> float:
    """Return the largest difference of the distribution functions of the present values."""
    present = ~np.isnan(values)
    old, new = values[present & (labels == 0)], values[present & (labels == 1)]
    if not (len(old) and len(new)):
        return 0.0
    at = np.concatenate([old, new])
    shares = [np.searchsorted(np.sort(one), at, side="right") / len(one) for one in (old, new)]
    return float(np.abs(shares[0] - shares[1]).max())


def _number_change(old: Floats, new: Floats) -> str:
    """Say how mean or spread moved, whichever moved more standard errors.

    Numbers are divided by the largest first: squares of very large or small ones are no numbers.
    """
    unit = max(np.abs(old).max(), np.abs(new).max()) or 1.0
    old, new = old / unit, new / unit
    spread = np.sqrt((old.var() + new.var()) / 2)
    means, sds = (old.mean(), new.mean()), (old.std(), new.std())
    moved = abs(means[1] - means[0]) / spread if spread > 0 else np.inf
    widened = abs(np.log(sds[1] / sds[0])) * np.sqrt(2) if min(sds) > 0 else 0.0
    name, pair = ("spread", sds) if widened > moved else ("mean", means)
    return f"{name} {short_number(pair[0] * unit)} → {short_number(pair[1] * unit)}"


def _text_change(texts: Sequence[str], old: Ints, new: Ints) -> str:
    """Name the text whose share changed most."""
    shares = [np.bincount(one, minlength=len(texts)) / len(one) for one in (old, new)]
    moved = int(np.abs(shares[1] - shares[0]).argmax())
    return f"{shorten(texts[moved])} {percent(shares[0][moved])} → {percent(shares[1][moved])}"
