"""Comparison of two profiles: operators added, removed, slower or faster, and by how much.

Times are self times for a step, so that recordings of different lengths can be compared; where one of them has no
steps, for the whole recording.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Final, Literal, TypedDict, get_args

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS, SIDES, Columns
from mindinsight_like.profiler.analysis.steps.step_list import average
from mindinsight_like.profiler.traces.trace import Floats, Place

from .operators import OperatorQuery, summed
from .welch import difference_by_chance

_LEFT_OUT: Final = ("annotation", "layer")  # marks around other work
_MOST_STEPS: Final = 100  # of a recording, evenly chosen
_LEAST_STEPS: Final = 3  # fewer do not tell a change from noise
_CERTAIN: Final = 0.01
_LEAST_SHARE: Final = 0.001  # of a step; smaller differences are none
_MOST_ROWS: Final = 1000
_MOST_REASONS: Final = 3

Key = tuple[str, str]  # side and name


@dataclass(frozen=True)
class Side:
    """One recording: for each key its times (ms) and executions in each of the steps looked at."""

    keys: dict[Key, int]
    times: Floats  # a row for each step
    counts: Floats
    duration: Floats  # of these steps; empty where it is the whole recording


ChangeState = Literal["appeared", "vanished", "slower", "faster", "same"]
STATES: Final[tuple[ChangeState, ...]] = get_args(ChangeState)


@dataclass(frozen=True, kw_only=True)
class ComparedTime:
    """One of two recordings that are compared."""

    time: Annotated[float, "Milliseconds of a mean step, or of the recording."]
    steps: Annotated[int, "Number of steps that were compared."]
    all_steps: int


class ComparedPart(TypedDict):
    """A part of a mean step in both recordings; milliseconds."""

    part: str
    a: float
    b: float
    difference: float


class _Change(TypedDict):
    name: str
    side: str
    difference: Annotated[float, "b - a; milliseconds of self time."]
    state: ChangeState


class OperatorChange(_Change):
    """An operator that explains the difference."""


class ComparedOperator(_Change):
    """An operator in both recordings; milliseconds of self time."""

    a: float
    b: float
    a_count: Annotated[float, "Number of executions."]
    b_count: float
    ratio: Annotated[float | None, "b / a."]
    contribution: Annotated[float | None, "Share of the difference of the step; null where that is too small."]
    p_value: Annotated[float | None, "Probability of such a difference if nothing has changed; null with few steps."]


@dataclass(frozen=True, kw_only=True)
class Comparison:
    """What differs between two recordings, a and b."""

    per: Annotated[Literal["step", "recording"], "What times and counts are of."]
    a: ComparedTime
    b: ComparedTime
    difference: Annotated[float, "b - a; milliseconds."]
    ratio: Annotated[float | None, "b / a."]
    p_value: Annotated[float | None, "Probability of such a difference if nothing has changed; null with few steps."]
    is_changed: Annotated[bool | None, "Whether that is at most 0.01."]
    parts: list[ComparedPart]
    operators: Annotated[list[ComparedOperator], "The largest differences first, at most 1000."]
    total: Annotated[int, "How many operators there are."]
    states: Annotated[dict[ChangeState, int], "How many operators are in each state."]
    reasons: Annotated[list[OperatorChange], "What explains the difference best, at most three."]


def compare(a: Columns, b: Columns) -> Comparison:
    """The difference from a to b, by Welch's test over steps."""
    is_by_step = _has_steps(a) and _has_steps(b)
    one, other = (_by_step(each) if is_by_step else _whole(each) for each in (a, b))
    whole = [float(each.duration.mean()) if is_by_step else _wall(columns) for each, columns in ((one, a), (other, b))]
    difference = whole[1] - whole[0]
    p_value = _chance(one.duration, other.duration)
    rows = _operators(one, other, difference, max(whole))
    reasons = [row for row in rows if row["state"] != "same" and row["difference"] * difference > 0][:_MOST_REASONS]
    return Comparison(
        per="step" if is_by_step else "recording",
        a=ComparedTime(time=whole[0], steps=len(one.duration), all_steps=len(a.steps)),
        b=ComparedTime(time=whole[1], steps=len(other.duration), all_steps=len(b.steps)),
        difference=difference,
        ratio=whole[1] / whole[0] if whole[0] else None,
        p_value=p_value,
        is_changed=None if p_value is None else p_value <= _CERTAIN,
        parts=_parts(a, b),
        operators=rows[:_MOST_ROWS],
        total=len(rows),
        states={state: sum(row["state"] == state for row in rows) for state in STATES},
        reasons=[
            {"name": row["name"], "side": row["side"], "difference": row["difference"], "state": row["state"]}
            for row in reasons
        ],
    )


def _has_steps(columns: Columns) -> bool:
    return bool(len(_steps_of(columns)))


def _steps_of(columns: Columns) -> NDArray[np.int64]:
    """Positions of whole steps with slices, at most so many."""
    table = columns.steps
    if not len(columns.rows):
        return np.empty(0, np.int64)
    whole = np.flatnonzero(~table.is_partial & table.is_measured)
    return whole[np.unique(np.linspace(0, len(whole) - 1, min(len(whole), _MOST_STEPS)).astype(np.int64))][: len(whole)]


def _keys(columns: Columns) -> tuple[dict[Key, int], NDArray[np.int64]]:
    """A number for each side and name, and that of each group; the last number is for what is left out."""
    groups, texts = columns.groups, columns.trace.texts
    keys: dict[Key, int] = {}
    numbers = [
        keys.setdefault((SIDES[side], texts[name]), len(keys)) if SIDES[side] not in _LEFT_OUT else -1
        for side, name in zip(groups.side.tolist(), groups.name.tolist(), strict=True)
    ]
    group_keys = np.array(numbers, np.int64)
    group_keys[group_keys < 0] = len(keys)
    return keys, group_keys


def _by_step(columns: Columns) -> Side:
    """Slices belong to the step that they begin in."""
    keys, number_of = _keys(columns)
    at, table, rows = _steps_of(columns), columns.steps, columns.rows
    times, counts = np.zeros((2, len(at), len(keys) + 1))
    bounds = columns.lanes.bounds.tolist()
    for lane, track in enumerate(columns.lanes.track.tolist()):
        if columns.trace.tracks[track].place == Place.LAYER:
            continue
        first, last = bounds[lane], bounds[lane + 1]
        starts = rows.start[first:last]
        lows, highs = (first + np.searchsorted(starts, edge[at]) for edge in (table.begin, table.end))
        for step, (low, high) in enumerate(zip(lows.tolist(), highs.tolist(), strict=True)):
            if high > low:
                number = number_of[rows.group[low:high]]
                times[step] += np.bincount(number, rows.self_time[low:high], minlength=len(keys) + 1)
                counts[step] += np.bincount(number, minlength=len(keys) + 1)
    duration = (table.end - table.begin)[at] / NS_PER_MS
    return Side(keys, times[:, : len(keys)] / NS_PER_MS, counts[:, : len(keys)], duration)


def _whole(columns: Columns) -> Side:
    """The sums over the recording, those that a tool printed too."""
    table = summed(columns, OperatorQuery("name", limit=None))
    keys: dict[Key, int] = {}
    number = [keys.setdefault((side, name), len(keys)) for side, name in zip(table["side"], table["name"], strict=True)]
    is_in = np.array([side not in _LEFT_OUT for side in table["side"]], np.bool_)
    sums = [np.bincount(number, table[name] * is_in, minlength=len(keys))[None, :] for name in ("self", "count")]
    return Side(keys, sums[0].astype(np.float64), sums[1].astype(np.float64), np.empty(0))


def _wall(columns: Columns) -> float:
    if len(columns.steps):
        return float((columns.steps.end - columns.steps.begin).sum()) / NS_PER_MS
    return (columns.span[1] - columns.span[0]) / NS_PER_MS


def _operators(one: Side, other: Side, difference: float, step: float) -> list[ComparedOperator]:
    """The largest differences first."""
    rows: list[ComparedOperator] = []
    least = _LEAST_SHARE * step
    for key in dict.fromkeys((*one.keys, *other.keys)):
        at, other_at = one.keys.get(key), other.keys.get(key)
        times = np.zeros(1) if at is None else one.times[:, at]
        other_times = np.zeros(1) if other_at is None else other.times[:, other_at]
        count = 0.0 if at is None else float(one.counts[:, at].mean())
        other_count = 0.0 if other_at is None else float(other.counts[:, other_at].mean())
        if not count and not other_count:
            continue
        mean, other_mean = float(times.mean()), float(other_times.mean())
        delta = other_mean - mean
        p_value = _chance(times, other_times)
        rows.append(
            {
                "name": key[1],
                "side": key[0],
                "a": mean,
                "b": other_mean,
                "a_count": count,
                "b_count": other_count,
                "difference": delta,
                "ratio": other_mean / mean if mean else None,
                "contribution": delta / difference if abs(difference) > least else None,
                "p_value": p_value,
                "state": _state(count, other_count, delta, least, p_value),
            }
        )
    rows.sort(key=lambda row: -abs(row["difference"]))
    return rows


def _state(count: float, other_count: float, delta: float, least: float, p_value: float | None) -> ChangeState:
    if not count or not other_count:
        return "appeared" if other_count else "vanished"
    if abs(delta) < least or (p_value is not None and p_value > _CERTAIN):
        return "same"
    return "slower" if delta > 0 else "faster"


def _chance(one: Floats, other: Floats) -> float | None:
    if min(len(one), len(other)) < _LEAST_STEPS:
        return None
    return difference_by_chance(one, other)


def _parts(a: Columns, b: Columns) -> list[ComparedPart]:
    one, other = (average(each.steps).get("parts") or {} for each in (a, b))
    if not one or not other:
        return []
    return [
        {"part": part, "a": one[part], "b": other[part], "difference": other[part] - one[part]}
        for part in one
        if one[part] or other[part]
    ]
