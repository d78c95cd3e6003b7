"""What is measured in place of a sample: the columns as they are, or samples of learned maps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.errors import DataError
from bayesfloor.representation.locality import Locality
from bayesfloor.sample.sample import Sample

AUTO, RAW, LEARNED = "auto", "raw", "learned"
"""Names of representations, as users write them."""
REPRESENTATIONS = {
    AUTO: "raw where neighbours are local and maps find no less mismatch, else learned",
    RAW: "the columns as they are",
    LEARNED: "class probabilities, learned on some rows and measured on others",
}
"""What can be asked for by name."""


@dataclass(frozen=True, slots=True, eq=False)
class Representation:
    """The samples to measure, which share the rows among them."""

    name: str  # "raw", "learned" or the class of the user's map
    samples: tuple[Sample, ...]
    columns: int  # of the table that came
    rows: tuple[Ints, ...]  # the rows in each sample
    maps: tuple[str, ...] = ()  # the map that each sample was made by
    posteriors: tuple[Floats | None, ...] = (None,)  # class probabilities by the maps
    gap: float = 0.0  # mismatch that maps would likely still lose with more rows to learn from
    gap_se: float = 0.0  # standard error of the gap
    spread: float = 0.0  # variance between maps that cannot be told apart
    duplicates: float = 0.0  # share of rows that equal another row, where maps were learned
    locality: Locality | None = None  # of the columns as they came, where maps were learned

    @property
    def learned_from(self) -> int:
        """Rows that each map could learn from."""
        return sum(map(len, self.rows)) - max(map(len, self.rows))

    @property
    def dimension(self) -> float | None:
        """Intrinsic dimension of the columns as they came, where maps were learned."""
        return None if self.is_raw or self.locality is None else self.locality.dimension

    @property
    def is_guess(self) -> bool:
        """Whether maps had so few rows to learn from that they could have fitted any labels.

        A plane separates up to 2(d + 1) points in d columns for at least half of all labellings
        (Cover 1965): so few rows do not tell how much a map has missed.
        """
        return not self.is_raw and self.learned_from < 2 * (self.columns + 1)

    @property
    def is_raw(self) -> bool:
        """Whether the columns are measured as they came."""
        return not self.maps


def raw_representation(sample: Sample) -> Representation:
    """Return the columns as they are."""
    return Representation(RAW, (sample,), sample.d, (np.arange(sample.n),))


def check_representation(representation: Any) -> None:
    """Refuse what is neither a name nor an unfitted classifier or transformer."""
    if isinstance(representation, str):
        if representation in REPRESENTATIONS:
            return
        came = f"representation is {representation!r}"
    elif isinstance(representation, type):
        came = f"representation is the class {representation.__name__}, not an instance"
    elif hasattr(representation, "fit") and (
        classifies(representation) or hasattr(representation, "transform")
    ):
        return
    else:
        came = f"representation is a {type(representation).__name__}"
    names = ", ".join(REPRESENTATIONS)
    raise DataError(f"{came}; pass {names}, or a scikit-learn classifier or transformer")


def classifies(model: Any) -> bool:
    """Tell a classifier from a transformer."""
    return any(hasattr(model, name) for name in ("predict_proba", "decision_function"))
