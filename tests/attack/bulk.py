"""Make very many small hostile calls, each drawn from its own number, and count what comes back.

Drawing by hand takes a fraction of the time that hypothesis needs, so that a hundred thousand calls
take minutes of one core; what fails is told with its number, and becomes a seed of a test.

    python tests/attack/bulk.py --calls 100000 --seed 1
    python tests/attack/bulk.py --calls 1 --first 4711 --seed 1
    python tests/attack/bulk.py --files --calls 20000 --seed 1
    python tests/attack/bulk.py --only shift columns --calls 1000
"""

from __future__ import annotations

import argparse
import random
import sys
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import bayesfloor as bf

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from drawn_calls import (
    Call,
    ceilings_call,
    decision_call,
    groups_call,
    pair_call,
    probabilities_call,
    sample_call,
    votes_call,
)
from drawn_comparisons import columns_call, compare_call, shift_call, source_call
from drawn_files import damaged_file, odd_cells, odd_json
from drawn_inputs import (
    address_call,
    client_call,
    folder_call,
    item_columns_call,
    item_files_call,
    predictions_call,
    votes_file_call,
)
from drawn_requests import SERVED, page_call

from hostile import check_message

SLOWEST = 60.0
"""Seconds of the processor that a call may take."""
WORST_SHOWN = 5
"""Failures of a kind that are told."""
Draw = Callable[[random.Random], Call]

CALLS: dict[str, tuple[Draw, int]] = {
    "samples": (sample_call, 22),
    "groups": (groups_call, 10),
    "decisions": (decision_call, 8),
    "ceilings": (ceilings_call, 1),
    "pairs": (pair_call, 14),
    "votes": (votes_call, 9),
    "probabilities": (probabilities_call, 14),
    "compare": (compare_call, 9),
    "columns": (columns_call, 1),
    "shift": (shift_call, 8),
    "sources": (source_call, 4),
}
"""Kinds of calls, and how many of a hundred are of each."""
FILES: dict[str, tuple[Draw, int]] = {
    "damaged": (damaged_file, 50),
    "cells": (odd_cells, 30),
    "json": (odd_json, 20),
}
"""Kinds of files, and how many of a hundred are of each."""
OTHERS: dict[str, tuple[Draw, int]] = {
    "page": (page_call, 1),
    "predictions": (predictions_call, 1),
    "vote files": (votes_file_call, 1),
    "folders": (folder_call, 1),
    "clients": (client_call, 1),
    "addresses": (address_call, 1),
    "item columns": (item_columns_call, 1),
    "item files": (item_files_call, 1),
}
"""Kinds that are drawn only where they are named: they start a server or write files."""
KINDS = {**CALLS, **FILES, **OTHERS}


def main() -> int:
    """Make the calls; print how many were answered, refused and wrong."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--files", action="store_true", help="read files instead")
    parser.add_argument("--only", nargs="+", choices=list(KINDS), help="kinds, all alike often")
    parser.add_argument("--until", type=float, default=float("inf"), help="seconds of the clock")
    given = parser.parse_args()
    kinds = FILES if given.files else CALLS
    if given.only:
        kinds = {name: (KINDS[name][0], 1) for name in given.only}
    warnings.simplefilter("error")
    outcomes: Counter[tuple[str, str]] = Counter()
    slowest, started, wrong = 0.0, time.monotonic(), list[str]()
    for number in range(given.first, given.first + given.calls):
        rng = random.Random(f"{given.seed} {number}")
        kind = rng.choices(list(kinds), [weight for _, weight in kinds.values()])[0]
        call, began = kinds[kind][0](rng), time.process_time()
        try:
            call()
            outcome = "answered"
        except bf.DataError as problem:
            check_message(problem)
            outcome = "refused"
        except Exception as problem:
            outcome = "wrong"
            wrong.append(f"{kind} {number}: {type(problem).__name__} {str(problem)[:200]}")
        slowest = max(slowest, time.process_time() - began)
        outcomes[kind, outcome] += 1
        if time.monotonic() - started > given.until:
            break
    SERVED.close()
    for kind in kinds:
        row = [outcomes[kind, outcome] for outcome in ("answered", "refused", "wrong")]
        answers = f"{row[0]:8,} answered {row[1]:8,} refused {row[2]:6,} wrong"
        sys.stdout.write(f"{kind:14} {sum(row):8,} calls {answers}" + "\n")
    sys.stdout.write(f"slowest call {slowest:.1f} s of the processor" + "\n")
    for kind in kinds:
        sys.stdout.write(
            "\n".join([one for one in wrong if one.startswith(kind)][:WORST_SHOWN]) + "\n"
        )
    return int(bool(wrong) or slowest > SLOWEST)


if __name__ == "__main__":
    sys.exit(main())
