"""Run the notebooks of docs/examples, and write each as a page with what its cells show.

An error in a cell is an error, and so is a notebook that takes too long. The notebooks themselves
are kept without outputs.

    python docs/scripts/notebooks.py FOLDER
"""

from __future__ import annotations

import sys
import time
from pathlib import Path
from typing import Any

import nbformat
from nbclient import NotebookClient
from traitlets.config import Config

from live_charts import live_chart

NOTEBOOKS = Path(__file__).parents[1] / "examples"
MOST_SECONDS = 60
"""Time that a notebook may take: four times what it takes on two idle cores, at most."""


def main(folder: Path) -> None:
    """Write the pages of all notebooks."""
    folder.mkdir(parents=True, exist_ok=True)
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        start = time.perf_counter()
        page = page_of(path.stem, executed(path))
        seconds = time.perf_counter() - start
        sys.stdout.write(f"{path.name:20} {seconds:5.1f} s\n")
        if seconds > MOST_SECONDS:
            sys.exit(f"{path.name} took more than {MOST_SECONDS} s")
        (folder / f"{path.stem}.md").write_text(page, encoding="utf-8")


def executed(path: Path) -> Any:
    """Run a notebook from its top, and return it with its outputs."""
    notebook = nbformat.read(path, as_version=4)
    local = Config({"KernelManager": {"transport": "ipc"}})  # nothing on the network
    return NotebookClient(notebook, config=local, timeout=MOST_SECONDS).execute()


def page_of(name: str, notebook: Any) -> str:
    """Return a notebook as a page of Markdown."""
    parts = [part for cell in notebook.cells for part in _cell(cell)]
    source = f"This page is a notebook: `docs/examples/{name}.ipynb`."
    return "\n\n".join([*parts, f"{source} [All examples](../examples.md)", ""])


def _cell(cell: Any) -> list[str]:
    """Return the parts of a page that a cell makes."""
    if cell.cell_type == "markdown":
        return [cell.source]
    shown = [_output(output) for output in cell.outputs]
    return [f"```python\n{cell.source}\n```", *shown]


def _output(output: Any) -> str:
    """Return what a cell shows, in the best way the page knows."""
    if output.output_type == "stream":
        return _plain(output.text)
    data = output.data
    if any("vegalite" in kind for kind in data):
        return live_chart(data, top="../")
    if "text/html" in data:
        return " ".join(data["text/html"].split("\n"))
    return _plain(data["text/plain"])


def _plain(text: str) -> str:
    return f"```text\n{text.rstrip()}\n```"


if __name__ == "__main__":
    main(Path(sys.argv[1]))
