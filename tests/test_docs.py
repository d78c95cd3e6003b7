from __future__ import annotations

import re
import runpy
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import typer

import bayesfloor as bf
from bayesfloor.base.grounds import GROUNDS
from bayesfloor.estimators.methods import METHODS
from bayesfloor.report.answer import ALREADY_MET, OUT_OF_REACH, REACHABLE, TRIVIAL, UNDECIDED
from bayesfloor.report.charts import CHARTS
from bayesfloor.report.document import SCHEMA, document
from bayesfloor.representation.maps import MAPS
from bayesfloor.shells.cli import app
from bayesfloor.shells.demos import DEMOS

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").glob("*.md"))]
PICTURES = sorted(path.name for path in (ROOT / "docs" / "images").glob("*.png"))
MOST_BYTES = {"report.png": 170_000}
COMMANDS = sorted(typer.main.get_command(app).commands)  # type: ignore[attr-defined]


@pytest.mark.parametrize("command", COMMANDS)
def test_the_readme_shows_every_command(command: str) -> None:
    assert f"bayesfloor {command}" in README


@pytest.mark.parametrize("method", sorted(METHODS))
def test_the_readme_and_the_method_page_name_every_method(method: str) -> None:
    assert f"`{method}`" in README
    assert f"`{method}`" in (ROOT / "docs" / "method.md").read_text(encoding="utf-8")


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    for target in re.findall(r"\]\((?!https?:)([^)#]+)", page.read_text(encoding="utf-8")):
        assert (page.parent / target).exists(), target


def anchors(page: Path) -> set[str]:
    """Return the anchors of a page's headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE)
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_to_headings_lead_to_one(page: Path) -> None:
    links = re.findall(r"\]\((?!https?:)([^)#]*)#([^)]+)\)", page.read_text(encoding="utf-8"))
    for target, anchor in links:
        assert anchor in anchors(page.parent / target if target else page), f"{target}#{anchor}"


@pytest.mark.parametrize("target", ["demo", "test"])
def test_the_makefile_has_what_the_readme_promises(target: str) -> None:
    assert f"make {target}" in README
    assert re.search(rf"^{target}:", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)


def test_every_layer_is_in_the_map_of_the_contributors() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    layers = [path.parent.name for path in (ROOT / "src" / "bayesfloor").glob("*/__init__.py")]
    assert len(layers) > 10
    for layer in layers:
        assert f"| `{layer}/` |" in text, layer


def doc(name: str) -> str:
    return (ROOT / "docs" / name).read_text(encoding="utf-8")


def made_by(script: str, function: str) -> Any:
    return runpy.run_path(str(ROOT / "docs" / "scripts" / script))[function]()


def test_the_reference_is_what_the_command_says_of_itself() -> None:
    assert doc("cli.md") == made_by("cli.py", "reference"), "run make docs"


def test_the_drawing_is_made_by_its_script() -> None:
    words = [
        re.findall(">([^<]+)</text>", svg)
        for svg in (doc("images/bounds.svg"), made_by("bounds.py", "drawing"))
    ]
    assert words[0] == words[1], "run make docs"


def _two_classes() -> tuple[Any, Any]:
    labels = np.arange(80) % 2
    return np.random.default_rng(0).normal(size=(80, 1)) + labels[:, None], labels


def test_the_json_page_lists_every_field_and_no_other() -> None:
    rng = np.random.default_rng(0)
    labels = np.arange(600) % 2  # rows and columns enough for neighbours and maps
    floor = bf.bayes_error(rng.normal(size=(600, 3)) + labels[:, None], labels)
    made = document(floor, model_error=0.4, target=0.9)
    page, changes = doc("json.md").split("## From schema 1")
    parts = re.split(r"^`(?:henze_penrose|target|model)`:$", page, flags=re.MULTILINE)
    records = made, made["henze_penrose"], made["target"], made["model"]
    for part, fields in zip(parts, records, strict=True):
        cells = re.findall(r"^\| (`.*?) \|", part, flags=re.MULTILINE)
        assert [name for cell in cells for name in re.findall(r"`(\w+)`", cell)] == list(fields)
    counts = np.column_stack([2 * labels[:60], 2 - labels[:60]])
    votes = document(bf.bayes_error_from_votes(counts, X=np.arange(60.0)[:, None]))["votes"]
    made["votes"] = votes | votes["to_halve"] | votes["columns"]
    costly = document(bf.bayes_error(*_two_classes(), cost={(0, 1): 2}))["decision"]
    made["decision"] = costly | costly["constant"]
    made["leakage"] |= made["leakage"]["additive"]
    for name in ("curve", "learning_curve", "votes", "decision", "leakage"):
        row = parts[0].split(f"| `{name}` |")[1].split("\n")[0]
        assert set(re.findall(r"`(\w+)`", row)) == set(made[name])
    assert f"version of this document, {SCHEMA} |" in page
    assert "schema 2" in changes
    for name in ("lower_rests_on", "henze_penrose", "learning_curve"):
        assert f"`{name}`" in changes


@pytest.mark.parametrize("ground", GROUNDS)
def test_the_page_on_bounds_says_what_a_lower_end_can_rest_on(ground: str) -> None:
    row = next(line for line in doc("bounds.md").splitlines() if line.startswith(f"| `{ground}`"))
    assert GROUNDS[ground].condition in row


@pytest.mark.parametrize("verdict", [TRIVIAL, ALREADY_MET, REACHABLE, OUT_OF_REACH, UNDECIDED])
def test_the_pages_know_every_verdict_on_a_target(verdict: str) -> None:
    assert f"| {verdict}" in doc("report.md")
    assert f"`{verdict}`" in doc("json.md")


@pytest.mark.parametrize("name", MAPS)
def test_the_page_on_many_columns_names_every_map(name: str) -> None:
    rows = re.findall(r"^ *\| ([a-z, ]+) \|", doc("high-dimension.md"), re.MULTILINE)
    assert name in ", ".join(rows).split(", ")


def test_the_report_page_names_every_chart() -> None:
    for name, chart in CHARTS.items():
        assert f"`{name}`" in doc("report.md")
        assert chart.heading in " ".join(doc("report.md").split())


def test_the_page_on_bounds_names_every_method() -> None:
    assert all(f"| `{method}` |" in doc("bounds.md") for method in METHODS)


@pytest.mark.parametrize("name", PICTURES)
def test_pictures_are_small_shown_and_made_by_the_script(name: str) -> None:
    assert (ROOT / "docs" / "images" / name).stat().st_size < MOST_BYTES.get(name, 120_000)
    assert f"/{name})" in README + doc("gallery.md")
    assert f'"{name}": ("' in (ROOT / "docs" / "scripts" / "picture.py").read_text(encoding="utf-8")


def test_the_demo_and_the_tutorial_say_the_same_of_the_same_table() -> None:
    """Both run on all thirty columns of the tumours, one from arrays and one from a file."""
    demo = doc("gallery.md").split("$ bayesfloor demo breast-cancer")[1].split("```")[0]
    run = doc("tutorial.md").split("--report page.html\n")[1].split("```")[0]
    for fact in ("Lowest possible error", "upper end", "lower end"):
        shown = [re.search(rf"^{fact}.*$", text, re.MULTILINE) for text in (demo, run)]
        assert shown[0] is not None
        assert shown[1] is not None
        assert shown[0][0] == shown[1][0]


@pytest.mark.parametrize("code", range(6))
def test_the_reference_lists_every_exit_code(code: int) -> None:
    assert re.search(rf"^\| {code} \| ", doc("cli.md"), re.MULTILINE)


@pytest.mark.parametrize("demo", DEMOS)
def test_the_gallery_shows_every_demo(demo: str) -> None:
    assert f"$ bayesfloor demo {demo}\n" in doc("gallery.md")
    assert f"(images/{demo}.png)" in doc("gallery.md")


def test_the_contents_list_every_page_once_and_the_readme_all_of_them() -> None:
    pages = {path.name for path in (ROOT / "docs").glob("*.md")} - {"README.md"}
    listed = re.findall(r"^\d+\. \[.*?\]\((.*?)\)", doc("README.md"), re.MULTILINE)
    assert sorted(listed) == sorted(pages)
    assert all(f"(docs/{page})" in README for page in [*pages, "README.md"])
    assert all("(README.md)" in doc(page) for page in pages)


def test_the_pages_explain_every_number_of_a_floor_that_a_reader_may_take_for_another() -> None:
    for field in ("estimate", "estimate_interval", "mismatch_interval", "henze_penrose", "maps"):
        assert f"`floor.{field}`" in doc("method.md"), field
    for field in ("estimate", "representation", "maps", "mismatch_interval", "lower_rests_on"):
        assert f"`floor.{field}`" in doc("report.md"), field


def test_the_site_has_every_page_and_every_public_name() -> None:
    site = runpy.run_path(str(ROOT / "docs" / "scripts" / "site.py"))
    listed = str(site["navigation"](doc("README.md")))
    for page in (ROOT / "docs").glob("*.md"):
        assert f"'{page.name}'" in listed, page.name
    shown = site["reference"]()
    for name in bf.__all__:
        assert name.startswith("__") or re.search(rf"[.`]{name}`?$", shown, re.MULTILINE), name


def test_pages_link_to_nothing_outside_that_the_site_lacks() -> None:
    moved = runpy.run_path(str(ROOT / "docs" / "scripts" / "site.py"))["OUTSIDE"]
    for page in (ROOT / "docs").glob("*.md"):
        outside = re.findall(r"\]\((\.\./[^)#]+)", page.read_text(encoding="utf-8"))
        assert set(outside) <= set(moved), page.name
