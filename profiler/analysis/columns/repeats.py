"""Repeated calls: an operator whose only child has its name, which torch's tables count once."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Bytes, Ints, Trace

from . import nesting
from .columns import translated

# What TensorFlow's runtime does to run one operator.
_OF_ONE_OPERATOR = frozenset({"EagerKernelExecute", "KernelAndDeviceFunc::Run", "KernelAndDeviceOp::Run"})
_ON_DEVICES = (Activity.KERNEL, Activity.COPY, Activity.FILL, Activity.DEVICE_ANNOTATION)


def repeated_rows(trace: Trace, parent: Ints, activity: Bytes, group: Ints, names: Ints) -> Ints:
    """Calls on the host that are the only one in a call of the same name; torch counts a chain of them as its first.

    That is how torch's dispatcher calls an operator again, and what annotations around annotations look like. Of
    TensorFlow it is what the runtime does within an operator. `names` are those of the groups.
    """
    if trace.tool == "tensorflow":
        inner = [number for number, text in enumerate(trace.texts) if text in _OF_ONE_OPERATOR]
        return np.flatnonzero(np.isin(names[group], inner) & (parent != NOTHING)).astype(np.int32)
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
