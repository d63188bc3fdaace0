"""Split tracks into threads of properly nested slices, for viewers that drop overlapping ones."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight_like.profiler.analysis.columns.columns import Columns
from mindinsight_like.profiler.traces.trace import NOTHING, Ints, Longs


@dataclass(frozen=True)
class Threads:
    """One for each track, in their order, then more for those with slices that overlap."""

    track: list[int]  # of each thread
    of_rows: Ints


def nested_threads(columns: Columns) -> Threads:
    """Each slice on the first thread of its track where it lies within, or beside, all that is there."""
    track = list(range(len(columns.trace.tracks)))
    of_rows = columns.tracks_of(np.arange(len(columns.rows))).astype(np.int32)
    for tangled in _tangled_tracks(columns, of_rows):
        first, last = columns.track_bounds[tangled : tangled + 2].tolist()
        places = _places(columns.rows.start[first:last], columns.rows.duration[first:last])
        more = len(track) - 1 + places  # the first place is the track's own
        of_rows[first:last] = np.where(places > 0, more, tangled)
        track += [tangled] * int(places.max())
    return Threads(track, of_rows)


def _tangled_tracks(columns: Columns, tracks: Ints) -> list[int]:
    """Those with a slice that is not directly below the one that holds it: another one was in its way."""
    lane = columns.lanes.number[columns.lanes_of(np.arange(len(columns.rows)))]
    parent = columns.rows.parent
    expected = np.where(parent != NOTHING, lane[parent] + 1, 0) if len(lane) else lane
    tangled: list[int] = np.unique(tracks[lane != expected]).tolist()
    return tangled


def _places(start: Longs, duration: Longs) -> Ints:
    places = np.zeros(len(start), np.int32)
    open_ends: list[list[int]] = []  # of each place, falling
    for row in np.lexsort((-duration, start)).tolist():
        begin = int(start[row])
        end = begin + int(duration[row])
        for ends in open_ends:
            while ends and ends[-1] <= begin:
                ends.pop()
        place = next((at for at, ends in enumerate(open_ends) if not ends or ends[-1] >= end), len(open_ends))
        if place == len(open_ends):
            open_ends.append([])
        open_ends[place].append(end)
        places[row] = place
    return places
