"""The verdict page: one file with the table of claims and every figure."""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence
from html import escape

from bayesfloor.paper.claims import Verdict
from bayesfloor.paper.figures import FIGURES

COUNTED = (
    ("holds", "hold"),
    ("partly", "hold in part"),
    ("fails", "do not hold"),
    ("open", "are not decided"),
    ("absent", "were not run"),
)
STYLE = """
:root { color-scheme: light dark; --ink: #1b1b1b; --soft: #555; --paper: #fff; --line: #ddd;
  --holds: #00664a; --partly: #8a5a00; --fails: #a33c00; --absent: #666; }
@media (prefers-color-scheme: dark) { :root { --ink: #eee; --soft: #b5b5b5; --paper: #16181b;
  --line: #3a3d42; --holds: #4fd1a5; --partly: #f0b84a; --fails: #ff9a63; --absent: #aaa; } }
* { box-sizing: border-box; }
body { margin: 0 auto; max-width: 80rem; padding: 1rem; background: var(--paper); color: var(--ink);
  font: 16px/1.5 system-ui, sans-serif; overflow-wrap: break-word; }
h1 { font-size: 1.6rem; line-height: 1.2; } h2 { font-size: 1.2rem; margin-top: 2.5rem; }
p.soft, .rule { color: var(--soft); }
article { border-top: 1px solid var(--line); padding: .9rem 0; display: grid; gap: .2rem 1.5rem;
  grid-template-columns: minmax(0, 1fr); }
blockquote { margin: 0; font-style: italic; } article p { margin: .2rem 0; }
.rule { font-size: .875rem; }
.verdict { font-weight: 700; }
.holds { color: var(--holds); } .partly { color: var(--partly); } .fails { color: var(--fails); }
.absent, .open { color: var(--absent); }
.figures { display: grid; gap: 1rem;
  grid-template-columns: repeat(auto-fill, minmax(min(100%, 24rem), 1fr)); }
figure { margin: 0; background: #fff; border: 1px solid var(--line); border-radius: .5rem;
  padding: .5rem; }
figure img { display: block; width: 100%; height: auto; }
figcaption { font-size: .875rem; color: #444; padding: .3rem; } figcaption a { color: #00507d; }
@media (min-width: 60rem) { article { grid-template-columns: 22rem minmax(0, 1fr); } }
"""


def render_page(verdicts: Sequence[Verdict], pictures: Mapping[int, str], summary: str) -> str:
    """Return the page; the same verdicts and pictures give the same bytes.

    Parameters
    ----------
    verdicts : sequence of Verdict
        Rows of the table.
    pictures : mapping
        SVG text by number of the figure.
    summary : str
        How the data were made.
    """
    rows = {ours: [_row(v) for v in verdicts if v.claim.ours is ours] for ours in (False, True)}
    counts = {
        text: sum(v.kind == kind and not v.claim.ours for v in verdicts) for kind, text in COUNTED
    }
    summed = ", ".join(f"{count} {text}" for text, count in counts.items() if count)
    figures = "\n".join(_figure(number, svg) for number, svg in sorted(pictures.items()))
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Noshad &amp; Hero (2018), checked</title>
<style>{STYLE}</style>
<h1>“Rate-optimal Meta Learning of Classification Error”, checked</h1>
<p>Every claim of the numerical section of Noshad &amp; Hero (ICASSP 2018), decided from simulated
data by a rule that is stated with it: {summed}. N is the number of rows of each class, D
the Henze-Penrose divergence; ± and “errors” are Monte-Carlo standard errors. Where these are too
large to say yes or no, a claim is not decided.</p>
<p class="soft">{escape(summary)}</p>
<h2>Claims of the paper</h2>
{"".join(rows[False])}
<h2>The default method of bayesfloor</h2>
{"".join(rows[True])}
<h2>Figures</h2>
<div class="figures">
{figures}
</div>
</html>
"""


def _row(verdict: Verdict) -> str:
    claim, finding = verdict.claim, verdict.finding
    why = f"<p>{escape(finding.why)}</p>" if finding.why else ""
    quote = claim.quotation if claim.ours else f"“{claim.quotation}”"
    return f"""<article>
<div><blockquote>{escape(quote)}</blockquote><p class="soft">Figure {claim.figure}</p></div>
<div><p class="verdict {verdict.kind}">{escape(finding.verdict)}</p>
<p>{escape(finding.measured)}</p>
{why}<p class="rule">Rule: {escape(claim.rule)}</p></div>
</article>
"""


def _figure(number: int, svg: str) -> str:
    data = base64.b64encode(svg.encode()).decode()
    name, title = FIGURES[number].name, FIGURES[number].title
    links = ", ".join(
        f'<a href="{name}.{ending}">{text}</a>'
        for ending, text in (
            ("html", "interactive"),
            ("svg", "SVG"),
            ("png", "PNG"),
            ("csv", "data"),
        )
    )
    return f"""<figure><img src="data:image/svg+xml;base64,{data}" alt="{escape(title)}">
<figcaption>Figure {number}: {links}</figcaption></figure>"""
