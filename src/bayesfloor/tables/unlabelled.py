"""Columns without a label become numbers, every row of them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.base.errors import DataError
from bayesfloor.tables.category_encoding import encode_columns
from bayesfloor.tables.column_types import infer_types
from bayesfloor.tables.dates import expand_dates
from bayesfloor.tables.missing_values import impute
from bayesfloor.tables.problems import Problems
from bayesfloor.tables.scaling import SCALES
from bayesfloor.tables.screening import useful_columns

if TYPE_CHECKING:
    import polars as pl


def encode_frame(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    """Return scaled numbers for columns that were chosen by name, and notes; no row is left out."""
    try:
        return _encode(frame)
    except DataError as problem:  # there is no option to leave out what need not be named
        raise DataError(str(problem).replace(" with drop=", "")) from problem


def _encode(frame: pl.DataFrame) -> tuple[pl.DataFrame, tuple[str, ...]]:
    problems = Problems()
    types = infer_types(frame, problems)
    if types.frame.width:
        with problems.collected():
            useful = useful_columns(types.frame, types.frame.columns)
    problems.check()
    filled, marks, impute_notes = impute(useful.frame)
    columns, date_notes = expand_dates(filled)
    X, merged_notes = encode_columns([*columns, *marks], SCALES["standard"])
    return X, types.notes + useful.notes + date_notes + impute_notes + merged_notes
