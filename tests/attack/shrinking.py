"""Cut, replace and remove files while they are read, at drawn moments; count what comes back.

A file that is mapped into memory and cut by another process ends the reader by SIGBUS, so that
this runs in a process of its own. Half of the changes come between two lines of the readers, which
are counted; the others from a thread beside them, also while a library works.

    python tests/attack/shrinking.py --moments 20 --seconds 2 --seed 1
"""

from __future__ import annotations

import argparse
import os
import random
import sqlite3
import sys
import tempfile
import threading
import time
import warnings
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any

import bayesfloor as bf
import bayesfloor.tables
from bayesfloor.tables.header import header_names

sys.path.insert(0, str(Path(__file__).parents[1]))
sys.path.insert(0, str(Path(__file__).parent))
from test_hostile_files import TABLE, made

from hostile import check_message

READERS = str(Path(bayesfloor.tables.__file__).parent)
"""The folder whose lines are counted."""
LONG_ROWS = 40_000
"""Rows of the files that a thread changes: they are read in some milliseconds."""
PAGE_BYTES = 4096
"""Bytes of a page: what is beyond the page of the last byte of a mapped file is gone."""
OUTCOMES: Counter[str] = Counter()


def connect_mapped(*words: Any, **options: Any) -> sqlite3.Connection:
    """Connect as SQLite does where it is built to map files."""
    connection = connect(*words, **options)
    connection.execute("PRAGMA mmap_size = 1000000000")
    return connection


connect = sqlite3.connect


def changes(path: Path, data: bytes) -> dict[str, Callable[[], object]]:
    """Return what may happen to a file while somebody reads it."""
    return {
        "emptied": lambda: os.truncate(path, 0),
        "cut in half": lambda: os.truncate(path, len(data) // 2),
        "cut after a page": lambda: os.truncate(path, min(PAGE_BYTES, len(data) // 3)),
        "removed": lambda: path.unlink(missing_ok=True),
        "replaced by another": lambda: replace(path, TABLE[: len(TABLE) // 2]),
        "grown": lambda: path.write_bytes(data + data),
    }


def replace(path: Path, data: bytes) -> None:
    """Put another file under the same name."""
    aside = path.with_name("aside")
    aside.write_bytes(data)
    os.replace(aside, path)


def read(path: Path) -> None:
    """Read a table, and the names of its columns as the shell does for a large one."""
    header_names(str(path), max_whole=10)
    try:
        bf.read_table(str(path), label=-1, max_memory="500MB")
        OUTCOMES["read"] += 1
    except bf.DataError as problem:
        check_message(problem)
        OUTCOMES["refused"] += 1


def interrupt(path: Path, moment: int, change: Callable[[], object]) -> int:
    """Read a file that changes before a line of the readers; return how many lines were run."""
    lines = 0

    def enter(frame: FrameType, _event: str, _arg: Any) -> Any:
        return step if frame.f_code.co_filename.startswith(READERS) else None

    def step(_frame: FrameType, _event: str, _arg: Any) -> Any:
        nonlocal lines
        lines += 1
        if lines == moment:
            change()
        return step

    sys.settrace(enter)
    try:
        read(path)
    finally:
        sys.settrace(None)
    return lines


def between_lines(folder: Path, moments: int, rng: random.Random) -> None:
    """Change small files of every format, in every way, at some moments each."""
    for suffix, data in {**made(), ".csv": TABLE}.items():
        path = folder / f"table{suffix}"
        path.write_bytes(data)
        last = interrupt(path, 0, lambda: None)
        for change in changes(path, data).values():
            for _ in range(moments):
                path.write_bytes(data)
                interrupt(path, rng.randint(1, last), change)


def beside_a_thread(
    folder: Path, files: dict[str, bytes], seconds: float, rng: random.Random
) -> None:
    """Read longer files over and over while a thread changes them."""
    for suffix, data in files.items():
        path = folder / f"long{suffix}"
        path.write_bytes(data)
        ended = threading.Event()
        thread = threading.Thread(target=spoil, args=(path, data, ended, rng))
        thread.start()
        began = time.monotonic()
        try:
            while time.monotonic() - began < seconds:
                read(path)
        finally:
            ended.set()
            thread.join()


def spoil(path: Path, data: bytes, ended: threading.Event, rng: random.Random) -> None:
    """Change a file and put it back, until the end."""
    while not ended.is_set():
        time.sleep(rng.random() / 100)
        rng.choice(list(changes(path, data).values()))()
        time.sleep(rng.random() / 500)
        path.write_bytes(data)


def long_files(folder: Path) -> dict[str, bytes]:
    """Return files of some megabytes."""
    import polars as pl

    frame = pl.DataFrame(
        {
            **{f"a{j}": [k * (j + 1) % 977 for k in range(LONG_ROWS)] for j in range(8)},
            "y": [k % 2 for k in range(LONG_ROWS)],
        }
    )
    frame.write_csv(folder / "file.csv")
    frame.write_parquet(folder / "file.parquet", compression="uncompressed")
    frame.write_ipc(folder / "file.arrow")
    connection = sqlite3.connect(folder / "file.sqlite")
    connection.execute(f"CREATE TABLE t ({', '.join(frame.columns)})")
    marks = ", ".join("?" * frame.width)
    connection.executemany(f"INSERT INTO t VALUES ({marks})", frame[:5000].rows())
    connection.commit()
    connection.close()
    return {path.suffix: path.read_bytes() for path in folder.glob("file.*")}


def main() -> int:
    """Read files that change; print how many were read and refused. A crash ends the process."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=3, help="of each file and change")
    parser.add_argument("--seconds", type=float, default=1.0, help="of each longer file")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    warnings.simplefilter("error")
    rng = random.Random(given.seed)
    with tempfile.TemporaryDirectory() as folder:
        longer = long_files(Path(folder))
        sqlite3.connect = connect_mapped  # type: ignore[assignment]
        between_lines(Path(folder), given.moments, rng)
        beside_a_thread(Path(folder), longer, given.seconds, rng)
    total = sum(OUTCOMES.values())
    told = f"{total:,} files, {OUTCOMES['read']:,} read, {OUTCOMES['refused']:,} refused"
    sys.stdout.write(told + "\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
