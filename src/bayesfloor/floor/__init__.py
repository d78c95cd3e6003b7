"""Bounds on the Bayes error: the calls, the record they return, and how it is made."""

from bayesfloor.floor.api import bayes_error, henze_penrose
from bayesfloor.floor.record import Divergence, Floor
from bayesfloor.floor.run import make_floor

__all__ = ["Divergence", "Floor", "bayes_error", "henze_penrose", "make_floor"]
