"""Statistics of series whose last step was written once more, in a later commit.

The earlier point does not count any longer, but it may have been the first, the smallest, the largest or the only value
that is no number; so what is left is looked through. That two such writings fall into different commits is rare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from mindinsight_like.logs.batch import Batch
from mindinsight_like.store.resuming import once_each
from mindinsight_like.store.segments import Segment


def repeating(last_steps: Mapping[int, int], batch: Batch) -> list[int]:
    """Numbers of the series in a batch that begin with the step which they ended with before."""
    firsts = zip(batch.scalar_numbers.tolist(), batch.scalar_stats["first_step"].tolist(), strict=True)
    return [number for number, first in firsts if last_steps.get(number) == first]


class Statistics(NamedTuple):
    """Of the points that count; min and max of finite values, None without any."""

    min: float | None
    max: float | None
    non_finite: int
    first_wall: float
    last_wall: float


def statistics(held: Sequence[Segment], number: int) -> Statistics:
    """Of a series that has points in these segments, given in file order."""
    found = once_each([columns for segment in held if (columns := segment.scalars(number)) is not None])
    walls = np.concatenate([columns.walls for columns in found])
    values = np.concatenate([columns.values for columns in found])
    finite = values[np.isfinite(values)]
    low, high = (float(finite.min()), float(finite.max())) if len(finite) else (None, None)
    reach = np.nan_to_num([walls[0], np.fmax.reduce(walls)], posinf=np.inf, neginf=-np.inf).tolist()
    return Statistics(low, high, len(values) - len(finite), *reach)
