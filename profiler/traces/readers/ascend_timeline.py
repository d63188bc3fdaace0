"""Timelines in Chrome's JSON that MindSpore's and Ascend's tools wrote: their rows told apart by what they show."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.event_rows import ABSENT, Events, Kind, Rows
from mindinsight_like.profiler.traces.events import scan
from mindinsight_like.profiler.traces.files import Files, Progress
from mindinsight_like.profiler.traces.trace import (
    NOTHING,
    Activity,
    Bytes,
    Collectives,
    Ints,
    Longs,
    Loss,
    Place,
    Trace,
)

from .assembly import Assembly, steps_of, told_when_damaged
from .raw_texts import type_from_name

Flags = NDArray[np.bool_]

_ARGUMENTS: Final = {
    "name": Kind.TEXT,
    "sort_index": Kind.INTEGER,
    "fullname": Kind.TEXT,
    "op_full_name": Kind.TEXT,
    "type": Kind.TEXT,
    "Task Type": Kind.TEXT,
    "connection_id": Kind.INTEGER,
    "correlation_id": Kind.INTEGER,
    "Iteration ID": Kind.INTEGER,
    "FP Start": Kind.TIME,
    "BP End": Kind.TIME,
    "Iteration End": Kind.TIME,
}
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
_CONTROL = re.compile(r"^(?:EVENT|NOTIFY|PLACE_HOLDER|FLIP|MAINTENANCE|STREAM|MODEL|PROFILER|Notify|Event)[_ ]")
_WAITS = re.compile(r"(?i)^(?:event|notify)_wait|^(?:stream|memory)_wait")
_COPIES = re.compile(r"(?i)^(?:memcpy|sdma|pcie_dma)")
_COMPUTING: Final = ("AIC", "AIV", "KERNEL", "MIX", "DSA", "FFTS", "DVPP")  # in types of tasks
_STEP = re.compile(r"^ProfilerStep#(\d+)$")


@dataclass(frozen=True)
class _Row:
    place: Place
    activity: Activity
    process: str
    thread: str
    order: int


def fill(trace: Trace, assembly: Assembly, files: Files, names: Sequence[str], progress: Progress) -> None:
    """Adds slices of timelines that no table has given, and steps."""
    chosen = _chosen(names, assembly.has_slices)
    has_cpu_operators = any(track.process == "CPU OP" for track in assembly.tracks)
    for number, name in enumerate(chosen):
        base = name.rpartition("/")[2]
        with told_when_damaged(trace, name):
            events = scan(files, name, _ARGUMENTS, lambda share, done=number: progress((done + share) / len(chosen)))  # type: ignore[misc]
            _tell(trace, name, events)
            if base.startswith("step_trace"):
                _add_iterations(trace, events)
            else:
                _add_slices(trace, assembly, events, base, has_cpu_operators)
    if sum(not name.rpartition("/")[2].startswith("step_trace") for name in chosen) > 1:
        assembly.drop_repeated()  # exports of single iterations repeat what lies at their borders


def _chosen(names: Sequence[str], has_slices: bool) -> list[str]:
    """The timelines to read: each shows the same as the ones behind it in the list, or more."""
    bases = {name: name.rpartition("/")[2].removesuffix(".gz") for name in names}

    def beginning(*starts: str) -> list[str]:
        return [name for name, base in bases.items() if base.startswith(starts) and base.endswith(".json")]

    steps = [name for name in beginning("step_trace_") if not bases[name].startswith("step_trace_point_info")]
    everything = beginning("trace_view") or beginning("msprof") or beginning("task_time", "hccl_")
    everything = [name for name in everything if not bases[name].startswith("hccl_raw")]
    displays = beginning(
        "timeline_display_", "ascend_timeline_display_", "gpu_timeline_display_", "cpu_timeline_display_"
    )
    if has_slices:  # of a table with the clock of the steps, which displays do not have, except those of the CPU
        displays = [name for name in displays if bases[name].startswith("cpu_")]
    return (everything or displays) + steps


def _tell(trace: Trace, name: str, events: Events) -> None:
    trace.counts[f"events of {name.rpartition('/')[2]}"] = len(events.slices) + len(events.others)
    if events.is_cut:
        trace.losses.append(Loss(events.trouble or "the file ends within its events: the end is missing", 1, name))
    if events.damages:
        trace.losses.append(Loss("stretches of the file that are no events", events.damages, name))


def _add_slices(trace: Trace, assembly: Assembly, events: Events, base: str, has_cpu_operators: bool) -> None:
    rows = _rows(events, base)
    slices = events.slices
    usable = (slices.time != ABSENT) & (slices.duration != ABSENT) & (slices.duration >= 0) & (slices.name >= 0)
    if has_cpu_operators:  # the table of executions has the same ones, exactly
        repeated = np.array([row.process in ("CPU OP", "Host CPU Op") for row in rows], bool)
        usable &= ~repeated[slices.track]
    is_steps = np.array([row.activity == Activity.STEP for row in rows], bool)[slices.track]
    _add_step_rows(trace, events, usable & is_steps)
    lost = int(((slices.time == ABSENT) | (slices.duration == ABSENT)).sum())
    if lost:
        trace.losses.append(Loss(f"events of {base} without a time or a duration", lost))
    if not usable.any():
        return
    used = np.unique(slices.track[usable])
    tracks = np.zeros(len(rows), np.int32)
    for number in used.tolist():
        row = rows[number]
        tracks[number] = assembly.track(row.thread, row.process, row.place, row.order)
    names = _names(events)
    wanted, place = np.unique(names[usable], return_inverse=True)
    texts = [events.texts[number] for number in wanted.tolist()]
    codes = assembly.codes(texts)
    assembly.add(
        slices.time[usable],
        slices.duration[usable],
        tracks[slices.track[usable]],
        codes[place],
        _types(events, assembly, usable, texts, place),
        _activities(events, rows, usable, texts, place),
        _correlation(slices)[usable],
    )


def _names(events: Events) -> Ints:
    """Numbers of names; full names of operators where the file has them."""
    names = events.slices.name.copy()
    for argument in ("fullname",):
        values = events.slices.arguments[argument]
        names[values.row] = values.value
    return names


def _types(events: Events, assembly: Assembly, usable: Flags, texts: list[str], place: Longs) -> Ints:
    from_names = assembly.codes(type_from_name(text) if "-op" in text else text for text in texts)[place]
    told = events.slices.arguments["type"].dense(len(events.slices), NOTHING)[usable]
    has = told >= 0
    wanted, which = np.unique(told[has], return_inverse=True)
    from_names[has] = assembly.codes(events.texts[number] for number in wanted.tolist())[which]
    return from_names


def _activities(events: Events, rows: list[_Row], usable: Flags, texts: list[str], place: Longs) -> Bytes:
    activity = np.array([row.activity for row in rows], np.uint8)[events.slices.track[usable]]
    by_name = np.array([_by_name(text) for text in texts], np.int16)[place]
    on_device = activity == Activity.KERNEL
    change = on_device & (by_name >= 0)
    activity[change] = by_name[change]
    task_type = events.slices.arguments["Task Type"].dense(len(events.slices), NOTHING)[usable]
    told = [number for number in np.unique(task_type).tolist() if number >= 0]
    for number in told:
        kind = events.texts[number].replace("_", "").upper()
        here = on_device & (task_type == number)
        if kind.endswith("AICPU"):
            activity[here] = Activity.AI_CPU
        elif not any(word in kind for word in _COMPUTING):  # events, and the steps of collectives
            activity[here & (by_name < 0)] = Activity.OTHER
    activity[np.array([_STEP.match(text) is not None for text in texts], bool)[place]] = Activity.STEP
    return activity


def _by_name(text: str) -> int:
    if _WAITS.match(text):
        return Activity.WAIT
    if _COPIES.match(text):
        return Activity.COPY
    if _CONTROL.match(text):
        return Activity.OTHER
    return NOTHING


def _correlation(slices: Rows) -> Longs:
    found = np.zeros(len(slices), np.int64)
    for argument in ("correlation_id", "connection_id"):
        values = slices.arguments[argument]
        found[values.row] = values.value
    return found


def _rows(events: Events, base: str) -> list[_Row]:
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


def _row(pid: str, tid: str, process: str, thread: str, order: int, base: str) -> _Row:
    if not process:
        return _numbered_row(pid, tid, thread, order, base)
    place, activity = _PROCESSES.get(process.strip().lower(), (Place.HOST, Activity.OTHER))
    thread = thread or f"thread {tid}"
    if thread.startswith(("Plane ", "Step Trace")):
        place = Place.LAYER
        activity = activity if thread.startswith("Plane ") else Activity.PHASE
    return _Row(place, activity, process, thread, order)


def _numbered_row(pid: str, tid: str, thread: str, order: int, base: str) -> _Row:
    """Rows of files whose processes are known by numbers only: devices, and numbers for the rest."""
    if pid == _MERGED:
        return _Row(Place.LAYER, Activity.OTHER, "Overlap Analysis", thread or tid, order)
    if pid == _HELPERS:
        return _Row(Place.DEVICE, Activity.AI_CPU, "AI CPU", "AI CPU", order)
    if pid == _COLLECTIVES:
        return _Row(Place.DEVICE, Activity.COMMUNICATION, "communication", thread or f"stream {tid}", order)
    if pid == _HOST or tid.startswith("HostCpuOps"):
        return _Row(Place.HOST, Activity.OPERATOR, "Host CPU Op", thread or tid, order)
    if tid == _STEPS_THREAD:
        return _Row(Place.LAYER, Activity.STEP, "Steps", thread or "Steps", order)
    if tid.isdecimal() and int(tid) > _FIRST_LAYER_THREAD:
        return _Row(Place.LAYER, Activity.ANNOTATION, "Scope Layer", thread or tid, order)
    if tid == "Ops":
        return _Row(Place.HOST, Activity.OPERATOR, "GPU operators", "Ops", order)
    if base.startswith("gpu_"):
        return _Row(Place.DEVICE, Activity.KERNEL, "GPU", thread or f"stream {tid}", order)
    return _Row(Place.DEVICE, Activity.OPERATOR, "AI Core", thread or f"stream {tid}", order)


def _add_step_rows(trace: Trace, events: Events, wanted: Flags) -> None:
    """Steps of rows that show nothing else; their names are numbers."""
    numbered = [
        (int(text), row)
        for row in np.flatnonzero(wanted).tolist()
        if (text := events.texts[events.slices.name[row]]).isdecimal() and len(text) < 18
    ]
    if trace.steps is not None or not numbered:
        return
    numbers, rows = zip(*sorted(numbered), strict=True)
    begin = events.slices.time[list(rows)]
    trace.steps = steps_of(numbers, begin, begin + events.slices.duration[list(rows)])


def _add_iterations(trace: Trace, events: Events) -> None:
    """Iterations of msprof's step trace, with their marks and collectives; exports of iterations repeat all of them."""
    slices = events.slices
    if trace.steps is not None or not len(slices):
        return
    number = slices.arguments["Iteration ID"].dense(len(slices), NOTHING)
    starts = {text: place for place, text in enumerate(events.texts)}
    is_step = np.isin(slices.category, [starts.get("Iteration Time", -2)]) & (number >= 0)
    _, first = np.unique(number[is_step], return_index=True)
    rows = np.flatnonzero(is_step)[first]
    if not len(rows):
        return
    forward = slices.arguments["FP Start"].dense(len(slices), NOTHING)[rows]
    backward = slices.arguments["BP End"].dense(len(slices), NOTHING)[rows]
    end = slices.time[rows] + slices.duration[rows]
    trace.steps = steps_of(number[rows], slices.time[rows], end, forward, backward)
    reduces = np.flatnonzero(np.isin(slices.category, [starts.get("Reduce", -2)]) & (number >= 0))
    if len(reduces):
        begin = slices.time[reduces]
        trace.collectives = Collectives(
            number[reduces],
            ["AllReduce"] * len(reduces),
            begin,
            begin + slices.duration[reduces],
            [events.texts[slices.name[row]].rpartition("_")[2] for row in reduces.tolist()],
        )
