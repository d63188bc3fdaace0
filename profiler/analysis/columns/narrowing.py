"""Columns in the narrowest type that holds them."""

from __future__ import annotations

import numpy as np

from mindinsight_like.profiler.traces.trace import Ints, Longs


def narrow(column: Longs | Ints) -> Longs | Ints:
    """A column without large negative numbers in half the room, where none is too large for it."""
    return column.astype(np.int32) if len(column) and int(column.max()) < 2**31 else column
