"""Operators of Ascend and GPU devices from the intermediate tables of MindSpore r0.3 to 2.3."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import orjson

from mindinsight_like.profiler.traces.files import Files, base_name
from mindinsight_like.profiler.traces.trace import Activity, Loss, Place, Trace

from .assembly import Assembly, report_damage
from .operator_sums import add_operator_sums, add_type_sums
from .raw_texts import type_from_name
from .tables import Table, decimals, read_table

_ACTIVITY: Final = "CUDA activity"
_SUMS: Final = {
    "aicore_intermediate_": ("AI Core", "ms"),
    "pynative_op_intermediate_": ("AI Core", "ms"),
    "gpu_op_detail_info_": ("GPU", "us"),
    "gpu_op_type_info_": ("GPU", "us"),
    "gpu_activity_data_": (_ACTIVITY, "us"),
}
_MICROSECOND: Final = 1000


def fill(trace: Trace, assembly: Assembly, files: Files, names: Sequence[str]) -> None:
    """Adds sums of operators with what is known of each, and single executions where a table has them."""
    bases = {name: base_name(name) for name in names}
    types: dict[str, str] = {}
    details: dict[str, dict[str, Any]] = {}
    for name, base in bases.items():
        with report_damage(trace, name):
            if base.startswith("framework_raw_"):
                _read_framework(trace, read_table(files, name), types, details)
            elif base.startswith("flops_") and base.endswith(".txt"):
                _read_flops(read_table(files, name), details)
    for name, base in bases.items():
        start = next((start for start in _SUMS if base.startswith(start)), None)
        with report_damage(trace, name):
            if start is not None:
                side, unit = _SUMS[start]
                table = read_table(files, name)
                if side == _ACTIVITY:  # named by its kernel; the operator is a detail of it
                    table.columns["operator"] = table.columns.pop("op_full_name", [""] * table.rows)
                if "_type" in base:
                    add_type_sums(trace, table, side, unit)
                else:
                    add_operator_sums(trace, table, side, unit, types, details)
            elif base.startswith("aicpu_intermediate_"):
                _add_helper_tasks(trace, assembly, read_table(files, name))
            elif base.startswith("output_data_preprocess_aicpu_") and not _has(bases, "aicpu_intermediate_"):
                _add_helper_tasks(trace, assembly, _spaced(files, name))
            elif base.startswith("output_timeline_data_"):
                _add_executions(trace, assembly, read_table(files, name), types, details)
    if trace.operator_sums is None and details:
        _add_known(trace, types, details)


def _has(bases: dict[str, str], start: str) -> bool:
    return any(base.startswith(start) for base in bases.values())


def _read_framework(trace: Trace, table: Table, types: dict[str, str], details: dict[str, dict[str, Any]]) -> None:
    strange = 0
    for full_name, type_, block, subgraph, information in zip(
        table.needed("full_kernel_name", "full_op_name"),
        table.texts("kernel_type", "op_type"),
        table.texts("block_dim"),
        table.texts("subgraph"),
        table.texts("op_info"),
        strict=True,
    ):
        types.setdefault(full_name, type_)
        try:
            content = orjson.loads(information) if information else {}
        except orjson.JSONDecodeError:
            content = {}
            strange += 1
        details.setdefault(full_name, {"subgraph": subgraph, "block_dim": block, "op_info": content})
    if strange or table.is_cut:
        trace.losses.append(Loss("operators with unreadable inputs or outputs", strange + 1, table.name))


def _read_flops(table: Table, details: dict[str, dict[str, Any]]) -> None:
    headers = [header for header in table.columns if header != "full_kernel_name"]
    for row, full_name in enumerate(table.needed("full_kernel_name", "full_op_name")):
        details.setdefault(full_name, {})["flops"] = {header: table.columns[header][row] for header in headers}


def _add_known(trace: Trace, types: dict[str, str], details: dict[str, dict[str, Any]]) -> None:
    """Operators that are known by name only."""
    names = list(details)
    table = Table(
        "",
        len(names),
        {
            "full_op_name": names,
            "op_type": [types.get(name) or type_from_name(name) for name in names],
            "op_occurrences": ["0"] * len(names),
            "op_total_time(ms)": ["0"] * len(names),
        },
    )
    add_operator_sums(trace, table, "AI Core", "ms", details=details)


def _spaced(files: Files, name: str) -> Table:
    """A table whose columns are held apart by blanks, up to its line of totals."""
    lines = [line.split() for line in files.text(name).read().splitlines()]
    header = next((cells for cells in lines if cells[:1] == ["serial_number"]), [])
    rows = [cells for cells in lines if cells and cells[0].isdecimal() and len(cells) == len(header)]
    return Table(name, len(rows), {head: [cells[place] for cells in rows] for place, head in enumerate(header)})


def _add_helper_tasks(trace: Trace, assembly: Assembly, table: Table) -> None:
    """Tasks of helper processors: they end at `run_end`, and have taken `total_time` with their dispatch."""
    names = table.needed("kernel_type", "node_type_name", "op_name")
    total, has_total = table.nanoseconds("total_time", unit="ms")
    end, has_end = decimals(table.texts("run_end"), 3)
    start, has_start = decimals(table.texts("run_start"), 3)
    usable = has_total & has_end & has_start & (total >= 0) & (end >= start)
    add_operator_sums(
        trace,
        Table(
            table.name,
            int(usable.sum()),
            {
                "full_op_name": [name for name, good in zip(names, usable.tolist(), strict=True) if good],
                "op_total_time(ns)": [str(value) for value in total[usable].tolist()],
                "dispatch_time(ms)": [
                    cell for cell, good in zip(table.texts("dispatch_time"), usable.tolist(), strict=True) if good
                ],
            },
        ),
        "AI CPU",
        "ms",
    )
    if not usable.all():
        trace.losses.append(Loss("incomplete AI CPU tasks", int((~usable).sum()), table.name))
    kinds = assembly.codes(name for name, good in zip(names, usable.tolist(), strict=True) if good)
    track = assembly.track("AI CPU", "AI CPU", Place.DEVICE)
    assembly.add((end - total)[usable], total[usable], track, kinds, kinds, Activity.AI_CPU)


def _add_executions(
    trace: Trace, assembly: Assembly, table: Table, types: dict[str, str], details: dict[str, dict[str, Any]]
) -> None:
    names, streams = table.needed("op_name"), table.texts("stream_id")
    start, has_start = table.nanoseconds("start_time", unit="ms")
    duration, has_duration = table.nanoseconds("duration", unit="ms")
    usable = (has_start & has_duration).tolist()
    usable_rows = [row for row, good in enumerate(usable) if good]
    tracks = {stream: assembly.track(f"stream {stream}", "AI Core", Place.DEVICE) for stream in dict.fromkeys(streams)}
    shapes = [_shapes(details.get(names[row], {})) for row in usable_rows]
    assembly.add(
        start[usable_rows],
        duration[usable_rows],
        np.array([tracks[streams[row]] for row in usable_rows], np.int32),
        assembly.codes(names[row] for row in usable_rows),
        assembly.codes(types.get(names[row]) or type_from_name(names[row]) for row in usable_rows),
        Activity.OPERATOR,
        shape=assembly.codes(shapes),
    )
    lost = len(usable) - len(usable_rows) + int(table.is_cut)
    if lost:
        trace.losses.append(Loss("incomplete operator executions", lost, table.name))


def _shapes(details: dict[str, Any]) -> str:
    information = details.get("op_info")
    if not isinstance(information, dict):
        return ""
    inputs = [value for key, value in information.items() if key.startswith("input") and isinstance(value, dict)]
    return ";".join(str(value.get("shape", "")) for value in inputs)
