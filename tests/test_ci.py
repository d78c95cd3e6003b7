from __future__ import annotations

import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def steps() -> dict[str, int]:
    text = (ROOT / ".ci" / "run").read_text(encoding="utf-8")
    return {target: int(most) for most, target in re.findall(r"^step (\d+) (\w+)", text, re.M)}


def test_every_step_is_a_target_that_help_lists() -> None:
    makefile = (ROOT / "Makefile").read_text(encoding="utf-8")
    for target in steps():
        assert re.search(rf"^{target}:.* ## [A-Z]", makefile, re.M), target


def test_the_workflow_makes_what_ci_makes() -> None:
    text = (ROOT / ".github" / "workflows" / "ci.yml").read_text(encoding="utf-8")
    listed = re.findall(r"^ {10}- (\w+)$", text, re.M)
    minutes = re.findall(r"timeout-minutes: (\d+)", text)
    assert listed == list(steps())
    assert 60 * int(minutes[0]) >= max(steps().values())


def test_workflows_may_only_read_the_repository() -> None:
    for path in (ROOT / ".github" / "workflows").glob("*.yml"):
        text = path.read_text(encoding="utf-8")
        assert "permissions:\n  contents: read\n" in text, path.name
        assert text.count("persist-credentials: false") == text.count("actions/checkout"), path.name
