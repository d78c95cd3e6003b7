"""Whatever words the command gets, it answers or says one thing; no traceback, no other code."""

from __future__ import annotations

import os
import random
import re
from functools import partial
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from drawn_inputs import drawn_address, of_this_machine
from hypothesis import HealthCheck, assume, example, given, settings
from hypothesis import strategies as st
from typer.testing import CliRunner

from bayesfloor.base import cluster_address
from bayesfloor.base.cluster_address import LOCAL, open_cluster
from bayesfloor.shells.cli import app
from hostile import ATTACK, NAMES

COMMANDS = 1500 if ATTACK else 30
QUICK = settings(max_examples=COMMANDS, suppress_health_check=list(HealthCheck))
VALUES = ["", "0", "-1", "1e400", "nan", "inf", "\0", "--", "-", "a" * 3000, "'; DROP", "..", "%n"]
VALUES += ["0.5", "1", "5", "y", "a", "99999999999999999999", "[", "*", "\u202e", "1MB", "é"]
"""Values of options that a program could stumble over, and some that are right."""
CHOICES = {
    "--method": ["knn", "wnn"],
    "--engine": ["numpy", "scipy"],
    "--scale": ["rank", "none"],
    "--missing": ["drop", "error"],
    "--separator": [",", ";", "\\t"],
    "--encoding": ["utf-16", "latin-1"],
}
"""Right values of options, beside those above."""


def option_names() -> list[str]:
    """Return the options of the command, as its help lists them."""
    text = CliRunner().invoke(app, ["estimate", "--help"], env={"COLUMNS": "200"}).output
    return sorted(set(re.findall(r"--[a-z][a-z-]+", text)) - {"--help", "--report"})


@pytest.fixture(scope="module")
def table(tmp_path_factory: pytest.TempPathFactory) -> Path:
    rng = np.random.default_rng(0)
    path = tmp_path_factory.mktemp("commands") / "table.csv"
    rows = np.c_[rng.normal(size=(40, 2)), np.arange(40) % 2]
    np.savetxt(path, rows, delimiter=",", header="a,b,y", comments="")
    return path


@st.composite
def words(draw: Any, options: list[str]) -> list[str]:
    """Draw options with values, right and wrong, in any order."""
    found = []
    for name in draw(st.lists(st.sampled_from(options), max_size=4)):
        usual = st.sampled_from([*CHOICES.get(name, []), *VALUES])
        value = draw(st.one_of(usual, usual, st.text(max_size=6)))
        found += draw(st.sampled_from([[name, value], [name], [f"{name}={value}"], [value]]))
    return found


@QUICK
@given(data=st.data())
@example(data=None)
def test_any_words_are_answered_or_refused(data: Any, table: Path) -> None:
    drawn = [] if data is None else data.draw(words(option_names()))
    command = ["estimate", str(table), "--label", "y", "--representation", "raw", "--quiet"]
    check(CliRunner().invoke(app, [*command, "--workers", "1", *drawn]))


@QUICK
@given(name=st.one_of(st.sampled_from(NAMES), st.text(max_size=20)), label=st.sampled_from(VALUES))
@example(name="\0", label="y")
@example(name="\ud800", label="y")
@example(name="x" * 300, label="y")
def test_any_path_and_label_are_answered_or_refused(name: str, label: str, tmp_path: Path) -> None:
    assume(not os.path.isabs(name) and ".." not in name)  # other files of this machine
    path = os.path.join(str(tmp_path), name) if name not in ("", "-") else name
    check(CliRunner().invoke(app, ["estimate", path, f"--label={label}", "--quiet"], input=""))


@QUICK
@given(seed=st.integers(0, 10**6))
@example(seed=152)
def test_any_address_of_a_cluster_is_refused(seed: int, table: Path) -> None:
    address = drawn_address(random.Random(seed))
    assume(LOCAL.fullmatch(address) is None)  # that would start processes
    command = ["estimate", str(table), "--label", "y", "--quiet", f"--cluster={address}"]
    with (
        patch("socket.getaddrinfo", of_this_machine),
        patch.object(cluster_address, "open_cluster", partial(open_cluster, patience=0.1)),
    ):
        result = CliRunner().invoke(app, command)
    assert result.exit_code in (1, 2)
    check(result)


def check(result: Any) -> None:
    """Fail unless a command ended with a code of its own and said at most one thing."""
    assert isinstance(result.exception, SystemExit | None), repr(result.exception)
    assert result.exit_code in (0, 1, 2), result.output
    assert "Traceback" not in result.output
    if result.exit_code == 1:
        assert result.stderr.startswith("error: "), result.stderr
        assert result.stderr.count("\n") == 1
