"""Figures of ranks beside each other, as they are returned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from mindinsight_like.profiler.analysis.advice import AdviceItem
from mindinsight_like.profiler.analysis.operators.flops_summary import FlopsSummary
from mindinsight_like.profiler.analysis.steps.step_list import PartTimes, StepPhases

from .rank_digest import LinkTraffic
from .stragglers import Lateness, Straggler, StragglerCause


class _RankTimes(TypedDict):
    rank: int
    host: str
    device: str
    stage: Annotated[int | None, "Stage of a pipeline, from 1 on."]
    steps: int
    duration: float | None
    parts: PartTimes
    overlapped: float | None
    idle: float | None
    is_reported: Annotated[bool, "Whether `interval`, `forward_backward` and `tail` are MindSpore's own averages."]
    flops: FlopsSummary | None
    slowest_steps: Annotated[int, "In how many steps it took longest."]
    lateness: Lateness


class RankFigures(_RankTimes, StepPhases, total=False):
    """A rank: means over its complete steps in milliseconds, and averages reported by MindSpore."""

    reported_communication: Annotated[float, "Communication of a mean step, as the profiler itself summed it up."]
    reported_wait: Annotated[float, "Waiting for it."]


class StepsOfRanks(TypedDict):
    """The steps of all ranks, without times."""

    total: Annotated[int, "Number of whole steps of any rank."]
    numbers: Annotated[list[int], "Of very many, some at equal distances."]
    slowest: Annotated[list[int | None], "Positions of the ranks that took longest; null where only one has the step."]


class ClusterSteps(StepsOfRanks):
    """The steps of all ranks beside each other."""

    times: Annotated[list[list[float | None]], "For each rank its times, milliseconds; null for no such step."]


@dataclass(frozen=True, kw_only=True)
class LongInterval:
    """The rank with the longest interval between steps, by MindInsight's rule; milliseconds."""

    at: Annotated[int, "Its position in `ranks`."]
    interval: float
    mean: float
    above: Annotated[float, "Excess over the mean, as a share of the mean."]
    is_long: bool
    causes: list[StragglerCause]


class StageFigures(TypedDict):
    """A stage of a pipeline: means over its ranks, milliseconds."""

    stage: int
    ranks: list[int]
    duration: float | None
    parts: PartTimes


class RankLink(LinkTraffic):
    """A link as one of its ranks recorded it."""

    rank: int
    is_slow: Annotated[bool, "Whether its bandwidth is far below the mean of its kind."]


@dataclass(frozen=True, kw_only=True)
class ClusterLinks:
    """Traffic of a mean step."""

    links: Annotated[list[RankLink], "Of very many, those that are slow and those that move most."]
    means: Annotated[dict[str, float], "Mean bandwidth by kind, gigabytes per second."]
    total: int


@dataclass(frozen=True, kw_only=True)
class RankComparison:
    """What a comparison of ranks tells, whatever the measure."""

    ranks: list[RankFigures]
    interval: LongInterval | None
    stages: list[StageFigures]
    method: Literal["collectives", "steps"]
    collectives: int
    stragglers: list[Straggler]
    advice: list[AdviceItem]
    links: ClusterLinks
