"""Text files beside the binary records of an Ascend device."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from mindinsight_like.profiler.traces.files import Files

from .ascend_enums import ENGINE_DATA_TYPES, ENGINE_FORMATS, MINDSPORE_DATA_TYPES

_FIELD = re.compile(r'(\w+):("[^"]*"|\S*)')
_NODE = re.compile(r"Node:\s*([^,]+),\s*Run s?tart:\s*(\d+).*?Run end:\s*(\d+)")
_QUEUE = re.compile(r"queue size:\s*(-?\d+)")
_THREAD = re.compile(
    r"tickDrvTopHalf=(\d+).*?tickBeforeRun=(\d+),\s*tickAfterRun=(\d+),\s*dispatchTime=(\d+) us,\s*totalTime=(\d+) us"
)
_SUBGRAPHS: Final = ("Default", "Gradients")


@dataclass
class Operator:
    """What the framework knows of an operator."""

    name: str
    type: str
    inputs: list[str] = field(default_factory=list)  # shapes
    information: dict[str, Any] = field(default_factory=dict)  # of inputs and outputs: format, data_type, shape


@dataclass
class HelperTask:
    """One task of a helper processor; ticks where the device tells them, else its own microseconds."""

    name: str  # "" where the file does not tell
    begin_ticks: int
    dispatch_microseconds: int
    total_microseconds: int
    run_start: int
    run_end: int


def lines_of(files: Files, names: Sequence[str]) -> list[str]:
    """The lines of a text in slices."""
    return b"".join(files.read(name) for name in names).decode("utf-8", "replace").splitlines()


def subgraph_of(full_name: str) -> str:
    """The part of the network that a name belongs to."""
    head = full_name.partition("/")[0]
    return head if head in _SUBGRAPHS else ""


def type_from_name(full_name: str) -> str:
    """The type of an operator that is only known by its name."""
    return full_name.rpartition("/")[2].partition("-op")[0]


def operators(lines: Sequence[str], is_mindspore: bool) -> tuple[dict[str, Operator], int]:
    """The operators of graph_desc_info by name, and the number of lines that are none."""
    operators_by_name: dict[str, Operator] = {}
    strange = 0
    for line in lines:
        pairs = [(key, value.strip('"')) for key, value in _FIELD.findall(line)]
        if len(pairs) < 2 or pairs[0][0] != "op_name":
            strange += bool(line.strip())
            continue
        operator = Operator(pairs[0][1], next((value for key, value in pairs if key == "op_type"), ""))
        part: dict[str, Any] = {}
        for key, value in pairs:
            side, _, what = key.partition("_")
            if what == "id" and side in ("input", "output"):
                part = operator.information.setdefault(f"{side}_{value}", {})
            elif what == "format":
                part[what] = value if is_mindspore else _engine_format(value)
            elif what == "data_type":
                part[what] = _data_type(value, is_mindspore)
            elif what == "shape":
                part[what] = value
                if side == "input":
                    operator.inputs.append(value)
        operators_by_name[operator.name] = operator
    return operators_by_name, strange


def _data_type(number: str, is_mindspore: bool) -> str:
    data_types = MINDSPORE_DATA_TYPES if is_mindspore else ENGINE_DATA_TYPES
    return data_types.get(int(number), "UNKNOWN") if number.isdecimal() else number


def _engine_format(number: str) -> str:
    if not number.isdecimal():
        return number
    return ENGINE_FORMATS[int(number)] if int(number) < len(ENGINE_FORMATS) else "UNKNOWN"


def helper_tasks(content: str) -> list[HelperTask]:
    """Tasks of DATA_PREPROCESS.dev.AICPU: a line of the node, where there is one, and one of its thread."""
    tasks: list[HelperTask] = []
    node: tuple[str, int, int] | None = None
    for line in content.split("\0"):
        if (match := _NODE.search(line)) is not None:
            node = (match[1].strip(), int(match[2]), int(match[3]))
        elif (match := _THREAD.search(line)) is not None:
            top, _, _, dispatch, total = (int(group) for group in match.groups())
            name, run_start, run_end = node or ("", 0, 0)
            tasks.append(HelperTask(name, top, dispatch, total, run_start, run_end))
            node = None
    return tasks


@dataclass(frozen=True)
class BatchWait:
    """A wait of a device for a batch; nanoseconds."""

    begin: int
    end: int
    queue_size: int


def waits(content: str) -> list[BatchWait]:
    """Waits for batches of DATA_PREPROCESS.dev.AICPUMI."""
    intervals = []
    for line in content.split("\0"):
        node, queue = _NODE.search(line), _QUEUE.search(line)
        if node is not None:
            intervals.append(BatchWait(1000 * int(node[2]), 1000 * int(node[3]), int(queue[1]) if queue else -1))
    return intervals
