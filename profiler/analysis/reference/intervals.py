"""Unions of intervals: the Python reference."""

from __future__ import annotations

import numpy as np

from mindinsight_like.profiler.traces.trace import Longs


def unite(begin: Longs, end: Longs, other_begin: Longs, other_end: Longs) -> tuple[Longs, Longs]:
    """The time that two lists of intervals cover, as disjoint intervals that do not touch.

    Each list is sorted by begin; empty intervals count for nothing.
    """
    if len(begin) != len(end) or len(other_begin) != len(other_end):
        raise ValueError("columns of different lengths")
    begins = np.concatenate((begin, other_begin))
    ends = np.concatenate((end, other_end))
    is_some = ends > begins
    begins, ends = begins[is_some], ends[is_some]
    order = np.argsort(begins, kind="stable")
    begins, reach = begins[order], np.maximum.accumulate(ends[order])
    is_head = np.append(True, begins[1:] > reach[:-1])[: len(begins)]
    heads = np.flatnonzero(is_head)
    return begins[heads], reach[np.append(heads[1:], len(reach)) - 1] if len(heads) else reach[:0]
