"""The table of engines: a new one is one class and one entry, and names are nowhere else."""

from __future__ import annotations

import ast
import subprocess
import sys
from dataclasses import fields, replace
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from test_engines import normal_task

import bayesfloor
from array_memory import peak_of
from bayesfloor.base.arrays import Floats, Ints
from bayesfloor.base.executor import ONE_THREAD
from bayesfloor.neighbours import ENGINES, Effort, rank_sums
from bayesfloor.neighbours.engine_choice import EngineSpec, fastest_engine, fastest_plain
from bayesfloor.neighbours.engine_costs import (
    MEASURED_COSTS,
    EngineCosts,
    blocks_row_seconds,
    few_row_seconds,
    numpy_seconds,
    scipy_seconds,
    tree_build_seconds,
    tree_row_seconds,
)
from bayesfloor.neighbours.engines.blocks import BlockSums
from bayesfloor.neighbours.engines.plain import NumpySums
from bayesfloor.neighbours.engines.tree import TreeSums
from bayesfloor.neighbours.task import LeverageField

LAYER = Path(bayesfloor.__file__).parent / "neighbours"


class SlowSums(NumpySums):
    """Another engine: it asks for one row at a time."""

    span = 1


def test_a_new_engine_is_a_class_and_an_entry(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = EngineSpec("One row at a time.", compiled=False, build=lambda task, _: SlowSums(task))
    monkeypatch.setitem(ENGINES, "slow", spec)
    rng = np.random.default_rng(0)
    points, labels = rng.normal(size=(300, 2)), np.arange(300) % 2
    found = bayesfloor.bayes_error(points, labels, engine="slow", representation="raw")
    other = bayesfloor.bayes_error(points, labels, engine="numpy", representation="raw")
    assert found.mismatch == pytest.approx(other.mismatch, abs=1e-12)
    with pytest.raises(bayesfloor.DataError, match="numpy, slow"):
        bayesfloor.bayes_error(points, labels, engine="slowest")


def test_a_new_plain_engine_is_chosen_where_it_should_be_the_fastest(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    task = normal_task(500, 3, 3)
    spec = EngineSpec(
        "The fastest.",
        compiled=False,
        build=lambda task, _: SlowSums(task),
        seconds=lambda _, task: 1e-9 * len(task.points),
    )
    monkeypatch.setitem(ENGINES, "new", spec)
    assert fastest_plain(task, MEASURED_COSTS)[1] is spec
    assert isinstance(fastest_engine(task, ONE_THREAD, loaded=False), SlowSums)


def test_no_name_of_an_engine_is_compared_outside_the_table() -> None:
    for path in LAYER.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Compare):
                values = {n.value for n in ast.walk(node) if isinstance(n, ast.Constant)}
                assert not values & set(ENGINES), f"{path}:{node.lineno}"


@pytest.mark.parametrize("name", [name for name, spec in ENGINES.items() if not spec.compiled])
def test_plain_engines_load_no_compiler(name: str) -> None:
    code = f"""
import sys
import numpy as np
import bayesfloor
x = np.random.default_rng(0).normal(size=(200, 2))
bayesfloor.bayes_error(x, np.arange(200) % 2, engine={name!r}, representation="raw")
print("numba" in sys.modules)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def test_every_engine_has_a_summary() -> None:
    for spec in ENGINES.values():
        assert spec.summary[0].isupper()
        assert spec.summary.endswith(".")


def test_costs_are_those_on_paper() -> None:
    costs = EngineCosts()
    assert scipy_seconds(costs, 1000, 3, 50) == pytest.approx(4e-8 * 1000 * 4 * 50)
    assert scipy_seconds(costs, 30, 3, 50) == pytest.approx(4e-8 * 30 * 4 * 30)  # ranks end there
    assert scipy_seconds(costs, 1000, 9, 50) == np.inf
    assert numpy_seconds(costs, 1000, 10) == pytest.approx(1e6 * 5e-9)
    assert blocks_row_seconds(costs, 10_000, 10) == pytest.approx(1.2e-5 + 1e4 * 1.6e-9)
    assert few_row_seconds(costs, 10_000, 10, 100) == pytest.approx(3e-6 + 1e4 * 1.5e-9)
    assert few_row_seconds(costs, 16_001, 10, 100) == np.inf
    assert tree_row_seconds(costs, 20, 2, 100) == pytest.approx(1.5e-6 + 20 * 9.7e-8)
    assert tree_build_seconds(costs, 1000) == pytest.approx(6e-4 + 2e-3)


@pytest.mark.parametrize("name", [field.name for field in fields(EngineCosts)])
def test_every_cost_counts(name: str) -> None:
    """Some prediction, or a limit of the choice, follows every field."""
    costs = EngineCosts()
    other = replace(costs, **{name: 2 * getattr(costs, name)})

    def predicted(costs: EngineCosts) -> list[float]:
        return [
            scipy_seconds(costs, 1000, 12, 50),
            scipy_seconds(costs, 1000, 2, 50),
            numpy_seconds(costs, 1000, 12),
            blocks_row_seconds(costs, 1000, 12),
            few_row_seconds(costs, 20_000, 12, 50),
            few_row_seconds(costs, 1000, 12, 50),
            tree_row_seconds(costs, 30, 12, 50),
            tree_build_seconds(costs, 1000),
            costs.patience,
            costs.compiling,
        ]

    assert predicted(costs) != predicted(other)


def test_less_patience_takes_compiled_code_sooner() -> None:
    task = normal_task(2000, 30, 30)
    patient = fastest_engine(task, ONE_THREAD, loaded=False)
    hasty = replace(MEASURED_COSTS, patience=1e-6)
    assert isinstance(patient, NumpySums)
    assert not isinstance(fastest_engine(task, ONE_THREAD, costs=hasty, loaded=False), NumpySums)


def test_a_tree_that_costs_nothing_is_taken() -> None:
    task = normal_task(6000, 30, 30)
    free = replace(
        MEASURED_COSTS, tree_rank=0.0, tree_leaf=0.0, tree_leaf_column=0.0, tree_build_point=0.0
    )
    found = fastest_engine(task, ONE_THREAD, costs=free, loaded=True)
    assert type(found).__name__ == "TreeSums"
    dear = replace(MEASURED_COSTS, tree_build=1e9)
    assert type(fastest_engine(task, ONE_THREAD, costs=dear, loaded=True)).__name__ == "FewSums"


def test_a_choice_changes_no_sums() -> None:
    task = normal_task(700, 3, 3)
    auto = rank_sums(task, Effort(executor=ONE_THREAD))
    for name in ENGINES:
        found = rank_sums(task, Effort(engine=name, executor=ONE_THREAD))
        np.testing.assert_allclose(found.log_squared, auto.log_squared, atol=1e-9)


def test_a_tree_that_was_tried_in_vain_is_given_back_before_products_are_prepared() -> None:
    task = normal_task(60_000, 20, 256)
    costs = replace(MEASURED_COSTS, tree_build_point=0.0)  # so that it is tried
    assert isinstance(fastest_engine(task, ONE_THREAD, costs=costs, loaded=True), BlockSums)
    builds = [partial(build, task, ONE_THREAD) for build in (TreeSums, BlockSums)]
    alone = max(map(peak_of, builds))
    chosen = peak_of(lambda: fastest_engine(task, ONE_THREAD, costs=costs, loaded=True))
    assert chosen < 1.1 * alone


def test_products_take_no_copy_of_the_points_in_double_precision() -> None:
    task = normal_task(60_000, 50, 256)
    assert peak_of(lambda: BlockSums(task, ONE_THREAD)) < task.points.nbytes


def test_a_tree_lays_out_what_it_sums_when_it_is_asked_for() -> None:
    task, asked = normal_task(3000, 2, 3), list[int]()

    def sums(cells: Ints) -> Floats:
        asked.append(len(cells))
        return np.ones((len(cells), 2))

    task = replace(task, leverage=LeverageField(sums, np.array([0, 2])))
    tree = TreeSums(task, ONE_THREAD)
    assert tree.leaves_visited(8) > 0
    assert not asked  # as where workers of a cluster sum, and this process only sends the order
    first, again = (tree.sum(np.arange(100)) for _ in range(2))
    assert sum(asked) in (3000, 3001)
    np.testing.assert_array_equal(first[0].products, again[0].products)
