r"""Populations of groups with exact Bayes errors on new groups: what panels are drawn from.

Row i of group g has points of unit variance, a share of which is common to the group, and class 1
if :math:`a x_{i1} + s u_g + \varepsilon_i > 0`, with :math:`u_g` the group's own, standard normal
like :math:`\varepsilon_i`. Of a new group :math:`u_g` is not known, so that
:math:`\eta(x) = \Phi(b x_1)` with :math:`b = a / \sqrt{1 + s^2}`, and the Bayes error is
:math:`\tfrac12 - \arctan(b) / \pi`: the angle between :math:`x_1` and what decides.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import atan, pi, sqrt

import numpy as np

from bayesfloor.base.arrays import Floats, Ints


@dataclass(frozen=True, slots=True)
class Panel:
    """A population of groups, two classes.

    Examples
    --------
    >>> round(Panel("one", slope=1.0, effect=0.0).bayes_error, 6)
    0.25
    """

    name: str
    slope: float  # a
    effect: float  # s, of the group on its labels
    together: float = 0.0  # share of the points' variance that is common to a group
    columns: int = 2
    rows: int = 10  # of a group, on average
    unequal: bool = False  # whether groups have from 1 row to twice the mean, and more

    @property
    def bayes_error(self) -> float:
        """Error of the best classifier on rows of new groups."""
        return 0.5 - atan(self.slope / sqrt(1 + self.effect**2)) / pi

    def draw(self, groups: int, rng: np.random.Generator) -> tuple[Floats, Ints, Ints]:
        """Return points, labels and groups of some groups."""
        sizes = np.full(groups, self.rows)
        if self.unequal:
            sizes = 1 + rng.geometric(1 / self.rows, groups)
        group = np.repeat(np.arange(groups), sizes)
        shape = (len(group), self.columns)
        common = rng.normal(size=(groups, self.columns))[group]
        points = sqrt(self.together) * common + sqrt(1 - self.together) * rng.normal(size=shape)
        drawn = self.effect * rng.normal(size=groups)[group] + rng.normal(size=len(group))
        return points, (self.slope * points[:, 0] + drawn > 0).astype(np.int64), group


PANELS: dict[str, Panel] = {
    panel.name: panel
    for panel in (
        Panel("no effect of groups", slope=2.0, effect=0.0),
        Panel("groups decide", slope=0.0, effect=20.0, together=0.99),
        Panel("both", slope=2.0, effect=1.0, together=0.5),
        Panel("both, unequal", slope=2.0, effect=1.0, together=0.5, unequal=True),
        Panel("both, 3 columns", slope=4.0, effect=2.0, together=0.9, columns=3),
        Panel("both, 10 columns", slope=4.0, effect=1.0, together=0.5, columns=10),
    )
}
"""What benchmarks/groups.py measures: groups that tell nothing, all, and some of the label."""
