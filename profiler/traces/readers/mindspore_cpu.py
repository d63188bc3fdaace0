"""Host operators of MindSpore on a CPU: every execution, and allocator memory."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from mindinsight_like.profiler.traces.collectives import is_collective
from mindinsight_like.profiler.traces.files import Files, base_name
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Longs, Loss, Memory, Trace

from .assembly import Assembly, report_damage
from .operator_sums import add_operator_sums, add_type_sums
from .raw_texts import type_from_name
from .tables import decimals, read_table

PROCESS = "CPU OP"


def fill(trace: Trace, assembly: Assembly, files: Files, names: Sequence[str]) -> None:
    """Adds executions, sums and memory of the files `cpu_*`."""
    bases = {name: base_name(name) for name in names}
    types: dict[str, str] = {}
    shapes: dict[str, list[str]] = {}
    for name, base in bases.items():
        with report_damage(trace, name):
            if base.startswith("cpu_op_detail_info_"):
                types |= add_operator_sums(trace, read_table(files, name), "Host CPU", unit="ms")
            elif base.startswith("cpu_op_type_info_"):
                add_type_sums(trace, read_table(files, name), "Host CPU", unit="ms")
            elif base.startswith("cpu_framework_"):
                shapes = _shapes(files.text(name).read().splitlines())
            elif base.startswith("cpu_ms_memory_record_"):
                _add_memory(trace, files, name)
    for name, base in bases.items():
        if base.startswith("cpu_op_execute_timestamp_"):
            with report_damage(trace, name):
                _add_executions(trace, assembly, files, name, types, shapes)


def _add_executions(
    trace: Trace, assembly: Assembly, files: Files, name: str, types: dict[str, str], shapes: dict[str, list[str]]
) -> None:
    """Lines `full_name;HostCpuOps;start_ns,milliseconds,thread start_ns,milliseconds,thread ...`."""
    strange = 0
    executions_by_name: dict[str, tuple[Longs, Longs, Longs]] = {}
    for line in files.text(name):
        full_name, _, rest = line.rstrip("\n").partition(";")
        _, _, executions = rest.partition(";")
        cells = [cell.split(",") for cell in executions.split()]
        whole = [cell for cell in cells if len(cell) == 3 and cell[2].isdecimal() and len(cell[2]) < 19]
        start, has_start = decimals([cell[0] for cell in whole], 0)
        duration, has_duration = decimals([cell[1] for cell in whole], 6)
        usable = has_start & has_duration
        strange += len(cells) - int(usable.sum()) + bool(full_name.strip() and not executions)
        if usable.any():
            threads = np.array([int(cell[2]) for cell in whole], np.int64)[usable]
            executions_by_name[full_name] = (start[usable], duration[usable], threads)
    shape_of = _shapes_of({full_name: start for full_name, (start, _, _) in executions_by_name.items()}, shapes)
    for full_name, (start, duration, threads) in executions_by_name.items():
        tracks = {thread: assembly.track(f"thread {thread}", PROCESS) for thread in np.unique(threads).tolist()}
        type = types.get(full_name) or type_from_name(full_name)
        assembly.add(
            start,
            duration,
            np.array([tracks[thread] for thread in threads.tolist()], np.int32),
            assembly.text(full_name),
            assembly.text(type),
            Activity.COMMUNICATION if is_collective(type) else Activity.OPERATOR,
            shape=assembly.text(shape_of[full_name]) if full_name in shape_of else NOTHING,
        )
    if strange:
        trace.losses.append(Loss("incomplete operator executions", strange, name))


def _shapes(lines: Sequence[str]) -> dict[str, list[str]]:
    """Shapes of inputs by short name, of lines `type;op_name;graph_id;input_1:[64, 1, 8, 8];...`, one an execution."""
    shapes: dict[str, list[str]] = {}
    for line in lines:
        cells = line.split(";")
        if len(cells) > 3:
            inputs = [cell.partition(":")[2] for cell in cells[3:] if cell.startswith("input_")]
            shapes.setdefault(cells[1], []).append("[" + ", ".join(inputs) + "]")
    return shapes


def _shapes_of(starts: dict[str, Longs], shapes: dict[str, list[str]]) -> dict[str, str]:
    """Shapes of inputs by full name.

    Names without their scopes are not unique: where operators of one name differ, the first execution of any of them
    has the first line, and so on. An operator whose executions would have different shapes is told none.
    """
    by_short: dict[str, list[str]] = {}
    for full_name in starts:
        by_short.setdefault(full_name.rpartition("/")[2], []).append(full_name)
    shape_of: dict[str, str] = {}
    for short, members in by_short.items():
        lines = shapes.get(short, [])
        if len(set(lines)) == 1:
            shape_of |= dict.fromkeys(members, lines[0])
            continue
        owner = np.repeat(np.arange(len(members)), [len(starts[each]) for each in members])
        if len(owner) != len(lines):
            continue
        owner = owner[np.argsort(np.concatenate([starts[each] for each in members]), kind="stable")]
        for number, member in enumerate(members):
            own = {lines[at] for at in np.flatnonzero(owner == number).tolist()}
            if len(own) == 1:
                shape_of[member] = own.pop()
    return shape_of


def _add_memory(trace: Trace, files: Files, name: str) -> None:
    table = read_table(files, name)
    time, has_time = table.nanoseconds("Timestamp", unit="ns")
    allocated = table.integers("Total Allocated(Byte)", "Total Allocated")
    reserved = table.integers("Total Reserved(Byte)", "Total Reserved")
    order = np.argsort(time[has_time], kind="stable")
    if len(order):
        trace.memory.append(Memory("CPU", time[has_time][order], allocated[has_time][order], reserved[has_time][order]))
    lost = int((~has_time).sum()) + int(table.is_cut)
    if lost:
        trace.losses.append(Loss("incomplete rows of the memory record", lost, name))
