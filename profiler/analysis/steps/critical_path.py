"""Critical path of a step: one gapless chain from its end back to its begin, across threads and streams.

It begins on the main thread, or with the last work of a device whose own marks the steps are. On a thread it goes back
to the last wait for the device; from there on over the work that ended last. Work leads to the work before it on its
stream, or, where the stream was empty when it was launched, to its launch on the host.
"""

from __future__ import annotations

import bisect
from dataclasses import dataclass, replace
from typing import Annotated, Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns import intervals
from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS, Columns
from mindinsight_like.profiler.analysis.columns.medians import median
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Place

from .idle import CLOSE_NS, streams_of, work_of
from .inside import own_times
from .steps import recorded_communication

KINDS: Final = ("compute", "communication", "copy", "launch", "wait", "gap", "host")
_KIND_OF: Final = {Activity.COMMUNICATION: "communication", Activity.COPY: "copy", Activity.FILL: "copy"}
_CHAIN_NS: Final = 50_000  # slices of a helping thread that follow each other so closely are one piece of work
_MOST_OWNERS: Final = 100
_MOST_PIECES: Final = 2000


@dataclass(frozen=True)
class Piece:
    """A stretch of the way; nanoseconds."""

    kind: str
    begin: int
    end: int
    row: int  # NOTHING for host and gap
    track: int  # NOTHING for a gap


def has_answer(columns: Columns) -> bool:
    """Whether there is device work: without, a step is what its thread does."""
    return any(len(work_of(columns, track)) for track in streams_of(columns))


class CriticalPathOwner(TypedDict):
    """Time on the path by kind and name; that of the host by innermost slices."""

    kind: str
    name: str
    time: float
    count: int
    row: Annotated[int | None, "A slice of that name."]


class CriticalPathPiece(TypedDict):
    """A segment of the path."""

    kind: str
    begin_ns: int
    end_ns: int
    time: float
    row: Annotated[int | None, "Null for the host and for gaps."]
    track: Annotated[int | None, "Null for gaps."]
    name: str


@dataclass(frozen=True, kw_only=True)
class CriticalPathReport:
    """What a step waited for, from its end back to its start; times are milliseconds."""

    step: Annotated[int | None, "Position in the list of steps; null where the path is of the whole recording."]
    number: Annotated[int | None, "Number of that step."]
    begin_ns: int
    end_ns: int
    total: float
    kinds: Annotated[dict[str, float], "They add up to `total`."]
    owners: list[CriticalPathOwner]
    pieces_total: int
    pieces: Annotated[list[CriticalPathPiece], "The longest, in order of time."]


def report(columns: Columns, step: int | None) -> CriticalPathReport:
    """The path of a step by its position in the list; raises IndexError for no such step.

    By default it is the step with the most usual duration; without steps it is the whole recording.
    """
    at = _usual_step(columns) if step is None else step
    if step is not None and not 0 <= step < len(columns.steps):
        raise IndexError(f"no step at position {step}")
    begin, end = columns.span if at is None else (int(columns.steps.begin[at]), int(columns.steps.end[at]))
    pieces = CriticalPath(columns, begin, end).pieces()
    kinds = {kind: sum(each.end - each.begin for each in pieces if each.kind == kind) / NS_PER_MS for kind in KINDS}
    longest = sorted(sorted(pieces, key=lambda each: each.begin - each.end)[:_MOST_PIECES], key=lambda each: each.begin)
    return CriticalPathReport(
        step=at,
        number=int(columns.steps.number[at]) if at is not None else None,
        begin_ns=begin,
        end_ns=end,
        total=(end - begin) / NS_PER_MS,
        kinds=kinds,
        owners=_owners(columns, pieces),
        pieces_total=len(pieces),
        pieces=[
            {
                "kind": each.kind,
                "begin_ns": each.begin,
                "end_ns": each.end,
                "time": (each.end - each.begin) / NS_PER_MS,
                "row": each.row if each.row != NOTHING else None,
                "track": each.track if each.track != NOTHING else None,
                "name": columns.name_of(each.row) if each.row != NOTHING else "",
            }
            for each in longest
        ],
    )


def _usual_step(columns: Columns) -> int | None:
    table = columns.steps
    whole: NDArray[np.int64] = np.flatnonzero(~table.is_partial & table.is_measured)
    if not len(whole):
        return 0 if len(table) else None
    duration = (table.end - table.begin)[whole]
    return int(whole[np.argmin(np.abs(duration - median(duration)))])


def _owners(columns: Columns, pieces: list[Piece]) -> list[CriticalPathOwner]:
    """Time on the way by kind and name; that of the host by innermost slices."""
    sums: dict[tuple[str, str], list[int]] = {}

    def add(kind: str, name: str, time: int, count: int, row: int) -> None:
        entry = sums.setdefault((kind, name), [0, 0, row])
        entry[0] += time
        entry[1] += count

    texts = columns.trace.texts
    host: dict[int, list[Piece]] = {}
    for piece in pieces:
        if piece.kind == "host":
            host.setdefault(piece.track, []).append(piece)
        else:
            called = columns.name_of(piece.row) if piece.row != NOTHING else ""
            add(piece.kind, called, piece.end - piece.begin, 1, piece.row)
    for track, parts in host.items():
        begin, end = (np.array([getattr(part, which) for part in parts], np.int64) for which in ("begin", "end"))
        stretches = intervals.union(begin, end)
        rows, own = own_times(columns, track, stretches)
        name_of = columns.names_of(rows)
        times, counts = np.bincount(name_of, own, minlength=1), np.bincount(name_of[own > 0], minlength=1)
        for name in np.flatnonzero(times).tolist():
            longest = rows[np.argmax(np.where(name_of == name, own, -1))]
            add("host", texts[name], int(times[name]), int(counts[name]), int(longest))
        left = stretches.total - int(own.sum())
        if left > 0:
            add("host", "", left, 1, NOTHING)
    owners: list[CriticalPathOwner] = [
        {"kind": kind, "name": name, "time": time / NS_PER_MS, "count": count, "row": row if row != NOTHING else None}
        for (kind, name), (time, count, row) in sums.items()
    ]
    owners.sort(key=lambda each: -each["time"])
    return owners[:_MOST_OWNERS]


class CriticalPath:
    """The way through one stretch of time."""

    def __init__(self, columns: Columns, begin: int, end: int) -> None:
        self.columns, self.begin, self.end = columns, begin, end
        self.rows = columns.rows
        self.found: list[Piece] = []
        works = []
        for track in streams_of(columns):
            work = work_of(columns, track)
            ends = self.rows.start[work] + self.rows.duration[work]
            # Work without duration holds nothing up.
            works.append(work[(ends > begin) & (ends <= end) & (self.rows.duration[work] > 0)])
        self.streams = {}
        for rows in works:
            if len(rows):
                track = int(columns.tracks_of(int(rows[0])))
                self.streams[track] = self._by_end(rows)
        self.device = self._by_end(np.concatenate(works) if works else np.empty(0, np.int64))
        self.waits: dict[int, tuple[list[int], list[int]]] = {}
        self.main = _main_thread(columns)
        self.is_of_device = columns.trace.steps is not None and not columns.trace.steps.is_of_host
        self.talking = recorded_communication(columns)

    def _by_end(self, rows: NDArray[np.int64]) -> tuple[list[int], list[int]]:
        ends = self.rows.start[rows] + self.rows.duration[rows]
        order = np.lexsort((rows, ends))
        return ends[order].tolist(), rows[order].tolist()

    @staticmethod
    def _last(table: tuple[list[int], list[int]], time: int) -> tuple[int, int] | None:
        """The end and the row of what ended last until a time."""
        at = bisect.bisect_right(table[0], time) - 1
        return (table[0][at], table[1][at]) if at >= 0 else None

    def pieces(self) -> list[Piece]:
        """From the end to the begin; together they are the whole stretch."""
        time, track, work = self.end, self.main, NOTHING
        if track == NOTHING or self.is_of_device:
            time, track, work = self._to_any_work(time)
        while time > self.begin:
            time, track, work = self._over_work(work, time) if work != NOTHING else self._over_host(track, time)
        return [part for piece in self.found for part in self._with_collectives(piece)]

    def _with_collectives(self, piece: Piece) -> list[Piece]:
        """A gap that collective operations fill which a format gives apart from slices: from its end to its begin."""
        if piece.kind != "gap" or not len(self.talking.begin):
            return [piece]
        there = self.talking & intervals.Union(np.array([piece.begin]), np.array([piece.end]))
        parts, end = [], piece.end
        for low, high in zip(there.begin[::-1].tolist(), there.end[::-1].tolist(), strict=True):
            parts += [replace(piece, begin=high, end=end), replace(piece, kind="communication", begin=low, end=high)]
            end = low
        parts.append(replace(piece, end=end))
        return [part for part in parts if part.end > part.begin]

    def _add(self, kind: str, begin: int, end: int, row: int, track: int) -> int:
        begin = max(begin, self.begin)
        if end > begin:
            self.found.append(Piece(kind, begin, end, row, track))
        return begin

    def _to_any_work(self, time: int) -> tuple[int, int, int]:
        """From a time on a device of which the host is not known: to the work that ended last."""
        last = self._last(self.device, time)
        if last is not None:
            return self._add("gap", last[0], time, NOTHING, NOTHING), NOTHING, last[1]
        if self.main != NOTHING and not self.is_of_device:
            return time, self.main, NOTHING
        return self._add("gap", self.begin, time, NOTHING, NOTHING), NOTHING, NOTHING

    def _over_work(self, work: int, time: int) -> tuple[int, int, int]:
        track = int(self.columns.tracks_of(work))
        kind = _KIND_OF.get(Activity(int(self.rows.activity[work])), "compute")
        time = self._add(kind, int(self.rows.start[work]), time, work, track)
        if time <= self.begin:
            return time, NOTHING, NOTHING
        launch = int(self.rows.launched_by[work])
        if launch == NOTHING or self.rows.start[launch] > time:
            return self._to_any_work(time)
        launched, called = int(self.rows.start[launch]), int(self.rows.start[launch] + self.rows.duration[launch])
        before, any_before = self._last(self.streams[track], time), self._last(self.device, time)
        # The stream was busy when this was launched; but what begins long after that was done, just when another
        # stream is done, has waited for the other one.
        of_stream = before is not None and before[0] > called
        if before is not None and of_stream and time - before[0] <= CLOSE_NS:
            reason = before
        elif any_before is not None and any_before[0] > called and time - any_before[0] <= CLOSE_NS:
            reason = any_before
        elif before is not None and of_stream:
            reason = before
        else:
            time = self._add("launch", launched, time, launch, track)
            return time, int(self.columns.tracks_of(launch)), NOTHING
        return self._add("gap", reason[0], time, NOTHING, NOTHING), NOTHING, reason[1]

    def _over_host(self, track: int, time: int) -> tuple[int, int, int]:
        """Back to the last wait for work that ended while it was waited for."""
        border = self.begin if track == self.main else max(self.begin, self._chain_begin(track, time))
        ends, rows = self._waits_of(track)
        at = bisect.bisect_right(ends, time) - 1
        while at >= 0 and ends[at] > border:
            last = self._last(self.device, ends[at])
            if last is not None and last[0] > self.rows.start[rows[at]]:
                self._add("host", ends[at], time, NOTHING, track)
                return self._add("wait", last[0], ends[at], rows[at], track), NOTHING, last[1]
            at -= 1
        if border == time and track != self.main:
            return time, self.main, NOTHING
        return self._add("host", border, time, NOTHING, track), self.main, NOTHING

    def _waits_of(self, track: int) -> tuple[list[int], list[int]]:
        if track not in self.waits:
            first, last = self.columns.track_bounds[track : track + 2].tolist()
            rows = first + np.flatnonzero(self.rows.activity[first:last] == Activity.WAIT)
            ends = self.rows.start[rows] + self.rows.duration[rows]
            self.waits[track] = self._by_end(rows[(ends > self.begin) & (ends <= self.end)])
        return self.waits[track]

    def _chain_begin(self, track: int, time: int) -> int:
        """When a helping thread began with what it was at: before, the main thread had not asked for it."""
        first, last = self.columns.track_bounds[track : track + 2].tolist()
        outer = first + np.flatnonzero(self.rows.parent[first:last] == NOTHING)
        start = self.rows.start[outer]
        order = np.argsort(start, kind="stable")
        start, end = start[order], (start + self.rows.duration[outer])[order]
        at = int(np.searchsorted(start, time, "right"))
        if not at:
            return self.begin
        reached = np.maximum.accumulate(end[:at])
        breaks = np.flatnonzero(start[1:at] - reached[:-1] > _CHAIN_NS)
        return int(start[breaks[-1] + 1]) if len(breaks) else int(start[0])


def _main_thread(columns: Columns) -> int:
    """The thread with the marks of steps; else the one that launches most, or does most.

    None where nothing tells how threads and streams depend on each other.
    """
    if not columns.has_launches() and not bool(np.any(columns.rows.activity == Activity.WAIT)):
        return NOTHING
    bounds, rows = columns.track_bounds, columns.rows
    best: tuple[int, int, int] | None = None
    chosen = NOTHING
    for at, track in enumerate(columns.trace.tracks):
        first, last = bounds[at : at + 2].tolist()
        if track.place != Place.HOST or first == last:
            continue
        activity = rows.activity[first:last]
        rank = (
            int(np.count_nonzero(activity == Activity.STEP)),
            int(np.count_nonzero((activity == Activity.LAUNCH) | (activity == Activity.WAIT))),
            last - first,
        )
        if best is None or rank > best:
            best, chosen = rank, at
    return chosen
