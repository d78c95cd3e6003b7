"""Which column is the label, and which are features."""

from __future__ import annotations

import operator
import re
import reprlib
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from bayesfloor.base.errors import DataError

MOST_NAMES = 8
"""Column names that a message lists."""
MOST_COLUMNS = 10_000
"""Columns that distances can reasonably be taken over."""


def listed(names: Sequence[object]) -> str:
    """Write names on one line, the first few of many."""
    shown = ", ".join(map(reprlib.repr, names[:MOST_NAMES]))
    return shown + (f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else "")


def own_names(fields: Sequence[str], hint: str = "") -> list[str]:
    """Return the names of columns, those without one called by their place; refuse equal ones."""
    names = [field.strip() or f"column {place}" for place, field in enumerate(fields, 1)]
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise DataError(f"{times} columns are named {name!r}; give each its own name{hint}")
    return names


def choose_columns(
    names: list[str], *, label: Any, features: Any, drop: Any
) -> tuple[str, list[str]]:
    """Return the label's name and those of the features."""
    target = _label(names, label)
    wanted = find_columns(names, features) if features is not None else names
    dropped = set(find_columns(names, drop)) if drop is not None else set()
    if target in dropped:
        raise DataError(
            f"--drop names the label {target!r}; name other columns, or another --label"
        )
    kept = [name for name in wanted if name != target and name not in dropped]
    if not kept:
        left = f"no column but the label {target!r}"
        if len(names) > 1:
            raise DataError(f"{left} is left by --features and --drop; name others")
        raise DataError(f"{left}; pass a table with more columns")
    if len(kept) > MOST_COLUMNS:
        limit = f"{len(kept)} columns, more than the {MOST_COLUMNS} that can be compared"
        raise DataError(f"{limit}; choose some with --features")
    return target, kept


def find_columns(names: list[str], wanted: Any) -> list[str]:
    """Return the names of columns given by name or position, one or several, or after commas."""
    items = [wanted] if isinstance(wanted, str | int) or not _several(wanted) else list(wanted)
    found = []
    for item in items:
        plain = isinstance(item, str) and item not in names
        found += [_column(names, part) for part in (item.split(",") if plain else [item])]
    return list(dict.fromkeys(found))


def _several(value: Any) -> bool:
    return isinstance(value, Iterable)


def _label(names: list[str], label: Any) -> str:
    try:
        return _column(names, label)
    except DataError as problem:
        hint = ", or pass --separator" if len(names) == 1 else ""
        came = str(problem).split(";")[0] if "position" in str(problem) else f"no column {label!r}"
        message = f"{came}; name the label column, one of {listed(names)}{hint}"
        raise DataError(message) from problem.__cause__


def _column(names: list[str], column: Any) -> str:
    """Return the name of a column given by name or, counted from 1 or from the end, position."""
    for text in (str(column), str(column).strip()):  # data frames may have numbers for names
        if text in names:
            return text
    if isinstance(column, str) and not re.fullmatch(r"\s*[+-]?\d{1,9}\s*", column):
        raise DataError(f"no column {column!r}; choose from {listed(names)}")
    try:
        place = int(column) if isinstance(column, str) else operator.index(column)
    except TypeError as problem:
        came = f"a column is given as {type(column).__name__}"
        raise DataError(f"{came}; pass its name or its position") from problem
    if not 1 <= abs(place) <= len(names):
        came = f"no column at position {place}"
        raise DataError(f"{came}; count from 1 to {len(names)}, or from -1 backwards")
    return names[place - 1 if place > 0 else place]
