"""The options of a call, checked and put into the one record that goes from here on."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, cast

from bayesfloor.base.decision_options import check_decision
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import ALL_CORES, Executor, Threads
from bayesfloor.base.memory import check_memory
from bayesfloor.base.options import (
    check_choice,
    check_confidence,
    check_count,
    check_positive,
    check_seed,
)
from bayesfloor.base.settings import Settings
from bayesfloor.estimators.methods import METHODS
from bayesfloor.neighbours import ENGINES
from bayesfloor.representation import check_representation


def make_settings(arguments: Mapping[str, Any]) -> Settings:
    """Check the options among the arguments of a call, given by name as `locals()` has them."""
    tolerance, max_seconds = arguments["tolerance"], arguments["max_seconds"]
    max_memory = arguments["max_memory"]
    settings = Settings(
        method=check_choice("method", arguments["method"], METHODS),
        k=check_count("k", arguments["k"]),
        representation=arguments["representation"],
        confidence=check_confidence("confidence", arguments["confidence"]),
        seed=check_seed("random_state", arguments["random_state"]),
        tolerance=None if tolerance is None else check_positive("tolerance", tolerance),
        max_seconds=None if max_seconds is None else check_positive("max_seconds", max_seconds),
        engine=check_choice("engine", arguments["engine"], ("auto", *ENGINES)),
        executor=_make_executor(arguments["workers"], arguments["client"]),
        progress=arguments["progress"],
        max_memory=None if max_memory is None else check_memory("max_memory", max_memory),
        decision=check_decision(arguments),
    )
    check_representation(settings.representation)
    limited = not (settings.tolerance is None and settings.max_seconds is None)
    if METHODS[settings.method].needs_all_rows and limited:
        what = f"method {settings.method!r} needs all rows"
        raise DataError(f"{what}; leave out tolerance and max_seconds")
    given = settings.decision.given
    if given and not METHODS[settings.method].sharpens:
        what = f"method {settings.method!r} bounds the error on rows like these only"
        raise DataError(f"{what}; leave out {given[0]}=, or take method 'wnn'")
    return settings


def _make_executor(workers: object, client: object) -> Executor:
    """Return threads for a number, and anything that maps in order as it is; or a cluster."""
    if client is not None:
        from bayesfloor.base.cluster import check_client

        threads = None if workers is None else check_count("workers", workers)
        return check_client("client", client, Threads(threads))
    if workers is None:
        return ALL_CORES
    if all(hasattr(workers, name) for name in ("map", "workers", "memory", "local")):
        return cast(Executor, workers)
    return Threads(check_count("workers", workers))
