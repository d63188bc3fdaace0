"""Chrome traces of paddle.profiler; exact times are taken from the arguments."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any, Final

import numpy as np

from mindinsight_like.profiler.traces.event_rows import Events, Kind
from mindinsight_like.profiler.traces.files import Files, Progress, Source
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Allocations, Bytes, Place, Trace

from .paddle_places import device_name, memory_of
from .timelines import Timeline, read_timeline

_ARGUMENTS: Final = {
    "start_time": Kind.TIME,
    "end_time": Kind.TIME,
    "correlation id": Kind.INTEGER,
    "input_shapes": Kind.TEXT,
    "place": Kind.TEXT,
    "addr": Kind.INTEGER,
    "increase_bytes": Kind.INTEGER,
    "current_allocated": Kind.INTEGER,
    "current_reserved": Kind.INTEGER,
}
_ACTIVITIES: Final = {
    "ProfileStep": Activity.STEP,
    "Dataloader": Activity.DATA,
    "Forward": Activity.PHASE,
    "Backward": Activity.PHASE,
    "Optimization": Activity.PHASE,
    "Operator": Activity.OPERATOR,
    "OperatorInner": Activity.OPERATOR,
    "DygraphKernelLaunch": Activity.OPERATOR,  # computes where the device is the host
    "StaticKernelLaunch": Activity.OPERATOR,
    "Kernel": Activity.KERNEL,
    "Memcpy": Activity.COPY,
    "Memset": Activity.FILL,
    "CudaRuntime": Activity.LAUNCH,
    "Communication": Activity.COMMUNICATION,
    "UserDefined": Activity.ANNOTATION,
    "PythonUserDefined": Activity.ANNOTATION,
    "PythonOp": Activity.OPERATOR,
}
_BLOCKS: Final = ("Allocate", "Free")
_DURATION: Final = re.compile(r"\s*\[\d+(?:\.\d+)? (?:ns|us|ms|s)\]$")
_DEVICE_LABEL: Final = re.compile(r"\((?:GPU|XPU|NPU|Custom\w*)[ :]?\w*\)|\bGPU\b", re.IGNORECASE)


def read(files: Files, source: Source, progress: Progress) -> Trace:
    """The recording; raises Unreadable, OSError."""
    timeline = read_timeline(files, source.main, "paddle", _ARGUMENTS, progress, _exact)
    trace, root = timeline.trace, timeline.events.root
    trace.device = "CPU"
    trace.facts = {key: value for key, value in root.items() if key in ("schemaVersion", "span_index", "ExtraInfo")}
    codes = timeline.look_up(timeline.slices.category, lambda category: _ACTIVITIES.get(category, Activity.OTHER))
    names = timeline.each(timeline.names(timeline.slices.name), _without_duration)
    timeline.add_tracks(_placed(timeline, codes))
    if any(track.place == Place.DEVICE for track in trace.tracks):
        trace.device = "GPU"
    types = timeline.each(names, _type)
    _add_memory(timeline)
    timeline.add_flows()
    timeline.add_counters()
    timeline.add_slices(codes, name=names, type=types, correlation="correlation id", shape="input_shapes")
    return timeline.finish()


def _exact(events: Events) -> Events:
    """Slices with their exact times: those in the arguments count from the beginning of the recording.

    Whole microseconds are rounded down, so every slice tells a beginning that is up to a microsecond too early, and
    the latest of them is nearest to the true one.
    """
    slices = events.slices
    begin, end = slices.arguments["start_time"], slices.arguments["end_time"]
    if not len(begin.row) or not np.array_equal(begin.row, end.row):
        return events
    time, duration = slices.time.copy(), slices.duration.copy()
    offsets = time[begin.row] - begin.value
    zero = int(offsets.max())
    if zero - int(offsets.min()) > 2000:
        return events  # not what we take it for
    time[begin.row] = zero + begin.value
    duration[begin.row] = end.value - begin.value
    return replace(events, slices=replace(slices, time=time, duration=duration))


def _without_duration(name: str) -> str:
    return _DURATION.sub("", name)


def _type(name: str) -> str:
    return "ProfileStep" if name.startswith("ProfileStep#") else name


def _placed(timeline: Timeline, activity: Bytes) -> Callable[[str, str], tuple[Place, int]]:
    works = np.isin(activity, [Activity.KERNEL, Activity.COPY, Activity.FILL])
    busy = {timeline.events.tracks[track][0] for track in np.unique(timeline.slices.track[works]).tolist()}

    def placed(process: str, label: str) -> tuple[Place, int]:
        if process in busy or _DEVICE_LABEL.search(label):
            return Place.DEVICE, int(process) if process.isdecimal() and len(process) < 6 else NOTHING
        return Place.HOST, NOTHING

    return placed


def _add_memory(timeline: Timeline) -> None:
    rows, trace = timeline.others, timeline.trace
    sizes, places = rows.arguments["increase_bytes"], rows.arguments["place"]
    chosen = sizes.row
    if not len(chosen):
        return

    def column(name: str, missing: int) -> Any:
        return rows.arguments[name].dense(len(rows), missing)[chosen]

    time = rows.time[chosen] - timeline.zero
    device = timeline.each(places.dense(len(rows), timeline.number(""))[chosen], device_name)
    allocated, reserved = column("current_allocated", -1), column("current_reserved", -1)
    # Beside them there are ReservedAllocate and ReservedFree, of the chunks that blocks are cut from.
    is_block = timeline.look_up(rows.category[chosen], _BLOCKS.__contains__).astype(bool)
    for number in np.unique(device).tolist():
        own = device == number
        trace.memory.append(
            memory_of(trace.texts[number], time[own], allocated[own], reserved[own], is_chunk=~is_block[own])
        )
    single = np.flatnonzero(is_block)
    trace.allocations = Allocations(
        time=time[single],
        bytes=sizes.value[single],
        address=column("addr", 0).view(np.uint64)[single],
        device=device[single],
        track=rows.track[chosen][single],
        name=np.full(len(single), NOTHING, np.int32),
    )
    trace.counts["memory_events"] = len(chosen)
