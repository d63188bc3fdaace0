"""Idle time of devices by cause: late launches, waits for other streams, launch gaps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS, Columns
from mindinsight_like.profiler.analysis.columns.intervals import EMPTY, Union
from mindinsight_like.profiler.analysis.timeline.timeline import SliceRow, entry
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Ints, Longs, Place

from .inside import own_times
from .steps import recorded_communication

CAUSES: Final = ("host_late", "communication", "dependency", "kernel_gap", "unknown")
_WORK: Final = (
    Activity.OPERATOR, Activity.KERNEL, Activity.AI_CPU, Activity.COPY, Activity.FILL, Activity.COMMUNICATION
)  # fmt: skip
_SHORT_NS: Final = 1500  # between two kernels that follow each other at once, where the recording tells no less
CLOSE_NS: Final = 10_000  # work of another stream that ends so shortly before was waited for
_MOST_GAPS: Final = 10
_MOST_NAMED: Final = 300  # the longest gaps; for them the host is looked at
_MOST_NAMES: Final = 20


@dataclass(frozen=True)
class Gaps:
    """Time in which a stream did nothing between two slices; nanoseconds."""

    begin: Longs
    end: Longs
    before: Ints  # the row that ended last
    after: Ints  # the row that ended the gap
    cause: NDArray[np.uint8]  # index into CAUSES


def has_answer(columns: Columns) -> bool:
    """Whether any stream of a device has two pieces of work."""
    return any(len(work_of(columns, track)) > 1 for track in streams_of(columns))


class _IdleTotals(TypedDict):
    slices: int
    busy: float
    idle: float
    gaps: int
    by_cause: dict[str, float]


class DeviceIdleTime(_IdleTotals):
    """Time in which no stream of a device is active; milliseconds."""

    name: str
    streams: int


class StreamIdleTime(_IdleTotals):
    """Idle time of a stream; milliseconds."""

    track: int
    name: str
    process: str


class HostTime(TypedDict):
    """What the host did during a gap; milliseconds."""

    name: Annotated[str, "Of innermost slices; empty for the rest."]
    time: float


class HostTotals(HostTime):
    """What the host did while devices waited for it; milliseconds."""

    count: Annotated[int, "In how many gaps."]


class IdleGap(TypedDict):
    """Time in which a device did nothing; milliseconds."""

    begin_ns: int
    end_ns: int
    time: float
    cause: str
    before: SliceRow
    after: SliceRow
    host: Annotated[list[HostTime], "Where the host launched late: what it did meanwhile, the first three."]


@dataclass(frozen=True, kw_only=True)
class IdleReport:
    """Idle time of devices and their streams by cause; milliseconds."""

    causes: list[str]
    floor: Annotated[float, "Shorter gaps between two kernels are launch gaps."]
    devices: list[DeviceIdleTime]
    streams: list[StreamIdleTime]
    host: Annotated[list[HostTotals], "Innermost slices by name, in the longest gaps that wait for the host."]
    attributed_gaps: Annotated[int, "Number of gaps that `host` covers."]
    gaps: Annotated[list[IdleGap], "The longest gaps of devices."]


def report(columns: Columns) -> IdleReport:
    """How long devices and their streams stood still, and why."""
    works = {track: work_of(columns, track) for track in streams_of(columns)}
    works = {track: rows for track, rows in works.items() if len(rows) > 1}
    floor = _floor(columns, list(works.values()))
    together: dict[tuple[str, int], list[int]] = {}
    for track in works:
        details = columns.trace.tracks[track]
        key = (details.process, NOTHING) if details.device == NOTHING else ("", details.device)
        together.setdefault(key, []).append(track)
    talking = recorded_communication(columns)
    streams: list[StreamIdleTime] = []
    devices: list[DeviceIdleTime] = []
    idle: list[Gaps] = []
    for tracks in together.values():
        process = columns.trace.tracks[tracks[0]].process
        for track in tracks:
            others = [works[other] for other in tracks if other != track]
            gaps = gaps_of(columns, works[track], others, floor, talking)
            details = columns.trace.tracks[track]
            streams.append(
                {"track": track, "name": details.name, "process": process, **_sums(columns, works[track], gaps)}
            )
        rows = np.concatenate([works[track] for track in tracks])
        rows = rows[np.argsort(columns.rows.start[rows], kind="stable")]
        gaps = gaps_of(columns, rows, [], floor, talking)
        devices.append({"name": process, "streams": len(tracks), **_sums(columns, rows, gaps)})
        idle.append(gaps)
    host, named = _host(columns, idle)
    return IdleReport(
        causes=list(CAUSES),
        floor=floor / NS_PER_MS,
        devices=devices,
        streams=streams,
        host=host,
        attributed_gaps=named,
        gaps=_longest(columns, idle),
    )


def _sums(columns: Columns, rows: Longs, gaps: Gaps) -> _IdleTotals:
    length = gaps.end - gaps.begin
    span = int((columns.rows.start[rows] + columns.rows.duration[rows]).max() - columns.rows.start[rows[0]])
    idle = int(length.sum())
    return {
        "slices": len(rows),
        "busy": (span - idle) / NS_PER_MS,
        "idle": idle / NS_PER_MS,
        "gaps": len(length),
        "by_cause": {cause: int(length[gaps.cause == at].sum()) / NS_PER_MS for at, cause in enumerate(CAUSES)},
    }


def streams_of(columns: Columns) -> list[int]:
    """The tracks of devices."""
    return [at for at, track in enumerate(columns.trace.tracks) if track.place == Place.DEVICE]


def work_of(columns: Columns, track: int) -> Longs:
    """Outermost work of a stream in order of time."""
    first, last = columns.track_bounds[track : track + 2].tolist()
    rows = columns.rows
    is_work = np.isin(rows.activity[first:last], [int(kind) for kind in _WORK])
    parent = rows.parent[first:last]
    has_outer = (parent != NOTHING) & is_work[np.maximum(parent - first, 0)]
    outermost = first + np.flatnonzero(is_work & ~has_outer)
    return np.asarray(outermost[np.argsort(rows.start[outermost], kind="stable")], np.int64)


def _floor(columns: Columns, works: Sequence[Longs]) -> int:
    """How long a gap may be that nobody is to blame for: as between the quickest successions, 1.5 to 3 µs."""
    positive_gaps = []
    for rows in works:
        start = columns.rows.start[rows]
        gap = start[1:] - np.maximum.accumulate(start + columns.rows.duration[rows])[:-1]
        positive_gaps.append(gap[gap > 0])
    gaps = np.concatenate(positive_gaps) if positive_gaps else np.empty(0, np.int64)
    return max(_SHORT_NS, min(int(np.percentile(gaps, 5)), 2 * _SHORT_NS)) if len(gaps) else _SHORT_NS


def gaps_of(columns: Columns, work: Longs, others: Sequence[Longs], floor: int, talking: Union = EMPTY) -> Gaps:
    """The gaps between the pieces of work of a stream, with the reason of each; `talking` are told collectives."""
    rows = columns.rows
    start = rows.start[work]
    end = start + rows.duration[work]
    reached = np.maximum.accumulate(end)
    # The row that reaches furthest so far: a longer one may have begun earlier.
    furthest = np.maximum.accumulate(np.where(end == reached, np.arange(len(work)), 0))
    at = np.flatnonzero(start[1:] > reached[:-1])
    begin, stop = reached[at], start[at + 1]
    after = work[at + 1]
    launcher = rows.launched_by[after]
    launch = np.where(launcher != NOTHING, rows.start[np.maximum(launcher, 0)], np.iinfo(np.int64).min)
    cause = np.full(len(at), CAUSES.index("unknown"), np.uint8)
    is_waiting = np.zeros(len(at), np.bool_)
    for other in filter(len, others):
        finished = np.sort(rows.start[other] + rows.duration[other])
        last = np.searchsorted(finished, stop, "right") - 1
        moment = finished[np.maximum(last, 0)]
        is_waiting |= (last >= 0) & (moment > begin) & (stop - moment <= CLOSE_NS)
    cause[is_waiting] = CAUSES.index("dependency")
    cause[2 * talking.within(begin, stop) > stop - begin] = CAUSES.index("communication")
    cause[stop - begin <= floor] = CAUSES.index("kernel_gap")
    cause[launch > begin] = CAUSES.index("host_late")
    return Gaps(begin, stop, work[furthest[at]].astype(np.int32), after.astype(np.int32), cause)


def _longest(columns: Columns, tables: Sequence[Gaps]) -> list[IdleGap]:
    entries: list[IdleGap] = []
    for gaps, at in _by_length(tables)[:_MOST_GAPS]:
        begin, end = int(gaps.begin[at]), int(gaps.end[at])
        cause = CAUSES[gaps.cause[at]]
        entries.append(
            {
                "begin_ns": begin,
                "end_ns": end,
                "time": (end - begin) / NS_PER_MS,
                "cause": cause,
                "before": entry(columns, int(gaps.before[at])),
                "after": entry(columns, int(gaps.after[at])),
                "host": _names(columns, gaps, at)[:3] if cause == "host_late" else [],
            }
        )
    return entries


def _by_length(tables: Sequence[Gaps], cause: str | None = None) -> list[tuple[Gaps, int]]:
    longest_gaps = []
    for gaps in tables:
        at = np.arange(len(gaps.begin)) if cause is None else np.flatnonzero(gaps.cause == CAUSES.index(cause))
        longest = at[np.argsort(gaps.begin[at] - gaps.end[at], kind="stable")][:_MOST_NAMED]
        longest_gaps += [(gaps, one) for one in longest.tolist()]
    longest_gaps.sort(key=lambda each: int(each[0].begin[each[1]] - each[0].end[each[1]]))
    return longest_gaps[:_MOST_NAMED]


def _host(columns: Columns, tables: Sequence[Gaps]) -> tuple[list[HostTotals], int]:
    times: dict[str, float] = {}
    counts: dict[str, int] = {}
    chosen = _by_length(tables, "host_late")
    for gaps, at in chosen:
        for each in _names(columns, gaps, at):
            times[each["name"]] = times.get(each["name"], 0.0) + each["time"]
            counts[each["name"]] = counts.get(each["name"], 0) + 1
    names = sorted(times, key=lambda name: -times[name])[:_MOST_NAMES]
    return [{"name": name, "time": times[name], "count": counts[name]} for name in names], len(chosen)


def _names(columns: Columns, gaps: Gaps, at: int) -> list[HostTime]:
    """What the thread that launched late did meanwhile: innermost slices by name, those with most time first."""
    launcher = int(columns.rows.launched_by[gaps.after[at]])
    track = int(columns.tracks_of(launcher))
    begin, end = int(gaps.begin[at]), int(columns.rows.start[launcher])
    rows, own = own_times(columns, track, Union(np.array([begin]), np.array([end])))
    names = columns.names_of(rows)
    sums = np.bincount(names, own, minlength=1)
    left = end - begin - int(own.sum())
    entries: list[HostTime] = [
        {"name": columns.trace.texts[name], "time": float(sums[name]) / NS_PER_MS}
        for name in np.flatnonzero(sums).tolist()
    ]
    entries += [{"name": "", "time": left / NS_PER_MS}] if left > 0 else []
    return sorted(entries, key=lambda each: -each["time"])
