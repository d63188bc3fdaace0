"""Comparison of the ranks of one training: figures per rank, steps, stages, stragglers, links."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final

import numpy as np

from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS
from mindinsight_like.profiler.analysis.steps.step_list import StepAverage, StepPhases
from mindinsight_like.profiler.analysis.steps.steps import PARTS
from mindinsight_like.profiler.traces.trace import NOT_GIVEN, NOTHING, Floats, Longs

from . import stragglers
from .rank_advice import RankFindings, rank_advice
from .rank_digest import RankDigest
from .rank_figures import (
    ClusterLinks,
    LongInterval,
    RankComparison,
    RankFigures,
    RankLink,
    StageFigures,
    StepsOfRanks,
)
from .stragglers import Lateness

MEASURES: Final = ("duration", *PARTS, "overlapped", "interval", "forward_backward", "tail")
_LONG_INTERVAL: Final = 1.2  # times the mean; MindInsight's limits, as the next one
_SLOW_LINK: Final = 0.8
_SAME_TRAINING: Final = 0.2  # of a step
_MOST_STEPS: Final = 2000
_MOST_TIMES: Final = 200_000  # of steps and ranks; a screen has fewer pixels
_MOST_LINKS: Final = 10_000
# What MindSpore calls its own averages of interval, forward and backward pass, and tail.
_PHASES: Final = ("iteration_interval", "fp_and_bp", "tail")


class ClusterView:
    """Ranks beside each other, compared once for all measures; times are milliseconds."""

    def __init__(self, ranks: Sequence[RankDigest], numbers_of_ranks: Sequence[int | None] = ()) -> None:
        """`numbers_of_ranks`: where they are known better than from the recordings."""
        self._ranks = ranks
        numbers, durations = matrix(ranks, "duration")
        search = stragglers.find(ranks)
        figures = [_figures(rank, lateness) for rank, lateness in zip(ranks, search.ranks, strict=True)]
        for each, number in zip(figures, numbers_of_ranks, strict=False):
            each["rank"] = each["rank"] if number is None else number
        slowest = _slowest(durations)
        for at, count in zip(*np.unique(slowest[slowest != NOTHING], return_counts=True), strict=True):
            figures[at]["slowest_steps"] = int(count)
        chosen = stragglers.evenly(np.arange(len(numbers)), min(_MOST_STEPS, _MOST_TIMES // max(len(ranks), 1)))
        self.numbers = numbers[chosen]  # of the steps whose times are shown
        self.steps: StepsOfRanks = {
            "total": len(np.unique(np.concatenate([rank.steps.number[~rank.steps.is_partial] for rank in ranks]))),
            "numbers": self.numbers.tolist(),
            "slowest": [None if at == NOTHING else at for at in slowest[chosen].tolist()],
        }
        interval, links = _long_interval(figures, ranks), _links(ranks)
        self.comparison = RankComparison(
            ranks=figures,
            interval=interval,
            stages=_stages(figures),
            method=search.method,
            collectives=search.collectives,
            stragglers=search.stragglers,
            advice=rank_advice(RankFindings(ranks, figures, search, interval, links)),
            links=links,
        )

    def times(self, measure: str) -> Floats:
        """One row for each rank, one column for each step that is shown; NaN for none. Raises ValueError."""
        if measure not in MEASURES:
            raise ValueError(f"steps have no {measure}")
        return matrix(self._ranks, measure, self.numbers)[1].T


def matrix(ranks: Sequence[RankDigest], measure: str, numbers: Longs | None = None) -> tuple[Longs, Floats]:
    """Numbers of whole steps, all by default, and for each (rows) the time of each rank; NaN for none. ms."""
    numbers = stragglers.numbers_of_steps(ranks) if numbers is None else numbers
    times = np.full((len(numbers), len(ranks)), np.nan)
    for at, rank in enumerate(ranks):
        table = rank.steps
        if measure == "duration":
            values, is_known = table.end - table.begin, np.ones(len(table), np.bool_)
        elif measure in table.parts:
            values, is_known = table.part_times[:, table.parts.index(measure)], table.is_measured
        elif measure == "overlapped":
            values, is_known = table.overlapped, table.is_measured
        else:
            values = getattr(table, measure)
            is_known = values != NOT_GIVEN
        stragglers.put(times[:, at], numbers, rank, ~table.is_partial & is_known, values)
    return numbers, times / NS_PER_MS


def _figures(rank: RankDigest, lateness: Lateness) -> RankFigures:
    means, communication = rank.means, rank.facts.get("communication", {})
    reported = _reported_phases(rank.facts.get("average_step"), means.get("duration"))
    phases: StepPhases = reported or means
    figures: RankFigures = {
        "rank": rank.rank,
        "host": rank.host,
        "device": rank.device,
        "stage": rank.stage,
        "steps": len(rank.steps),
        "duration": means.get("duration"),
        "parts": means.get("parts", {}),
        "overlapped": means.get("overlapped"),
        "idle": _idle(means),
        "is_reported": reported is not None,
        "flops": rank.flops,
        "slowest_steps": 0,
        "lateness": lateness,
    }
    if "interval" in phases:
        figures["interval"] = phases["interval"]
        figures["forward_backward"] = phases["forward_backward"]
        figures["tail"] = phases["tail"]
    if "communication" in communication:
        figures["reported_communication"] = communication["communication"]
    if "wait" in communication:
        figures["reported_wait"] = communication["wait"]
    return figures


def _reported_phases(averages: Any, duration: float | None) -> StepPhases | None:
    """MindSpore's own averages over the whole training; none where they cannot be of a training with such steps."""
    if not isinstance(averages, dict) or not all(name in averages for name in _PHASES):
        return None
    interval, forward_backward, tail = (float(averages[name]) for name in _PHASES)
    is_other = duration is not None and abs(interval + forward_backward + tail - duration) > _SAME_TRAINING * duration
    return None if is_other else {"interval": interval, "forward_backward": forward_backward, "tail": tail}


def _idle(means: StepAverage) -> float | None:
    parts = means.get("parts")
    return parts["other"] if parts else None


def _slowest(durations: Floats) -> Longs:
    """For each step the position of the rank that took longest; NOTHING where fewer than two have it."""
    several = np.count_nonzero(~np.isnan(durations), axis=1) > 1
    longest = np.argmax(np.where(np.isnan(durations), -np.inf, durations), axis=1) if durations.size else several
    return np.where(several, longest, NOTHING).astype(np.int64)


def _long_interval(figures: Sequence[RankFigures], ranks: Sequence[RankDigest]) -> LongInterval | None:
    """MindInsight's rule: the rank with the longest interval between steps, and whether it is far above the mean."""
    intervals = [(each["interval"], at) for at, each in enumerate(figures) if "interval" in each]
    if len(intervals) < 2:
        return None
    mean = sum(value for value, _ in intervals) / len(intervals)
    worst, at = max(intervals)
    above = worst / mean - 1 if mean else 0.0
    is_long = above > _LONG_INTERVAL - 1
    why = stragglers.causes(ranks, at) if is_long else []
    return LongInterval(at=at, interval=worst, mean=mean, above=above, is_long=is_long, causes=why)


def _stages(figures: Sequence[RankFigures]) -> list[StageFigures]:
    """Stages of a pipeline: their ranks and the means over them."""
    stages: list[StageFigures] = []
    for stage in sorted({each["stage"] for each in figures if each["stage"] is not None}):
        of_stage = [each for each in figures if each["stage"] == stage]
        durations = [each["duration"] for each in of_stage if each["duration"] is not None]
        parts = [each["parts"] for each in of_stage if each["parts"]]
        stages.append(
            {
                "stage": stage,
                "ranks": [each["rank"] for each in of_stage],
                "duration": sum(durations) / len(durations) if durations else None,
                "parts": {name: sum(each[name] for each in parts) / len(parts) for name in PARTS} if parts else {},
            }
        )
    return stages


def _links(ranks: Sequence[RankDigest]) -> ClusterLinks:
    """Traffic of a mean step as each rank recorded it; slow are links far below the mean bandwidth of their kind."""
    links: list[RankLink] = [{"rank": rank.rank, "is_slow": False, **link} for rank in ranks for link in rank.links]
    means_of: dict[str, float] = {}
    for kind in {each["kind"] for each in links}:
        # Copies within a rank are no link.
        speeds = [each["gigabytes_per_second"] for each in links if each["kind"] == kind and not _is_inner(each)]
        means_of[kind] = sum(speeds) / len(speeds) if speeds else 0.0
    for each in links:
        each["is_slow"] = not _is_inner(each) and each["gigabytes_per_second"] < _SLOW_LINK * means_of[each["kind"]]
    if len(links) > _MOST_LINKS:  # what is slow, then what moves most
        links.sort(key=lambda each: (not each["is_slow"], -each["megabytes"]))
    return ClusterLinks(links=links[:_MOST_LINKS], means=means_of, total=len(links))


def _is_inner(link: RankLink) -> bool:
    return link["source"] == link["target"]
