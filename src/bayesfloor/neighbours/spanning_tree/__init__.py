"""The Euclidean minimum spanning tree of points, and how many of its edges join two classes.

The tree is exact. Edges have a strict total order, so there is one minimum spanning tree, and two
algorithms find it: `prim` in plain NumPy for few points, `boruvka` in compiled code for many.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

from __future__ import annotations

from bayesfloor.neighbours.spanning_tree.edges import cross_edges, spanning_edges

__all__ = ["cross_edges", "spanning_edges"]
