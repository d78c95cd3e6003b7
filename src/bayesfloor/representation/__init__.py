"""Many columns as a few numbers: raw as they are, or learned by cross-fitted maps."""

from bayesfloor.representation.cross_fitting import take_rows
from bayesfloor.representation.represent import (
    REPRESENTATIONS,
    Representation,
    check_representation,
    represent,
)

__all__ = ["REPRESENTATIONS", "Representation", "check_representation", "represent", "take_rows"]
