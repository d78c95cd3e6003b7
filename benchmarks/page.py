"""The page of bayesfloor serve under load: what it must bear, and how long each takes.

A CSV file of 100 MB is to be answered; a gzip file that unpacks to 10 GB, a file of another kind, a
killed worker and a closed tab are to leave it serving; ten runs are to be served in order, and
nothing is to stay on the disk. Less is quicker:

    python benchmarks/page.py --megabytes 5
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import numpy as np

COLUMNS = 10
BOMB_BYTES = 10**10


class Tab:
    """A tab of the page."""

    def __init__(self, address: str) -> None:
        self.parts = urlsplit(address)
        self.id = ""
        self.id = self.ask("POST", "visits")["visit"]

    def ask(self, method: str, path: str, body: bytes | None = None) -> Any:
        """Send a request, and return what it says."""
        connection = http.client.HTTPConnection(self.parts.netloc, timeout=600)
        place = f"{self.parts.path}{f'visits/{self.id}{path}' if self.id else path}"
        connection.request(method, place, body, {"Origin": f"http://{self.parts.netloc}"})
        said = connection.getresponse().read()
        connection.close()
        return json.loads(said) if said else None

    def drop(self, name: str, data: bytes) -> Any:
        """Send a file, and wait until it is read or refused."""
        self.ask("POST", f"/file?name={name}", data)
        return self.until(lambda: _ended(self.ask("GET", "")["file"]["preview"]))

    def start(self, **form: Any) -> Any:
        """Start a run."""
        return self.ask("POST", "/runs", json.dumps(form).encode())["runs"][-1]

    def wait(self, run: Any) -> Any:
        """Wait for the end of a run."""
        return self.until(
            lambda: _ended(next(r for r in self.ask("GET", "")["runs"] if r["id"] == run["id"]))
        )

    def until(self, found: Callable[[], Any]) -> Any:
        """Wait until something is true, and return it."""
        while not (value := found()):
            time.sleep(0.2)
        return value


def _ended(job: Any) -> Any:
    return job if job["state"] in ("done", "failed", "cancelled") else None


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, int]]:
    """Run the command; yield its address and the id of its process."""
    command = [sys.executable, "-m", "bayesfloor", "serve"]
    environment = {**os.environ, "TMPDIR": str(folder)}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        yield process.stdout.readline().strip(), process.pid
        process.send_signal(signal.SIGINT)
        process.wait(60)


def table(size: int) -> bytes:
    """Return a CSV file of about so many bytes: two shifted normals."""
    rng = np.random.default_rng(0)
    block = []
    for row in range(20_000):
        numbers = rng.normal(size=COLUMNS) + (row % 2) * 0.5
        block.append(",".join(f"{x:.4f}" for x in numbers) + f",{'ab'[row % 2]}\n")
    text = "".join(block).encode()
    head = ",".join(f"x{i}" for i in range(COLUMNS)) + ",label\n"
    rows = []
    for repeat in range(max(1, size // len(text))):  # no row is a copy of another
        rows.append(text.replace(b".", f".{repeat % 10}".encode()) if repeat else text)
    return head.encode() + b"".join(rows)


def kill_workers(parent: int) -> int:
    """Kill all worker processes of a server; return how many there were."""
    workers = Path(f"/proc/{parent}/task").glob("*/children")
    pids = [int(pid) for path in workers for pid in path.read_text(encoding="ascii").split()]
    ours = [pid for pid in pids if b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    for pid in ours:
        os.kill(pid, signal.SIGKILL)
    return len(ours)


def say(what: str, found: str, started: float) -> None:
    """Print a line of the table."""
    print(f"{what:<34}{found:<44}{time.monotonic() - started:7.1f} s", flush=True)  # noqa: T201


def main() -> None:
    """Do all of it, and print a line for each."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--megabytes", type=int, default=100)
    size = parser.parse_args().megabytes * 10**6
    small, large = table(1), table(size)
    bomb = gzip.compress(b"0" * 10**7, 9) * (BOMB_BYTES // 10**7)
    with tempfile.TemporaryDirectory() as scratch:
        with serving(Path(scratch)) as (address, parent):
            tab, other = Tab(address), Tab(address)
            began = time.monotonic()
            seen = tab.drop("large.csv", large)
            say(f"{len(large) / 1e6:.0f} MB of CSV, preview", seen["state"], began)
            began = time.monotonic()
            run = tab.start(label="label")
            other.drop("small.csv", small)
            say("another tab, preview meanwhile", "done", began)
            answer = tab.wait(run)
            rows = (answer["summary"] or {}).get("rows", "")
            say("its run", f"{answer['state']}, {rows} rows {answer['problem']}", began)
            for name, data in (("bomb.csv.gz", bomb), ("table.parquet", b"no such thing")):
                began = time.monotonic()
                say(name, Tab(address).drop(name, data)["problem"][:42], began)
            began = time.monotonic()
            doomed = other.start(label="label")
            other.until(lambda: other.ask("GET", "")["runs"][-1]["state"] == "running")
            say("workers killed", f"{kill_workers(parent)} killed", began)
            say("their run", other.wait(doomed)["state"], began)
            began = time.monotonic()
            runs = [other.start(label="label", max_seconds="1") for _ in range(10)]
            ended: list[str] = []
            while len(ended) < len(runs):
                states = {r["id"]: r for r in other.ask("GET", "")["runs"]}
                ended += [r["id"] for r in runs if _ended(states[r["id"]]) and r["id"] not in ended]
                time.sleep(0.02)
            in_order = ended == [r["id"] for r in runs]
            say("ten runs queued", f"served in order: {in_order}", began)
            tab.ask("POST", "/leave")
            began = time.monotonic()
            tab.until(lambda: len(list(Path(scratch).glob("*/*"))) == 3)
            say("tab closed", "its file is removed", began)
        say("ended", f"left on the disk: {os.listdir(scratch)}", time.monotonic())


if __name__ == "__main__":
    main()
