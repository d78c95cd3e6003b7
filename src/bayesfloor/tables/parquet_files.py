"""Parquet files become frames; of a file on a disk only the columns that are asked for are read."""

from __future__ import annotations

import io
from collections.abc import Collection
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from bayesfloor.tables.compression import Contents, too_large
from bayesfloor.tables.damage import refuse_damage
from bayesfloor.tables.memory_files import view
from bayesfloor.tables.parquet_pages import FOOTER_TAIL, column_spans, unpacked_size
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.sources import PARQUET_START, Source, read_end, read_spans

if TYPE_CHECKING:
    import polars as pl

MOST_FOOTER_BYTES = 2**26
"""Bytes of the footer of a Parquet file that are read for its names, at most: 64 MiB are enough for
a hundred thousand columns and more, a judgement."""


def read_parquet(source: Source, columns: Collection[str] | None = None) -> pl.DataFrame:
    """Read a Parquet file, or some of its columns, in the order of the file."""
    import polars as pl

    with _contents(source, columns) as file:
        if unpacked_size(view(file), columns) > source.limit:  # polars would abort the process
            raise too_large("the columns of the Parquet file", source.limit)
        if columns is None:
            return pl.read_parquet(file)
        names = pl.read_parquet_schema(file)
        return pl.read_parquet(file, columns=[j for j, name in enumerate(names) if name in columns])


def parquet_header(source: Source, _: ReadOptions) -> list[str]:
    """Return the names of the columns of a Parquet file, from its footer."""
    import polars as pl

    with refuse_damage("the Parquet file is damaged or truncated; save it again"):
        data = source.data
        if source.path is not None:
            data = _footer(source.path, MOST_FOOTER_BYTES)
        return list(pl.read_parquet_schema(io.BytesIO(data)))


def _contents(source: Source, columns: Collection[str] | None) -> BinaryIO:
    """Return a file as it is, but zero where there are other columns than those asked for."""
    path, limit = source.path, source.limit
    if path is None:
        return io.BytesIO(source.data)
    size = path.stat().st_size
    spans = [(0, size)]
    if columns is not None:
        footer = _footer(path, limit)
        spans = [(0, len(PARQUET_START[0])), (size - len(footer), size)]
        spans += column_spans(footer, columns)
    return read_spans(path, spans, limit)


def _footer(path: Path, most: int) -> Contents:
    """Return the end of a file, from its footer on."""
    length = int.from_bytes(read_end(path, FOOTER_TAIL)[:4], "little")
    return read_end(path, min(length, most) + FOOTER_TAIL)
