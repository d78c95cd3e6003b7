"""bayesfloor estimate: bound the Bayes error of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console

from bayesfloor.base.decision_options import check_decision
from bayesfloor.base.errors import DataError
from bayesfloor.base.files import check_page
from bayesfloor.base.measures import DEFAULT_MEASURE, find_measure
from bayesfloor.base.memory import check_memory
from bayesfloor.base.options import check_confidence, check_count, check_positive
from bayesfloor.estimators.methods import METHODS
from bayesfloor.floor import Floor, bayes_error
from bayesfloor.report.answer import check_questions
from bayesfloor.report.ceiling_facts import ceiling_facts
from bayesfloor.report.document import document
from bayesfloor.report.hard_rows_file import check_hard_rows, write_hard_rows
from bayesfloor.shells.cli.answer_output import print_answer, print_leakage
from bayesfloor.shells.cli.app import one_line_errors
from bayesfloor.shells.cli.exit_codes import exit_code
from bayesfloor.shells.cli.options import (
    OUTPUT,
    Ascii,
    Confidence,
    Costs,
    Drop,
    Encoding,
    Engine,
    Features,
    Group,
    Keep,
    Label,
    MaxMemory,
    MaxSeconds,
    Method,
    Metric,
    MinClassRows,
    Missing,
    Neighbour,
    NoHeader,
    Priors,
    Query,
    Reject,
    Report,
    Representation,
    Scale,
    Seed,
    Separator,
    ShownAs,
    Table,
    Tables,
    Time,
    Tolerance,
    TopK,
    Workers,
    option_name,
)
from bayesfloor.shells.cli.output import print_document, print_facts
from bayesfloor.shells.cli.values import class_share, pair_cost, share
from bayesfloor.shells.page_titles import page_title
from bayesfloor.tables import (
    MIN_CLASS_ROWS,
    LabelledTable,
    check_encoding,
    check_separator,
    read_table,
)


def estimate(
    tables: Tables,
    label: Label,
    report: Report = None,
    group: Group = None,
    time: Time = None,
    shown_as: ShownAs = DEFAULT_MEASURE,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="Exit by the worst verdict: 0 good, 3 undecided, 4 out of reach, 5 below the"
            " floor.",
        ),
    ] = False,
    priors: Priors = None,
    cost: Costs = None,
    metric: Metric = None,
    reject: Reject = None,
    top_k: TopK = None,
    leakage: Annotated[
        bool,
        typer.Option("--leakage", help="Tell how much of the label the columns give away."),
    ] = False,
    features: Features = None,
    drop: Drop = None,
    keep: Keep = None,
    no_header: NoHeader = False,
    scale: Scale = "standard",
    missing: Missing = "impute",
    min_class_rows: MinClassRows = MIN_CLASS_ROWS,
    separator: Separator = None,
    encoding: Encoding = None,
    table: Table = None,
    query: Query = None,
    max_memory: MaxMemory = None,
    method: Method = "wnn",
    representation: Representation = "auto",
    k: Neighbour = 5,
    confidence: Confidence = "0.95",
    seed: Seed = 0,
    tolerance: Tolerance = None,
    max_seconds: MaxSeconds = None,
    engine: Engine = "auto",
    workers: Workers = None,
    ceilings: Annotated[
        bool,
        typer.Option(
            "--ceilings",
            help="Tell the best possible AUC, and recall and precision of each class.",
            rich_help_panel=OUTPUT,
        ),
    ] = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print one JSON document.", rich_help_panel=OUTPUT)
    ] = False,
    ascii_only: Ascii = False,
    quiet: Annotated[
        bool, typer.Option("--quiet", help="Show no progress bar.", rich_help_panel=OUTPUT)
    ] = False,
    hard_rows: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.csv",
            help="Write the rows with a likelier label than their own.",
            rich_help_panel=OUTPUT,
        ),
    ] = None,
    **asked: Any,
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
    """
    sure = share(confidence)
    with one_line_errors(code=2):
        check_count("-k", k)
        check_confidence("--confidence", sure)
        check_count("--seed", seed, low=0)
        check_count("--workers", 1 if workers is None else workers)
        check_positive("--tolerance", 1 if tolerance is None else tolerance)
        check_positive("--max-seconds", 1 if max_seconds is None else max_seconds)
        _check_all_rows(method, {"--tolerance": tolerance, "--max-seconds": max_seconds})
        decision = {
            "priors": dict(map(class_share, priors)) if priors else None,
            "cost": dict(map(pair_cost, cost)) if cost else None,
            "metric": metric,
            "reject": None if reject is None else share(reject),
            "top_k": top_k,
        }
        has_costs = bool({"cost", "reject"} & set(check_decision(decision).given))
        if has_costs and find_measure(shown_as).rises:
            raise DataError("costs have no accuracy; leave out --as accuracy")
        check_asked(asked, check=check, costs=has_costs)
        if leakage and check_decision(decision).given:
            raise DataError("--leakage is about plain errors; leave out costs, priors and metrics")
        check_count("--min-class-rows", min_class_rows, low=0)
        check_separator("--separator", separator)
        check_encoding("--encoding", encoding)
        check_memory("--max-memory", 1 if max_memory is None else max_memory)
    with one_line_errors():
        if report is not None:
            check_page(report)
        if hard_rows is not None:
            check_hard_rows(hard_rows)
        read = read_table(
            tables,
            label=label,
            groups=group,
            time=time,
            features=features or None,
            drop=drop or None,
            keep=keep or None,
            header=not no_header,
            scale=scale,
            missing=missing,
            min_class_rows=min_class_rows,
            separator=separator,
            encoding=encoding,
            table=table,
            query=query,
            max_memory=max_memory,
        )
        options = {
            "method": method,
            "k": k,
            "representation": representation,
            "confidence": sure,
            "random_state": seed,
            "tolerance": tolerance,
            "max_seconds": max_seconds,
            "engine": engine,
            "workers": workers,
            "max_memory": max_memory,
            **decision,
        }
        talk = not (quiet or as_json)
        floor = _floor(read, progress=talk, **options)
        asked["shown_as"] = shown_as
        found = floor.answer(**asked)
        if as_json:
            print_document(document(floor, ceilings=ceilings, **asked))
        else:
            print_answer(floor, found, Console(highlight=False), ascii_only=ascii_only)
            if leakage and floor.leakage is not None:
                print_leakage(floor.leakage, Console(highlight=False))
            if ceilings:
                print_facts(ceiling_facts(floor), Console(highlight=False))
        if report is not None:
            title = page_title(read, found.measure, header=not no_header)
            floor.report(report, title=title, progress=talk, leakage=leakage, **asked)
            if not as_json:
                print_facts([("report", str(report))], Console(highlight=False))
        if hard_rows is not None:
            write_hard_rows(floor, hard_rows)
    if check:
        raise typer.Exit(exit_code(found))


def check_asked(asked: dict[str, Any], *, check: bool, costs: bool = False) -> None:
    """Refuse values that no question takes, and a check of nothing."""
    listed = {name: _listed(value) for name, value in asked.items()}
    check_questions(listed, option_name, costs=costs)
    if check and not any(listed.values()):
        raise DataError("--check has nothing to check; pass --target or --model-error too")


def _listed(value: Any) -> tuple[Any, ...]:
    return () if value is None else value if isinstance(value, tuple) else (value,)


def _check_all_rows(method: str, limits: dict[str, float | None]) -> None:
    """Refuse limits on the rows that are searched where the method needs them all."""
    given = [option for option, value in limits.items() if value is not None]
    if METHODS[method].needs_all_rows and given:
        raise DataError(
            f"{given[0]} does not go with --method {method}, which needs all rows;"
            f" leave out {' and '.join(given)}"
        )


def _floor(table: LabelledTable, **options: Any) -> Floor:
    """Bound the Bayes error, naming the table when it cannot be used."""
    try:
        return bayes_error(table, **options)
    except DataError as problem:
        raise DataError(f"{table.name}: {problem}") from problem
