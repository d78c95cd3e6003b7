"""Inputs beside the table drawn from a number: predictions, votes, folders, clusters."""

from __future__ import annotations

import random
import socket
import tempfile
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import polars as pl
from drawn_calls import Call, check_numbers, labels, seldom, table
from drawn_files import CELLS, MARKS, damage

import bayesfloor as bf
from bayesfloor.base.cluster_address import LOCAL, open_cluster
from hostile import NAMES, NO_NUMBERS, check_floor

LOOK_UP = socket.getaddrinfo
ODD_PROBABILITIES = [-0.1, 1.1, 1e300, -0.0, 1e-320, *NO_NUMBERS]


def predictions_call(rng: random.Random) -> Call:
    """Draw predictions of a model: classes or probabilities, as an array, a frame or a file."""
    X = table(rng)
    n = len(X)
    y = labels(rng, n)
    classes = sorted(set(np.asarray(y).tolist()), key=str)
    drawn: Any = [seldom(rng, rng.choice([None, *CELLS]), rng.choice(classes)) for _ in range(n)]
    if rng.random() < 0.5:
        p = np.array([[rng.random() + 1e-9 for _ in classes] for _ in range(n)])
        drawn = p / p.sum(axis=1, keepdims=True)
        if rng.random() < 0.3:
            drawn[rng.randrange(n), rng.randrange(len(classes))] = rng.choice(ODD_PROBABILITIES)
    drawn = drawn[: seldom(rng, rng.randint(0, n), n)]
    form = rng.choice(["array", "array", "object", "frame", "file"])
    names = [str(one) for one in classes]
    if form == "object":
        drawn = np.array([*list(drawn), None], dtype=object)[:-1]
    if form in ("frame", "file"):
        rng.shuffle(names)
        columns = np.asarray(drawn, dtype=object).reshape(len(drawn), -1 if len(drawn) else 1).T
        named = zip([*names, "prediction"] if len(columns) > 1 else ["p"], columns, strict=False)
        drawn = pl.DataFrame({name: list(one) for name, one in named}, strict=False)

    def call(predictions: Any = drawn) -> None:
        asked: dict[str, Any] = {"representation": "raw", "workers": 1}
        floor = bf.bayes_error(X, y, predictions=predictions, **asked)
        check_floor(floor)
        check_numbers(floor.to_dict())

    if form != "file":
        return call
    data = bytearray(drawn.write_csv().encode())
    return _with_file(bytes(damage(rng, data) if rng.random() < 0.6 else data), ".csv", call)


def votes_file_call(rng: random.Random) -> Call:
    """Draw a file of votes, a row a vote or a column a class, some of them damaged."""
    cells = seldom(rng, CELLS, ["x", "y", "1"], chance=0.3)
    by_vote = rng.random() < 0.6
    header = rng.choice(["item,class", "item,class,rater"]) if by_vote else "a,b"
    width = header.count(",") + 1
    lines = [header]
    for item in range(rng.randint(1, 12)):
        row = [f"i{item // 3}"] if by_vote else [str(rng.choice([0, 1, 2, 7, 2**40]))]
        row += [rng.choice(cells) if by_vote else rng.choice("0123") for _ in range(width - 1)]
        lines.append(",".join(row))
    data = "\n".join(lines).encode("utf-8", "replace")
    if rng.random() < 0.5:
        data = bytes(damage(rng, bytearray(data)))

    asked: dict[str, Any] = {"item": "item", "vote": "class"} if by_vote else {}

    def call(path: Any) -> None:
        check_floor(bf.bayes_error_from_votes(path, **asked))

    return _with_file(data, ".csv", call)


def item_columns_call(rng: random.Random) -> Call:
    """Draw votes on items with columns, of any size and type, some of them senseless."""
    n, m = rng.choice([1, 2, 3, 8, 30, 60]), rng.choice([1, 2, 2, 3])
    least = seldom(rng, 0, 1)  # votes on an item, most often
    counts = [[rng.choice([0, 1, 2, 9]) for _ in range(m - 1)] + [least] for _ in range(n)]
    rows = seldom(rng, rng.choice([0, 1, n - 1, n + 1, 2 * n]), n)
    d = seldom(rng, 0, rng.choice([1, 2, 3]))
    columns = [_item_column(rng, rows) for _ in range(d)]
    if rng.random() < 0.3 and columns:
        columns.append(columns[0])
    X: Any = [list(row) for row in zip(*columns, strict=True)]
    form = rng.choice(["rows", "array", "frame", "series", "vector", "odd"])
    if form == "array":
        X = np.array([*X, None], dtype=object)[:-1] if rng.random() < 0.5 else _plain_array(X)
    elif form == "frame":
        X = pl.DataFrame(
            {f"{rng.choice(NAMES)}{j}": one for j, one in enumerate(columns)}, strict=False
        )
    elif form == "series":
        X = pl.Series("a", columns[0] if columns else [], strict=False)
    elif form == "vector":
        X = columns[0] if columns else []
    elif form == "odd":
        X = rng.choice([0, "", b"", object(), {}, {"a": 1}, [[]], [[[1]]], np.zeros((n, 1, 1)), 1j])
    asked = {"seed": rng.choice([0, 7])} | seldom(rng, {"features": "a"}, {})

    def call() -> None:
        floor = bf.bayes_error_from_votes(counts, X=X, **asked)
        check_floor(floor)
        check_numbers(floor.to_dict())

    return call


def _item_column(rng: random.Random, rows: int) -> list[Any]:
    """Draw a column of numbers, texts or objects."""
    odd: list[Any] = [*NO_NUMBERS, 1e308, -1e308, 5e-324, 10**400, None, "x", b"\xff", (1,), [1]]
    numbers = [0.0, 1.0, rng.gauss(0, 1)]
    kinds: list[list[Any]] = [numbers, ["u", "v", *NAMES], [True, False], [3, 4, 5]]
    usual = rng.choice(kinds)
    chance = rng.choice([0.0, 0.0, 0.1])
    return [seldom(rng, rng.choice(odd), rng.choice(usual), chance=chance) for _ in range(rows)]


def _plain_array(rows: list[list[Any]]) -> Any:
    """Return an array of the type that NumPy chooses, or the rows if it has none."""
    try:
        return np.array(rows)
    except (ValueError, OverflowError):
        return rows


def item_files_call(rng: random.Random) -> Call:
    """Draw a file of votes whose items have columns, and what is asked of it by name."""
    names = [rng.choice(["size", "item", "vote", "*", "^.*$", *CELLS]) for _ in range(2)]
    by_vote = rng.random() < 0.6
    lines = [["item", "vote", *names] if by_vote else ["a", "b", *names]]
    for row in range(rng.randint(1, 40)):
        first = [f"i{row // 3}", rng.choice("xy")] if by_vote else [rng.choice("0123"), "1"]
        lines.append([*first, *(seldom(rng, rng.choice(CELLS), rng.choice("012")) for _ in "ab")])
    cells = ['"{}"'.format(cell.replace('"', '""')) for line in lines for cell in line]
    text = "\n".join(",".join(cells[a : a + 4]) for a in range(0, len(cells), 4))
    data = bytearray(text.encode("utf-8", "replace"))
    if rng.random() < 0.3:
        data = damage(rng, data)
    asked: dict[str, Any] = {"item": "item", "vote": "vote"} if by_vote else {}
    wrong: list[Any] = [
        0,
        -1,
        99,
        None,
        "",
        "none",
        [],
        names * 2,
        ["item"],
        "vote",
        {},
        1.5,
        [None],
    ]
    asked["features"] = seldom(rng, rng.choice(wrong), rng.choice([names, names[0], [2, 3]]))

    def call(path: Any) -> None:
        floor = bf.bayes_error_from_votes(path, **asked)
        check_floor(floor)
        check_numbers(floor.to_dict())

    return _with_file(bytes(data), ".csv", call)


def drawn_address(rng: random.Random) -> str:
    """Draw parts of addresses in any order."""
    parts = ["tcp", "tls", "ucx", "ws", "inproc", "local", "http", ":", "://", "/", "@", "[::1]"]
    parts += ["127.0.0.1", "127.0.0.1:1", "127.0.0.1:99999", "localhost:1", "0", "-1", "%", ".."]
    parts += [*NAMES, "\ud800", "1" * 400, "[", "]", "local:0", "local:99999", "tcp://127.0.0.1:1"]
    return "".join(rng.choice(parts) for _ in range(rng.randint(1, 4)))


def address_call(rng: random.Random) -> Call:
    """Draw an address that is none, or at which nobody on this machine listens."""
    address = drawn_address(rng)
    return lambda: _unreachable(address)


def _unreachable(address: str) -> None:
    if LOCAL.fullmatch(address):  # that would start processes
        return
    with (
        patch("socket.getaddrinfo", of_this_machine),
        open_cluster("--cluster", address, patience=0.3),
    ):
        raise AssertionError(f"{address!r} was taken for a cluster")


def of_this_machine(host: Any, *words: Any, **options: Any) -> Any:
    """Look up names of this machine only."""
    if host not in ("127.0.0.1", "localhost", "::1"):
        raise socket.gaierror(socket.EAI_NONAME, "nobody is asked")
    return LOOK_UP(host, *words, **options)


def folder_call(rng: random.Random) -> Call:
    """Draw a folder of Parquet parts: damaged, of other columns or types, empty, or no files."""
    kinds = [rng.choice(["good", "good", "damaged", "other", "empty", "folder", "link", "text"])]
    kinds += ["good"] * rng.randint(0, 2)
    parts = []
    for kind in kinds:
        n = 0 if kind == "empty" else 12
        columns: dict[str, Any] = {"a": [rng.gauss(0, 1) for _ in range(n)], "y": ([0, 1] * 6)[:n]}
        if kind == "other":
            odd: Any = rng.choice([[None] * n, ["x"] * n, [[1]] * n, [{"b": 1}] * n, [b"\0"] * n])
            columns[rng.choice(["a", "y", rng.choice(NAMES) or "z"])] = odd
        with tempfile.TemporaryFile() as file:
            pl.DataFrame(columns).write_parquet(file)
            file.seek(0)
            data = file.read()
        if kind == "damaged":
            data = _damaged_bytes(rng, data)
        parts.append((kind, data))

    def call() -> None:
        with tempfile.TemporaryDirectory() as folder:
            for place, (kind, data) in enumerate(parts):
                path = Path(folder) / f"part-{place}.parquet"
                if kind == "folder":
                    path.mkdir()
                elif kind == "link":
                    path.symlink_to(path)
                else:
                    path.write_bytes(b"a,y\n1,2\n" if kind == "text" else data)
            found = bf.read_table(folder, label="y", max_memory="200MB")
            assert np.isfinite(found.X.to_numpy()).all()

    return call


def _damaged_bytes(rng: random.Random, data: bytes) -> bytes:
    file = bytearray(data)
    for _ in range(rng.randint(1, 4)):
        at = rng.randrange(len(file))
        if rng.random() < 0.7:
            file[at : at + 4] = rng.choice([*MARKS, rng.randbytes(4), b"\xff\xff\xff\x7f"])
        else:
            del file[at : at + rng.choice([1, 8, 200])]
            file += b"x"
    return bytes(file)


def client_call(rng: random.Random) -> Call:
    """Draw a client that is none."""
    client = rng.choice(
        [0, 1, "tcp://127.0.0.1:1", object(), [], {}, True, float("nan"), bf, Path()]
    )
    X = table(rng)
    y = labels(rng, len(X))
    return lambda: _refused(X, y, client)


def _refused(X: Any, y: Any, client: Any) -> None:
    bf.bayes_error(X, y, client=client, representation="raw")
    raise AssertionError(f"{client!r} was taken for a client")


def _with_file(data: bytes, suffix: str, call: Any) -> Call:
    """Return a call on a file with these bytes."""

    def run() -> None:
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / f"file{suffix}"
            path.write_bytes(data)
            call(path)

    return run
