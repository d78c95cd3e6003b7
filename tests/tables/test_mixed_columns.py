from __future__ import annotations

import io
import itertools
import math
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import rankdata

import bayesfloor as bf
from bayesfloor.base.arrays import Floats
from bayesfloor.tables import read_table
from bayesfloor.tables.category_encoding import INDICATOR_VALUE, MAX_INDICATORS, SHARED_COLUMNS
from bayesfloor.tables.leaks import LEAK_DIVERGENCE, MAX_LEAK_ROWS, column_divergence, is_leak
from bayesfloor.tables.scaling import standardise

ROWS = 40
LABELS = ["u", "v"] * (ROWS // 2)


def mixed(label: str = "y", **columns: Any) -> dict[str, Any]:
    return {**columns, label: LABELS}


def table(columns: dict[str, Any], **options: Any) -> bf.LabelledTable:
    return read_table(pl.DataFrame(columns, strict=False), label="y", **options)


def scattered(values: Any, rows: int = ROWS) -> list[Any]:
    """Repeat values, out of step with the labels."""
    return [values[(row * row + row // 3) % len(values)] for row in range(rows)]


def distance(found: bf.LabelledTable, a: int, b: int) -> float:
    points = found.X.cast(pl.Float64).to_numpy()
    return float(np.linalg.norm(points[a] - points[b]))


# scaling and encoding


def test_numbers_are_divided_by_their_standard_deviation() -> None:
    values = np.random.default_rng(0).normal(1e6, 300, ROWS)
    found = table(mixed(a=values)).X["a"].to_numpy()
    np.testing.assert_allclose(found - found[0], (values - values[0]) / values.std(), atol=1e-9)


def standardised(values: Floats) -> Floats:
    return standardise(pl.DataFrame({"a": values}))["a"].to_numpy()


@pytest.mark.parametrize("size", [2.0**-1074, 1e-300, 1.0, 1e300, 2.0**1020])
def test_scaling_survives_tiny_and_huge_numbers(size: float) -> None:
    values = np.array([1.0, 2.0, 2.0, 4.0])
    np.testing.assert_allclose(standardised(values * size), standardised(values))
    assert standardised(values * size).std() == pytest.approx(1)


def test_scaling_keeps_the_steps_of_a_grid_far_from_zero() -> None:
    steps = np.diff(standardised(1e12 + np.arange(6.0)))
    np.testing.assert_allclose(steps, steps[0], rtol=1e-15)


def test_ranks_are_shared_by_ties_and_scaled() -> None:
    values = [1.0, 10.0, 10.0, 1e9] * 10
    found = table(mixed(a=values), scale="rank").X["a"].to_numpy()
    ranks = rankdata(values)
    np.testing.assert_allclose(found - found[0], (ranks - ranks[0]) / ranks.std())


def test_unscaled_numbers_stay_as_they_are() -> None:
    values = scattered([3.5, 2.0, 7.25])
    assert table(mixed(a=values), scale="none").X["a"].to_list() == values


@given(st.lists(st.sampled_from("abcde"), min_size=ROWS, max_size=ROWS))
def test_two_different_texts_are_a_standard_deviation_apart(texts: list[str]) -> None:
    found = table(mixed(a=texts), keep="a")
    for other in range(ROWS):
        expected = 0.0 if texts[0] == texts[other] else 1.0
        assert distance(found, 0, other) == pytest.approx(expected, abs=1e-15)


@pytest.mark.parametrize("values", [[True, False], ["yes", "no"]])
def test_two_values_are_one_column_with_distance_1(values: list[Any]) -> None:
    column = scattered(values)
    found = table(mixed(a=column))
    assert found.X.width == 1
    assert found.X.dtypes == [pl.Boolean]
    assert distance(found, 0, column.index(values[0])) + distance(
        found, 0, column.index(values[1])
    ) == pytest.approx(1)


def test_columns_add_up_to_the_distance_of_rows() -> None:
    numbers, texts = [float(v) for v in scattered([1, 2, 5])], scattered(["r", "g", "b"])
    found = table(mixed(a=numbers, b=texts))
    sd = np.std(numbers)
    for other in range(ROWS):
        apart = (texts[0] != texts[other]) + ((numbers[0] - numbers[other]) / sd) ** 2
        assert distance(found, 0, other) == pytest.approx(math.sqrt(apart))
    assert found.X.columns[0] == "a"
    assert set(found.X["b=r"].to_list()) == {0.0, INDICATOR_VALUE}


def test_the_order_of_rows_does_not_matter() -> None:
    frame = pl.DataFrame(mixed(a=scattered(["r", "g", "b", "x"]), b=scattered([1.5, 2, 3])))
    order = np.random.default_rng(3).permutation(ROWS)
    first, second = (read_table(f, label="y") for f in (frame, frame[order]))
    assert first.X.columns == second.X.columns
    np.testing.assert_array_equal(first.X.to_numpy()[order], second.X.to_numpy())


def test_rare_texts_share_columns_and_single_ones_count_as_one() -> None:
    texts = [f"city {j}" for j in range(MAX_INDICATORS) for _ in range(3)]
    texts += [f"rare {j // 2}" for j in range(40)] + [f"once {j}" for j in range(10)]
    found = table({"a": texts, "y": ["u", "v"] * 100})
    assert found.X.width == MAX_INDICATORS + SHARED_COLUMNS + 1
    assert distance(found, -1, -2) == 0  # come once
    assert distance(found, -1, 0) == pytest.approx(1)
    assert distance(found, -1, -11) == pytest.approx(1)
    assert distance(found, 0, -11) == pytest.approx(1)
    assert distance(found, -11, -12) == 0  # the same
    apart = [distance(found, -11, -11 - j) for j in range(2, 40)]
    assert np.mean(apart) == pytest.approx(1, abs=0.1)
    assert min(apart) > 0.5
    assert found.texts_merged
    assert found.notes == (
        "In columns of many different texts the 50 most frequent get a column each, the others"
        " share 16, and those that occur once count as one: 'a' has 80 texts, and 5% of the rows"
        " hold one that occurs once. If the rare texts matter, the floor is too high.",
    )
    few = table({"a": [f"city {j // 2}" for j in range(120)], "y": ["u", "v"] * 60})
    assert few.X.width == MAX_INDICATORS + SHARED_COLUMNS


def test_a_text_of_many_that_decides_the_label_is_seen() -> None:
    rng = np.random.default_rng(0)
    town = rng.integers(0, 300, 3000)
    label = rng.integers(0, 2, 300)[town] ^ (rng.random(3000) < 0.1)  # Bayes error 0.1
    found = table({"town": [f"t{j}" for j in town], "y": label})
    floor = bf.bayes_error(found, representation="raw")
    assert floor.interval[0] < 0.1 < floor.interval[1] < 0.25
    assert any("many different texts" in proviso for proviso in floor.provisos)
    few = bf.bayes_error(table(mixed(a=scattered([1.5, 2.5, 4.5])))).provisos
    assert not any("many different texts" in proviso for proviso in few)


def test_encoded_names_never_clash() -> None:
    found = table({"a": scattered(["r", "g", "b"]), "a=r": scattered([1.5, 2.5]), "y": LABELS})
    assert len(set(found.X.columns)) == found.X.width == 4
    assert "a=r (2)" in found.X.columns


def test_categories_of_data_frames_are_text() -> None:
    texts = scattered(["r", "g", "b"])
    for dtype in (pl.Categorical, pl.Enum(["r", "g", "b"])):
        frame = pl.DataFrame(
            {"a": pl.Series(texts, dtype=dtype), "y": pl.Series(LABELS, dtype=pl.Categorical)}
        )
        found = read_table(frame, label="y")
        assert sorted(found.X.columns) == ["a=b", "a=g", "a=r"]
        assert found.y.to_list() == LABELS


@pytest.mark.parametrize(
    ("texts", "numbers"),
    [
        (["1", " 2 ", "3.5"], [1, 2, 3.5]),
        (["10-19", "20-29", "30-39"], [10, 20, 30]),
        (["1st", "2nd", "3rd"], [1, 2, 3]),
        (["5 %", "7 %", "7.5 %"], [5, 7, 7.5]),
        (["18 to 24", "25 to 34", "65+"], [18, 25, 65]),
        (["500", "1,000", "2,000,000.5"], [500, 1000, 2000000.5]),
        (["$1,200", "$90", "-$3.50"], [1200, 90, -3.5]),
        (["1k", "2k", "3k"], [1, 2, 3]),
        (["$5", "6", "$1,000"], [5, 6, 1000]),
        (["1", "2", "100+"], [1, 2, 100]),
        (["$5", "$-6", "($1,000.5)"], [5, -6, -1000.5]),
        (["5,123.45 €", "7 €", "-1.5 €"], [5123.45, 7, -1.5]),
        (["USD 5,000", "USD 7", "USD 8"], [5000, 7, 8]),
        (["5'123.5", "12 345", "7"], [5123.5, 12345, 7]),
        (["1,234", "0,500", "2"], [1.234, 0.5, 2]),
        (["5.123,45", "-7,1", "12"], [5123.45, -7.1, 12]),
    ],
)
def test_text_of_numbers_and_scales_are_numbers(texts: list[str], numbers: list[float]) -> None:
    found = table(mixed(a=scattered(texts)), scale="none")
    assert found.X["a"].to_list() == scattered(numbers)
    assert found.rows["a"].to_list() == scattered(texts)


@pytest.mark.parametrize(
    "texts",
    [
        ["1a", "2b", "3c"],
        ["<5", "5", "6"],
        ["1 m", "2 kg", "3 s"],
        ["1", "2", "x"],
        ["500", "1k", "2k"],
        ["$5", "€5", "$6"],
        ["1,23.4", "0,500", "2"],
        ["(-5)", "$4", "$3"],
        ["1_000", "2_000", "3"],
        ["$1e5", "$2", "$3"],
        ["5%", "0.1", "0.2"],
        ["٣", "٤", "٥"],
    ],
)
def test_text_that_is_no_scale_is_a_category(texts: list[str]) -> None:
    assert table(mixed(a=scattered(texts))).X.width == 3


def test_few_texts_among_many_numbers_are_missing_values() -> None:
    numbers = [float(row) / 4 for row in range(40)]
    texts = [str(value) for value in numbers] * 2
    texts[3] = texts[50] = "unknown"
    frame = {"a": texts, "b": list(range(2, 82)), "y": ["u", "v"] * 40}
    with pytest.raises(
        bf.DataError, match=r"missing in 'a' \(2\.5% of rows, counting 'unknown'\); pass"
    ):
        table(frame, missing="error")
    found = table(frame, scale="none")
    assert "Text among numbers or dates was treated as missing: 'unknown' in 'a'." in found.notes
    assert found.X["a"].to_list()[:3] == numbers[:3]
    assert found.X["a is missing"].sum() == 2
    grouped = {**frame, "a": [f"${1000 + row % 40:,}" for row in range(79)] + ["n.a."]}
    assert table(grouped, missing="impute", scale="none").X["a"].max() == 1039
    many = {**frame, "a": ["x" + text if j % 3 else text for j, text in enumerate(texts)]}
    assert not any("among numbers" in note for note in table(many).notes)


def test_a_stray_text_may_start_like_one_of_the_numbers_or_come_at_any_place() -> None:
    texts = [f"{1 + row / 4}" for row in range(300)]
    marked = {"a": [*texts, texts[7] + "*"], "y": ["u", "v"] * 150 + ["u"]}
    found = table(marked, missing="drop", scale="none")
    assert found.X["a"].to_list() == [float(text) for text in texts]
    for stray in ("#", "unknown"):  # before and after all others, in order
        some_more = {"a": texts + [f"{stray}{j}" for j in range(9)], "y": ["u", "v", "u"] * 103}
        assert table(some_more, missing="drop").X["a"].len() == 300
    grouped = [f"{value:,}" for value in range(960, 1005)]
    found = table({"a": [*grouped, "none yet"] * 2, "y": ["u", "v"] * 46}, missing="drop")
    assert found.X["a"].len() == 90


@pytest.mark.parametrize("minus", ["−{}", "{}-", "{}−", "−$ {}"])
def test_signs_are_read_as_people_write_them(minus: str) -> None:
    numbers = [row - 12.5 for row in range(25)]
    texts = [minus.format(-value) if value < 0 else str(value) for value in numbers]
    found = table({"a": texts * 2, "y": ["u", "v"] * 25}, scale="none")
    assert found.X["a"].to_list() == numbers * 2


def test_marks_of_a_school_are_not_losses() -> None:
    assert table(mixed(a=scattered(["1-", "2-", "3"]))).X.columns != ["a"]


def test_scales_are_noted() -> None:
    found = table(mixed(age=scattered(["10-19", "20-29", "30-39"])))
    assert found.notes == ("Text that starts with a number was read as that number: 'age'.",)


MOMENTS = [datetime(2020, 1, 31, 9, 30), datetime(2021, 12, 1, 14, 5), datetime(2021, 2, 28, 23)]
WRITTEN_DATES = [
    *("%Y-%m-%d", "%Y/%m/%d", "%Y.%m.%d", "%d.%m.%Y", "%d.%m.%y", "%m/%d/%Y", "%m/%d/%y"),
    *("%d/%m/%Y", "%d-%m-%Y", "%d %b %Y", "%d-%b-%Y", "%d-%b-%y", "%b %d, %Y", "%B %d, %Y"),
]
WRITTEN_MOMENTS = [
    *("%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M", "%Y-%m-%dT%H:%M:%SZ", "%Y-%m-%dT%H:%M:%S.000Z"),
    *("%Y-%m-%d %H:%M:%S+00:00", "%d.%m.%Y %H:%M", "%m/%d/%Y %I:%M %p", "%m/%d/%y %H:%M:%S"),
]


def days(moments: list[datetime]) -> list[float]:
    return [(moment - datetime(1970, 1, 1)).total_seconds() / 86400 for moment in moments]


@pytest.mark.parametrize("how", WRITTEN_DATES)
def test_dates_as_text_become_days_and_their_parts(how: str) -> None:
    texts = [moment.strftime(how) for moment in scattered(MOMENTS)]
    found = table(mixed(when=texts), scale="none")
    midnights = [moment.replace(hour=0, minute=0) for moment in scattered(MOMENTS)]
    assert found.X.columns == ["when", "when year", "when month", "when weekday"]
    assert found.X["when"].to_list() == days(midnights)
    assert found.X["when month"].to_list() == [moment.month for moment in midnights]
    assert found.X["when weekday"].to_list() == [moment.isoweekday() for moment in midnights]
    assert found.rows["when"].to_list() == texts
    assert found.notes == (
        "Dates were turned into days, and year, month, weekday, hour where these vary: 'when'.",
    )


@pytest.mark.parametrize("how", WRITTEN_MOMENTS)
def test_moments_as_text_have_an_hour_too(how: str) -> None:
    found = table(mixed(when=[m.strftime(how) for m in scattered(MOMENTS)]), scale="none")
    assert found.X["when"].to_list() == pytest.approx(days(scattered(MOMENTS)))
    assert found.X["when hour"].to_list() == [moment.hour for moment in scattered(MOMENTS)]


@pytest.mark.parametrize("dtype", [pl.Date, pl.Datetime("ms"), pl.Datetime("ns", "UTC")])
def test_dates_of_frames_are_read_like_those_of_text(dtype: Any) -> None:
    moments = pl.Series("when", [m.replace(hour=0, minute=0) for m in scattered(MOMENTS)])
    frame = pl.DataFrame(mixed()).with_columns(moments.cast(dtype))
    text = mixed(when=moments.dt.strftime("%Y-%m-%d").to_list())
    assert read_table(frame, label="y").X.equals(table(text).X)


def test_only_parts_that_vary_are_columns() -> None:
    mondays = [f"2024-01-{day:02}" for day in (1, 8, 15, 22)]
    assert table(mixed(when=scattered(mondays))).X.columns == ["when"]
    assert table(mixed(when=["2024-01-01"] * ROWS, a=scattered([1, 2]))).X.columns == ["a"]


def test_times_of_day_become_hours_and_durations_days() -> None:
    for texts in (["10:30", "9:45", "23:15"], ["10:30 AM", "9:45 AM", "11:15 PM"]):
        found = table(mixed(at=scattered(texts)), scale="none")
        assert found.X["at"].to_list() == scattered([10.5, 9.75, 23.25])
        assert found.notes == ("Times of day were turned into hours: 'at'.",)
    for unit in ("ms", "ns"):
        lasted = pl.Series("a", [timedelta(hours=h) for h in scattered([12, 36])])
        frame = pl.DataFrame(mixed()).with_columns(lasted.cast(pl.Duration(unit)))
        assert read_table(frame, label="y", scale="none").X["a"].to_list() == scattered([0.5, 1.5])


def test_parts_are_those_of_the_time_zone() -> None:
    hours = pl.Series("at", scattered([datetime(2024, 1, 1, h) for h in (0, 3, 6)]))
    frame = pl.DataFrame(mixed()).with_columns(hours.dt.replace_time_zone("Europe/Berlin"))
    found = read_table(frame, label="y", scale="none").X
    assert found.columns == ["at", "at hour"]
    assert found["at hour"].to_list() == scattered([0, 3, 6])


@pytest.mark.parametrize("dtype", [pl.Date, pl.Datetime("ms"), pl.Datetime("us", "UTC")])
def test_dates_outside_the_calendar_are_refused(dtype: Any) -> None:
    far = pl.Series("when", [0] * 9 + [2**31 - 1 if dtype == pl.Date else 2**60] + [1] * 30)
    frame = pl.DataFrame(mixed(a=scattered([1, 2]))).with_columns(far.cast(pl.Int64).cast(dtype))
    where = r"column 'when' holds a date before year 1 or after 9999 in row 9; remove the row or"
    for label in ("y", "when"):
        with pytest.raises(bf.DataError, match=where):
            read_table(frame, label=label)


def test_missing_dates_are_marked_once_and_strays_are_missing() -> None:
    texts: list[Any] = [f"2024-{1 + row % 12:02}-{1 + row % 28:02}" for row in range(ROWS)]
    found = table(mixed(when=["none yet", None, *texts[2:]]), scale="none")
    assert found.X.columns == ["when", "when month", "when weekday", "when is missing"]
    assert found.X["when is missing"].to_list() == [True, True, *[False] * 38]
    assert found.notes[0] == (
        "Text among numbers or dates was treated as missing: 'none yet' in 'when'."
    )
    assert table(mixed(when=[None, *texts[1:]]), missing="drop").X.height == 39


def test_a_date_that_can_be_read_either_way_is_noted() -> None:
    texts = ["01/02/2020", "03/04/2020", "05/06/2020"]
    found = table(mixed(when=scattered(texts)), scale="none")
    assert found.X["when month"].to_list() == scattered([1, 3, 5])
    assert found.notes[0] == (
        "Day and month may be swapped, as dates can be read either way: 'when'."
    )
    assert not any(
        "swapped" in n for n in table(mixed(when=scattered([*texts, "31/01/2020"]))).notes
    )


def test_what_only_looks_like_dates_is_text() -> None:
    assert table(mixed(a=scattered(["2020-13-01", "2020-14-02"]))).X.width == 1
    assert table(mixed(a=scattered(["2020-01-01", "1.2.2020", "2020/05/05"]))).X.width == 3


def test_dates_can_be_dropped_and_give_the_label_away() -> None:
    dates = ["2020-01-01" if label == "u" else "2021-01-01" for label in LABELS]
    columns = mixed(when=dates, a=scattered([1, 2, 3]))
    assert table(columns, drop="when").X.columns == ["a"]
    assert any("determine the label on their own: 'when'" in text for text in table(columns).notes)


def test_nested_columns_are_refused() -> None:
    with pytest.raises(bf.DataError, match=r"column 'a' holds values of type List;"):
        table(mixed(a=[[1]] * ROWS))


# what is left out or named


def note(reason: str, *names: str) -> str:
    return f"Left out because {reason}: {', '.join(map(repr, names))}; keep= uses a column anyway."


SAME, IDENTIFIER = (
    "the value is the same in all rows",
    "the value is different in every row, like an identifier",
)


def test_constants_are_left_out_and_named() -> None:
    columns = mixed(
        a=scattered([1, 2]), b=[7] * ROWS, c=["x"] * ROWS, d=[None] * ROWS, e=[True] * ROWS
    )
    found = table(columns)
    assert found.X.columns == found.rows.columns == ["a"]
    assert found.notes == (note(SAME, "b", "c", "d", "e"),)


IDENTIFIERS = {
    "row numbers": list(range(ROWS)),
    "row numbers as fractions": [float(v) for v in range(1, ROWS + 1)],
    "row numbers out of order": [(7 * v) % ROWS for v in range(ROWS)],
    "customer numbers": [1000 + 3 * v for v in range(ROWS)],
    "text": [f"name {v}" for v in range(ROWS)],
}


@pytest.mark.parametrize("case", IDENTIFIERS)
def test_identifiers_are_left_out_and_named(case: str) -> None:
    columns = mixed(id=IDENTIFIERS[case], a=scattered([1, 2]))
    found = table(columns)
    assert found.X.columns == found.rows.columns == ["a"]
    assert found.notes == (note(IDENTIFIER, "id"),)
    assert table(columns, keep="id").rows.columns == ["id", "a"]
    assert table(columns, features=["id", "a"]).rows.columns == ["id", "a"]
    assert table(columns, features=["id", "a"], keep="id").rows.columns == ["id", "a"]


WORDS = ["the", "good", "bad", "film", "was", "not", "very", "long", "short", "liked", "it", "all"]


def reviews(rows: int, words: int = 12) -> list[str]:
    rng = np.random.default_rng(0)
    return [" ".join(rng.choice(WORDS, words)) for _ in range(rows)]


@pytest.mark.parametrize("twice", [0, 10])
def test_free_text_is_left_out_and_the_answer_says_so(twice: int) -> None:
    texts = reviews(ROWS)
    columns = mixed(review=[*texts[: ROWS - twice], *texts[:twice]], a=scattered([1, 2, 3]))
    found = table(columns)
    assert found.X.columns == found.rows.columns == ["a"]
    assert found.notes == (
        "Left out because most values are different texts of several words: 'review'; the answer is"
        " about the other columns; keep= uses a column anyway.",
    )
    assert (found.texts_merged, found.texts_left_out) == (False, ("review",))
    left_out = "the free text that was left out ('review') tells no more"
    assert left_out in bf.bayes_error(found).provisos
    assert table(columns, keep="review").rows.columns == ["review", "a"]
    with pytest.raises(bf.DataError, match="no column is left, because most values are different"):
        table(mixed(review=texts))


@pytest.mark.parametrize(
    "texts",
    [
        pytest.param(scattered(reviews(15)), id="long names of categories"),
        pytest.param([f"n {v}" for v in range(ROWS - 1)] + ["n 0"], id="two words"),
    ],
)
def test_categories_and_short_names_are_no_free_text(texts: list[str]) -> None:
    assert table(mixed(a=texts, b=scattered([1, 2]))).rows.columns == ["a", "b"]


def test_copies_are_counted_before_text_is_encoded() -> None:
    n = 200
    side = {"b": scattered([1, 2], n), "y": ["u", "v"] * (n // 2)}
    assert table({"a": reviews(n), **side}).copied == 0
    names = [*(f"n{row}" for row in range(n - 10)), *["twice"] * 10]
    found = table({"a": names, **side})
    assert found.texts_merged
    assert found.copied == pytest.approx(10 / n)
    assert found.X.is_duplicated().sum() > 0.7 * n  # what would be counted after
    assert table({"a": scattered("rgb", n), **side}).copied is None


ORDINARY = {
    "fractions, all different": np.random.default_rng(0).normal(size=ROWS),
    "whole numbers over a wide range": np.random.default_rng(0).permutation(10**6)[:ROWS],
    "row numbers but one": [*range(ROWS - 1), 0],
    "text that repeats once": [*(f"n {v}" for v in range(ROWS - 1)), "n 0"],
}


@pytest.mark.parametrize("case", ORDINARY)
def test_ordinary_columns_are_no_identifiers(case: str) -> None:
    assert table(mixed(a=ORDINARY[case], b=scattered([1, 2]))).rows.columns == ["a", "b"]


def test_long_columns_are_compared_to_the_end() -> None:
    n = 3000
    columns = {
        "id": range(n),
        "late": [*range(n - 1), 5],
        "same": [1] * n,
        "last": [1] * (n - 1) + [2],
    }
    found = table({**columns, "y": ["u", "v"] * (n // 2)})
    assert found.X.columns == ["late", "last"]


def test_a_table_without_a_useful_column_is_refused() -> None:
    with pytest.raises(
        bf.DataError,
        match=r"no column is left, because the value is the same in all rows: .*; pass other",
    ):
        table(mixed(a=[1] * ROWS))


LEAKS = {
    "the label": LABELS,
    "a code": [{"u": 17, "v": 4}[label] for label in LABELS],
    "a threshold": [(5 if label == "v" else -5) + row / 70 for row, label in enumerate(LABELS)],
    "true and false": [label == "v" for label in LABELS],
    "only missing for one": [None if label == "v" else "x" for label in LABELS],
}


@pytest.mark.parametrize("case", LEAKS)
def test_columns_that_give_the_label_away_are_named(case: str) -> None:
    found = table(mixed(leak=LEAKS[case], a=scattered([1, 2, 3])), missing="impute")
    assert any(
        text.startswith("These columns almost determine the label on their own: 'leak';")
        for text in found.notes
    )
    assert "leak" in found.rows.columns


def test_leaks_are_found_when_a_few_rows_differ_and_not_when_many_do() -> None:
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 2, 4000)
    for share, named in ((0.002, True), (0.015, False)):
        code = np.where(rng.random(4000) < share, 1 - labels, labels)
        notes = table({"a": code, "b": rng.normal(size=4000), "y": labels}).notes
        assert any("'a'" in text for text in notes) == named
        assert not any("'b'" in text for text in notes)


def brute_divergence(values: list[int], labels: list[int], ordered: bool, seed: int) -> float:
    """Average over random orders of ties, or over all pairs of equal values."""
    n, rng = len(labels), np.random.default_rng(seed)
    pairs = [(i, j) for i in range(n) for j in range(n) if i != j]
    chance = np.mean([labels[i] == labels[j] for i, j in pairs])
    if ordered:
        agree = []
        for _ in range(3000):
            order = np.lexsort((rng.random(n), np.array(values)))
            inside = sum(labels[a] == labels[b] for a, b in itertools.pairwise(order))
            agree.append((inside + max(labels)) / (n - 1))
        share = min(float(np.mean(agree)), 1.0)
    else:
        mates = [[j for j in range(n) if j != i and values[j] == values[i]] for i in range(n)]
        share = float(
            np.mean(
                [
                    np.mean([labels[j] == labels[i] for j in m]) if m else chance
                    for i, m in enumerate(mates)
                ]
            )
        )
    return 1 - (1 - share) / (1 - float(chance))


@pytest.mark.parametrize("ordered", [False, True])
@pytest.mark.parametrize("seed", range(4))
def test_the_divergence_of_a_column_matches_brute_force(ordered: bool, seed: int) -> None:
    rng = np.random.default_rng(seed)
    labels = np.append(rng.integers(0, 3, 12), [0, 1, 2])
    values = np.unique(rng.integers(0, 5, 15) + labels, return_inverse=True)[1]
    found = column_divergence(values, labels, ordered=ordered)
    expected = brute_divergence(values.tolist(), labels.tolist(), ordered, seed)
    assert found == pytest.approx(expected, abs=0.03 if ordered else 1e-12)


@pytest.mark.parametrize("classes", [2, 3, 200])
@pytest.mark.parametrize("noise", [0.0, 0.003, 0.04, 0.5])
@pytest.mark.parametrize("digits", [0, 1, 9])
def test_columns_are_judged_by_their_divergence(classes: int, noise: float, digits: int) -> None:
    rng = np.random.default_rng([classes, digits])
    labels = np.append(rng.integers(0, classes, 3000), np.arange(classes))
    given = np.where(rng.random(len(labels)) < noise, rng.permutation(labels), labels)
    values = np.round(given + 0.4 * rng.random(len(labels)), digits)
    codes = np.unique(values, return_inverse=True)[1]
    expected = column_divergence(codes, labels, ordered=True) >= LEAK_DIVERGENCE
    assert is_leak(values, labels, ordered=True) == expected
    assert expected == (noise < 0.01)


def test_numbers_that_give_the_label_away_in_blocks_are_judged_by_all_rows() -> None:
    values = np.random.default_rng(3).permutation(3000).astype(float)
    assert is_leak(values, (values // 150).astype(int) % 2, ordered=True)
    assert not is_leak(values, (values // 50).astype(int) % 2, ordered=True)


def test_few_rows_are_not_judged_and_many_are_judged_by_some() -> None:
    few = {"a": [1, 1, 2, 2], "y": ["u", "u", "v", "v"]}
    assert table(few).notes == ()
    many = np.repeat([0, 1], 3 * MAX_LEAK_ROWS)
    assert len(table({"a": many, "b": many % 1 + np.arange(len(many)) % 7, "y": many}).notes) == 1
    in_turn = np.arange(2 * MAX_LEAK_ROWS) % 2
    noise = np.random.default_rng(0).uniform(0, 0.5, len(in_turn))
    assert len(table({"a": in_turn + noise, "b": noise, "y": in_turn}).notes) == 1


def test_large_numbers_among_plain_ones_are_no_strays() -> None:
    values = [500 + row % 505 for row in range(600)]
    found = table({"a": [f"{value:,}" for value in values], "y": ["u", "v"] * 300}, scale="none")
    assert found.X["a"].to_list() == values


def test_whole_numbers_over_all_of_their_range_stay_in_order() -> None:
    values = [-(2**63), 0, 2**63 - 1]
    found = table({"a": values * 20, "y": ["u", "v"] * 30}, scale="none").X["a"].to_list()
    assert found[:3] == sorted(found[:3]) != found[1:4]


def test_money_beyond_any_number_is_refused() -> None:
    with pytest.raises(bf.DataError, match="column 'a' holds infinity in row 1"):
        table({"a": ["$1", "$" + "9" * 400, "$2", "$3"] * 20, "y": ["u", "v"] * 40})


def test_merged_labels_are_not_called_separate_classes() -> None:
    found = table({"a": scattered([1.5, 2.5, 3.5]), "y": ["No", "No.", "x", "no."] * (ROWS // 4)})
    assert found.y.n_unique() == 3
    assert found.notes == ("Labels that differ only by a full stop were merged: 'No.'.",)


def test_labels_that_differ_by_spaces_are_merged_and_noted() -> None:
    found = table({"a": scattered([1.5, 2.5, 3.5]), "y": ["No", " No", "yes ", "x"] * (ROWS // 4)})
    assert found.y.unique().sort().to_list() == ["No", "x", "yes"]
    assert found.notes == ("Labels that differ only by spaces were merged: ' No'.",)


def test_labels_that_differ_by_capitals_are_noted() -> None:
    found = table({"a": scattered([1.5, 2.5, 3.5]), "y": ["No", "no", "yes", "no"] * (ROWS // 4)})
    (note,) = found.notes
    assert note == (
        "Labels that differ only by capitals are separate classes: 'No', 'no'; if not, write them"
        " alike."
    )
    assert getattr(note, "headline", None) == "Labels that differ by capitals"


@pytest.mark.parametrize(
    ("labels", "warned"),
    [
        ([float(k) for k in range(20)] * 6, True),  # as many numbers as the root of the rows
        ([k / 2 for k in range(20)] * 30, True),  # fractions
        ([float(k) for k in range(20)] * 30, False),  # codes of classes
        ([float(k) for k in range(19)] * 6, False),
        ([f"{k} m" for k in range(20)] * 6, False),
    ],
)
def test_a_label_of_many_numbers_may_be_a_quantity(labels: list[Any], warned: bool) -> None:
    found = table({"a": [0.5, 1.5] * (len(labels) // 2), "y": labels})
    headlines = [getattr(note, "headline", None) for note in found.notes]
    assert ("Is the label a quantity?" in headlines) == warned
    if warned:
        assert "The label 'y' holds 20 different numbers." in found.notes[0]


# missing values


def gaps() -> dict[str, Any]:
    return mixed(
        a=[None if row < 4 else float(row % 5) for row in range(ROWS)],
        b=["?" if row == 6 else "xyz"[row % 3] for row in range(ROWS)],
        c=scattered([1, 2]),
    )


def test_missing_values_are_refused_with_columns_and_shares_if_asked() -> None:
    with pytest.raises(bf.DataError) as caught:
        table(gaps(), missing="error")
    assert str(caught.value) == (
        "data frame: values are missing in 'a' (10.0% of rows), 'b' (2.5% of rows); pass"
        ' missing="drop" to leave out these rows, or missing="impute" to fill them in'
    )


def test_missing_values_in_columns_that_are_not_used_do_not_matter() -> None:
    assert table(gaps(), drop="a,b").X.columns == ["c"]


def test_rows_with_missing_values_are_dropped_and_noted() -> None:
    found = table(gaps(), missing="drop")
    assert found.X.height == len(found.y) == found.rows.height == 35
    assert found.notes == ("Left out 5 of 40 rows in which a value is missing (12.5%).",)
    assert found.y.to_list() == ["u", "v", *LABELS[7:]]
    assert found.rows["a"].to_list()[:3] == [4.0, 0.0, 2.0]


def test_missing_values_are_imputed_and_noted_by_default() -> None:
    found = table(gaps(), scale="none")
    numbers = [row % 5 for row in range(4, ROWS)]
    assert found.X["a"].to_list() == [np.median(numbers)] * 4 + numbers
    assert found.X["a is missing"].to_list() == [True] * 4 + [False] * 36
    assert found.rows["a"].to_list()[:5] == [None] * 4 + [4.0]
    assert found.notes == (
        "Missing numbers were replaced by the median and marked in an extra column: 'a'.",
        "Missing texts count as a value of their own: 'b'.",
    )
    assert found.X.equals(table(gaps(), scale="none", missing="impute").X)


def test_a_missing_text_is_a_value_of_its_own() -> None:
    found = table(gaps(), scale="none", drop="a,c")
    assert found.X.columns == ["b=x", "b=y", "b=z", "b=missing"]
    assert [distance(found, 6, other) for other in (3, 4, 5)] == pytest.approx([1, 1, 1])
    named = [None, "missing", "x", "missing", "x"] * 8
    assert set(table(mixed(a=named)).X.columns) == {"a=missing", "a=x", "a=(missing)"}


@pytest.mark.parametrize("scale", ["standard", "rank"])
def test_missing_numbers_do_not_change_the_scale_of_the_others(scale: str) -> None:
    rng = np.random.default_rng(0)
    values = rng.permutation(np.arange(ROWS) ** 2 / 7.0)
    full = table(mixed(a=values), scale=scale).X["a"].to_numpy()
    gappy = {"a": [*values, *[None] * 160], "b": rng.normal(size=200), "y": ["u", "v"] * 100}
    found = table(gappy, scale=scale).X["a"].to_numpy()
    np.testing.assert_allclose(np.diff(found[:ROWS]), np.diff(full))
    assert set(found[ROWS:]) == {np.sort(found[:ROWS])[ROWS // 2 - 1]}


@pytest.mark.parametrize("dtype", [pl.String, pl.Float64, pl.Boolean])
def test_a_kept_column_without_a_value_cannot_be_filled_in(dtype: Any) -> None:
    frame = pl.DataFrame(mixed(a=[None] * ROWS, b=scattered([1, 2])), schema_overrides={"a": dtype})
    with pytest.raises(bf.DataError, match="every value is missing in 'a'; leave these columns"):
        read_table(frame, label="y", keep="a")


def test_missing_true_and_false_are_a_third_value() -> None:
    found = table(mixed(a=[None, *[True, True, False] * 13]))
    assert found.X.columns == ["a=true", "a=false", "a=missing"]
    assert [distance(found, 0, other) for other in (1, 3)] == pytest.approx([1, 1])


def test_rows_without_a_label_are_left_out_and_noted_or_refused() -> None:
    columns = {"a": scattered([1, 2]), "y": [None, "NA", *LABELS[2:]]}
    for how in ("drop", "impute"):
        found = table(columns, missing=how)
        assert found.y.to_list() == LABELS[2:]
        assert found.rows.height == found.X.height == 38
        assert found.notes == ("Left out 2 of 40 rows without a label (5.0%).",)
    with pytest.raises(bf.DataError, match=r"values are missing in 'y' \(5\.0% of rows\); pass"):
        table(columns, missing="error")
    with pytest.raises(bf.DataError, match="the label 'y' is missing in every row; name another"):
        table({"a": scattered([1, 2]), "y": [None] * ROWS})


def test_numbers_whose_sum_overflows_are_not_infinite() -> None:
    assert table(mixed(a=[1e308, -1e308, 1e308, 1e308] * 10)).X["a"].is_finite().all()


def test_nan_is_missing_in_numbers_and_labels() -> None:
    columns = {"a": [math.nan, *scattered([1.0, 2.0])[1:]], "y": [0.0, math.nan, *[0.0, 1.0] * 19]}
    assert table(columns, missing="drop").X.height == 38


def test_a_table_with_a_gap_in_every_row_is_refused() -> None:
    columns = mixed(a=[None, 1] * 20, b=[2, None] * 20)
    with pytest.raises(
        bf.DataError, match='a value is missing in every row; pass missing="impute"'
    ):
        table(columns, missing="drop")


# labels


def test_labels_that_differ_by_a_full_stop_are_merged() -> None:
    found = table({"a": scattered([1, 2]), "y": ["<=50K", ">50K", "<=50K.", ">50K."] * 10})
    assert found.y.to_list() == ["<=50K", ">50K"] * 20
    assert found.notes[0] == (
        "Labels that differ only by a full stop were merged: '<=50K.', '>50K.'."
    )
    lonely = ["Inc.", "Ltd"] * 20
    assert table({"a": scattered([1, 2]), "y": lonely}).y.to_list() == lonely


def test_nested_labels_are_refused() -> None:
    with pytest.raises(bf.DataError, match="the label 'y' holds values of type List"):
        table({"a": scattered([1, 2]), "y": [[1], [2]] * 20})


RARE = (
    "Left out 4 of 44 rows of classes with fewer than 5 rows (9.1%): 'x' (1 row), 'w' (3 rows); the"
    " answer is about the other classes, and min_class_rows= says which are too rare."
)


def test_rows_of_rare_classes_are_left_out_and_named() -> None:
    columns = {"a": scattered([1.5, 2, 3], 44), "y": [*LABELS, "w", "w", "x", "w"]}
    found = table(columns)
    assert found.y.to_list() == LABELS
    assert found.X.height == found.rows.height == ROWS
    assert found.notes == (RARE,)
    assert bf.bayes_error(found).n == ROWS
    two = table(columns, min_class_rows=2)
    assert two.y.n_unique() == 3
    assert "fewer than 2 rows (2.3%): 'x' (1 row);" in two.notes[0]
    everything = table(columns, min_class_rows=0)
    assert (everything.y.n_unique(), everything.notes) == (4, ())
    with pytest.raises(bf.DataError, match="class 'x' has a single row; add rows or drop"):
        bf.bayes_error(everything)
    with pytest.raises(bf.DataError, match="min_class_rows is -1; pass a whole number of at"):
        table(columns, min_class_rows=-1)


def test_a_share_that_would_be_written_as_zero_is_not_written() -> None:
    labels = [*["u", "v"] * 3000, "w"]
    found = table({"a": scattered([1.5, 2, 3], 6001), "y": labels})
    assert found.notes[0].startswith(
        "Left out 1 of 6,001 rows of classes with fewer than 5 rows: 'w' (1 row); the answer"
    )


@pytest.mark.parametrize(
    ("sizes", "left"),
    [
        ({"u": 3, "v": 3}, {"u", "v"}),
        ({"u": 30, "v": 3}, {"u", "v"}),
        ({"u": 3, "v": 3, "w": 1}, {"u", "v"}),
        ({"u": 30, "v": 1}, {"u", "v"}),
        ({1: 30, 2: 30, 7: 2}, {1, 2}),
        ({True: 30, False: 3}, {True, False}),
    ],
)
def test_at_least_two_classes_remain(sizes: dict[Any, int], left: set[Any]) -> None:
    labels = [label for label, rows in sizes.items() for _ in range(rows)]
    found = table({"a": scattered([1.5, 2, 3], len(labels)), "y": labels})
    assert set(found.y.to_list()) == left


@pytest.mark.parametrize(
    ("first", "advice"),
    [
        (0, "bin the label into classes, or pass min_class_rows=0 to use all"),
        (1, "bin the label into classes"),
    ],
)
def test_a_label_whose_classes_are_mostly_rare_is_refused(first: int, advice: str) -> None:
    labels = [*["u", "v"] * 10, *(f"c{row // 2}" for row in range(first, 60 + first))]
    what = "60 of 80 rows are of classes of the label 'y' with fewer than 5 rows"
    with pytest.raises(bf.DataError, match=f"{what}; {advice}$"):
        table({"a": scattered([1.5, 2, 3], 80), "y": labels})


# real data


def test_adult_is_read_from_its_two_raw_files(shared_data: Path) -> None:
    files = [shared_data / "adult" / f"adult-{part}.csv.gz" for part in ("train", "test")]
    found = read_table(files, label=-1, header=False, missing="impute")
    assert found.rows.shape == (48842, 14)
    assert found.y.value_counts(sort=True).rows() == [("<=50K", 37155), (">50K", 11687)]
    assert found.X.columns.count("column 2=missing") == 1
    assert len(found.notes) == 2


@pytest.mark.parametrize(
    ("name", "shape", "options"),
    [
        ("skin/Skin_NonSkin.txt.gz", (245057, 3), {"label": -1, "header": False}),
        ("magic/magic.tsv.gz", (19020, 10), {"label": "target"}),
        ("phoneme/phoneme.tsv.gz", (5404, 5), {"label": "target"}),
        ("ripley_synth/synth.tr", (250, 2), {"label": "yc"}),
        ("robot/sensor_readings_24.data", (5456, 24), {"label": -1, "header": False}),
    ],
)
def test_real_files_are_read_whole(
    shared_data: Path, name: str, shape: tuple[int, int], options: dict[str, Any]
) -> None:
    found = read_table(shared_data / name, **options)
    assert found.X.shape == shape
    assert found.notes == ()
    stds = found.X.to_numpy().std(axis=0)
    np.testing.assert_allclose(stds, 1)


def test_text_from_files_goes_the_same_way_as_from_frames() -> None:
    frame = pl.DataFrame(gaps())
    file = io.BytesIO(frame.write_csv().encode())
    first, second = (read_table(source, label="y", missing="impute") for source in (frame, file))
    assert first.X.equals(second.X)
    assert first.y.equals(second.y)
