from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.error import URLError

import numpy as np
import pytest
import sklearn.datasets

from bayesfloor.base.errors import DataError
from bayesfloor.paper.robot import COUNTS, fetch_robot, make_robot, read_robot


@pytest.fixture
def rows() -> tuple[Any, list[str]]:
    """Rows with the counts of the data set; the front sensor tells the class."""
    labels = [name for name, count in COUNTS.items() for _ in range(count)]
    points = np.random.default_rng(0).uniform(0, 5, (len(labels), 4))
    points[:, 0] = [list(COUNTS).index(label) for label in labels]
    return points, labels


def write(path: Path, rows: tuple[Any, list[str]]) -> Path:
    lines = (",".join(map(str, [*p, y])) for p, y in zip(*rows, strict=True))
    path.write_text("\r\n".join(lines) + "\r\n")
    return path


def test_the_real_file_has_the_counts_and_a_rule(shared_data: Path) -> None:
    robot = read_robot(shared_data / "robot" / "sensor_readings_4.data")
    assert (robot.sharp.shape, robot.forward.shape) == ((2097, 4), (2205, 4))
    assert robot.sharp[:, 0].max() <= 0.9 < robot.forward[:, 0].min()  # so D = 1


def test_classes_are_told_by_their_counts_whatever_their_names(
    tmp_path: Path, rows: tuple[Any, list[str]]
) -> None:
    points, labels = rows
    robot = read_robot(write(tmp_path / "robot.csv", (points, labels)))
    numbers = [str(list(COUNTS).index(label)) for label in labels]
    assert make_robot(points, numbers, "here").digest == robot.digest
    assert set(robot.sharp[:, 0]) == {list(COUNTS).index("sharp-right-turn")}
    assert set(robot.forward[:, 0]) == {list(COUNTS).index("move-forward")}


def test_subsamples_hold_no_row_twice(rows: tuple[Any, list[str]]) -> None:
    x, y = make_robot(*rows, "here").draw(2000, 50, np.random.default_rng(1))
    assert (x.shape, y.shape) == ((2000, 4), (50, 4))
    assert len(np.unique(x, axis=0)) == 2000


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("1,2,3,4,go\n1,2,3,go\n", "4 fields in row 2"),
        ("1,2,3,x,go\n", "something else than numbers"),
        ("1,2,3,4,go\n", "1 rows of 4 sensors in classes of 1, not 5456 rows"),
        ("", "0 rows"),
    ],
)
def test_other_files_are_refused_in_one_sentence(
    tmp_path: Path, content: str, message: str
) -> None:
    path = tmp_path / "robot.csv"
    path.write_text(content)
    with pytest.raises(DataError, match=message) as refusal:
        read_robot(path)
    assert "--robot FILE" in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_values_that_are_not_finite_are_refused(rows: tuple[Any, list[str]]) -> None:
    points, labels = rows
    points[7, 2] = np.nan
    with pytest.raises(DataError, match="NaN or infinity in row 8"):
        make_robot(points, labels, "here")


def test_a_missing_file_and_one_that_is_no_text_are_refused(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="No such file"):
        read_robot(tmp_path / "none.csv")
    (tmp_path / "binary").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="not a text file"):
        read_robot(tmp_path / "binary")


def test_without_network_and_cache_one_sentence_says_what_to_do(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def offline(*_: Any, **__: Any) -> None:
        raise URLError("no network")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", offline)
    with pytest.raises(DataError, match=r"OpenML did not answer; pass .* --robot FILE"):
        fetch_robot()


def test_the_version_with_four_sensors_is_taken_from_openml(
    monkeypatch: pytest.MonkeyPatch, rows: tuple[Any, list[str]]
) -> None:
    points, labels = rows

    def openml(name: str, *, version: int, **_: Any) -> Any:
        assert name == "wall-robot-navigation"
        data = points if version == 2 else points[:, :2]
        return type("Bunch", (), {"data": data, "target": np.array(labels)})

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", openml)
    assert fetch_robot().digest == make_robot(points, labels, "here").digest
