from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import array_shapes, arrays

from bayesfloor.base.arrays import AnyArray
from bayesfloor.base.parcels import (
    LARGE,
    CodedArray,
    ComplementedArray,
    NarrowArray,
    decode,
    encode,
    encode_result,
    pack,
    unpack,
)

pytest.importorskip("cloudpickle", reason="comes with bayesfloor[dask]")

ANY = st.one_of(
    arrays(np.float64, array_shapes(max_dims=2, max_side=40)),
    arrays(np.int64, array_shapes(max_dims=2, max_side=40)),
    arrays(np.float64, 50, elements=st.sampled_from([0.0, -0.0, 1.5, np.nan, np.inf])),
    arrays(np.uint16, 50),
    arrays(np.bool_, 50),
)


@given(ANY)
def test_an_array_that_was_sent_is_what_it_was(array: AnyArray) -> None:
    back = decode(encode(array))
    assert (back.dtype, back.shape) == (array.dtype, array.shape)
    assert back.tobytes() == array.tobytes()  # to the bit, zeros with their sign


def test_labels_travel_as_bytes_and_rows_as_short_integers() -> None:
    labels, rows = np.arange(5000) % 3, np.arange(5000)
    coded, narrow, constant = encode(labels), encode(rows), encode(np.ones(5000))
    assert isinstance(coded, CodedArray)
    assert coded.codes.nbytes == 5000
    assert isinstance(narrow, NarrowArray)
    assert narrow.numbers.nbytes == 10_000
    assert isinstance(constant, CodedArray)
    assert not constant.codes.nbytes
    rare = np.zeros(5000)
    rare[4321] = 0.5  # not seen at a glance
    np.testing.assert_array_equal(decode(encode(rare)), rare)


def test_probabilities_of_two_classes_come_back_as_those_of_one() -> None:
    second = np.random.default_rng(0).random(LARGE)
    both = np.column_stack([1 - second, second])
    sent = encode_result(both)
    assert isinstance(sent, ComplementedArray)
    assert decode(sent).tobytes() == both.tobytes()
    both[-1] = 0.1, 0.7  # not what it leaves of one
    assert decode(encode(both)).tobytes() == both.tobytes()
    for whole in (both[:9], np.asfortranarray(both), "text"):  # small, in another order, no array
        assert encode_result(whole) is whole
        assert decode(whole) is whole


def test_large_arrays_travel_beside_the_pickle_and_once() -> None:
    large, small = np.random.default_rng(0).normal(size=LARGE // 8), np.arange(3.0)
    named: dict[str, AnyArray] = {}

    def name(array: AnyArray) -> str:
        named[str(id(array))] = array
        return str(id(array))

    body, names = pack((large, small, {"again": large}, lambda x: x + large[0]), name)
    assert names == [str(id(large))]
    assert len(body) < 5000
    first, second, third, function = unpack(body, named)
    assert first is large
    assert third["again"] is large
    np.testing.assert_array_equal(second, small)
    assert function(1) == 1 + large[0]
