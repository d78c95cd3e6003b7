"""What was asked for, in one record that goes from the call through the run to the report."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from bayesfloor.base.decision_options import NO_DECISION, DecisionOptions
from bayesfloor.base.executor import ALL_CORES, Executor


@dataclass(frozen=True, slots=True)
class Settings:
    """Options of a call, checked."""

    method: str = "wnn"
    k: int = 5
    representation: Any = "auto"  # a name, or a map of the user's own
    confidence: float = 0.95
    seed: int = 0
    tolerance: float | None = None  # standard error of the mismatch that is small enough
    max_seconds: float | None = None
    engine: str = "auto"
    executor: Executor = ALL_CORES
    progress: bool = False
    max_memory: int | None = None  # bytes that the call may take, by default what there is
    decision: DecisionOptions = NO_DECISION  # what a classifier decides
