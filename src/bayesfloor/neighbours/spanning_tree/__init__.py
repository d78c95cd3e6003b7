"""Points to the edges of their Euclidean minimum spanning tree, and the edges that join classes.

The tree is exact. Edges have a strict total order, so there is one minimum spanning tree, and two
engines find it: `prim` in plain NumPy for few points, `boruvka` in compiled code for many.
"""

from __future__ import annotations

from bayesfloor.neighbours.spanning_tree.edges import cross_edges, spanning_edges

__all__ = ["cross_edges", "spanning_edges"]
