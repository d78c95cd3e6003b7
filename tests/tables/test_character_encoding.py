"""Text in other encodings than UTF-8 is read right, or one line names the option."""

from __future__ import annotations

import io
import json

import pytest

import bayesfloor as bf
from bayesfloor.tables import LabelledTable, read_table
from bayesfloor.tables.compression import PIECE_BYTES

TEXT = "größe,y\n1.5,é\n2.5,v\n2.1,v\n3,é\n"
ROWS = [{"größe": 1.5, "y": "é"}, {"größe": 2.5, "y": "v"}, {"größe": 1, "y": "é"}]
ARFF = "@relation a\n@attribute größe numeric\n@attribute y {é,v}\n@data\n1,é\n2,v\n1,é\n"
ADVICE = 'pass encoding="cp1252" if {!r} in line {} reads right, else its own'


def read(data: bytes, encoding: str | None = None) -> LabelledTable:
    return read_table(io.BytesIO(data), label="y", encoding=encoding, min_class_rows=0)


def refusal(data: bytes, encoding: str | None = None) -> str:
    with pytest.raises(bf.DataError) as problem:
        read(data, encoding)
    return str(problem.value).removeprefix("open BytesIO: ")


def test_an_encoding_is_read_when_it_is_said() -> None:
    for encoding in ("latin-1", "cp1252", "cp850", "mac-roman"):
        table = read(TEXT.encode(encoding), encoding)
        assert table.X.columns == ["größe"]
        assert table.y.to_list() == ["é", "v", "v", "é"]
    windows = TEXT.replace("é", "“5 €”").encode("cp1252")
    assert read(windows, "cp1252").y.to_list() == ["“5 €”", "v", "v", "“5 €”"]
    with pytest.raises(bf.DataError, match="encoding is 'nope'; pass one that Python knows"):
        read(TEXT.encode(), "nope")
    assert (
        refusal(TEXT.encode("latin-1"), "ascii") == "the text is not ascii; pass another encoding="
    )


@pytest.mark.parametrize("encoding", [None, "utf-8", "UTF_8", "utf8"])
def test_other_encodings_are_refused_with_a_word_that_shows_which(encoding: str | None) -> None:
    expected = "the text is not UTF-8; " + ADVICE.format("größe", 1)
    assert refusal(TEXT.encode("latin-1"), encoding) == expected
    below = b"a,y\n" + b"1,u\n" * 20_000 + "2, “Café”\n".encode("cp1252")
    assert refusal(below, encoding) == "the text is not UTF-8; " + ADVICE.format("“Café”", 20_002)


def test_the_word_is_found_in_any_piece_of_the_text() -> None:
    lines = b"1,u\n" * (PIECE_BYTES // 4)
    for start in (b"a,y\n", b"aaa,y\n"):
        data = start + lines + lines + "1,süß\n".encode("latin-1")
        line = len(lines) // 4 * 2 + 2
        assert refusal(data) == "the text is not UTF-8; " + ADVICE.format("süß", line)


def test_japanese_is_not_said_to_be_of_windows() -> None:
    message = refusal("色,y\n1,はい\n".encode("shift-jis"))
    assert message.startswith("the text is not UTF-8; see line 1, and pass its encoding, such as ")


def test_bytes_without_a_letter_are_not_taken_for_text() -> None:
    message = refusal(TEXT.replace("é", "“").encode("cp1252"), "latin-1")
    assert message == "the text is not latin-1; " + ADVICE.format("“", 2)


def test_joined_files_of_two_encodings_are_told_by_their_line() -> None:
    data = TEXT.encode() + "1,é\n".encode("cp1252")
    expected = "line 6 is not UTF-8, but lines before it are; save the table in one encoding"
    assert refusal(data) == expected


@pytest.mark.parametrize("named", ["latin-1", "cp1252", "utf-16-le", "utf-8"])
@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "utf-32"])
def test_a_byte_order_mark_counts_more_than_the_name(encoding: str, named: str) -> None:
    assert read(TEXT.encode(encoding), named).rows.columns == ["größe"]


@pytest.mark.parametrize("named", ["latin-1", "cp1252", "mac-roman", "cp850"])
@pytest.mark.parametrize("letter", ["é", "ö", "€", "я", "色"])
def test_letters_in_utf8_count_more_than_the_name(letter: str, named: str) -> None:
    assert read(TEXT.replace("é", letter).encode(), named).y[0] == letter


def test_a_capital_before_a_quote_is_no_letter_of_utf8() -> None:
    data = "a,y\n1,CAFÉ’S\n2,v\n2,v\n1,CAFÉ’S\n".encode("cp1252")
    assert read(data, "cp1252").y[0] == "CAFÉ’S"


@pytest.mark.parametrize("order", ["utf-16-le", "utf-16-be"])
def test_utf16_without_its_mark_is_told(order: str) -> None:
    for text in (TEXT, "цвет,y\n1,да\n2,нет\n"):
        advice = f'the text is UTF-16 without its mark; pass encoding="{order}"'
        assert refusal(text.encode(order)) == advice
        assert refusal(text.encode(order), "latin-1") == advice
    assert read(TEXT.encode(order), order).y.to_list() == ["é", "v", "v", "é"]
    other = f"the text is not {order}; pass another encoding="
    assert refusal(TEXT.encode(), order) == other  # not Chinese without any line


@pytest.mark.parametrize("encoding", ["utf-8-sig", "utf-16", "cp1252"])
def test_json_and_arff_are_read_in_any_encoding(encoding: str) -> None:
    lines = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in ROWS)
    for text in (lines, json.dumps(ROWS, ensure_ascii=False), ARFF):
        data, named = text.encode(encoding), "cp1252" if encoding == "cp1252" else None
        assert read(data, named).rows.columns == ["größe"]
        if named:
            line = 2 if text is ARFF else 1
            assert refusal(data) == "the text is not UTF-8; " + ADVICE.format("größe", line)
