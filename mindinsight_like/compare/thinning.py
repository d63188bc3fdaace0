"""Which points of a curve a screen can show: of each stretch its first, last, smallest and largest."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

_KEPT = 4  # of each stretch


def kept_places(values: NDArray[np.floating], most: int) -> NDArray[np.int64]:
    """Places of at most about `most` points, in order, such that no extreme is lost; all when they are few enough."""
    count = len(values)
    if count <= max(most, _KEPT):
        return np.arange(count)
    stretches = max(1, most // _KEPT)
    starts = (np.arange(stretches) * count) // stretches
    ends = np.append(starts[1:], count)
    width = int((ends - starts).max())
    # Rows of equal width, the last value repeated where a stretch is shorter by one.
    places = np.minimum(starts[:, None] + np.arange(width), (ends - 1)[:, None])
    rows = np.asarray(values, np.float64)[places]
    low = np.where(np.isnan(rows), np.inf, rows).argmin(axis=1)
    high = np.where(np.isnan(rows), -np.inf, rows).argmax(axis=1)
    row = np.arange(stretches)
    # Where numbers are missing is to be seen too.
    gaps = np.isnan(rows).argmax(axis=1)
    return np.unique(np.concatenate([starts, ends - 1, places[row, low], places[row, high], places[row, gaps]]))
