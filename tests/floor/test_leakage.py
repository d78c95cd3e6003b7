from __future__ import annotations

import json
from math import log2
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import norm
from typer.testing import CliRunner

import bayesfloor as bf
from bayesfloor.floor.leakage import make_leakage
from bayesfloor.report.document import document
from bayesfloor.shells.cli import app


def test_measures_by_hand() -> None:
    found = make_leakage(0.3, (0.2, 0.4), 0.4, confidence=0.95, rests_on="models")
    assert found.guessing_error == pytest.approx(0.6)
    assert found.multiplicative.value == pytest.approx(0.7 / 0.4)
    assert found.multiplicative.interval == pytest.approx((1.5, 2.0))
    assert found.additive.interval == pytest.approx((0.2, 0.4))
    assert found.bayes_security.interval == pytest.approx((1 / 3, 2 / 3))
    assert found.min_entropy.interval == pytest.approx((log2(1.5), 1.0))
    assert found.facts()[-1][1].startswith("rests on models; the least")
    unknown = make_leakage(0.3, (0.0, 0.4), 0.4, confidence=0.95, rests_on="models")
    assert unknown.facts()[-1][1].startswith("that all of the secret leaks cannot be ruled out")


@given(st.floats(0, 1), st.floats(0, 1), st.floats(0, 1), st.floats(0.01, 0.99))
def test_intervals_hold_the_value_and_stay_possible(
    a: float, b: float, c: float, largest: float
) -> None:
    low, error, high = sorted((a, b, c))
    found = make_leakage(error, (low, high), largest, confidence=0.9, rests_on="x")
    for leak, least in (
        (found.multiplicative, 1.0),
        (found.additive, 0.0),
        (found.bayes_security, 0.0),
        (found.min_entropy, 0.0),
    ):
        assert least - 1e-9 <= leak.interval[0] <= leak.value <= leak.interval[1]
    assert found.bayes_security.interval[1] <= 1


def test_a_continuous_channel_leaks_what_is_known() -> None:
    rng = np.random.default_rng(3)
    label = rng.integers(0, 2, 2000)
    floor = bf.bayes_error(rng.normal(2.0 * label)[:, None], label)
    assert floor.leakage is not None
    low, high = floor.leakage.bayes_security.interval
    assert low < norm.cdf(-1) / (1 - floor.priors.max()) < high
    assert high - low < 0.25


def test_a_discrete_channel_of_many_classes_leaks_what_is_known() -> None:
    """Ten places with geometric noise: the best guess is the report, clipped to the street."""
    rng = np.random.default_rng(1)
    place = rng.integers(0, 10, 4000)
    seen = place + rng.geometric(0.4, 4000) - rng.geometric(0.4, 4000)
    floor = bf.bayes_error(seen[:, None].astype(float), place)
    stay = 0.4 / 1.6
    right = (8 * stay + 2 * (0.5 + stay / 2)) / 10
    assert floor.leakage is not None
    low, high = floor.leakage.multiplicative.interval
    assert low < right / floor.priors.max() < high


def test_costs_have_no_leakage_and_the_command_says_so(tmp_path: Path) -> None:
    rng = np.random.default_rng(0)
    label = np.arange(120) % 2
    x = rng.normal(label)
    floor = bf.bayes_error(x[:, None], label, cost={(0, 1): 2})
    assert floor.leakage is None
    assert document(floor)["leakage"] is None
    table = tmp_path / "table.csv"
    lines = [f"{a:.4f},{'ab'[b]}" for a, b in zip(x, label, strict=True)]
    table.write_text("\n".join(["x,y", *lines]), encoding="utf-8")
    words = ["estimate", str(table), "--label", "y", "--leakage", "--quiet"]
    refused = CliRunner().invoke(app, [*words, "--metric", "balanced"])
    assert refused.exit_code == 2
    assert "--leakage is about plain errors" in refused.stderr
    page = tmp_path / "page.html"
    printed = CliRunner().invoke(app, [*words, "--report", str(page)])
    assert printed.exit_code == 0
    assert "Bayes security  " in printed.stdout
    assert "the best attacker is right" in printed.stdout
    text = page.read_text(encoding="utf-8")
    assert "the best attacker is right" in text
    assert "min-entropy" in text
    found = json.loads(CliRunner().invoke(app, [*words, "--json"]).stdout)
    assert found["leakage"]["guessing_error"] == pytest.approx(0.5)
