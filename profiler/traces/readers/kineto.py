"""Traces of torch.profiler (Kineto JSON), from old releases with absolute times to current ones."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, Final

import numpy as np

from mindinsight_like.profiler.traces.collectives import is_collective, is_collective_annotation, is_collective_call
from mindinsight_like.profiler.traces.event_rows import Kind
from mindinsight_like.profiler.traces.files import Files, Progress, Source, Unreadable
from mindinsight_like.profiler.traces.joining import use_facts
from mindinsight_like.profiler.traces.trace import (
    NOT_GIVEN,
    NOTHING,
    Activity,
    Allocations,
    Bytes,
    Ints,
    Memory,
    Place,
    Trace,
)

from .arguments import one_argument
from .timelines import Timeline, read_timeline

_ARGUMENTS: Final = {
    "correlation": Kind.INTEGER,
    "Input Dims": Kind.TEXT,
    "Input type": Kind.TEXT,
    "Collective name": Kind.TEXT,
    "Bytes": Kind.INTEGER,
    "Addr": Kind.INTEGER,
    "Total Allocated": Kind.INTEGER,
    "Total Reserved": Kind.INTEGER,
    "Device Type": Kind.INTEGER,
    "Device Id": Kind.INTEGER,
}
_ACTIVITIES: Final = {
    "cpu_op": Activity.OPERATOR,
    "Operator": Activity.OPERATOR,
    "hpu_op": Activity.KERNEL,
    "user_annotation": Activity.ANNOTATION,
    "gpu_user_annotation": Activity.DEVICE_ANNOTATION,
    "kernel": Activity.KERNEL,
    "Kernel": Activity.KERNEL,
    "mtia_ccp_events": Activity.KERNEL,
    "gpu_memcpy": Activity.COPY,
    "Memcpy": Activity.COPY,
    "gpu_memset": Activity.FILL,
    "Memset": Activity.FILL,
    "cuda_sync": Activity.WAIT,
    "cuda_event": Activity.WAIT,
    "xpu_sync": Activity.WAIT,
    "python_function": Activity.PYTHON,
    "overhead": Activity.OVERHEAD,
    "collective_comm": Activity.COMMUNICATION,
    "Runtime": Activity.LAUNCH,
}
_WITH_VALUES: Final = ("aten::convolution", "aten::convolution_backward")
_CALLS_LOOKED_AT: Final = 8  # of the same shapes: those of one step, as a rule
_MOST_LOOKED_AT: Final = 4000
_CALLS: Final = re.compile(r"_(?:runtime|driver)$")  # cuda_runtime, xpu_driver, privateuse1_runtime ...
_WAITING: Final = re.compile(r"Synchronize|StreamWaitEvent|EventQuery", re.IGNORECASE)
_DEVICE_ACTIVITIES: Final = (Activity.KERNEL, Activity.COPY, Activity.FILL, Activity.DEVICE_ANNOTATION)
_DEVICE_LABEL: Final = re.compile(r"^(?:GPU|XPU|HPU|MTIA|NPU|PrivateUse1)\b", re.IGNORECASE)
_LAYERS: Final = frozenset({"Spans", "Traces", ""})  # processes that only mark what the profiler did
_LAUNCH_ARROWS: Final = ("ac2g", "async_gpu", "async_cpu_to_gpu")  # they say the same as correlations
# c10::DeviceType; the others keep their number.
_DEVICE_TYPES: Final = {0: "CPU", 1: "GPU", 6: "GPU", 9: "XLA", 12: "XPU", 13: "MPS", 15: "HPU", 19: "MTIA", 20: "NPU"}
_STEP: Final = re.compile(r"^ProfilerStep\s?#\d+$")
_TEMPLATE: Final = re.compile(r"^(?:void |static )?((?:\(anonymous namespace\)|[^<(])+)[<(]")


def read(files: Files, source: Source, progress: Progress) -> Trace:
    """The recording; raises Unreadable, OSError."""
    timeline = read_timeline(files, source.main, "torch", _ARGUMENTS, progress, without=_LAUNCH_ARROWS)
    trace = timeline.trace
    _describe(trace, timeline.events.root, timeline.zero)
    slices = timeline.slices
    activity = _activities(timeline)
    timeline.add_tracks(_placed(_devices(timeline, activity)))
    names = timeline.names(slices.name)
    types = _types(timeline, names, activity)
    _add_memory(timeline)
    timeline.add_flows()
    timeline.add_counters()
    timeline.add_slices(
        activity, name=names, type=types, correlation="correlation", shape="Input Dims", dtype="Input type"
    )
    trace.values = _values(files, source.main, timeline)
    trace = timeline.finish()
    use_facts(trace, trace.facts)
    return trace


def _values(files: Files, file: str, timeline: Timeline) -> dict[str, list[str]]:
    """Strides, padding and so on of convolutions, where the first calls of the same shapes agree on them.

    Only theirs: as columns of all operators they would be many, and shapes tell enough of the others.
    """
    slices, texts = timeline.trace.slices, timeline.trace.texts
    name_numbers = [number for number, text in enumerate(texts) if text in _WITH_VALUES]
    if slices is None or not name_numbers:
        return {}
    rows = np.flatnonzero(np.isin(slices.name, name_numbers) & (slices.shape != NOTHING) & (slices.place != NOTHING))
    rows = rows[np.argsort(slices.place[rows], kind="stable")]
    key = slices.name[rows].astype(np.int64) * len(texts) + slices.shape[rows]
    order = np.argsort(key, kind="stable")
    heads = np.flatnonzero(np.diff(key[order], prepend=-1))
    turn = np.empty(len(rows), np.int64)  # how many of the same came before
    turn[order] = np.arange(len(rows)) - np.repeat(heads, np.diff(np.append(heads, len(rows))))
    rows = rows[turn < _CALLS_LOOKED_AT][:_MOST_LOOKED_AT]
    values_of_calls: dict[str, list[str] | None] = {}
    try:
        inputs_of_rows = one_argument(files, file, slices.place[rows].tolist(), "Concrete Inputs")
    except (OSError, Unreadable):
        return {}
    for row, inputs in zip(rows.tolist(), inputs_of_rows, strict=True):
        call = f"{texts[slices.name[row]]} {texts[slices.shape[row]]}"
        values = [str(value) for value in inputs] if isinstance(inputs, list) else None
        values_of_calls[call] = values if values_of_calls.setdefault(call, values) == values else None
    return {call: values for call, values in values_of_calls.items() if values is not None}


def _describe(trace: Trace, root: dict[str, Any], zero: int) -> None:
    base = root.get("baseTimeNanoseconds")
    if isinstance(base, int) and 0 < base < 2**62:
        trace.origin = base + zero
    devices = root.get("deviceProperties")
    names = (
        [str(each.get("name", "")) for each in devices if isinstance(each, dict)] if isinstance(devices, list) else []
    )
    trace.device = next(filter(None, names), "CPU")
    trace.host = str(root.get("host_name", ""))
    spread = root.get("distributedInfo")
    if isinstance(spread, dict):
        trace.rank = _whole(spread.get("rank"))
        trace.ranks = _whole(spread.get("world_size"))
    trace.facts = {key: value for key, value in root.items() if key not in ("traceEvents", "traceName")}


def _whole(value: object) -> int:
    return value if isinstance(value, int) and 0 <= value < 2**31 else NOTHING


def _activities(timeline: Timeline) -> Bytes:
    """What every slice is, by its category, then by its name."""
    slices = timeline.slices
    codes = timeline.look_up(slices.category, _of_category)
    for activity, find in (
        (Activity.ANNOTATION, _of_annotation),
        (Activity.KERNEL, _of_kernel),
        (Activity.LAUNCH, _of_call),
    ):
        where = np.flatnonzero(codes == activity)
        codes[where] = timeline.look_up(slices.name[where], find)
    collective = slices.arguments["Collective name"].row
    kernels = collective[codes[collective] == Activity.KERNEL]
    codes[kernels] = Activity.COMMUNICATION
    if not _talks_on_device(timeline, codes):
        where = np.flatnonzero(codes == Activity.OPERATOR)
        codes[where] = timeline.look_up(slices.name[where], _of_host_operator)
    return codes


def _talks_on_device(timeline: Timeline, activity: Bytes) -> bool:
    """Whether collectives run as kernels: hosts then only launch them."""
    rows = np.flatnonzero(activity == Activity.COMMUNICATION)
    return bool(timeline.look_up(timeline.slices.category[rows], _is_of_device).any())


def _is_of_device(category: str) -> bool:
    return _of_category(category) in (Activity.KERNEL, Activity.COMMUNICATION)


def _of_host_operator(name: str) -> Activity:
    return Activity.COMMUNICATION if is_collective_call(name) else Activity.OPERATOR


def _of_category(category: str) -> Activity:
    return Activity.LAUNCH if _CALLS.search(category) else _ACTIVITIES.get(category, Activity.OTHER)


def _of_annotation(name: str) -> Activity:
    if _STEP.match(name):
        return Activity.STEP
    if name.startswith(
        ("enumerate(DataLoader)", "DataLoader", "[pl][profile][_TrainingEpochLoop].train_dataloader_next")
    ):
        return Activity.DATA
    if name.startswith(("Optimizer.step#", "Optimizer.zero_grad#")):
        return Activity.PHASE
    return Activity.COMMUNICATION if is_collective_annotation(name) else Activity.ANNOTATION


def _of_kernel(name: str) -> Activity:
    return Activity.COMMUNICATION if is_collective(name) else Activity.KERNEL


def _of_call(name: str) -> Activity:
    return Activity.WAIT if _WAITING.search(name) else Activity.LAUNCH


def _devices(timeline: Timeline, activity: Bytes) -> set[str]:
    """The processes that are devices: those that ran kernels or copies, and those that are labelled so."""
    works = np.zeros(max(Activity) + 1, bool)
    works[list(_DEVICE_ACTIVITIES)] = True
    busy = np.zeros(len(timeline.events.tracks), bool)
    busy[timeline.slices.track[works[activity]]] = True
    return {timeline.events.tracks[track][0] for track in np.flatnonzero(busy).tolist()}


def _placed(devices: set[str]) -> Callable[[str, str], tuple[Place, int]]:
    def placed(process: str, label: str) -> tuple[Place, int]:
        if process in devices or _DEVICE_LABEL.match(label):
            return Place.DEVICE, int(process) if process.isdecimal() and len(process) < 6 else NOTHING
        return (Place.LAYER if process in _LAYERS else Place.HOST), NOTHING

    return placed


def _types(timeline: Timeline, names: Ints, activity: Bytes) -> Ints:
    """Names, without what differs between instances: numbers of steps, template arguments of kernels."""
    is_long = (activity == Activity.KERNEL) | (activity == Activity.STEP) | (activity == Activity.COMMUNICATION)
    where = np.flatnonzero(is_long)
    shorter = timeline.each(names[where], _type)
    types = names.copy()
    types[where] = shorter
    return types


def _type(name: str) -> str:
    if _STEP.match(name):
        return "ProfilerStep"
    kernel = _TEMPLATE.match(name)
    return kernel[1].strip() if kernel else name


def _add_memory(timeline: Timeline) -> None:
    """The instants named [memory]: single allocations, and the totals of each allocator."""
    rows, trace = timeline.others, timeline.trace
    sizes = rows.arguments["Bytes"]
    if not len(sizes.row) or "[memory]" not in trace.texts:
        return
    is_memory = rows.name[sizes.row] == trace.texts.index("[memory]")
    chosen, size = sizes.row[is_memory], sizes.value[is_memory]

    def column(name: str, missing: int) -> Any:
        return rows.arguments[name].dense(len(rows), missing)[chosen]

    time = rows.time[chosen] - timeline.zero
    allocated, reserved = column("Total Allocated", NOT_GIVEN), column("Total Reserved", NOT_GIVEN)
    devices = column("Device Type", 0) * 2**20 + np.clip(column("Device Id", NOTHING), NOTHING, 2**20 - 2) + 1
    kinds, numbers = np.unique(devices, return_inverse=True)
    names = [_device_name(int(kind)) for kind in kinds]
    for number, name in enumerate(names):
        of_device = numbers == number
        device_reserved = reserved[of_device]
        if not device_reserved.any():  # on hosts torch writes 0 for what it does not know
            device_reserved = np.full(len(device_reserved), NOT_GIVEN, np.int64)
        trace.memory.append(Memory(name, time[of_device], allocated[of_device], device_reserved))
    trace.allocations = Allocations(
        time=time,
        bytes=size,
        address=column("Addr", 0).view(np.uint64),
        device=np.array([timeline.number(name) for name in names], np.int32)[numbers],
        track=rows.track[chosen],
        name=np.full(len(chosen), NOTHING, np.int32),
    )
    trace.counts["memory_events"] = len(chosen)


def _device_name(kind: int) -> str:
    type_, number = kind >> 20, (kind & (2**20 - 1)) - 1
    name = _DEVICE_TYPES.get(type_, f"device type {type_}")
    return name if number < 0 else f"{name} {number}"
