"""The compiled half of boosting: trees grown from histograms, leaf after leaf.

The columns are bins, at most 256 of them. For every leaf, column and bin the gradients, hessians
and rows are summed; a split is a cut through these sums, and the sums of a leaf's larger part are
those of the leaf less those of the smaller part (Ke et al. 2017, LightGBM). The leaf whose split
gains most is split next.

A column that is `alone` is made of several columns of two values that are never on together. Its
bins have no order: a split parts one of them from all others, as the column it came from would.

Loops are spelled out and arrays come from outside: that halves the time to compile.
"""

from __future__ import annotations

import numpy as np

from bayesfloor.base.arrays import Bools, Floats, Ints, SmallInts
from bayesfloor.neighbours.kernels.jit import jit_in_order

LEAST_HESSIAN = 1e-3
"""Sum of hessians on either side of a split, at least: as in scikit-learn's boosting."""
NEVER_ZERO = 1e-15
"""Added to sums of hessians that are divided by."""
NO_SPLIT = -1
"""The column of a node that is a leaf."""
COLUMN, BIN, LEFT, RIGHT = 0, 1, 2, 3
"""What a node holds: rows up to the bin go left, or rows of the bin if the column is alone."""
FIRST, LAST, NODE, PLACE = 2, 3, 4, 5
"""What a leaf holds beside column and bin of its best split: its rows lie next to each other, up
to one before the last; its node; and the place of its sums."""
GRADIENT, HESSIAN, COUNT, GAIN = 0, 1, 2, 2
"""What is summed in each bin: gradients, hessians and rows. A leaf has the gain of its best split
instead of the last."""


@jit_in_order
def boost(
    bins: SmallInts,
    counts: Ints,
    alone: Bools,
    labels: Ints,
    scores: Floats,
    slopes: Floats,
    rows: Ints,
    gathered: Floats,
    sums: Floats,
    leaves: Ints,
    totals: Floats,
    rows_of_leaf: int,
    penalty: float,
    step: float,
    nodes: SmallInts,
    values: Floats,
) -> None:
    """Boost trees of the logistic loss: one a round for two classes, else one for each class.

    Parameters
    ----------
    bins : (d, n) array of bytes
        The bin of each row in each column.
    counts, alone : (d,) arrays
        Bins of each column, and whether a split parts one of them from all others.
    labels : (n,) array
        The class of each row.
    scores : (trees, n) array
        Where the log-odds begin; changed.
    slopes, rows, gathered, sums, leaves, totals : arrays
        Room to work in: (trees, 2, n); (2, n); (2, n); (leaves, d, bins, 3); (leaves, 6);
        (leaves, 3).
    rows_of_leaf : int
        Rows of a leaf, at least.
    penalty, step : float
        Added to every sum of hessians, and the share of Newton's step that a tree takes.
    nodes, values : (rounds, trees, 2 leaves, 4) and (rounds, trees, 2 leaves) arrays
        Written: the trees, and what their leaves add to the log-odds.
    """
    for r in range(nodes.shape[0]):
        _write_slopes(scores, labels, slopes)
        for t in range(scores.shape[0]):
            used = _grow(
                bins,
                counts,
                alone,
                slopes[t],
                rows,
                gathered,
                sums,
                leaves,
                totals,
                rows_of_leaf,
                penalty,
                nodes[r, t],
            )
            for k in range(used):
                value = -step * totals[k, GRADIENT] / (totals[k, HESSIAN] + penalty + NEVER_ZERO)
                values[r, t, leaves[k, NODE]] = value
                for i in range(leaves[k, FIRST], leaves[k, LAST]):
                    scores[t, rows[0, i]] += value


@jit_in_order
def sum_trees(
    bins: SmallInts, alone: Bools, nodes: SmallInts, values: Floats, scores: Floats
) -> None:
    """Add what all trees say of each row, given as bins, (n, d), to its scores, (n, trees)."""
    for i in range(bins.shape[0]):
        for t in range(nodes.shape[1]):
            for r in range(nodes.shape[0]):
                k = 0
                while nodes[r, t, k, COLUMN] != NO_SPLIT:
                    column, cut = nodes[r, t, k, COLUMN], nodes[r, t, k, BIN]
                    b = bins[i, column]
                    left = b == cut if alone[column] else b <= cut
                    k = nodes[r, t, k, LEFT] if left else nodes[r, t, k, RIGHT]
                scores[i, t] += values[r, t, k]


@jit_in_order
def _write_slopes(scores: Floats, labels: Ints, slopes: Floats) -> None:
    """Write gradients and hessians of the logistic loss."""
    trees = scores.shape[0]
    for i in range(scores.shape[1]):
        if trees == 1:
            p = 1 / (1 + np.exp(-scores[0, i]))
            slopes[0, 0, i], slopes[0, 1, i] = p - labels[i], p * (1 - p)
            continue
        largest, total = scores[0, i], 0.0
        for t in range(1, trees):
            largest = max(largest, scores[t, i])
        for t in range(trees):
            slopes[t, 0, i] = np.exp(scores[t, i] - largest)
            total += slopes[t, 0, i]
        for t in range(trees):
            p = slopes[t, 0, i] / total
            slopes[t, 0, i], slopes[t, 1, i] = p - (labels[i] == t), p * (1 - p)


@jit_in_order
def _grow(
    bins: SmallInts,
    counts: Ints,
    alone: Bools,
    slopes: Floats,
    rows: Ints,
    gathered: Floats,
    sums: Floats,
    leaves: Ints,
    totals: Floats,
    rows_of_leaf: int,
    penalty: float,
    tree: SmallInts,
) -> int:
    """Grow a tree, the leaf of most gain first, and return how many leaves it has."""
    n = rows.shape[1]
    for k in range(leaves.shape[0]):
        leaves[k, PLACE], totals[k, GAIN] = k, 0.0
    leaves[0, FIRST], leaves[0, LAST], leaves[0, NODE] = 0, n, 0
    totals[0, GRADIENT] = totals[0, HESSIAN] = 0.0
    for i in range(n):
        rows[0, i] = i
        totals[0, GRADIENT] += slopes[0, i]
        totals[0, HESSIAN] += slopes[1, i]
    tree[0, COLUMN] = NO_SPLIT
    _sum_bins(bins, counts, slopes, rows, gathered, 0, n, sums[0])
    new, parent, fresh = 1, 0, 0  # leaves whose best splits are not known yet: parent, fresh
    while True:
        for again in range(2 if fresh else 1):
            k = fresh if again else parent
            _find_split(
                sums[leaves[k, PLACE]], counts, alone, leaves, totals, k, rows_of_leaf, penalty
            )
        parent = 0
        for k in range(1, new):
            if totals[k, GAIN] > totals[parent, GAIN]:
                parent = k
        if totals[parent, GAIN] <= 0:
            return new
        fresh = new
        new += 1
        _split(bins, alone, sums, leaves, totals, parent, fresh, rows, tree)
        if new == leaves.shape[0]:
            return new
        _part_sums(bins, counts, slopes, rows, gathered, sums, leaves, parent, fresh)


@jit_in_order
def _sum_bins(
    bins: SmallInts,
    counts: Ints,
    slopes: Floats,
    rows: Ints,
    gathered: Floats,
    first: int,
    last: int,
    out: Floats,
) -> None:
    """Sum gradients, hessians and rows over each bin of each column, for some rows."""
    for i in range(first, last):
        gathered[0, i], gathered[1, i] = slopes[0, rows[0, i]], slopes[1, rows[0, i]]
    for j in range(counts.shape[0]):
        for b in range(counts[j]):
            out[j, b, GRADIENT] = out[j, b, HESSIAN] = out[j, b, COUNT] = 0.0
        for i in range(first, last):
            b = bins[j, rows[0, i]]
            out[j, b, GRADIENT] += gathered[0, i]
            out[j, b, HESSIAN] += gathered[1, i]
            out[j, b, COUNT] += 1.0


@jit_in_order
def _part_sums(
    bins: SmallInts,
    counts: Ints,
    slopes: Floats,
    rows: Ints,
    gathered: Floats,
    sums: Floats,
    leaves: Ints,
    k: int,
    new: int,
) -> None:
    """Sum over the smaller part of a leaf that was split; the larger part has what is left."""
    small, large = k, new
    if leaves[k, LAST] - leaves[k, FIRST] > leaves[new, LAST] - leaves[new, FIRST]:
        small, large = new, k
    old, free = leaves[k, PLACE], leaves[new, PLACE]
    leaves[large, PLACE], leaves[small, PLACE] = old, free
    first, last = leaves[small, FIRST], leaves[small, LAST]
    _sum_bins(bins, counts, slopes, rows, gathered, first, last, sums[free])
    for j in range(counts.shape[0]):
        for b in range(counts[j]):
            for what in range(3):
                sums[old, j, b, what] -= sums[free, j, b, what]


@jit_in_order
def _find_split(
    sums: Floats,
    counts: Ints,
    alone: Bools,
    leaves: Ints,
    totals: Floats,
    k: int,
    rows_of_leaf: int,
    penalty: float,
) -> None:
    """Write the split of a leaf that gains most."""
    totals[k, GAIN] = 0.0
    n = leaves[k, LAST] - leaves[k, FIRST]
    if n < 2 * rows_of_leaf:
        return
    below, all_gradient, all_hessian = penalty + NEVER_ZERO, totals[k, GRADIENT], totals[k, HESSIAN]
    unsplit = all_gradient * all_gradient / (all_hessian + below)
    for j in range(counts.shape[0]):
        gradient, hessian, left = 0.0, 0.0, 0.0
        for b in range(counts[j]):
            if alone[j]:
                gradient, hessian, left = 0.0, 0.0, 0.0
            gradient += sums[j, b, GRADIENT]
            hessian += sums[j, b, HESSIAN]
            left += sums[j, b, COUNT]
            rest, other = all_hessian - hessian, all_gradient - gradient
            if left < rows_of_leaf or n - left < rows_of_leaf:
                continue
            if hessian < LEAST_HESSIAN or rest < LEAST_HESSIAN:
                continue
            gain = gradient * gradient / (hessian + below) + other * other / (rest + below)
            if gain - unsplit > totals[k, GAIN]:
                totals[k, GAIN] = gain - unsplit
                leaves[k, COLUMN], leaves[k, BIN] = j, b


@jit_in_order
def _split(
    bins: SmallInts,
    alone: Bools,
    sums: Floats,
    leaves: Ints,
    totals: Floats,
    k: int,
    new: int,
    rows: Ints,
    tree: SmallInts,
) -> None:
    """Split a leaf: its left part keeps its number, the right one has a new one."""
    column, cut, above, node = leaves[k, COLUMN], leaves[k, BIN], leaves[k, NODE], 2 * new - 1
    left, right = leaves[k, FIRST], 0
    for i in range(leaves[k, FIRST], leaves[k, LAST]):
        b, row = bins[column, rows[0, i]], rows[0, i]
        if (b == cut) if alone[column] else (b <= cut):
            rows[0, left] = row
            left += 1
        else:
            rows[1, right] = row
            right += 1
    for i in range(right):
        rows[0, left + i] = rows[1, i]
    tree[above, COLUMN], tree[above, BIN] = column, cut
    tree[above, LEFT], tree[above, RIGHT] = node, node + 1
    tree[node, COLUMN] = tree[node + 1, COLUMN] = NO_SPLIT
    leaves[k, NODE], leaves[new, NODE] = node, node + 1
    leaves[new, FIRST], leaves[new, LAST], leaves[k, LAST] = left, leaves[k, LAST], left
    place = leaves[k, PLACE]
    for what in range(2):
        part = 0.0
        for b in range(cut if alone[column] else 0, cut + 1):
            part += sums[place, column, b, what]
        totals[new, what] = totals[k, what] - part
        totals[k, what] = part
