"""bayesfloor estimate: bound the Bayes error of a table."""

from __future__ import annotations

from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Annotated

import typer

from bayesfloor.base.decision_options import check_decision
from bayesfloor.base.errors import DataError, error_prefix
from bayesfloor.base.measures import find_measure
from bayesfloor.shells.cli.command_errors import usage_errors
from bayesfloor.shells.cli.help import OUTPUT
from bayesfloor.shells.cli.options.deciding import DecidingOptions
from bayesfloor.shells.cli.options.declaration import column_option, option
from bayesfloor.shells.cli.options.measuring import RunOptions, SearchOptions, seconds_left
from bayesfloor.shells.cli.options.output import Ascii, RunOutputOptions
from bayesfloor.shells.cli.options.questions import QuestionOptions
from bayesfloor.shells.cli.options.reading import (
    ColumnOptions,
    FileOptions,
    Label,
    LabelledOptions,
    Tables,
)
from bayesfloor.shells.cli.output import as_flags, print_facts

if TYPE_CHECKING:
    from rich.console import Console


def estimate(
    tables: Tables,
    label: Label,
    *,
    asked: QuestionOptions,
    output: RunOutputOptions,
    group: Annotated[
        str | None,
        column_option(
            "What each row belongs to, such as a person: the floor is that of new groups."
        ),
    ] = None,
    time: Annotated[
        str | None, column_option("When each row was: blocks of time act as groups.")
    ] = None,
    sample_weight: Annotated[
        str | None,
        column_option("Weight of each row, the same for all rows of a class."),
    ] = None,
    predictions: Annotated[
        Path | None,
        option(
            "What your model says of rows that it was not learned from: classes, or a column of"
            " probabilities for each class.",
            value="FILE",
        ),
    ] = None,
    key: Annotated[
        str | None,
        column_option("Column of both files that tells which row a prediction belongs to."),
    ] = None,
    check: Annotated[
        bool,
        option(
            "Exit by the worst verdict: 0 good, 3 undecided, 4 out of reach, 5 below the floor.",
            "--check",
        ),
    ] = False,
    leakage: Annotated[
        bool, option("Tell how much of the label the columns give away.", "--leakage")
    ] = False,
    deciding: DecidingOptions,
    used: ColumnOptions,
    values: LabelledOptions,
    files: FileOptions,
    search: SearchOptions,
    run: RunOptions,
    ceilings: Annotated[
        bool,
        option(
            "Tell the best possible AUC, and recall and precision of each class.",
            "--ceilings",
            group=OUTPUT,
        ),
    ] = False,
    ascii_only: Ascii = False,
    hard_rows: Annotated[
        Path | None,
        option(
            "Write the rows with a likelier label than their own.", value="FILE.csv", group=OUTPUT
        ),
    ] = None,
) -> None:
    """Tell how low the error of any classifier can go on TABLE.

    Columns hold numbers, true and false, dates or text. Distances between rows are Euclidean:
    a standard deviation of a number weighs as much as another text. Missing values are imputed.
    Columns that identify rows or never change, free text and rare classes are left out, and
    named. Messages count rows from 0.

    Examples
    --------
    bayesfloor estimate table.csv --label outcome
    bayesfloor estimate table.csv --label outcome --target 95% --report page.html
    bayesfloor estimate table.csv --label outcome --target 0.95 --model-error 12%
    bayesfloor estimate table.csv --label outcome --prior yes=2% --cost yes:no=10
    bayesfloor estimate table.csv --label outcome --predictions model.csv --key id
    """
    begun = monotonic()
    from bayesfloor.floor import bayes_error
    from bayesfloor.report.ceiling_facts import ceiling_facts
    from bayesfloor.report.document import document
    from bayesfloor.report.hard_rows_file import check_hard_rows, write_hard_rows
    from bayesfloor.report.rendering import write_report
    from bayesfloor.shells.cli.answer_output import print_answer, print_leakage
    from bayesfloor.shells.cli.exit_codes import exit_code
    from bayesfloor.shells.page_titles import page_title
    from bayesfloor.tables import read_table

    with usage_errors():
        _check_all_rows(search)
        asked = _checked_questions(deciding, asked, leakage=leakage)
        _check_predictions(predictions, key, asked)
        if ceilings and not (group is None and time is None):
            raise DataError(
                "--ceilings need independent rows, and --group or --time says that they are not;"
                " leave out one of them"
            )
        if check and predictions is None:
            asked.check_asked()
    if hard_rows is not None:
        check_hard_rows(hard_rows)
    table = read_table(
        tables,
        label=label,
        groups=group,
        time=time,
        sample_weight=sample_weight,
        key=key,
        **used.keywords(),
        **values.keywords(),
        **files.keywords(),
    )
    with error_prefix(table.name):
        floor = bayes_error(
            table,
            predictions=predictions,
            max_memory=files.max_memory,
            progress=output.talks,
            **{**search.keywords(), "max_seconds": seconds_left(search.max_seconds, begun)},
            **run.keywords(),
            **deciding.keywords(),
        )
    questions = asked.keywords()
    found = floor.answer(**questions)
    title = page_title(table, found.measure, header=not files.no_header)

    def print_all(console: Console) -> None:
        print_answer(floor, found, console, ascii_only=ascii_only)
        if leakage and floor.leakage is not None:
            print_leakage(floor.leakage, console)
        if ceilings:
            console.print()
            print_facts(ceiling_facts(floor), console)

    output.show(
        document=lambda: document(floor, ceilings=ceilings, **questions),
        text=print_all,
        page=lambda path: write_report(
            *(floor, path),
            rows=floor.display,
            title=title,
            progress=output.talks,
            leakage=leakage,
            wording=as_flags,
            **questions,
        ),
    )
    if hard_rows is not None:
        write_hard_rows(floor, hard_rows)
    if check:
        raise typer.Exit(exit_code(found))


def _checked_questions(
    deciding: DecidingOptions, asked: QuestionOptions, *, leakage: bool
) -> QuestionOptions:
    """Return what is asked; refuse options about a decision that do not go together."""
    given = check_decision(deciding.keywords()).given
    has_costs = bool({"cost", "reject"} & set(given))
    if has_costs and find_measure(asked.shown_as).rises:
        raise DataError("costs have no accuracy; leave out --as accuracy")
    if leakage and given:
        raise DataError("--leakage is about plain errors; leave out costs, priors and metrics")
    return asked.checked(costs=has_costs)


def _check_predictions(predictions: Path | None, key: str | None, asked: QuestionOptions) -> None:
    """Refuse a key without predictions, and an error of the model beside them."""
    if predictions is None and key is not None:
        raise DataError("--key joins predictions to rows; pass --predictions too or leave it out")
    if predictions is not None and asked.values.get("model_error") is not None:
        raise DataError("--predictions tell the error of your model; leave out --model-error")


def _check_all_rows(search: SearchOptions) -> None:
    """Refuse limits on the rows that are searched where the method needs them all."""
    from bayesfloor.estimators.methods import METHODS

    limits = {"--tolerance": search.tolerance, "--max-seconds": search.max_seconds}
    given = [name for name, value in limits.items() if value is not None]
    if METHODS[search.method].needs_all_rows and given:
        raise DataError(
            f"{given[0]} does not go with --method {search.method}, which needs all rows;"
            f" leave out {' and '.join(given)}"
        )
