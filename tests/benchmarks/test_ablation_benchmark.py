from __future__ import annotations

from dataclasses import fields
from types import ModuleType

import numpy as np
import pytest

from bayesfloor import bayes_error, populations
from bayesfloor.estimators.curve_models import AveragingOptions
from scripts import load_benchmark, run_benchmark

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def ablation() -> ModuleType:
    return load_benchmark("ablation")


def test_every_option_is_changed_one_at_a_time(ablation: ModuleType) -> None:
    variants = ablation.make_variants(ablation.OPTIONS)
    today = AveragingOptions()
    assert variants[0].options == today
    changed = [
        [f.name for f in fields(today) if getattr(v.options, f.name) != getattr(today, f.name)]
        for v in variants[1:]
    ]
    assert changed == [[variant.option] for variant in variants[1:]]
    assert {variant.option for variant in variants[1:]} == {f.name for f in fields(today)}


def test_todays_values_give_the_answer_of_the_public_call(ablation: ModuleType) -> None:
    name, size = "shift(d=2, delta=1)", (60, 90)
    (task,) = ablation.make_tasks(name, size, ablation.make_variants(["windows"]), 1, 7)
    found = ablation.estimates(task)
    drawn = populations.POPULATIONS[name].draw(*size, np.random.default_rng(task.seed))
    floor = bayes_error(np.vstack(drawn), np.repeat([0, 1], size), representation="raw", workers=1)
    assert floor.divergence is not None
    assert floor.divergence_interval is not None
    np.testing.assert_allclose(found[0], [floor.divergence, *floor.divergence_interval])
    assert not np.array_equal(found[0], found[1])


def test_errors_coverage_and_length_match_the_sums_on_paper(ablation: ModuleType) -> None:
    name, size = "shift(d=2, delta=1)", (50, 50)
    population = populations.POPULATIONS[name]
    truth, bound = population.divergence(), sum(population.efficiency()) / 50
    near = [truth + 0.1, truth - 0.1, truth + 0.2]
    far = [truth + 0.2, truth + 0.1, truth + 0.2]
    found = {(name, size): np.array([[near, far], [near, near]])}
    one, two = ablation.make_rows(ablation.make_variants(["windows"])[:2], found)
    assert one.error == pytest.approx(0.01 / bound)
    assert two.error == pytest.approx(0.025 / bound)
    assert (two.change, one.change) == (pytest.approx(2.5), 1)
    assert (one.coverage, two.coverage) == (1.0, 0.5)
    assert two.length == pytest.approx(0.2 / 0.3)
    assert two.worst[1] == "shift(d=2) 50/50"
    # Relative squares are (1, 1) and (1.6, 0.4): differences of 0.6 and −0.6.
    assert two.change_se == pytest.approx(2.5 * np.sqrt(2 * 0.36 / 2))


def test_the_script_prints_a_line_for_each_variant() -> None:
    small = ["--populations", "square", "figure2", "--sizes", "30/20", "--repetitions", "3"]
    options = [*small, "--options", "plain_cost", "windows", "--workers"]
    one, two = run_benchmark("ablation", *options, "1"), run_benchmark("ablation", *options, "2")
    assert (one.returncode, one.stderr) == (0, "")
    assert one.stdout == two.stdout
    assert "\x1b" not in one.stdout
    for text in (
        "today's values",
        "4 → 2",
        "4 → 8",
        "4 → 0",
        "10 → 5",
        "10 → 20",
        "square() 30/20",
    ):
        assert text in one.stdout


def test_a_wrong_population_is_refused() -> None:
    # identical classes have no error to divide by
    done = run_benchmark("ablation", "--populations", "figure2")
    assert done.returncode == 2
    assert "choose from shift" in done.stderr
