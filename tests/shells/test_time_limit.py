"""A time limit of a command counts from its start."""

from __future__ import annotations

import pytest

from bayesfloor.shells.cli.options import measuring


def test_reading_counts_towards_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(measuring, "monotonic", lambda: 13.0)
    assert measuring.seconds_left(5.0, begun=10.0) == 2.0
    assert measuring.seconds_left(5.0, begun=1.0) == measuring.LEAST_SECONDS
    assert measuring.seconds_left(None, begun=1.0) is None
