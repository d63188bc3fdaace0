"""Classification of timeline rows of Ascend's and MindSpore's tools."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from mindinsight_like.profiler.traces.event_rows import Events
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Place

# Rows by the name of their process. LAYER rows repeat what others show.
_PROCESSES: Final = {
    "ascend hardware": (Place.DEVICE, Activity.KERNEL),
    "task scheduler": (Place.DEVICE, Activity.KERNEL),
    "npu": (Place.DEVICE, Activity.KERNEL),
    "ai cpu": (Place.DEVICE, Activity.AI_CPU),
    "aicpu": (Place.DEVICE, Activity.AI_CPU),
    "hccl": (Place.DEVICE, Activity.COMMUNICATION),
    "communication": (Place.DEVICE, Activity.COMMUNICATION),
    "overlap analysis": (Place.LAYER, Activity.OTHER),
    "scope layer": (Place.LAYER, Activity.ANNOTATION),
    "step trace": (Place.LAYER, Activity.STEP),
    "cann": (Place.HOST, Activity.LAUNCH),
    "acl": (Place.HOST, Activity.LAUNCH),
    "runtime": (Place.HOST, Activity.LAUNCH),
    "mindspore": (Place.HOST, Activity.OPERATOR),
    "python": (Place.HOST, Activity.OPERATOR),
    "pta": (Place.HOST, Activity.OPERATOR),
    "cpu op": (Place.HOST, Activity.OPERATOR),
    "host cpu op": (Place.HOST, Activity.OPERATOR),
    "dataset": (Place.HOST, Activity.DATA),
}
# Before msprof, processes were numbers.
_HELPERS, _COLLECTIVES, _HOST, _MERGED = "9000", "10000", "11000", "12000"
_STEPS_THREAD, _FIRST_LAYER_THREAD = "100000", 100_000


@dataclass(frozen=True)
class Row:
    """A thread or stream of a file."""

    place: Place
    activity: Activity
    process: str
    thread: str
    order: int


def rows_of(events: Events, base: str) -> list[Row]:
    """What the threads of the file show."""
    processes: dict[str, str] = {}
    threads: dict[tuple[str, str], str] = {}
    orders: dict[tuple[str, str], int] = {}
    others = events.others
    name = others.arguments["name"].dense(len(others), NOTHING).tolist()
    order = others.arguments["sort_index"].dense(len(others), 0).tolist()
    for row in np.flatnonzero((others.phase == ord("M")) & (others.name >= 0)).tolist():
        pid, tid = events.tracks[others.track[row]]
        kind = events.texts[others.name[row]]
        if kind == "process_name" and name[row] >= 0:
            processes[pid] = events.texts[name[row]]
        elif kind == "thread_name" and name[row] >= 0:
            threads[pid, tid] = events.texts[name[row]]
        elif kind == "thread_sort_index":
            orders[pid, tid] = order[row]
    return [
        _row(pid, tid, processes.get(pid, ""), threads.get((pid, tid), ""), orders.get((pid, tid), 0), base)
        for pid, tid in events.tracks
    ]


def _row(pid: str, tid: str, process: str, thread: str, order: int, base: str) -> Row:
    if not process:
        return _numbered_row(pid, tid, thread, order, base)
    place, activity = _PROCESSES.get(process.strip().lower(), (Place.HOST, Activity.OTHER))
    thread = thread or f"thread {tid}"
    if thread.startswith(("Plane ", "Step Trace")):
        place = Place.LAYER
        activity = activity if thread.startswith("Plane ") else Activity.PHASE
    return Row(place, activity, process, thread, order)


def _numbered_row(pid: str, tid: str, thread: str, order: int, base: str) -> Row:
    """Rows of files whose processes are known by numbers only: devices, and numbers for the rest."""
    if pid == _MERGED:
        return Row(Place.LAYER, Activity.OTHER, "Overlap Analysis", thread or tid, order)
    if pid == _HELPERS:
        return Row(Place.DEVICE, Activity.AI_CPU, "AI CPU", "AI CPU", order)
    if pid == _COLLECTIVES:
        return Row(Place.DEVICE, Activity.COMMUNICATION, "communication", thread or f"stream {tid}", order)
    if pid == _HOST or tid.startswith("HostCpuOps"):
        return Row(Place.HOST, Activity.OPERATOR, "Host CPU Op", thread or tid, order)
    if tid == _STEPS_THREAD:
        return Row(Place.LAYER, Activity.STEP, "Steps", thread or "Steps", order)
    if tid.isdecimal() and int(tid) > _FIRST_LAYER_THREAD:
        return Row(Place.LAYER, Activity.ANNOTATION, "Scope Layer", thread or tid, order)
    if tid == "Ops":
        return Row(Place.HOST, Activity.OPERATOR, "GPU operators", "Ops", order)
    if base.startswith("gpu_"):
        return Row(Place.DEVICE, Activity.KERNEL, "GPU", thread or f"stream {tid}", order)
    return Row(Place.DEVICE, Activity.OPERATOR, "AI Core", thread or f"stream {tid}", order)
