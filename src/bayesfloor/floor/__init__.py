"""Bounds on the Bayes error: the calls, the record they return, and the run that makes it.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

from bayesfloor.floor.api import bayes_error, henze_penrose
from bayesfloor.floor.from_votes import bayes_error_from_probabilities, bayes_error_from_votes
from bayesfloor.floor.record import Floor
from bayesfloor.floor.summaries import Divergence
from bayesfloor.neighbours import ENGINES

__all__ = [
    "ENGINES",
    "Divergence",
    "Floor",
    "bayes_error",
    "bayes_error_from_probabilities",
    "bayes_error_from_votes",
    "henze_penrose",
]
