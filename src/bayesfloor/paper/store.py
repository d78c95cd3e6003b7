"""Files of a run: whole or not there, and told apart by the settings that made them."""

from __future__ import annotations

import csv
import hashlib
import io
import json
import math
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from bayesfloor.base.files import write_whole
from bayesfloor.paper.simulation import Chunk, Row

PART_COLUMNS = ["source", "d", "n", "repetition", "method", "divergence", "se"]
"""Columns of the parts: the fields of a simulated row."""
COLUMNS = [*PART_COLUMNS, "truth", "bound"]
"""Columns of the data of a figure."""
PARTS_FOLDER = ".parts"
"""Folder of what is done of figures that are not complete, inside the output folder."""


def csv_text(head: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Format a table: shortest exact floats, nothing for NaN, one line a row."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(head)
    writer.writerows([_plain(value) for value in row] for row in rows)
    return text.getvalue()


def _plain(value: Any) -> Any:
    return "" if isinstance(value, float) and math.isnan(value) else value


class Store:
    """The files of one figure in the output folder."""

    def __init__(self, folder: Path, name: str, settings: dict[str, Any]) -> None:
        self.data = folder / f"{name}.csv"
        self.manifest = folder / f"{name}.json"
        self.settings = settings
        self.parts = folder / PARTS_FOLDER / f"{name}-{_digest(json.dumps(settings).encode())[:16]}"

    def is_complete(self) -> bool:
        """Tell whether the data of these very settings are there, unchanged."""
        try:
            saved = json.loads(self.manifest.read_text(encoding="utf-8"))
            same = all(saved["settings"].get(k) == value for k, value in self.settings.items())
            return same and saved["sha256"] == _digest(self.data.read_bytes())
        except (OSError, ValueError, KeyError, TypeError, AttributeError):
            return False

    def save_part(self, chunk: Chunk, rows: list[Row]) -> None:
        """Keep the rows of a chunk until the figure is complete."""
        self.parts.mkdir(parents=True, exist_ok=True)
        write_whole(self._part(chunk), csv_text(PART_COLUMNS, rows))

    def has_part(self, chunk: Chunk) -> bool:
        """Tell whether a chunk was done before."""
        return self._part(chunk).is_file()

    def complete(self, chunks: Sequence[Chunk]) -> None:
        """Join the parts to the data of the figure, with the truths, and remove them."""
        text = csv_text(COLUMNS, (row for chunk in chunks for row in self._full_rows(chunk)))
        write_whole(self.data, text)
        saved = {"settings": self.settings, "sha256": _digest(text.encode())}
        write_whole(self.manifest, json.dumps(saved, indent=1) + "\n")
        shutil.rmtree(self.parts.parent if self._is_last() else self.parts)

    def _is_last(self) -> bool:
        return list(self.parts.parent.iterdir()) == [self.parts]

    def _full_rows(self, chunk: Chunk) -> list[list[Any]]:
        source, n = chunk.scenario.source, chunk.scenario.n
        va, vb = source.efficiency()
        with self._part(chunk).open(encoding="utf-8", newline="") as file:
            return [
                [*row, source.divergence(), (va + vb) / n] for row in list(csv.reader(file))[1:]
            ]

    def _part(self, chunk: Chunk) -> Path:
        scenario = chunk.scenario
        return self.parts / f"{scenario.source.name} n={scenario.n} {chunk.start}-{chunk.stop}.csv"


def _digest(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()
