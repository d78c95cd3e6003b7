"""What a format can do is in its entry: adding one takes no other change."""

from __future__ import annotations

import io
from pathlib import Path

import polars as pl
import pytest

from bayesfloor.base.errors import DataError
from bayesfloor.tables.compression import COMPRESSIONS
from bayesfloor.tables.formats import FORMATS, Format, load_table, recognise_format, without_options
from bayesfloor.tables.read_options import ReadOptions
from bayesfloor.tables.sources import Source, open_sources

PAGE = (Path(__file__).parents[2] / "docs" / "tables.md").read_text(encoding="utf-8")


def source(data: bytes, name: str = "table") -> Source:
    file = io.BytesIO(data)
    file.name = name
    return open_sources(file)[0]


def fixed_width(one: Source) -> pl.DataFrame:
    return pl.DataFrame({"a": [int(byte) for byte in one.data[4:]]})


NEW = Format(
    name="bytes",
    read=without_options(fixed_width),
    suffixes=(".bytes",),
    first_bytes=b"BYTE",
    side_by_side=True,
)


def test_a_new_format_is_one_function_and_one_entry() -> None:
    formats = (NEW, *FORMATS)
    table = load_table(source(b"BYTE\x01\x02"), ReadOptions(), formats=formats)
    assert table.frame.to_dict(as_series=False) == {"a": [1, 2]}
    assert table.side_by_side
    with pytest.raises(DataError, match=r"the suffix \.bytes says bytes but the contents do not"):
        load_table(source(b"a,y\n1,2\n", "table.bytes"), ReadOptions(), formats=formats)


def test_whatever_a_reader_raises_is_one_sentence() -> None:
    broken = Format(name="bytes", read=without_options(fail), first_bytes=b"BYTE")
    with pytest.raises(DataError) as caught:
        load_table(source(b"BYTE"), ReadOptions(), formats=(broken, *FORMATS))
    assert str(caught.value) == (
        "table: the bytes file is damaged, truncated or of an unsupported kind; save it again"
    )


def fail(_: Source) -> pl.DataFrame:
    raise RuntimeError


@pytest.mark.parametrize(
    ("data", "name", "expected"),
    [
        (b"PAR1", "table.csv", "Parquet"),  # contents go before the suffix
        (b"a,b", "table.jsonl", "JSON lines"),
        (b' {"a": 1}', "table.csv", "JSON"),
        (b' {"a": 1}', "table.json", "JSON"),
        (b'[\n{"a": 1}]', "table.csv", "JSON array"),
        (b"[a],b\n", "table", "text"),
    ],
)
def test_contents_go_before_the_suffix_and_text_takes_the_rest(
    data: bytes, name: str, expected: str
) -> None:
    assert recognise_format(source(data, name)).name == expected


@pytest.mark.parametrize("known", [*FORMATS, *COMPRESSIONS], ids=lambda known: known.name)
def test_every_suffix_is_documented(known: Format) -> None:
    for suffix in known.suffixes:
        assert f"`{suffix}`" in PAGE, suffix
