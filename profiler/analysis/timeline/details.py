"""Details of one slice, and flows (arrows) between slices."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns import intervals, nesting
from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS, SIDES, Columns
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Ints, Longs

from .timeline import SliceRow, SliceTimes, children, entry, innermost

_MOST_LISTED: Final = 100  # children, and slices launched
_MOST_PARENTS: Final = 1000


class SliceParent(TypedDict):
    """A slice around another one."""

    row: int
    name: str


class _SliceFacts(SliceTimes):
    activity: str
    type: str
    shape: Annotated[str, "Shapes of the inputs; empty for none."]
    side: str
    start: Annotated[float, "Milliseconds after the origin of the recording."]
    duration: Annotated[float, "Milliseconds, as the other times."]
    self: float
    depth: Annotated[int, "How many slices are around it."]
    step: Annotated[int | None, "Number of the step it belongs to."]
    place: Annotated[int, "Where in the file its record begins."]
    parents: Annotated[list[SliceParent], "From the outermost to the one directly around it."]
    children: Annotated[list[SliceRow], "The first 100."]
    children_total: int
    launched: Annotated[list[SliceRow], "Device work it launched; the first 100."]
    launched_total: int
    launched_by: SliceRow | None
    stack: Annotated[list[str], "Where in the user's code."]


class SliceDetails(_SliceFacts, total=False):
    """All that is known of a slice but its arguments."""

    device_time: Annotated[float, "Of all device work launched by it or inside it; where launches were recorded."]
    kernels: Annotated[int, "How many kernels that was."]


def slice_details(columns: Columns, row: int) -> SliceDetails:
    """All that the columns tell of a slice; raises IndexError."""
    if not 0 <= row < len(columns.rows):
        raise IndexError(f"no slice {row}")
    rows, groups, texts = columns.rows, columns.groups, columns.trace.texts
    group = int(rows.group[row])
    parents = _parents(columns, row)
    below = children(columns, row)
    launched = np.flatnonzero(columns.rows.launched_by == row)
    launcher = int(rows.launched_by[row])
    here = entry(columns, row)
    details: SliceDetails = {
        "row": row,
        "name": here["name"],
        "track": here["track"],
        "lane": here["lane"],
        "start_ns": here["start_ns"],
        "duration_ns": here["duration_ns"],
        "type": texts[groups.type[group]],
        "shape": texts[groups.shape[group]] if groups.shape[group] != NOTHING else "",
        "side": SIDES[groups.side[group]],
        "activity": Activity(int(rows.activity[row])).name.lower() if rows.activity[row] in list(Activity) else "other",
        "start": int(rows.start[row]) / NS_PER_MS,
        "duration": int(rows.duration[row]) / NS_PER_MS,
        "self": int(rows.self_time[row]) / NS_PER_MS,
        "depth": len(parents),
        "step": step_of(columns, row),
        "place": int(rows.place[row]),
        "parents": [{"row": parent, "name": columns.name_of(parent)} for parent in parents],
        "children": [entry(columns, child) for child in below[:_MOST_LISTED].tolist()],
        "children_total": len(below),
        "launched": [entry(columns, work) for work in launched[:_MOST_LISTED].tolist()],
        "launched_total": len(launched),
        "launched_by": entry(columns, launcher) if launcher != NOTHING else None,
        "stack": [columns.name_of(parent) for parent in parents if rows.activity[parent] == Activity.PYTHON],
    }
    if columns.has_launches():
        work = launched_within(columns, row)
        details["device_time"], details["kernels"] = int(rows.duration[work].sum()) / NS_PER_MS, len(work)
    return details


def launched_within(columns: Columns, row: int) -> Longs:
    """The rows of all device work launched by a slice or by what lies in it; `Columns.launched` has sums of all."""
    last = int(columns.track_bounds[columns.tracks_of(row) + 1])  # what lies in it stands behind it on its track
    is_row = np.zeros(last - row, np.uint8)
    is_row[0] = True
    is_within = nesting.nearest(np.maximum(columns.rows.parent[row:last] - row, NOTHING), is_row) != NOTHING
    launched_by = columns.rows.launched_by
    work = np.flatnonzero((launched_by >= row) & (launched_by < last))
    return np.asarray(work[is_within[launched_by[work] - row]], np.int64)


def _parents(columns: Columns, row: int) -> list[int]:
    """From the outermost to the one directly around, at most so many."""
    ancestors: list[int] = []
    above = int(columns.rows.parent[row])
    while above != NOTHING and len(ancestors) < _MOST_PARENTS:
        ancestors.append(above)
        above = int(columns.rows.parent[above])
    return ancestors[::-1]


def step_of(columns: Columns, row: int) -> int | None:
    """The number of the step that a slice belongs to: device work to that of its launch."""
    launcher = int(columns.rows.launched_by[row])
    begin = int(columns.rows.start[row if launcher == NOTHING else launcher])
    inside = np.flatnonzero((columns.steps.begin <= begin) & (begin < columns.steps.end))
    return int(columns.steps.number[inside[-1]]) if len(inside) else None


@dataclass(frozen=True)
class Arrows:
    """All arrows of a recording, those of its file where it has some, else from launches to what they launched."""

    begin: Longs
    begin_track: Ints
    end: Longs
    end_track: Ints
    name: Ints  # index into names
    names: list[str]
    rows: tuple[Ints, Ints] | None  # of the slices they begin and end with; None where only times are known


def arrows(columns: Columns) -> Arrows:
    """What there is to draw between slices."""
    flows = columns.trace.flows
    if flows is not None and len(flows.begin):
        return Arrows(
            flows.begin, flows.begin_track, flows.end, flows.end_track, flows.name, columns.trace.texts, rows=None
        )
    rows = np.flatnonzero(columns.rows.launched_by != NOTHING).astype(np.int32)
    launchers = columns.rows.launched_by[rows]
    return Arrows(
        columns.rows.start[launchers],
        columns.tracks_of(launchers).astype(np.int32),
        columns.rows.start[rows],
        columns.tracks_of(rows).astype(np.int32),
        np.zeros(len(rows), np.int32),
        ["launch"],
        (launchers, rows),
    )


class FlowRow(TypedDict):
    """A flow between two slices, the innermost ones at its ends; row -1 for none."""

    name: str
    begin_ns: int
    begin_track: int
    begin_lane: int
    begin_row: int
    end_ns: int
    end_track: int
    end_lane: int
    end_row: int


@dataclass(frozen=True, kw_only=True)
class FlowList:
    """Arrows between slices, evenly sampled."""

    total: Annotated[int, "Number before sampling."]
    flows: list[FlowRow]


def flows(
    columns: Columns, from_ns: int, to_ns: int, *, tracks: Sequence[int] | None, limit: int, row: int | None = None
) -> FlowList:
    """Arrows of which an end lies in the range, at most so many, evenly chosen; see `Analysed.flows`."""
    all_ = arrows(columns)
    is_in = ((all_.begin >= from_ns) & (all_.begin < to_ns)) | ((all_.end >= from_ns) & (all_.end < to_ns))
    if tracks is not None:
        is_in &= np.isin(all_.begin_track, tracks) & np.isin(all_.end_track, tracks)
    if row is not None:
        is_in &= _is_of_slice(columns, all_, row)
    at = np.flatnonzero(is_in)
    chosen = at[np.unique(np.linspace(0, len(at) - 1, min(max(limit, 0), len(at))).astype(np.int64))] if len(at) else at
    return FlowList(total=len(at), flows=[_arrow(columns, all_, one) for one in chosen.tolist()])


def _is_of_slice(columns: Columns, all_: Arrows, row: int) -> NDArray[np.bool_]:
    """Which arrows begin or end with a slice; raises IndexError."""
    if not 0 <= row < len(columns.rows):
        raise IndexError(f"no slice {row}")
    if all_.rows is not None:
        return np.asarray((all_.rows[0] == row) | (all_.rows[1] == row), bool)
    start, track = int(columns.rows.start[row]), int(columns.tracks_of(row))
    end = start + int(columns.rows.duration[row])
    below = children(columns, row)
    covered = intervals.union(columns.rows.start[below], columns.rows.start[below] + columns.rows.duration[below])
    result = np.zeros(len(all_.begin), bool)
    for times, tracks in ((all_.begin, all_.begin_track), (all_.end, all_.end_track)):
        at = np.flatnonzero((tracks == track) & (times >= start) & (times <= end))
        # Most are of slices within it, which is seen at once; the others are looked up one by one.
        at = at[covered.until(times[at] + 1) == covered.until(times[at])]
        moments, number = np.unique(times[at], return_inverse=True)
        is_own = np.array([innermost(columns, track, moment) == row for moment in moments.tolist()], bool)
        result[at[is_own[number]]] = True
    return result


def _arrow(columns: Columns, all_: Arrows, at: int) -> FlowRow:
    begin, end = int(all_.begin[at]), int(all_.end[at])
    begin_track, end_track = int(all_.begin_track[at]), int(all_.end_track[at])
    if all_.rows is not None:
        begin_row, end_row = (int(rows[at]) for rows in all_.rows)
    else:
        begin_row, end_row = innermost(columns, begin_track, begin), innermost(columns, end_track, end)
    return {
        "name": all_.names[all_.name[at]],
        "begin_ns": begin,
        "begin_track": begin_track,
        "begin_lane": _lane(columns, begin_row),
        "begin_row": begin_row,
        "end_ns": end,
        "end_track": end_track,
        "end_lane": _lane(columns, end_row),
        "end_row": end_row,
    }


def _lane(columns: Columns, row: int) -> int:
    return int(columns.lanes.number[columns.lanes_of(row)]) if row != NOTHING else 0
