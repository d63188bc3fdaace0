"""Long curves as few of their own points: of each of many short stretches the first, lowest, highest and last."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import Longs


def kept_points(place: Longs, value: NDArray[Any], stretches: int) -> NDArray[np.int64]:
    """Positions of at most four points for each of so many equal stretches; all points where they are no more.

    `place` ascends. No peak is lost, however short.
    """
    count = len(place)
    if count <= 4 * stretches:
        return np.arange(count)
    span = max(int(place[-1]) - int(place[0]), 1)
    edges = int(place[0]) + np.arange(stretches) * (span / stretches)
    first = np.unique(np.searchsorted(place, edges.astype(np.int64)))
    first = first[first < count]
    lengths = np.diff(np.append(first, count))
    kept = [first, first + lengths - 1]
    for extreme in (np.minimum, np.maximum):
        is_extreme = np.flatnonzero(value == np.repeat(extreme.reduceat(value, first), lengths))
        kept.append(is_extreme[np.searchsorted(is_extreme, first)])
    return np.unique(np.concatenate(kept))
