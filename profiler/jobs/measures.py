"""Counters on the time axis of a profile: those of the recording and the host metrics its run logged."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Literal

import numpy as np

from mindinsight_like.logs.kinds import Kind
from mindinsight_like.profiler.jobs.analysis_jobs import Opened
from mindinsight_like.profiler.jobs.metric_units import unit_of
from mindinsight_like.profiler.traces.trace import Floats, Longs
from mindinsight_like.store.reader import IndexReader

_MACHINE = "system/"  # tags of scalars about the machine that a training runs on
_MOST_TAGS = 10_000
_LONGEST_PAUSE_NS = 60 * 10**9  # between measurements of something that is still being measured


@dataclass(frozen=True)
class Measure:
    """A counter, or the part of it in a range of time."""

    name: str
    unit: str
    source: Literal["trace", "run"]  # the recording, or scalars of its run
    time: Longs  # nanoseconds after the origin of the recording, ascending
    value: Floats
    total: int  # points before thinning


def measures(
    reader: IndexReader,
    opened: Opened,
    *,
    span: tuple[int, int] | None = None,
    width: int,
    names: Collection[str] | None = None,
) -> list[Measure]:
    """Counters of the recording's time: their points in a range of it, and one point more on either side of that.

    A range may lie between two points: values hold until the next one. Where there are more than two points for each of
    `width` parts, the smallest and the largest of each.
    """
    trace, whole = opened.analysed.trace, opened.analysed.columns.span
    begin, end = span or whole
    candidates = [
        Measure(each.name, each.unit, "trace", each.time, each.value, len(each.time))
        for each in trace.counters
        if names is None or each.name in names
    ]
    if trace.origin:
        candidates += _of_run(reader, opened.profile.run, trace.origin, names)
    cut = [_cut(each, begin, end) for each in candidates if _is_measured(each, *whole)]
    return [_downsampled(each, begin, end, width) for each in cut]


def _of_run(reader: IndexReader, run: str, origin: int, names: Collection[str] | None) -> list[Measure]:
    page = reader.tag_names.page([run], Kind.SCALAR, search=_MACHINE, limit=_MOST_TAGS)
    tags = [tag for tag in page.names if tag.startswith(_MACHINE)]
    chosen = tags if names is None else [tag for tag in tags if any(name.startswith(tag) for name in names)]
    run_measures = []
    for curve in reader.scalars([run], chosen, max_points=None, resume="all") if chosen else ():
        name = f"{curve.tag} {curve.source}".strip()
        if names is None or name in names:
            # Seconds times 1e9 would lose a quarter of a microsecond at most, which no such measure has.
            times = (np.asarray(curve.wall_times) * 1e9).astype(np.int64) - origin
            order = np.argsort(times, kind="stable")
            values = np.asarray(curve.values, np.float64)[order]
            run_measures.append(Measure(name, unit_of(curve.tag), "run", times[order], values, len(times)))
    return run_measures


def _is_measured(measure: Measure, begin: int, end: int) -> bool:
    """Whether there are points in a range, or around it in short order: a machine is asked every few seconds only."""
    first, last = np.searchsorted(measure.time, begin), np.searchsorted(measure.time, end, "right")
    if first < last:
        return True
    return bool(0 < first < len(measure.time) and np.ptp(measure.time[first - 1 : first + 1]) <= _LONGEST_PAUSE_NS)


def _cut(measure: Measure, begin: int, end: int) -> Measure:
    """What lies in a range, with its neighbours."""
    first, last = np.searchsorted(measure.time, begin), np.searchsorted(measure.time, end, "right")
    part = slice(max(first - 1, 0), last + 1)
    time = measure.time[part]
    return Measure(measure.name, measure.unit, measure.source, time, measure.value[part], len(time))


def _downsampled(measure: Measure, begin: int, end: int, width: int) -> Measure:
    if measure.total <= 2 * width:
        return measure
    parts = (measure.time - begin) * width // max(end - begin, 1)
    order = np.lexsort((measure.value, parts))
    heads = np.flatnonzero(np.diff(parts[order], prepend=parts[order[0]] - 1))
    lasts = np.append(heads[1:], len(order)) - 1
    positions = np.unique(order[np.concatenate([heads, lasts])])
    return Measure(
        measure.name, measure.unit, measure.source, measure.time[positions], measure.value[positions], measure.total
    )
