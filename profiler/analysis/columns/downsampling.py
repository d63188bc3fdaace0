"""Downsampling of curves: the first, lowest, highest and last point of each of many equal intervals."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import Longs
from mindinsight_like.store.segments.curves import envelope


def downsample(place: Longs, value: NDArray[Any], stretches: int) -> NDArray[np.int64]:
    """Positions of at most four points for each stretch; all points where they are no more than that.

    `place` ascends. No peak is lost, however short.
    """
    count = len(place)
    if count <= 4 * stretches:
        return np.arange(count)
    edges = np.linspace(float(place[0]), float(place[-1]), stretches, endpoint=False)
    first = np.unique(np.append(np.searchsorted(place, edges), count))
    lowest, highest, _ = envelope(value.astype(np.float64), first)
    positions = np.unique(np.concatenate([first[:-1], first[1:] - 1, lowest, highest]))
    return positions[positions >= 0]
