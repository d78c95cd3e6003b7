"""Several targets and their verdicts as one table."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape
from typing import Any

from bayesfloor.base.measures import ERROR, Measure
from bayesfloor.report.answer.verdicts import TargetAnswer


@dataclass(frozen=True, slots=True, repr=False)
class TargetTable:
    """The verdicts on targets, in the order in which they were asked."""

    answers: tuple[TargetAnswer, ...]
    measure: Measure = ERROR

    def __len__(self) -> int:
        return len(self.answers)

    def __iter__(self) -> Iterator[TargetAnswer]:
        return iter(self.answers)

    def __getitem__(self, position: int) -> TargetAnswer:
        return self.answers[position]

    @property
    def header(self) -> tuple[str, ...]:
        """What the columns of `cells` are called."""
        return (f"target, {self.measure.name}", "verdict", "rows to decide it", "rests on")

    def cells(self) -> list[tuple[str, ...]]:
        """Return a row of texts for each target."""
        return [
            (
                self.measure.as_given(one.error),
                one.verdict,
                "" if one.rows_to_decide is None else f"about {one.rows_to_decide:,}",
                one.rests_on or "",
            )
            for one in self.answers
        ]

    def _shown(self) -> list[tuple[str, ...]]:
        """Return the header and the rows, without columns that are empty."""
        columns = zip(self.header, *self.cells(), strict=True)
        return list(zip(*(column for column in columns if any(column[1:])), strict=True))

    def lines(self) -> list[str]:
        """Return the table as lines of text, its columns one below the other."""
        rows = self._shown()
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        return [
            "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip()
            for row in rows
        ]

    def __repr__(self) -> str:
        return "\n".join(self.lines())

    def _repr_html_(self) -> str:
        left = "style='text-align:left'"
        header, *rows = self._shown()
        head = "".join(f"<th {left}>{escape(name)}</th>" for name in header)
        body = "".join(
            f"<tr>{''.join(f'<td {left}>{escape(cell)}</td>' for cell in row)}</tr>" for row in rows
        )
        return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"

    def to_dict(self) -> dict[str, list[Any]]:
        """Return the columns as lists of plain values, ready for any data frame."""
        names = ("accuracy", "error", "verdict", "rows_to_decide", "rests_on", "sentence")
        return {name: [getattr(one, name) for one in self.answers] for name in names}

    def to_frame(self) -> Any:
        """Return the columns as a polars data frame."""
        import polars as pl

        types = {"accuracy": pl.Float64, "error": pl.Float64, "rows_to_decide": pl.Int64}
        schema = {name: types.get(name, pl.String) for name in self.to_dict()}
        return pl.DataFrame(self.to_dict(), schema=schema)
