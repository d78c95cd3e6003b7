"""The names of columns, and the choice of the label and the features among them."""

from __future__ import annotations

import operator
import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from difflib import get_close_matches
from typing import Any, NamedTuple

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import quoted_names
from bayesfloor.tables.problems import Problems

MAX_FEATURES = 10_000
"""Number of columns that are compared at most: more make a neighbour search too slow to wait for,
a judgement."""
SIMILAR_NAMES = 0.7
"""Similarity, from 0 to 1, from which on another name may be meant: about one wrong letter of four
in `difflib.SequenceMatcher`, a judgement."""


def column_names(fields: Sequence[str], hint: str = "") -> list[str]:
    """Return the names of columns, by position for those without one; refuse duplicates."""
    return _unique_names([field.strip() for field in fields], hint)


def _unique_names(fields: Sequence[str], hint: str = "") -> list[str]:
    """Return names, by position where there is none; refuse duplicates."""
    names = [field or f"column {place}" for place, field in enumerate(fields, 1)]
    name, times = Counter(names).most_common(1)[0] if names else ("", 0)
    if times > 1:
        raise DataError(f"{times} columns are named {name!r}; give each its own name{hint}")
    return names


def fill_names(names: Sequence[str]) -> list[str]:
    """Return names as they are, and those of columns without one by position.

    Examples
    --------
    >>> fill_names(["", " a"])
    ['column 1', ' a']
    """
    return _unique_names(names)


class ChosenColumns(NamedTuple):
    """Holds the names of the columns that the user chose."""

    label: str
    features: list[str]
    keep: set[str]  # features that are used whatever they hold
    aside: dict[str, str]  # columns that are no features, by the option that names them


def choose_columns(
    names: list[str],
    *,
    label: Any,
    features: Any,
    drop: Any,
    keep: Any,
    aside: Mapping[str, Any] | None = None,
) -> ChosenColumns:
    """Return the label and the features; name all columns at once that are not there."""
    problems, target = Problems(), ""
    beside = {}
    for option, column in (aside or {}).items():
        if column is not None:
            with problems.collected():
                beside[option] = _column(names, column)
    with problems.collected():
        target = _label(names, label)
    wanted = find_columns(names, features, problems) if features is not None else names
    dropped = set(find_columns(names, drop, problems)) if drop is not None else set()
    kept = set(find_columns(names, keep, problems)) if keep is not None else set()
    problems.check()
    if target in dropped:
        raise DataError(f"drop= names the label {target!r}; name other columns, or another label=")
    _check_aside(beside, target, kept if features is None else {*kept, *wanted})
    left_out = {target, *dropped, *beside.values()}
    chosen = [name for name in wanted if name not in left_out]
    if not chosen and len(names) > 1:
        none = f"features= and drop= leave no column but the label {target!r}"
        raise DataError(f"{none}; choose others")
    if not chosen:
        raise DataError(f"the label {target!r} is the only column; pass a table with more columns")
    if len(chosen) > MAX_FEATURES:
        limit = f"{len(chosen):,} columns are more than the {MAX_FEATURES:,} that can be compared"
        raise DataError(f"{limit}; choose some with features=")
    kept = kept if features is None else {*kept, *chosen}
    return ChosenColumns(target, chosen, kept, beside)


def _check_aside(aside: dict[str, str], target: str, asked: set[str]) -> None:
    """Refuse a column of groups or times that is the label, or a feature that was asked for."""
    for option, name in aside.items():
        if name == target:
            raise DataError(f"{option}= names the label {name!r}; name another column")
        if name in asked:
            raise DataError(
                f"{option}= names {name!r}, which is no feature then; leave it out of features="
                " and keep="
            )


def without_patterns(names: list[str]) -> dict[str, str]:
    """Return new names for columns whose names Polars would take for patterns: with a space more.

    It takes "*" for all columns, and "^a.*$" for those whose names match.

    Examples
    --------
    >>> without_patterns(["a", "*", "^a.*$", "* "])
    {'*': '*  ', '^a.*$': '^a.*$ '}
    """
    found = {}
    for name in names:
        if name == "*" or (name.startswith("^") and name.endswith("$")):
            other = f"{name} "
            while other in names:
                other += " "
            found[name] = other
    return found


def find_column(names: list[str], column: Any) -> str:
    """Return the name of a column given by name or by position, from 1, or from -1 backwards."""
    return _column(names, column)


def find_columns(names: list[str], wanted: Any, problems: Problems) -> list[str]:
    """Return the names of columns that are given by name or position.

    `wanted` is one of them, several, or text with commas between them.
    """
    single = isinstance(wanted, str) or not isinstance(wanted, Iterable)
    columns = []
    for item in [wanted] if single else wanted:
        split = isinstance(item, str) and item not in names
        for part in item.split(",") if split else [item]:
            with problems.collected():
                columns.append(_column(names, part))
    return list(dict.fromkeys(columns))


def _label(names: list[str], label: Any) -> str:
    separator = ", or pass separator=" if len(names) == 1 else ""
    return _column(names, label, f"choose the label from {quoted_names(names)}{separator}")


def _column(names: list[str], column: Any, advice: str = "") -> str:
    """Return the name of a column given by name or by position, from 1, or from -1 backwards.

    `advice` says what to do if there is no such column.
    """
    plain = str(column).strip()
    for text in (str(column), plain, f"{plain} "):  # data frames may have numbers for names
        if text in names:
            return text
    if isinstance(column, str) and not re.fullmatch(r"\s*[+-]?\d{1,9}\s*", column):
        near = most_similar(names, column)
        guess = f"did you mean {near!r}?" if near is not None else ""
        hint = guess or advice or f"choose from {quoted_names(names)}"
        raise DataError(f"no column {column!r}; {hint}")
    try:
        place = int(column) if isinstance(column, str) else operator.index(column)
    except TypeError as problem:
        came = f"a column is given as {type(column).__name__}"
        raise DataError(f"{came}; {advice or 'pass its name or its position'}") from problem
    if not 1 <= abs(place) <= len(names):
        count = f"count from 1 to {len(names)}, or from -1 backwards"
        raise DataError(f"no column at position {place}; {advice or count}")
    return names[place - 1 if place > 0 else place]


def most_similar(names: Sequence[str], wanted: str) -> str | None:
    """Return the name that is written most like the wanted one, whatever its capitals, or None."""
    by_letters = {name.strip().casefold(): name for name in reversed(names)}
    letters = wanted.strip().casefold()
    if letters in by_letters:
        return by_letters[letters]
    compared = list(by_letters)[:MAX_FEATURES]  # spares a file of a million columns the wait
    near = get_close_matches(letters, compared, n=1, cutoff=SIMILAR_NAMES)
    return by_letters[near[0]] if near else None
