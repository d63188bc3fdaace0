"""Steps of host metrics: seconds since the start of the run, as our own writers count them."""

from __future__ import annotations

from typing import Final

import numpy as np

from mindinsight_like.trackers.reader import Points

PREFIX: Final = "system/"
NONE_YET: Final = -(1 << 62)


def in_seconds(points: Points, started: float, shift: int) -> tuple[Points, int]:
    """Points whose samples of the host, which were counted, have seconds as their steps; no two samples have the same.

    `shift` is what the last sample before these had been moved by, at least; what the last of these was comes back.
    """
    is_host = np.array([tag.startswith(PREFIX) for tag in points.tags], bool)[points.numbers]
    if not is_host.any():
        return points, shift
    counts, first, sample = np.unique(points.steps[is_host], return_index=True, return_inverse=True)
    passed = np.nan_to_num(points.walls[is_host][first] - started, nan=0.0, posinf=0.0, neginf=0.0)
    seconds = np.clip(passed, 0, 2.0**52).astype(np.int64)
    shifts = np.maximum.accumulate(np.maximum(seconds - counts, shift))
    steps = points.steps.copy()
    steps[is_host] = (counts + shifts)[sample.reshape(-1)]
    return points._replace(steps=steps), int(shifts[-1])
