"""Chrome-JSON timelines of MindSpore's and Ascend's tools."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.event_rows import ABSENT, Events, Kind, Rows
from mindinsight_like.profiler.traces.events import scan
from mindinsight_like.profiler.traces.files import Files, Progress, base_name
from mindinsight_like.profiler.traces.trace import (
    NOTHING,
    Activity,
    Bytes,
    Collectives,
    Ints,
    Longs,
    Loss,
    Trace,
)

from .ascend_arrows import add_counters, add_flows
from .ascend_rows import Row, rows_of
from .assembly import Assembly, distinct, report_damage, steps_of
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
_CONTROL = re.compile(r"^(?:EVENT|NOTIFY|PLACE_HOLDER|FLIP|MAINTENANCE|STREAM|MODEL|PROFILER|Notify|Event)[_ ]")
_WAITS = re.compile(r"(?i)^(?:event|notify)_wait|^(?:stream|memory)_wait")
_COPIES = re.compile(r"(?i)^(?:memcpy|sdma|pcie_dma)")
_COMPUTING: Final = ("AIC", "AIV", "KERNEL", "MIX", "DSA", "FFTS", "DVPP")  # in types of tasks
# Of the framework's rows, as torch_npu writes them.
_CATEGORIES: Final = {
    "python_function": Activity.PYTHON,
    "user_annotation": Activity.ANNOTATION,
    "enqueue": Activity.LAUNCH,
    "dequeue": Activity.LAUNCH,
}
_STEP = re.compile(r"^ProfilerStep#(\d+)$")


def fill(trace: Trace, assembly: Assembly, files: Files, names: Sequence[str], progress: Progress) -> None:
    """Adds slices of timelines that no table has given, and steps."""
    chosen = _chosen(names, assembly.has_slices)
    has_cpu_operators = any(track.process == "CPU OP" for track in assembly.tracks)
    for number, name in enumerate(chosen):
        base = base_name(name)
        with report_damage(trace, name):
            events = scan(files, name, _ARGUMENTS, lambda share, done=number: progress((done + share) / len(chosen)))  # type: ignore[misc]
            _tell(trace, name, events)
            if base.startswith("step_trace"):
                _add_iterations(trace, events)
            else:
                _add_slices(trace, assembly, events, base, has_cpu_operators)
                add_counters(trace, events)
    if sum(not base_name(name).startswith("step_trace") for name in chosen) > 1:
        assembly.drop_repeated()  # exports of single iterations repeat what lies at their borders


def _chosen(names: Sequence[str], has_slices: bool) -> list[str]:
    """The timelines to read: each shows the same as the ones behind it in the list, or more."""
    bases = {name: base_name(name) for name in names}

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
    read = len(events.slices) + len(events.others)
    trace.counts["timeline_events"] = trace.counts.get("timeline_events", 0) + read
    if events.is_cut:
        trace.losses.append(Loss(events.unpack_error or "the file ends within its events: the end is missing", 1, name))
    if events.damages:
        trace.losses.append(Loss("parts of the file that are not events", events.damages, name))


def _add_slices(trace: Trace, assembly: Assembly, events: Events, base: str, has_cpu_operators: bool) -> None:
    rows = rows_of(events, base)
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
    tracks = np.full(len(rows), NOTHING, np.int32)
    for number in used.tolist():
        row = rows[number]
        tracks[number] = assembly.track(row.thread, row.process, row.place, row.order)
    names = _names(events)
    numbers, place = np.unique(names[usable], return_inverse=True)
    texts = [events.texts[number] for number in numbers.tolist()]
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
    add_flows(trace, assembly, events, tracks)


def _names(events: Events) -> Ints:
    """Numbers of names; full names of operators where the file has them."""
    names = events.slices.name.copy()
    for argument in ("fullname",):
        values = events.slices.arguments[argument]
        names[values.row] = values.value
    return names


def _types(events: Events, assembly: Assembly, usable: Flags, texts: list[str], place: Longs) -> Ints:
    from_names = assembly.codes(type_from_name(text) if "-op" in text else text for text in texts)[place]
    type_codes = events.slices.arguments["type"].dense(len(events.slices), NOTHING)[usable]
    has = type_codes >= 0
    numbers, which = np.unique(type_codes[has], return_inverse=True)
    from_names[has] = assembly.codes(events.texts[number] for number in numbers.tolist())[which]
    return from_names


def _activities(events: Events, rows: list[Row], usable: Flags, texts: list[str], place: Longs) -> Bytes:
    activity = np.array([row.activity for row in rows], np.uint8)[events.slices.track[usable]]
    by_name = np.array([_by_name(text) for text in texts], np.int16)[place]
    on_device = activity == Activity.KERNEL
    change = on_device & (by_name >= 0)
    activity[change] = by_name[change]
    task_type = events.slices.arguments["Task Type"].dense(len(events.slices), NOTHING)[usable]
    by_type = _looked_up(events, task_type, _by_task_type)
    change = on_device & ((by_type == Activity.AI_CPU) | (by_type == Activity.OTHER) & (by_name < 0))
    activity[change] = by_type[change]
    by_category = _looked_up(events, events.slices.category[usable], lambda text: _CATEGORIES.get(text, NOTHING))
    change = (activity == Activity.OPERATOR) & (by_category >= 0)
    activity[change] = by_category[change]
    activity[np.array([_STEP.match(text) is not None for text in texts], bool)[place]] = Activity.STEP
    return activity


def _looked_up(events: Events, codes: Ints, find: Callable[[str], int]) -> Longs:
    """What is found for each text, which is looked for once; NOTHING where there is none."""
    numbers, number = distinct(codes.astype(np.int64) + 1)
    results = [NOTHING if text == 0 else int(find(events.texts[text - 1])) for text in numbers.tolist()]
    return np.array(results, np.int64)[number]


def _by_task_type(text: str) -> int:
    kind = text.replace("_", "").upper()
    if kind.endswith("AICPU"):
        return Activity.AI_CPU
    # The others are events, and the steps of collectives.
    return NOTHING if any(word in kind for word in _COMPUTING) else Activity.OTHER


def _by_name(text: str) -> int:
    if _WAITS.match(text):
        return Activity.WAIT
    if _COPIES.match(text):
        return Activity.COPY
    if _CONTROL.match(text):
        return Activity.OTHER
    return NOTHING


def _correlation(slices: Rows) -> Longs:
    correlation = np.zeros(len(slices), np.int64)
    for argument in ("correlation_id", "connection_id"):
        values = slices.arguments[argument]
        correlation[values.row] = values.value
    return correlation


def _add_step_rows(trace: Trace, events: Events, is_step: Flags) -> None:
    """Steps of rows that show nothing else; their names are numbers."""
    numbered = [
        (int(text), row)
        for row in np.flatnonzero(is_step).tolist()
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
