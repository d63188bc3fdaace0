"""Flows and counters of the timelines of Ascend's tools."""

from __future__ import annotations

import numpy as np

from mindinsight_like.profiler.traces.event_rows import ABSENT, Events
from mindinsight_like.profiler.traces.trace import Counter, Flows, Ints, Trace

from .assembly import Assembly
from .timelines import count_alone

_BEGIN, _END = ord("s"), ord("f")


def add_flows(trace: Trace, assembly: Assembly, events: Events, tracks: Ints) -> None:
    """Arrows between events of the same category and id; `tracks` has the track of each row of the file, or NOTHING."""
    rows = events.others
    identity = rows.identity
    is_end = np.zeros(len(rows), bool)
    is_end[identity.row] = True
    is_end &= ((rows.phase == _BEGIN) | (rows.phase == _END)) & (rows.time != ABSENT) & (tracks[rows.track] >= 0)
    chosen = np.flatnonzero(is_end)
    number = identity.dense(len(rows), 0)[chosen]
    category, phase = rows.category[chosen], rows.phase[chosen]
    order = np.lexsort((rows.time[chosen], phase == _END, number, category))
    first, second = order[:-1], order[1:]
    joined = (category[first] == category[second]) & (number[first] == number[second])
    joined &= (phase[first] == _BEGIN) & (phase[second] == _END)
    first, second = first[joined], second[joined]
    count_alone(trace, np.delete(phase, first) == _BEGIN, np.delete(phase, second) == _END)
    begin, end = chosen[first], chosen[second]
    if not len(begin):
        return
    words, word = np.unique(rows.category[begin], return_inverse=True)
    names = assembly.codes(events.texts[code] if code >= 0 else "flow" for code in words.tolist())
    new_flows = Flows(rows.time[begin], tracks[rows.track[begin]], rows.time[end], tracks[rows.track[end]], names[word])
    old = trace.flows
    trace.flows = (
        new_flows
        if old is None
        else Flows(*(np.concatenate([getattr(old, column), getattr(new_flows, column)]) for column in vars(new_flows)))
    )


def add_counters(trace: Trace, events: Events) -> None:
    """A counter for each name and key, such as the frequency of AI cores or the load of links."""
    samples, rows = events.counters, events.others
    is_usable = (rows.time[samples.row] != ABSENT) & np.isfinite(samples.value)
    row, key, value = samples.row[is_usable], samples.name[is_usable], samples.value[is_usable]
    track, name = rows.track[row], rows.name[row]
    order = np.lexsort((rows.time[row], key, name, track))
    breaks = np.diff(track[order]).astype(bool) | np.diff(name[order]).astype(bool) | np.diff(key[order]).astype(bool)
    for part in np.split(order, np.flatnonzero(breaks) + 1) if len(order) else ():
        words = [events.texts[code] for code in (int(name[part[0]]), int(key[part[0]])) if code >= 0]
        trace.counters.append(Counter(" / ".join(dict.fromkeys(words)), "", rows.time[row[part]], value[part]))
