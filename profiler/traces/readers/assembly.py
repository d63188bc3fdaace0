"""Assembly of a trace from several files: interns texts and tracks, gathers slices in columns."""

from __future__ import annotations

import csv
import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.files import Unreadable
from mindinsight_like.profiler.traces.trace import (
    NOTHING,
    Activity,
    Collectives,
    Ints,
    Longs,
    Loss,
    Place,
    Slices,
    Steps,
    Trace,
    Track,
)

from .raw_texts import type_from_name

MOST_NANOSECONDS: Final = 2**62  # times beyond are damage; sums and differences of the others cannot overflow

_FEW_NUMBERS: Final = 2**20
# All that damaged content can cause; each costs its file and is told.
_DAMAGE: Final = (
    OSError,
    ValueError,  # of texts, numbers and JSON
    KeyError,
    IndexError,
    TypeError,
    AttributeError,
    OverflowError,
    EOFError,
    RecursionError,
    csv.Error,
    zlib.error,
    sqlite3.Error,
)


@contextmanager
def report_damage(trace: Trace, file: str) -> Iterator[None]:
    """What is raised by damaged content of the file becomes a loss of the trace."""
    try:
        yield
    except Unreadable as error:
        trace.losses.append(Loss(str(error), file=file))
    except _DAMAGE as error:
        reason = error.strerror or error if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
        trace.losses.append(Loss(f"{file} is damaged or has an unknown version ({str(reason)[:120]})", file=file))


class Assembly:
    """Texts, tracks and slices of a trace in the making."""

    def __init__(self) -> None:
        self._texts: dict[str, int] = {}
        self._tracks: dict[tuple[str, str], int] = {}
        self.tracks: list[Track] = []
        self._columns: list[tuple[NDArray[np.int64], ...]] = []

    @property
    def has_slices(self) -> bool:
        return any(len(columns[0]) for columns in self._columns)

    def has_text(self, texts: Iterable[str]) -> bool:
        """Whether any of them is among the texts."""
        return not self._texts.keys().isdisjoint(texts)

    def text(self, text: str) -> int:
        """The number of a text."""
        return self._texts.setdefault(text, len(self._texts))

    def codes(self, texts: Iterable[str]) -> Ints:
        """The numbers of many texts."""
        numbers = self._texts
        return np.fromiter((numbers.setdefault(text, len(numbers)) for text in texts), np.int32)

    def track(
        self, name: str, process: str, place: Place = Place.HOST, order: int | None = None, device: int = NOTHING
    ) -> int:
        """The number of a track, made when it is new."""
        key = (process, name)
        if key not in self._tracks:
            self._tracks[key] = len(self.tracks)
            self.tracks.append(Track(name, process, place, len(self.tracks) if order is None else order, device))
        return self._tracks[key]

    def add(
        self,
        start: Longs,
        duration: Longs,
        track: Ints | int,
        name: Ints | int,
        type_: Ints | int | None = None,
        activity: NDArray[np.uint8] | Activity = Activity.OTHER,
        correlation: Longs | int = 0,
        shape: Ints | int = NOTHING,
    ) -> None:
        """Slices with unix or any other common nanoseconds; single values stand for all of them."""
        values = (start, duration, track, name, name if type_ is None else type_, activity, correlation, shape)
        columns = tuple(np.broadcast_to(np.asarray(column, np.int64), np.shape(start)) for column in values)
        self._columns.append(columns)

    def has_on(self, place: Place) -> bool:
        """Whether there is a slice on tracks of that kind."""
        track_numbers = [number for number, track in enumerate(self.tracks) if track.place == place]
        return any(bool(np.isin(columns[2], track_numbers).any()) for columns in self._columns)

    def has_activity(self, activity: Activity) -> bool:
        """Whether there is such a slice."""
        return any(bool((columns[5] == activity).any()) for columns in self._columns)

    def describe(self, start: Longs, name: Ints, type_: Ints, shape: Ints) -> None:
        """Gives types and shapes to slices of that beginning and name."""
        order = np.argsort(start, kind="stable")
        sorted_start = start[order]
        if not len(sorted_start):
            return
        for place, columns in enumerate(self._columns):
            nearest = np.minimum(np.searchsorted(sorted_start, columns[0]), len(sorted_start) - 1)
            row = order[nearest]
            same = (sorted_start[nearest] == columns[0]) & (name[row] == columns[3])
            described = list(columns)
            described[4] = np.where(same, type_[row], columns[4])
            described[7] = np.where(same, shape[row], columns[7])
            self._columns[place] = tuple(described)

    def drop_repeated(self) -> None:
        """Keeps one of slices that are the same in every column."""
        joined = [np.concatenate(columns) for columns in zip(*self._columns, strict=True)]
        if not joined or not len(joined[0]):
            return
        order = np.lexsort(joined)
        new = np.ones(len(order), bool)
        new[1:] = np.any([column[order[1:]] != column[order[:-1]] for column in joined], axis=0)
        unique_rows = np.sort(order[new])
        self._columns = [tuple(column[unique_rows] for column in joined)]

    def finish(self, trace: Trace) -> None:
        """Gives texts, tracks and slices to the trace; its origin is the earliest of them, if it has none."""
        if self.has_slices:
            joined = [np.concatenate(columns) for columns in zip(*self._columns, strict=True)]
            start, duration, track, name, type_, activity, correlation, shape = joined
            usable = (np.abs(start) < MOST_NANOSECONDS) & (duration >= 0) & (duration < MOST_NANOSECONDS)
            if not usable.all():
                lost = int((~usable).sum())
                trace.losses.append(Loss("slices with impossible times, such as an end before the start", lost))
                joined = [column[usable] for column in joined]
                start, duration, track, name, type_, activity, correlation, shape = joined
            trace.slices = Slices(
                start,
                duration,
                track.astype(np.int32),
                name.astype(np.int32),
                type_.astype(np.int32),
                activity.astype(np.uint8),
                correlation,
                shape.astype(np.int32),
                np.full(len(start), NOTHING, np.int64),
            )
        trace.texts = list(self._texts)
        trace.tracks = self.tracks


def distinct(numbers: Longs) -> tuple[Longs, Longs]:
    """The different numbers in order, and for every one its place among them, as `numpy.unique` but without sorting."""
    most = int(numbers.max(initial=0))
    if not len(numbers) or int(numbers.min()) < 0 or most > _FEW_NUMBERS:
        values, place = np.unique(numbers, return_inverse=True)
        return values, place.astype(np.int64, copy=False)
    used = np.zeros(most + 1, bool)
    used[numbers] = True
    return np.flatnonzero(used), (np.cumsum(used) - 1)[numbers]


def shift(trace: Trace, origin: int) -> None:
    """Moves all times of a trace whose files have absolute ones, so that they count from `origin`."""
    for table, columns in (
        (trace.slices, ("start",)),
        (trace.steps, ("begin", "end", "forward_begin", "backward_end")),
        (trace.collectives, ("begin", "end")),
        (trace.allocations, ("time",)),
        *((memory, ("time",)) for memory in trace.memory),
        *((counter, ("time",)) for counter in trace.counters),
        (trace.flows, ("begin", "end")),
    ):
        for column in columns if table is not None else ():
            times = getattr(table, column)
            has_time = times != NOTHING if column in ("forward_begin", "backward_end") else slice(None)
            times[has_time] -= origin


def show_collectives(assembly: Assembly, collectives: Collectives) -> None:
    """Rows of communication for the timeline; what is told apart from tracks does not count among operators."""
    streams = list(dict.fromkeys(collectives.stream))
    tracks = {
        stream: assembly.track(f"stream {stream}" if stream else "all", "communication", Place.LAYER)
        for stream in streams
    }
    assembly.add(
        collectives.begin.copy(),
        collectives.end - collectives.begin,
        np.array([tracks[stream] for stream in collectives.stream], np.int32),
        assembly.codes(collectives.name),
        assembly.codes(type_from_name(name) for name in collectives.name),
        Activity.COMMUNICATION,
    )


def steps_of(
    number: Sequence[int] | Longs, begin: Longs, end: Longs, forward: Longs | None = None, backward: Longs | None = None
) -> Steps:
    """Steps of which the tool has computed nothing further."""

    def unknown() -> Longs:
        return np.full(len(begin), NOTHING, np.int64)

    return Steps(
        np.asarray(number, np.int64),
        begin,
        end,
        unknown() if forward is None else forward,
        unknown() if backward is None else backward,
        unknown(),
        unknown(),
        unknown(),
        unknown(),
    )
