"""Between an engine's job and its compiled code."""

from __future__ import annotations

import numpy as np

from bayesfloor.arrays import Floats, Ints
from bayesfloor.search.job import Job, Part
from bayesfloor.search.row_kernel import Load, Sums


def load_of(job: Job, order: Ints) -> Load:
    """Lay out what is multiplied and averaged, with the cells in the given order."""
    widths = [field.sums.shape[1] for field in job.fields]
    fields = job.fields if job.thin is None else (*job.fields, job.thin.field)
    own = np.zeros((len(order), len(job.fields) + 1))
    for f, field in enumerate(fields):
        own[:, f] = field.own.sum(axis=1)[order]
    thin = np.empty((len(order), 0)) if job.thin is None else job.thin.field.sums
    return Load(
        sizes=job.sizes[order],
        columns=np.hstack([field.sums for field in job.fields])[order],
        begins=np.concatenate([[0], np.cumsum(widths)]),
        thin=thin.astype(np.float32)[order],
        at=np.empty(0, dtype=np.int64) if job.thin is None else job.thin.at,
        own=own,
        near=job.near,
        single=bool(job.sizes.max() == 1),
    )


def part_of(rows: Ints, sums: Sums, local: Floats, load: Load) -> Part:
    """Hand over what compiled code has summed up."""
    products = sums.products if load.thin.shape[1] else sums.products[:-1]
    return Part(rows, products, sums.log_squared, sums.away, local)
