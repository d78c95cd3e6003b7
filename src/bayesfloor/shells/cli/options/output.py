"""Options that say what is printed and written, and the one way in which commands do so."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from bayesfloor.base.files import check_page
from bayesfloor.shells.cli.help import OUTPUT
from bayesfloor.shells.cli.options.declaration import option
from bayesfloor.shells.cli.options.records import OptionRecord
from bayesfloor.shells.cli.output import print_document, print_facts

if TYPE_CHECKING:
    from rich.console import Console

Report = Annotated[
    Path | None,
    option("Write a page with charts: one file, no network.", value="FILE.html"),
]
Ascii = Annotated[bool, option("Draw the scale in ASCII, as into a pipe.", "--ascii", group=OUTPUT)]


@dataclass(frozen=True, slots=True)
class OutputOptions(OptionRecord):
    """Where the answer goes."""

    report: Report = None
    as_json: Annotated[bool, option("Print one JSON document.", "--json", group=OUTPUT)] = False

    def check(self) -> None:
        """Refuse a page that cannot be written."""
        if self.report is not None:
            check_page(self.report)

    def show(
        self,
        *,
        document: Callable[[], dict[str, Any]],
        text: Callable[[Console], object],
        page: Callable[[Path], object],
    ) -> None:
        """Print the answer, as JSON or for a person, then write the page.

        Parameters
        ----------
        document, text, page : functions
            Make the JSON document, print the text, write the page; called if they are wanted.
        """
        from rich.console import Console

        console = Console(highlight=False)
        if self.as_json:
            print_document(document())
        else:
            text(console)
        if self.report is not None:
            page(self.report)
            if not self.as_json:
                print_facts([("report", str(self.report))], console)


@dataclass(frozen=True, slots=True)
class RunOutputOptions(OutputOptions):
    """Where the answer goes, and whether progress is shown while it is found."""

    quiet: Annotated[bool, option("Show no progress bar.", "--quiet", group=OUTPUT)] = False

    @property
    def talks(self) -> bool:
        """Whether progress is shown."""
        return not (self.quiet or self.as_json)
