"""Options that say how the floor is measured."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from time import monotonic
from typing import Annotated, Any, Self, cast

from bayesfloor.base.choices import AUTO, METHOD_SUMMARIES, REPRESENTATIONS
from bayesfloor.base.options import (
    check_confidence,
    check_count,
    check_not_negative,
    check_positive,
)
from bayesfloor.shells.cli.help import MEASURING
from bayesfloor.shells.cli.options.declaration import one_of, option
from bayesfloor.shells.cli.options.records import OptionRecord
from bayesfloor.shells.cli.values import share

METHOD_HELP = "; ".join(f"{name}: {text}" for name, text in METHOD_SUMMARIES.items()) + "."
REPRESENTATION_HELP = (
    "What is measured. "
    + "; ".join(f"{name}: {text}" for name, text in REPRESENTATIONS.items())
    + "."
)
"""Helps of options that choose from a registry, in its own words."""

Confidence = Annotated[
    float,
    option(
        "Confidence of the intervals, such as 0.95 or 95%.",
        group=MEASURING,
        value="SHARE",
        parse=share,
        check=check_confidence,
    ),
]
Seed = Annotated[
    int,
    option(
        "Random seed of the train/measure split.",
        group=MEASURING,
        value="S",
        check=check_not_negative,
    ),
]
MaxSeconds = Annotated[
    float | None,
    option(
        "Time limit in seconds (uses a random subset of rows).",
        group=MEASURING,
        value="S",
        check=check_positive,
    ),
]
LEAST_SECONDS = 1e-3
"""What is left of a time limit that reading has used up: a search then ends with its first rows."""


def seconds_left(limit: float | None, begun: float) -> float | None:
    """Return what is left of a time limit that counts from a moment of the monotonic clock."""
    return None if limit is None else max(limit - (monotonic() - begun), LEAST_SECONDS)


@dataclass(frozen=True, slots=True)
class RunOptions(OptionRecord):
    """Options of every run."""

    confidence: Confidence = 0.95
    seed: Seed = 0
    workers: Annotated[
        int | None,
        option(
            "Number of threads, all cores by default.",
            group=MEASURING,
            value="W",
            check=check_count,
        ),
    ] = None

    cluster: Annotated[
        str | None,
        option(
            "Run on a Dask cluster: the address of its scheduler, or local:N for N processes here.",
            group=MEASURING,
            value="ADDRESS",
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """Return options of `bayes_error`."""
        return {
            "confidence": self.confidence,
            "random_state": self.seed,
            "workers": self.workers,
        }

    @contextmanager
    def opened(self) -> Iterator[Self]:
        """Connect to the cluster, if one is named."""
        if self.cluster is None:
            yield self
            return
        from bayesfloor.base.cluster_address import open_cluster

        with open_cluster("--cluster", self.cluster) as client:
            yield cast(Self, _ClusterRun(**{**asdict(self), "client": client}))


@dataclass(frozen=True, slots=True)
class _ClusterRun(RunOptions):
    """Options of a run on a cluster that is connected."""

    client: Any = None

    def keywords(self) -> dict[str, Any]:
        return {**RunOptions.keywords(self), "client": self.client}


def _methods() -> Collection[str]:
    from bayesfloor.estimators.methods import METHODS

    return METHODS


def _engines() -> Collection[str]:
    from bayesfloor.floor import ENGINES

    return ENGINES


@dataclass(frozen=True, slots=True)
class SearchOptions(OptionRecord):
    """What is measured, and how neighbours are searched."""

    method: Annotated[
        str,
        option(METHOD_HELP, group=MEASURING, value="METHOD", **one_of(METHOD_SUMMARIES, _methods)),
    ] = "wnn"
    representation: Annotated[
        str,
        option(REPRESENTATION_HELP, group=MEASURING, value="NAME", **one_of(REPRESENTATIONS)),
    ] = "auto"
    k: Annotated[
        int,
        option(
            "The neighbour that method knn looks at.",
            "-k",
            "--k",
            group=MEASURING,
            value="K",
            check=check_count,
        ),
    ] = 5
    tolerance: Annotated[
        float | None,
        option(
            "Stop when the mismatch has this standard error (uses a random subset of rows).",
            group=MEASURING,
            value="SE",
            check=check_positive,
        ),
    ] = None
    max_seconds: MaxSeconds = None
    engine: Annotated[
        str,
        option(
            "How neighbours are searched; all engines find the same.",
            group=MEASURING,
            value="ENGINE",
            **one_of([AUTO], _engines),
        ),
    ] = "auto"
