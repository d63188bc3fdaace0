"""Groups of equal slices and their sums: native, or the Python reference.

Native modules and references give plain tuples of columns; here they get names.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.native import implementation
from mindinsight_like.profiler.traces.trace import Bytes, Ints, Longs

if TYPE_CHECKING:
    from mindinsight_like.profiler.analysis.reference.grouping import (
        add_up,
        agreed,
        look_up,
        outermost,
        postings,
    )
    from mindinsight_like.profiler.analysis.reference.grouping import call_tree as _call_tree
    from mindinsight_like.profiler.analysis.reference.grouping import group as _group
    from mindinsight_like.profiler.analysis.reference.grouping import sum_groups as _sum_groups
else:
    _module = implementation(
        "mindinsight_like.profiler.analysis.columns._grouping", "mindinsight_like.profiler.analysis.reference.grouping"
    )
    add_up = _module.add_up
    agreed = _module.agreed
    look_up = _module.look_up
    outermost = _module.outermost
    postings = _module.postings
    _call_tree = _module.call_tree
    _group = _module.group
    _sum_groups = _module.sum_groups

__all__ = [
    "CallTree",
    "GroupKeys",
    "GroupSums",
    "add_up",
    "agreed",
    "call_tree",
    "group",
    "look_up",
    "outermost",
    "postings",
    "sum_groups",
]


@dataclass(frozen=True)
class GroupKeys:
    """What the rows of each group have in common; groups are numbered as they first come."""

    side: Bytes
    name: Ints
    type: Ints
    shape: Ints

    def __len__(self) -> int:
        return len(self.side)


@dataclass(frozen=True)
class GroupSums:
    """Sums of each group."""

    count: Longs
    total: Longs  # of durations
    self_time: Longs
    shortest: Longs
    longest: Longs

    def first(self, groups: int) -> GroupSums:
        """Those of the first groups."""
        return GroupSums(
            self.count[:groups],
            self.total[:groups],
            self.self_time[:groups],
            self.shortest[:groups],
            self.longest[:groups],
        )


@dataclass(frozen=True)
class CallTree:
    """Rows merged into nodes by the names above them; nodes are numbered as they first come."""

    node: Ints  # of each row, or of the nearest row above; NOTHING for none
    parent: Ints  # of each node, as the next two
    name: Ints
    activity: Bytes


def group(side: Bytes, name: Ints, type: Ints, shape: Ints) -> tuple[Ints, GroupKeys]:
    """For each row the number of its group; and the keys of all groups."""
    number, keys = _group(side, name, type, shape)
    return number, GroupKeys(*keys)


def sum_groups(group: Ints, groups: int, duration: Longs, self_time: Longs | Ints) -> GroupSums:
    """Count and times of each group; raises ValueError for a group that does not exist."""
    return GroupSums(*_sum_groups(group, groups, duration, self_time))


def call_tree(parent: Ints, name: Ints, activity: Bytes, is_in: NDArray[np.uint8]) -> CallTree:
    """Merge the rows that are in and have the same names above them."""
    return CallTree(*_call_tree(parent, name, activity, is_in))
