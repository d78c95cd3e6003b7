"""What the page calls the classes of a floor, and what its rows were compared by."""

from __future__ import annotations

from bayesfloor.base.choices import LEARNED
from bayesfloor.base.formatting import MAX_SHOWN_LETTERS, cut, shorten
from bayesfloor.floor import Floor


def class_names(floor: Floor, *, letters: int = MAX_SHOWN_LETTERS) -> list[str]:
    """Return the classes as short texts, all different."""
    names: list[str] = []
    for label in floor.classes.tolist():
        name = cut(shorten(label), letters)
        names.append(f"{name} ({len(names)})" if name in names else name)
    return names


def representation_name(floor: Floor) -> str:
    """Say what stands for the columns of a floor with maps."""
    if floor.representation == LEARNED:
        return "class probabilities"
    return f"what {floor.representation} makes of a row"
