"""Optimisation advice across ranks: stragglers, slow links, pipeline stages, communication.

Limits are those of MindInsight: an interval between steps or operations of a stage 20 % above the mean, a bandwidth or
a rate 20 % below it, communication of more than 10 % of computation and communication. Stages count from 1.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from mindinsight_like.profiler.analysis.advice import SEVERITIES, Advice, AdviceItem, AdviceNumbers

from .rank_digest import RankDigest
from .rank_figures import ClusterLinks, LongInterval, RankFigures
from .stragglers import StragglerSearch

_ABOVE: Final = 1.2
_BELOW: Final = 0.8
_COMMUNICATION: Final = 0.1
_LEAST_COVERAGE: Final = 0.5  # of the time, for operations that shapes told


@dataclass(frozen=True)
class RankFindings:
    """What rules look at."""

    ranks: Sequence[RankDigest]
    figures: Sequence[RankFigures]
    search: StragglerSearch
    interval: LongInterval | None
    links: ClusterLinks

    def number(self, at: int) -> int:
        return self.figures[at]["rank"]

    def reported(self, name: str) -> list[float]:
        """MindSpore's own averages over the recorded steps, in ms; empty unless all ranks have them."""
        values = [rank.facts.get("cluster_average", {}).get(name) for rank in self.ranks]
        return [float(value) for value in values if value is not None] if None not in values else []

    def operations(self, name: Literal["total", "rate"]) -> list[float]:
        """Floating point operations of each rank, as sum or rate; empty where those of any rank are not known."""
        flops = [rank.flops for rank in self.ranks]
        values = [
            each[name]
            if each is not None and (each["source"] == "tool" or (each["coverage"] or 0.0) >= _LEAST_COVERAGE)
            else None
            for each in flops
        ]
        return [value for value in values if value is not None] if None not in values else []

    def stages(self) -> dict[int, list[int]]:
        """Positions of the ranks of each stage."""
        stages: dict[int, list[int]] = {}
        for at, rank in enumerate(self.ranks):
            if rank.stage is not None:
                stages.setdefault(rank.stage, []).append(at)
        return dict(sorted(stages.items()))


def rank_advice(findings: RankFindings) -> list[AdviceItem]:
    """Advice as that of a single recording, worst first.

    Where numbers are missing for a rank there is none: a part is not shown as the whole.
    """
    advice = [one for rule in _RULES for one in rule(findings)]
    advice.sort(key=lambda one: (SEVERITIES.index(one.level), -one.gain))
    return [one.item() for one in advice]


def _late_ranks(findings: RankFindings) -> Iterator[Advice]:
    rule = "late_rank" if findings.search.method == "collectives" else "slow_rank"
    for late in findings.search.stragglers:
        figure, delay = findings.figures[late["at"]], late["late"]
        if not figure["duration"] or delay is None:  # how much of a step lateness costs cannot be said
            continue
        share = delay / figure["duration"]
        operators = [cause for cause in late["causes"] if cause["kind"] == "operator"]
        numbers: AdviceNumbers = {
            "rank": figure["rank"],
            "ranks": len(findings.figures),
            "steps": late["voted_steps"],
            "late": delay,
            "share": share,
            "operator": operators[0]["name"] if operators else "",
            "more": operators[0]["time"] - operators[0]["median"] if operators else 0.0,
        }
        yield Advice(rule, share, numbers, "cluster")


def _interval(findings: RankFindings) -> Iterator[Advice]:
    interval = findings.interval
    if interval is not None and interval.is_long:
        numbers = {
            "rank": findings.number(interval.at),
            "interval": interval.interval,
            "mean": interval.mean,
            "above": interval.above,
        }
        yield Advice("rank_interval", 0.0, numbers, "cluster", "medium")


def _slow_links(findings: RankFindings) -> Iterator[Advice]:
    means = findings.links.means
    slow = [link for link in findings.links.links if link["is_slow"]]
    if slow:
        worst = min(slow, key=lambda link: link["gigabytes_per_second"] / means[link["kind"]])
        speed, mean = worst["gigabytes_per_second"], means[worst["kind"]]
        numbers: AdviceNumbers = {
            "source": worst["source"],
            "target": worst["target"],
            "kind": worst["kind"],
            "speed": speed,
            "mean": mean,
            "below": 1 - speed / mean,
            "links": len(slow),
        }
        yield Advice("slow_link", 0.0, numbers, "cluster", "medium")


def _rates(findings: RankFindings) -> Iterator[Advice]:
    rates = findings.operations("rate")
    mean = sum(rates) / len(rates) if rates else 0.0
    if len(rates) > 1 and min(rates) < _BELOW * mean:
        at = rates.index(min(rates))
        numbers = {"rank": findings.number(at), "rate": rates[at], "mean": mean, "below": 1 - rates[at] / mean}
        yield Advice("rank_flops_rate", 0.0, numbers, "cluster", "medium")


def _stage_operations(findings: RankFindings) -> Iterator[Advice]:
    operations, stages = findings.operations("total"), findings.stages()
    if not operations or len(stages) < 2:
        return
    of_stages = {stage: sum(operations[at] for at in members) / len(members) for stage, members in stages.items()}
    mean = sum(of_stages.values()) / len(of_stages)
    stage = max(of_stages, key=lambda each: of_stages[each])
    if of_stages[stage] > _ABOVE * mean:
        numbers = {"stage": stage, "flops": of_stages[stage], "mean": mean, "above": of_stages[stage] / mean - 1}
        yield Advice("stage_flops", 0.0, numbers, "cluster", "medium")


def _between_stages(findings: RankFindings) -> Iterator[Advice]:
    receiving, spent = findings.reported("receive_alone_time"), _spent(findings)
    if len(findings.stages()) > 1 and receiving and sum(spent) > 0:
        share = sum(receiving) / sum(spent)
        if share > _COMMUNICATION:
            numbers = {"share": share, "receive": sum(receiving) / len(receiving), "ranks": len(receiving)}
            yield Advice("stage_receive", share, numbers, "cluster")


def _within_stages(findings: RankFindings) -> Iterator[Advice]:
    together, spent = findings.reported("collective_communication_alone_time"), _spent(findings)
    stages = findings.stages() if together and spent else {}
    shares = {
        stage: sum(together[at] for at in members) / total
        for stage, members in stages.items()
        if (total := sum(spent[at] for at in members)) > 0
    }
    above = {stage: share for stage, share in shares.items() if share > _COMMUNICATION}
    if above and len(stages) > 1:
        stage = max(above, key=lambda each: above[each])
        numbers = {"stage": stage, "share": above[stage], "above": len(above), "stages": len(stages)}
        yield Advice("stage_collectives", above[stage], numbers, "cluster")


def _communication(findings: RankFindings) -> Iterator[Advice]:
    """Of trainings without stages; of data-parallel ones the time behind the backward pass, where it is told."""
    if findings.stages():
        return
    modes = {str(rank.facts.get("parallel_mode", "")).replace("_", "-") for rank in findings.ranks}
    tails = [each["tail"] / each["duration"] for each in findings.figures if "tail" in each and each["duration"]]
    if modes == {"data-parallel"} and len(tails) == len(findings.figures):
        share = sum(tails) / len(tails)
        if share > _COMMUNICATION:
            mean = sum(each["tail"] for each in findings.figures) / len(tails)
            yield Advice("data_parallel_tail", share, {"share": share, "tail": mean, "ranks": len(tails)}, "cluster")
        return
    alone, spent = _alone(findings), _spent(findings)
    share = sum(alone) / sum(spent) if alone and sum(spent) > 0 else 0.0
    if share > _COMMUNICATION:
        numbers = {"share": share, "communication": sum(alone) / len(alone), "ranks": len(alone)}
        yield Advice("ranks_communication", share, numbers, "cluster")


def _alone(findings: RankFindings) -> list[float]:
    """Communication of each rank that no computation hides."""
    return findings.reported("communication_alone_time") or _parts(findings, "communication")


def _spent(findings: RankFindings) -> list[float]:
    """Computation and communication of each rank."""
    computing = findings.reported("computation_time") or _parts(findings, "compute")
    alone = _alone(findings)
    return [each + other for each, other in zip(computing, alone, strict=True)] if computing and alone else []


def _parts(findings: RankFindings, part: str) -> list[float]:
    values = [figure["parts"].get(part) for figure in findings.figures]
    return [float(value) for value in values if value is not None] if None not in values else []


_RULES: Final[tuple[Callable[[RankFindings], Iterator[Advice]], ...]] = (
    _late_ranks,
    _interval,
    _slow_links,
    _rates,
    _stage_operations,
    _between_stages,
    _within_stages,
    _communication,
)
