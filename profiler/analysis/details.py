"""One slice with all around it, and arrows between slices."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Longs

from .columns import NS_PER_MS, SIDES, Columns
from .timeline import children, entry, innermost

_MOST_LISTED: Final = 100  # children, and slices launched
_MOST_PARENTS: Final = 1000


def slice_details(columns: Columns, row: int) -> dict[str, Any]:
    """The answer of `Analysed.slice`."""
    if not 0 <= row < len(columns.rows):
        raise IndexError(f"there is no slice {row}")
    rows, texts = columns.rows, columns.trace.texts
    parents = _parents(columns, row)
    below = children(columns, row)
    launched = np.flatnonzero(columns.rows.launched_by == row)
    launcher = int(rows.launched_by[row])
    found = entry(columns, row) | {
        "type": texts[rows.type[row]],
        "shape": texts[rows.shape[row]] if rows.shape[row] != NOTHING else "",
        "side": SIDES[columns.groups.side[rows.group[row]]],
        "activity": Activity(int(rows.activity[row])).name.lower() if rows.activity[row] in list(Activity) else "other",
        "start": int(rows.start[row]) / NS_PER_MS,
        "duration": int(rows.duration[row]) / NS_PER_MS,
        "self": int(rows.self_time[row]) / NS_PER_MS,
        "depth": len(parents),
        "step": step_of(columns, row),
        "place": int(rows.place[row]),
        "parents": [{"row": parent, "name": texts[rows.name[parent]]} for parent in parents],
        "children": [entry(columns, child) for child in below[:_MOST_LISTED].tolist()],
        "children_total": len(below),
        "launched": [entry(columns, work) for work in launched[:_MOST_LISTED].tolist()],
        "launched_total": len(launched),
        "launched_by": entry(columns, launcher) if launcher != NOTHING else None,
        "stack": [texts[rows.name[parent]] for parent in parents if rows.activity[parent] == Activity.PYTHON],
    }
    if columns.has_launches():
        found |= {"device_time": int(rows.device_time[row]) / NS_PER_MS, "kernels": int(rows.kernels[row])}
    return found


def _parents(columns: Columns, row: int) -> list[int]:
    """From the outermost to the one directly around, at most so many."""
    found: list[int] = []
    above = int(columns.rows.parent[row])
    while above != NOTHING and len(found) < _MOST_PARENTS:
        found.append(above)
        above = int(columns.rows.parent[above])
    return found[::-1]


def step_of(columns: Columns, row: int) -> int | None:
    """The number of the step that a slice belongs to: device work to that of its launch."""
    launcher = int(columns.rows.launched_by[row])
    begin = int(columns.rows.start[row if launcher == NOTHING else launcher])
    inside = np.flatnonzero((columns.steps.begin <= begin) & (begin < columns.steps.end))
    return int(columns.steps.number[inside[-1]]) if len(inside) else None


def flows(columns: Columns, from_ns: int, to_ns: int, *, tracks: Sequence[int] | None, limit: int) -> dict[str, Any]:
    """The answer of `Analysed.flows`: arrows of which an end lies in the range, at most so many, evenly chosen.

    Arrows of the file where it has some, else from launches to the device work they launched.
    """
    flows = columns.trace.flows
    rows: Longs | None = None
    if flows is not None and len(flows.begin):
        begin, end, begin_track, end_track = flows.begin, flows.end, flows.begin_track, flows.end_track
    else:
        rows = np.flatnonzero(columns.rows.launched_by != NOTHING)
        launchers = columns.rows.launched_by[rows]
        begin, end = columns.rows.start[launchers], columns.rows.start[rows]
        begin_track = columns.tracks_of(launchers).astype(np.int32)
        end_track = columns.tracks_of(rows).astype(np.int32)
    is_in = ((begin >= from_ns) & (begin < to_ns)) | ((end >= from_ns) & (end < to_ns))
    if tracks is not None:
        is_in &= np.isin(begin_track, tracks) & np.isin(end_track, tracks)
    at = np.flatnonzero(is_in)
    shown = at[np.unique(np.linspace(0, len(at) - 1, min(max(limit, 0), len(at))).astype(np.int64))] if len(at) else at
    found = []
    for one in shown.tolist():
        if flows is not None and rows is None:
            name = columns.trace.texts[flows.name[one]]
            ends = [innermost(columns, int(begin_track[one]), int(begin[one]))]
            ends.append(innermost(columns, int(end_track[one]), int(end[one])))
        elif rows is not None:
            name = "launch"
            ends = [int(columns.rows.launched_by[rows[one]]), int(rows[one])]
        found.append(
            {
                "name": name,
                "begin_ns": int(begin[one]),
                "begin_track": int(begin_track[one]),
                "begin_lane": _lane(columns, ends[0]),
                "begin_row": ends[0],
                "end_ns": int(end[one]),
                "end_track": int(end_track[one]),
                "end_lane": _lane(columns, ends[1]),
                "end_row": ends[1],
            }
        )
    return {"total": len(at), "flows": found}


def _lane(columns: Columns, row: int) -> int:
    return int(columns.lanes.number[columns.lanes_of(row)]) if row != NOTHING else 0
