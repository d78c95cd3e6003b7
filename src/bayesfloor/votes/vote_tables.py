"""Votes in files and data frames: a matrix of counts, or a long table with a row a vote."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from bayesfloor.base.arrays import AnyArray, Ints
from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.base.formatting import show
from bayesfloor.tables import Problems, ReadOptions, find_column, find_columns, read_frame
from bayesfloor.votes.counts import (
    VoteCounts,
    check_item_memory,
    count_matrix,
    without_empty_classes,
)

if TYPE_CHECKING:
    import polars as pl

ITEM, VOTE, ANNOTATOR = "item", "vote", "annotator"
"""Columns of a long table, unless others are named."""


def read_votes(
    paths: Any,
    *,
    item: str | int | None = None,
    vote: str | int | None = None,
    annotator: str | int | None = None,
    features: Any = None,
    options: ReadOptions = ReadOptions(),  # noqa: B008  # frozen
) -> tuple[str, VoteCounts]:
    """Read votes from files or data frames; return the name of the first with the counts.

    Parameters
    ----------
    paths : path, open file or data frame, or several of them
        What `read_table` reads.
    item, vote, annotator : str or int, optional
        Columns of a long table; by default "item", "vote" and "annotator", if there are such. With
        `item` alone, or none of them, the table is a matrix of counts.
    features : str, int or list of them, optional
        Columns that say what else is known of each item.
    options : ReadOptions
        How to read it.
    """
    read = read_frame(paths, options)
    with error_prefix(read.name):
        names, problems = read.frame.columns, Problems()
        known = [] if features is None else find_columns(names, features, problems)
        problems.check()
        if vote is None and VOTE in names and (item is not None or ITEM in names):
            vote = VOTE
        if vote is None:
            if annotator is not None:
                raise DataError("annotator= is for a row a vote; name the column of votes, vote=")
            counted_columns = read.frame.drop(known)
            if item is not None:
                item = find_column(names, item)
                _refuse_same({"item": item}, known)
            found = _from_matrix(counted_columns, item)
            return read.name, replace(found, columns=read.frame[known] if known else None)
        item = ITEM if item is None else item
        if annotator is None and ANNOTATOR in names:
            annotator = ANNOTATOR
        chosen = [find_column(names, one) for one in (item, vote, annotator) if one is not None]
        if len(set(chosen)) < len(chosen):
            raise DataError("item=, vote= and annotator= name one column twice; name others")
        _refuse_same(dict(zip(("item", "vote", "annotator"), chosen, strict=False)), known)
        found = count_long_table(read.frame[chosen], options.max_memory)
        if known:
            found = replace(found, columns=_of_items(read.frame, chosen[0], known))
        return read.name, found


def read_number_columns(paths: Any, options: ReadOptions) -> tuple[str, AnyArray, list[str]]:
    """Read a table of numbers; return its name, the numbers and the names of its columns."""
    read = read_frame(paths, options)
    with error_prefix(read.name):
        return read.name, _numbers(read.frame, "leave it out"), read.frame.columns


def count_long_table(frame: pl.DataFrame, max_memory: Any = None) -> VoteCounts:
    """Count votes that have a row each: item, vote, and perhaps annotator, in this order."""
    for column in frame.iter_columns():
        missing = column.is_null() | (column.is_nan() if column.dtype.is_float() else False)
        if missing.any():
            where = f"column {column.name!r} has a missing value in row {missing.arg_max()}"
            raise DataError(f"{where}; leave out the row")
    item, vote = (_codes(column) for column in list(frame.iter_columns())[:2])
    annotators = None
    if frame.width > 2:
        annotator = _codes(frame.to_series(2))
        annotators = len(annotator[1])
        _refuse_second_votes(item, annotator)
    if len(vote[1]) < 2:
        raise DataError(
            f"all votes are for {show(vote[1][0])}; votes for two classes or more are needed"
        )
    check_item_memory((len(item[1]), len(vote[1])), max_memory)
    counts = np.zeros((len(item[1]), len(vote[1])), dtype=np.int64)
    np.add.at(counts, (item[0], vote[0]), 1)
    return without_empty_classes(VoteCounts(counts, vote[1], item[1], annotators, long=True))


def _refuse_same(chosen: dict[str, str], features: list[str]) -> None:
    """Refuse a column that is a feature and something else."""
    for option, name in chosen.items():
        if name in features:
            raise DataError(f"features= and {option}= both name {name!r}; leave it out of one")


def _of_items(frame: pl.DataFrame, item: str, features: list[str]) -> pl.DataFrame:
    """Return the features of each item, in the order of their names; refuse those that differ."""
    codes, items = _codes(frame[item])
    first = np.full(len(items), len(codes))
    np.minimum.at(first, codes, np.arange(len(codes)))
    found = frame[features][first]
    differs = [
        (int(other.arg_true()[0]), name)
        for name in features
        if (other := frame[name].ne_missing(found[name][codes])).any()
    ]
    if differs:
        row, name = min(differs)
        raise DataError(
            f"feature {name!r} has two values on item {show(items[codes[row]])}, the second in row"
            f" {row}; give an item one value, or leave the column out"
        )
    return found


def _from_matrix(frame: pl.DataFrame, item: str | int | None) -> VoteCounts:
    """Read a matrix of counts, with or without a column that names the items."""
    items = None
    if item is not None:
        name = find_column(frame.columns, item)
        items, frame = np.array(frame[name].to_list(), object), frame.drop(name)
    numbers = _numbers(
        frame, "name it with item= if it names the items, or in features=, else leave it out"
    )
    return count_matrix(numbers, classes=frame.columns, items=items)


def _numbers(frame: pl.DataFrame, advice: str) -> AnyArray:
    for column in frame.iter_columns():
        if not (column.dtype.is_numeric() or str(column.dtype) == "Boolean"):
            value = next((one for one in column if one is not None), None)
            raise DataError(f"column {column.name!r} holds {show(value)}, no number; {advice}")
    return np.column_stack([column.cast(float).to_numpy() for column in frame.iter_columns()])


def _codes(column: pl.Series) -> tuple[Ints, AnyArray]:
    """Return for each row the number of its value, and the values: names sorted."""
    known = _as_names(column)
    values = known.unique().sort()
    codes = values.search_sorted(known).to_numpy().astype(np.int64)
    plain = known.dtype.is_numeric() or str(known.dtype) in ("Boolean", "String")
    return codes, values.to_numpy() if plain else np.array(values.cast(str).to_list(), object)


def _as_names(column: pl.Series) -> pl.Series:
    """Return a column of numbers, texts, dates or categories; refuse anything else."""
    import polars as pl

    kind = column.dtype
    if isinstance(kind, pl.Int128 | pl.UInt128 | pl.Binary):
        with suppress(pl.exceptions.PolarsError):  # bytes that are no text
            return column.cast(pl.String)
    named = kind.is_numeric() or kind.is_temporal() or str(kind) in ("Boolean", "String")
    if isinstance(kind, pl.Duration) or not (named or isinstance(kind, pl.Categorical | pl.Enum)):
        came = f"column {column.name!r} holds {show(column[0])}"
        raise DataError(f"{came}; turn it into numbers or text")
    return column


def _refuse_second_votes(item: tuple[Ints, AnyArray], annotator: tuple[Ints, AnyArray]) -> None:
    """Refuse an annotator who voted twice on an item: the votes would not be independent."""
    pair = item[0] * len(annotator[1]) + annotator[0]
    order = np.argsort(pair, kind="stable")
    again = np.flatnonzero(np.diff(pair[order]) == 0)
    if len(again):
        first, second = order[again[0]], order[again[0] + 1]
        who, what = annotator[1][annotator[0][first]], item[1][item[0][first]]
        raise DataError(
            f"annotator {show(who)} votes twice on item {show(what)}, in rows {first} and {second};"
            " keep one of the votes"
        )
