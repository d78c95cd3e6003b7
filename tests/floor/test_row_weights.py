"""Weights of classes are class shares; weights within a class are refused in one line."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

import bayesfloor as bf
from bayesfloor.shells.cli import app

bayes_error = partial(bf.bayes_error, representation="raw")  # learns no maps, so it takes no time
N = 200
LABELS = np.where(np.arange(N) % 4 == 0, "rare", "usual")
POINTS = np.random.default_rng(0).normal(size=(N, 1)) + (LABELS == "rare")[:, None]
WEIGHTS = np.where(LABELS == "rare", 1.0, 7.0)


def test_weights_of_classes_equal_priors_to_the_last_digit() -> None:
    weighted = bayes_error(POINTS, LABELS, sample_weight=WEIGHTS)
    given = bayes_error(POINTS, LABELS, priors={"rare": 50 / (50 + 7 * 150)})
    np.testing.assert_allclose(weighted.interval, given.interval, rtol=1e-12)
    assert weighted.decision is not None
    assert weighted.constant.loss == pytest.approx(50 / 1100)


def test_equal_weights_change_nothing() -> None:
    plain = bayes_error(POINTS, LABELS)
    assert bayes_error(POINTS, LABELS, sample_weight=np.full(N, 0.3)).interval == plain.interval


def test_a_column_of_weights_is_named_in_a_table_and_is_no_feature() -> None:
    frame = pl.DataFrame({"x": POINTS[:, 0], "w": WEIGHTS, "sort": LABELS})
    floor = bayes_error(frame, "sort", sample_weight="w", scale="none")
    assert floor.columns == 1
    assert floor.interval == bayes_error(POINTS, LABELS, sample_weight=WEIGHTS).interval


@pytest.mark.parametrize(
    ("weights", "options", "message"),
    [
        (
            np.arange(N) + 1.0,
            {},
            "sample_weight differs within class 'usual': 2 in row 1, 3 in row 2",
        ),
        (np.ones(3), {}, r"sample_weight has shape \(3,\)"),
        (np.zeros(N), {}, "sample_weight is zero in row 0"),
        (np.where(np.arange(N) == 7, np.inf, 1), {}, "sample_weight is inf in row 7"),
        (np.where(np.arange(N) == 7, np.nan, 1), {}, "missing value in row 7"),
        (["much"] * N, {}, "sample_weight cannot be read"),
        (WEIGHTS, {"priors": {"rare": 0.1}}, "both say how frequent classes are"),
        (WEIGHTS, {"metric": "balanced"}, "both say how frequent classes are"),
        (WEIGHTS, {"method": "knn"}, "leave out sample_weight="),
    ],
)
def test_what_cannot_be_made_right_is_refused(
    weights: Any, options: dict[str, Any], message: str
) -> None:
    with pytest.raises(bf.DataError, match=message) as caught:
        bayes_error(POINTS, LABELS, sample_weight=weights, **options)
    assert "\n" not in str(caught.value)


def test_the_estimator_takes_and_refuses_the_same() -> None:
    estimator = bf.BayesErrorEstimator(representation="raw")
    expected = bayes_error(POINTS, LABELS, sample_weight=WEIGHTS).interval
    assert estimator.fit(POINTS, LABELS, WEIGHTS).interval_ == expected
    with pytest.raises(bf.DataError, match="keep each row with a chance"):
        estimator.fit(POINTS, LABELS, sample_weight=np.arange(N) + 1)


def test_the_command_line_takes_a_column(tmp_path: Any) -> None:
    file = tmp_path / "table.csv"
    frame = pl.DataFrame({"x": POINTS[:, 0], "w": WEIGHTS, "v": np.arange(N) + 1, "sort": LABELS})
    frame.write_csv(file)
    base = ["estimate", str(file), "--label", "sort", "--representation", "raw", "--quiet"]
    made = CliRunner().invoke(app, [*base, "--drop", "v", "--sample-weight", "w", "--ascii"])
    assert made.exit_code == 0, made.stderr
    assert "with the class shares given" in made.stdout or "class shares" in made.stdout
    made = CliRunner().invoke(app, [*base, "--drop", "w", "--sample-weight", "v"])
    assert made.exit_code == 1
    assert "sample_weight differs within class" in made.stderr
    assert made.stderr.count("\n") == 1
