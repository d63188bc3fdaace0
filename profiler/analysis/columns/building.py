"""Build the columns of a profile from its slices: sort, nest, group, measure."""

from __future__ import annotations

from itertools import pairwise

import numpy as np

from mindinsight_like.profiler.analysis.reference.nesting import CALL, LAUNCH, WORK
from mindinsight_like.profiler.analysis.steps import steps
from mindinsight_like.profiler.traces.files import Progress
from mindinsight_like.profiler.traces.trace import (
    NOTHING,
    Activity,
    Bytes,
    Count,
    Ints,
    Longs,
    Memory,
    Place,
    Slices,
    Trace,
)

from . import drawing, grouping, nesting
from .columns import MOST_LANES, Columns, Groups, Lanes, Rows, sides_of_activities, translated
from .grouping import GroupKeys
from .narrowing import narrow
from .repeats import is_counted, repeated_rows

_FURTHEST = 2**61  # nanoseconds from the origin, 73 years: ends and differences of such times fit


def build(trace: Trace, progress: Progress) -> Columns:
    """Everything that is computed once; the slices are taken out of the trace.

    Memory that is touched for the first time costs more than most computing: every column goes as soon as the one that
    is made of it is there.
    """
    slices = trace.slices or _no_slices()
    trace.slices = None
    trace.memory = [_in_order(memory) for memory in trace.memory]
    _check(slices)
    group, keys, dtype = _grouped(slices, trace)
    start, duration, counts = _sane(slices.start, slices.duration)
    track, activity, correlation, place = slices.track, slices.activity, slices.correlation, narrow(slices.place)
    del slices
    progress(0.1)
    order, bounds = nesting.time_order(track, start, duration, len(trace.tracks))
    del track
    progress(0.2)
    nested = nesting.nest(order, bounds, start, duration, MOST_LANES)
    del order
    start, duration, parent, self_time = nested.start, nested.duration, nested.parent, nested.self_time
    lanes = Lanes(nested.lane_track, nested.lane_number, nested.lane_bounds)
    counts |= {"overlapping": nested.overlapping, "drawn_over_others": nested.squeezed}
    progress(0.4)
    positions = nested.position.astype(np.int64)  # once, not for every column
    del nested
    group = group.take(positions)
    activity = activity.take(positions)
    place = place.take(positions)
    correlation = correlation.take(positions)
    del positions
    launched_by = nesting.launchers(correlation, _roles(activity, trace, bounds))
    del correlation
    progress(0.6)
    rows = Rows(start, duration, self_time, activity, place, parent, launched_by, group)
    repeats = repeated_rows(trace, parent, activity, group, keys.name)
    counts["repeated_operators"] = len(repeats)
    groups = _summed(rows, keys, dtype, repeats)
    progress(0.7)
    columns = Columns(
        trace,
        rows,
        lanes,
        groups,
        steps.NO_STEPS,
        repeats,
        drawing.pyramid(duration),
        {kind: count for kind, count in counts.items() if count},
    )
    progress(0.8)
    return steps.measured(columns)


def _check(slices: Slices) -> None:
    columns = (slices.start, slices.duration, slices.track, slices.name, slices.type, slices.activity)
    if len({len(column) for column in (*columns, slices.correlation, slices.shape, slices.place)}) != 1:
        raise ValueError("columns of different lengths")
    if len(slices.dtype) not in (0, len(slices.start)):
        raise ValueError("columns of different lengths")
    if len(slices.start) >= 2**31 - 1:
        raise ValueError("too many slices")


def _grouped(slices: Slices, trace: Trace) -> tuple[Ints, GroupKeys, Ints]:
    """The group of each slice, in the order of the file; the keys of groups; their data types."""
    sides = np.stack([sides_of_activities(track.place) for track in trace.tracks] or [np.empty(256, np.uint8)])
    side = grouping.look_up(slices.track, slices.activity, sides)
    group, keys = grouping.group(side, slices.name, slices.type, slices.shape)
    dtype = np.full(len(keys), NOTHING, np.int32)
    if len(slices.dtype):
        dtype = grouping.agreed(group, len(dtype), slices.dtype)
    for texts, lowest in ((keys.name, 0), (keys.type, 0), (keys.shape, NOTHING), (dtype, NOTHING)):
        if len(texts) and not lowest <= int(texts.min()) <= int(texts.max()) < len(trace.texts):
            raise ValueError("a text that does not exist")
    return group, keys, dtype


def _sane(start: Longs, duration: Longs) -> tuple[Longs, Longs, dict[Count, int]]:
    """Times that can be computed with, and how many had to be changed."""
    if not len(start):
        return start, duration, {}
    counts: dict[Count, int] = {}
    if int(start.min()) < -_FURTHEST or int(start.max()) > _FURTHEST:
        counts["absurd_time"] = int(np.count_nonzero((start < -_FURTHEST) | (start > _FURTHEST)))
        start = np.clip(start, -_FURTHEST, _FURTHEST)
    if int(duration.min()) < 0:
        counts["negative_duration"] = int(np.count_nonzero(duration < 0))
        duration = np.maximum(duration, 0)
    if int(duration.max()) > _FURTHEST:
        counts["absurd_duration"] = int(np.count_nonzero(duration > _FURTHEST))
        duration = np.minimum(duration, _FURTHEST)
    return start, duration, counts


def _in_order(memory: Memory) -> Memory:
    """The curve by time: profilers write the events of a thread together."""
    order = np.argsort(memory.time, kind="stable")
    return Memory(memory.device, memory.time[order], memory.allocated[order], memory.reserved[order])


def _roles(activity: Bytes, trace: Trace, bounds: Longs) -> Bytes:
    """What rows are in a launch: calls of the host, device work."""
    tables = {place: np.full(256, role, np.uint8) for place, role in ((Place.HOST, CALL), (Place.DEVICE, WORK))}
    tables[Place.HOST][Activity.LAUNCH] = LAUNCH
    tables[Place.LAYER] = np.zeros(256, np.uint8)
    roles = np.empty(len(activity), np.uint8)
    for track, (first, last) in zip(trace.tracks, pairwise(bounds.tolist()), strict=True):
        roles[first:last] = translated(activity[first:last], tables[track.place])
    return roles


def _summed(rows: Rows, keys: GroupKeys, dtype: Ints, repeats: Ints) -> Groups:
    """Sums by group; a repeated call adds its self time to the one it belongs to, and nothing else."""
    groups = len(keys)
    group, counted = rows.group, is_counted(repeats, len(rows))
    if len(repeats):
        group = group.copy()
        group[repeats] = groups  # one more, for what is not summed
    sums = grouping.sum_groups(group, groups + 1, rows.duration, rows.self_time).first(groups)
    own = sums.self_time
    if len(repeats):
        above = nesting.nearest(rows.parent, counted.view(np.uint8))[repeats]
        own = own + grouping.add_up(rows.group[above], groups, rows.self_time[repeats])
    device_self = device_total = kernels = np.zeros(groups, np.int64)
    work = np.flatnonzero(rows.launched_by != NOTHING)
    if len(work):
        launched_time, launched_kernels = nesting.launched_within(rows.parent, rows.launched_by, rows.duration)
        device_total = grouping.add_up(group, groups + 1, launched_time)[:groups]
        kernels = grouping.add_up(group, groups + 1, launched_kernels)[:groups]
        del launched_time, launched_kernels
        is_operator = (rows.activity == Activity.OPERATOR) & counted
        above = nesting.nearest(rows.parent, is_operator.view(np.uint8))[rows.launched_by[work]]
        work, above = work[above != NOTHING], above[above != NOTHING]
        device_self = grouping.add_up(rows.group[above], groups, rows.duration[work])
    return Groups(
        side=keys.side,
        name=keys.name,
        type=keys.type,
        shape=keys.shape,
        dtype=dtype,
        count=sums.count,
        total=sums.total,
        self_time=own,
        shortest=sums.shortest,
        longest=sums.longest,
        device_self=device_self,
        device_total=device_total,
        kernels=kernels,
    )


def _no_slices() -> Slices:
    long, short, byte = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.uint8)
    return Slices(long, long, short, short, short, byte, long, short, long)
