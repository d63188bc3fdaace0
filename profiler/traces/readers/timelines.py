"""Shared parts of trace event readers: tracks, valid times, flows, counters, losses."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, TypeVar

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.event_rows import ABSENT, CounterValues, Events, Kind, Rows, Values
from mindinsight_like.profiler.traces.events import scan
from mindinsight_like.profiler.traces.files import Files, Progress, Unreadable
from mindinsight_like.profiler.traces.trace import (
    NOTHING,
    Bytes,
    Count,
    Counter,
    Flows,
    Ints,
    Loss,
    Place,
    Slices,
    Trace,
    Track,
)

# Arguments of metadata (phase M), which name processes and threads.
METADATA: Final = {"name": Kind.TEXT, "labels": Kind.TEXT, "sort_index": Kind.INTEGER}
_EARLIEST: Final = -(2**60)  # so that no sum or difference of times overflows
_LATEST: Final = 2**62
_LONGEST: Final = 2**61
_UNIX: Final = (10**18, 4 * 10**18)  # nanoseconds that are dates, of the years 2001 to 2096
_METADATA_PHASE: Final = ord("M")

T = TypeVar("T", bound=np.generic)


@dataclass
class Timeline:
    """The events of a file with usable times, and the trace that is being made of them."""

    events: Events
    trace: Trace
    zero: int  # of the trace, on the clock of the events

    @property
    def slices(self) -> Rows:
        return self.events.slices

    @property
    def others(self) -> Rows:
        return self.events.others

    def number(self, text: str) -> int:
        """The number of a text, a new one where the file does not have it."""
        try:
            return self.trace.texts.index(text)
        except ValueError:
            self.trace.texts.append(text)
            return len(self.trace.texts) - 1

    def each(self, column: Ints, change: Callable[[str], str]) -> Ints:
        """The column with every text in it changed."""
        numbers = np.arange(len(self.trace.texts), dtype=np.int32)
        text_numbers = {text: number for number, text in enumerate(self.trace.texts)}
        used = used_numbers(column, len(numbers))
        for number in used.tolist():
            text = change(self.trace.texts[number])
            if text not in text_numbers:
                text_numbers[text] = len(self.trace.texts)
                self.trace.texts.append(text)
            numbers[number] = text_numbers[text]
        return column if np.array_equal(numbers[used], used) else numbers[column]

    def look_up(self, column: Ints, find: Callable[[str], int]) -> Bytes:
        """For every row a small number that its text tells; 0 for none."""
        results = np.zeros(len(self.trace.texts) + 1, np.uint8)  # -1 is none
        for number in used_numbers(column, len(self.trace.texts)).tolist():
            results[number] = find(self.trace.texts[number])
        return results[column]

    def add_slices(
        self,
        activity: Bytes,
        *,
        name: Ints | None = None,
        type: Ints | None = None,
        correlation: str = "",
        shape: str = "",
        dtype: str = "",
    ) -> None:
        """All events of phase X; correlations, shapes and data types are the arguments of these names."""
        rows = self.slices
        names = name if name is not None else self.names(rows.name)
        self.trace.slices = Slices(
            start=np.subtract(rows.time, self.zero, out=rows.time),  # nobody else needs them
            duration=rows.duration,
            track=rows.track,
            name=names,
            type=names if type is None else type,
            activity=activity,
            correlation=self.dense(correlation, 0, np.int64),
            shape=self.dense(shape, NOTHING, np.int32),
            place=rows.place,
            dtype=self.dense(dtype, NOTHING, np.int32) if dtype else np.empty(0, np.int32),
        )

    def names(self, column: Ints) -> Ints:
        """Names, with a text for those that have none."""
        if not len(column) or int(column.min()) >= 0:
            return column
        return np.where(column < 0, np.int32(self.number("")), column)

    def dense(self, argument: str, missing: int, dtype: type[T]) -> NDArray[T]:
        """An argument of all slices as a column."""
        values = self.slices.arguments.get(argument)
        if values is None:
            return np.full(len(self.slices), missing, dtype)
        return values.dense(len(self.slices), missing)

    def add_tracks(self, placed: Callable[[str, str], tuple[Place, int]]) -> None:
        """All tracks; `placed` tells where one is from its pid and the label of its process, and its device."""
        process_name = self._metadata("process_name", "name", by_process=True)
        label = self._metadata("process_labels", "labels", by_process=True)
        process_order = self._metadata("process_sort_index", "sort_index", by_process=True)
        thread_name = self._metadata("thread_name", "name")
        thread_order = self._metadata("thread_sort_index", "sort_index")
        keys = [
            (process_order.get(process, 0), process, thread_order.get((process, thread), 0), number)
            for number, (process, thread) in enumerate(self.events.tracks)
        ]
        order = {key[-1]: place for place, key in enumerate(sorted(keys))}
        for number, (process, thread) in enumerate(self.events.tracks):
            labelled = str(label.get(process, ""))
            place, device = placed(process, labelled)
            named = str(process_name.get(process, ""))
            if place == Place.DEVICE and labelled:
                named = labelled
            elif process not in named:
                named = f"{named} {process}".strip()
            name = str(thread_name.get((process, thread), thread))
            self.trace.tracks.append(Track(name, named, place, order[number], device))

    def _metadata(self, name: str, argument: str, *, by_process: bool = False) -> dict[Any, Any]:
        """What metadata of a name says of tracks, or of processes; the last word counts."""
        rows, texts = self.others, self.trace.texts
        if name not in texts:
            return {}
        values = rows.arguments[argument]
        selected = (rows.phase[values.row] == _METADATA_PHASE) & (rows.name[values.row] == texts.index(name))
        value_by_track = dict(
            zip(rows.track[values.row[selected]].tolist(), values.value[selected].tolist(), strict=True)
        )
        is_text = argument != "sort_index"
        return {
            self.events.tracks[track][0] if by_process else self.events.tracks[track]: texts[value]
            if is_text
            else value
            for track, value in value_by_track.items()
        }

    def add_flows(self) -> None:
        """Arrows from each s or t to the next t or f of the same name and id.

        An end that lies before its beginning makes none, as in Perfetto; both are counted.
        """
        rows = self.others
        is_flow = (rows.phase == ord("s")) | (rows.phase == ord("t")) | (rows.phase == ord("f"))
        has_id = np.zeros(len(rows), bool)
        has_id[rows.identity.row] = True
        is_flow &= has_id & (rows.time != ABSENT)
        chosen = np.flatnonzero(is_flow)
        if not len(chosen):
            return
        identity = rows.identity.dense(len(rows), 0)[chosen]
        time, name, phase = rows.time[chosen], rows.name[chosen], rows.phase[chosen]
        order = np.lexsort((phase == ord("f"), time, identity, name))
        first, second = order[:-1], order[1:]
        joined = (name[first] == name[second]) & (identity[first] == identity[second])
        joined &= (phase[first] != ord("f")) & (phase[second] != ord("s"))
        first, second = first[joined], second[joined]
        self.trace.counts["flow_events"] = len(chosen)
        count_alone(self.trace, np.delete(phase, first) == ord("s"), np.delete(phase, second) != ord("s"))
        self.trace.flows = Flows(
            begin=time[first] - self.zero,
            begin_track=rows.track[chosen][first],
            end=time[second] - self.zero,
            end_track=rows.track[chosen][second],
            name=self.names(name[first]),
        )

    def add_counters(self) -> None:
        """A counter for each process, name and key."""
        samples, rows = self.events.counters, self.others
        if not len(samples.row):
            return
        track, name = rows.track[samples.row], rows.name[samples.row]
        processes = {process: number for number, process in enumerate(dict.fromkeys(p for p, _ in self.events.tracks))}
        process = np.array([processes[p] for p, _ in self.events.tracks])[track]
        order = np.lexsort((rows.time[samples.row], samples.name, name, process))
        process, name, key = process[order], name[order], samples.name[order]
        breaks = (np.diff(process) != 0) | (np.diff(name) != 0) | (np.diff(key) != 0)
        bounds = np.concatenate(([0], np.flatnonzero(breaks) + 1, [len(order)]))
        process_names = list(processes)
        texts = [*self.trace.texts, ""]
        for begin, end in zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True):
            part = order[begin:end]
            words = (process_names[process[begin]], texts[name[begin]], texts[key[begin]])
            self.trace.counters.append(
                Counter(
                    " / ".join(dict.fromkeys(word for word in words if word)),
                    "",
                    rows.time[samples.row[part]] - self.zero,
                    samples.value[part],
                )
            )

    def finish(self) -> Trace:
        """The trace, without the tracks that nothing is on."""
        trace = self.trace
        is_used = np.zeros(len(trace.tracks), bool)
        columns: list[tuple[Any, str]] = [(trace.slices, "track"), (trace.allocations, "track")]
        columns += [(trace.flows, "begin_track"), (trace.flows, "end_track")]
        for table, name in columns:
            if table is not None:
                is_used[getattr(table, name)] = True
        if is_used.all():
            return trace
        numbers = np.cumsum(is_used, dtype=np.int32) - 1
        for field in ("slices", "allocations", "flows"):
            if (table := getattr(trace, field)) is not None:
                moved = {name: numbers[getattr(table, name)] for other, name in columns if other is table}
                setattr(trace, field, replace(table, **moved))
        trace.tracks = [track for track, used in zip(trace.tracks, is_used.tolist(), strict=True) if used]
        return trace


def count_alone(trace: Trace, begins: NDArray[np.bool_], ends: NDArray[np.bool_]) -> None:
    """Tells how many beginnings and ends of arrows are those without the other."""
    alone: dict[Count, int] = {"flow_begins_alone": int(begins.sum()), "flow_ends_alone": int(ends.sum())}
    for kind, number in alone.items():
        if number:
            trace.counts[kind] = trace.counts.get(kind, 0) + number


def used_numbers(column: Ints, count: int) -> Ints:
    """The numbers from 0 to `count` that a column has."""
    is_used = np.zeros(count + 1, bool)  # -1 is none
    is_used[column] = True
    return np.flatnonzero(is_used[:count]).astype(np.int32)


def read_timeline(
    files: Files,
    file: str,
    tool: str,
    arguments: Mapping[str, Kind],
    progress: Progress,
    mend: Callable[[Events], Events] = lambda events: events,
    *,
    without: Collection[str] = (),
) -> Timeline:
    """The events of a file, `mend`ed, and a trace that has their texts, origin and losses so far.

    Arrows of the names `without` are left out.
    """
    events = mend(scan(files, file, {**METADATA, **arguments}, progress, without=without))
    if not len(events.slices) and not len(events.others):
        raise Unreadable(f"{file} contains no trace events")
    trace = Trace(tool, file, texts=events.texts, losses=losses(events, file))
    slices = _usable(events.slices, trace, file)
    others = events.others
    in_reach = ((others.time > _EARLIEST) & (others.time < _LATEST)) | (others.phase == _METADATA_PHASE)
    if not in_reach.all():
        trace.losses.append(Loss("events with impossible times", int((~in_reach).sum()), file))
        new_rows = np.cumsum(in_reach, dtype=np.int32) - 1
        stay = in_reach[events.counters.row]
        counters = CounterValues(*(column[stay] for column in vars(events.counters).values()))
        others = _chosen(others, in_reach)
        events = replace(events, counters=replace(counters, row=new_rows[counters.row]))
    events = replace(events, slices=slices, others=others)
    timed = others.time[others.phase != _METADATA_PHASE]
    zero = min((int(column.min()) for column in (slices.time, timed) if len(column)), default=0)
    trace.origin = zero if _UNIX[0] <= zero < _UNIX[1] else 0
    trace.counts |= {"slices": len(slices), "other_events": len(others) + events.arrows_left_out}
    if events.arrows_left_out:
        trace.counts["launch_arrows"] = events.arrows_left_out
    return Timeline(events, trace, zero)


def losses(events: Events, file: str) -> list[Loss]:
    """What could not be read, in sentences."""
    messages = []
    if events.unpack_error:
        messages.append(Loss(f"{file} is damaged gzip data, read up to the damage: {events.unpack_error}", file=file))
    elif events.is_cut:
        messages.append(Loss(f"{file} is truncated; everything before is read", file=file))
    if events.damages:
        lost = sum(damage.bytes for damage in events.damage)
        first = events.damage[0].place
        messages.append(
            Loss(f"{file} is damaged, first at byte {first:,}; {lost:,} bytes are lost", events.damages, file)
        )
    return messages


def _usable(rows: Rows, trace: Trace, file: str) -> Rows:
    """Slices whose beginning is known; what is odd about the others and about durations is told."""
    in_reach = (rows.time > _EARLIEST) & (rows.time < _LATEST)
    if not in_reach.all():
        trace.losses.append(Loss("slices without a usable time", int((~in_reach).sum()), file))
        rows = _chosen(rows, in_reach)
    odd = (rows.duration < 0) | (rows.duration > _LONGEST)
    if odd.any():
        trace.losses.append(Loss("slices without a usable duration are shown as points", int(odd.sum()), file))
        rows = replace(rows, duration=np.where(odd, 0, rows.duration))
    return rows


def _chosen(rows: Rows, mask: NDArray[np.bool_]) -> Rows:
    numbers = np.cumsum(mask, dtype=np.int32) - 1

    def values(argument: Values) -> Values:
        stay = mask[argument.row]
        return Values(numbers[argument.row[stay]], argument.value[stay])

    columns = {name: column[mask] for name, column in vars(rows).items() if isinstance(column, np.ndarray)}
    return Rows(
        **columns,
        identity=values(rows.identity),
        arguments={name: values(argument) for name, argument in rows.arguments.items()},
    )
