"""What neighbours are compared in: the columns as they are, or what a transformer makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Ints
from bayesfloor.base.choices import RAW, REPRESENTATIONS
from bayesfloor.base.errors import DataError
from bayesfloor.sample.sample import Sample


@dataclass(frozen=True, slots=True, eq=False)
class Representation:
    """The samples whose neighbours are compared, which share the rows among them."""

    name: str  # "raw", or the class of the user's transformer
    samples: tuple[Sample, ...]
    rows: tuple[Ints, ...]  # the rows in each sample
    groups: Ints | None = None  # (n,) of all rows


def raw_representation(sample: Sample) -> Representation:
    """Return the columns as they are."""
    return Representation(RAW, (sample,), (np.arange(sample.n),), sample.groups)


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
