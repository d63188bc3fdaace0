"""The steps of a recording as a list, their average, and their collective operations."""

from __future__ import annotations

from typing import Annotated, TypedDict

import numpy as np

from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS, Columns, StepTable, UnusualTime
from mindinsight_like.profiler.traces.trace import NOT_GIVEN, Longs

PartTimes = dict[str, float]  # milliseconds by part of a step


class StepPhases(TypedDict, total=False):
    """Phases of a step as a device marks them, milliseconds; all three or none."""

    interval: Annotated[float, "From the start of the step to the start of its forward pass."]
    forward_backward: float
    tail: Annotated[float, "From the end of the backward pass to the end of the step."]


class _StepTimes(TypedDict):
    number: int
    begin: float
    end: float
    begin_ns: int
    end_ns: int
    duration: float
    is_partial: Annotated[bool, "Whether profiling started or stopped within it."]
    parts: Annotated[PartTimes, "They add up to the duration; empty if only start and end were recorded."]
    overlapped: Annotated[float, "Communication hidden behind computing."]
    is_unusual: Annotated[bool, "Whether its duration is far from the median."]
    why: Annotated[list[UnusualTime], "Names that explain an unusual duration."]


class StepRow(_StepTimes, StepPhases):
    """A training step; milliseconds after the origin of the recording, phases where the recording has them."""


class StepAverage(StepPhases, total=False):
    """Means over the steps that are whole, milliseconds; empty without steps."""

    steps: Annotated[int, "Number of whole steps."]
    duration: float
    measured_steps: Annotated[int, "How many of them have parts."]
    parts: PartTimes
    overlapped: float


class CollectiveRow(TypedDict):
    """Collective operations of one name and stream in a step; milliseconds."""

    name: str
    stream: str
    count: int
    begin: Annotated[float, "After the start of the step, on average."]
    duration: Annotated[float, "On average."]


class _StepPage(TypedDict):
    total: Annotated[int, "Number of steps before pagination."]
    parts: list[str]
    steps: list[StepRow]
    average: StepAverage


class StepList(_StepPage, total=False):
    """Training steps; milliseconds."""

    collectives: Annotated[list[CollectiveRow], "Where the format has them apart from slices."]


def step_list(columns: Columns, step: int | None, *, offset: int, limit: int | None) -> StepList:
    """A page of the steps; see `Analysed.steps`."""
    table = columns.steps
    last = len(table) if limit is None else min(len(table), offset + limit)
    result: StepList = {
        "total": len(table),
        "parts": list(table.parts),
        "steps": [_step(table, at) for at in range(max(offset, 0), last)],
        "average": average(table),
    }
    if columns.trace.collectives is not None:
        result["collectives"] = _collectives(columns, step)
    return result


def _step(table: StepTable, at: int) -> StepRow:
    row: StepRow = {
        "number": int(table.number[at]),
        "begin": int(table.begin[at]) / NS_PER_MS,
        "end": int(table.end[at]) / NS_PER_MS,
        "begin_ns": int(table.begin[at]),
        "end_ns": int(table.end[at]),
        "duration": int(table.end[at] - table.begin[at]) / NS_PER_MS,
        "is_partial": bool(table.is_partial[at]),
        "parts": _parts(table, at) if table.is_measured[at] else {},
        "overlapped": int(table.overlapped[at]) / NS_PER_MS,
        "is_unusual": bool(table.is_unusual[at]),
        "why": table.why.get(str(at), []),
    }
    if table.interval[at] != NOT_GIVEN:  # the three phases are known together
        row["interval"] = int(table.interval[at]) / NS_PER_MS
        row["forward_backward"] = int(table.forward_backward[at]) / NS_PER_MS
        row["tail"] = int(table.tail[at]) / NS_PER_MS
    return row


def _parts(table: StepTable, at: int) -> PartTimes:
    return {part: int(time) / NS_PER_MS for part, time in zip(table.parts, table.part_times[at], strict=True)}


def average(table: StepTable) -> StepAverage:
    """Means over the steps that are whole, over all where none is; parts over those that are measured.

    Empty without steps.
    """
    if not len(table):
        return {}
    whole = ~table.is_partial if not table.is_partial.all() else np.ones(len(table), np.bool_)
    measured = whole & table.is_measured
    means: StepAverage = {
        "steps": int(np.count_nonzero(whole)),
        "duration": _mean((table.end - table.begin)[whole]),
        "measured_steps": int(np.count_nonzero(measured)),
        "parts": {},
        "overlapped": 0.0,
    }
    if measured.any():
        means["parts"] = {part: _mean(table.part_times[measured, at]) for at, part in enumerate(table.parts)}
        means["overlapped"] = _mean(table.overlapped[measured])
    if (has_phases := whole & (table.interval != NOT_GIVEN)).any():
        means["interval"] = _mean(table.interval[has_phases])
        means["forward_backward"] = _mean(table.forward_backward[has_phases])
        means["tail"] = _mean(table.tail[has_phases])
    return means


def _mean(times: Longs) -> float:
    return float(sum(times.tolist()) / len(times) / NS_PER_MS)


def _collectives(columns: Columns, step: int | None) -> list[CollectiveRow]:
    """Of one step (by number), or of a mean step: begins are after the begin of the step."""
    collectives, table = columns.trace.collectives, columns.steps
    assert collectives is not None
    begin_of = dict(zip(table.number.tolist(), table.begin.tolist(), strict=True))
    whole = set(table.number[~table.is_partial].tolist())
    sums: dict[tuple[str, str], tuple[int, int, int]] = {}
    for number, name, begin, end, stream in zip(
        collectives.step.tolist(),
        collectives.name,
        collectives.begin.tolist(),
        collectives.end.tolist(),
        collectives.stream,
        strict=True,
    ):
        if (number == step if step is not None else number in whole) and number in begin_of:
            count, after, length = sums.get((stream, name), (0, 0, 0))
            sums[stream, name] = (count + 1, after + begin - begin_of[number], length + end - begin)
    return [
        {
            "name": name,
            "stream": stream,
            "count": count,
            "begin": after / count / NS_PER_MS,
            "duration": length / count / NS_PER_MS,
        }
        for (stream, name), (count, after, length) in sums.items()
    ]
