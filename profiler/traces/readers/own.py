"""Reader of our own trace format; see `own_format`.

A recording may be several files of one machine: forked processes write their own.
"""

from __future__ import annotations

import os
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Final, NamedTuple

import numpy as np

from mindinsight_like.profiler.traces import own_format as form
from mindinsight_like.profiler.traces.files import Files, Progress, Source, Unreadable, is_packed
from mindinsight_like.profiler.traces.readers.own_blocks import blocks, json_of, longs, numbered
from mindinsight_like.profiler.traces.readers.own_tables import links_of, pipeline_of
from mindinsight_like.profiler.traces.trace import (
    NOTHING,
    Activity,
    Count,
    Counter,
    Flows,
    InputPipeline,
    Links,
    Longs,
    Loss,
    Memory,
    Place,
    Slices,
    Steps,
    Trace,
    Track,
)

_FAR: Final = 2**61  # nanoseconds, 73 years; sums of two still fit


def read(files: Files, source: Source, progress: Progress) -> Trace:
    """The recording; damaged blocks are told as losses. Raises Unreadable when there is no whole header."""
    sizes = [_size(files, name) for name in source.files]
    whole, before = max(sum(size for size, _ in sizes), 1), 0
    builder = _TraceBuilder()
    for name, (size, is_whole) in zip(source.files, sizes, strict=True):
        with files.open(name) as file:
            builder.begin(name)
            for block, place in blocks(file, size if is_whole else None, builder.lose):
                builder.take(block)
                progress(min((before + place) / whole, 1.0))
        before += size
    return builder.trace()


def _size(files: Files, name: str) -> tuple[int, bool]:
    """Bytes of the file, and whether its content has as many."""
    handle = files.handle(name)
    try:
        return os.fstat(handle).st_size, not is_packed(handle)
    finally:
        os.close(handle)


class _Operator(NamedTuple):
    """An operator as a file defines it; texts by number."""

    name: int
    type: int
    activity: int
    shape: int


_UNDEFINED = _Operator(0, 0, -1, 0)


@dataclass
class _File:
    """What one file has defined so far; numbers are those of its own."""

    name: str
    shift: int = 0  # from its clock to time 0 of the recording
    is_helper: bool = False
    operators: dict[int, _Operator] = field(default_factory=dict)
    tracks: dict[int, int] = field(default_factory=dict)
    counters: dict[int, tuple[str, str]] = field(default_factory=dict)
    memories: dict[int, str] = field(default_factory=dict)


class _TraceBuilder:
    """The blocks of all files, put together."""

    def __init__(self) -> None:
        self._trace: Trace | None = None
        self._texts: dict[str, int] = {}
        self._tracks: list[Track] = []
        self._slices: list[tuple[Longs, ...]] = []  # start, duration, track, name, type, activity, correlation, shape
        self._steps: list[Longs] = []
        self._flows: list[Longs] = []
        self._counters: dict[tuple[str, str], list[tuple[Longs, Any]]] = {}
        self._memories: dict[str, list[Longs]] = {}
        self._pipelines: list[InputPipeline] = []
        self._links: Links | None = None
        self._facts: dict[str, Any] = {}
        self._counts: dict[Count, int] = {}
        self._losses: dict[tuple[str, str], int] = {}
        self._file = _File("")

    def begin(self, name: str) -> None:
        """The blocks that follow are of this file."""
        self._file = _File(name)

    def lose(self, message: str, count: int = 1) -> None:
        """Remember that something of the present file could not be read."""
        key = (message, self._file.name)
        self._losses[key] = self._losses.get(key, 0) + count

    def take(self, block: bytes) -> None:
        """Add a block whose checksum is right, which does not mean that its content is."""
        kind, body = block[:4], memoryview(block)[4:]
        if self._trace is None and kind != form.HEADER:
            return self.lose("blocks come before the header")
        handler = _KINDS.get(kind)
        if handler is None:
            return self.lose(f"blocks of an unknown kind {kind!r}; a newer version may know it")
        self._counts["blocks"] = self._counts.get("blocks", 0) + 1
        try:
            handler(self, body)
        except Unreadable:
            raise
        except (ValueError, TypeError, LookupError, AttributeError, ArithmeticError, struct.error, RecursionError):
            # Written by something else under a right checksum: the sizes or the JSON do not fit.
            self.lose(f"{kind.decode('ascii')} blocks cannot be understood")
        return None

    def trace(self) -> Trace:
        """Everything that was taken; raises Unreadable when there was no header."""
        trace = self._trace
        if trace is None:
            raise Unreadable("no readable header: not a .mi-trace file, or truncated at the start")
        columns = [np.concatenate(column) for column in zip(*self._slices, strict=True)] if self._slices else None
        if columns is not None:
            start, duration, track, name, kind, activity, correlation, shape = columns
            trace.slices = Slices(
                start,
                duration,
                track.astype(np.int32),
                name.astype(np.int32),
                kind.astype(np.int32),
                activity.astype(np.uint8),
                correlation,
                shape.astype(np.int32),
                np.full(len(start), NOTHING, np.int64),
            )
            self._counts["slices"] = len(start)
        if self._steps:
            number, begin, end, forward_begin, backward_end = np.concatenate(self._steps, axis=1)
            none = np.full(len(number), NOTHING, np.int64)
            computed = (none, none, none, none)
            trace.steps = Steps(number, begin, end, forward_begin, backward_end, *computed, is_of_host=True)
        if self._flows:
            begin, begin_track, end, end_track, label = np.concatenate(self._flows, axis=1)
            trace.flows = Flows(
                begin, begin_track.astype(np.int32), end, end_track.astype(np.int32), label.astype(np.int32)
            )
        for (label_text, unit), pieces in self._counters.items():
            time, value = (np.concatenate(column) for column in zip(*pieces, strict=True))
            trace.counters.append(Counter(label_text, unit, time, value))
        for device, parts in self._memories.items():
            trace.memory.append(Memory(device, *np.concatenate(parts, axis=1)))
        trace.texts, trace.tracks = list(self._texts), self._tracks
        trace.pipelines, trace.links = self._pipelines, self._links
        trace.facts = self._facts
        trace.counts = self._counts
        trace.losses = [Loss(message, count, file) for (message, file), count in self._losses.items()]
        return trace

    # --- one method for each kind of block --------------------------------------------------------------------------

    def _header(self, body: memoryview) -> None:
        header = json_of(body)
        version = header.get("version")
        if version != form.VERSION:
            raise Unreadable(f"the trace has version {version!r}; this program reads version {form.VERSION}")
        origin, clock = int(header["origin"]), int(header["clock"])
        shift = origin - (self._trace.origin if self._trace else origin) - clock
        if not 0 <= origin < 2**63 or abs(shift) > _FAR:
            raise ValueError("impossible times")
        trace = Trace(
            tool=str(header.get("tool") or "mindinsight_like"),
            rank=int(header.get("rank", NOTHING)),
            ranks=int(header.get("ranks", NOTHING)),
            device=str(header.get("device", "")),
            host=str(header.get("host", "")),
            origin=origin,
        )
        facts = header.get("facts", {})
        if self._trace is None:
            self._trace = trace
            self._facts |= facts
        self._file.shift = shift
        self._file.is_helper = bool(header.get("is_helper"))

    def _definitions(self, body: memoryview) -> None:
        definitions = json_of(body)
        for number, (name, kind, activity, shape) in numbered(definitions, "operators"):
            self._file.operators[number] = _Operator(
                self._text(name),
                self._text(kind or name),
                int(Activity(activity)),
                self._text(shape) if shape else NOTHING,
            )
        for number, (name, process, place, order, device) in numbered(definitions, "tracks"):
            if number in self._file.tracks:
                continue  # definitions come once more where blocks before them may be missing
            self._file.tracks[number] = len(self._tracks)
            track = Track(str(name), str(process), Place(place), int(order), int(device), self._file.is_helper)
            self._tracks.append(track)
        for number, (name, unit) in numbered(definitions, "counters"):
            self._file.counters[number] = (str(name), str(unit))
        for number, (device,) in numbered(definitions, "memories"):
            self._file.memories[number] = str(device)

    def _slice_block(self, body: memoryview) -> None:
        track_number, width, count = form.NUMBERED.unpack_from(body)
        columns = longs(body, form.NUMBERED.size, width, count)
        start, end, operator, *rest = columns
        correlation = rest[0] if rest else np.zeros(count, np.int64)
        track = self._file.tracks.get(track_number)
        rows, is_known = self._operator_rows(operator)
        is_right = is_known & (end >= start) & (start > -_FAR) & (end < _FAR)
        if track is None or not is_right.all():
            self.lose("slices without a definition, or that end before they begin", int((~is_right).sum()) or count)
        if track is None:
            return
        usable_rows = rows[is_right]
        self._slices.append(
            (
                start[is_right] + self._file.shift,
                end[is_right] - start[is_right],
                np.full(len(usable_rows), track, np.int64),
                *usable_rows.T[:3],
                correlation[is_right],
                usable_rows[:, 3],
            )
        )

    def _operator_rows(self, numbers: Longs) -> tuple[Longs, Any]:
        """Name, type, activity and shape of each, and which are defined."""
        distinct, place = np.unique(numbers, return_inverse=True)
        table = [self._file.operators.get(int(number), _UNDEFINED) for number in distinct]
        rows = np.array(table, np.int64).reshape(-1, 4)[place]
        return rows, rows[:, 2] >= 0

    def _step_block(self, body: memoryview) -> None:
        (count,) = form.COUNTED.unpack_from(body)
        columns = longs(body, form.COUNTED.size, 5, count).copy()
        columns[1:3] += self._file.shift
        columns[3:][columns[3:] != form.UNKNOWN] += self._file.shift
        self._steps.append(columns)

    def _flow_block(self, body: memoryview) -> None:
        (count,) = form.COUNTED.unpack_from(body)
        columns = longs(body, form.COUNTED.size, 5, count).copy()
        columns[[0, 2]] += self._file.shift
        for place in (1, 3):
            columns[place] = [self._file.tracks[int(number)] for number in columns[place]]
        columns[4] = self._operator_rows(columns[4])[0][:, 0]
        self._flows.append(columns)

    def _counter_block(self, body: memoryview) -> None:
        number, _, count = form.NUMBERED.unpack_from(body)
        time, bits = longs(body, form.NUMBERED.size, 2, count)
        pieces = self._counters.setdefault(self._file.counters[number], [])
        pieces.append((time + self._file.shift, bits.view(np.float64)))

    def _memory_block(self, body: memoryview) -> None:
        number, _, count = form.NUMBERED.unpack_from(body)
        columns = longs(body, form.NUMBERED.size, 3, count).copy()
        columns[0] += self._file.shift
        self._memories.setdefault(self._file.memories[number], []).append(columns)

    def _pipeline(self, body: memoryview) -> None:
        self._pipelines.append(pipeline_of(json_of(body)))

    def _link_block(self, body: memoryview) -> None:
        self._links = links_of(json_of(body))

    def _done(self, body: memoryview) -> None:
        trailer = json_of(body)
        self._facts |= trailer.get("facts", {})
        for message, count in trailer.get("losses", ()):
            self.lose(str(message), int(count))

    def _text(self, text: object) -> int:
        return self._texts.setdefault(str(text), len(self._texts))


_KINDS: dict[bytes, Callable[[_TraceBuilder, memoryview], None]] = {
    form.HEADER: _TraceBuilder._header,
    form.DEFINITIONS: _TraceBuilder._definitions,
    form.SLICES: _TraceBuilder._slice_block,
    form.STEPS: _TraceBuilder._step_block,
    form.FLOWS: _TraceBuilder._flow_block,
    form.COUNTER: _TraceBuilder._counter_block,
    form.MEMORY: _TraceBuilder._memory_block,
    form.PIPELINE: _TraceBuilder._pipeline,
    form.LINKS: _TraceBuilder._link_block,
    form.DONE: _TraceBuilder._done,
}
