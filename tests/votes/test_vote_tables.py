from __future__ import annotations

import io
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pytest

from bayesfloor.base.errors import DataError
from bayesfloor.votes.counts import VoteCounts
from bayesfloor.votes.vote_tables import read_votes

LONG = "item,vote,annotator\nx,cat,ann\nx,dog,bob\ny,cat,ann\ny,cat,bob\n"


def read(text: str, **columns: Any) -> VoteCounts:
    return read_votes(io.BytesIO(text.encode()), **columns)[1]


def test_a_row_a_vote_is_counted() -> None:
    votes = read(LONG)
    assert votes.counts.tolist() == [[1, 1], [2, 0]]
    assert (votes.classes.tolist(), np.array(votes.items).tolist()) == (["cat", "dog"], ["x", "y"])
    assert votes.annotators == 2


def test_columns_can_be_named_or_counted() -> None:
    text = LONG.replace("item,vote,annotator", "image,label,who")
    assert read(text, item="image", vote="label").annotators is None
    assert read(text, item="1", vote="2", annotator="-1").annotators == 2


def test_a_matrix_has_a_column_a_class() -> None:
    votes = read("cat,dog\n3,0\n1,2\n")
    assert votes.counts.tolist() == [[3, 0], [1, 2]]
    assert votes.classes.tolist() == ["cat", "dog"]
    named = read("image,cat,dog\na.png,3,0\nb.png,1,2\n", item="image")
    assert np.array(named.items).tolist() == ["a.png", "b.png"]
    assert named.counts.tolist() == votes.counts.tolist()


@pytest.mark.parametrize("library", [pd, pl])
def test_data_frames_are_read_like_files(library: object) -> None:
    frame = library.DataFrame({"item": [1, 1, 2, 2], "vote": ["a", "b", "a", "a"]})  # type: ignore[attr-defined]
    assert read_votes(frame)[1].counts.tolist() == [[1, 1], [2, 0]]


@pytest.mark.parametrize(
    ("text", "columns", "message"),
    [
        (
            LONG + "x,cat,ann\n",
            {},
            "annotator 'ann' votes twice on item 'x', in rows 0 and 4; keep one of the votes",
        ),
        ("item,vote\na,\nb,c\n", {}, "column 'vote' has a missing value in row 0; leave out"),
        ("item,vote\na,c\nb,c\n", {}, "all votes are for 'c'; votes for two classes"),
        (
            "image,a,b\nx,1,2\ny,2,1\n",
            {},
            "column 'image' holds 'x', no number; name it with",
        ),
        ("a,b\n1,2\n", {"annotator": "a"}, "name the column of votes, vote="),
        (LONG, {"vote": "votes"}, "no column 'votes'; did you mean 'vote'?"),
        (LONG, {"item": "vote", "vote": "vote"}, "name one column twice"),
        ("a,b\n1,-2\n", {}, "counts holds -2 in row 0, column 1"),
        ("a,b\n1,2\n0,0\n", {}, "the item in row 1 has no votes"),
        ("i,a,b\nx,1,2\ny,0,0\n", {"item": "i"}, "item 'y' has no votes"),
    ],
)
def test_what_cannot_be_counted_is_one_clear_line(
    text: str, columns: dict[str, str], message: str
) -> None:
    with pytest.raises(DataError) as caught:
        read(text, **columns)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)
