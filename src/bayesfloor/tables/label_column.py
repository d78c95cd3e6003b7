"""The label column is cleaned, and refused unless it holds classes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from bayesfloor.base.cautions import Caution
from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import counted, first_few, quoted_names, show
from bayesfloor.tables.dates import check_dates
from bayesfloor.tables.missing_values import left_out
from bayesfloor.tables.text_columns import clean_texts

if TYPE_CHECKING:
    import polars as pl

MAX_CLASS_SHARE = 0.5
"""Largest number of classes per row: each class needs two rows for an error to be estimated."""

MIN_CLASS_ROWS = 5
"""Number of rows from which on a class is compared with others. A judgement: with fewer,
most of ten folds have none."""
MAX_RARE_SHARE = 0.5
"""Largest share of the rows that may be of rare classes: beyond, the label hardly holds classes,
and the answer would be about the fewer rows. A judgement."""

QUANTITY_VALUES = 20
"""Different numbers of a label from which on it may be a quantity: if some are fractions, or there
are as many as the root of the rows, so that a class has no more rows than there are classes. A
judgement: codes of classes are fewer, or have more rows each."""


def clean_labels(column: pl.Series) -> tuple[pl.Series, tuple[str, ...]]:
    """Return labels with null for missing; merge those that differ by spaces or a full stop."""
    import polars as pl

    dtype = column.dtype
    if dtype in (pl.Categorical, pl.Enum) or dtype == pl.Int128:
        column, dtype = column.cast(pl.String), pl.String()
    if dtype == pl.String:
        texts, levels = clean_texts(column.to_frame())
        classes = set(levels[column.name].to_list())
        labels, stop_notes = _merge_full_stops(texts.to_series(), classes)
        merged = {label for label in classes if not _has_extra_stop(label, classes)}
        return labels, _space_notes(column) + stop_notes + _capital_notes(merged)
    if dtype in (pl.Date, pl.Datetime):
        check_dates(column)
    if dtype.is_float():
        column = column.fill_nan(None)
    if dtype.is_nested() or dtype in (pl.Object, pl.Binary):
        came = f"the label {column.name!r} holds values of type {dtype.base_type()}"
        raise DataError(f"{came}; pass a column of text or numbers")
    return column, ()


def _merge_full_stops(column: pl.Series, classes: set[str]) -> tuple[pl.Series, tuple[str, ...]]:
    """Replace 'a.' by 'a' where both occur, as in data that were split into two files."""
    dotted = sorted(label for label in classes if _has_extra_stop(label, classes))
    if not dotted:
        return column, ()
    note = f"Labels that differ only by a full stop were merged: {quoted_names(dotted)}."
    return column.replace(dotted, [label[:-1] for label in dotted]), (note,)


def _space_notes(column: pl.Series) -> tuple[str, ...]:
    """Name the labels that equal another one but for the spaces around them."""
    raw = set(column.drop_nulls().unique().to_list())
    same = sorted(label for label in raw if label != label.strip() and label.strip() in raw)
    note = f"Labels that differ only by spaces were merged: {quoted_names(same)}."
    return (note,) if same else ()


def _has_extra_stop(label: str, classes: set[str]) -> bool:
    return label[-1:] == "." and label[:-1] in classes


def _capital_notes(classes: set[str]) -> tuple[str, ...]:
    """Warn of labels that differ only by capitals, which are not merged."""
    by_text: dict[str, list[str]] = {}
    for label in sorted(classes):
        by_text.setdefault(label.lower(), []).append(label)
    same = [label for several in by_text.values() if len(several) > 1 for label in several]
    if not same:
        return ()
    what = f"Labels that differ only by capitals are separate classes: {quoted_names(same)}"
    return (Caution("Labels that differ by capitals", f"{what}; if not, write them alike."),)


def check_labels(labels: pl.Series) -> None:
    """Refuse labels that are all equal, or mostly different."""
    classes, rows = labels.n_unique(), len(labels)
    what = f"the label {labels.name!r}"
    if classes == 1:
        value = f"the same value, {show(labels[0])}, in all {rows} rows"
        raise DataError(f"{what} has {value}; pass a column with at least two classes")
    if classes > 2 and classes > MAX_CLASS_SHARE * rows:
        each = "a different value in every row"
        came = each if classes == rows else f"{classes} different values in {rows} rows"
        raise DataError(f"{what} has {came}; pass a column of classes, or bin it into classes")


def quantity_notes(labels: pl.Series) -> tuple[str, ...]:
    """Warn of a label of many numbers, as a quantity has, whose classes hardly mean anything."""
    if not labels.dtype.is_numeric():
        return ()
    known = labels.drop_nulls()
    different = known.n_unique()
    if different < QUANTITY_VALUES:
        return ()
    if different**2 < len(known) and not (known % 1 != 0).any():
        return ()
    text = (
        f"The label {labels.name!r} holds {different:,} different numbers. If they are a quantity,"
        " bin it into classes that matter to you: this answer is about naming each number exactly."
    )
    return (Caution("Is the label a quantity?", text),)


def common_classes(labels: pl.Series, min_class_rows: int) -> tuple[pl.Series, tuple[str, ...]]:
    """Return a mask of the rows whose class is not too rare, and a note that names the others.

    If fewer than two classes have so many rows, only those with a single row are left out; if there
    are not two others either, none is.
    """
    import polars as pl

    counts = labels.alias("label").value_counts(name="rows").sort("rows", "label")
    everyone = pl.repeat(True, len(labels), eager=True)
    for least in (min_class_rows, min(min_class_rows, 2)):
        rare = counts.filter(pl.col("rows") < least)
        if not rare.height:
            return everyone, ()
        if counts.height - rare.height >= 2:
            _check_rare_share(labels, rare, least)
            kept = ~labels.is_in(rare["label"].to_list())
            return kept, (_rare_note(rare, least, len(labels)),)
    return everyone, ()


def _check_rare_share(labels: pl.Series, rare: pl.DataFrame, least: int) -> None:
    """Refuse a label most of whose rows are of rare classes."""
    few, rows = int(rare["rows"].sum()), len(labels)
    if few > MAX_RARE_SHARE * rows:
        what = (
            f"{few:,} of {rows:,} rows are of classes of the label {labels.name!r} with fewer than"
        )
        hint = "bin the label into classes"
        if (rare["rows"] > 1).all():  # a class with a single row is refused further on
            hint += ", or pass min_class_rows=0 to use all"
        raise DataError(f"{what} {least} rows; {hint}")


def _rare_note(rare: pl.DataFrame, least: int, rows: int) -> str:
    few = int(rare["rows"].sum())
    classes = [f"{show(label)} ({counted(count, 'row')})" for label, count in rare.iter_rows()]
    which = left_out(few, rows, f"of classes with fewer than {least} rows")
    about = "the answer is about the other classes, and min_class_rows= says which are too rare"
    headline = f"{counted(len(classes), 'rare class', 'rare classes')} left out"
    return Caution(headline, f"{which}: {first_few(classes)}; {about}.")
