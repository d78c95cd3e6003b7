"""Altair charts that show themselves in a notebook without a network.

Front ends that know Vega-Lite draw a chart from its specification; others show a picture of it.
"""

from __future__ import annotations

import base64
import io
from typing import Any

import altair as alt

from bayesfloor.base.memory import check_space_for_drawing

SHARPNESS = 2
"""Pixels of a picture for each pixel of a chart: screens of laptops have so many."""


class _Offline:
    """Replaces what Altair shows by default, a script from a network."""

    def _repr_mimebundle_(self, *_: Any, **__: Any) -> dict[str, Any]:
        chart: Any = self
        major = alt.SCHEMA_VERSION.split(".")[0]
        return {
            f"application/vnd.vegalite.{major}+json": chart.to_dict(),
            "image/png": base64.b64encode(png_bytes(chart)).decode(),
            "text/plain": repr(chart),
        }


class OfflineLayerChart(_Offline, alt.LayerChart):
    """One chart."""


class OfflineVConcatChart(_Offline, alt.VConcatChart):
    """Charts below each other."""


def offline(chart: alt.LayerChart | alt.VConcatChart) -> Any:
    """Return the same chart as one that needs no network."""
    kinds = {alt.LayerChart: OfflineLayerChart, alt.VConcatChart: OfflineVConcatChart}
    copied: Any = chart.copy(deep=False)
    object.__setattr__(copied, "__class__", kinds[type(chart)])  # its own writes to the schema
    return copied


def png_bytes(chart: alt.LayerChart | alt.VConcatChart) -> bytes:
    """Draw a chart that is styled as a picture."""
    check_space_for_drawing()
    drawn = io.BytesIO()
    chart.save(drawn, format="png", scale_factor=SHARPNESS)
    return drawn.getvalue()
