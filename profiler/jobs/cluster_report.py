"""Comparison of the ranks of a session, as it is stored and returned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal, TypedDict

from mindinsight_like.profiler.analysis.advice import AdviceItem
from mindinsight_like.profiler.analysis.ranks.rank_figures import (
    ClusterLinks,
    ClusterSteps,
    LongInterval,
    RankFigures,
    StageFigures,
)
from mindinsight_like.profiler.analysis.ranks.stragglers import Straggler


class RankProfile(TypedDict):
    """The recording of a rank."""

    profile: Annotated[str, "ID of the profile."]
    run: Annotated[str, "ID of the run."]
    run_name: str


class ClusterRank(RankFigures, RankProfile):
    """A rank: means over its complete steps in milliseconds, and averages reported by MindSpore."""


class MissingRank(RankProfile):
    """A rank whose recording cannot be read."""

    rank: int | None
    message: str


@dataclass(frozen=True, kw_only=True)
class ClusterReport:
    """Ranks that were recorded together; times are milliseconds, stages of a pipeline count from 1."""

    measure: Annotated[str, "What `steps.times` contains."]
    steps: ClusterSteps
    session: str
    ranks: list[ClusterRank]
    interval: Annotated[LongInterval | None, "Null where fewer than two ranks have intervals between steps."]
    stages: list[StageFigures]
    method: Annotated[Literal["collectives", "steps"], "How stragglers were detected."]
    collectives: Annotated[int, "Number of collective operations that were compared."]
    stragglers: list[Straggler]
    advice: list[AdviceItem]
    links: ClusterLinks
    missing: Annotated[list[MissingRank], "Ranks whose recording cannot be read."]
