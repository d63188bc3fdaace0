"""Rectangles of the timeline: native, or the Python reference."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from mindinsight_like.native import implementation
from mindinsight_like.profiler.traces.trace import Ints, Longs

if TYPE_CHECKING:
    from mindinsight_like.profiler.analysis.reference.drawing import draw as _draw
    from mindinsight_like.profiler.analysis.reference.drawing import pyramid
else:
    _module = implementation(
        "mindinsight_like.profiler.analysis.columns._drawing", "mindinsight_like.profiler.analysis.reference.drawing"
    )
    _draw = _module.draw
    pyramid = _module.pyramid

__all__ = ["Rectangles", "draw", "pyramid"]


@dataclass(frozen=True)
class Rectangles:
    """What is drawn of some lanes, lane by lane; nanoseconds."""

    per_lane: Longs  # how many there are in each lane
    begin: Longs
    end: Longs
    row: Ints  # of the longest slice
    count: Ints  # of slices that are drawn as this one

    def with_lane(self, lane: Rectangles) -> Rectangles:
        """These, then those of one more lane."""
        return Rectangles(
            np.append(self.per_lane, lane.per_lane),
            np.append(self.begin, lane.begin),
            np.append(self.end, lane.end),
            np.append(self.row, lane.row),
            np.append(self.count, lane.count),
        )


def draw(
    start: Longs,
    duration: Longs,
    levels: Sequence[Ints],
    bounds: Longs,
    lanes: Longs,
    origin: int,
    until: int,
    width: int,
) -> Rectangles:
    """Rectangles for some lanes, of the time from origin until; see the reference for the rules."""
    return Rectangles(*_draw(start, duration, levels, bounds, lanes, origin, until, width))
