from __future__ import annotations

import json
import os
import sys
from importlib import import_module
from pathlib import Path
from traceback import walk_tb
from typing import Any

import numpy as np
import polars as pl
import pytest
from typer.testing import CliRunner

from bayesfloor import DataError
from bayesfloor.base.cluster_address import KEPT_MEMORY, WORKER_VARIABLES, open_cluster
from bayesfloor.shells.cli import app

pytest.importorskip("distributed", reason="wants bayesfloor[dask]")


@pytest.fixture
def table(tmp_path: Path) -> Path:
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 2000)
    X = rng.normal(size=(2000, 2)) + y[:, None]
    path = tmp_path / "table.csv"
    pl.DataFrame({"a": X[:, 0], "b": X[:, 1], "y": y}).write_csv(path)
    return path


def estimate(table: Path, *words: str) -> tuple[int, str, str]:
    asked = ["estimate", str(table), "--label", "y", "--representation", "raw", "--json", *words]
    result = CliRunner().invoke(app, asked)
    return result.exit_code, result.stdout, result.stderr


def test_the_command_starts_a_cluster_of_its_own(table: Path) -> None:
    here, there = estimate(table), estimate(table, "--cluster", "local:1")
    assert there[0] == 0
    assert json.loads(there[1]) == json.loads(here[1])
    assert there[2] == here[2]


@pytest.mark.parametrize("address", ["local:0", "local:", "somewhere", "a b:1", "; rm -rf x"])
def test_what_is_no_address_is_refused(address: str) -> None:
    with (
        pytest.raises(DataError, match="pass the address of a scheduler"),
        open_cluster("c", address),
    ):
        pass


def test_an_address_that_answers_nothing_is_one_line() -> None:
    asked = open_cluster("c", "tcp://127.0.0.1:9", patience=0.3)
    with (
        pytest.raises(DataError, match=r"no scheduler answers at 'tcp://127.0.0.1:9' within"),
        asked,
    ):
        pass


def test_a_client_that_fails_is_closed_at_once() -> None:
    """It is closed when it is collected else, which waits for ever while the next one starts."""
    asked = open_cluster("c", "tls://127.0.0.1:9", patience=0.3)
    with pytest.raises(DataError, match="no scheduler answers at") as caught, asked:
        pass
    assert _failed_client(caught.value).status == "closed"


def _failed_client(problem: BaseException) -> Any:
    """Return the client in a frame of what an error came from."""
    assert problem.__cause__ is not None
    frames = (frame.f_locals for frame, _ in walk_tb(problem.__cause__.__traceback__))
    return next(found["client"] for found in frames if "client" in found)


@pytest.mark.parametrize("protocol", ["tls", "ws", "ucx", "nothing"])
def test_a_protocol_that_is_not_set_up_is_one_line(protocol: str) -> None:
    asked = open_cluster("c", f"{protocol}://127.0.0.1:9", patience=0.3)
    with pytest.raises(DataError, match="no scheduler answers at"), asked:
        pass


def test_without_its_extra_a_cluster_is_one_line(
    table: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    code, shown, said = estimate(table, "--cluster", "local:2")
    assert (code, shown) == (1, "")
    assert said == "error: --cluster needs Dask; pip install 'bayesfloor[dask]'\n"


def test_workers_that_are_started_here_keep_memory_between_arrays(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in KEPT_MEMORY:  # Dask leaves them behind with every other cluster
        monkeypatch.delenv(name, raising=False)
    config = import_module("dask").config
    before = dict(config.get(WORKER_VARIABLES))
    assert int(before["MALLOC_TRIM_THRESHOLD_"]) < 2**20  # or it need not be set any more
    with open_cluster("cluster", "local:1") as client:
        client.wait_for_workers(1)
        (found,) = client.run(lambda: dict(os.environ)).values()
    assert {name: found[name] for name in KEPT_MEMORY} == KEPT_MEMORY
    assert found["OMP_NUM_THREADS"] == str(before["OMP_NUM_THREADS"])
    assert config.get(WORKER_VARIABLES) == before
