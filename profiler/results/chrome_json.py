"""An analysed recording as Chrome trace events, which Perfetto and others show."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import orjson

from mindinsight_like.profiler.analysis.columns import Columns
from mindinsight_like.profiler.traces.trace import Activity, Trace

_ROWS = 50_000  # of a piece
_US = 1000  # nanoseconds


def chrome_json(columns: Columns) -> Iterator[bytes]:
    """The pieces of the file; times are microseconds with all their nanoseconds."""
    trace = columns.trace
    processes = {name: number for number, name in enumerate(dict.fromkeys(track.process for track in trace.tracks))}
    yield b'{"displayTimeUnit":"ns","traceEvents":[\n' + _events([*_names(trace, processes), *_counters(trace)])
    for first in range(0, len(columns.rows), _ROWS):
        yield b",\n" + _slices(columns, processes, first, min(first + _ROWS, len(columns.rows)))
    if trace.flows is not None and len(trace.flows.begin):
        yield b",\n" + _events(_flows(trace, processes))
    yield b"\n]}\n"


def _events(events: list[dict[str, Any]]) -> bytes:
    return b",\n".join(orjson.dumps(event) for event in events)


def _names(trace: Trace, processes: dict[str, int]) -> list[dict[str, Any]]:
    """Never none: the first piece has to end without a comma."""
    found: list[dict[str, Any]] = [
        {"ph": "M", "name": "process_name", "pid": number, "tid": 0, "args": {"name": name}}
        for name, number in (processes or {trace.tool: 0}).items()
    ]
    for number, track in enumerate(trace.tracks):
        place = {"ph": "M", "pid": processes[track.process], "tid": number}
        found.append(place | {"name": "thread_name", "args": {"name": track.name}})
        found.append(place | {"name": "thread_sort_index", "args": {"sort_index": number}})
    return found


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


def _slices(columns: Columns, processes: dict[str, int], first: int, last: int) -> bytes:
    rows, trace = columns.rows, columns.trace
    tracks = columns.tracks_of(np.arange(first, last)).tolist()
    pids = [processes[track.process] for track in trace.tracks]
    texts = {name: orjson.dumps(trace.texts[name]).decode() for name in set(rows.name[first:last].tolist())}
    activities = [activity.name.lower() for activity in Activity]
    starts = rows.start[first:last] + trace.origin
    durations = rows.duration[first:last]
    events = zip(
        rows.name[first:last].tolist(),
        rows.activity[first:last].tolist(),
        tracks,
        (starts // _US).tolist(),
        (starts % _US).tolist(),
        (durations // _US).tolist(),
        (durations % _US).tolist(),
        strict=True,
    )
    return ",\n".join(
        f'{{"ph":"X","name":{texts[name]},"cat":"{activities[activity]}","pid":{pids[track]},"tid":{track},'
        f'"ts":{start}.{start_ns:03d},"dur":{duration}.{duration_ns:03d}}}'
        for name, activity, track, start, start_ns, duration, duration_ns in events
    ).encode()


def _flows(trace: Trace, processes: dict[str, int]) -> list[dict[str, Any]]:
    flows = trace.flows
    assert flows is not None
    found = []
    columns = (flows.begin, flows.begin_track, flows.end, flows.end_track, flows.name)
    for number, row in enumerate(zip(*(column.tolist() for column in columns), strict=True)):
        begin, begin_track, end, end_track, name = row
        common = {"name": trace.texts[name] if name >= 0 else "flow", "cat": "flow", "id": number}
        for phase, time, track in (("s", begin, begin_track), ("f", end, end_track)):
            place = {"pid": processes[trace.tracks[track].process], "tid": track, "ts": (time + trace.origin) / _US}
            found.append({"ph": phase, **common, **place} | ({"bp": "e"} if phase == "f" else {}))
    return found
