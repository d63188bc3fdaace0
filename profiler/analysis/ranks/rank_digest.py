"""Digest of one rank for the comparison of ranks; small enough to hold a thousand in memory."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS, SIDES, Columns, StepTable
from mindinsight_like.profiler.analysis.operators import flops_summary
from mindinsight_like.profiler.analysis.steps.step_list import StepAverage, average
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Ints, Links, Longs, Place

# What a slow rank spends more time in; waiting for others it has less of.
_WORK_SIDES: Final = ("host", "device", "AI CPU", "launch", "data", "python")
_BETWEEN_TWO: Final = re.compile(r"send|recv|receive", re.IGNORECASE)  # not of all members of a group
_LEAST_OPERATOR: Final = 0.001  # of a step; who takes less is no reason for anything
_MOST_OPERATORS: Final = 1000
_MOST_COLLECTIVES: Final = 100_000


@dataclass(frozen=True)
class RankCollectives:
    """Collective operations of a rank by step and name, those of one step and name in order of time; nanoseconds."""

    names: list[str]
    step: Longs  # NOTHING where the recording has no steps
    name: Ints  # index into names
    begin: Longs
    end: Longs
    total: int  # with those that were left out of very many


class LinkTraffic(TypedDict):
    """Traffic over a link in a mean step, as a rank recorded it."""

    source: int
    target: int
    kind: str
    milliseconds: float
    megabytes: float
    gigabytes_per_second: float


class RankFacts(TypedDict, total=False):
    """What MindSpore itself averaged or noted, as it wrote it."""

    average_step: Any
    cluster_average: Annotated[dict[str, float], "Milliseconds by the names that MindSpore uses."]
    parallel_mode: Any
    communication: Annotated[dict[str, float], "Sums of a mean step: `communication` and `wait`."]


@dataclass(frozen=True)
class RankDigest:
    """One rank; times of operators in milliseconds of a mean step."""

    rank: int
    host: str
    device: str
    stage: int | None  # of a pipeline, from 1 on
    steps: StepTable
    means: StepAverage
    collectives: RankCollectives
    operators: dict[str, float]
    links: list[LinkTraffic]
    flops: flops_summary.FlopsSummary | None
    facts: RankFacts = field(default_factory=RankFacts)


def digest(columns: Columns) -> RankDigest:
    """Everything that is asked of a rank beside others."""
    trace, means = columns.trace, average(columns.steps)
    facts = RankFacts(communication=_mean_communication(trace.facts.get("communication")))
    if "average_step" in trace.facts:
        facts["average_step"] = trace.facts["average_step"]
    if "cluster_average" in trace.facts:
        facts["cluster_average"] = trace.facts["cluster_average"]
    if "parallel_mode" in trace.facts:
        facts["parallel_mode"] = trace.facts["parallel_mode"]
    return RankDigest(
        trace.rank,
        trace.host,
        trace.device,
        stage_of(columns),
        replace(columns.steps, why={}),
        means,
        _collectives(columns),
        _operators(columns, float(means.get("duration", 0.0))),
        _links(trace.links),
        flops_summary.summary(columns),
        facts,
    )


def stage_of(columns: Columns) -> int | None:
    """The stage of a pipeline that a rank works on, from 1 on; None without."""
    stages, ranks, rank = columns.trace.facts.get("stages"), columns.trace.ranks, columns.trace.rank
    if not isinstance(stages, int) or stages < 2 or ranks < stages or not 0 <= rank < ranks:
        return None
    return rank * stages // ranks + 1  # frameworks give neighbours to a stage


def _links(links: Links | None) -> list[LinkTraffic]:
    if links is None:
        return []
    means = np.flatnonzero(links.step == NOTHING)
    steps = max(len(np.unique(links.step)), 1) if not len(means) else 1
    sums: dict[tuple[int, int, str], list[float]] = {}
    for at in (means if len(means) else np.arange(len(links.step))).tolist():
        entry = sums.setdefault((int(links.source[at]), int(links.target[at]), links.kind[at]), [0.0, 0.0, 0.0])
        for column, value in enumerate((links.milliseconds, links.megabytes, links.gigabytes_per_second)):
            entry[column] += float(value[at])
    entries: list[LinkTraffic] = []
    for (source, target, kind), (milliseconds, megabytes, reported) in sums.items():
        # Of a single row as the profiler says it: it may have rounded the others.
        bandwidth = megabytes / milliseconds if not len(means) and milliseconds else reported
        entries.append(
            {
                "source": source,
                "target": target,
                "kind": kind,
                "milliseconds": milliseconds / steps,
                "megabytes": megabytes / steps,
                "gigabytes_per_second": bandwidth,
            }
        )
    return entries


def _mean_communication(entries: Any) -> dict[str, float]:
    """The profiler's own sums of communication and of waiting for it, of a mean step."""
    means = [each for each in entries if each.get("step") == NOTHING] if isinstance(entries, list) else []
    return {name: float(means[0][name]) for name in ("communication", "wait") if means and name in means[0]}


def _operators(columns: Columns, step: float) -> dict[str, float]:
    groups, steps = columns.groups, max(len(columns.steps), 1)
    work_groups = np.flatnonzero(np.isin(groups.side, [SIDES.index(side) for side in _WORK_SIDES]))
    sums = np.bincount(groups.name[work_groups], groups.self_time[work_groups], minlength=1) / NS_PER_MS / steps
    names = np.flatnonzero(sums > _LEAST_OPERATOR * step)
    names = names[np.argsort(-sums[names], kind="stable")[:_MOST_OPERATORS]]
    return {columns.trace.texts[name]: float(sums[name]) for name in names.tolist()}


def _collectives(columns: Columns) -> RankCollectives:
    recorded = _communication(columns)
    begin, end, name, texts = recorded.begin, recorded.end, recorded.name, recorded.texts
    is_wanted = np.array([not _BETWEEN_TWO.search(text) for text in texts], np.bool_)
    used, name = np.unique(name, return_inverse=True)
    of_all = is_wanted[used][name] if len(used) else np.empty(0, np.bool_)
    begin, end, name = begin[of_all], end[of_all], name[of_all]
    order = np.argsort(begin, kind="stable")
    begin, end, name = begin[order], end[order], name[order]
    table = columns.steps
    if len(table):
        at = np.searchsorted(table.begin, begin, "right") - 1
        inside = (at >= 0) & (begin < table.end[np.maximum(at, 0)]) & ~table.is_partial[np.maximum(at, 0)]
        begin, end, name, at = begin[inside], end[inside], name[inside], at[inside]
        step = table.number[at]
    else:
        step = np.full(len(begin), NOTHING, np.int64)
    total = len(begin)
    begin, end, name, step = (column[:_MOST_COLLECTIVES] for column in (begin, end, name, step))
    order = np.lexsort((np.arange(len(begin)), name, step))
    names = [texts[number] for number in used.tolist()]
    return RankCollectives(names, step[order], name[order].astype(np.int32), begin[order], end[order], total)


@dataclass(frozen=True)
class _Communication:
    """Communication of a recording, in any order; nanoseconds."""

    begin: Longs
    end: Longs
    name: NDArray[np.int64]  # index into texts
    texts: list[str]


def _communication(columns: Columns) -> _Communication:
    """That of the device where there is any."""
    rows, collectives = columns.rows, columns.trace.collectives
    if collectives is not None and len(collectives.begin):
        texts = sorted(set(collectives.name))
        number = {text: at for at, text in enumerate(texts)}
        return _Communication(
            collectives.begin,
            collectives.end,
            np.array([number[text] for text in collectives.name], np.int64),
            texts,
        )
    at = np.flatnonzero(rows.activity == Activity.COMMUNICATION)
    parent = rows.parent[at]
    at = at[(parent == NOTHING) | (rows.activity[parent] != Activity.COMMUNICATION)]
    places = np.array([int(track.place) for track in columns.trace.tracks], np.int64)
    place = places[columns.tracks_of(at)]
    at = at[place == (Place.DEVICE if np.any(place == Place.DEVICE) else Place.HOST)]
    begin, name = rows.start[at], columns.names_of(at).astype(np.int64)
    return _Communication(begin, begin + rows.duration[at], name, columns.trace.texts)
