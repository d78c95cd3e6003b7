"""The robot navigation data: four distances a row, and what the robot did."""

from __future__ import annotations

import csv
import hashlib
import warnings
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from bayesfloor.base.arrays import Floats
from bayesfloor.base.errors import DataError

SENSORS = 4
"""Columns of the UCI file: the least distances in front, to the left, to the right and behind."""
FIELDS = SENSORS + 1
"""Fields of a row: the sensors, and what the robot did."""
COUNTS = {
    "move-forward": 2205,
    "sharp-right-turn": 2097,
    "slight-right-turn": 826,
    "slight-left-turn": 328,
}
"""Rows of each class, most first, as the UCI repository and the paper count them."""
OPENML_NAME, OPENML_VERSIONS = "wall-robot-navigation", (3, 2)
"""The data set on OpenML; its versions differ in their sensors, and the one with four is taken."""
HOW_TO_PASS = "pass sensor_readings_4.data of the UCI repository with --robot FILE"
"""What to do about robot data that cannot be used; it ends messages."""


@dataclass(frozen=True, slots=True, eq=False)
class Robot:
    """Rows of two classes, to draw subsamples from; the label is a rule of the sensors."""

    sharp: Floats  # (2097, 4)
    forward: Floats  # (2205, 4)
    name: str = "robot"

    @property
    def d(self) -> int:
        """Return the number of sensors."""
        return self.sharp.shape[1]

    @property
    def digest(self) -> str:
        """Return a fingerprint of the values."""
        return hashlib.sha256(self.sharp.tobytes() + self.forward.tobytes()).hexdigest()

    def draw(self, n: int, m: int, rng: np.random.Generator) -> tuple[Floats, Floats]:
        """Draw n rows of sharp-right-turn and m of move-forward, none of them twice."""
        chosen = ((self.sharp, n), (self.forward, m))
        first, second = (rows[rng.choice(len(rows), size, replace=False)] for rows, size in chosen)
        return first, second

    def divergence(self) -> float:
        """Return 1: a front distance of 0.9 separates the classes without exception."""
        return 1.0

    def efficiency(self) -> tuple[float, float]:
        """Return zeros, as the labels hold no chance."""
        return 0.0, 0.0


def read_robot(path: Path) -> Robot:
    """Read comma-separated rows of four sensors and a class.

    Raises
    ------
    DataError
        If the file cannot be read, or its rows and classes are not those of the data set.
    """
    try:
        with path.open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.reader(file) if row]
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        reason = getattr(problem, "strerror", None) or "not a text file"
        raise DataError(f"{path}: {reason}; {HOW_TO_PASS}") from problem
    for line, row in enumerate(rows, 1):
        if len(row) != FIELDS:
            raise DataError(f"{path}: {len(row)} fields in row {line}, not {FIELDS}; {HOW_TO_PASS}")
    try:
        points = np.array([row[:-1] for row in rows], dtype=np.float64).reshape(-1, SENSORS)
    except ValueError as problem:
        raise DataError(
            f"{path}: the sensors hold something else than numbers; {HOW_TO_PASS}"
        ) from problem
    return make_robot(points, [row[-1] for row in rows], str(path))


def fetch_robot() -> Robot:
    """Return the data from scikit-learn's cache of OpenML, or from the network.

    Raises
    ------
    DataError
        If there is neither.
    """
    from sklearn.datasets import fetch_openml

    data: Any
    for version in OPENML_VERSIONS:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # each failed attempt warns
                data = fetch_openml(
                    OPENML_NAME, version=version, as_frame=False, parser="liac-arff", n_retries=1
                )
        except (OSError, ValueError) as problem:  # no network, or no such version
            raise DataError(
                "the robot data are not in scikit-learn's cache and OpenML did not answer;"
                f" {HOW_TO_PASS}"
            ) from problem
        if data.data.shape[1] == SENSORS:
            break
    return make_robot(np.asarray(data.data, np.float64), data.target.tolist(), "OpenML's data")


def make_robot(points: Floats, labels: Sequence[str], where: str) -> Robot:
    """Check the counts, which also name the classes, and keep the two that are compared."""
    counts = Counter(labels)
    came = sorted(counts.values(), reverse=True)
    if points.shape[1] != SENSORS or came != list(COUNTS.values()):
        wanted = f"{sum(COUNTS.values())} rows in classes of {_listed(COUNTS.values())}"
        shape = f"{len(points)} rows of {points.shape[1]} sensors in classes of {_listed(came[:9])}"
        raise DataError(f"{where}: {shape}, not {wanted} and {SENSORS} sensors; {HOW_TO_PASS}")
    if not np.isfinite(points).all():
        row = int(np.flatnonzero(~np.isfinite(points).all(axis=1))[0]) + 1
        raise DataError(f"{where}: NaN or infinity in row {row}; {HOW_TO_PASS}")
    name = {count: label for label, count in counts.items()}
    given = np.array(labels)
    sharp, forward = (
        points[given == name[COUNTS[action]]] for action in ("sharp-right-turn", "move-forward")
    )
    return Robot(sharp, forward)


def _listed(counts: Any) -> str:
    return ", ".join(map(str, counts)) or "nothing"
