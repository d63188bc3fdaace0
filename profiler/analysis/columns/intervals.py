"""Unions of intervals and their overlap with a range, exact to the nanosecond."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.native import implementation
from mindinsight_like.profiler.traces.trace import Longs

if TYPE_CHECKING:
    from mindinsight_like.profiler.analysis.reference.intervals import unite
else:
    _module = implementation(
        "mindinsight_like.profiler.analysis.columns._intervals",
        "mindinsight_like.profiler.analysis.reference.intervals",
    )
    unite = _module.unite


@dataclass(frozen=True)
class Union:
    """Disjoint intervals in order of time."""

    begin: Longs
    end: Longs

    def __or__(self, other: Union) -> Union:
        if not len(self.begin) or not len(other.begin):
            return other if not len(self.begin) else self
        return Union(*unite(self.begin, self.end, other.begin, other.end))

    def __and__(self, other: Union) -> Union:
        whole = self | other
        return whole - ((whole - self) | (whole - other))

    def __sub__(self, other: Union) -> Union:
        """What is here and not there."""
        if not len(self.begin) or not len(other.begin):
            return self
        # Between the intervals of the other union lie its gaps; each of ours is cut by the gaps it touches.
        gap_begin = np.concatenate(([np.iinfo(np.int64).min], other.end))
        gap_end = np.concatenate((other.begin, [np.iinfo(np.int64).max]))
        first = np.searchsorted(gap_end, self.begin, "right")
        last = np.searchsorted(gap_begin, self.end, "left")
        pieces = last - first
        ours = np.repeat(np.arange(len(self.begin)), pieces)
        gaps = np.arange(int(pieces.sum())) - np.repeat(np.cumsum(pieces) - pieces, pieces) + np.repeat(first, pieces)
        begin = np.maximum(self.begin[ours], gap_begin[gaps])
        end = np.minimum(self.end[ours], gap_end[gaps])
        is_some = end > begin
        return Union(begin[is_some], end[is_some])

    @cached_property
    def _before(self) -> Longs:
        lengths = np.zeros(len(self.begin) + 1, np.int64)
        np.cumsum(self.end - self.begin, out=lengths[1:])
        return lengths

    @property
    def total(self) -> int:
        """The time covered."""
        return int(self._before[-1])

    def until(self, time: Longs) -> Longs:
        """How much is covered before each of these times."""
        if not len(self.begin):
            return np.zeros(len(time), np.int64)
        at = np.searchsorted(self.begin, time, "right")
        last = np.maximum(at - 1, 0)
        reached = np.clip(np.minimum(self.end[last], time) - self.begin[last], 0, None)
        return np.asarray(self._before[last] + np.where(at > 0, reached, 0), np.int64)

    def within(self, begin: Longs, end: Longs) -> Longs:
        """How much is covered in each of these ranges."""
        return self.until(end) - self.until(begin)


EMPTY = Union(np.empty(0, np.int64), np.empty(0, np.int64))


def union(begin: Longs, end: Longs) -> Union:
    """The time that intervals in any order cover."""
    if not bool(np.all(begin[1:] >= begin[:-1])):  # those of one lane are in order
        order: NDArray[np.int64] = np.argsort(begin, kind="stable")
        begin, end = begin[order], end[order]
    nothing = np.empty(0, np.int64)
    return Union(*unite(np.ascontiguousarray(begin), np.ascontiguousarray(end), nothing, nothing))
