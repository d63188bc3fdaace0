"""Statistics of series whose last step was written once more, in a later commit.

The earlier point does not count any longer, but it may have been the smallest, the largest or the only value that is
no number; so what is left is looked through. That two such writings fall into different commits is rare.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from mindinsight_like.logs.batch import Batch
from mindinsight_like.store.resuming import Part, Points, visible
from mindinsight_like.store.segments import Segment


def repeating(last_steps: Mapping[int, int], batch: Batch) -> list[int]:
    """Numbers of the series in a batch that begin with the step which they ended with before."""
    firsts = zip(batch.scalar_numbers.tolist(), batch.scalar_stats["first_step"].tolist(), strict=True)
    return [number for number, first in firsts if last_steps.get(number) == first]


def statistics(held: Sequence[Segment], number: int) -> tuple[float | None, float | None, int]:
    """Smallest and largest number of a series, and how many of its values are none; repeated steps count once."""
    points = Points([Part(columns) for segment in held if (columns := segment.scalars(number)) is not None])
    values = points.values(visible(points, latest=False))
    finite = values[np.isfinite(values)]
    if not len(finite):
        return None, None, len(values)
    return float(finite.min()), float(finite.max()), len(values) - len(finite)
