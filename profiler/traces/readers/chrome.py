"""Generic trace event files, as written by Chrome, viztracer and many other programs.

Files of torch and Paddle that were given other names are told by what stands in their beginning.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from mindinsight_like.profiler.traces.event_rows import Events
from mindinsight_like.profiler.traces.files import Files, Progress, Source
from mindinsight_like.profiler.traces.pieces import Pieces
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Bytes, Count, Place, Trace

from . import kineto, paddle_json
from .event_pairs import with_pairs
from .timelines import read_timeline

_LOOKED_AT: Final = 2**16


def read(files: Files, source: Source, progress: Progress) -> Trace:
    """The recording; raises Unreadable, OSError."""
    beginning = _beginning(files, source.main)
    if b'"deviceProperties"' in beginning or b'"baseTimeNanoseconds"' in beginning or b'"cpu_op"' in beginning:
        return kineto.read(files, source, progress)
    if b'"span_index"' in beginning and b'"traceEvents"' in beginning:
        return paddle_json.read(files, source, progress)
    counts: dict[Count, int] = {}

    def paired(events: Events) -> Events:
        events, alone = with_pairs(events)
        counts.update(alone)
        return events

    timeline = read_timeline(files, source.main, "chrome", {}, progress, paired)
    trace = timeline.trace
    trace.counts |= counts
    trace.facts = {key: value for key, value in timeline.events.root.items() if key != "traceEvents"}
    timeline.add_tracks(lambda process, label: (Place.HOST, NOTHING))
    timeline.add_flows()
    timeline.add_counters()
    activity: Bytes = np.full(len(timeline.slices), Activity.ANNOTATION, np.uint8)
    timeline.add_slices(activity)
    return timeline.finish()


def _beginning(files: Files, name: str) -> bytes:
    with Pieces(files.handle(name)) as pieces:
        content = bytearray(_LOOKED_AT)
        return bytes(content[: pieces.fill(memoryview(content))])
