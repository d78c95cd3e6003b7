"""Notes that can make an answer wrong: they stand first wherever an answer is shown."""

from __future__ import annotations


class Caution(str):
    """A note on something suspicious in a table, with a headline that fits on one short line.

    It is the text of the note, so that whoever knows nothing of headlines shows it like any other.

    Examples
    --------
    >>> note = Caution("Possible leak: 'price'", "The column 'price' determines the label.")
    >>> note, note.headline
    ("The column 'price' determines the label.", "Possible leak: 'price'")
    """

    __slots__ = ("headline",)

    headline: str

    def __new__(cls, headline: str, text: str) -> Caution:
        """Make a note of a text, with its headline."""
        note = super().__new__(cls, text)
        note.headline = headline
        return note

    def __getnewargs__(self) -> tuple[str, str]:  # type: ignore[override]
        return self.headline, str(self)
