"""From the slices of a recording to its columns: ordered, nested, grouped, measured."""

from __future__ import annotations

import numpy as np

from mindinsight_like.profiler.traces.files import Progress
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Bytes, Ints, Longs, Memory, Place, Slices, Trace

from . import drawing, grouping, nesting, steps
from .columns import MOST_LANES, Columns, Groups, Lanes, Rows, sides_of_activities
from .nesting_twin import CALL, LAUNCH, WORK
from .repeats import is_counted, repeated_rows

_FURTHEST = 2**61  # nanoseconds from the origin, 73 years: ends and differences of such times fit


def build(trace: Trace, progress: Progress) -> Columns:
    """Everything that is computed once; the slices are taken out of the trace."""
    slices = trace.slices or _no_slices()
    trace.slices = None
    trace.memory = [_in_order(memory) for memory in trace.memory]
    _check(slices, trace)
    start, duration, counts = _sane(slices.start, slices.duration)
    order, bounds = nesting.time_order(slices.track, start, duration, len(trace.tracks))
    progress(0.2)
    positions, parent, self_time, lane_track, lane_number, lane_bounds, overlapping, squeezed = nesting.nest(
        order, bounds, start, duration, MOST_LANES
    )
    del order
    lanes = Lanes(lane_track, lane_number, lane_bounds)
    counts |= {"overlapping": overlapping, "drawn_over_others": squeezed}
    progress(0.4)
    positions = positions.astype(np.int64)  # once, not for every column
    start, duration = start.take(positions), duration.take(positions)
    name, type, shape = (column.take(positions) for column in (slices.name, slices.type, slices.shape))
    activity, place = slices.activity.take(positions), _compact(slices.place).take(positions)
    dtype = slices.dtype.take(positions) if len(slices.dtype) else slices.dtype
    role = _by_place(activity, trace, bounds, _roles())
    launched_by = nesting.launchers(slices.correlation.take(positions), role)
    del slices, positions, role
    progress(0.5)
    side = _by_place(activity, trace, bounds, {place: sides_of_activities(place) for place in Place})
    group, keys = grouping.group(side, name, type, shape)
    repeats = repeated_rows(trace, parent, name, activity)
    counts["repeated_operators"] = len(repeats)
    device_time, kernels = _device_time(launched_by, duration, parent)
    rows = Rows(
        start, duration, self_time, name, type, shape, activity, place, parent, launched_by, group, device_time, kernels
    )
    groups = _summed(rows, keys, _agreed(dtype, group, len(keys[0])), repeats)
    del dtype
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


def _check(slices: Slices, trace: Trace) -> None:
    columns = (slices.start, slices.duration, slices.track, slices.name, slices.type, slices.activity)
    if len({len(column) for column in (*columns, slices.correlation, slices.shape, slices.place)}) != 1:
        raise ValueError("columns of different lengths")
    if len(slices.dtype) not in (0, len(slices.start)):
        raise ValueError("columns of different lengths")
    if len(slices.start) >= 2**31 - 1:
        raise ValueError("more slices than can be numbered")
    if not len(slices.start):
        return
    for texts, lowest in ((slices.name, 0), (slices.type, 0), (slices.shape, NOTHING), (slices.dtype, NOTHING)):
        if len(texts) and not lowest <= int(texts.min()) <= int(texts.max()) < len(trace.texts):
            raise ValueError("a text that does not exist")


def _sane(start: Longs, duration: Longs) -> tuple[Longs, Longs, dict[str, int]]:
    """Times that can be computed with, and how many had to be changed."""
    if not len(start):
        return start, duration, {}
    counts: dict[str, int] = {}
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


def _compact(places: Longs) -> Longs | Ints:
    """Places of records in half the room, where the file is not larger than they can tell."""
    return places.astype(np.int32) if len(places) and int(places.max()) < 2**31 else places


def _in_order(memory: Memory) -> Memory:
    """The curve by time: profilers write the events of a thread together."""
    order = np.argsort(memory.time, kind="stable")
    return Memory(memory.device, memory.time[order], memory.allocated[order], memory.reserved[order])


def _by_place(activity: Bytes, trace: Trace, bounds: Longs, tables: dict[Place, Bytes]) -> Bytes:
    """For each row what the table of its kind of track says of its activity."""
    found = np.empty(len(activity), np.uint8)
    for track, first, last in zip(trace.tracks, bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
        found[first:last] = tables[track.place][activity[first:last]]
    return found


def _roles() -> dict[Place, Bytes]:
    """What rows are in a launch: calls of the host, device work."""
    roles = {place: np.full(256, role, np.uint8) for place, role in ((Place.HOST, CALL), (Place.DEVICE, WORK))}
    roles[Place.HOST][Activity.LAUNCH] = LAUNCH
    return roles | {Place.LAYER: np.zeros(256, np.uint8)}


def _device_time(launched_by: Ints, duration: Longs, parent: Ints) -> tuple[Longs, Ints]:
    launched = np.flatnonzero(launched_by != NOTHING)
    if not len(launched):
        return np.empty(0, np.int64), np.empty(0, np.int32)
    launchers = launched_by[launched]
    times = grouping.add_up(launchers, len(duration), duration[launched])
    kernels = np.bincount(launchers, minlength=len(duration)).astype(np.int32)
    nesting.hand_up(parent, times, kernels)
    return times, kernels


def _agreed(dtype: Ints, group: Ints, groups: int) -> Ints:
    """The data types of each group, NOTHING where its slices have different ones."""
    found = np.full(groups, NOTHING, np.int32)
    if len(dtype):
        found[group] = dtype
        found[group[found[group] != dtype]] = NOTHING
    return found


def _summed(rows: Rows, keys: tuple[Bytes, Ints, Ints, Ints], dtype: Ints, repeats: Ints) -> Groups:
    """Sums by group; a repeated call adds its self time to the one it belongs to, and nothing else."""
    groups = len(keys[0])
    group, own = rows.group, rows.self_time
    counted = is_counted(repeats, len(rows))
    if len(repeats):
        group, own = group.copy(), own.copy()
        group[repeats] = groups  # one more, for what is not summed
        np.add.at(own, nesting.nearest(rows.parent, counted.view(np.uint8))[repeats], own[repeats])
    sums = grouping.sum_groups(group, groups + 1, rows.duration, own)
    count, total, own_total, shortest, longest = (column[:groups] for column in sums)
    device_self = device_total = kernels = np.zeros(groups, np.int64)
    if len(rows.device_time):
        is_operator = (rows.activity == Activity.OPERATOR) & counted
        operator = nesting.nearest(rows.parent, is_operator.view(np.uint8))
        launched = np.flatnonzero(rows.launched_by != NOTHING)
        above = operator[rows.launched_by[launched]]
        launched, above = launched[above != NOTHING], above[above != NOTHING]
        device_self = grouping.add_up(rows.group[above], groups, rows.duration[launched])
        device_total = grouping.add_up(group, groups + 1, rows.device_time)[:groups]
        kernels = grouping.add_up(group, groups + 1, rows.kernels.astype(np.int64))[:groups]
    posted, bounds = grouping.postings(rows.group, groups)
    times = (total, own_total, shortest, longest, device_self, device_total)
    return Groups(*keys, dtype, count, *times, kernels, posted, bounds)


def _no_slices() -> Slices:
    long, short, byte = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.uint8)
    return Slices(long, long, short, short, short, byte, long, short, long)
