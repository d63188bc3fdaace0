"""Order and nesting of slices: native, or the Python reference.

Native modules and references give plain tuples of columns; here they get names.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from mindinsight_like.native import implementation
from mindinsight_like.profiler.traces.trace import Ints, Longs

from .narrowing import narrow

if TYPE_CHECKING:
    from mindinsight_like.profiler.analysis.reference.nesting import (
        launched_within,
        launchers,
        nearest,
        repeats,
        time_order,
    )
    from mindinsight_like.profiler.analysis.reference.nesting import nest as _nest
else:
    _module = implementation(
        "mindinsight_like.profiler.analysis.columns._nesting", "mindinsight_like.profiler.analysis.reference.nesting"
    )
    launched_within = _module.launched_within
    launchers = _module.launchers
    nearest = _module.nearest
    repeats = _module.repeats
    time_order = _module.time_order
    _nest = _module.nest

__all__ = ["NestedSlices", "launched_within", "launchers", "nearest", "nest", "repeats", "time_order"]


@dataclass(frozen=True)
class NestedSlices:
    """Slices by track, lane and time, and the lanes they lie in."""

    position: Ints  # of each row in the columns that were nested
    start: Longs
    duration: Longs
    parent: Ints  # row of the latest begun slice that holds it, NOTHING for none
    self_time: Longs | Ints
    lane_track: Ints
    lane_number: Ints  # within its track
    lane_bounds: Longs  # rows lane_bounds[i] to lane_bounds[i + 1] lie in lane i
    overlapping: int  # slices that overlap an earlier one in part
    squeezed: int  # slices that found no free lane


def nest(order: Ints, bounds: Longs, start: Longs, duration: Longs, most_lanes: int) -> NestedSlices:
    """Which slice lies in which, from the order that `time_order` gives; see the reference for the rules."""
    nested = NestedSlices(*_nest(order, bounds, start, duration, most_lanes))
    return replace(nested, self_time=narrow(nested.self_time))
