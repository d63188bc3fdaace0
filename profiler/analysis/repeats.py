"""Calls that are all a call of the same name does: one to torch's own tables, two slices in the recording."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Bytes, Ints, Trace

_ON_DEVICES = (Activity.KERNEL, Activity.COPY, Activity.FILL, Activity.DEVICE_ANNOTATION)


def repeated_rows(trace: Trace, parent: Ints, name: Ints, activity: Bytes) -> Ints:
    """Calls on the host that are the only one in a call of the same name; torch counts a chain of them as its first.

    That is how torch's dispatcher calls an operator again, and what annotations around annotations look like.
    """
    if trace.tool != "torch":
        return np.empty(0, np.int32)
    inner = np.flatnonzero((parent != NOTHING) & ~np.isin(activity, _ON_DEVICES))
    calls = np.bincount(parent[inner], minlength=1)
    above = parent[inner]
    return np.asarray(inner[(name[inner] == name[above]) & (calls[above] == 1)], np.int32)


def is_counted(repeats: Ints, rows: int) -> NDArray[np.bool_]:
    """Which rows are calls of their own."""
    counted = np.ones(rows, np.bool_)
    counted[repeats] = False
    return counted
