from __future__ import annotations

import math

import numpy as np
import pytest

from bayesfloor.paper.claims import CLAIMS, Verdict, verdicts
from bayesfloor.paper.findings import Finding
from bayesfloor.paper.methods import parse_method
from bayesfloor.paper.replicates import (
    FigureData,
    Replicates,
    log_slope,
    mean_over_sizes,
    slope,
    slope_difference,
)
from bayesfloor.paper.rules import (
    FAILS,
    HOLDS,
    OPEN,
    bias_exponent,
    smallest_from,
    smallest_verdict,
)
from paper_data import made_up


def found(number: int, word: str, data: FigureData) -> Finding:
    (claim,) = [c for c in CLAIMS if c.figure == number and word in c.quotation]
    return claim.check(data)


def replicates(estimate: list[float], n: int = 100, truth: float = 1.0) -> Replicates:
    values = np.array(estimate)
    return Replicates(2, n, "wnn", truth, 0.01, values, np.ones(len(values)))


def test_statistics_of_replicates_by_hand() -> None:
    one = replicates([0.0, 2.0, 4.0])
    assert one.bias().value == 1
    assert math.exp(one.log_variance().value) == pytest.approx(4)
    assert math.exp(one.log_mse().value) == pytest.approx((1 + 1 + 9) / 3)
    assert one.bias().se == pytest.approx(2 / math.sqrt(3))
    assert one.coverage().value == pytest.approx(2 / 3)


def test_errors_of_logarithms_and_slopes_are_what_repetition_shows() -> None:
    slopes, errors = [], []
    for seed in range(300):
        rng = np.random.default_rng(seed)
        data = [
            Replicates(2, n, "x", 0, 1, rng.normal(size=100) / n**0.5, np.ones(100))
            for n in (100, 200, 400, 800)
        ]
        value, se = slope(data, Replicates.log_mse)
        slopes.append(value)
        errors.append(se)
    assert np.mean(slopes) == pytest.approx(-1, abs=0.02)
    assert np.mean(errors) == pytest.approx(np.std(slopes), rel=0.15)


def test_a_difference_on_the_same_samples_has_a_paired_error() -> None:
    rng = np.random.default_rng(0)
    first = [replicates(list(rng.normal(size=50)), n) for n in (100, 200)]
    second = [replicates(list(r.estimate + 0.5), r.n) for r in first]
    gap = first[0].bias() - second[0].bias()
    assert gap.value == pytest.approx(-0.5)
    assert gap.se == pytest.approx(0, abs=1e-12)
    assert slope_difference(first, second, Replicates.bias).se == pytest.approx(0, abs=1e-12)


def test_slope_and_mean_by_hand() -> None:
    statistics = [replicates([v, v + 2], n).bias() for v, n in ((3.0, 1), (5.0, 2), (7.0, 4))]
    assert log_slope(list(zip((1, 2, 4), statistics, strict=True))).value == pytest.approx(
        2 / math.log(2)
    )
    assert mean_over_sizes(statistics).value == pytest.approx(5)
    assert mean_over_sizes(statistics).se == pytest.approx(1 / math.sqrt(3))


def test_an_order_holds_in_whole_in_part_or_not_at_all() -> None:
    def series(*spread: float) -> list[Replicates]:
        rng = np.random.default_rng(len(spread))
        noise = rng.normal(size=(len(spread), 200))
        sizes = [100 * 2**i for i in range(len(spread))]
        return [
            replicates(list(1 + s * e), n) for s, e, n in zip(spread, noise, sizes, strict=True)
        ]

    low, high = series(1, 1, 1, 1), series(2, 2, 2, 2)
    crossing = series(2, 2, 0.5, 0.5)
    assert smallest_verdict(low, [high], Replicates.log_mse) == HOLDS
    assert smallest_verdict(crossing, [low, high], Replicates.log_mse) == "holds when N ≥ 400"
    assert smallest_from(crossing, [low], Replicates.log_mse) == 400
    assert smallest_verdict(high, [low], Replicates.log_mse) == FAILS
    rng = np.random.default_rng(9)
    same = [replicates(list(1 + rng.normal(size=200)), r.n) for r in low]
    assert smallest_verdict(same, [low], Replicates.log_mse) == OPEN


@pytest.mark.parametrize("power", [0.5, 1.0])
def test_the_exponent_of_the_bias_is_recovered(power: float) -> None:
    data = made_up(
        1, bias=lambda m, n, _: -((parse_method(m).k / n) ** power) if "knn" in m else 0.0
    )
    series = [data.series(f"knn k={k}") for k in (5, 10, 20)]
    number = bias_exponent(
        series, [[k / r.n for r in s] for k, s in zip((5, 10, 20), series, strict=True)]
    )
    assert abs(number.value - power) < 3 * number.se + 0.01
    assert 0 < number.se < 0.1


def test_figure_1_claims_follow_the_data() -> None:
    shrinking = made_up(1, bias=lambda m, n, _: -parse_method(m).k / n if "knn" in m else 0.0)
    assert found(1, "tends to zero", shrinking).verdict == HOLDS
    assert "larger bias" in found(1, "slower", shrinking).verdict
    assert "upper bound" in found(1, "term", shrinking).verdict
    assert found(1, "independent", shrinking).verdict == HOLDS
    assert found(1, "linear", shrinking).verdict == HOLDS
    stuck = made_up(
        1,
        bias=lambda *_: 0.2,
        variance=lambda m, n, _: (2 if m == "knn k=20" else 0.5) / n**0.5,
    )
    assert found(1, "tends to zero", stuck).verdict == FAILS
    assert found(1, "independent", stuck).verdict == FAILS
    assert found(1, "linear", stuck).verdict == FAILS


def test_figure_2_claim_follows_the_data() -> None:
    assert found(2, "MSE rate", made_up(2)).verdict == FAILS
    growing = made_up(2, variance=lambda _, n, d: d / n)
    assert found(2, "MSE rate", growing).verdict == HOLDS
    assert found(2, "MSE rate", made_up(2, repetitions=5)).verdict == OPEN


def test_figure_3_claims_follow_the_data() -> None:
    def steep(method: str, n: int, d: int) -> float:  # noqa: ARG001
        return {"mst": 1.0 / n, "knn k=5": 1.5 / n, "wnn-published": 900 / n**2}.get(method, 1 / n)

    good = made_up(3, variance=steep)
    assert found(3, "advantage", good).verdict == "holds when N ≥ 800"
    assert found(3, "MST estimator is", good).verdict == HOLDS
    assert found(3, "parametric", good).verdict == HOLDS
    bad = made_up(3, variance=lambda m, n, _: (9 if m in ("wnn-published", "mst") else 1) / n**0.5)
    assert found(3, "advantage", bad).verdict == FAILS
    assert found(3, "MST estimator is", bad).verdict == FAILS
    assert found(3, "parametric", bad).verdict == FAILS


def test_figure_4_and_5_claims_follow_the_data() -> None:
    def sharp(method: str, n: int, d: int) -> float:  # noqa: ARG001
        return (0.2 if method == "wnn-published" else 1) / n

    for variance, verdict in ((sharp, HOLDS), (lambda m, n, d: 1 / n / sharp(m, n, d) / n, FAILS)):
        assert found(4, "narrowest", made_up(4, variance=variance)).verdict == verdict
        assert found(5, "superior", made_up(5, variance=variance)).verdict == verdict
    assert found(4, "narrower", made_up(4)).verdict == HOLDS
    assert found(4, "narrower", made_up(4, variance=lambda *_: 1.0)).verdict == FAILS


def test_claims_of_our_own_follow_the_data() -> None:
    assert found(6, "bound", made_up(6)).verdict == HOLDS
    assert found(7, "interval", made_up(7)).verdict == HOLDS
    far = made_up(6, variance=lambda _, n, d: (5 if d > 5 else 0.5) / n)
    assert found(6, "bound", far).verdict == "holds when d=1, d=2, d=3, d=5"
    assert found(7, "interval", made_up(7, bias=lambda *_: 1.0)).verdict == FAILS


def test_every_claim_has_a_row_and_says_why_it_was_not_run() -> None:
    rows = verdicts({3: made_up(3)}, dict.fromkeys((1, 2, 4, 5, 6, 7), "no data"))
    assert len(rows) == len(CLAIMS)
    assert {row.claim.figure for row in rows if row.kind == "absent"} == {1, 2, 4, 5, 6, 7}
    assert all(row.finding.verdict == "not run: no data" for row in rows if row.kind == "absent")
    assert Verdict(CLAIMS[0], Finding(FAILS, "")).kind == "fails"
