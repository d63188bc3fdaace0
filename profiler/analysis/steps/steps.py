"""Training steps: boundaries, breakdown of their time, outliers. `step_list` returns them."""

from __future__ import annotations

import re
from dataclasses import replace
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns import grouping, intervals
from mindinsight_like.profiler.analysis.columns.columns import Columns, StepTable, translated
from mindinsight_like.profiler.analysis.columns.medians import median
from mindinsight_like.profiler.traces.trace import NOT_GIVEN, NOTHING, Activity, Ints, Longs, Place, Steps

from .outliers import explain, is_unusual

PARTS: Final = ("compute", "communication", "copy", "launch", "input_wait", "host_operators", "python", "other")
_NO_PART: Final = 255
# Time that several parts claim goes to the first of them.
_WITH_DEVICE: Final = ("compute", "communication", "copy", "launch", "input_wait", "host_operators", "python")
# Loading data runs operators too, but the training waits for it.
_WITHOUT_DEVICE: Final = ("input_wait", "compute", "communication", "copy", "launch", "python")

_NONE = np.empty(0, np.int64)
_NO = np.empty(0, np.bool_)
_NO_TIMES = np.empty((0, len(PARTS)), np.int64)
NO_STEPS = StepTable(PARTS, _NONE, _NONE, _NONE, _NONE, _NONE, _NONE, _NO_TIMES, _NONE, _NO, _NO, _NO, {})


def measured(columns: Columns) -> Columns:
    """The same with the table of its steps."""
    recorded = columns.trace.steps
    steps = recorded if recorded is not None else _from_slices(columns)
    if not len(steps.number):
        return replace(columns, steps=NO_STEPS)
    begin, end = steps.begin, np.maximum(steps.begin, steps.end)
    part_times, overlapped, is_measured = _breakdown(columns, begin, end, steps.waiting_tracks)
    if recorded is not None:
        _take_over(recorded, end - begin, part_times, overlapped, is_measured)
        # The first step of a device's own marks begins with its forward pass: what was before is not known.
        is_partial = (np.arange(len(begin)) == 0) & (steps.forward_begin != NOTHING) & (steps.forward_begin <= begin)
    else:
        is_partial = _cut_off(_slices_in(columns, begin, end))
    table = StepTable(
        PARTS,
        steps.number,
        begin,
        end,
        *_phases(steps, begin, end),
        part_times,
        overlapped,
        is_measured,
        is_partial,
        is_unusual(end - begin, is_partial),
        {},
    )
    return replace(columns, steps=replace(table, why=explain(columns, table)))


def _from_slices(columns: Columns) -> Steps:
    """Steps as marked on the host's track (or any) with most of them, which is the one that waits for data."""
    rows = np.flatnonzero(columns.rows.activity == Activity.STEP)
    parents = columns.rows.parent[rows]
    is_inner = (parents != NOTHING) & (columns.rows.activity[parents] == Activity.STEP)
    rows = rows[~is_inner]
    track_of = columns.tracks_of(rows)
    tracks, counts = np.unique(track_of, return_counts=True)
    places = [columns.trace.tracks[track].place for track in tracks]
    candidates = [
        (place == Place.HOST, int(count), -int(track))
        for track, count, place in zip(tracks, counts, places, strict=True)
        if place != Place.LAYER
    ]
    chosen = -max(candidates)[2] if candidates else NOTHING
    rows = rows[track_of == chosen]
    rows = rows[np.argsort(columns.rows.start[rows], kind="stable")]
    begin = columns.rows.start[rows]
    unknown = np.full(len(rows), NOTHING, np.int64)
    return Steps(
        _numbers([columns.trace.texts[name] for name in columns.names_of(rows).tolist()]),
        begin,
        begin + columns.rows.duration[rows],
        *(unknown for _ in range(6)),
        waiting_tracks=(chosen,),
    )


def _numbers(names: list[str]) -> Longs:
    """The last number of each name; counted from 1 where the names do not tell steps apart."""
    matches = [re.search(r"(\d{1,18})\D*$", name) for name in names]
    if names and all(matches) and len(set(names)) == len(names):
        return np.array([int(match[1]) for match in matches if match], np.int64)
    return np.arange(1, len(names) + 1, dtype=np.int64)


def _parts_of_activities(place: Place, has_device: bool) -> NDArray[np.uint8]:
    parts = np.full(256, _NO_PART, np.uint8)
    if place == Place.LAYER:
        return parts
    host = "host_operators" if has_device and place == Place.HOST else "compute"
    words = {
        Activity.OPERATOR: host,
        Activity.KERNEL: "compute",
        Activity.AI_CPU: "compute",
        Activity.COMMUNICATION: "communication",
        Activity.COPY: "copy",
        Activity.FILL: "copy",
    }
    if place == Place.HOST:
        words |= {
            Activity.LAUNCH: "launch",
            Activity.WAIT: "launch",
            Activity.DATA: "input_wait",
            Activity.PYTHON: "python",
            Activity.ANNOTATION: "python",
        }
    for activity, part in words.items():
        parts[activity] = PARTS.index(part)
    return parts


def _breakdown(
    columns: Columns, begin: Longs, end: Longs, waiting_tracks: tuple[int, ...] | None
) -> tuple[Longs, Longs, NDArray[np.bool_]]:
    """For each step the time of each part, communication hidden behind computing, and whether slices tell of it."""
    unions = part_unions(columns, waiting_tracks)
    recorded = np.sum([each.within(begin, end) for each in unions.values()], axis=0)
    unions["communication"] = unions["communication"] | recorded_communication(columns)
    times = np.zeros((len(begin), len(PARTS)), np.int64)
    covered, covered_before = intervals.EMPTY, np.zeros(len(begin), np.int64)
    for part in _WITH_DEVICE if has_device(columns) else _WITHOUT_DEVICE:
        covered = covered | unions[part]
        covered_now = covered.within(begin, end)
        times[:, PARTS.index(part)] = covered_now - covered_before
        covered_before = covered_now
    times[:, PARTS.index("other")] = end - begin - covered_before
    computing, talking = unions["compute"], unions["communication"]
    both = (computing | talking).within(begin, end)
    overlapped = computing.within(begin, end) + talking.within(begin, end) - both
    return times, overlapped, recorded > 0


def recorded_communication(columns: Columns) -> intervals.Union:
    """Collective operations that a format gives apart from slices; alone they do not tell what a step was spent on."""
    collectives = columns.trace.collectives
    return intervals.union(collectives.begin, collectives.end) if collectives is not None else intervals.EMPTY


def has_device(columns: Columns) -> bool:
    """Whether any work was recorded on a device: without, the host's operators are the computing."""
    works = np.zeros(256, np.uint8)
    works[[Activity.OPERATOR, Activity.KERNEL, Activity.AI_CPU, Activity.COPY, Activity.COMMUNICATION]] = 1
    bounds = columns.track_bounds
    return any(
        track.place == Place.DEVICE and translated(columns.rows.activity[bounds[at] : bounds[at + 1]], works).any()
        for at, track in enumerate(columns.trace.tracks)
    )


def part_unions(columns: Columns, waiting_tracks: tuple[int, ...] | None = None) -> dict[str, intervals.Union]:
    """The time that each part claims, before any priority; loading data claims only the tracks that wait for it.

    What processes beside the training do is no part of its steps.
    """
    rows, bounds = columns.rows, columns.track_bounds
    is_with_device = has_device(columns)
    part = np.empty(len(rows), np.uint8)
    for at, track in enumerate(columns.trace.tracks):
        table = _parts_of_activities(track.place, is_with_device)
        if waiting_tracks is not None and at not in waiting_tracks:
            table[Activity.DATA] = _NO_PART
        if track.is_helper:
            table[:] = _NO_PART
        here = slice(bounds[at], bounds[at + 1])
        part[here] = translated(rows.activity[here], table)
    # What lies in a slice of the same part adds nothing.
    claiming, heads = grouping.outermost(part, rows.parent, len(PARTS))
    unions = {}
    for name, (first, last) in zip(PARTS, pairwise(heads.tolist()), strict=True):
        unions[name] = _covered(columns, claiming[first:last])
    if not is_with_device and len(unions["communication"].begin):
        of_part = {name: claiming[heads[at] : heads[at + 1]] for at, name in enumerate(PARTS)}
        unions["compute"] = _computing(columns, of_part["compute"], of_part["communication"])
    return unions


def _covered(columns: Columns, rows: Ints) -> intervals.Union:
    begin = columns.rows.start[rows]
    return intervals.union(begin, begin + columns.rows.duration[rows])


def _computing(columns: Columns, computing: Ints, talking: Ints) -> intervals.Union:
    """The time in which a host computes: a thread that is in a collective waits, whatever operator called it."""
    bounds = columns.track_bounds
    busy = intervals.EMPTY
    rest = computing
    for track in np.unique(columns.tracks_of(talking)).tolist():
        first, last = np.searchsorted(rest, bounds[[track, track + 1]])  # rows are in the order of tracks
        own, rest = rest[first:last], np.concatenate((rest[:first], rest[last:]))
        first, last = np.searchsorted(talking, bounds[[track, track + 1]])
        busy = busy | (_covered(columns, own) - _covered(columns, talking[first:last]))
    return busy | _covered(columns, rest)


def _take_over(
    recorded: Steps, duration: Longs, times: Longs, overlapped: Longs, is_measured: NDArray[np.bool_]
) -> None:
    """Fills in what the profiler itself computed, for steps of which it left no slices."""
    is_recorded = ~is_measured & (recorded.computing != NOT_GIVEN)
    is_measured |= is_recorded
    exposed = np.maximum(recorded.exposed_communication, 0)
    computing = np.clip(recorded.computing, 0, duration)
    exposed = np.clip(exposed, 0, duration - computing)
    times[is_recorded] = 0
    times[is_recorded, PARTS.index("compute")] = computing[is_recorded]
    times[is_recorded, PARTS.index("communication")] = exposed[is_recorded]
    times[is_recorded, PARTS.index("other")] = (duration - computing - exposed)[is_recorded]
    hidden = np.clip(recorded.communication - np.maximum(recorded.exposed_communication, 0), 0, duration)
    overlapped[is_recorded] = hidden[is_recorded]


def _slices_in(columns: Columns, begin: Longs, end: Longs) -> Longs:
    counts = np.zeros(len(begin), np.int64)
    bounds = columns.lanes.bounds.tolist()
    for first, last in pairwise(bounds):
        starts = columns.rows.start[first:last]
        counts += np.searchsorted(starts, end) - np.searchsorted(starts, begin)
    return counts


def _cut_off(slices: Longs) -> NDArray[np.bool_]:
    """Recording may begin or end within a step: then the first or the last has far fewer slices than others."""
    is_partial = np.zeros(len(slices), np.bool_)
    for at in (0, -1):
        others = np.delete(slices, at)
        is_partial[at] = len(others) > 0 and slices[at] < median(others) / 2
    return is_partial


def _phases(steps: Steps, begin: Longs, end: Longs) -> tuple[Longs, Longs, Longs]:
    is_known = (steps.forward_begin != NOTHING) & (steps.backward_end != NOTHING)
    parts = (steps.forward_begin - begin, steps.backward_end - steps.forward_begin, end - steps.backward_end)
    interval, forward_backward, tail = (np.where(is_known, np.maximum(part, 0), NOT_GIVEN) for part in parts)
    return interval, forward_backward, tail
