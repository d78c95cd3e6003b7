from __future__ import annotations

import os
from pathlib import Path

import pytest

from bayesfloor.base.errors import DataError
from bayesfloor.base.files import check_page, check_writable, write_whole


def test_a_new_file_has_the_text_and_the_usual_mode(tmp_path: Path) -> None:
    path = tmp_path / "page.html"
    assert write_whole(path, "é\n") == path
    assert path.read_bytes() == "é\n".encode()
    plain = tmp_path / "plain"
    plain.touch()
    assert path.stat().st_mode == plain.stat().st_mode
    assert sorted(p.name for p in tmp_path.iterdir()) == ["page.html", "plain"]


def test_bytes_are_written_as_they_are(tmp_path: Path) -> None:
    content = b"\x89PNG\r\n\x1a\n\xff"
    assert write_whole(tmp_path / "chart.png", content).read_bytes() == content
    write_whole(tmp_path / "lines.csv", "a\r\nb\n")
    assert (tmp_path / "lines.csv").read_bytes() == b"a\r\nb\n"


def test_an_old_file_is_replaced_and_keeps_its_mode(tmp_path: Path) -> None:
    path, link = tmp_path / "page.html", tmp_path / "link.html"
    path.write_text("old")
    path.chmod(0o640)
    link.symlink_to(path)
    write_whole(link, "new")
    assert link.is_symlink()
    assert path.read_text() == "new"
    assert path.stat().st_mode & 0o777 == 0o640


@pytest.mark.parametrize("stop", [KeyboardInterrupt, OSError])
def test_an_interrupted_write_leaves_the_old_file_and_nothing_else(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, stop: type[BaseException]
) -> None:
    path = tmp_path / "page.html"
    path.write_text("old")

    def fail(*_: object) -> None:
        raise stop

    monkeypatch.setattr(os, "replace", fail)
    with pytest.raises(stop):
        write_whole(path, "new")
    assert [p.name for p in tmp_path.iterdir()] == ["page.html"]
    assert path.read_text() == "old"


@pytest.mark.parametrize(
    ("name", "complaint"),
    [
        (".", "a directory; name a file in it"),
        ("no/where/page.html", "make it first"),
        ("nul\0.html", "choose another"),
    ],
)
def test_a_place_that_cannot_be_written_is_named_before(
    tmp_path: Path, name: str, complaint: str
) -> None:
    with pytest.raises(DataError, match=complaint):
        check_writable(tmp_path / name)


@pytest.mark.skipif(not Path("/dev/null").is_char_device(), reason="needs /dev/null")
def test_a_device_is_not_replaced_by_a_file() -> None:
    with pytest.raises(DataError, match="/dev/null: not a plain file; choose another name"):
        write_whole("/dev/null", "text")


def test_a_folder_without_permission_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda *_: False)  # root may write anywhere
    with pytest.raises(DataError, match="no permission to write there"):
        check_writable(tmp_path / "page.html")


def test_a_page_replaces_a_page_and_nothing_else(tmp_path: Path) -> None:
    table, page = tmp_path / "table.html", tmp_path / "page.html"
    table.write_text("x,y\n1,a\n")
    page.write_text("<!DOCTYPE html>")
    assert check_page(page) == page
    assert check_page(tmp_path / "new.html") == tmp_path / "new.html"
    with pytest.raises(
        DataError, match=r"table.html: exists and is not a page; choose another name"
    ):
        check_page(table)


@pytest.mark.parametrize("name", ["out.csv", "out", "out.pdf", "out.html.gz"])
def test_a_page_is_called_html(tmp_path: Path, name: str) -> None:
    with pytest.raises(DataError, match=rf"{name}: a page is HTML; choose a name such as out\."):
        check_page(tmp_path / name)
    assert check_page(tmp_path / "OUT.HTM") == tmp_path / "OUT.HTM"
