"""Build the site of the documentation in a folder; warnings, such as broken links, are errors.

The pages are those of docs/, in the order of its contents, with the front page, the changelog and
the promises on security beside them, and a reference of every public name from its docstring.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

import bayesfloor as bf

ROOT = Path(__file__).parents[2]
OUTSIDE = {
    "../README.md": "front.md",
    "../SECURITY.md": "security.md",
    "../CHANGELOG.md": "changelog.md",
}
"""Pages outside of docs/ that pages inside link to, and what they are called on the site."""
BESIDE = {"README.md": "front.md", "SECURITY.md": "security.md", "CHANGELOG.md": "changelog.md"}
"""Pages of the repository that the site has too."""


def build(site: Path, examples: Path) -> None:
    """Write the site, with the pages that notebooks have made."""
    from live_charts import with_live_charts, write_bundle

    with tempfile.TemporaryDirectory() as scratch:
        pages = Path(scratch) / "pages"
        stage(pages)
        shutil.copytree(examples, pages / "examples")
        gallery = pages / "gallery.md"
        gallery.write_text(with_live_charts(gallery.read_text("utf-8")), encoding="utf-8")
        write_bundle(pages)
        config = {
            "INHERIT": str(ROOT / "mkdocs.yml"),
            "docs_dir": str(pages),
            "site_dir": str(site.resolve()),
            "nav": navigation((ROOT / "docs" / "README.md").read_text(encoding="utf-8")),
        }
        path = Path(scratch) / "mkdocs.yml"
        path.write_text(json.dumps(config), encoding="utf-8")  # JSON is YAML
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "-f", str(path)]
        quiet = {**os.environ, "NO_MKDOCS_2_WARNING": "1"}  # advertises another tool
        subprocess.run(command, check=True, cwd=ROOT, env=quiet)


def stage(pages: Path) -> None:
    """Copy all pages to where they are built from, with links as the site has them."""
    shutil.copytree(ROOT / "docs" / "images", pages / "images")
    for path in (ROOT / "docs").glob("*.md"):
        text = path.read_text(encoding="utf-8")
        for outside, inside in OUTSIDE.items():
            text = text.replace(f"]({outside}", f"]({inside}")
        text = re.sub(r"\]\((examples/\w+)\.ipynb\)", r"](\1.md)", text)
        (pages / path.name).write_text(text, encoding="utf-8")
    for name, inside in BESIDE.items():
        text = (ROOT / name).read_text(encoding="utf-8")
        (pages / inside).write_text(text.replace("](docs/", "]("), encoding="utf-8")
    (pages / "reference.md").write_text(reference(), encoding="utf-8")


def navigation(contents: str) -> list[dict[str, Any]]:
    """Return the pages in the order of the contents, under the headings there."""
    parts = re.split(r"^\*\*(.+)\*\*$", contents, flags=re.MULTILINE)
    sections: list[dict[str, Any]] = [{"Contents": "README.md"}, {"Front page": "front.md"}]
    for heading, listed in zip(parts[1::2], parts[2::2], strict=True):
        found = re.findall(r"^\d+\. \[(.+?)\]\((.+?)\)", listed, flags=re.MULTILINE)
        sections.append({heading: [{title: page} for title, page in found]})
    beside: list[dict[str, str]] = [
        {"Public names": "reference.md"},
        {"Security": "security.md"},
        {"Changelog": "changelog.md"},
    ]
    for section in sections:
        section.get("To look up", []).extend(beside)
    sections.insert(3, {"Examples": _notebooks()})
    return sections


def _notebooks() -> list[dict[str, str]]:
    """Return the pages of the notebooks, in the order of their list."""
    listed = (ROOT / "docs" / "examples.md").read_text(encoding="utf-8")
    found = re.findall(r"\[(.+?)\]\((examples/\w+)\.ipynb\)", listed)
    return [{title: f"{page}.md"} for title, page in found]


def reference() -> str:
    """Return the page of all public names; each takes its text from its docstring."""
    names = [name for name in bf.__all__ if not name.startswith("__")]
    head = (
        "# Public names\n\nWhat `import bayesfloor as bf` gives, and what may be relied on: modules"
        " and names that are not here may change at any time. Back to the"
        " [contents](README.md).\n"
    )
    return "\n".join([head, *(_entry(name) for name in names)])


def _entry(name: str) -> str:
    """Return the instruction that shows a public name where it is defined."""
    value = getattr(bf, name)
    if isinstance(value, ModuleType):
        return f"::: {value.__name__}\n    options:\n      heading_level: 2\n"
    home = getattr(value, "__module__", None)
    if home is None or not home.startswith("bayesfloor"):
        return f"## `{name}`\n\n{_constant(value)}\n"
    options = "    options:\n      inherited_members: true\n" if value is bf.Floor else ""
    return f"::: {home}.{value.__qualname__}\n{options}"


def _constant(value: Any) -> str:
    """Describe a registry: its names, and what each is."""
    return "\n".join(f"- `{key}`: {one.summary}" for key, one in value.items())


if __name__ == "__main__":
    build(Path(sys.argv[1]), Path(sys.argv[2]))
