"""What a floor can be asked for: thin calls of the later layer that draws, answers and words it."""

from __future__ import annotations

from collections.abc import Iterable
from os import PathLike
from pathlib import Path
from typing import Any

from bayesfloor.base.measures import DEFAULT_MEASURE


class Conveniences:
    """Methods of a floor that call the report, which is imported then."""

    display: Any  # the rows as a reader should see them

    @property
    def _floor(self) -> Any:
        """The floor itself, whose type this layer's report knows."""
        return self

    def chart(
        self,
        name: str,
        *,
        model_error: float | None = None,
        target: float | Iterable[float] | None = None,
        **asked: Any,
    ) -> Any:
        """Draw one chart of the report, as an Altair object.

        Parameters
        ----------
        name : {"interval", "model", "model-calibration", "confusion", "roc", "local", \
        "learning", "growth", "calibration", "columns", "curve"}
            Which one; "growth" runs again on parts of the rows, "columns" learns one map anew.
        model_error, target : float, optional
            Error of a model and wanted accuracy, marked in the interval chart.
        """
        from bayesfloor.report.rendering import draw_chart

        return draw_chart(self._floor, name, model_error=model_error, target=target, **asked)

    def plot(
        self,
        *,
        model_error: float | None = None,
        target: float | Iterable[float] | None = None,
        **asked: Any,
    ) -> Any:
        """Draw the charts that need no further search as one Altair chart."""
        from bayesfloor.report.rendering import draw_overview

        return draw_overview(self._floor, model_error=model_error, target=target, **asked)

    def report(
        self,
        path: str | PathLike[str],
        *,
        rows: Any = None,
        model_error: float | None = None,
        target: float | Iterable[float] | None = None,
        title: str | None = None,
        shown_as: str = DEFAULT_MEASURE,
        progress: bool = False,
        leakage: bool = False,
        **asked: Any,
    ) -> Path:
        """Write a page that explains the answer: one HTML file that needs no network.

        Parameters
        ----------
        path : str or path
            The file; it is written aside and then renamed.
        rows : data frame or array of n rows, optional
            What to show of the hardest rows; by default the points as they were given.
        model_error, target : float, optional
            Error of a model and wanted accuracy, to be compared with the floor.
        title : str, optional
            Heading of the page.
        shown_as : {"error", "accuracy"}
            What the sentences and numbers of the page are.
        progress : bool
            Show a progress bar on a terminal.
        leakage : bool
            Tell how much of the label the columns give away.
        **asked : float, optional
            Other questions, by the names in `bayesfloor.report.answer.QUESTIONS`.

        Returns
        -------
        Path
            The file.
        """
        from bayesfloor.report.rendering import write_report

        return write_report(
            self._floor,
            path,
            rows=self.display if rows is None else rows,
            model_error=model_error,
            target=target,
            title=title,
            shown_as=shown_as,
            progress=progress,
            leakage=leakage,
            **asked,
        )

    def answer(
        self,
        *,
        target: float | Iterable[float] | None = None,
        model_error: float | None = None,
        test_rows: float | None = None,
        shown_as: str = DEFAULT_MEASURE,
        **asked: float | None,
    ) -> Any:
        """Tell whether a target is in reach, and whether a model is done.

        Parameters
        ----------
        target : float or several, optional
            Accuracy that is wanted, above 0 and up to 1; several make a table.
        model_error, test_rows : float, int, optional
            Error of a model on new rows, and the rows that it was measured on.
        shown_as : {"error", "accuracy"}
            What the sentences speak of.

        Returns
        -------
        Answer
            As `bayesfloor.answer`.
        """
        from bayesfloor.report.answer import answer

        return answer(
            self._floor,
            target=target,
            model_error=model_error,
            test_rows=test_rows,
            shown_as=shown_as,
            **asked,
        )

    def hard_rows(self, *, rows: Any = None) -> Any:
        """Return the rows that have a likelier label than their own, the least likely first.

        Parameters
        ----------
        rows : data frame or array of n rows, optional
            The values to return with them; by default the points as they were given.

        Returns
        -------
        polars.DataFrame
            The number of the row, its label, the likelier one, the chance that a new label would
            differ, the columns that speak for the likelier label, and the values.
        """
        from bayesfloor.report.hardest_rows import misplaced_rows

        return misplaced_rows(self._floor, self.display if rows is None else rows)

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain Python values, ready for JSON."""
        from bayesfloor.report.plain_values import floor_values

        return floor_values(self._floor)

    def facts(self, shown_as: str = DEFAULT_MEASURE) -> list[tuple[str, str]]:
        """Return the answer as pairs of a name and a text, in reading order.

        Parameters
        ----------
        shown_as : {"error", "accuracy"}
            What the numbers are.
        """
        from bayesfloor.report.facts import floor_facts

        return floor_facts(self._floor, shown_as)

    def __str__(self) -> str:
        return "\n".join(f"{name:<16}{text}" for name, text in self.facts())

    def _repr_html_(self) -> str:
        from bayesfloor.report.notebook import floor_html

        return floor_html(self._floor)
