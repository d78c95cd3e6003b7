"""The names of the columns of a file, for the shell to complete: rows are read only where few."""

from __future__ import annotations

from pathlib import Path

from bayesfloor.tables.compression import COMPRESSED_SUFFIXES
from bayesfloor.tables.formats import load_table, recognise_format
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.sources import open_head, open_sources

MAX_WHOLE_BYTES = 10**7
"""Size of a file, in bytes, up to which it may be read whole or decompressed for its names: that
takes about a tenth of a second, for which nobody at a shell waits. A judgement."""

HEAD_BYTES = 2**20
"""Number of bytes that are read of larger files: as many as a header of ARFF is looked for in."""


def header_names(path: str, *, max_whole: int = MAX_WHOLE_BYTES) -> list[str]:
    """Return the names of the columns of a file, or none if it cannot be read."""
    options = ReadOptions()
    try:
        small = Path(path).stat().st_size <= max_whole
        if Path(path).suffix.lower() in COMPRESSED_SUFFIXES and not small:
            return []
        source = open_sources(path)[0] if small else open_head(path, HEAD_BYTES)
        known = recognise_format(source)
        if known.header is not None:
            return known.header(source, options)
        return load_table(source, options).frame.columns if small else []
    except Exception:  # whatever is wrong is told when the command runs
        return []
