"""Slices from pairs of begin (phase B or b) and end (E or e) events."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.event_rows import ABSENT, Events
from mindinsight_like.profiler.traces.trace import Count, Longs

_BEGIN, _END = ord("B"), ord("E")
_ASYNC_BEGIN, _ASYNC_END = ord("b"), ord("e")
_LIMIT: Final = 2**62  # nanoseconds; later times are damage


def with_pairs(events: Events) -> tuple[Events, dict[Count, int]]:
    """The events with a slice for each beginning, and how many beginnings and ends are alone.

    B and E nest on their track, as calls do; b and e belong together by process, category and id. A beginning without
    an end lasts until the latest time in the file.
    """
    others = events.others
    in_reach = (others.time != ABSENT) & (np.abs(others.time) < _LIMIT)
    is_calling = ((others.phase == _BEGIN) | (others.phase == _END)) & in_reach
    is_waiting = ((others.phase == _ASYNC_BEGIN) | (others.phase == _ASYNC_END)) & in_reach
    if not is_calling.any() and not is_waiting.any():
        return events, {}
    last = int(others.time[is_calling | is_waiting].max())
    begins: list[Longs] = []
    ends: list[Longs] = []
    alone = 0
    calling, waiting = np.flatnonzero(is_calling), np.flatnonzero(is_waiting)
    waiting, keys = _with_keys(events, waiting)
    for rows, key, phase in ((calling, others.track[calling].astype(np.int64), _BEGIN), (waiting, keys, _ASYNC_BEGIN)):
        if len(rows):
            is_begin = others.phase[rows] == phase
            first, second = _matched(rows, key, others.time[rows], is_begin)
            unended = np.setdiff1d(rows[is_begin], first)
            alone += int((~is_begin).sum()) - len(second)
            begins += [first, unended]
            ends += [others.time[second], np.full(len(unended), last)]
    begin, end = np.concatenate(begins), np.concatenate(ends)
    extra = {
        "phase": np.full(len(begin), ord("X"), np.uint8),
        "time": others.time[begin],
        "duration": end - others.time[begin],
        **{name: getattr(others, name)[begin] for name in ("track", "name", "category", "place")},
    }
    columns: dict[str, Any] = {
        name: np.concatenate((getattr(events.slices, name), column)) for name, column in extra.items()
    }
    counts: dict[Count, int] = {"begins_without_end": sum(map(len, begins[1::2])), "ends_without_begin": alone}
    counts = {name: count for name, count in counts.items() if count}
    return replace(events, slices=replace(events.slices, **columns)), counts


def _matched(rows: Longs, key: Longs, time: Longs, is_begin: NDArray[np.bool_]) -> tuple[Longs, Longs]:
    """Beginnings and the ends that belong to them, as a stack for each key would match them."""
    order = np.lexsort((np.arange(len(rows)), time, key))
    key, is_begin = key[order], is_begin[order]
    # A slice's level is the height of the stack while it is open: after its beginning, before its end. What is next
    # to a beginning on the same level is its end; ends that are alone only move the levels of what follows.
    height = np.cumsum(np.where(is_begin, 1, -1))
    level = np.where(is_begin, height, height + 1)
    by_level = np.lexsort((np.arange(len(key)), level, key))
    first, second = by_level[:-1], by_level[1:]
    pairs = (key[first] == key[second]) & (level[first] == level[second]) & is_begin[first] & ~is_begin[second]
    return rows[order[first[pairs]]], rows[order[second[pairs]]]


def _with_keys(events: Events, rows: Longs) -> tuple[Longs, Longs]:
    """Those of the rows that have an id, with equal numbers for rows that belong together."""
    others = events.others
    has_id = np.isin(rows, others.identity.row)
    rows = rows[has_id]
    if not len(rows):
        return rows, rows
    identity = others.identity.value[np.searchsorted(others.identity.row, rows)]
    processes = {process: number for number, process in enumerate(dict.fromkeys(p for p, _ in events.tracks))}
    process = np.array([processes[p] for p, _ in events.tracks])[others.track[rows]]
    columns = np.stack((process, others.category[rows].astype(np.int64), identity), axis=1)
    return rows, np.unique(columns, axis=0, return_inverse=True)[1].reshape(-1)
