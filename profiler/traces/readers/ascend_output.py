"""Tables of Ascend's newer tools: `ASCEND_PROFILER_OUTPUT` of MindSpore 2.x and torch_npu, and msprof's exports."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import compress
from typing import Any, Final

import numpy as np

from mindinsight_like.profiler.traces.files import Files, base_name
from mindinsight_like.profiler.traces.trace import (
    NOT_GIVEN,
    NOTHING,
    Activity,
    Allocations,
    Longs,
    Loss,
    Memory,
    Place,
    Steps,
    Trace,
)

from . import ascend_communication
from .assembly import Assembly, report_damage, steps_of
from .operator_sums import add_operator_sums, add_type_sums
from .tables import Table, read_table

_SIDES: Final = {
    "AI_CORE": "AI Core",
    "AI_CPU": "AI CPU",
    "AICPU": "AI CPU",
    "AI_VECTOR_CORE": "AI Vector Core",
    "HCCL": "communication",
    "COMMUNICATION": "communication",
    "HOST_CPU": "Host CPU",
}
_KERNEL_COLUMNS: Final = (
    "step id",
    "name",
    "op name",
    "type",
    "op type",
    "accelerator core",
    "task type",
    "start time",
    "task start time",
    "duration",
    "task duration",
    "wait time",
    "stream id",
    "input shapes",
)
_BYTES: Final = {"B": 1, "Byte": 1, "KB": 2**10, "MB": 2**20, "GB": 2**30}


def fill(trace: Trace, assembly: Assembly, files: Files, names: Sequence[str]) -> None:
    """Adds kernels, sums, steps, memory and communication of the files that are there."""
    bases = {name: base_name(name) for name in names}
    tables = {name: base for name, base in bases.items() if base.endswith(".csv")}
    kernels = [name for name, base in tables.items() if base.startswith("kernel_details")] or [
        name for name, base in tables.items() if base.startswith("op_summary")
    ]
    has_kernels = assembly.has_on(Place.DEVICE)
    for name in kernels:
        with report_damage(trace, name):
            _add_kernels(trace, assembly, read_table(files, name, _is_kernel_column), has_kernels)
    for name, base in tables.items():
        with report_damage(trace, name):
            if base.startswith("op_statistic"):
                table = read_table(files, name)
                add_type_sums(trace, table, "AI Core", "us", [_side(cell) for cell in table.texts("Core Type")])
            elif base.startswith("api_statistic"):
                _add_calls(trace, read_table(files, name))
            elif base.startswith("step_trace_time"):
                _add_step_times(trace, read_table(files, name))
            elif base.startswith("step_trace_") and not base.startswith("step_trace_raw"):
                _add_steps(trace, read_table(files, name))
            elif base.startswith("operator_memory"):
                _add_allocations(trace, assembly, read_table(files, name))
            elif base.startswith("memory_record"):
                _add_memory(trace, read_table(files, name))
            elif base.startswith("dataset"):
                table = read_table(files, name)
                trace.facts["dataset"] = [
                    {header: column[row] for header, column in table.columns.items()} for row in range(table.rows)
                ][:10_000]
    ascend_communication.fill(trace, files, names)


def _is_kernel_column(header: str) -> bool:
    return header.partition("(")[0].strip().lower() in _KERNEL_COLUMNS


def _side(core: str) -> str:
    core = core.strip()
    return _SIDES.get(core.upper(), "AI Core" if core.upper().startswith("MIX") else core)


def _activity(core: str, kind: str) -> Activity:
    upper = core.upper()
    if "AICPU" in upper.replace("_", ""):
        return Activity.AI_CPU
    if upper in ("HCCL", "COMMUNICATION") or kind.lower().startswith(("hcom_", "hccl_")):
        return Activity.COMMUNICATION
    return Activity.KERNEL


def _add_kernels(trace: Trace, assembly: Assembly, table: Table, is_known: bool) -> None:
    """Kernels; those that a timeline has already only get their types and shapes."""
    names = table.needed("Name", "Op Name")
    types = table.texts("Type", "OP Type")
    cores = table.texts("Accelerator Core", "Task Type")
    streams = table.texts("Stream ID")
    shapes = table.texts("Input Shapes", missing="N/A")
    start, has_start = table.nanoseconds("Start Time(us)", "Task Start Time(us)")
    duration, has_duration = table.nanoseconds("Duration(us)", "Task Duration(us)")
    usable = has_start & has_duration & (duration >= 0)
    lost = int((~usable).sum()) + int(table.is_cut)
    if lost:
        trace.losses.append(Loss("kernels without a time or a duration", lost, table.name))
    chosen = usable.tolist()
    name_codes = assembly.codes(compress(names, chosen))
    kinds = _once(_kind, compress(types, chosen), compress(names, chosen))
    type_codes = assembly.codes(kinds)
    shape_codes = np.array(_once(_shape(assembly), compress(shapes, chosen)), np.int32)
    if is_known:
        assembly.describe(start[usable], name_codes, type_codes, shape_codes)
        return
    tracks = _once(
        lambda stream: assembly.track(f"stream {stream}" if stream else "kernels", "NPU", Place.DEVICE),
        compress(streams, chosen),
    )
    activities = np.array(_once(_activity, compress(cores, chosen), compress(types, chosen)), np.uint8)
    assembly.add(
        start[usable],
        duration[usable],
        np.array(tracks, np.int32),
        name_codes,
        type_codes,
        activities,
        shape=shape_codes,
    )


def _once(find: Callable[..., Any], *columns: Iterable[str]) -> list[Any]:
    """What is found for the cells of each row; looked for once for equal ones."""
    cache: dict[tuple[str, ...], Any] = {}
    results = []
    for cells in zip(*columns, strict=True):
        if cells not in cache:
            cache[cells] = find(*cells)
        results.append(cache[cells])
    return results


def _shape(assembly: Assembly) -> Callable[[str], int]:
    def code(cell: str) -> int:
        shape = cell.strip('"')
        return NOTHING if shape in ("", "N/A") else assembly.text(shape)

    return code


def _kind(type_: str, name: str) -> str:
    return type_ if type_ not in ("", "N/A") else name


def _add_calls(trace: Trace, table: Table) -> None:
    """Calls of the device's runtime, summed by name."""
    renamed = Table(
        table.name,
        table.rows,
        {
            "full_op_name": table.needed("API Name", "Name"),
            "op_type": table.texts("Level", missing="API"),
            "op_occurrences": table.needed("Count"),
            "op_total_time(us)": table.needed("Time(us)"),
            "min_duration(us)": table.texts("Min(us)"),
            "max_duration(us)": table.texts("Max(us)"),
        },
    )
    add_operator_sums(trace, renamed, "runtime", "us")


def _add_step_times(trace: Trace, table: Table) -> None:
    """What the tool computed of each step; steps without marks of their own follow each other from 0."""
    numbers = table.integers("Step", missing=NOTHING)
    parts = {
        part: np.where(has_value, values, 0)
        for part, (values, has_value) in {
            "computing": table.nanoseconds("Computing"),
            "exposed": table.nanoseconds("Communication(Not Overlapped)"),
            "communication": table.nanoseconds("Communication"),
            "free": table.nanoseconds("Free"),
        }.items()
    }
    if not table.rows:
        return
    trace.facts["step_trace_time"] = [
        {header: column[row] for header, column in table.columns.items()} for row in range(min(table.rows, 10_000))
    ]
    length = parts["computing"] + parts["exposed"] + parts["free"]
    end = np.cumsum(length)
    unknown = np.full(table.rows, NOTHING, np.int64)
    number = np.where(numbers == NOTHING, np.arange(table.rows), numbers)
    trace.steps = Steps(
        number,
        end - length,
        end,
        unknown,
        unknown.copy(),
        parts["computing"],
        parts["communication"],
        parts["exposed"],
        parts["free"],
    )


def _add_steps(trace: Trace, table: Table) -> None:
    """Iterations of msprof with the marks of forward and backward."""
    number = table.integers("Iteration ID", missing=NOTHING)
    end, has_end = table.nanoseconds("Iteration End(us)", "Iteration End")
    length, has_length = table.nanoseconds("Iteration Time(us)", "Iteration Time")
    forward, has_forward = table.nanoseconds("FP Start(us)", "FP Start")
    backward, has_backward = table.nanoseconds("BP End(us)", "BP End")
    usable = has_end & has_length & (length >= 0)
    if not usable.all() or table.is_cut:
        lost = int((~usable).sum()) + int(table.is_cut)
        trace.losses.append(Loss("iterations without a time", lost, table.name))
    if trace.steps is None and usable.any():
        trace.steps = steps_of(
            number[usable],
            (end - length)[usable],
            end[usable],
            np.where(has_forward, forward, NOTHING)[usable],
            np.where(has_backward, backward, NOTHING)[usable],
        )


def _unit_bytes(header: str | None) -> int:
    unit = (header or "").rpartition("(")[2].rstrip(")")
    return _BYTES.get(unit, 1)


def _bytes(table: Table, name: str) -> Longs:
    header = table.find_exact(name)
    if header is None:
        return np.full(table.rows, NOT_GIVEN, np.int64)
    values = table.numbers(header) * _unit_bytes(header)
    usable = np.isfinite(values) & (np.abs(values) < 2**62)
    return np.where(usable, np.rint(np.where(usable, values, 0)).astype(np.int64), NOT_GIVEN)


def _add_allocations(trace: Trace, assembly: Assembly, table: Table) -> None:
    names, devices = table.needed("Name"), table.texts("Device Type", missing="NPU")
    size = _bytes(table, "Size")
    allocated, has_taken = table.nanoseconds("Allocation Time(us)", "Allocation Time")
    freed, has_freed = table.nanoseconds("Release Time(us)", "Release Time")
    taken_rows = np.flatnonzero(has_taken & (size > 0))
    freed_rows = np.flatnonzero(has_freed & (size > 0))
    lost = int((~(has_taken & (size >= 0))).sum()) + int(table.is_cut)
    if lost:
        trace.losses.append(Loss("allocations without a time or a size", lost, table.name))
    time = np.concatenate([allocated[taken_rows], freed[freed_rows]])
    rows = np.concatenate([taken_rows, freed_rows])
    signed = np.concatenate([size[taken_rows], -size[freed_rows]])
    order = np.argsort(time, kind="stable")
    name_codes, device_codes = assembly.codes(names), assembly.codes(devices)
    rows = rows[order]
    trace.allocations = Allocations(
        time[order],
        signed[order],
        (rows + 1).astype(np.uint64),  # the tool gives no addresses; every row is one block
        device_codes[rows],
        np.full(len(rows), NOTHING, np.int32),
        name_codes[rows],
    )


def _add_memory(trace: Trace, table: Table) -> None:
    time, has_time = table.nanoseconds("Timestamp(us)", "Timestamp")
    allocated, reserved = _bytes(table, "Total Allocated"), _bytes(table, "Total Reserved")
    components = table.texts("Component")
    devices = table.texts("Device Type", missing="NPU")
    groups: dict[str, list[int]] = {}
    for row, (component, device, good) in enumerate(zip(components, devices, has_time.tolist(), strict=True)):
        if good:
            groups.setdefault(f"{device.replace(':', ' ')} {component}".strip(), []).append(row)
    for device, rows in groups.items():
        order = np.array(rows)[np.argsort(time[rows], kind="stable")]
        trace.memory.append(Memory(device, time[order], allocated[order], reserved[order]))
    lost = int((~has_time).sum()) + int(table.is_cut)
    if lost:
        trace.losses.append(Loss("rows of the memory record without a time", lost, table.name))
