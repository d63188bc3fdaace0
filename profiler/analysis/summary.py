"""Summary figures of a profile."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, TypedDict

import numpy as np

from mindinsight_like.profiler.analysis.columns.columns import LAYER_SIDE, NS_PER_MS, Columns
from mindinsight_like.profiler.analysis.columns.tables import Table, page
from mindinsight_like.profiler.analysis.operators.operator_table import SideTotals
from mindinsight_like.profiler.analysis.operators.operators import OperatorQuery, operator_rows, sides, summed

from . import pipeline
from .advice import AdviceItem, advice
from .operators import flops_summary
from .steps import critical_path, idle
from .steps.step_list import PartTimes, StepAverage, average

_TOP_TYPES: Final = 20
_FIRST_ADVICE: Final = 3
_OTHER_SIDES: Final = ("launch", "data", "python", "annotation", "other")  # what is there is no operator


class LostRecords(TypedDict):
    """Something that could not be read."""

    message: str
    count: int
    file: str


@dataclass(frozen=True, kw_only=True)
class ProfileTotals:
    """How much a recording holds."""

    slices: int
    tracks: int
    operators: int
    types: int
    executions: int
    steps: int
    wall: Annotated[float, "Milliseconds from the first start to the last end."]


@dataclass(frozen=True, kw_only=True)
class AvailableViews:
    """Which views have something to show."""

    operators: bool
    steps: bool
    timeline: bool
    memory: bool
    pipeline: bool
    flame: bool
    critical_path: bool
    idle: bool
    cluster: bool
    counters: bool


class OperatorTypeTotals(TypedDict):
    """An operator type; milliseconds."""

    type: str
    side: str
    total: float
    self: float
    count: int
    share: Annotated[float, "Self time as a share of that of its side; 0 to 1."]


@dataclass(frozen=True, kw_only=True)
class Summary:
    """The most important figures of a recording; milliseconds."""

    tool: str
    device: str
    host: str
    rank: int
    ranks: int
    origin_ns: int
    facts: dict[str, Any]
    counts: dict[str, int]
    losses: list[LostRecords]
    totals: ProfileTotals
    has: AvailableViews
    sides: list[SideTotals]
    top_types: list[OperatorTypeTotals]
    breakdown: PartTimes  # parts of an average whole step; they add up to it
    step: StepAverage
    flops: flops_summary.FlopsSummary | None
    advice: list[AdviceItem]  # the first three


def summary(columns: Columns) -> Summary:
    """What a list or a front page shows of a recording."""
    trace, groups = columns.trace, columns.groups
    types, names = (_operators(summed(columns, OperatorQuery(by))) for by in ("type", "name"))
    first, last = columns.recorded
    step = average(columns.steps)
    return Summary(
        tool=trace.tool,
        device=trace.device,
        host=trace.host,
        rank=trace.rank,
        ranks=trace.ranks,
        origin_ns=trace.origin,
        facts=trace.facts,
        counts={name: count for each in (trace.counts, columns.counts) for name, count in each.items()},
        losses=[{"message": loss.message, "count": loss.count, "file": loss.file} for loss in trace.losses],
        totals=ProfileTotals(
            slices=len(columns.rows),
            tracks=len(set(columns.lanes.track.tolist())),
            operators=len(names["count"]),
            types=len(types["count"]),
            executions=int(types["count"].sum()),
            steps=len(columns.steps),
            wall=(last - first) / NS_PER_MS,
        ),
        has=AvailableViews(
            operators=len(types["count"]) > 0 or bool(np.any(groups.side != LAYER_SIDE)),
            steps=len(columns.steps) > 0,
            timeline=len(columns.rows) > 0,
            memory=bool(trace.memory) or trace.allocations is not None,
            pipeline=bool(trace.pipelines) or pipeline.has_loading(columns),
            flame=bool(np.any(columns.rows.parent >= 0)),
            critical_path=critical_path.has_answer(columns),
            idle=idle.has_answer(columns),
            cluster=trace.links is not None or trace.ranks > 1,
            counters=bool(trace.counters),
        ),
        sides=sides(columns),
        top_types=[
            {
                "type": row["type"],
                "side": row["side"],
                "total": row["total"],
                "self": row["self"],
                "count": row["count"],
                "share": row["share"],
            }
            for row in operator_rows(page(types, "-self", 0, _TOP_TYPES))
        ],
        breakdown=step.get("parts", {}),
        step=step,
        flops=flops_summary.summary(columns),
        advice=advice(columns)[:_FIRST_ADVICE],
    )


def _operators(table: Table) -> Table:
    # Sides that only sums tell of have names of their own, and all of them are of operators.
    at = np.flatnonzero(~np.isin(table["side"].astype(str), _OTHER_SIDES))
    return {name: column[at] for name, column in table.items()}
