"""The gate lets good data through unharmed and answers bad data with one sentence."""

from __future__ import annotations

import datetime
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
import scipy.sparse
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

import bayesfloor as bf
from array_memory import peak_of
from bayesfloor.base.arrays import AnyArray, Floats
from bayesfloor.base.errors import DataError
from bayesfloor.base.executor import Threads
from bayesfloor.base.memory_costs import assembly_bytes
from bayesfloor.base.options import check_confidence, check_count, check_share
from bayesfloor.sample.assembly import LIMITS, AssemblyLimits, assemble, fitting_limits
from bayesfloor.sample.class_codes import check_class_number
from bayesfloor.sample.gate import make_pair, make_sample
from bayesfloor.sample.sample import Sample

GRID = np.array([[3, 10, 0], [1, 30, 1], [2, 20, 1], [4, 10, 0], [0, 40, 1]])
TEXT = ["b", "a", "b", "a", "b"]
NAMES = ["u", "v", "w"]
LISTS = {name: GRID[:, j].tolist() for j, name in enumerate(NAMES)}


def same(one: Sample, other: Sample) -> bool:
    """Tell whether two samples hold the same numbers and labels."""
    return (
        one.points.tobytes() == other.points.tobytes()
        and one.labels.tolist() == other.labels.tolist()
        and one.classes.tolist() == other.classes.tolist()
        and one.scale == other.scale
    )


def refusal(act: Callable[[], object]) -> str:
    """Return the message of the DataError, which must be a single short sentence."""
    with pytest.raises(DataError) as caught:
        act()
    message = str(caught.value)
    assert "\n" not in message
    assert ". " not in message
    assert 10 < len(message) < 300
    return message


def attempt(make: Callable[..., Sample], *values: Any) -> Sample | str:
    """Return the sample, or the message of the DataError."""
    try:
        return make(*values)
    except DataError as refused:
        return str(refused)


def user_units(sample: Sample) -> Floats:
    return sample.points * sample.scale


class Readable:
    """Something of which NumPy knows only that it can become an array."""

    def __init__(self, data: Any) -> None:
        self.data = data

    def __array__(self, dtype: Any = None, copy: Any = None) -> AnyArray:
        return np.array(self.data, dtype=dtype)

    def __array_function__(self, *_: Any) -> None:
        raise TypeError("no NumPy function takes this")


class Broken:
    """Something that fails at every touch."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> AnyArray:
        raise RuntimeError("out of\norder")

    def __repr__(self) -> str:
        raise RuntimeError("no name")

    __eq__ = __hash__ = __len__ = __iter__ = __array__  # type: ignore[assignment]


# Good points


TABLES: dict[str, Any] = {
    "list": GRID.tolist(),
    "tuple": tuple(map(tuple, GRID.tolist())),
    "list of arrays": list(GRID),
    "Fortran order": np.asfortranarray(GRID.astype(float)),
    "reversed view": GRID[::-1].astype(float)[::-1],
    "big-endian float": GRID.astype(">f8"),
    "big-endian int": GRID.astype(">i4"),
    "object": GRID.astype(object),
    "object floats": GRID.astype(float).astype(object),
    "decimals": [[Decimal(v) for v in row] for row in GRID.tolist()],
    "fractions": [[Fraction(v) for v in row] for row in GRID.tolist()],
    "masked array without masked values": np.ma.masked_less(GRID, -1),
    "matrix": np.asmatrix(GRID),
    "__array__": Readable(GRID),
    "pandas": pd.DataFrame(GRID, columns=NAMES),
    "pandas, numbered columns": pd.DataFrame(GRID),
    "pandas, odd index": pd.DataFrame(GRID, index=[9, 9, 1, 1, 0]),
    "pandas Int64": pd.DataFrame(GRID, columns=NAMES).astype("Int64"),
    "pandas Float64": pd.DataFrame(GRID, columns=NAMES).astype("Float64"),
    "pandas arrow": pd.DataFrame(GRID, columns=NAMES).astype("int64[pyarrow]"),
    "pandas object": pd.DataFrame(GRID, columns=NAMES, dtype=object),
    "pandas sparse": pd.DataFrame(GRID, columns=NAMES).astype(pd.SparseDtype("int64", 0)),
    "pandas, a bool column": pd.DataFrame(LISTS).astype({"w": "bool", "v": "float32"}),
    "pandas, a boolean column": pd.DataFrame(LISTS).astype({"w": "boolean"}),
    "polars": pl.DataFrame(LISTS),
    "polars, mixed": pl.DataFrame(LISTS, schema={"u": pl.UInt8, "v": pl.Float32, "w": pl.Int64}),
    "polars, a bool column": pl.DataFrame(LISTS).with_columns(pl.col("w").cast(pl.Boolean)),
    "polars decimal": pl.DataFrame(LISTS).cast(pl.Decimal(10, 2)),
    "polars, chunked": pl.concat([pl.DataFrame(LISTS)[:2], pl.DataFrame(LISTS)[2:]], rechunk=False),
    "pyarrow": pa.table(LISTS),
    "pyarrow, chunked": pa.concat_tables([pa.table(LISTS)[:2], pa.table(LISTS)[2:]]),
    "pyarrow record batch": pa.record_batch(LISTS),
}
DTYPES = ["int8", "uint8", "int16", "uint16", "int32", "uint32", "int64", "uint64"]
TABLES |= {name: GRID.astype(name) for name in [*DTYPES, "float16", "float32", "longdouble"]}


@pytest.mark.parametrize("table", TABLES.values(), ids=TABLES.keys())
def test_every_container_gives_the_same_sample(table: Any) -> None:
    sample = make_sample(table, TEXT)
    assert same(sample, make_sample(GRID.astype(np.float64), TEXT))
    assert user_units(sample).tolist() == (GRID - [2, 20, 1]).tolist()  # lower medians


def test_truth_values_are_numbers() -> None:
    assert same(make_sample(GRID > 2, TEXT), make_sample((GRID > 2).astype(float), TEXT))


def test_a_sample_knows_its_sizes() -> None:
    sample = make_sample(GRID, TEXT)
    assert (sample.n, sample.d, sample.m) == (5, 3, 2)
    assert sample.counts.tolist() == [2, 3]
    assert sample.priors.tolist() == [0.4, 0.6]
    assert sample.counts.dtype == sample.labels.dtype == np.int64
    assert sample.points.dtype == np.float64
    assert sample.points.flags.c_contiguous


def test_a_common_offset_costs_no_digit() -> None:
    points = np.random.default_rng(1).integers(0, 2**20, size=(50, 3)) / 2**20
    labels = np.arange(50) % 2
    plain, far = make_sample(points, labels), make_sample(points + 1e7, labels)
    moved = make_sample(np.round((points + 1e7) * 2**20).astype(np.int64), labels)
    assert np.array_equal(far.points, moved.points)
    assert np.abs(user_units(far) - user_units(plain)).max() <= 2**-29  # rounded before the gate


def test_unequal_columns_keep_their_digits() -> None:
    points = np.random.default_rng(2).normal(size=(40, 3)) * [1e-7, 1.0, 1e3]
    kept = user_units(make_sample(points, np.arange(40) % 2))
    gaps, kept_gaps = (np.diff(np.sort(p, axis=0), axis=0) for p in (points, kept))
    np.testing.assert_allclose(kept_gaps, gaps, rtol=1e-9)


def test_columns_over_many_magnitudes_keep_their_small_values_apart() -> None:
    points = np.logspace(-30, 30, 61)[:, None]
    kept = user_units(make_sample(points, np.arange(61) % 2))
    np.testing.assert_allclose(np.diff(kept, axis=0), np.diff(points, axis=0), rtol=1e-9)


@pytest.mark.parametrize("dtype", ["int64", "uint64", "object", "longdouble"])
def test_integers_beyond_float_precision_stay_apart(dtype: str) -> None:
    points = (np.array([[0], [1], [2], [3]]) + 2**60).astype(dtype)
    assert user_units(make_sample(points, [0, 1, 0, 1])).ravel().tolist() == [-1, 0, 1, 2]


def test_integers_at_the_ends_of_their_range_do_not_wrap() -> None:
    signed = np.array([[-(2**63)], [2**63 - 1], [5], [5]])
    assert user_units(make_sample(signed, [0, 1, 0, 1])).ravel().tolist() == [-(2**63), 2**63, 0, 0]
    unsigned = np.array([[0], [2**64 - 1], [5], [5]], dtype=np.uint64)
    assert user_units(make_sample(unsigned, [0, 1, 0, 1])).ravel().tolist() == [-5, 2.0**64, 0, 0]


@pytest.mark.parametrize("size", [1e200, 1e-200, 6e307, 5e-324, 1e-310, 1.0])
def test_huge_and_tiny_values_are_scaled_by_a_power_of_two(size: float) -> None:
    sample = make_sample([[-size, size], [0, 0], [size, 0], [0, -size]], [0, 1, 0, 1])
    assert np.frexp(sample.scale)[0] == 0.5
    assert 1 <= np.abs(sample.points).max() < 2
    assert user_units(sample).tolist() == [[-size, size], [0, 0], [size, 0], [0, -size]]


@given(
    arrays(
        st.sampled_from(["float64", "float32", "longdouble", "int64"]),
        st.tuples(st.integers(4, 12), st.integers(1, 2)),
        elements=st.integers(-4, 4),
    ),
    st.sampled_from([0, 300, -300, 1]),
    st.sampled_from([0.0, 1.0, 1e17]),
)
def test_points_said_to_be_distinct_are(points: AnyArray, power: int, offset: float) -> None:
    with np.errstate(all="ignore"):
        spread = points * np.abs(points).astype(np.float64) ** power + offset
    assume(np.isfinite(spread).all())
    sample = make_sample(spread, np.arange(len(points)) % 2)
    assert not sample.distinct or len(np.unique(sample.points, axis=0)) == sample.n


def test_points_with_a_column_of_different_values_are_distinct() -> None:
    points = np.array([[1.0, 5], [2, 5], [3, 5], [4, 5]])
    assert make_sample(points, [0, 1, 0, 1]).distinct
    assert not make_sample(points[[0, 1, 2, 0]], [0, 1, 0, 1]).distinct


def test_points_that_coincide_in_double_precision_are_not_distinct() -> None:
    tiny = np.array([[0.0], [1e-300], [1e-10], [1e300]])  # the second is lost when scaled
    far = np.array([[0.0], [1e-30], [1e30], [1e30]], dtype=np.longdouble)
    far[3] = np.nextafter(far[3], np.longdouble(np.inf))
    for points in (tiny, far):
        sample = make_sample(points, [0, 1, 0, 1])
        assert not sample.distinct or len(np.unique(sample.points)) == 4
    assert not make_sample(tiny, [0, 1, 0, 1]).distinct


def test_coinciding_points_are_all_zero() -> None:
    sample = make_sample(np.full((4, 2), -0.1), [0, 1, 0, 1])
    assert sample.points.tobytes() == np.zeros((4, 2)).tobytes()
    assert sample.scale == 1


def test_the_sign_of_zero_does_not_show() -> None:
    column = np.array([[-1.0], [-0.0], [0.0], [1.0], [-0.0]])
    assert same(make_sample(column, TEXT), make_sample(np.abs(column) * np.sign(column), TEXT))
    assert not np.signbit(make_sample(column, TEXT).points[1:]).any()


def test_strict_floating_point_settings_do_not_matter() -> None:
    with np.errstate(all="raise"):
        make_sample([[8e307, 1e-308], [-8e307, 0], [1, 1], [0, 0]], [0, 1, 0, 1])


# Good labels


LABELS: dict[str, Any] = {
    "tuple": tuple(TEXT),
    "numpy text": np.array(TEXT),
    "object": np.array(TEXT, dtype=object),
    "column": np.array(TEXT)[:, None],
    "nested list": [[label] for label in TEXT],
    "__array__": Readable(TEXT),
    "pandas": pd.Series(TEXT, index=[9, 9, 1, 1, 0]),
    "pandas object": pd.Series(TEXT, dtype=object),
    "pandas string": pd.Series(TEXT, dtype="string"),
    "pandas index": pd.Index(TEXT),
    "pandas frame": pd.DataFrame({"y": TEXT}),
    "categorical": pd.Categorical(TEXT),
    "unused categories": pd.Series(pd.Categorical(TEXT, categories=["z", "b", "a"])),
    "polars": pl.Series(TEXT),
    "polars frame": pl.DataFrame({"y": TEXT}),
    "polars categorical": pl.Series(TEXT, dtype=pl.Categorical),
    "polars enum": pl.Series(TEXT, dtype=pl.Enum(["z", "b", "a"])),
    "pyarrow": pa.array(TEXT),
    "pyarrow dictionary": pa.array(TEXT).dictionary_encode(),
    "pyarrow chunks": pa.chunked_array([TEXT[:2], TEXT[2:]]),
    "pyarrow dictionary chunks": pa.chunked_array([TEXT]).dictionary_encode(),
    "pyarrow table": pa.table({"y": TEXT}),
}


@pytest.mark.parametrize("labels", LABELS.values(), ids=LABELS.keys())
def test_every_label_container_gives_the_same_sample(labels: Any) -> None:
    sample = make_sample(GRID, labels)
    assert same(sample, make_sample(GRID, TEXT))
    assert sample.classes.dtype == np.dtype("<U1")
    assert sample.labels.tolist() == [1, 0, 1, 0, 1]


@pytest.mark.parametrize(
    ("labels", "classes"),
    [
        ([True, False, True, False, True], [False, True]),
        ([7, -1, 7, -1, 7], [-1, 7]),
        ([0.5, -0.5, 0.5, -0.5, 0.5], [-0.5, 0.5]),
        (pd.Series(pd.Categorical([2, 1, 2, 1, 2])), [1, 2]),
        (pd.Series([2, 1, 2, 1, 2], dtype="Int64"), [1, 2]),
        (pl.Series([2, 1, 2, 1, 2], dtype=pl.UInt8), [1, 2]),
        (np.array([2, 1, 2, 1, 2], dtype=">i2"), [1, 2]),
        (np.array([b"b", b"a", b"b", b"a", b"b"]), [b"a", b"b"]),
        (["1", 1, "1", 1, "1"], [1, "1"]),  # of two types that do not compare
        (["a\0", "a", "a\0", "a", "a\0"], ["a", "a\0"]),
        ([2.5, True, 2.5, True, 2.5], [1.0, 2.5]),
        ([Decimal(2), Decimal(1), Decimal(2), Decimal(1), Decimal(2)], [Decimal(1), Decimal(2)]),
    ],
    ids=repr,
)
def test_labels_keep_their_values_in_sorted_order(labels: Any, classes: list[Any]) -> None:
    sample = make_sample(GRID, labels)
    assert sample.classes.tolist() == classes
    assert list(map(type, sample.classes.tolist())) == list(map(type, classes))
    assert sample.labels.tolist() == [1, 0, 1, 0, 1]
    assert sample.classes.dtype.isnative


def test_dates_and_tuples_can_be_labels() -> None:
    days = [datetime.date(2021, 1, 1), datetime.date(2020, 1, 1)]
    pairs = np.fromiter([(1, "b"), (1, "a")], dtype=object)
    for labels in (np.array(days), pl.Series(days).to_numpy(), pairs):
        assert make_sample(GRID[:4], np.tile(labels, 2)).labels.tolist() == [1, 0, 1, 0]


@given(st.permutations([*[frozenset({i}) for i in range(4)], 1, "1", None.__class__, (2,)] * 2))
def test_unsortable_labels_get_the_same_order_in_any_row_order(labels: list[Any]) -> None:
    sample = make_sample(np.zeros((16, 1)), np.fromiter(labels, dtype=object))
    names = [(type(label).__name__, str(label)) for label in sample.classes]
    assert names == sorted(names)
    assert [sample.classes[code] for code in sample.labels] == labels


@pytest.mark.skipif(not hasattr(np.dtypes, "StringDType"), reason="NumPy 2 has this type")
def test_text_of_variable_width_is_a_label_but_not_a_point() -> None:
    text = np.array(TEXT, dtype=np.dtypes.StringDType())
    assert same(make_sample(GRID, text), make_sample(GRID, TEXT))
    assert "Text data not supported in column 0 of X" in refusal(
        lambda: make_sample(text[:, None], TEXT)
    )


# Two point sets


def test_a_pair_is_one_sample_of_classes_0_and_1() -> None:
    pair = make_pair(GRID[:2], GRID[2:])
    assert same(pair, make_sample(GRID, [0, 0, 1, 1, 1]))


def test_a_pair_may_mix_containers_and_number_types() -> None:
    frame = pd.DataFrame(GRID[2:], columns=NAMES)
    numbered = make_pair(GRID[:2], GRID[2:])
    assert same(make_pair(GRID[:2].astype(np.float32), frame), numbered)
    assert same(make_pair(frame, pl.DataFrame(frame.to_dict("list"))), make_pair(frame, GRID[2:]))
    assert same(make_pair([[True], [False]], [[2.0], [0.5]]), make_pair([[1], [0]], [[2], [0.5]]))


@pytest.mark.parametrize(
    ("x", "y", "message"),
    [
        (GRID, GRID[:, :2], "X has 3 columns and Y has 2; pass the same columns"),
        (GRID, GRID[:1], "'Y' has a single row"),
        (GRID[:1], GRID, "'X' has a single row"),
        (GRID[:0], GRID, "0 sample(s) (shape=(0, 3)) while a minimum of 1 is required; pass X"),
        (GRID, GRID[:, 0], "Y is 1-D, call Y.reshape(-1, 1)"),
        (GRID, GRID * [1, np.nan, 1], "NaN or infinity in row 0, column 1 of Y"),
        (GRID, GRID.astype(str), "Text data not supported in column 0 of Y"),
        (GRID, None, "Y is a single NoneType"),
        (GRID, scipy.sparse.csr_array(GRID), "Y is a sparse csr_array"),
        (GRID, Broken(), "Y cannot be read"),
        (pl.DataFrame(LISTS), pl.DataFrame(LISTS)[:, [0, 2, 1]], "'v' of X meets column 'w' of Y"),
    ],
)
def test_a_bad_pair_is_refused_by_name(x: Any, y: Any, message: str) -> None:
    assert message in refusal(lambda: make_pair(x, y))


# Bad points


def hurt(value: object) -> AnyArray:
    """Return the grid as objects, with another value in row 3, column 1."""
    table = GRID.astype(object)
    table[3, 1] = value
    return table


FRAME = pl.DataFrame(LISTS)
BAD_TABLES: dict[str, tuple[Any, str]] = {
    "NaN": (hurt(np.nan).astype(float), "NaN or infinity in row 3, column 1 of X; drop or impute"),
    "infinity": (hurt(-np.inf).astype(float), "NaN or infinity in row 3, column 1 of X"),
    "earliest row": ([[1, np.nan], [np.nan, 1]] + [[0, 0]] * 3, "row 0, column 1 of X"),
    "None": (hurt(None), "missing value, NaN or infinity in row 3, column 1 of X"),
    "pandas NA": (hurt(pd.NA), "missing value, NaN or infinity in row 3, column 1 of X"),
    "NaT": (hurt(pd.NaT), "missing value, NaN or infinity in row 3, column 1 of X"),
    "decimal NaN": (hurt(Decimal("nan")), "missing value, NaN or infinity in row 3, column 1"),
    "masked": (np.ma.masked_equal(GRID, 40), "missing value, NaN or infinity in row 4, column 1"),
    "pandas null": (pd.DataFrame(LISTS).astype("Int64").replace(40, pd.NA), "row 4, column 'v'"),
    "polars null": (FRAME.with_columns(v=pl.col("v").replace(40, None)), "row 4, column 'v' of X"),
    "boolean null": (pa.table({"b": [True, None, True, True, True]}), "row 1, column 'b' of X"),
    "null column": (FRAME.with_columns(z=None), "infinity in row 0, column 'z' of X"),
    "beyond float64": (
        np.arange(5)[:, None] * np.longdouble("1e4000"),
        "rows differ by more than the largest number, 1.8e308; divide all values by a million",
    ),
    "huge integer": (hurt(10**400), "X cannot be read (OverflowError"),
    "signalling NaN": (hurt(Decimal("snan")), "X cannot be read (InvalidOperation"),
    "text": (hurt("ten"), "column 1 of X holds 'ten' in row 3"),
    "dict": (hurt({"foo": "bar"}), "column 1 of X holds {'foo': 'bar'} in row 3"),
    "complex object": (hurt(1j), "column 1 of X holds 1j in row 3"),
    "duration object": (hurt(np.timedelta64(1, "s")), "X cannot be read (TypeError"),
    "broken object": (hurt(Broken()), "column 1 of X holds <Broken instance at"),
    "list with text": ([[1, "a"]] * 5, "column 1 of X holds 'a' in row 0"),
    "numeric text": (GRID.astype(str), "Text data not supported in column 0 of X; encode"),
    "bytes": (GRID.astype("S"), "Bytes data not supported in column 0 of X"),
    "dates": (GRID.astype("M8[D]"), "Date data not supported in column 0 of X"),
    "durations": (GRID.astype("m8[D]"), "Duration data not supported in column 0 of X"),
    "records": (np.zeros((5, 1), dtype=[("a", float)]), "Record data not supported in column 0"),
    "complex": (GRID + 1j, "Complex data not supported in column 0 of X"),
    "polars text": (FRAME.with_columns(city=pl.lit("Rome")), "in column 'city' of X; encode it"),
    "pandas text": (pd.DataFrame({"city": TEXT}), "column 'city' of X holds 'b' in row 0"),
    "pandas dates": (pd.DataFrame({"day": pd.date_range("2020", periods=5)}), "Date data not"),
    "pandas periods": (pd.DataFrame({"q": pd.period_range("2020", periods=5)}), "column 'q' of X"),
    "number categories": (
        pd.DataFrame(LISTS).astype({"v": "category"}),
        "Categorical data not supported in column 'v' of X; encode it as numbers or drop it",
    ),
    "polars categories": (pl.DataFrame({"c": TEXT}).cast(pl.Categorical), "Categorical data"),
    "polars enum": (pl.DataFrame({"c": TEXT}).cast(pl.Enum(["a", "b"])), "Categorical data"),
    "polars lists": (pl.DataFrame({"l": [[1]] * 5}), "column 'l' of X holds array([1]) in row 0"),
    "polars arrays": (
        pl.DataFrame({"l": [[1, 2]] * 5}, schema={"l": pl.Array(pl.Int64, 2)}),
        "column 'l' of X holds array([1, 2]) in row 0",
    ),
    "doubled names": (pd.DataFrame(GRID, columns=["a", "a", "b"]), "X cannot be read (Duplicate"),
    "lazy": (FRAME.lazy(), "X is a lazy LazyFrame; call .collect() on it first"),
    "too few rows": (GRID[:3], "X has 3 rows and y has 5; pass one label a row"),
    "no rows": (GRID[:0], "Found array with 0 sample(s) (shape=(0, 3)) while a minimum of 1 is"),
    "no columns": (GRID[:, :0], "0 feature(s) (shape=(5, 0)) while a minimum of 1 is required; "),
    "empty list": ([], "0 sample(s) (shape=(0,)) while a minimum of 1 is required"),
    "empty frame": (pd.DataFrame(index=range(5)), "0 feature(s) (shape=(5, 0))"),
    "1-D": (GRID[:, 0], "Reshape your data: X is 1-D, call X.reshape(-1, 1) on it"),
    "series": (pd.Series(LISTS["u"]), "Reshape your data: X is 1-D"),
    "3-D": (np.zeros((5, 2, 2)), "Reshape your data: X is 3-D, call X.reshape(5, -1) on it"),
    "0-D": (np.float64(1), "X is a single float64; pass a 2-D array or a data frame"),
    "None as X": (None, "X is a single NoneType; pass a 2-D array or a data frame"),
    "path": ("data.csv", "X is a single str; pass a 2-D array or a data frame"),
    "dictionary": (LISTS, "X is a single dict; pass a 2-D array or a data frame"),
    "generator": ((row for row in GRID), "X is a single generator"),
    "ragged": ([[1, 2], [3, 4], [5]], "row 2 of X has length 1, row 0 has 2; give all rows"),
    "number among rows": ([[1, 2], 3], "row 1 of X has length 1, row 0 has 2"),
    "ragged within": ([[[1], [2, 3]]] * 5, "X cannot be read (ValueError"),
    "broken": (Broken(), "X cannot be read (RuntimeError: out of order); pass a plain array"),
}
SPARSE = ["csr_array", "csc_matrix", "coo_array", "dok_array", "lil_matrix", "dia_array"]
BAD_TABLES |= {
    kind: (getattr(scipy.sparse, kind)(GRID), f"X is a sparse {kind}; call .toarray() on it first")
    for kind in SPARSE
}


@pytest.mark.parametrize(("table", "message"), BAD_TABLES.values(), ids=BAD_TABLES.keys())
def test_a_bad_table_is_refused_in_one_sentence(table: Any, message: str) -> None:
    assert message in refusal(lambda: make_sample(table, TEXT))


def test_a_list_that_holds_itself_is_refused() -> None:
    loop: list[Any] = []
    loop.append(loop)
    refusal(lambda: make_sample(loop, TEXT))


def test_objects_among_numbers_are_a_type_error_too_as_scikit_learn_asks() -> None:
    with pytest.raises(TypeError, match=r"argument must be .* string.* number"):
        make_sample(hurt({"foo": "bar"}), TEXT)


def test_a_frame_with_a_column_called_nnz_or_collect_is_not_sparse_or_lazy() -> None:
    frame = pd.DataFrame(GRID, columns=["nnz", "collect", "toarray"])
    assert same(make_sample(frame, TEXT), make_sample(GRID, TEXT))


# Bad labels


BAD_LABELS: dict[str, tuple[Any, str]] = {
    "None": (None, "requires y to be passed, but the target y is None"),
    "missing": (["a", "b", None, "b", "a"], "y has a missing label (None or NaN) in row 2; drop"),
    "NaN": ([1, 2, np.nan, np.nan, 1], "missing label (None or NaN) in row 2"),
    "NaN among text": (["a", "b", np.nan, "b", "a"], "missing label (None or NaN) in row 2"),
    "NaT": (np.array(["2020", "2021", "NaT", "2020", "2021"], "M8[D]"), "missing label (None or"),
    "masked": (np.ma.masked_equal([1, 2, 3, 1, 2], 3), "missing label (None or NaN) in row 2"),
    "pandas NA": (pd.Series([1, 2, None, 1, 2], dtype="Int64"), "in row 2; drop the row"),
    "boolean NA": (pd.Series([True, False, None], dtype="boolean"), "X has 5 rows and y has 3"),
    "pandas category": (pd.Categorical(["a", "b", None, "b", "a"]), "in row 2; drop the row"),
    "polars null": (pl.Series(["a", "b", None, "b", "a"]), "in row 2; drop the row"),
    "pyarrow null": (pa.array([True, False, None, False, True]), "in row 2; drop the row"),
    "one class": (["a"] * 5, "y holds one class only, 'a'; pass two classes or more"),
    "single row": (["a", "a", "b", "a", "a"], "class 'b' has a single row; add rows or drop the"),
    "two single rows": ([1, 2, 3, 1, 1], "class 2 (and 1 more) has a single row; add rows or"),
    "long name": (["a" * 999, "b", "b", "b", "b"], "aaa' has a single row"),
    "line break": (["a\nb", "b", "b", "b", "b"], r"class 'a\nb' has a single row"),
    "continuous": ([0.1, 0.2, 0.3, 0.4, 0.5], "drop the class, or cut y into classes, as it looks"),
    "too short": (TEXT[:4], "X has 5 rows and y has 4; pass one label a row"),
    "empty": ([], "X has 5 rows and y has 0; pass one label a row"),
    "two columns": (GRID[:, :2], "y should be a 1d array, but has shape (5, 2); pass one label"),
    "two-column frame": (FRAME[:, :2], "y should be a 1d array, but has shape (5, 2)"),
    "3-D": (np.zeros((5, 1, 1)), "y should be a 1d array, but has shape (5, 1, 1)"),
    "text": ("baba", "y is a single str; pass one label a row"),
    "dict": ({"a": 1}, "y is a single dict; pass one label a row"),
    "sparse": (scipy.sparse.csr_array(GRID), "y is a sparse csr_array; call .toarray()"),
    "lazy": (FRAME.lazy(), "y is a lazy LazyFrame; call .collect()"),
    "lists": (pl.Series([[1], [2], [1], [2], [1]]), "y cannot be read (TypeError: unhashable"),
    "vectors": (pl.DataFrame({"y": [[1]] * 5}, schema={"y": pl.Array(int, 1)}), "unhashable"),
    "broken": (Broken(), "y cannot be read (RuntimeError: out of order)"),
    "broken objects": (
        np.fromiter([Broken() for _ in range(5)], dtype=object),
        "y cannot be read (RuntimeError",
    ),
}


@pytest.mark.parametrize(("labels", "message"), BAD_LABELS.values(), ids=BAD_LABELS.keys())
def test_bad_labels_are_refused_in_one_sentence(labels: Any, message: str) -> None:
    assert message in refusal(lambda: make_sample(GRID, labels))


def test_rounded_measurements_look_continuous() -> None:
    labels = np.r_[np.repeat(np.arange(25) / 10, 3), 9.9]
    message = refusal(lambda: make_sample(np.zeros((76, 1)), labels))
    assert "class 9.9 has a single row" in message
    assert "as it looks continuous" in message


@pytest.mark.parametrize("labels", [[0, 0, 1, 2, 3], [0.0, 0.0, 1.0, 2.0, 3.0], list("aabcd")])
def test_whole_numbers_and_text_do_not_look_continuous(labels: list[Any]) -> None:
    assert "continuous" not in refusal(lambda: make_sample(GRID, labels))


@pytest.mark.parametrize("read", [np.asarray, list, pd.Series])
def test_swapped_points_and_labels_are_recognised(read: Callable[[Any], Any]) -> None:
    message = refusal(lambda: make_sample(read(TEXT), GRID))
    assert message == "X is 1-D and y has shape (5, 3); swap them, points come before labels"


# Parameters


@pytest.mark.parametrize("value", [0.95, np.float32(0.5), Fraction(1, 2), np.float16(0.1)])
def test_a_share_comes_back_as_float(value: Any) -> None:
    share = check_share("confidence", value)
    assert type(share) is float
    assert share == value


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_points_that_are_not_finite_become_no_sample(value: float) -> None:
    """Whoever puts them together: they would end in compiled code that trusts its numbers."""
    with pytest.raises(DataError, match="largest number"):
        assemble([np.array([[1.0, value, 0.0, 2.0]])], np.arange(4) % 2, np.arange(2))


@pytest.mark.parametrize("value", [0.001, 0.95, 1 - 1e-9, np.float32(0.5)])
def test_a_confidence_that_an_interval_can_have_comes_back(value: Any) -> None:
    assert check_confidence("confidence", value) == value


@pytest.mark.parametrize("value", [0, 1e-300, 0.0009, 1 - 1e-16, 1, np.nan, "0.9", None])
def test_a_confidence_too_close_to_0_or_1_is_refused(value: Any) -> None:
    message = refusal(lambda: check_confidence("confidence", value))
    assert message.endswith("; pass a number between 0.001 and 0.999999999")


@pytest.mark.parametrize(
    "value",
    [0, 1, 95, -0.5, np.nan, True, "0.9", None, 1j, [0.5], Decimal("0.5"), 10**400, Broken()],
)
def test_anything_else_is_no_share(value: Any) -> None:
    message = refusal(lambda: check_share("confidence", value))
    assert message.startswith("confidence is ")
    assert message.endswith("; pass a number between 0 and 1, both excluded")


@pytest.mark.parametrize("value", [1, 99, np.int8(5), np.uint64(7), np.array(3)])
def test_a_count_comes_back_as_int(value: Any) -> None:
    count = check_count("k", value, low=1, high=99)
    assert type(count) is int
    assert count == value
    assert check_count("k", 10**20, low=1, high=None) == 10**20


@pytest.mark.parametrize("value", [0, -1, 100, 2.5, 5.0, True, np.True_, "5", None, [5], Broken()])
def test_anything_else_is_no_count(value: Any) -> None:
    message = refusal(lambda: check_count("k", value, low=1, high=99))
    assert message.startswith("k is ")
    assert message.endswith("; pass a whole number from 1 to 99")


def test_a_count_without_upper_limit_says_so() -> None:
    message = refusal(lambda: check_count("k", 1, low=2, high=None))
    assert message == "k is 1; pass a whole number of at least 2"


# Properties


finite = st.floats(-2e307, 2e307)
few_values = st.integers(-2, 2).map(float)


def tables(elements: st.SearchStrategy[float]) -> st.SearchStrategy[Floats]:
    """Draw tables of 4 to 20 rows; rows take turns in two classes."""
    return arrays(np.float64, st.tuples(st.integers(4, 20), st.integers(1, 3)), elements=elements)


def turns(table: AnyArray) -> AnyArray:
    return np.arange(len(table)) % 2


def assert_sound(sample: Sample) -> None:
    assert sample.points.shape == (sample.n, sample.d)
    assert sample.labels.shape == (sample.n,)
    assert sample.points.flags.c_contiguous
    assert sample.points.dtype == np.float64
    assert np.isfinite(sample.points).all()
    peak = np.abs(sample.points).max()
    assert 1 <= peak < 2 or peak == 0
    assert sample.m >= 2
    assert sample.counts.min() >= 2
    assert sample.labels.min() == 0
    assert sample.labels.max() == sample.m - 1


scalars = st.one_of(
    st.none(), st.booleans(), st.integers(), st.floats(), st.complex_numbers(), st.text(max_size=3)
)
anything = st.one_of(
    scalars,
    st.lists(scalars, max_size=6),
    st.lists(st.lists(st.sampled_from([0, 1, 2.5, 10**30]), min_size=2, max_size=2), min_size=4),
    st.lists(st.lists(scalars, min_size=1, max_size=2), max_size=6),
    arrays(
        st.sampled_from(["f8", ">f4", "i8", "u8", "?", "O", "U2", "S2", "c16", "M8[s]", "g"]),
        array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=5),
    ),
    st.dictionaries(st.text(max_size=2), st.lists(scalars, min_size=4, max_size=4), max_size=2),
)


@given(anything, anything | st.lists(st.sampled_from([0, 1]), min_size=4, max_size=6))
def test_whatever_comes_gives_a_sound_sample_or_a_data_error(X: Any, y: Any) -> None:
    for make, values in ((make_sample, (X, y)), (make_pair, (X, X)), (make_pair, (X, y))):
        found = attempt(make, *values)
        if isinstance(found, str):
            assert "\n" not in found
        else:
            assert_sound(found)


@given(st.lists(scalars, min_size=4, max_size=12))
def test_any_labels_come_back_or_a_data_error(labels: list[Any]) -> None:
    doubled = np.fromiter([*labels, *labels], dtype=object)
    found = attempt(make_sample, np.zeros((len(doubled), 1)), doubled)
    if isinstance(found, str):
        assert any(word in found for word in ("missing label", "one class"))
    else:
        assert [found.classes[code] for code in found.labels] == doubled.tolist()


@given(tables(finite))
def test_any_finite_table_gives_a_sound_sample(table: Floats) -> None:
    assert_sound(make_sample(table, turns(table)))


@given(tables(finite), st.randoms(use_true_random=False))
def test_rows_may_come_in_any_order(table: Floats, random: Any) -> None:
    order = np.array(random.sample(range(len(table)), len(table)))
    sample = make_sample(table, turns(table))
    moved = make_sample(table[order], turns(table)[order])
    assert moved.points.tobytes() == sample.points[order].tobytes()
    assert moved.labels.tolist() == sample.labels[order].tolist()
    assert moved.scale == sample.scale


@given(arrays("f4", (6, 2), elements=st.floats(-1e4, 1e4, width=16)), st.sampled_from("efg"))
def test_floats_of_any_width_give_the_same_points(table: AnyArray, width: str) -> None:
    wide = make_sample(table.astype(np.float64), turns(table))
    assert same(make_sample(table.astype(width), turns(table)), wide)


@given(tables(few_values), st.sampled_from([1e7, -1e7, 2.0**52 - 8, 1 / 4]))
def test_a_shifted_grid_keeps_exactly_the_same_points(table: Floats, shift: float) -> None:
    assert same(make_sample(table + shift, turns(table)), make_sample(table, turns(table)))


@given(tables(few_values), st.integers(-900, 900))
def test_a_grid_times_a_power_of_two_keeps_exactly_the_same_points(
    table: Floats, power: int
) -> None:
    sample = make_sample(table, turns(table))
    scaled = make_sample(np.ldexp(table, power), turns(table))
    assert scaled.points.tobytes() == sample.points.tobytes()
    assert scaled.scale == np.ldexp(sample.scale, power) or not sample.points.any()


@given(tables(st.floats(-1e9, 1e9).map(lambda value: value if abs(value) > 1e-250 else 0.0)))
def test_differences_within_a_column_survive(table: Floats) -> None:
    sample = make_sample(table, turns(table))
    for before, after in zip(table.T, user_units(sample).T, strict=True):
        gaps = np.diff([Fraction(value) for value in sorted(before)])
        kept = np.diff([Fraction(value) for value in sorted(after)])
        assert all(abs(a - b) <= b * 2**-29 for a, b in zip(kept, gaps, strict=True))


@given(tables(st.floats(-1e9, 1e9)), st.floats(-1e9, 1e9))
def test_no_column_stays_far_from_zero(table: Floats, offset: float) -> None:
    points = make_sample(table + offset, turns(table)).points
    assert (np.abs(points).max(axis=0) <= 2 * np.ptp(points, axis=0)).all()


@pytest.mark.parametrize("dtype", ["float64", "int64", "object", ">f8", "longdouble"])
def test_the_input_is_neither_changed_nor_kept(dtype: str) -> None:
    table, labels = GRID.astype(dtype), np.array([1, 0, 1, 0, 1])
    table_before, labels_before = table.copy(), labels.copy()
    sample = make_sample(table, labels)
    assert np.array_equal(table, table_before)
    assert np.array_equal(labels, labels_before)
    sample.points[:] = -99
    sample.labels[:] = -99
    sample.classes[:] = -99
    assert np.array_equal(table, table_before)
    assert np.array_equal(labels, labels_before)


@given(tables(finite))
def test_read_only_tables_are_welcome_and_never_shared(table: Floats) -> None:
    table.setflags(write=False)
    labels = turns(table)
    labels.setflags(write=False)
    sample = make_sample(table, labels)
    assert not np.shares_memory(sample.points, table)
    assert not np.shares_memory(sample.labels, labels)
    assert sample.points.flags.writeable


def test_a_polars_column_is_not_shared() -> None:
    frame = pl.DataFrame({"a": [0.0, 0.0, 1.0, 1.0]})
    sample = make_sample(frame, [0, 1, 0, 1])
    sample.points[:] = 7
    assert frame["a"].to_list() == [0.0, 0.0, 1.0, 1.0]


def test_the_gate_loads_no_heavy_library() -> None:
    code = (
        "import sys, bayesfloor.sample.gate as s\n"
        "s.make_sample([[1, 2]] * 4, [0, 1, 0, 1])\n"
        "print(*{'polars', 'pandas', 'pyarrow', 'sklearn', 'numba'} & set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


@given(
    values=st.lists(st.integers(0, 60), min_size=4, max_size=40),
    kind=st.sampled_from([np.int8, np.int64, np.uint8, np.uint64]),
    edge=st.sampled_from(["low", "high"]),
)
def test_whole_labels_are_coded_in_their_order(
    values: list[int], kind: type[np.integer[Any]], edge: str
) -> None:
    limits = np.iinfo(kind)
    start = limits.min if edge == "low" else limits.max - 60
    labels = np.array([start + 4 * (value // 4) for value in values * 2], dtype=kind)
    assume(len(set(labels.tolist())) > 1)
    sample = make_sample(np.arange(len(labels))[:, None], labels)
    classes, codes = np.unique(labels, return_inverse=True)
    assert sample.classes.tolist() == classes.tolist()
    assert sample.classes.dtype == labels.dtype
    np.testing.assert_array_equal(sample.labels, codes)


def test_far_apart_small_labels_are_coded_too() -> None:
    labels = np.array([-128, 127] * 200, dtype=np.int8)
    assert make_sample(np.arange(400)[:, None], labels).classes.tolist() == [-128, 127]


@given(
    table=arrays(
        np.float64,
        st.tuples(st.integers(6, 20), st.integers(1, 3)),
        elements=st.floats(-1e6, 1e6) | st.sampled_from([-0.0, 1e7, 1e300, 5e-324]),
    )
)
def test_long_columns_come_out_as_short_ones_do(table: Floats) -> None:
    labels = np.arange(len(table)) % 2
    short = make_sample(table, labels)
    long = make_sample(table, labels, limits=AssemblyLimits(long=5, block=4))
    assert long.points.tobytes() == short.points.tobytes()
    assert (long.scale, long.distinct) == (short.scale, short.distinct)


@pytest.mark.parametrize("copies", [0, 1])
def test_long_columns_are_known_to_differ_where_they_do(copies: int) -> None:
    values = np.random.default_rng(0).normal(size=(3000, 1))
    values[:copies] = values[-1]
    sample = make_sample(values, np.arange(3000) % 2, limits=AssemblyLimits(long=5))
    assert sample.distinct == (copies == 0)


# values near the largest number


@pytest.mark.parametrize("d", [1, 2, 5])
@pytest.mark.parametrize("method", ["wnn", "wnn-published", "knn", "mst"])
@pytest.mark.parametrize("size", [1e300, 1e307, 8e307, 1.7e308])
def test_values_near_the_largest_number_give_finite_results_or_one_line(
    size: float, method: str, d: int
) -> None:
    rng = np.random.default_rng(7)
    X, y = size * rng.uniform(-1, 1, (50, d)), np.arange(50) % 2
    options: Any = {"method": method, "representation": "raw"}
    for points in (X, np.abs(X)):
        extent = points.max(axis=0) / size - points.min(axis=0) / size
        if np.linalg.norm(extent) > np.finfo(np.float64).max / size:
            with pytest.raises(DataError, match="rows differ by more than the largest number"):
                bf.bayes_error(points, y, **options)
            continue
        floor = bf.bayes_error(points, y, **options)
        found = bf.henze_penrose(points[y == 0], points[y == 1], **options)
        ends = [0, floor.interval[0], floor.lower, floor.upper, floor.interval[1], 0.5]
        assert ends == sorted(ends)
        assert floor.curve is None or np.isfinite(floor.curve.radius).all()
        assert np.isfinite([found.value, found.se, *found.interval]).all()


def test_one_value_near_the_largest_number_is_no_warning() -> None:
    X = np.random.default_rng(0).normal(size=(400, 2))
    for size in (1e300, 1e307, 1e308, 1.7e308):
        X[0] = size
        with suppress(DataError):
            assert np.isfinite(bf.bayes_error(X, np.arange(400) % 2).mismatch)


@pytest.mark.skipif(np.dtype(np.longdouble).itemsize == 8, reason="long doubles are doubles here")
def test_long_doubles_are_judged_once_centred() -> None:
    far = np.longdouble("1e4000")
    labels = np.arange(10) % 2
    with pytest.raises(DataError, match="differ by more than the largest number"):
        make_sample(np.arange(10, dtype=np.longdouble)[:, None] * far, labels)
    wide = np.arange(10, dtype=np.longdouble)[:, None] + np.longdouble(2) ** 60
    assert (make_sample(wide, labels).points == make_sample(wide - wide[0], labels).points).all()
    assert make_sample(np.full((10, 1), far), labels).points.tolist() == [[0.0]] * 10


def test_half_floats_that_are_combined_do_not_overflow() -> None:
    half = np.linspace(-60_000, 60_000, 10).astype(np.float16)[:, None]
    for other in (half, half.astype(np.float32) * 1e30, np.arange(10)[:, None] * 10_000, half > 0):
        assert np.isfinite(make_pair(half, other).points).all()


# very many classes


def test_a_class_for_every_second_row_is_refused_at_once() -> None:
    X = np.zeros((200_000, 1))
    started = time.monotonic()
    with pytest.raises(DataError) as caught:
        make_sample(X, np.arange(200_000) // 2)
    assert time.monotonic() - started < 5
    assert str(caught.value) == (
        "y has 100,000 classes in 200,000 rows, which are too few to tell so many apart; merge"
        " classes, or cut y into classes if it is a number"
    )


def test_many_classes_need_rows() -> None:
    check_class_number(2000, 4000)
    check_class_number(3000, 15_000)
    with pytest.raises(DataError, match="3,000 classes in 14,999 rows, which are too few"):
        check_class_number(3000, 14_999)


def test_a_table_that_fills_the_memory_is_assembled_by_columns_or_refused() -> None:
    def limits(memory: int) -> AssemblyLimits:
        return fitting_limits(100_000, 100, executor=Threads(1), memory=lambda: memory)

    assert limits(10**9) == LIMITS
    assert limits(2 * 10**8) == AssemblyLimits(long=0)
    with pytest.raises(DataError) as caught:
        limits(8 * 10**7)
    assert str(caught.value) == (
        "100,000 rows of 100 columns would take about 86 MB of memory, and 80 MB are left; pass"
        " fewer rows or columns"
    )


@pytest.mark.parametrize("kind", [np.float64, np.float32, np.int64])
def test_a_long_table_is_held_once_as_points_whatever_its_type(kind: type) -> None:
    n, d = 200_000, 20
    X: AnyArray = np.random.default_rng(0).normal(scale=1000, size=(n, d)).astype(kind)
    y = np.arange(n) % 2
    peak = peak_of(lambda: make_sample(X, y, executor=Threads(1)))
    assert peak < 8 * n * (d + 10)  # the columns that are centred at a time, and the labels
    assert peak < assembly_bytes(n, d, at_a_time=1)


def test_single_precision_is_the_same_points_as_its_values_in_double_precision() -> None:
    for n in (1000, 150_000):  # columns together, and apart
        X = np.random.default_rng(0).normal(1000.0, size=(n, 3)).astype(np.float32)
        y = np.arange(n) % 2
        assert same(make_sample(X, y), make_sample(X.astype(np.float64), y))


def test_memory_is_not_asked_for_a_small_table() -> None:
    assert fitting_limits(1000, 10, memory=lambda: 0) == LIMITS
