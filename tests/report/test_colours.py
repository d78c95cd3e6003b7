"""A colour-blind reader can tell the marks of charts and terminal apart.

The matrices are those of Machado, Oliveira & Fernandes (2009), IEEE TVCG 15, 1291-1298, for full
severity; they apply to linear RGB.
"""

from __future__ import annotations

import json

import numpy as np
import pytest

from bayesfloor.base.arrays import Floats
from bayesfloor.report.charts.interval import interval_chart
from bayesfloor.report.charts.style import BLUE, GREY, ORANGE, RED, SKY
from bayesfloor.shells.cli.error_axis import ASCII, BLOCKS, Glyphs

SIMULATED = {
    "protanopia": [
        [0.152286, 1.052583, -0.204868],
        [0.114503, 0.786281, 0.099216],
        [-0.003882, -0.048116, 1.051998],
    ],
    "deuteranopia": [
        [0.367322, 0.860646, -0.227968],
        [0.280085, 0.672501, 0.047413],
        [-0.011820, 0.042940, 0.968881],
    ],
    "tritanopia": [
        [1.255528, -0.076749, -0.178779],
        [-0.078411, 0.930809, 0.147602],
        [0.004733, 0.691367, 0.303900],
    ],
}
TO_XYZ = np.array(
    [[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]]
)  # of linear sRGB, D65 (IEC 61966-2-1)
JUST_APART = 20.0  # CIE 1976 distance: ten times what can just be noticed
# orange and red meet in the rank curve only, as circles and a diamond
TOGETHER = [(BLUE, RED), (BLUE, ORANGE), (BLUE, GREY), (SKY, RED), (BLUE, SKY)]


def _linear(colour: str) -> Floats:
    """Return linear RGB of a colour such as #0072B2."""
    shares = np.array([int(colour[j : j + 2], 16) for j in (1, 3, 5)]) / 255
    return np.where(shares <= 0.04045, shares / 12.92, ((shares + 0.055) / 1.055) ** 2.4)


def _lab(linear: Floats) -> Floats:
    """Return CIE L*, a*, b*."""
    white = TO_XYZ.sum(axis=1)
    ratio = TO_XYZ @ np.clip(linear, 0, 1) / white
    f = np.where(ratio > (6 / 29) ** 3, np.cbrt(ratio), ratio / (3 * (6 / 29) ** 2) + 4 / 29)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def _distance(one: str, other: str, kind: str) -> float:
    matrix = np.array(SIMULATED[kind])
    seen = [_lab(matrix @ _linear(colour)) for colour in (one, other)]
    return float(np.linalg.norm(seen[0] - seen[1]))


@pytest.mark.parametrize("kind", SIMULATED)
@pytest.mark.parametrize("pair", TOGETHER, ids="-".join)
def test_colours_of_one_chart_stay_apart(pair: tuple[str, str], kind: str) -> None:
    assert _distance(*pair, kind) >= JUST_APART


def test_the_simulation_confuses_red_and_green_of_one_lightness() -> None:
    assert _distance("#B05050", "#707030", "deuteranopia") < JUST_APART
    assert _distance("#B05050", "#707030", "tritanopia") > JUST_APART


def test_marks_on_the_scale_of_the_page_have_a_shape_each() -> None:
    chart = interval_chart(
        (0.1, 0.2),
        (0.05, 0.25),
        estimate=0.15,
        majority=0.4,
        model=(0.3, "30%"),
        target_errors=[0.2],
    )
    rows = [row for rows in json.loads(chart.to_json())["datasets"].values() for row in rows]
    shapes = {row["what"]: row["shape"] for row in rows if "shape" in row}
    assert len(shapes) == len(set(shapes.values())) == 3


@pytest.mark.parametrize("glyphs", [BLOCKS, ASCII], ids=["blocks", "ascii"])
def test_marks_on_the_scale_of_the_terminal_have_a_shape_each(glyphs: Glyphs) -> None:
    marks = (glyphs.line, glyphs.bar, glyphs.estimate, glyphs.target, glyphs.model, glyphs.largest)
    assert len(set(marks)) == len(marks)
