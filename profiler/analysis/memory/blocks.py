"""Memory blocks: allocations matched with their frees, their owners and lifetimes."""

from __future__ import annotations

from dataclasses import dataclass, fields

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns.columns import Columns
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Allocations, Ints, Longs

_MODULE = "nn.Module: "  # how torch names the frames of modules


@dataclass(frozen=True)
class Blocks:
    """One entry for each block, in the order they are allocated; events are numbered in order of time.

    A block that was there before the recording has an event of -1 for its begin, one that outlives it the number of
    all events for its end; NOTHING as owner where nothing tells.
    """

    time: Longs  # of the events
    device_of_event: Ints
    size_of_event: Longs  # negative for a free
    begin: Longs  # numbers of events
    end: Longs
    bytes: Longs
    device: Ints  # index into the texts, as owner and module
    owner: Ints
    module: Ints
    row: Ints  # of the slice that is the owner, NOTHING where the name alone is known

    def begin_time(self) -> Longs:
        """When each was allocated; meaningless for what was there before."""
        return self.time[np.maximum(self.begin, 0)] if len(self.time) else self.begin

    def end_time(self) -> Longs:
        """When each was freed; meaningless for what was not."""
        return self.time[np.minimum(self.end, len(self.time) - 1)] if len(self.time) else self.end

    def alive_at(self, event: int) -> NDArray[np.bool_]:
        """Which blocks are there after that event."""
        return (self.begin <= event) & (self.end > event)


def blocks_of(columns: Columns) -> Blocks:
    """All blocks that the recording tells of."""
    allocations = columns.trace.allocations
    if allocations is None or not len(allocations.time):
        nothing, none = np.empty(0, np.int64), np.empty(0, np.int32)
        return Blocks(nothing, none, nothing, nothing, nothing, nothing, none, none, none, none)
    by_time = np.argsort(allocations.time, kind="stable")
    events = Allocations(*(getattr(allocations, field.name)[by_time] for field in fields(allocations)))
    begin, end = _pairs(events)
    source = np.where(begin >= 0, begin, end)
    owner, module, row = _owners(columns, events, begin)
    return Blocks(
        events.time,
        events.device,
        events.bytes,
        begin,
        end,
        np.abs(events.bytes[source]),
        events.device[source],
        owner,
        module,
        row,
    )


def _pairs(events: Allocations) -> tuple[Longs, Longs]:
    """Numbers of the events that begin and end each block."""
    count = len(events.time)
    order = np.lexsort((np.arange(count), events.address, events.device))  # each address on its own, in time
    is_allocation = events.bytes[order] >= 0
    is_same = (np.diff(events.address[order]) == 0) & (np.diff(events.device[order]) == 0)
    # An address that is handed out again was free, whether or not that was recorded.
    following = np.where(np.append(is_same, False), np.append(order[1:], count), count)
    begun = np.flatnonzero(is_allocation)
    # What is freed first of all at its address was there before; a second free in a row tells nothing.
    orphans = order[~is_allocation & ~np.append(False, is_same)]
    begin = np.concatenate([np.full(len(orphans), NOTHING), order[begun]])
    end = np.concatenate([orphans, following[begun]])
    in_time = np.argsort(begin, kind="stable")
    return begin[in_time], end[in_time]


def _owners(columns: Columns, events: Allocations, begin: Longs) -> tuple[Ints, Ints, Ints]:
    """For each block the name that was given; else the outermost operator around its allocation, and its module."""
    rows = columns.rows
    owner, module, row = (np.full(len(begin), NOTHING, np.int32) for _ in range(3))
    allocated = np.flatnonzero(begin >= 0)
    event = begin[allocated]
    owner[allocated] = events.name[event]
    inner = _innermost(columns, events.time[event], events.track[event])
    modules = np.array([text.startswith(_MODULE) for text in columns.trace.texts] or [False])
    operator, fallback = (np.full(len(allocated), NOTHING, np.int32) for _ in range(2))
    at = inner
    while (at != NOTHING).any():
        here = at != NOTHING
        activity = rows.activity[at]
        operator = np.where(here & (activity == Activity.OPERATOR), at, operator)
        is_first = here & (fallback == NOTHING) & (activity != Activity.STEP) & (activity != Activity.PYTHON)
        fallback = np.where(is_first, at, fallback)
        is_module = here & modules[columns.names_of(at)] & (module[allocated] == NOTHING)
        module[allocated[is_module]] = columns.names_of(at[is_module])
        at = np.where(here, rows.parent[at], NOTHING)
    operator = np.where(operator == NOTHING, fallback, operator)
    operator = np.where(operator == NOTHING, inner, operator)
    nameless = (owner[allocated] == NOTHING) & (operator != NOTHING)
    owner[allocated[nameless]] = columns.names_of(operator[nameless])
    row[allocated[nameless]] = operator[nameless]
    return owner, module, row


def _innermost(columns: Columns, time: Longs, track: Ints) -> Ints:
    """The row of the innermost slice around each of these times on a track; NOTHING where there is none."""
    innermost = np.full(len(time), NOTHING, np.int32)
    rows, lanes = columns.rows, columns.lanes
    for number in np.unique(track[track != NOTHING]).tolist():
        at = np.flatnonzero(track == number)
        for lane in np.flatnonzero(lanes.track == number).tolist():  # a child lies in a lower lane
            first, last = int(lanes.bounds[lane]), int(lanes.bounds[lane + 1])
            if first == last:
                continue
            row = first + np.searchsorted(rows.start[first:last], time[at], "right") - 1
            inside = np.flatnonzero(row >= first)
            inside = inside[rows.start[row[inside]] + rows.duration[row[inside]] > time[at[inside]]]
            innermost[at[inside]] = row[inside]
    return innermost
