"""Bounds on the Bayes error: the calls, the record they return, and how it is made."""

from bayesfloor.floor.calls import bayes_error, henze_penrose
from bayesfloor.floor.make import make_floor
from bayesfloor.floor.record import Divergence, Floor

__all__ = ["Divergence", "Floor", "bayes_error", "henze_penrose", "make_floor"]
