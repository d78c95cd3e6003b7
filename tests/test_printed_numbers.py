from __future__ import annotations

import pytest

from printed_numbers import is_near, same_print


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1.70", "1.71"),
        ("0.096", "0.097"),
        ("9.99", "10.01"),
        ("9.99", "10.0"),
        ("6.9", "7.0"),
        ("1,205", "1,205"),
    ],
)
def test_last_digits_may_differ(one: str, other: str) -> None:
    assert is_near(one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [("1.70", "1.75"), ("569", "570"), ("0.5", "0.8"), ("1.7", "1.71"), ("0.5", "0.7")],
)
def test_other_digits_and_whole_numbers_may_not(one: str, other: str) -> None:
    assert not is_near(one, other)


def test_words_are_compared_and_space_is_not() -> None:
    assert same_print("error  1.70%\nof 569 rows", "error 1.71% of\n569 rows")
    assert not same_print("error 1.70%", "errors 1.70%")
    assert not same_print("1.5 to 2.5", "1.5 to 2.5 to 3.5")
