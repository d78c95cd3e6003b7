"""Which rows are learned from and which are held out: folds and thirds that part no copies."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from bayesfloor.base.arrays import Ints
from bayesfloor.representation.maps import MANY_ROWS
from bayesfloor.sample.distinct_points import Cells
from bayesfloor.sample.folds import assign_folds, assign_groups

THIRDS = 3
"""Parts of the rows whose maps, by how they do on a second part, give weights for a third."""
SMALLER_PARTS = 2
"""Parts of a third that are learned from for the learning curve, one inside the other: with folds
and whole thirds it has four sizes, which tell a power from others and leave one to check."""
COMMON_CLASS = 10
"""Rows of a class from which on chance alone spreads them over folds and thirds: a third then lacks
one class in sixty."""
MOST_JOINED = 10
"""One in so many rows may be joined by copies that several groups have: a judgement, which leaves
one such part to each of ten folds."""


@dataclass(frozen=True, slots=True, eq=False)
class Split:
    """Rows to learn from, and others that are held out."""

    training: Ints
    held_out: Ints


@dataclass(frozen=True, slots=True)
class Scheme:
    """How many maps are learned, and on how many rows."""

    folds: int  # the maps of one learn from the rows of the others
    shrinks_by: int  # times smaller each part of a third is than the one before
    learned_share: str  # what is left to learn from, in words
    repeats: int = 1  # times that all rows are assigned to folds

    @property
    def fits(self) -> int:
        """Fits of each map."""
        return self.folds * self.repeats + THIRDS * (1 + SMALLER_PARTS)


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """The rows in folds and in thirds. Copies of a row, or rows of a group, are never parted.

    Maps learned outside of a fold are measured inside, so that no map has seen a row that it is
    measured on. Maps learned on a third are measured on both others, so that every row is measured
    by two maps that were learned on rows apart.
    """

    folds: tuple[Ints, ...]  # of (n,) each, as often as rows are assigned to folds
    third: Ints  # (n,)
    labels: Ints  # (n,)
    order: Ints  # (n,), the rows in an order that does not depend on how they came
    scheme: Scheme
    seed: int
    units: Ints | None = None  # (n,), what is not parted where rows have groups

    @property
    def fold(self) -> Ints:
        """The first assignment to folds, (n,)."""
        return self.folds[0]

    def fold_splits(self) -> list[Split]:
        """Return the splits of all folds, one assignment after the other."""
        return [
            Split(self.order[in_order != f], self.order[in_order == f])
            for in_order in (fold[self.order] for fold in self.folds)
            for f in range(self.scheme.folds)
        ]

    def third_splits(self, steps: int = 0) -> list[Split]:
        """Return the splits of all thirds, or those that learn on smaller parts of each."""
        in_order, splits = self.third[self.order], []
        for t in range(THIRDS):
            rows = self.order[in_order == t]
            rng = np.random.default_rng([self.seed, t])
            part = self._part(rows, self.scheme.shrinks_by**steps, rng)
            splits.append(Split(part, self.order[in_order != t]))
        return splits

    def _part(self, rows: Ints, divisor: int, rng: np.random.Generator) -> Ints:
        """Return a part of some rows, inside of that of a smaller divisor."""
        if self.units is None:
            return rows[assign_folds(self.labels[rows], divisor, rng) == 0]
        units, own = np.unique(self.units[rows], return_inverse=True)
        shuffled = rng.permutation(len(units))
        before = np.empty(len(units), dtype=np.int64)
        sizes = np.bincount(own)[shuffled]
        before[shuffled] = np.cumsum(sizes) - sizes
        return rows[(before * divisor < len(rows))[own]]


USUAL_FOLDS, USUAL_SHARE = 5, "four fifths"
"""Folds of cross-validation as is usual, and what they leave to learn from."""
SCHEMES = {
    0: Scheme(10, shrinks_by=2, learned_share="nine tenths", repeats=2),
    5_000: Scheme(10, shrinks_by=4, learned_share="nine tenths"),
    10_000: Scheme(USUAL_FOLDS, shrinks_by=4, learned_share=USUAL_SHARE),
    MANY_ROWS: Scheme(4, shrinks_by=4, learned_share="three quarters"),
}
"""The schemes, by the rows from which on they are used. Few rows are learned from quickly: ten
folds leave more of them to learn from, and the mean over two assignments depends less on chance.
Among thousands, curves have little noise however few rows are measured; among many, a few more to
learn from do not show, and a fit takes seconds."""
FEWEST_UNITS = 20
"""Groups from which on there may be ten folds: two in each."""


def scheme_for(n: int, *, quick: bool = False) -> Scheme:
    """Return the scheme for so many rows; a quick one has no more folds than usual.

    Examples
    --------
    >>> scheme_for(1000).fits, scheme_for(1000, quick=True).fits
    (29, 14)
    """
    scheme = SCHEMES[max(rows for rows in SCHEMES if rows <= n)]
    if not quick or scheme.folds <= USUAL_FOLDS:
        return scheme
    return replace(scheme, folds=USUAL_FOLDS, learned_share=USUAL_SHARE, repeats=1)


def make_partition(
    cells: Cells, labels: Ints, seed: int, groups: Ints | None = None, *, quick: bool = False
) -> Partition:
    """Assign the distinct points of a sample, or its groups, to folds and to thirds.

    The rows of rare classes are spread evenly. Those of others are not: with as many in each fold,
    the rows that are learned from would tell which class has more of the rows that are measured,
    and where classes hardly differ that alone would make the error look lower than it is.
    """
    of_folds, of_thirds = np.random.default_rng(seed).spawn(2)
    order = np.lexsort((labels, cells.of_row))
    if groups is not None:
        return _partition_of_groups(cells, labels, groups, order, seed, quick)
    first = order[np.searchsorted(cells.of_row[order], np.arange(len(cells.points)))]
    scheme = scheme_for(len(order), quick=quick)
    rare = np.bincount(labels[first])[labels[first]] < COMMON_CLASS
    strata = np.where(rare, labels[first], -1)
    third, *folds = (
        assign_folds(strata, count, rng)[cells.of_row]
        for count, rng in ((THIRDS, of_thirds), *[(scheme.folds, of_folds)] * scheme.repeats)
    )
    return Partition(tuple(folds), third, labels, order, scheme, seed)


def _partition_of_groups(
    cells: Cells, labels: Ints, groups: Ints, order: Ints, seed: int, quick: bool
) -> Partition:
    """Assign groups, together with copies of their rows, to folds and to thirds."""
    of_folds, of_thirds = np.random.default_rng(seed).spawn(2)
    units = joined_units(cells, groups)
    few = int(units.max()) + 1 < FEWEST_UNITS
    scheme = scheme_for(len(order), quick=quick or few)
    strata, sizes = rare_strata(units, labels), np.bincount(units)
    third, *folds = (
        assign_groups(strata, sizes, count, rng)[units]
        for count, rng in ((THIRDS, of_thirds), *[(scheme.folds, of_folds)] * scheme.repeats)
    )
    return Partition(tuple(folds), third, labels, order, scheme, seed, units)


def joined_units(cells: Cells, groups: Ints) -> Ints:
    """Return what is not parted, (n,): groups, joined where copies of rows are in several of them.

    Where that would make too much of all rows one, as in tables of few different rows, groups are
    not joined: a copy in another group is then a row like any other.

    Examples
    --------
    >>> from bayesfloor.sample.distinct_points import make_cells
    >>> from bayesfloor.sample.gate import make_sample
    >>> points = np.array([0, 1, 1, *range(2, 39)])[:, None]
    >>> cells = make_cells(make_sample(points, np.arange(40) % 2))
    >>> joined_units(cells, np.arange(40) // 2)[:6].tolist()
    [0, 0, 0, 0, 1, 1]
    """
    count = int(groups.max()) + 1
    ends = (groups, count + cells.of_row)
    size = count + len(cells.points)
    graph = coo_array((np.ones(len(groups)), ends), shape=(size, size))
    component = connected_components(graph, directed=False)[1][:count][groups]
    units = np.unique(component, return_inverse=True)[1]
    too_large = max(len(groups) / MOST_JOINED, float(np.bincount(groups).max()))
    if np.bincount(units).max() > too_large:
        return groups
    first = np.full(units.max() + 1, count)
    np.minimum.at(first, units, groups)  # components are numbered by their first group
    return np.argsort(np.argsort(first))[units]


def rare_strata(units: Ints, labels: Ints) -> Ints:
    """Return the rarest class of each unit if few units have rows of it, −1 for others, (u,)."""
    m = int(labels.max()) + 1
    pairs = np.unique(units * m + labels)
    unit, label = np.divmod(pairs, m)
    having = np.bincount(label, minlength=m)
    order = np.lexsort((label, having[label], unit))
    rarest = label[order[np.searchsorted(unit[order], np.arange(unit.max() + 1))]]
    return np.where(having[rarest] < COMMON_CLASS, rarest, -1)
