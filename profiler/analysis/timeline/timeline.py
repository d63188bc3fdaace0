"""Timeline: tracks and lanes, visible rectangles of a time range, search, statistics of a selection."""

from __future__ import annotations

import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns import drawing, grouping, intervals
from mindinsight_like.profiler.analysis.columns.columns import LAYER_SIDE, NS_PER_MS, Columns
from mindinsight_like.profiler.analysis.columns.tables import TableColumn, columns_of, page
from mindinsight_like.profiler.analysis.operators.operator_table import OperatorRow
from mindinsight_like.profiler.analysis.operators.operators import (
    by_groups,
    first_of,
    operator_rows,
    replace_groups,
    rows_of_groups,
)
from mindinsight_like.profiler.traces.trace import NOTHING, Ints, Longs, Place

from . import shared_lanes

_HEADER: Final = struct.Struct("<4sIqqI")
_VERSION: Final = 1
_FURTHEST: Final = 2**61  # beyond the ends of any slice, and differences still fit
_WIDEST: Final = 20_000  # pixels
_MOST_SELECTED: Final = 1000


class TrackRow(TypedDict):
    """A thread of the host or a stream of a device."""

    id: int
    name: str
    process: str
    place: str
    device: Annotated[int, "Number of the device; -1 for none."]
    order: int
    lanes: Annotated[int, "Number of rows in which its slices are drawn."]
    slices: int


class TraceCounter(TypedDict):
    """A counter of the recording."""

    id: int
    name: str
    unit: str


@dataclass(frozen=True, kw_only=True)
class TrackList:
    """Tracks and counters of a recording."""

    from_ns: int  # begin of the first slice
    to_ns: int  # end of the last one
    origin_ns: int  # unix time of 0; 0 where only differences are known
    tracks: list[TrackRow]
    counters: list[TraceCounter]


class SliceTimes(TypedDict):
    """Where a slice is on the timeline; nanoseconds after the origin of the recording."""

    row: Annotated[int, "Its number, the same in all responses."]
    name: str
    track: int
    lane: int
    start_ns: int
    duration_ns: int


class SliceRow(SliceTimes):
    """A slice in a list."""

    activity: Annotated[int, "Number of its kind, as in the binary columns of the timeline."]


@dataclass(frozen=True, kw_only=True)
class SliceSearch:
    """Slices whose names match, in order of time."""

    total: Annotated[int, "Number of slices before pagination."]
    names: Annotated[list[str], "The names that match, at most 1000."]
    rows: list[SliceRow]
    density: Annotated[list[int], "Number of matches that start in each of equal parts of the profile."]


@dataclass(frozen=True, kw_only=True)
class TimelineSelection:
    """Operators in a time range, by name. Only the time inside the range counts."""

    total: Annotated[int, "Number of rows; at most 1000 are returned."]
    from_ns: int
    to_ns: int
    columns: list[TableColumn]
    rows: list[OperatorRow]


def tracks(columns: Columns) -> TrackList:
    """All tracks but those without slices."""
    first, last = columns.span
    bounds = columns.track_bounds.tolist()
    lanes = np.bincount(columns.lanes.track, minlength=len(columns.trace.tracks)).tolist()
    entries: list[TrackRow] = [
        {
            "id": at,
            "name": track.name,
            "process": track.process,
            "place": Place(track.place).name.lower(),
            "device": track.device,
            "order": track.order,
            "lanes": lanes[at],
            "slices": bounds[at + 1] - bounds[at],
        }
        for at, track in enumerate(columns.trace.tracks)
        if bounds[at + 1] > bounds[at]
    ]
    counters: list[TraceCounter] = [
        {"id": at, "name": one.name, "unit": one.unit} for at, one in enumerate(columns.trace.counters)
    ]
    return TrackList(from_ns=first, to_ns=last, origin_ns=columns.trace.origin, tracks=entries, counters=counters)


def window(columns: Columns, from_ns: int, to_ns: int, width: int, tracks: Sequence[int] | None = None) -> bytes:
    """Rectangles for a screen of so many pixels, little-endian.

    Header: `MITL`, u32 version, i64 from_ns, i64 to_ns, u32 groups; per group u32 track, u32 lane, u32 n. Then, N being
    the sum of all n and groups in the order of the header: begin f64[N] (nanoseconds after from_ns, negative where a
    slice begins before), duration f64[N], name u32[N], row u32[N] (of the longest slice there), count u32[N] (slices
    drawn as this one), activity u8[N], filled up with zeros to a multiple of 4 bytes. Nothing stands between them, so
    that columns may begin at any multiple of 4. Slices as wide as a pixel are all there; narrower neighbours that begin
    in the same pixel are one. Of the last lane of a track with more slices at a time than lanes, whose slices may
    overlap, see `shared_lanes.draw`. Raises ValueError for an impossible window.
    """
    if not 0 < width <= _WIDEST:
        raise ValueError(f"a window is 1 to {_WIDEST} pixels wide")
    if to_ns <= from_ns:
        raise ValueError("a window must end after it starts")
    from_ns = min(max(from_ns, -_FURTHEST), _FURTHEST)
    to_ns = min(max(to_ns, from_ns + 1), 2 * _FURTHEST)
    rows, lanes = columns.rows, _lanes_of_tracks(columns, tracks)
    is_shared = shared_lanes.are_shared(columns, lanes)
    shared, lanes = lanes[is_shared], lanes[~is_shared]
    drawn = drawing.draw(rows.start, rows.duration, columns.pyramid, columns.lanes.bounds, lanes, from_ns, to_ns, width)
    for lane in shared.tolist():
        lanes = np.append(lanes, lane)
        drawn = drawn.with_lane(shared_lanes.draw(columns, lane, from_ns, to_ns, width))
    lanes, per_lane = lanes[drawn.per_lane > 0], drawn.per_lane[drawn.per_lane > 0]
    groups = np.stack((columns.lanes.track[lanes], columns.lanes.number[lanes], per_lane), axis=1)
    header = _HEADER.pack(b"MITL", _VERSION, from_ns, to_ns, len(groups))
    times = ((drawn.begin - from_ns).astype("<f8"), (drawn.end - drawn.begin).astype("<f8"))
    numbers = (column.astype("<u4") for column in (columns.names_of(drawn.row), drawn.row, drawn.count))
    activity = rows.activity[drawn.row].tobytes()
    parts = (groups.astype("<u4"), *times, *numbers)
    return b"".join((header, *(part.tobytes() for part in parts), activity, bytes(-len(activity) % 4)))


def _lanes_of_tracks(columns: Columns, tracks: Sequence[int] | None) -> Longs:
    if tracks is None:
        return np.arange(len(columns.lanes.track))
    return np.flatnonzero(np.isin(columns.lanes.track, np.array(tracks, np.int64)))


def lanes_in(
    columns: Columns, from_ns: int, to_ns: int, tracks: Sequence[int] | None
) -> Iterator[tuple[int, int, int]]:
    """Lanes with the first row that touches the range and the one after the last; empty ones are left out.

    Lanes whose slices may overlap come in several stretches, who reaches out of the range alone. A slice without
    duration touches the range where it lies in it, as [from, to).
    """
    rows, bounds = columns.rows, columns.lanes.bounds
    for lane in _lanes_of_tracks(columns, tracks).tolist():
        if shared_lanes.is_shared(columns, lane):
            for first, last in shared_lanes.stretches_in(columns, lane, from_ns, to_ns):
                yield lane, first, last
            continue
        low, high = int(bounds[lane]), int(bounds[lane + 1])
        first, last = (low + np.searchsorted(rows.start[low:high], (from_ns, to_ns))).tolist()
        # Only the one before can reach into the range: slices of a lane do not overlap.
        if first > low and rows.start[first - 1] + rows.duration[first - 1] > from_ns:
            first -= 1
        if last > first:
            yield lane, first, last


def search(columns: Columns, query: str, *, offset: int, limit: int, density: int) -> SliceSearch:
    """Names first, then their slices; see `Analysed.search`."""
    words = query.lower().split()
    names = [at for at, text in enumerate(columns.lower_texts) if words and all(word in text for word in words)]
    groups = np.flatnonzero(np.isin(columns.groups.name, names)) if names else np.empty(0, np.int64)
    matches = rows_of_groups(columns, groups)
    starts = columns.rows.start[matches]
    page_rows = matches[first_of(starts, matches, offset, limit)]
    first, last = columns.span
    parts = (starts - first) * (density / max(last - first, 1))
    counts = np.bincount(np.minimum(parts.astype(np.int32), density - 1), minlength=density)
    used = np.unique(columns.groups.name[groups]).tolist()
    return SliceSearch(
        total=len(matches),
        names=[columns.trace.texts[name] for name in used[:1000]],
        rows=[entry(columns, row) for row in page_rows.tolist()],
        density=counts.tolist(),
    )


def entry(columns: Columns, row: int) -> SliceRow:
    """A slice in a list."""
    rows, lane = columns.rows, int(columns.lanes_of(row))
    return {
        "row": row,
        "name": columns.name_of(row),
        "activity": int(rows.activity[row]),
        "track": int(columns.lanes.track[lane]),
        "lane": int(columns.lanes.number[lane]),
        "start_ns": int(rows.start[row]),
        "duration_ns": int(rows.duration[row]),
    }


def selection(columns: Columns, from_ns: int, to_ns: int, tracks: Sequence[int] | None) -> TimelineSelection:
    """The operator table of a range of time; see `Analysed.selection`."""
    if to_ns <= from_ns:
        raise ValueError("a selection must end after it starts")
    groups = len(columns.groups.side)
    count, total, own = np.zeros((3, groups), np.int64)
    shortest, longest = np.full(groups, np.iinfo(np.int64).max), np.zeros(groups, np.int64)
    touched = list(lanes_in(columns, from_ns, to_ns, tracks))
    own_of_cut = _own_of_cut(columns, from_ns, to_ns, touched)
    for _, first, last in touched:
        group = columns.rows.group[first:last]
        inside, own_inside = _clipped(columns, first, last, from_ns, to_ns, own_of_cut)
        sums = grouping.sum_groups(group, groups, inside, own_inside)
        count += sums.count
        total += sums.total
        own += sums.self_time
        np.minimum(shortest, sums.shortest, out=shortest)
        np.maximum(longest, sums.longest, out=longest)
    is_there = count > 0
    if tracks is None:
        is_there &= columns.groups.side != LAYER_SIDE
    at = np.flatnonzero(is_there)
    summed = replace(columns.groups, count=count, total=total, self_time=own, shortest=shortest, longest=longest)
    table = by_groups(columns, replace_groups(summed, at), "name")
    table = {name: column for name, column in table.items() if name not in ("device_total", "device_self", "kernels")}
    table["share"] = table["self"] / (int(own[at].sum()) / NS_PER_MS or 1.0)
    return TimelineSelection(
        total=len(table["name"]),
        from_ns=from_ns,
        to_ns=to_ns,
        columns=columns_of(table),
        rows=operator_rows(page(table, "-self", 0, _MOST_SELECTED)),
    )


def _clipped(
    columns: Columns, first: int, last: int, from_ns: int, to_ns: int, own_of_cut: dict[int, int]
) -> tuple[Longs, Longs | Ints]:
    """Durations and self times inside the range of neighbours in a lane; only the outer two can reach out of it."""
    rows = columns.rows
    duration, own = rows.duration[first:last].copy(), rows.self_time[first:last].copy()
    for at in {0, last - first - 1}:
        if first + at in own_of_cut:
            begin, end = int(rows.start[first + at]), int(rows.start[first + at] + duration[at])
            duration[at] = min(end, to_ns) - max(begin, from_ns)
            own[at] = own_of_cut[first + at]
    return duration, own


def _own_of_cut(columns: Columns, from_ns: int, to_ns: int, touched: Sequence[tuple[int, int, int]]) -> dict[int, int]:
    """For each row that reaches out of the range the part of its self time inside."""
    rows = columns.rows
    outer = np.unique([row for _, first, last in touched for row in (first, last - 1)]).astype(np.int64)
    begin, end = rows.start[outer], rows.start[outer] + rows.duration[outer]
    is_cut = (begin < from_ns) | (end > to_ns)
    cut = outer[is_cut]
    if not len(cut):
        return {}
    # One look at every lane: with hundreds of them in a track, looking for what lies within each takes seconds.
    number_of = np.full(len(rows) + 1, NOTHING, np.int32)  # the last one is for rows with nothing above them
    number_of[cut] = np.arange(len(cut))
    inner = [first + np.flatnonzero(number_of[rows.parent[first:last]] != NOTHING) for _, first, last in touched]
    below = np.concatenate(inner)
    number = number_of[rows.parent[below]]
    order = np.argsort(number, kind="stable")
    below, bounds = below[order], np.searchsorted(number[order], np.arange(len(cut) + 1))
    self_times = {}
    for at, row in enumerate(cut.tolist()):
        inside = (max(int(rows.start[row]), from_ns), min(int(rows.start[row] + rows.duration[row]), to_ns))
        members = below[bounds[at] : bounds[at + 1]]
        starts = rows.start[members]
        covered = intervals.union(starts, starts + rows.duration[members])
        self_times[row] = inside[1] - inside[0] - int(covered.within(np.array([inside[0]]), np.array([inside[1]]))[0])
    return self_times


def children(columns: Columns, row: int) -> Longs:
    """The rows of the slices directly within a slice, in order of lanes and time."""
    rows, lanes = columns.rows, columns.lanes
    lane, parts = int(columns.lanes_of(row)), [np.empty(0, np.int64)]
    begin, end = int(rows.start[row]), int(rows.start[row] + rows.duration[row])
    track = lanes.track[lane]
    while lane < len(lanes.track) and lanes.track[lane] == track:
        low, high = int(lanes.bounds[lane]), int(lanes.bounds[lane + 1])
        first, last = low + np.searchsorted(rows.start[low:high], (begin, end + 1))
        parts.append(first + np.flatnonzero(rows.parent[first:last] == row))
        lane += 1
    return np.concatenate(parts)


def innermost(columns: Columns, track: int, time: int) -> int:
    """The row of the lowest slice of a track at a time, -1 for none."""
    lanes: NDArray[np.int64] = np.flatnonzero(columns.lanes.track == track)
    starts: Longs = columns.rows.start
    durations: Longs = columns.rows.duration
    bounds: Longs | Ints = columns.lanes.bounds
    for lane in lanes[::-1].tolist():
        if shared_lanes.is_shared(columns, lane):
            if (row := shared_lanes.last_at(columns, lane, time)) != NOTHING:
                return row
            continue
        low, high = int(bounds[lane]), int(bounds[lane + 1])
        at = low + int(np.searchsorted(starts[low:high], time, "right")) - 1
        if at >= low and starts[at] + durations[at] >= time:
            return at
    return -1
