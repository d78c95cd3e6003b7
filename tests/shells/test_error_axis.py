from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import bayesfloor as bf
from bayesfloor.shells.cli.error_axis import ASCII, BLOCKS, draw_axis

RNG = np.random.default_rng(0)
BASE = replace(
    bf.bayes_error(RNG.normal(size=(200, 1)), np.arange(200) % 2),
    interval=(0.1, 0.3),
    estimate=0.2,
    priors=np.array([0.5, 0.5]),
)


def lines(floor: bf.Floor = BASE, width: int = 60, glyphs: Any = ASCII, **asked: Any) -> list[str]:
    found = floor.answer(**asked)
    return [line.plain for line in draw_axis(floor, found, width=width, glyphs=glyphs)]


def test_a_scale_goes_from_0_to_the_error_of_the_largest_class() -> None:
    track, estimate, largest = lines(width=61)
    assert track == "0% |----------==========o=========--------------------| 50.0%"
    assert estimate == "                        o best estimate 20.0%"
    assert largest == "                      always the largest class 50.0% #"


def test_a_scale_of_accuracies_is_its_mirror_image() -> None:
    track, estimate, largest = lines(width=63, shown_as="accuracy")
    assert track.startswith("50.0% |--------------------==")
    assert track.endswith("----------| 100%")
    assert estimate.endswith("o best estimate 80.0%")
    assert largest.startswith("       # always the largest class 50.0%")


def test_every_mark_has_its_own_shape_line_and_name() -> None:
    for glyphs in (ASCII, BLOCKS):
        drawn = lines(glyphs=glyphs, target=0.95, model_error=0.2)
        shapes = [line.strip() for line in drawn if "%" in line and " largest" not in line]
        shapes = [one[0] for one in shapes if not one.startswith("0%")]
        assert shapes == [glyphs.target, glyphs.estimate, glyphs.model]
        assert len({*shapes, glyphs.largest, glyphs.bar, glyphs.line}) == 6
        assert all(name in "".join(drawn) for name in ("your target 5%", "your model 20%"))


def test_marks_stand_where_they_belong() -> None:
    target, track, _, model, _ = lines(width=112, target=0.9, model_error=0.4)
    start = track.index("|") + 1
    cells = track.rindex("|") - start
    assert (target.index("v") - start) / cells == pytest.approx(0.1 / 0.5, abs=1 / cells)
    assert (model.index("^") - start) / cells == pytest.approx(0.4 / 0.5, abs=1 / cells)
    assert (track.index("=") - start) / cells == pytest.approx(0.1 / 0.5, abs=1 / cells)
    assert (track.rindex("=") + 1 - start) / cells == pytest.approx(0.3 / 0.5, abs=1 / cells)


def test_a_model_that_is_worse_than_the_largest_class_is_on_the_scale() -> None:
    drawn = lines(model_error=0.8)
    assert drawn[0].endswith("| 80.0%")
    assert "your model 80% ^" in drawn[2]
    assert drawn[3].index("#") < drawn[2].index("^")


@pytest.mark.parametrize("interval", [(0.0, 0.0), (0.0, 1e-9), (0.2, 0.2001), (0.499, 0.5)])
@pytest.mark.parametrize("shown_as", ["error", "accuracy"])
@pytest.mark.parametrize("glyphs", [ASCII, BLOCKS], ids=["ascii", "blocks"])
@pytest.mark.parametrize("width", [30, 60, 80])
def test_an_interval_is_seen_however_narrow(
    interval: tuple[float, float], shown_as: str, glyphs: Any, width: int
) -> None:
    floor = replace(BASE, interval=interval, estimate=interval[1])
    drawn = lines(floor, width, glyphs, shown_as=shown_as, target=1.0, model_error=0.5)
    track = drawn[1]
    assert track.count(glyphs.bar) >= 1
    assert len(track) == width
    assert max(map(len, drawn)) <= width


def test_many_targets_are_marked_on_one_line() -> None:
    drawn = lines(target=[0.6, 0.7, 0.8, 0.9, 0.95])
    assert drawn[0].count("v") == 5
    assert drawn[0].endswith("v your targets")
    assert len(lines(target=[0.6, 0.7, 0.8])) == 6
