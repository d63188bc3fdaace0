"""Column store of an analysed profile: slices in drawing order, with what was computed for each.

A row is the position of a slice in that order: by track, by lane, by time. The slices of one lane never overlap (beyond
`MOST_LANES` they may), a child lies in a lower lane than its parent, and a parent's row is smaller than its children's.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypedDict

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import Activity, Bytes, Count, Ints, Longs, Place, Trace

from . import grouping, nesting

Chosen = NDArray[np.integer[Any]] | slice

NS_PER_MS = 1e6
MOST_LANES = 4096  # of a track; slices that find no free one share the last
SIDES = ("host", "device", "communication", "AI CPU", "launch", "data", "python", "annotation", "other", "layer")
LAYER_SIDE = SIDES.index("layer")  # repeats of other slices: can be searched and drawn, are left out of sums

_SIDE_OF_ACTIVITY = {
    Activity.OPERATOR: "host",
    Activity.KERNEL: "device",
    Activity.COMMUNICATION: "communication",
    Activity.COPY: "device",
    Activity.FILL: "device",
    Activity.LAUNCH: "launch",
    Activity.WAIT: "launch",
    Activity.DATA: "data",
    Activity.PYTHON: "python",
    Activity.ANNOTATION: "annotation",
    Activity.STEP: "annotation",
    Activity.PHASE: "annotation",
    Activity.DEVICE_ANNOTATION: "annotation",
    Activity.AI_CPU: "AI CPU",
}


def sides_of_activities(place: Place) -> Bytes:
    """For each activity (up to 255), the side of its slices on tracks of this kind."""
    sides = np.full(256, SIDES.index("other"), np.uint8)
    for activity, side in _SIDE_OF_ACTIVITY.items():
        sides[activity] = SIDES.index(side)
    if place == Place.DEVICE:
        sides[Activity.OPERATOR] = SIDES.index("device")
    if place == Place.LAYER:
        sides[:] = LAYER_SIDE
    return sides


def translated(activity: Bytes, table: Bytes) -> Bytes:
    """For each row what a table of 256 entries says of its activity."""
    return np.frombuffer(activity.tobytes().translate(table.tobytes()), np.uint8)


@dataclass(frozen=True)
class Rows:
    """One entry for each slice, in drawing order; times as in `Slices`."""

    start: Longs
    duration: Longs  # never negative
    self_time: Longs | Ints  # not covered by children
    activity: Bytes
    place: Longs | Ints  # in the file
    parent: Ints  # row of the latest begun slice of the track that holds it, NOTHING for none
    launched_by: Ints  # row of the call that launched this device work, NOTHING for none
    group: Ints  # index into Groups, which tell its name, type and shape

    def __len__(self) -> int:
        return len(self.start)


@dataclass(frozen=True)
class Lanes:
    """Lines of the timeline; rows bounds[i] to bounds[i + 1] lie in lane i."""

    track: Ints
    number: Ints  # within its track, from the top
    bounds: Longs


@dataclass(frozen=True)
class Groups:
    """Sums over the slices of the same side, name, type and shape; nanoseconds.

    Repeats are left out but for their self time, which the operator above has; so a group may have a count of 0.
    """

    side: Bytes  # index into SIDES
    name: Ints  # index into the texts, as type and shape
    type: Ints
    shape: Ints  # NOTHING for none
    dtype: Ints  # of the inputs, index into the texts; NOTHING where there is none or slices differ
    count: Longs
    total: Longs
    self_time: Longs
    shortest: Longs
    longest: Longs
    device_self: Longs  # of device work whose launch lies in no other operator below this one
    device_total: Longs
    kernels: Longs


@dataclass(frozen=True)
class Launched:
    """Of all device work launched within each row: nanoseconds, and how many."""

    time: Longs
    kernels: Ints


@dataclass(frozen=True)
class Postings:
    """The rows of group i, repeats too: rows[bounds[i]:bounds[i + 1]], ascending."""

    rows: Ints
    bounds: Longs


class UnusualTime(TypedDict):
    """A name whose self time in a step is far from usual; milliseconds."""

    name: str
    typical_time: float
    time: float


@dataclass(frozen=True)
class StepTable:
    """One entry for each training step; nanoseconds."""

    parts: tuple[str, ...]
    number: Longs
    begin: Longs
    end: Longs
    interval: Longs  # NOT_GIVEN where the recording does not tell, as the next two
    forward_backward: Longs
    tail: Longs
    part_times: Longs  # one row for each step, one column for each part; a row adds up to end - begin
    overlapped: Longs  # communication while computing
    is_measured: NDArray[np.bool_]  # whether anything tells what its time was spent on
    is_partial: NDArray[np.bool_]
    is_unusual: NDArray[np.bool_]
    why: dict[str, list[UnusualTime]]  # by position of the step

    def __len__(self) -> int:
        return len(self.number)


@dataclass(frozen=True)
class Columns:
    """A whole analysed recording."""

    trace: Trace  # everything but its slices, which became rows
    rows: Rows
    lanes: Lanes
    groups: Groups
    steps: StepTable
    repeats: Ints  # rows that are part of the operator above them; see `repeats`
    pyramid: tuple[Ints, ...]  # of `timeline`
    counts: dict[Count, int]  # of slices that were odd

    @cached_property
    def track_bounds(self) -> Longs:
        """Track i has rows track_bounds[i] to track_bounds[i + 1]."""
        lanes = np.searchsorted(self.lanes.track, np.arange(len(self.trace.tracks) + 1))
        return np.asarray(self.lanes.bounds[lanes], np.int64)

    def tracks_of(self, rows: NDArray[np.integer[Any]] | int) -> NDArray[np.int64]:
        """The tracks that these rows lie on."""
        return np.searchsorted(self.track_bounds, np.asarray(rows), "right") - 1

    def lanes_of(self, rows: NDArray[np.integer[Any]] | int) -> NDArray[np.int64]:
        """The lanes, as indices into `lanes`, that these rows lie in."""
        return np.searchsorted(self.lanes.bounds, np.asarray(rows), "right") - 1

    @cached_property
    def span(self) -> tuple[int, int]:
        """When the first slice begins and the last one ends; both 0 without slices."""
        if not len(self.rows):
            return 0, 0
        heads, lasts = self.lanes.bounds[:-1], self.lanes.bounds[1:] - 1
        last = int((self.rows.start[lasts] + self.rows.duration[lasts]).max())
        for lane in np.flatnonzero(self.lanes.number == MOST_LANES - 1).tolist():  # any of its slices may end last
            rows = slice(int(self.lanes.bounds[lane]), int(self.lanes.bounds[lane + 1]))
            last = max(last, int((self.rows.start[rows] + self.rows.duration[rows]).max()))
        return int(self.rows.start[heads].min()), last

    @cached_property
    def recorded(self) -> tuple[int, int]:
        """The same with the steps, which may begin before the first slice and end after the last one."""
        first, last = self.span
        if not len(self.steps):
            return first, last
        begin, end = int(self.steps.begin.min()), int(self.steps.end.max())
        return (min(first, begin), max(last, end)) if len(self.rows) else (begin, end)

    @cached_property
    def lower_texts(self) -> list[str]:
        """All texts in lower case, for searching."""
        return [text.lower() for text in self.trace.texts]

    def names_of(self, rows: Chosen) -> Ints:
        """The names of these rows, as indices into the texts."""
        return self.groups.name[self.rows.group[rows]]

    def types_of(self, rows: Chosen) -> Ints:
        """Their types, as indices into the texts."""
        return self.groups.type[self.rows.group[rows]]

    def shapes_of(self, rows: Chosen) -> Ints:
        """The shapes of their inputs, as indices into the texts; NOTHING for none."""
        return self.groups.shape[self.rows.group[rows]]

    def name_of(self, row: int) -> str:
        """How a slice is called."""
        return self.trace.texts[int(self.groups.name[self.rows.group[row]])]

    def has_launches(self) -> bool:
        """Whether device work can be led back to the host; what is launched by a repeat counts for the row above."""
        return bool(self.groups.kernels.any())

    # What follows from the columns is not stored, but kept once somebody has asked for it; see `cached_bytes`.

    @cached_property
    def launched(self) -> Launched:
        """The device work of all rows."""
        return Launched(*nesting.launched_within(self.rows.parent, self.rows.launched_by, self.rows.duration))

    @cached_property
    def postings(self) -> Postings:
        """The rows of all groups."""
        return Postings(*grouping.postings(self.rows.group, len(self.groups.side)))

    @property
    def cached_bytes(self) -> int:
        """How much memory these take now."""
        caches = (vars(self).get(name) for name in ("launched", "postings"))
        return sum(column.nbytes for each in caches if each is not None for column in vars(each).values())
