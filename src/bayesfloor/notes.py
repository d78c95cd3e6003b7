"""Sentences a reader must know before trusting a number."""

from __future__ import annotations

from collections.abc import Iterator

from bayesfloor.bounds import independent_mismatch
from bayesfloor.curve import Measured
from bayesfloor.sample import Sample

FEW_ROWS = 30
MANY_DUPLICATES = 0.1


def make_notes(
    sample: Sample, measured: Measured, method: str, mismatch: float, se: float
) -> tuple[str, ...]:
    """Collect the warnings that apply."""
    notes = [
        *_small_classes(sample),
        *_high_dimension(sample, measured),
        *_duplicates(measured),
        *_clipped(sample, mismatch),
        *_useless(sample, se),
    ]
    if method != "wnn":
        notes.append(f"The interval of {method} holds its sampling noise but not its bias.")
    return tuple(notes)


def _small_classes(sample: Sample) -> Iterator[str]:
    few = [
        f"{name} ({count})"
        for name, count in zip(sample.classes.tolist(), sample.counts, strict=True)
        if count < FEW_ROWS
    ]
    if few:
        shown = ", ".join(few[:5]) + (f" and {len(few) - 5} more" if len(few) > 5 else "")
        yield f"Classes with fewer than {FEW_ROWS} rows say little: {shown}."


def _high_dimension(sample: Sample, measured: Measured) -> Iterator[str]:
    curve = measured.curve
    near, far = curve.radius[0], curve.radius[-1]
    if far > 0 and near > far / 2 and len(curve.rank) > 5:
        yield (
            f"The intrinsic dimension, about {curve.intrinsic_dimension:.0f}, is high for"
            f" {sample.n} rows: the nearest neighbour is more than half as far as the"
            f" {curve.rank[-1]}th, so the answer leans on the smooth trend of the labels and may"
            " miss finer structure."
        )


def _duplicates(measured: Measured) -> Iterator[str]:
    if measured.duplicates > MANY_DUPLICATES:
        yield (
            f"{measured.duplicates:.0%} of the rows equal another row; if these are copies rather"
            " than repeated measurements, remove them, because copies look like certainty."
        )


def _clipped(sample: Sample, mismatch: float) -> Iterator[str]:
    if mismatch < 0:
        yield "The estimated mismatch is below zero, within its error; the bounds are clipped to 0."
    elif mismatch > independent_mismatch(sample.priors):
        yield (
            "The estimated mismatch is above that of labels independent of the columns, within its"
            " error; the bounds are clipped there."
        )


def _useless(sample: Sample, se: float) -> Iterator[str]:
    if se > independent_mismatch(sample.priors):
        yield "The standard error exceeds all possible values, so the estimate says nothing."
