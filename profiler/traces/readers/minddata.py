"""Input pipeline of MindSpore's data engine: operators, queues and CPU load."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Final, TypeVar

import numpy as np

from mindinsight_like.profiler.traces.files import Files, Unreadable, base_name
from mindinsight_like.profiler.traces.trace import (
    NOT_GIVEN,
    NOTHING,
    Counter,
    InputPipeline,
    Longs,
    Loss,
    PipelineOperator,
    Trace,
)

from .assembly import report_damage
from .raw_texts import BatchWait
from .tables import read_table

T = TypeVar("T")

_GET, _PUSH, _TOTAL = 0, 1, 2
_MOST: Final = 2**62  # numbers beyond do not fit into columns
# How queues are called, by the file that tells of them.
_QUEUES: Final = {
    "device_queue_profiling": "device",
    "dataset_iterator_profiling": "iterator",
    "minddata_aicpu": "get_next",
    "minddata_getnext_profiling": "get_next",
}
_UTILIZATION: Final = {
    "user_utilization": "user",
    "sys_utilization": "system",
    "io_utilization": "waiting for disks",
    "idle_utilization": "idle",
    "runable_processes": "runnable processes",
    "context_switch_count": "context switches",
}


def fill(trace: Trace, files: Files, names: Sequence[str]) -> None:
    """Adds what the files tell of the input pipeline to the trace."""
    bases = {name: base_name(name) for name in names}
    operators = False
    # The raw file has every sample of the queues; the table that was made of it is for where it is missing.
    for name in sorted(names, key=lambda name: not bases[name].startswith("pipeline_profiling_")):
        base = bases[name]
        with report_damage(trace, name):
            if base.startswith("pipeline_profiling_"):
                trace.pipelines.append(_raw_pipeline(_json(files, name)))
                operators = True
            elif base.startswith(("minddata_pipeline_raw_", "minddata_pipeline_summary_")) and base.endswith(".csv"):
                if not operators:
                    trace.pipelines.append(_table_pipeline(files, name))
                    operators = True
            elif base.startswith(("device_queue_profiling_", "dataset_iterator_profiling_")):
                _append(trace, _queue(base, _measured(trace, files, name, _cost)))
            elif base.startswith(("minddata_aicpu_", "minddata_getnext_profiling_")):
                parse = partial(_wait, scale=1000 if base.startswith("minddata_aicpu_") else 1)
                _append(trace, wait_queue(_measured(trace, files, name, parse)))
            elif base.startswith("minddata_cpu_utilization_"):
                _utilization(trace, _json(files, name))


def _append(trace: Trace, pipeline: InputPipeline | None) -> None:
    if pipeline is not None:
        trace.pipelines.append(pipeline)


def _json(files: Files, name: str) -> dict[str, Any]:
    content = files.json(name)
    if not isinstance(content, dict):
        raise Unreadable(f"{name} is not in the expected format")
    return content


def _raw_pipeline(content: dict[str, Any]) -> InputPipeline:
    described = [entry for entry in content["op_info"] if isinstance(entry, dict)]
    parents = {child: entry["op_id"] for entry in described for child in entry.get("children") or []}
    operators = []
    for entry in described:
        queue = ((entry.get("metrics") or {}).get("output_queue")) or {}
        operators.append(
            PipelineOperator(
                int(entry["op_id"]),
                str(entry.get("op_type", "")),
                int(entry.get("num_workers") or 0),
                int(queue.get("length", NOT_GIVEN)),
                np.array(queue.get("size", []), np.int64),
                int(parents.get(entry["op_id"], NOTHING)),
                [int(child) for child in entry.get("children") or []],
            )
        )
    return InputPipeline(
        sorted(operators, key=lambda operator: operator.number), float(content.get("sampling_interval", NOT_GIVEN))
    )


def _table_pipeline(files: Files, name: str) -> InputPipeline:
    table = read_table(files, name)
    numbers = table.integers("op_id")
    types = table.needed("op_type", "op_name")
    workers, capacity = (
        table.integers("num_workers", missing=0),
        table.integers("output_queue_length", missing=NOT_GIVEN),
    )
    parents, costs = table.integers("parent_id", missing=NOTHING), table.numbers("per_pipeline_time", missing=NOT_GIVEN)
    sizes, children = table.texts("output_queue_size"), table.texts("children_id")
    intervals = table.numbers("sample_interval", "sampling_interval", missing=NOT_GIVEN)
    operators = [
        PipelineOperator(
            int(numbers[row]),
            types[row],
            int(workers[row]),
            int(capacity[row]),
            np.array(_list(sizes[row]), np.int64),
            int(parents[row]),
            [int(child) for child in _list(children[row])],
            float(costs[row]),
        )
        for row in range(table.rows)
    ]
    return InputPipeline(operators, float(intervals[0]) if table.rows else float(NOT_GIVEN))


def _list(cell: str) -> list[Any]:
    value = json.loads(cell) if cell.strip() not in ("", "None", "N/A") else []
    return value if isinstance(value, list) else [value]


def _measured(trace: Trace, files: Files, name: str, parse: Callable[[str], T]) -> list[T]:
    """What the lines of a file say; those that are damaged or cut are told, and cost nothing but themselves."""
    parsed, strange = [], 0
    for line in files.text(name):
        if line.strip():
            try:
                parsed.append(parse(line))
            except (ValueError, OverflowError):
                strange += 1
    if strange:
        trace.losses.append(Loss("incomplete lines about batches", strange, name))
    return parsed


def _queue(base: str, measured: Sequence[Sequence[int]]) -> InputPipeline | None:
    """The costs of batches, and what their queue held."""
    rows = np.array(measured, np.int64).reshape(-1, 4)
    if not len(rows):
        return None
    sizes, costs = rows[rows[:, 0] == 1], rows[rows[:, 0] == 0]
    batches = np.unique(rows[:, 2])
    size = np.full(len(batches), NOT_GIVEN, np.int64)
    size[np.searchsorted(batches, sizes[:, 2])] = sizes[:, 3]
    parts = {part: np.full(len(batches), float(NOT_GIVEN)) for part in (_GET, _PUSH, _TOTAL)}
    for part, column in parts.items():
        of_part = costs[costs[:, 1] == part]
        column[np.searchsorted(batches, of_part[:, 2])] = of_part[:, 3]
    return InputPipeline(
        [],
        float(NOT_GIVEN),
        queue=next(word for stem, word in _QUEUES.items() if base.startswith(stem)),
        queue_capacity=int(sizes[-1, 1]) if len(sizes) else NOT_GIVEN,
        batch=batches,
        queue_size=size,
        wait=parts[_GET],
        push=parts[_PUSH],
    )


def _cost(line: str) -> list[int]:
    """`0 part step milliseconds time` of costs, `1 capacity step size time` of the queue; raises ValueError."""
    kind, part, step, value = (int(float(cell)) for cell in line.split()[:4])
    if max(map(abs, (part, step, value))) >= _MOST:
        raise ValueError("impossible batch numbers")
    return [kind, part, step, value]


def _wait(line: str, *, scale: int) -> BatchWait:
    """`name start end queue_size` in nanoseconds, of which a tick of the file has `scale`; raises ValueError."""
    begin, end, size = map(int, line.split()[1:4])
    if not 0 <= begin <= end < _MOST // scale or abs(size) >= _MOST:
        raise ValueError("impossible times")
    return BatchWait(begin * scale, end * scale, size)


def wait_queue(waits: Sequence[BatchWait]) -> InputPipeline | None:
    """How long a device waited for each batch."""
    if not waits:
        return None
    times = np.array([wait.end - wait.begin for wait in waits], np.int64)
    sizes = np.array([wait.queue_size for wait in waits], np.int64)
    return InputPipeline(
        [],
        float(NOT_GIVEN),
        queue="get_next",
        batch=np.arange(1, len(waits) + 1, dtype=np.int64),
        queue_size=sizes,
        wait=times / 1e6,
    )


def _utilization(trace: Trace, content: dict[str, Any]) -> None:
    """Counters of the whole machine and of the training; their clock is their own, so times count from the first."""
    stamps = np.array(content.get("time_stamp") or [], np.int64)
    times: Longs = (stamps - stamps[0]) * 1_000_000 if len(stamps) else stamps  # milliseconds
    for part, who in (("device_info", "machine"), ("process_info", "training")):
        for key, word in _UTILIZATION.items():
            values = (content.get(part) or {}).get(key)
            if not values:
                continue
            if len(values) != len(times):
                trace.losses.append(Loss(f"the CPU utilisation ({who}, {word}) does not match its timestamps"))
                continue
            unit = "%" if "utilization" in key else ""
            trace.counters.append(
                Counter(f"CPU of the {who}: {word}", unit, times.copy(), np.array(values, np.float64))
            )
    trace.facts["cpu_utilization"] = {
        "processors": content.get("cpu_processor_num"),
        "sampling_interval": content.get("sampling_interval"),
        "operators": content.get("op_info"),
    }
