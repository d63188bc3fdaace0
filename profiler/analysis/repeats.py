"""Calls that torch's dispatcher makes of itself: one operator to the user, two slices in the recording."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Bytes, Ints, Trace

from . import nesting


def repeated_rows(trace: Trace, parent: Ints, name: Ints, activity: Bytes) -> Ints:
    """Operators that are the only call in an operator of the same name; torch's own tables count both as one.

    Frames of Python between them are passed over, as in those tables.
    """
    if trace.tool != "torch":
        return np.empty(0, np.int32)
    is_call = activity != Activity.PYTHON
    above = parent
    if not is_call.all():
        nearest = nesting.nearest(parent, is_call.view(np.uint8))
        above = np.where(parent == NOTHING, NOTHING, nearest[parent])
    is_operator = activity == Activity.OPERATOR
    is_same = is_operator & (above != NOTHING) & is_operator[above] & (name == name[above])
    found = np.flatnonzero(is_same)
    calls = np.bincount(above[is_call & (above != NOTHING)], minlength=1)
    return np.asarray(found[calls[above[found]] == 1], np.int32)


def is_counted(repeats: Ints, rows: int) -> NDArray[np.bool_]:
    """Which rows are operators of their own."""
    counted = np.ones(rows, np.bool_)
    counted[repeats] = False
    return counted
