"""Calls that are all a call of the same name does: one to torch's own tables, two slices in the recording."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import Activity, Bytes, Ints, Trace

from . import nesting
from .columns import translated

_ON_DEVICES = (Activity.KERNEL, Activity.COPY, Activity.FILL, Activity.DEVICE_ANNOTATION)


def repeated_rows(trace: Trace, parent: Ints, activity: Bytes, group: Ints, names: Ints) -> Ints:
    """Calls on the host that are the only one in a call of the same name; torch counts a chain of them as its first.

    That is how torch's dispatcher calls an operator again, and what annotations around annotations look like. `names`
    are those of the groups.
    """
    if trace.tool != "torch":
        return np.empty(0, np.int32)
    is_call = np.ones(256, np.uint8)
    is_call[list(_ON_DEVICES)] = 0
    return nesting.repeats(parent, translated(activity, is_call), group, names)


def is_counted(repeats: Ints, rows: int) -> NDArray[np.bool_]:
    """Which rows are calls of their own."""
    counted = np.ones(rows, np.bool_)
    counted[repeats] = False
    return counted
