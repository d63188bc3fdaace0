"""Ranks that others wait for: who comes late to collective operations, or, without any, who takes longer for a step."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Floats, Longs, Place

from .columns import NS_PER_MS, SIDES, Columns
from .steps import PARTS, average

_FAR: Final = 3.5  # deviations, the usual border for the median absolute deviation
_LEAST_SHARE: Final = 0.01  # of a step: who is late by less harms nobody
_LEAST_VOTES: Final = 0.3  # of all votes, and of the steps
_FAIR_SHARES: Final = 1.5  # of two that are late in turns, none holds the other up
_MOST_CAUSES: Final = 5
_BETWEEN_TWO: Final = re.compile(r"send|recv|receive", re.IGNORECASE)  # not of all members of a group
# What a slow rank spends more time in; waiting for others it has less of.
_WORK_SIDES: Final = ("host", "device", "AI CPU", "launch", "data", "python")
_WORK_PARTS: Final = ("compute", "copy", "launch", "input_wait", "host_operators", "python", "other")


@dataclass(frozen=True)
class Meetings:
    """Collective operations that several ranks took part in; NaN where a rank did not. Nanoseconds."""

    step: Longs  # NOTHING where the recordings have no steps
    begin: Floats  # one row for each, one column for each rank
    end: Floats


def find(ranks: Sequence[Columns]) -> dict[str, Any]:
    """`{method, collectives, ranks: [{votes, voted_steps, late, wait}], stragglers: [{at, ..., causes}]}`.

    `late` and `wait` are means in milliseconds: how long after the first a rank comes, how long it waits for the last.
    `voted_steps` is the share of steps in which a rank was late, or of the meetings where no steps are known.
    """
    met = aligned(meetings(ranks))
    step_time = float(np.median([duration for columns in ranks if (duration := _step_time(columns))] or [0.0]))
    if len(met.step):
        late = met.begin - np.nanmin(met.begin, axis=1, keepdims=True)
        wait = np.nanmax(met.begin, axis=1, keepdims=True) - met.begin
        step, method = met.step, "collectives"
    else:
        step, late = _step_delays(ranks)
        wait, method = np.zeros_like(late), "steps"
    votes = voted(late, _LEAST_SHARE * (step_time or _whole(met)))
    # Without steps, each meeting stands for itself.
    occasion = np.arange(len(step)) if np.all(step == NOTHING) else step
    occasions = max(len(np.unique(occasion)), 1)
    found: list[dict[str, Any]] = []
    for at in range(len(ranks)):
        mine = votes[:, at]
        found.append(
            {
                "votes": int(np.count_nonzero(mine)),
                "voted_steps": len(np.unique(occasion[mine])) / occasions,
                "late": _mean(late[:, at]),
                "wait": _mean(wait[:, at]),
            }
        )
    cast = sum(int(each["votes"]) for each in found)
    least_share = max(_LEAST_VOTES, _FAIR_SHARES / len(ranks))
    stragglers: list[dict[str, Any]] = [
        {"at": at, **each, "vote_share": each["votes"] / cast, "causes": causes(ranks, at)}
        for at, each in enumerate(found)
        if cast and each["votes"] / cast > least_share and each["voted_steps"] >= _LEAST_VOTES
    ]
    stragglers.sort(key=lambda each: -int(each["votes"]))
    return {"method": method, "collectives": len(met.step), "ranks": found, "stragglers": stragglers}


def voted(late: Floats, least: float) -> NDArray[np.bool_]:
    """Who was late at each meeting: far from the median of all; of two, the later one."""
    if not late.size:
        return np.zeros(late.shape, np.bool_)
    is_there = ~np.isnan(late)
    middle = np.nanmedian(late, axis=1, keepdims=True)
    distance = np.where(is_there, late - middle, 0.0)
    deviation = 1.4826 * np.nanmedian(np.abs(late - middle), axis=1, keepdims=True)
    few = np.count_nonzero(is_there, axis=1, keepdims=True) < 3
    return np.asarray(is_there & (np.nan_to_num(late) > least) & (few | (distance > _FAR * deviation)), np.bool_)


def meetings(ranks: Sequence[Columns]) -> Meetings:
    """Operations of the same name at the same place in a step, where all ranks that have it have it equally often."""
    tables = [_operations(columns) for columns in ranks]
    keys = sorted({key for table in tables for key in table})
    steps: list[int] = []
    begins: list[Floats] = []
    ends: list[Floats] = []
    for key in keys:
        there = [at for at, table in enumerate(tables) if key in table]
        lengths = {len(tables[at][key][0]) for at in there}
        if len(there) < 2 or len(lengths) != 1:
            continue
        count = lengths.pop()
        begin, end = np.full((2, count, len(ranks)), np.nan)
        for at in there:
            begin[:, at], end[:, at] = tables[at][key]
        steps += [key[0]] * count
        begins.append(begin)
        ends.append(end)
    if not steps:
        return Meetings(np.empty(0, np.int64), *np.empty((2, 0, len(ranks))))
    return Meetings(np.array(steps, np.int64), np.concatenate(begins), np.concatenate(ends))


def _operations(columns: Columns) -> dict[tuple[int, str], tuple[Longs, Longs]]:
    """Begins and ends of collective operations by step and name, in order of time; first of the device's own."""
    begin, end, name, texts = _communication(columns)
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
    order = np.lexsort((np.arange(len(begin)), name, step))
    begin, end, name, step = begin[order], end[order], name[order], step[order]
    heads = np.flatnonzero(np.diff(step, prepend=-2) | np.diff(name, prepend=-2)) if len(step) else np.empty(0, int)
    lasts = np.append(heads[1:], len(step))[: len(heads)]
    return {
        (int(step[first]), texts[name[first]]): (begin[first:last], end[first:last])
        for first, last in zip(heads.tolist(), lasts.tolist(), strict=True)
        if not _BETWEEN_TWO.search(texts[name[first]])
    }


def _communication(columns: Columns) -> tuple[Longs, Longs, Longs, list[str]]:
    rows, told = columns.rows, columns.trace.collectives
    if told is not None and len(told.begin):
        texts = sorted(set(told.name))
        number = {text: at for at, text in enumerate(texts)}
        return told.begin, told.end, np.array([number[text] for text in told.name], np.int64), texts
    at = np.flatnonzero(rows.activity == Activity.COMMUNICATION)
    parent = rows.parent[at]
    at = at[(parent == NOTHING) | (rows.activity[parent] != Activity.COMMUNICATION)]
    places = np.array([int(track.place) for track in columns.trace.tracks], np.int64)
    place = places[columns.tracks_of(at)]
    at = at[place == (Place.DEVICE if np.any(place == Place.DEVICE) else Place.HOST)]
    begin, name = rows.start[at], columns.names_of(at).astype(np.int64)
    return begin, begin + rows.duration[at], name, columns.trace.texts


def aligned(met: Meetings) -> Meetings:
    """The same on one clock: a collective operation ends for all of its ranks at once."""
    if not len(met.step):
        return met
    begin, end = met.begin - np.nanmin(met.begin), met.end - np.nanmin(met.begin)
    for _ in range(2):  # the second time with clocks that almost agree
        offset = np.nan_to_num(_medians(end - np.nanmedian(end, axis=1, keepdims=True)))
        begin, end = begin - offset, end - offset
    return Meetings(met.step, begin, end)


def _medians(values: Floats) -> Floats:
    found = np.full(values.shape[1], np.nan)
    for at in range(values.shape[1]):
        known = values[:, at][~np.isnan(values[:, at])]
        if len(known):
            found[at] = np.median(known)
    return found


def _step_delays(ranks: Sequence[Columns]) -> tuple[Longs, Floats]:
    """For each step that two ranks have: how much longer each took than the quickest."""
    numbers = np.unique(np.concatenate([columns.steps.number[~columns.steps.is_partial] for columns in ranks]))
    taken = np.full((len(numbers), len(ranks)), np.nan)
    for at, columns in enumerate(ranks):
        whole = np.flatnonzero(~columns.steps.is_partial)
        duration = (columns.steps.end - columns.steps.begin)[whole]
        taken[np.searchsorted(numbers, columns.steps.number[whole]), at] = duration
    several = np.count_nonzero(~np.isnan(taken), axis=1) > 1
    numbers, taken = numbers[several], taken[several]
    return numbers, taken - np.nanmin(taken, axis=1, keepdims=True) if len(taken) else taken


def causes(ranks: Sequence[Columns], at: int) -> list[dict[str, Any]]:
    """What a rank spends more time in than the median of the others: parts of a mean step first, then operators.

    The stages of a pipeline have different work: there a rank is compared with the others of its stage.
    """
    least = _LEAST_SHARE * _step_time(ranks[at]) / NS_PER_MS
    others = [other for other in range(len(ranks)) if other != at]
    others = [other for other in others if stage_of(ranks[other]) == stage_of(ranks[at])] or others
    found = []
    for kind, tables in (
        ("part", [_parts(each) for each in ranks]),
        ("operator", [_operators(each) for each in ranks]),
    ):
        more: list[dict[str, Any]] = []
        for name, here in tables[at].items():
            usual = float(np.median([tables[other].get(name, 0.0) for other in others]))
            if here - usual > least:
                more.append({"kind": kind, "name": name, "here": here, "usual": usual})
        more.sort(key=lambda each: each["usual"] - each["here"])
        found += more[:_MOST_CAUSES]
    return found


def stage_of(columns: Columns) -> int | None:
    """The stage of a pipeline that a rank works on; None without."""
    stages, ranks, rank = columns.trace.facts.get("stages"), columns.trace.ranks, columns.trace.rank
    if not isinstance(stages, int) or stages < 2 or ranks < stages or not 0 <= rank < ranks:
        return None
    return rank * stages // ranks  # frameworks give neighbours to a stage


def _parts(columns: Columns) -> dict[str, float]:
    means = average(columns.steps)
    parts = means.get("parts") or {}
    found = {part: float(parts[part]) for part in PARTS if part in parts and part in _WORK_PARTS}
    return found | ({"interval": float(means["interval"])} if "interval" in means else {})


def _operators(columns: Columns) -> dict[str, float]:
    groups, steps = columns.groups, max(len(columns.steps), 1)
    wanted = np.flatnonzero(np.isin(groups.side, [SIDES.index(side) for side in _WORK_SIDES]))
    sums = np.bincount(groups.name[wanted], groups.self_time[wanted], minlength=1)
    return {columns.trace.texts[name]: float(sums[name]) / NS_PER_MS / steps for name in np.flatnonzero(sums).tolist()}


def _step_time(columns: Columns) -> float:
    """Of a mean step, nanoseconds; 0 without steps."""
    return float(average(columns.steps).get("duration", 0.0)) * NS_PER_MS


def _whole(met: Meetings) -> float:
    """A measure where there are no steps: the time from one meeting to the next."""
    return float(np.nanmax(met.end) - np.nanmin(met.begin)) / len(met.step) if len(met.step) else 0.0


def _mean(values: Floats) -> float | None:
    known = values[~np.isnan(values)]
    return float(known.mean()) / NS_PER_MS if len(known) else None
