"""Charts of the site that answer the mouse; nothing is loaded from elsewhere.

The browser draws them from their Vega-Lite specification, by a script that vl-convert bundles from
the libraries it draws pictures with; without scripts, a picture is shown.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from typing import Any

import bayesfloor as bf
from bayesfloor.shells.demos import DEMOS, load_demo
from picture import PICTURES

SCRIPT = "javascripts/charts.js"
"""The bundle, from the top of the site."""
DRAW = (Path(__file__).parent / "live_charts.js").read_text(encoding="utf-8")


def write_bundle(pages: Path) -> None:
    """Write the script that draws all charts of a page."""
    import vl_convert

    path = pages / SCRIPT
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(vl_convert.javascript_bundle(DRAW), encoding="utf-8")


def with_live_charts(text: str) -> str:
    """Return a page with a chart in the place of each picture of a demo."""
    for words, name in re.findall(r"!\[(.*?)\]\(images/(.+?)\)", text):
        demo, section = PICTURES[name]
        drawn = demo_charts(demo, str(section).removeprefix("#"), words)
        text = text.replace(f"![{words}](images/{name})", drawn)
    return text


def demo_charts(demo: str, name: str, words: str) -> str:
    """Return the scale of a demo, and the chart of this name."""
    data, asked = load_demo(demo), DEMOS[demo]
    floor = bf.bayes_error(data.points, data.labels)
    charts = [
        floor.chart(chart, model_error=asked.model_error, target=asked.target)
        for chart in dict.fromkeys(("interval", name))
    ]
    return "\n\n".join(live_chart(one._repr_mimebundle_(), words=words) for one in charts)


def live_chart(shown: dict[str, Any], *, top: str = "", words: str = "") -> str:
    """Return the lines of a page that show a chart, given what a notebook shows of it."""
    spec = next(value for kind, value in shown.items() if "vegalite" in kind)
    text = json.dumps(spec, separators=(",", ":")).replace("<", "\\u003c")
    label = escape(words or spec.get("description", "chart"), quote=True)
    source = f"data:image/png;base64,{shown['image/png'].strip()}"
    return (
        f'<div class="live-chart" role="img" aria-label="{label}">'
        f'<script type="application/json">{text}</script>'
        f'<noscript><img alt="{label}" src="{source}"></noscript></div>\n'
        f'<script type="module" src="{top}{SCRIPT}"></script>'
    )
