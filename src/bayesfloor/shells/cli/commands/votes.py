"""bayesfloor votes: bound the Bayes error of items that several people labelled."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Annotated, Any

from bayesfloor.base.errors import DataError
from bayesfloor.shells.cli.command_errors import usage_errors
from bayesfloor.shells.cli.options.declaration import column_option, option, option_name
from bayesfloor.shells.cli.options.measuring import Confidence, Seed
from bayesfloor.shells.cli.options.output import Ascii, OutputOptions
from bayesfloor.shells.cli.options.questions import QuestionOptions
from bayesfloor.shells.cli.options.reading import FileOptions, Tables
from bayesfloor.shells.cli.options.records import OptionRecord


@dataclass(frozen=True, slots=True)
class VoteColumnOptions(OptionRecord):
    """The columns of a table with a row a vote."""

    item: Annotated[
        str | None,
        column_option(
            "The column that names the items, by default 'item' where there is a row a vote."
        ),
    ] = None
    vote: Annotated[
        str | None,
        column_option(
            "The column of votes, by default 'vote'; without it, every column is a class, and"
            " holds how many votes it got."
        ),
    ] = None
    annotator: Annotated[
        str | None,
        column_option(
            "The column of those who voted, by default 'annotator': nobody may vote twice on"
            " an item."
        ),
    ] = None
    features: Annotated[
        list[str] | None,
        column_option(
            "Columns that say what else is known of each item: a,b,c, or the option again. Maps"
            " learned from them work together with the votes.",
            value="COLUMNS",
        ),
    ] = None

    def keywords(self) -> dict[str, Any]:
        """Return options of the call: an option that is not used is no list of columns."""
        return {
            "item": self.item,
            "vote": self.vote,
            "annotator": self.annotator,
            "features": self.features or None,
        }


def votes(
    tables: Tables,
    columns: VoteColumnOptions,
    *,
    probabilities: Annotated[
        bool, option("Every column is a class, and holds its probability.", "--probabilities")
    ] = False,
    asked: QuestionOptions,
    output: OutputOptions,
    files: FileOptions,
    confidence: Confidence = 0.95,
    seed: Seed = 0,
    ascii_only: Ascii = False,
) -> None:
    """Bound the Bayes error of items that several people labelled, from their votes.

    TABLE is a matrix of counts, with a row an item and a column a class, or has a row a vote, with
    columns for the item, the vote and perhaps the annotator. The numbers of votes may differ.
    Nothing is assumed about how votes are spread over classes and items.
    """
    from bayesfloor.floor import bayes_error_from_probabilities, bayes_error_from_votes
    from bayesfloor.report.document import document
    from bayesfloor.shells.cli.answer_output import print_answer

    with usage_errors():
        asked = asked.checked()
        given = [option_name(name) for name, one in columns.keywords().items() if one is not None]
        if probabilities and given:
            raise DataError(f"{given[0]} is for votes; leave it out with --probabilities")
    options = {"confidence": confidence, **files.keywords()}
    floor = (
        bayes_error_from_probabilities(tables, **options)
        if probabilities
        else bayes_error_from_votes(tables, seed=seed, **columns.keywords(), **options)
    )
    found = floor.answer(**asked.keywords())
    title = f"{found.measure.question()} {os.path.basename(tables[0])}"
    output.show(
        document=lambda: document(floor, **asked.keywords()),
        text=lambda console: print_answer(floor, found, console, ascii_only=ascii_only),
        page=lambda path: floor.report(path, title=title, progress=False, **asked.keywords()),
    )
