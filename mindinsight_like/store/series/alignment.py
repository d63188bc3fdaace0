"""Alignment of two curves of a run: which point of one was the newest at each point of the other."""

from __future__ import annotations

import numpy as np

from mindinsight_like.store.result_types import Curve
from mindinsight_like.store.segments.segments import Ints


def newest_points(other: Curve, curve: Curve) -> Ints:
    """For each point of `curve`, the position of the newest point of `other`; -1 before its first.

    Steps decide; where one of the two was logged without steps, wall times do.
    """
    if other.has_steps and curve.has_steps:
        return np.asarray(np.searchsorted(other.steps, curve.steps, side="right") - 1, np.int64)
    order = np.argsort(other.wall_times, kind="stable")  # late points stand where their step does
    rank = np.searchsorted(other.wall_times[order], curve.wall_times, side="right") - 1
    return np.where(rank >= 0, order[rank], -1).astype(np.int64)
