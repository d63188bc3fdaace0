"""Straggler detection: ranks that arrive late at collective operations or, without any, have longer steps."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypedDict

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS
from mindinsight_like.profiler.analysis.steps.steps import PARTS
from mindinsight_like.profiler.traces.trace import NOTHING, Floats, Longs

from .rank_digest import RankDigest

_FAR: Final = 3.5  # deviations, the usual border for the median absolute deviation
_LEAST_SHARE: Final = 0.01  # of a step: who is late by less harms nobody
_LEAST_VOTES: Final = 0.3  # of all votes, and of the steps
_FAIR_SHARES: Final = 1.5  # of two that are late in turns, none holds the other up
_MOST_CAUSES: Final = 5
_MOST_CELLS: Final = 4_000_000  # of operations and ranks; beyond that, operations are sampled evenly
# What a slow rank spends more time in; waiting for others it has less of.
_WORK_PARTS: Final = ("compute", "copy", "launch", "input_wait", "host_operators", "python", "other")


@dataclass(frozen=True)
class CollectiveOperations:
    """Collective operations that several ranks took part in; NaN where a rank did not. Nanoseconds."""

    step: Longs  # NOTHING where the recordings have no steps
    begin: Floats  # one row for each, one column for each rank
    end: Floats


class Lateness(TypedDict):
    """How late a rank comes to collective operations, or in its steps; milliseconds."""

    votes: Annotated[int, "Number of operations, or steps, at which it was far behind the median."]
    voted_steps: Annotated[float, "Share of late steps; of late operations if no steps are known."]
    late: Annotated[float | None, "Mean delay behind the first rank."]
    wait: Annotated[float | None, "Mean wait for the last rank."]


class StragglerCause(TypedDict):
    """What a rank spends more time in than the median of the others; milliseconds of a mean step."""

    kind: Literal["part", "operator"]
    name: str
    time: float
    median: float


class Straggler(Lateness):
    """A rank that makes the others wait."""

    at: Annotated[int, "Its position in `ranks`."]
    vote_share: Annotated[float, "Its share of the votes of all ranks."]
    causes: Annotated[list[StragglerCause], "Parts of a step first, then operators."]


@dataclass(frozen=True, kw_only=True)
class StragglerSearch:
    """Who is late, and how late everybody is."""

    method: Literal["collectives", "steps"]  # what was compared
    collectives: int  # how many collective operations were
    ranks: list[Lateness]
    stragglers: list[Straggler]


def find(ranks: Sequence[RankDigest]) -> StragglerSearch:
    """The ranks that come late to most collective operations or, without any, have the longer steps."""
    operations = aligned(collective_operations(ranks))
    method: Literal["collectives", "steps"]
    step_time = float(np.median([duration for rank in ranks if (duration := _step_time(rank))] or [0.0]))
    if len(operations.step):
        late = operations.begin - np.nanmin(operations.begin, axis=1, keepdims=True)
        wait = np.nanmax(operations.begin, axis=1, keepdims=True) - operations.begin
        step, method = operations.step, "collectives"
    else:
        step, late = _step_delays(ranks)
        wait, method = np.zeros_like(late), "steps"
    votes = voted(late, _LEAST_SHARE * (step_time or _whole(operations)))
    # Without steps, each operation stands for itself.
    occasion = np.arange(len(step)) if np.all(step == NOTHING) else step
    occasions = max(len(np.unique(occasion)), 1)
    figures: list[Lateness] = []
    for at in range(len(ranks)):
        mine = votes[:, at]
        figures.append(
            {
                "votes": int(np.count_nonzero(mine)),
                "voted_steps": len(np.unique(occasion[mine])) / occasions,
                "late": _mean(late[:, at]),
                "wait": _mean(wait[:, at]),
            }
        )
    cast = sum(each["votes"] for each in figures)
    least_share = max(_LEAST_VOTES, _FAIR_SHARES / len(ranks))
    stragglers: list[Straggler] = [
        {"at": at, **each, "vote_share": each["votes"] / cast, "causes": causes(ranks, at)}
        for at, each in enumerate(figures)
        if cast and each["votes"] / cast > least_share and each["voted_steps"] >= _LEAST_VOTES
    ]
    stragglers.sort(key=lambda each: -each["votes"])
    return StragglerSearch(method=method, collectives=len(operations.step), ranks=figures, stragglers=stragglers)


def voted(late: Floats, least: float) -> NDArray[np.bool_]:
    """Who was late at each operation: far from the median of all; of two, the later one."""
    if not late.size:
        return np.zeros(late.shape, np.bool_)
    is_there = ~np.isnan(late)
    middle = np.nanmedian(late, axis=1, keepdims=True)
    distance = np.where(is_there, late - middle, 0.0)
    deviation = 1.4826 * np.nanmedian(np.abs(late - middle), axis=1, keepdims=True)
    few = np.count_nonzero(is_there, axis=1, keepdims=True) < 3
    return np.asarray(is_there & (np.nan_to_num(late) > least) & (few | (distance > _FAR * deviation)), np.bool_)


def collective_operations(ranks: Sequence[RankDigest]) -> CollectiveOperations:
    """Operations of the same name at the same place in a step, where all ranks that have it have it equally often."""
    names: dict[str, int] = {}
    number = [
        np.array([names.setdefault(name, len(names)) for name in each.collectives.names], np.int64) for each in ranks
    ]
    groups = [_groups(each, numbers) for each, numbers in zip(ranks, number, strict=True)]
    keys = np.concatenate([key for key, _ in groups]) if groups else np.empty((0, 2), np.int64)
    if not len(keys):
        return CollectiveOperations(np.empty(0, np.int64), *np.empty((2, 0, len(ranks))))
    steps, of_steps = np.unique(keys[:, 0], return_inverse=True)
    group_keys, at, members = np.unique(of_steps * len(names) + keys[:, 1], return_inverse=True, return_counts=True)
    lengths = np.concatenate([length for _, length in groups])
    shortest, longest = np.full(len(group_keys), np.iinfo(np.int64).max), np.zeros(len(group_keys), np.int64)
    np.minimum.at(shortest, at, lengths)
    np.maximum.at(longest, at, lengths)
    count = np.where((members > 1) & (shortest == longest), longest, 0)
    first = np.cumsum(count) - count
    total = int(count.sum())
    position = np.full(total, NOTHING, np.int64)  # row of each sampled operation
    sampled = evenly(np.arange(total), _MOST_CELLS // len(ranks))
    position[sampled] = np.arange(len(sampled))
    begin, end = np.full((2, len(sampled), len(ranks)), np.nan)
    done = 0
    for column, (each, (key, length)) in enumerate(zip(ranks, groups, strict=True)):
        of_group = at[done : done + len(key)]
        done += len(key)
        row = (
            np.repeat(first[of_group], length)
            + np.arange(int(length.sum()))
            - np.repeat(np.cumsum(length) - length, length)
        )
        usable = np.repeat(count[of_group] > 0, length)
        usable[usable] = position[row[usable]] != NOTHING
        begin[position[row[usable]], column] = each.collectives.begin[usable]
        end[position[row[usable]], column] = each.collectives.end[usable]
    return CollectiveOperations(np.repeat(steps[group_keys // len(names)], count)[sampled], begin, end)


def _groups(rank: RankDigest, numbers: Longs) -> tuple[Longs, Longs]:
    """Step and name of each stretch of equal operations of a rank, and how many they are."""
    step, name = rank.collectives.step, numbers[rank.collectives.name] if len(numbers) else rank.collectives.name
    if not len(step):
        return np.empty((0, 2), np.int64), np.empty(0, np.int64)
    heads = np.flatnonzero(np.concatenate(([True], (np.diff(step) != 0) | (np.diff(rank.collectives.name) != 0))))
    return np.stack((step[heads], name[heads]), axis=1), np.diff(np.append(heads, len(step)))


def aligned(operations: CollectiveOperations) -> CollectiveOperations:
    """The same on one clock: a collective operation ends for all of its ranks at once."""
    if not len(operations.step):
        return operations
    begin, end = operations.begin - np.nanmin(operations.begin), operations.end - np.nanmin(operations.begin)
    for _ in range(2):  # the second time with clocks that almost agree
        offset = np.nan_to_num(_medians(end - np.nanmedian(end, axis=1, keepdims=True)))
        begin, end = begin - offset, end - offset
    return CollectiveOperations(operations.step, begin, end)


def _medians(values: Floats) -> Floats:
    medians = np.full(values.shape[1], np.nan)
    for at in range(values.shape[1]):
        recorded = values[:, at][~np.isnan(values[:, at])]
        if len(recorded):
            medians[at] = np.median(recorded)
    return medians


def _step_delays(ranks: Sequence[RankDigest]) -> tuple[Longs, Floats]:
    """For each step that two ranks have: how much longer each took than the quickest."""
    numbers = numbers_of_steps(ranks)
    durations = np.full((len(numbers), len(ranks)), np.nan)
    for at, rank in enumerate(ranks):
        duration = rank.steps.end - rank.steps.begin
        put(durations[:, at], numbers, rank, ~rank.steps.is_partial, duration)
    several = np.count_nonzero(~np.isnan(durations), axis=1) > 1
    numbers, durations = numbers[several], durations[several]
    return numbers, durations - np.nanmin(durations, axis=1, keepdims=True) if len(durations) else durations


def numbers_of_steps(ranks: Sequence[RankDigest]) -> Longs:
    """Numbers of the whole steps of any rank; of very many, some at equal distances."""
    numbers = [rank.steps.number[~rank.steps.is_partial] for rank in ranks]
    return evenly(
        np.unique(np.concatenate(numbers)) if numbers else np.empty(0, np.int64), _MOST_CELLS // max(len(ranks), 1)
    )


def evenly(values: Longs, most: int) -> Longs:
    """At most so many of them, at equal distances, the first and the last among them."""
    if len(values) <= max(most, 1):
        return values
    return values[np.unique(np.linspace(0, len(values) - 1, max(most, 1)).astype(np.int64))]


def put(column: Floats, numbers: Longs, rank: RankDigest, is_selected: NDArray[np.bool_], values: Longs) -> None:
    """Writes the values of a rank's wanted steps to where their numbers stand."""
    rows = np.flatnonzero(is_selected & np.isin(rank.steps.number, numbers))
    column[np.searchsorted(numbers, rank.steps.number[rows])] = values[rows]


def causes(ranks: Sequence[RankDigest], at: int) -> list[StragglerCause]:
    """What a rank spends more time in than the median of the others: parts of a mean step first, then operators.

    The stages of a pipeline have different work: there a rank is compared with the others of its stage.
    """
    least = _LEAST_SHARE * _step_time(ranks[at]) / NS_PER_MS
    others = [other for other in range(len(ranks)) if other != at]
    others = [other for other in others if ranks[other].stage == ranks[at].stage] or others
    tables_of: dict[Literal["part", "operator"], list[dict[str, float]]] = {
        "part": [_parts(each) for each in ranks],
        "operator": [each.operators for each in ranks],
    }
    largest: list[StragglerCause] = []
    for kind, tables in tables_of.items():
        more: list[StragglerCause] = []
        for name, here in tables[at].items():
            usual = float(np.median([tables[other].get(name, 0.0) for other in others]))
            if here - usual > least:
                more.append({"kind": kind, "name": name, "time": here, "median": usual})
        more.sort(key=lambda each: each["median"] - each["time"])
        largest += more[:_MOST_CAUSES]
    return largest


def _parts(rank: RankDigest) -> dict[str, float]:
    means = rank.means
    parts = means.get("parts") or {}
    work_parts = {part: float(parts[part]) for part in PARTS if part in parts and part in _WORK_PARTS}
    return work_parts | ({"interval": float(means["interval"])} if "interval" in means else {})


def _step_time(rank: RankDigest) -> float:
    """Of a mean step, nanoseconds; 0 without steps."""
    return float(rank.means.get("duration", 0.0)) * NS_PER_MS


def _whole(operations: CollectiveOperations) -> float:
    """A measure where there are no steps: the mean time from one operation to the next."""
    return (
        float(np.nanmax(operations.end) - np.nanmin(operations.begin)) / len(operations.step)
        if len(operations.step)
        else 0.0
    )


def _mean(values: Floats) -> float | None:
    recorded = values[~np.isnan(values)]
    return float(recorded.mean()) / NS_PER_MS if len(recorded) else None
