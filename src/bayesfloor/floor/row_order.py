"""Rows that come in time order or in groups are told by labels that seldom change."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from bayesfloor.base.cautions import Caution
from bayesfloor.base.formatting import as_percent
from bayesfloor.sample.sample import Sample

FEW_CHANGES = 0.75
"""Changes of the label from row to row, over those of rows in random order, below which the order
is not random: a judgement."""
FAR_FROM_CHANCE = 6.0
"""Standard deviations that the changes must be away from those of a random order: a judgement."""
ROW_BLOCKS = 5
"""Runs of the same label for each class up to which a table was merely put together or sorted by
the label, which does no harm: a judgement."""
FEWEST_RUNS = 30
"""Runs of the same label, at least, that are told from blocks: a judgement."""


def row_order_notes(sample: Sample) -> Iterator[str]:
    """Tell labels that change less often from row to row than those of rows in random order."""
    changes = int(np.count_nonzero(np.diff(sample.labels)))
    differ = float(1 - sample.priors @ sample.priors)
    expected = differ * (sample.n - 1)
    spread = (expected * (1 - differ)) ** 0.5
    blocks = changes < max(FEWEST_RUNS, ROW_BLOCKS * sample.m)
    by_chance = expected - changes <= FAR_FROM_CHANCE * spread
    if blocks or by_chance or changes >= FEW_CHANGES * expected:
        return
    yield Caution(
        "Rows in time order, or in groups?",
        f"From one row to the next the label changes on {as_percent(round(changes / sample.n, 2))}"
        f" of the rows; in random order it would on {as_percent(round(differ, 2))}. If rows come in"
        " time order or in groups, such as moments of one recording or several rows of one person,"
        " the floor is that of new rows between these, and one of later times or other groups may"
        " be higher: pass time= or groups= to know that one. If the table was sorted, it does no"
        " harm.",
    )
