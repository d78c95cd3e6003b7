"""Searching some of the rows: until a tolerance is met, or for some time."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.preprocessing import StandardScaler
from typer.testing import CliRunner

import bayesfloor as bf
from bayesfloor import populations
from bayesfloor.base.arrays import AnyArray, Floats, Ints
from bayesfloor.base.executor import Threads
from bayesfloor.estimators.estimation import estimate_mismatch
from bayesfloor.estimators.method import Evidence
from bayesfloor.estimators.methods import METHODS
from bayesfloor.estimators.mismatch import MismatchEstimate
from bayesfloor.neighbours import Effort
from bayesfloor.sample.gate import make_sample
from bayesfloor.shells.cli import app


def draw(n: int, seed: int) -> tuple[Floats, Ints]:
    first, second = populations.shift(2, 1).draw(n, n, np.random.default_rng(seed))
    return np.vstack([first, second]), np.repeat([0, 1], n)


def raw_floor(X: Floats, y: AnyArray, **options: Any) -> bf.Floor:
    """Search without maps, which take most of the time of a call."""
    return bf.bayes_error(X, y, representation="raw", **options)


def searched(floor: bf.Floor) -> int:
    return len(floor.known_mismatch)


def test_a_tolerance_is_met_by_some_of_the_rows() -> None:
    X, y = draw(10_000, 0)
    floor = bf.bayes_error(X, y, tolerance=0.01)
    assert floor.mismatch_se <= 0.01
    assert searched(floor) < 20_000
    assert f"The neighbours of {searched(floor):,} of 20,000 rows" in floor.notes[0]
    again = bf.bayes_error(X, y, tolerance=0.01, workers=1)
    assert again.mismatch == floor.mismatch
    assert again.mismatch_se == floor.mismatch_se


def test_a_tolerance_out_of_reach_searches_all_rows() -> None:
    X, y = draw(4000, 1)
    whole, some = raw_floor(X, y), raw_floor(X, y, tolerance=1e-9)
    assert searched(some) == 8000
    se = f"{whole.mismatch_se:.2g}"
    unmet = f"The tolerance of 1e-09 was not met: the standard error of the mismatch is {se}."
    assert some.notes == (unmet, *whole.notes)
    assert some.mismatch == pytest.approx(whole.mismatch, abs=1e-12)
    assert some.interval == pytest.approx(whole.interval, abs=1e-12)
    np.testing.assert_allclose(some.local_mismatch, whole.local_mismatch, atol=1e-12)


@pytest.mark.parametrize("first", [19, 64])
def test_the_noise_of_a_partial_search_is_the_spread_between_random_orders(first: int) -> None:
    """The variance of 20 answers from one sample over the variance added for it.

    That of 20 normals over the true one lies between 0.3 and 2.4 with chance 0.999. A quarter of
    the rows is searched, or most of them.
    """
    sample, knn, alone = make_sample(*draw(600, 2)), METHODS["knn"], []

    def without_variance(evidence: Evidence) -> MismatchEstimate:
        alone.append(knn.estimate(evidence))
        return MismatchEstimate(alone[-1].mismatch, 0.0)

    noiseless = replace(knn, estimate=without_variance)
    one = Effort(tolerance=1.0, executor=Threads(1), first_round=first)
    efforts = [replace(one, seed=seed) for seed in range(20)]
    found = [estimate_mismatch(sample, noiseless, 5, effort)[1] for effort in efforts]
    noise = [one.variance for one in found]
    spread = np.var([one.mismatch for one in found], ddof=1)
    assert 0.3 * np.mean(noise) < spread < 2.4 * np.mean(noise)
    with_noise = estimate_mismatch(sample, knn, 5, efforts[0])[1]
    assert with_noise.variance == pytest.approx(alone[0].variance + noise[0])


def test_rows_that_were_searched_have_the_local_mismatch_of_a_whole_search() -> None:
    X, y = draw(3000, 10)
    whole, some = raw_floor(X, y), raw_floor(X, y, tolerance=0.1)
    known = ~np.isnan(some.local_mismatch)
    assert known.sum() == 4096
    np.testing.assert_allclose(some.local_mismatch[known], whole.local_mismatch[known], atol=1e-12)


def test_equal_rows_are_searched_together() -> None:
    X, y = draw(20_000, 3)
    floor = raw_floor(X.round(1), y, tolerance=0.02)
    assert floor.interval[0] <= raw_floor(X.round(1), y).estimate <= floor.interval[1]


def test_a_time_limit_ends_the_search() -> None:
    X, y = draw(10_000, 4)
    floor = raw_floor(X, y, max_seconds=1e-6)
    assert searched(floor) < 20_000
    assert searched(raw_floor(X, y, max_seconds=600)) == 20_000


def test_learned_maps_take_a_tolerance_too() -> None:
    X, y = draw(10_000, 6)
    floor = bf.bayes_error(X, y, representation="learned", tolerance=0.02)
    assert floor.mismatch_se <= 0.03  # what the parts state, or more where they disagree


def test_the_report_of_a_part_shows_the_rows_that_were_searched(tmp_path: Path) -> None:
    X, y = draw(6000, 7)
    floor = raw_floor(X, y, tolerance=0.02)
    text = floor.report(tmp_path / "page.html").read_text(encoding="utf-8")
    assert "were searched" in text
    assert "nan" not in text.lower().replace("nanum", "")


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"tolerance": 0}, "tolerance is 0; pass a number above 0"),
        ({"tolerance": float("nan")}, "tolerance is nan"),
        ({"max_seconds": -1}, "max_seconds is -1"),
        ({"max_seconds": "soon"}, "max_seconds is 'soon'"),
        ({"engine": "gpu"}, "engine is 'gpu'; choose one of auto, tree"),
        ({"method": "mst", "tolerance": 0.1}, "method 'mst' needs all rows"),
    ],
)
def test_bad_limits_are_refused(options: dict[str, object], message: str) -> None:
    X, y = draw(50, 8)
    with pytest.raises(bf.DataError, match=message):
        bf.bayes_error(X, y, **options)  # type: ignore[arg-type]


def test_the_command_takes_both_limits(tmp_path: Path) -> None:
    X, y = draw(5000, 9)
    path = tmp_path / "table.csv"
    np.savetxt(path, np.column_stack([X, y]), delimiter=",", header="a,b,y", comments="")
    common = ["estimate", str(path), "--label", "y", "--representation", "raw"]
    found = CliRunner().invoke(app, [*common, "--tolerance", "0.02", "--max-seconds", "60"])
    assert found.exit_code == 0, found.output
    assert "rows, drawn at random, were searched" in " ".join(found.output.split())
    wrong = CliRunner().invoke(app, [*common, "--tolerance", "-1"])
    assert wrong.exit_code == 2
    assert "--tolerance is -1" in wrong.output


def test_rows_searched_in_other_class_shares_than_all_add_no_noise() -> None:
    rng = np.random.default_rng(4)
    points, side = rng.normal(size=(9000, 2)), rng.random(9000) < 0.1
    copies = rng.integers(1, 60, 9000)
    X, y = np.repeat(points + 50 * side[:, None], copies, axis=0), np.repeat(side, copies)
    some = raw_floor(X, y, tolerance=0.1)
    assert "were searched" in some.notes[0]
    assert some.curve is not None
    assert np.abs(some.curve.adjusted).max() < 1e-9  # the classes lie far apart
    assert abs(some.mismatch) < 1e-4


def test_a_clock_that_stands_still_is_no_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bayesfloor.neighbours.search.time.monotonic", lambda: 100.0)
    assert bf.bayes_error(*draw(60, 9), max_seconds=60).n == 120
    assert raw_floor(*draw(5000, 9), max_seconds=60).n == 10_000


def test_samples_share_the_time_that_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("bayesfloor.neighbours.effort.time.monotonic", lambda: 100.0)
    effort = Effort(deadline=106.0, tolerance=0.01)
    first, last = effort.for_one_of(2, left=2), effort.for_one_of(2, left=1)
    assert (first.seconds_left(), last.seconds_left()) == (3.0, 6.0)
    assert first.tolerance == pytest.approx(0.01 * 2**0.5)
    assert Effort().for_one_of(3, left=3) == Effort()


def test_a_transformer_says_how_many_rows_were_searched() -> None:
    rng = np.random.default_rng(0)
    points = rng.normal(size=(30_000, 4))
    labels = points[:, 0] + rng.normal(size=30_000) > 0
    own: Any = StandardScaler()
    floor = bf.bayes_error(points, labels, representation=own, tolerance=0.05)
    assert any("of 30,000 rows, drawn at random, were searched" in note for note in floor.notes)
    whole = bf.bayes_error(points, labels, representation=own)
    assert not any("drawn at random" in note for note in whole.notes)
