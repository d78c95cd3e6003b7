"""Ctrl-C in the middle of a search, in a process of its own."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from contextlib import suppress

import pytest

SCRIPT = """
import sys
from contextlib import contextmanager
import numpy as np
import bayesfloor as bf
from bayesfloor.floor import measuring

@contextmanager
def told(what, total, *, show):
    yield lambda steps, known=None: print("searching", flush=True)

measuring.progress_bar = told
engine, n, d = sys.argv[1], *map(int, sys.argv[2:])
X, y = np.random.default_rng(0).normal(size=(n, d)), np.arange(n) % 2
options = {"engine": engine, "representation": "raw", "workers": 2}
try:
    bf.bayes_error(X, y, **options)
except KeyboardInterrupt:
    print("stopped", flush=True)
    print(bf.bayes_error(X[:400], y[:400], **options).n, flush=True)
    raise
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows sends no SIGINT to one process")
@pytest.mark.parametrize(("engine", "n", "d"), [("tree", 150_000, 8), ("blocks", 100_000, 30)])
def test_ctrl_c_ends_a_search_soon_and_the_process_can_search_again(
    engine: str, n: int, d: int
) -> None:
    """The rest of the search takes twice as long as is allowed, or more."""
    command = [sys.executable, "-c", SCRIPT, engine, str(n), str(d)]
    pipe = subprocess.PIPE
    with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None
        try:
            assert process.stdout.readline() == "searching\n"
            process.send_signal(signal.SIGINT)
            start = time.monotonic()
            line = next((line for line in process.stdout if line != "searching\n"), "")
            assert line == "stopped\n"
            assert time.monotonic() - start < 10
            out, errors = process.communicate(timeout=60)
        finally:
            with suppress(ProcessLookupError):
                process.kill()
    assert out.split()[-1] == "400"
    assert errors.splitlines()[-1] == "KeyboardInterrupt"
    assert process.returncode == -signal.SIGINT
