from __future__ import annotations

import tomllib
import zipfile
from importlib.util import find_spec
from pathlib import Path

import pytest

import bayesfloor as bf
from bayesfloor.shells.cli import main

ROOT = Path(__file__).parents[1]


def extras() -> dict[str, list[str]]:
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    return tomllib.loads(text)["project"]["optional-dependencies"]


def test_the_extra_all_has_every_other_one() -> None:
    others = sorted(set(extras()) - {"all"})
    assert extras()["all"] == [f"bayesfloor[{','.join(others)}]"]


@pytest.mark.skipif(find_spec("fastexcel") is not None, reason="the extra is installed")
def test_without_its_extra_a_workbook_is_one_line(tmp_path: Path) -> None:
    book = tmp_path / "book.xlsx"
    with zipfile.ZipFile(book, "w") as made:
        made.writestr("xl/workbook.xml", "<workbook/>")
    with pytest.raises(bf.DataError, match=r"pip install 'bayesfloor\[excel\]'"):
        bf.read_table(book, label="y")


@pytest.mark.skipif(find_spec("uvicorn") is not None, reason="the extra is installed")
def test_without_its_extra_the_page_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.argv", ["bayesfloor", "serve"])
    with pytest.raises(SystemExit) as ended:
        main()
    said = capsys.readouterr().err
    assert ended.value.code == 1
    assert "pip install 'bayesfloor[web]'" in said
    assert "Traceback" not in said
