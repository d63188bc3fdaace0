"""Input pipeline: operators, queues between host and device, waits and bottlenecks.

The rules are MindInsight's: an operator is slow where what comes in queues up and what goes out does not, or where it
begins the pipeline and its queue is seldom full; data is processed too slowly where the device's queue is empty for
more than three batches in ten, and sent too slowly where the device finds nothing though that queue has something.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Annotated, Any, Final, Literal, TypedDict

import numpy as np

from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS, SIDES, Columns
from mindinsight_like.profiler.analysis.columns.downsampling import downsample
from mindinsight_like.profiler.analysis.steps.step_list import average
from mindinsight_like.profiler.traces.trace import NOT_GIVEN, Activity, Counter, InputPipeline, PipelineOperator

from .columns import intervals

EMPTY_SHARE: Final = 0.3  # of batches
USAGE_DROP: Final = 0.1  # from the queue before an operator to its own
LEAF_USAGE: Final = 0.6
_STRETCHES: Final = 500
_MOST_LOADERS: Final = 200
_DATA_SIDE: Final = SIDES.index("data")


class PipelineOperatorRow(TypedDict):
    """An operator of the input pipeline with its output queue; usages and shares are of 1."""

    number: int
    type: str
    workers: int
    capacity: Annotated[int | None, "Of its queue, where known."]
    samples: Annotated[int, "How often the size of its queue was sampled."]
    mean_size: float | None
    usage: Annotated[float | None, "Mean size of the queue as a share of its capacity."]
    incoming_usage: Annotated[float | None, "The highest usage of the queues it reads from."]
    empty: Annotated[float | None, "Share of samples with an empty queue."]
    full: Annotated[float | None, "Share of samples with a full queue."]
    parent: int | None
    children: list[int]
    cost: Annotated[float | None, "As the recording has it."]
    rule: Annotated[Literal["queue_drops", "leaf_queue_low"] | None, "Why it is considered slow."]


@dataclass(frozen=True, kw_only=True)
class QueueEmptiness:
    """How often a queue was empty."""

    batches: int
    empty: int
    share: float


class _LightState(TypedDict):
    place: Literal["host", "device", "get_next"]
    state: Literal["good", "warning", "unknown"]


class PipelineIndicator(_LightState, total=False):
    """State of one stage of the input path, and how often its queue was empty, if known."""

    batches: int
    empty: int
    share: float


class WaitFigures(TypedDict):
    """Times of all batches; milliseconds."""

    total: float
    mean: float
    longest: float


class QueuePoints(TypedDict):
    """Size and wait by batch, downsampled."""

    batch: list[int]
    size: list[float | None]
    wait: list[float | None]


class PipelineQueue(TypedDict):
    """A queue between host and device."""

    queue: str
    capacity: int | None
    batches: int
    empty: Annotated[float | None, "Share of batches that found it empty."]
    full: Annotated[float | None, "Share of batches that found it full."]
    wait: WaitFigures | None
    push: WaitFigures | None
    points: QueuePoints


class LoaderRow(TypedDict):
    """A thread that loaded data; milliseconds."""

    track: int
    name: str
    process: str
    slice_name: Annotated[str, "Most frequent slice name."]
    count: int
    total: float
    mean: float
    longest: float


class InputWaitPoints(TypedDict):
    """Input wait by step, downsampled."""

    number: list[int]
    wait: list[float]
    begin_ns: list[int]


class InputWaits(TypedDict):
    """How long steps waited for data; milliseconds."""

    total: float
    share: Annotated[float | None, "Of a mean step."]
    points: InputWaitPoints


@dataclass(frozen=True, kw_only=True)
class PipelineView:
    """The input pipeline of a recording; times are milliseconds, shares of 1."""

    operators: list[PipelineOperatorRow]
    sample_milliseconds: Annotated[float | None, "Interval at which queues were sampled."]
    indicators: Annotated[list[PipelineIndicator], "Stages of the input path: host, device and get_next."]
    queues: list[PipelineQueue]
    loading: Annotated[list[LoaderRow], "Threads that loaded data, the busiest first."]
    steps: InputWaits


def view(columns: Columns) -> PipelineView:
    """All that the recording tells of the input pipeline."""
    pipelines = columns.trace.pipelines
    return PipelineView(
        operators=[entry for pipeline in pipelines for entry in operators(pipeline)],
        sample_milliseconds=next((p.sample_milliseconds for p in pipelines if p.sample_milliseconds > 0), None),
        indicators=indicators(pipelines),
        queues=[_queue(pipeline) for pipeline in pipelines if pipeline.queue],
        loading=_loading(columns),
        steps=_waits_of_steps(columns),
    )


def has_loading(columns: Columns) -> bool:
    """Whether any slice is the loading of data."""
    return bool(np.any(columns.groups.count[columns.groups.side == _DATA_SIDE] > 0))


def is_load(counter: Counter) -> bool:
    """Whether a counter tells how busy processors were."""
    return "cpu" in counter.name.lower() and counter.unit == "%"


def operators(pipeline: InputPipeline) -> list[PipelineOperatorRow]:
    """Each operator with its queue, and the rule that calls it slow where there is one."""
    usage = {operator.number: _usage(operator) for operator in pipeline.operators}
    entries: list[PipelineOperatorRow] = []
    for operator in pipeline.operators:
        own = _usage(operator)  # its own: in damaged files operators share a number
        before = [usage[child] for child in operator.children if usage.get(child) is not None]
        incoming = max((share for share in before if share is not None), default=None)
        sizes = operator.sizes
        entries.append(
            {
                "number": operator.number,
                "type": operator.type,
                "workers": operator.workers,
                "capacity": operator.capacity if operator.capacity > 0 else None,
                "samples": len(sizes),
                "mean_size": float(sizes.mean()) if len(sizes) else None,
                "usage": own,
                "incoming_usage": incoming,
                "empty": _share(sizes == 0) if own is not None else None,
                "full": _share(sizes >= operator.capacity) if own is not None else None,
                "parent": operator.parent if operator.parent >= 0 else None,
                "children": operator.children,
                "cost": operator.cost if operator.cost >= 0 else None,
                "rule": _rule(own, incoming, is_leaf=not operator.children),
            }
        )
    return entries


def _usage(operator: PipelineOperator) -> float | None:
    if operator.capacity <= 0 or not len(operator.sizes):
        return None
    return float(operator.sizes.mean()) / operator.capacity


def _rule(
    own: float | None, incoming: float | None, *, is_leaf: bool
) -> Literal["queue_drops", "leaf_queue_low"] | None:
    if own is None:
        return None
    if incoming is not None and incoming - own > USAGE_DROP:
        return "queue_drops"
    return "leaf_queue_low" if is_leaf and own < LEAF_USAGE else None


def _share(is_so: Any) -> float:
    return float(np.count_nonzero(is_so)) / len(is_so)


def indicators(pipelines: list[InputPipeline]) -> list[PipelineIndicator]:
    """The road of data in three places, each "good", "warning" or (where nothing tells) "unknown"."""
    queues = {pipeline.queue: emptiness(pipeline) for pipeline in pipelines if pipeline.queue}
    device, get_next = queues.get("device"), queues.get("get_next")
    if device is None and get_next is None and not any(pipeline.operators for pipeline in pipelines):
        return []
    slow = [entry["type"] for pipeline in pipelines for entry in operators(pipeline) if entry["rule"]]
    is_late = device is not None and device.share > EMPTY_SHARE
    is_starved = get_next is not None and get_next.empty > 0
    return [
        _light("host", None if device is None and not slow else is_late or (device is None and bool(slow)), device),
        _light("device", None if device is None else not is_late and is_starved, None),
        _light("get_next", None if get_next is None else is_starved, get_next),
    ]


def _light(
    place: Literal["host", "device", "get_next"], is_bad: bool | None, queue: QueueEmptiness | None
) -> PipelineIndicator:
    light: PipelineIndicator = {
        "place": place,
        "state": "unknown" if is_bad is None else "warning" if is_bad else "good",
    }
    if queue is not None:
        light["batches"], light["empty"], light["share"] = queue.batches, queue.empty, queue.share
    return light


def emptiness(pipeline: InputPipeline) -> QueueEmptiness | None:
    """How many batches found the queue empty; None where its sizes are not known."""
    sizes = pipeline.queue_size[pipeline.queue_size != NOT_GIVEN]
    if not len(sizes):
        return None
    empty = int(np.count_nonzero(sizes == 0))
    return QueueEmptiness(batches=len(sizes), empty=empty, share=empty / len(sizes))


def _queue(pipeline: InputPipeline) -> PipelineQueue:
    wait, push = (
        np.where(column >= 0, column, np.nan)
        for column in (_padded(pipeline.wait, pipeline), _padded(pipeline.push, pipeline))
    )
    size = np.where(pipeline.queue_size >= 0, pipeline.queue_size, np.nan).astype(np.float64)
    size = _padded(size, pipeline)
    positions = np.union1d(
        downsample(pipeline.batch, np.nan_to_num(size, nan=-1), _STRETCHES),
        downsample(pipeline.batch, np.nan_to_num(wait, nan=-1), _STRETCHES),
    )
    capacity = pipeline.queue_capacity
    known_sizes = size[~np.isnan(size)]
    return {
        "queue": pipeline.queue,
        "capacity": capacity if capacity > 0 else None,
        "batches": len(pipeline.batch),
        "empty": _share(known_sizes == 0) if len(known_sizes) else None,
        "full": _share(known_sizes >= capacity) if len(known_sizes) and capacity > 0 else None,
        "wait": _figures(wait),
        "push": _figures(push),
        "points": {
            "batch": pipeline.batch[positions].tolist(),
            "size": _or_none(size[positions]),
            "wait": _or_none(wait[positions]),
        },
    }


def _padded(column: Any, pipeline: InputPipeline) -> Any:
    return column if len(column) == len(pipeline.batch) else np.full(len(pipeline.batch), np.nan)


def _figures(times: Any) -> WaitFigures | None:
    known_times = times[~np.isnan(times)]
    if not len(known_times):
        return None
    return {"total": float(known_times.sum()), "mean": float(known_times.mean()), "longest": float(known_times.max())}


def _or_none(values: Any) -> list[float | None]:
    return [None if value != value else value for value in values.tolist()]


def _loading(columns: Columns) -> list[LoaderRow]:
    """Who loaded data: for each thread the time covered by its loading, and how often; the busiest first."""
    rows, bounds = columns.rows, columns.track_bounds
    loaders: list[LoaderRow] = []
    for number, (first, last) in enumerate(pairwise(bounds.tolist())):
        at = first + np.flatnonzero(rows.activity[first:last] == Activity.DATA)
        if not len(at):
            continue
        parent = rows.parent[at]
        outermost = at[(parent < 0) | (rows.activity[parent] != Activity.DATA)]
        begin, length = rows.start[outermost], rows.duration[outermost]
        names, counts = np.unique(columns.names_of(outermost), return_counts=True)
        track = columns.trace.tracks[number]
        loaders.append(
            {
                "track": number,
                "name": track.name,
                "process": track.process,
                "slice_name": columns.trace.texts[names[np.argmax(counts)]],
                "count": len(outermost),
                "total": intervals.union(begin, begin + length).total / NS_PER_MS,
                "mean": float(length.mean()) / NS_PER_MS,
                "longest": int(length.max()) / NS_PER_MS,
            }
        )
    return sorted(loaders, key=lambda entry: -entry["total"])[:_MOST_LOADERS]


def _waits_of_steps(columns: Columns) -> InputWaits:
    """What of each step went by in waiting for data, where slices tell; the share is that of a mean step."""
    table = columns.steps
    parts = average(table).get("parts") or {}
    at = np.flatnonzero(table.is_measured)
    wait = table.part_times[at, table.parts.index("input_wait")] if len(at) else np.empty(0, np.int64)
    positions = downsample(at, wait, _STRETCHES)
    return {
        "total": int(wait.sum()) / NS_PER_MS,
        "share": parts["input_wait"] / max(sum(parts.values()), 1e-6) if parts else None,
        "points": {
            "number": table.number[at][positions].tolist(),
            "wait": (wait[positions] / NS_PER_MS).tolist(),
            "begin_ns": table.begin[at][positions].tolist(),
        },
    }
