"""Small files drawn from a number: of every format, damaged, or with odd cells and keys."""

from __future__ import annotations

import gzip
import json
import random
from typing import Any

from drawn_calls import Call, seldom
from test_hostile_files import ATTRIBUTES, FILES, TABLE, read, zipped

from hostile import NAMES

MARKS = [b"\0", b"\xff", b"\x7f", b"\x80", b'"', b"'", b",", b"\n", b"{", b"%", b"@data\n"]
WORDS = [
    b"@attribute z {a, 'b c'}\n",
    b"@attribute d date\n",
    b"@inputs a\n",
    b"% note\n",
    b"# note\n",
]
WORDS += [b"{0 1, 2 0}\n", b"null", b"NaN", b"1e999", b'{"a": [1, 2]}', b"\t", b";", b"\r\n", b"?"]
"""Pieces of text that the readers know."""
NUMBERS = ["0", "1", "-2.5", "3e4", "7"]
ODD_NUMBERS = ["1e308", "-1e308", "1e-320", "inf", "1,5", "$3", "NA", "2020-01-01", "?", "{a b}"]
CELLS = [*(name for name in NAMES if name != "\0"), *NUMBERS, *ODD_NUMBERS]
TEXTS: dict[str, bytes] = {
    ".csv": TABLE,
    ".arff": FILES[".arff"],
    ".dat": b"@relation t\n" + ATTRIBUTES + b"@inputs a, b\n@outputs y\n@data\n1,x0,0\n2,x1,1\n",
    ".json": FILES[".json"],
    ".ndjson": FILES[".ndjson"],
}
"""Files of text, which are damaged most often: their parsers are our own."""


def damaged_file(rng: random.Random) -> Call:
    """Draw a damaged file of any format."""
    files = TEXTS if rng.random() < 0.5 else FILES
    suffix = rng.choice(list(files))
    file = damage(rng, bytearray(files[suffix]))
    missing = rng.choice(["impute", "drop", "error"])
    return lambda: read(bytes(file), suffix, missing=missing)


def damage(rng: random.Random, file: bytearray) -> bytearray:
    """Change some bytes of a file, cut them out, repeat, swap or put them in."""
    for _ in range(rng.randint(1, 6)):
        at, some = rng.randint(0, len(file)), rng.choice([1, 2, 4, 8, 64])
        change = rng.choice(["set", "cut", "repeat", "insert", "swap", "word"])
        if change == "set":
            file[at : at + some] = rng.choice(MARKS) * some
        elif change == "cut":
            del file[at : at + some]
        elif change == "repeat":
            file[at:at] = file[at : at + some] * rng.choice([1, 1, 100])
        elif change == "swap":
            file[at : at + 2 * some] = file[at + some : at + 2 * some] + file[at : at + some]
        elif change == "word":
            file[at:at] = rng.choice(WORDS)
        else:
            file[at:at] = rng.randbytes(some)
    return file


def odd_cells(rng: random.Random) -> Call:
    """Draw a table of text with cells that a reader could stumble over."""
    comma = rng.choice([",", ",", ";", "\t", "|", " "])
    quote = rng.choice(['"{}"', '"{}"', seldom(rng, "'{}'", "{}")])
    names = rng.sample(CELLS, 2) if rng.random() < 0.3 else ["a", "b"]
    cells = rng.choice([CELLS, NUMBERS, [*NUMBERS, rng.choice(CELLS)]])
    rows = [
        [rng.choice(cells), rng.choice(cells), rng.choice("uv")] for _ in range(rng.randint(4, 15))
    ]
    lines = [[*names, "y"], *rows]
    double = seldom(rng, '"', '""')
    end = rng.choice(["\n", "\n", "\r\n", "\r"])
    text = end.join(
        comma.join(quote.format(cell.replace('"', double)) for cell in line) for line in lines
    )
    encoding = rng.choice(["utf-8", "utf-8", "utf-16", "utf-8-sig", "latin-1", "utf-32"])
    pack: Any = rng.choice([bytes, bytes, gzip.compress, zipped])
    data = pack(text.encode(encoding, "replace"))
    asked: dict[str, Any] = {"missing": rng.choice(["error", "drop", "impute"])}
    asked["scale"] = rng.choice(["standard", "rank", "none"])
    if rng.random() < 0.3:
        asked["label"] = rng.choice(["y", "a", "", "3", "-1"])
    return lambda: read(data, **asked)


def odd_json(rng: random.Random) -> Call:
    """Draw JSON with values of any kind, keys that are missing or new, and lists of any depth."""

    def value(depth: int = 0) -> Any:
        kind = rng.randrange(8 if depth < 3 else 6)
        simple = [
            None,
            True,
            rng.gauss(0, 1),
            rng.randrange(-(10**20), 10**20),
            rng.choice(CELLS),
            0,
        ]
        if kind < 6:
            return simple[kind]
        if kind == 6:
            return [value(depth + 1) for _ in range(rng.randrange(3))]
        return {rng.choice(CELLS): value(depth + 1) for _ in range(rng.randrange(3))}

    rows: list[Any] = [
        {
            "a": value(),
            "b": value(),
            "y": rng.choice("uv"),
            **({rng.choice(CELLS): value()} if rng.random() < 0.2 else {}),
        }
        for _ in range(rng.randint(2, 12))
    ]
    if rng.random() < 0.1:
        rows.insert(rng.randrange(len(rows)), value())
    lines = rng.random() < 0.5
    text = "\n".join(json.dumps(row) for row in rows) if lines else json.dumps(rows)
    suffix = rng.choice(["", ".json", ".ndjson", ".jsonl"])
    return lambda: read(text.encode(), suffix)
