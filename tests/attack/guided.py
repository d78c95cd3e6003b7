"""Damage small text files, and keep what reaches lines of the readers that nothing reached before.

The readers of dialects, ARFF, KEEL and JSON are Python, so that their lines can be watched while
they run: a file that takes a new step from line to line is damaged further. Whatever is neither a
table nor refused in one line is told, and becomes a seed of a test.

    python tests/attack/guided.py --files 20000 --seed 1
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import warnings
from pathlib import Path
from types import FrameType
from typing import Any

import bayesfloor as bf
import bayesfloor.tables

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from drawn_files import TEXTS, damage
from test_hostile_files import read

from hostile import check_message

WATCHED = str(Path(bayesfloor.tables.__file__).parent)
"""The folder whose lines count."""
Step = tuple[str, int, int]
WORST_SHOWN = 5
"""Failures that are told."""


class Watch:
    """Collects the steps from line to line of the readers while it is entered."""

    def __init__(self) -> None:
        self.steps: set[Step] = set()

    def __enter__(self) -> Watch:
        sys.settrace(self._enter)
        return self

    def __exit__(self, *_: object) -> None:
        sys.settrace(None)

    def _enter(self, frame: FrameType, _event: str, _arg: Any) -> Any:
        name = frame.f_code.co_filename
        if not name.startswith(WATCHED):
            return None
        before = 0

        def step(inner: FrameType, _event: str, _arg: Any) -> Any:
            nonlocal before
            self.steps.add((name, before, inner.f_lineno))
            before = inner.f_lineno
            return step

        return step


def attempt(data: bytes, suffix: str) -> tuple[set[Step], str | None]:
    """Read a file; return the steps that it took, and what is wrong, if anything."""
    watch, wrong = Watch(), None
    with watch:
        try:
            read(data, suffix)
        except bf.DataError as problem:
            check_message(problem)
        except Exception as problem:
            wrong = f"{type(problem).__name__} {str(problem)[:200]}: {data[:500]!r}"
    return watch.steps, wrong


def main() -> int:
    """Damage files; print how many were read, how many led further, and what failed."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds of the clock")
    given = parser.parse_args()
    warnings.simplefilter("error")
    rng, started = random.Random(given.seed), time.monotonic()
    kept = [(data, suffix) for suffix, data in TEXTS.items()]
    reached: set[Step] = set().union(*(attempt(*one)[0] for one in kept))
    first, wrong, files = len(reached), list[str](), 0
    while files < given.files and time.monotonic() - started < given.until:
        data, suffix = rng.choice(kept if rng.random() < 0.5 else kept[-20:])
        file = bytes(damage(rng, bytearray(data)))
        steps, problem = attempt(file, suffix)
        files += 1
        if problem is not None:
            wrong.append(f"{suffix} {problem}")
        if not steps <= reached:
            reached |= steps
            kept.append((file, suffix))
    sys.stdout.write(
        f"{files:,} files, {len(kept) - len(TEXTS):,} led to {len(reached) - first:,} new steps of"
        f" {len(reached):,}, {len(wrong):,} wrong" + "\n"
    )
    sys.stdout.write("".join(one + "\n" for one in wrong[:WORST_SHOWN]))
    return int(bool(wrong))


if __name__ == "__main__":
    sys.exit(main())
