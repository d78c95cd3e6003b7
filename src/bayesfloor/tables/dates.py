"""Dates and times, also as text, become numbers: a time axis and the parts that vary."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from bayesfloor.base.errors import DataError
from bayesfloor.base.formatting import quoted_names
from bayesfloor.tables.text_numbers import MATCHING_SHARE, MAX_STRAY_SHARE

if TYPE_CHECKING:
    import polars as pl

MONTH = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?"
"""Matches the English name of a month, also cut to three letters."""
DATE = (
    r"(?i)^(\d{4}[-/.]\d{1,2}[-/.]\d{1,2}|\d{1,2}[-/.]\d{1,2}[-/.]\d{2,4}"
    rf"|\d{{1,2}}[- ]{MONTH}[-, ]+\d{{2,4}}|{MONTH} \d{{1,2}},? \d{{4}})([T ].*)?$"
)
"""Matches a date, year first or last, and what may follow it."""
TIME = r"^\d{1,2}:\d{2}(:\d{2})?(\.\d+)?( ?[AaPp][Mm])?$"
"""Matches a time of day."""
DATE_FORMATS = (
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%m/%d/%y"),
    *("%d/%m/%Y", "%d/%m/%y", "%d-%m-%Y", "%d-%m-%y", "%m-%d-%Y", "%d %B %Y", "%d-%B-%Y"),
    *("%d-%B-%y", "%B %d, %Y", "%B %d %Y"),
)
"""How dates are written; where two fit, the first is taken: with slashes the month comes first, as
in the United States, else the day."""
TIME_FORMATS = ("%H:%M", "%H:%M:%S%.f", "%I:%M %p", "%I:%M:%S %p")
"""How times of day are written."""
ZONE_FORMATS = ("", "%#z")
"""How a time may end: without a zone, or with one, such as Z or +01:00."""
SAMPLED_DATES = 20
"""Number of texts, evenly spaced, that decide whether a column looks like dates, and on which all
formats are tried before those that fit read the column; a judgement."""
FIRST_YEAR = 1000
"""The first year that has four digits: years before are two digits that were misread."""
UNITS_OF_A_DAY = {"day": 1.0, "ms": 86.4e6, "us": 86.4e9, "ns": 86.4e12}
"""How many units of time, in which polars stores dates, make a day."""
NANOSECONDS_OF_AN_HOUR = 3.6e12
"""Times of day are stored in nanoseconds."""
FIRST_DAY, LAST_DAY = -719_162, 2_932_896
"""First and last day of the years 1 to 9999, which Python's dates can have, counted from 1970."""
PARTS = ("year", "month", "weekday", "hour")
"""Parts of a date that may say something about the label whenever it is."""


class ReadDates(NamedTuple):
    """Holds the dates of a column of text, and the few texts that are none."""

    dates: pl.Series
    strays: Sequence[str]
    ambiguous: bool  # day and month may be swapped


def read_dates(column: pl.Series, levels: pl.Series) -> ReadDates | None:
    """Return text that looks like dates as dates; None if more than a few texts are none.

    `levels` are the different texts of the column.
    """
    sampled = levels.gather_every(len(levels) // SAMPLED_DATES + 1)
    enough = MATCHING_SHARE * len(sampled)
    if sum(map(_looks_like_date, sampled)) < max(enough, 1):  # spares most columns the rest
        return None
    fitting = [how for how in _formats(sampled) if _parse(sampled, how).count() >= enough]
    if not fitting:
        return None
    counts = [_parse(levels, how).count() for how in fitting]
    best = counts.index(max(counts))
    parsed = _parse(levels, fitting[best])
    strays = levels.filter(parsed.is_null()).to_list()
    if len(strays) > max(1, MAX_STRAY_SHARE * len(levels)):
        return None
    swapped = [how for how, n in zip(fitting, counts, strict=True) if n == counts[best]]
    return ReadDates(_parse(column, fitting[best]), strays, ambiguous=len(swapped) > 1)


def _looks_like_date(text: str) -> bool:
    return bool(re.match(DATE, text) or re.match(TIME, text))


def _formats(texts: pl.Series) -> list[str]:
    """Return the formats that may fit, by whether there is a time of day and what precedes it."""
    timed, dated = texts.str.contains(":").any(), texts.str.contains(DATE).any()
    if not dated:
        return list(TIME_FORMATS)
    if not timed:
        return list(DATE_FORMATS)
    between = "T" if texts.str.contains(r"\dT\d").any() else " "
    return [
        f"{date}{between}{time}{zone}"
        for date in DATE_FORMATS
        for time in TIME_FORMATS
        for zone in ZONE_FORMATS
    ]


def _parse(texts: pl.Series, how: str) -> pl.Series:
    """Return dates or times, and null for texts of another format."""
    import polars as pl

    if how in TIME_FORMATS:
        return texts.str.to_time(how, strict=False)
    if how in DATE_FORMATS:
        dates = texts.str.to_date(how, strict=False)
    else:
        dates = texts.str.to_datetime(how, strict=False, time_unit="us")
        dates = dates.dt.replace_time_zone(None)
    late = pl.when(pl.col(dates.name).dt.year() >= FIRST_YEAR).then(pl.col(dates.name))
    return dates.to_frame().select(late).to_series()


def check_dates(column: pl.Series) -> None:
    """Refuse dates that calendars, and the libraries that follow them, do not have."""
    days = as_days(column)
    outside = (days < FIRST_DAY) | (days >= LAST_DAY + 1)
    if outside.any():
        where = f"column {column.name!r} holds a date before year 1 or after 9999 in row"
        hint = "remove the row or leave the column out with drop="
        raise DataError(f"{where} {outside.arg_true()[0]}; {hint}")


def date_columns(column: pl.Series) -> list[pl.Series]:
    """Return the time axis of dates in days, and the parts that vary; hours for times of day."""
    import polars as pl

    if column.dtype == pl.Time:
        return [column.to_physical().cast(pl.Float64) / NANOSECONDS_OF_AN_HOUR]
    wanted = PARTS[:-1] if column.dtype == pl.Date else PARTS
    parts = [getattr(column.dt, part)().alias(f"{column.name} {part}") for part in wanted]
    varying = (part.cast(pl.Float64) for part in parts if part.min() != part.max())
    return [as_days(column), *varying]


def as_days(column: pl.Series) -> pl.Series:
    """Return dates as days since 1970, or durations as days."""
    import polars as pl

    unit = UNITS_OF_A_DAY[getattr(column.dtype, "time_unit", "day")]
    return column.to_physical().cast(pl.Float64) / unit


def expand_dates(frame: pl.DataFrame) -> tuple[list[pl.Series], tuple[str, ...]]:
    """Return the columns with numbers in place of dates and times, and notes that name these."""
    import polars as pl

    columns: list[pl.Series] = []
    for column in frame.iter_columns():
        columns += date_columns(column) if column.dtype.is_temporal() else [column]
    times = [c.name for c in frame.iter_columns() if c.dtype == pl.Time]
    dates = [c.name for c in frame.iter_columns() if c.dtype.is_temporal() and c.dtype != pl.Time]
    as_days = f"Dates were turned into days, and {', '.join(PARTS)} where these vary"
    notes = {as_days: dates, "Times of day were turned into hours": times}
    return columns, tuple(
        f"{note}: {quoted_names(names)}." for note, names in notes.items() if names
    )
