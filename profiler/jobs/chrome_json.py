"""Export of an analysed profile as Chrome trace events, for Perfetto and other viewers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import orjson

from mindinsight_like.profiler.analysis.columns.columns import Columns
from mindinsight_like.profiler.analysis.timeline.details import Arrows, arrows
from mindinsight_like.profiler.jobs.nested_threads import Threads, nested_threads
from mindinsight_like.profiler.traces.trace import Activity, Trace

_ROWS = 50_000  # of a piece
_US = 1000  # nanoseconds


def chrome_json(columns: Columns) -> Iterator[bytes]:
    """The pieces of the file; times are microseconds with all their nanoseconds.

    Slices that overlap others of their thread stand on another one of the same name: viewers drop them otherwise.
    """
    trace = columns.trace
    processes = {name: number for number, name in enumerate(dict.fromkeys(track.process for track in trace.tracks))}
    threads = nested_threads(columns)
    head = [*_names(trace, processes, threads), *_counters(trace)]
    yield b'{"displayTimeUnit":"ns","traceEvents":[\n' + b",\n".join(map(orjson.dumps, head))
    for first in range(0, len(columns.rows), _ROWS):
        yield b",\n" + _slices(columns, processes, threads, first, min(first + _ROWS, len(columns.rows)))
    drawn = arrows(columns)
    for first in range(0, len(drawn.begin), _ROWS):
        yield b",\n" + _flows(trace, processes, drawn, first, min(first + _ROWS, len(drawn.begin)))
    yield b"\n]}\n"


def _names(trace: Trace, processes: dict[str, int], threads: Threads) -> list[dict[str, Any]]:
    """Never none: the first piece has to end without a comma."""
    events: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": number, "tid": 0, "args": {"name": name}}
        for name, number in (processes or {trace.tool: 0}).items()
    ]
    ordered = sorted(range(len(threads.track)), key=lambda thread: threads.track[thread])
    for order, thread in enumerate(ordered):
        track = trace.tracks[threads.track[thread]]
        place = {"ph": "M", "pid": processes[track.process], "tid": thread}
        events.append(place | {"name": "thread_name", "args": {"name": track.name}})
        events.append(place | {"name": "thread_sort_index", "args": {"sort_index": order}})
    return events


def _counters(trace: Trace) -> list[dict[str, Any]]:
    return [
        {
            "ph": "C",
            "name": counter.name,
            "pid": 0,
            "tid": 0,
            "ts": time / _US,
            "args": {counter.unit or "value": value},
        }
        for counter in trace.counters
        for time, value in zip((counter.time + trace.origin).tolist(), counter.value.tolist(), strict=True)
    ]


def _slices(columns: Columns, processes: dict[str, int], threads: Threads, first: int, last: int) -> bytes:
    rows, trace = columns.rows, columns.trace
    pids = [processes[trace.tracks[track].process] for track in threads.track]
    names = columns.names_of(slice(first, last)).tolist()
    texts = {name: orjson.dumps(trace.texts[name]).decode() for name in set(names)}
    activities = [activity.name.lower() for activity in Activity]
    starts = rows.start[first:last] + trace.origin
    durations = rows.duration[first:last]
    events = zip(
        names,
        rows.activity[first:last].tolist(),
        threads.of_rows[first:last].tolist(),
        (starts // _US).tolist(),
        (starts % _US).tolist(),
        (durations // _US).tolist(),
        (durations % _US).tolist(),
        strict=True,
    )
    return ",\n".join(
        f'{{"ph":"X","name":{texts[name]},"cat":"{activities[activity]}","pid":{pids[thread]},"tid":{thread},'
        f'"ts":{start}.{start_ns:03d},"dur":{duration}.{duration_ns:03d}}}'
        for name, activity, thread, start, start_ns, duration, duration_ns in events
    ).encode()


def _flows(trace: Trace, processes: dict[str, int], drawn: Arrows, first: int, last: int) -> bytes:
    used = set(drawn.name[first:last].tolist())
    names = {name: orjson.dumps(drawn.names[name] if name >= 0 else "flow").decode() for name in used}
    pids = [processes[track.process] for track in trace.tracks]
    lines = []
    columns = (drawn.begin, drawn.begin_track, drawn.end, drawn.end_track, drawn.name)
    parts = zip(*(column[first:last].tolist() for column in columns), strict=True)
    for number, (begin, begin_track, end, end_track, name) in enumerate(parts, first):
        for phase, time, track in (('"s"', begin, begin_track), ('"f","bp":"e"', end, end_track)):
            us, ns = divmod(time + trace.origin, _US)  # as exact as slices, or arrows begin beside theirs
            lines.append(
                f'{{"ph":{phase},"name":{names[name]},"cat":"flow","id":{number},"pid":{pids[track]},"tid":{track},'
                f'"ts":{us}.{ns:03d}}}'
            )
    return ",\n".join(lines).encode()
