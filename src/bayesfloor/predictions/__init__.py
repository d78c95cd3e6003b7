"""Predictions of the user's own model, on rows that it was not learned from.

`reading` makes a record of them, `joined_map` averages their class probabilities with those of the
floor.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

from bayesfloor.predictions.joined_map import JoinedMap, join_model
from bayesfloor.predictions.reading import RowPlaces, read_predictions
from bayesfloor.predictions.record import Predictions

__all__ = ["JoinedMap", "Predictions", "RowPlaces", "join_model", "read_predictions"]
