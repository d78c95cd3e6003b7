"""Columns that distances say nothing about are left out: constants, identifiers and free text."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, NamedTuple

from bayesfloor.base.cautions import Caution
from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import quoted_names

if TYPE_CHECKING:
    import polars as pl

FIRST_ROWS = 1000
"""Number of rows that are compared before all are: most columns repeat or change among them. It
affects the time and not the result; a judgement."""
BIRTHDAY_RATIO = 10
"""Whole numbers that are all different although n² exceeds this times their range are taken for an
identifier: by chance that happens with probability near exp(−n²/2r) < exp(−5) = 0.7 %."""

FREE_TEXT_SHARE = 0.5
"""Share of the values that are different from which on text of several words is free text, and not
the name of a category; a judgement."""
FREE_TEXT_WORDS = 3
"""Mean number of words of free text, at least: names and streets have two. A judgement."""
SAMPLED_SENTENCES = 100
"""Number of texts whose words are counted, evenly spaced: their mean is known to a tenth, a
judgement."""


INDEX_NAMES = ("Unnamed: 0", "__index_level_0__", "rownames", "row.names")
"""What pandas and R call a column of row numbers that had no name."""


@dataclass(frozen=True, slots=True)
class ScreeningRule:
    """Says which columns are left out, why, and what that means for the answer."""

    reason: str
    applies: Callable[[pl.Series], bool]
    meaning: str = ""
    headline: str = ""  # of a note that is a caution
    differs: bool = False  # rows that differ in such a column only are no copies


class Screened(NamedTuple):
    """Holds the columns that are used, and those that only tell rows apart."""

    frame: pl.DataFrame
    free_text: list[str]
    notes: tuple[str, ...]


def useful_columns(frame: pl.DataFrame, keep: Collection[str], nameless: str = "") -> Screened:
    """Return the frame without columns of no use, and notes that name these.

    `nameless` is what the first column is called if the header has no name for it. The only column
    numbers no rows.
    """
    reasons, notes, free_text = [], [], []
    for rule in rules_for(nameless if frame.width > 1 else ""):
        names = [c.name for c in frame.iter_columns() if c.name not in keep and rule.applies(c)]
        if names:
            reasons.append(f"{rule.reason}: {quoted_names(names)}")
            note = f"Left out because {reasons[-1]}; {rule.meaning}keep= uses a column anyway."
            headline = f"{rule.headline}: {quoted_names(names)}"
            notes.append(Caution(headline, note) if rule.headline else note)
            free_text += names if rule.differs else []
            frame = frame.drop(names)
    if not frame.width:
        hint = "pass other columns, or keep these with keep="
        raise DataError(f"no column is left, because {', and '.join(reasons)}; {hint}")
    return Screened(frame, free_text, tuple(notes))


def _is_constant(column: pl.Series) -> bool:
    """Return whether a column has one value; if only some are missing, that may mean something."""
    if column.null_count() not in (0, len(column)) or column[0] != column[-1]:
        return False
    return column.head(FIRST_ROWS).n_unique() == 1 and column.n_unique() == 1


def _is_free_text(column: pl.Series) -> bool:
    """Return whether most values are different texts of several words."""
    import polars as pl

    dtype = column.dtype
    if isinstance(dtype, pl.Enum):
        texts = dtype.categories
    elif dtype == pl.String:  # never repeats
        texts = column.drop_nulls()
    else:
        return False
    if len(texts) <= FREE_TEXT_SHARE * column.count():
        return False
    words = texts.gather_every(len(texts) // SAMPLED_SENTENCES + 1).str.count_matches(r"\S+")
    return int(words.sum()) >= FREE_TEXT_WORDS * len(words)


def _is_identifier(column: pl.Series) -> bool:
    """Return whether text never repeats, or whole numbers do not although chance would have them.

    Fractions need never repeat, and are no identifiers.
    """
    import polars as pl

    dtype = column.dtype
    if dtype == pl.String:  # text that repeats is an Enum by now
        return bool(column.count() > 2)
    return dtype.is_float() and _numbers_rows(column)


def _numbers_rows(column: pl.Series) -> bool:
    """Return whether whole numbers never repeat although their range is narrow."""
    first = column[0]
    if first is not None and not first.is_integer():  # spares most columns the rest
        return False
    first_rows = column.head(FIRST_ROWS).drop_nulls()
    if first_rows.n_unique() < len(first_rows):
        return False
    present = column.drop_nulls()
    if len(present) < 3 or not (present == present.floor()).all():
        return False
    n, low, high = len(present), float(present.min()), float(present.max())  # type: ignore[arg-type]
    return n * n > BIRTHDAY_RATIO * (high - low) and bool(present.n_unique() == n)


def _is_index(column: pl.Series) -> bool:
    """Return whether a column holds whole numbers under the name of an index."""
    return column.name in INDEX_NAMES and _is_whole(column)


def _is_whole(column: pl.Series) -> bool:
    present = column.drop_nulls()
    return column.dtype.is_float() and len(present) > 0 and bool((present == present.floor()).all())


def rules_for(nameless: str = "") -> tuple[ScreeningRule, ...]:
    """Return the rules for a table, whose first column may have no name in its header."""
    if not nameless:
        return RULES
    numbers_rows = ScreeningRule(
        "it has no name and holds whole numbers, as a row number does",
        lambda column: column.name == nameless and _is_whole(column),
    )
    return (numbers_rows, *RULES)


RULES = (
    ScreeningRule("the value is the same in all rows", _is_constant),
    ScreeningRule(
        "most values are different texts of several words",
        _is_free_text,
        meaning="the answer is about the other columns; ",
        headline="Free text left out",
        differs=True,
    ),
    ScreeningRule("its name and whole numbers are those of an index", _is_index),
    ScreeningRule("the value is different in every row, like an identifier", _is_identifier),
)
"""The rules by which columns are left out, in this order."""
