"""Recordings of XLA's profiler (JAX, TensorFlow and others): `*.xplane.pb`."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.protobuf.schemas.xplane import XEventMetadata, XPlane, XSpace, XStat
from mindinsight_like.logs.protobuf.wire import BYTES, VARINT, Malformed, fields, signed
from mindinsight_like.profiler.traces.activities import activity_of
from mindinsight_like.profiler.traces.files import Files, Progress, Source, Unreadable
from mindinsight_like.profiler.traces.own_format import OPERATION_TYPE
from mindinsight_like.profiler.traces.planes import Line, scan_line, text_of
from mindinsight_like.profiler.traces.trace import Activity, Bytes, Ints, Longs, Loss, Place, Trace

from .assembly import Assembly, distinct, shift, steps_of
from .xplane_flows import Ends, flows_of
from .xplane_rows import GET_NEXT, Row, is_tensorflow_operator, row_of, without_type

_MOST_BYTES: Final = 2**31  # what a protobuf message can have
_PICOSECONDS: Final = 1000
_MOST_PICOSECONDS: Final = 2**62
# Stats of events that are read. Flows have a type and a number, of the producer and of the consumer.
_WANTED: Final = ("step_num", "hlo_op", "correlation_id", "_p", "_pt", "_c", "_ct", OPERATION_TYPE)
_STEP, _HLO_OP, _CORRELATION, _PRODUCER, _PRODUCER_TYPE, _CONSUMER, _CONSUMER_TYPE, _TYPE = range(len(_WANTED))
_TEXT_KINDS: Final = (XStat.str_value, XStat.bytes_value)
_NUMBERED = re.compile(r"[.\d]+$")
_UNIX_NANOSECONDS: Final = 10**17
_TENSORFLOW_TRACKS: Final = re.compile(r"^tf_\w+/")  # its pools of threads
_TENSORFLOW_CALLS: Final = frozenset({"EagerExecute", "EagerKernelExecute", "TFE_Py_FastPathExecute_C"})


@dataclass
class _Plane:
    """Where the parts of a plane lie, and its dictionaries."""

    name: str = ""
    lines: list[tuple[int, int]] = field(default_factory=list)
    names: dict[int, str] = field(default_factory=dict)  # of events
    categories: dict[int, str] = field(default_factory=dict)  # hlo_category of events
    stats: dict[int, str] = field(default_factory=dict)  # names of stats, and texts that they refer to
    own: dict[str, Any] = field(default_factory=dict)  # stats of the plane


def read(files: Files, source: Source, progress: Progress) -> Trace:
    """The recording; raises Unreadable when there is nothing of an XPlane in the file."""
    data = files.read(source.main, _MOST_BYTES)
    reading = _Reading(data, source)
    reading.read_space()
    progress(0.2)
    for number, plane in enumerate(reading.planes):
        reading.add_plane(plane)
        progress(0.2 + 0.7 * (number + 1) / len(reading.planes))
    return reading.finish()


class _Reading:
    def __init__(self, data: bytes, source: Source) -> None:
        self.data = data
        self.source = source
        self.trace = Trace("jax", rank=source.rank)
        self.assembly = Assembly()
        self.planes: list[_Plane] = []
        self.ends = Ends()
        self.steps: list[tuple[Longs, Longs, Longs]] = []
        self.waiting_tracks: set[int] = set()  # of which data is loaded while a step waits for it
        self.sums = 0

    def lose(self, message: str, count: int = 1) -> None:
        self.trace.losses.append(Loss(message, count, self.source.main))

    def read_space(self) -> None:
        """Finds the planes; a cut file has a last one that is not whole."""
        place, data = 0, self.data
        try:
            for part in fields(data, 0, len(data)):
                place = part.end
                if part.id == XSpace.planes and part.wire == BYTES:
                    self.planes.append(self._plane(part.begin, part.end))
                elif part.id == XSpace.hostnames and part.wire == BYTES:
                    self.trace.host = self._text(part.begin, part.end)
                elif part.id == XSpace.warnings and part.wire == BYTES:
                    self.lose(f"the profiler warns: {self._text(part.begin, part.end)[:200]}")
        except Malformed:
            if data[place : place + 1] == bytes([XSpace.planes << 3 | BYTES]):
                self.planes.append(self._cut_plane(place + 1))
            self.lose("the file is cut or damaged: what follows is missing")
        if not any(plane.name or plane.lines for plane in self.planes):
            raise Unreadable(f"{self.source.main} is not an XPlane profile")

    def _cut_plane(self, place: int) -> _Plane:
        """The plane whose length is at `place`, as far as the file goes."""
        while place < len(self.data) and self.data[place] >= 0x80:
            place += 1
        return self._plane(min(place + 1, len(self.data)), len(self.data))

    def _plane(self, begin: int, end: int) -> _Plane:
        plane = _Plane()
        place = begin
        try:
            for part in fields(self.data, begin, end):
                if part.id == XPlane.lines and part.wire == BYTES:
                    plane.lines.append((part.begin, part.end))
                elif part.id == XPlane.name and part.wire == BYTES:
                    plane.name = self._text(part.begin, part.end)
                elif part.id in (XPlane.event_metadata, XPlane.stat_metadata) and part.wire == BYTES:
                    self._metadata(plane, part.id, part.begin, part.end)
                elif part.id == XPlane.stats and part.wire == BYTES:
                    name, value = self._stat(plane, part.begin, part.end)
                    plane.own[str(name)] = value
                place = part.end
        except Malformed:
            self.lose(f"a part of the plane {plane.name or 'without a name'} is damaged or cut")
            if self.data[place : place + 1] == bytes([XPlane.lines << 3 | BYTES]):
                place += 1
                while place < end and self.data[place] >= 0x80:
                    place += 1
                plane.lines.append((min(place + 1, end), end))
        # Names of stats may come after the stats.
        plane.own = {plane.stats.get(int(key), key): value for key, value in plane.own.items()}
        return plane

    def _metadata(self, plane: _Plane, kind: int, begin: int, end: int) -> None:
        """An entry of a dictionary: number, and a message with the name."""
        number, name, display = 0, "", ""
        stats: list[tuple[int, int]] = []
        for entry in fields(self.data, begin, end):
            if entry.id == XPlane.EventMetadataEntry.key and entry.wire == VARINT:
                number = signed(entry.number)
            elif entry.id == XPlane.EventMetadataEntry.value and entry.wire == BYTES:
                for part in fields(self.data, entry.begin, entry.end):
                    if part.wire != BYTES:
                        continue
                    if part.id == XEventMetadata.name:  # which has the number of a stat's name
                        name = self._text(part.begin, part.end)
                    elif kind == XPlane.event_metadata and part.id == XEventMetadata.display_name:
                        display = self._text(part.begin, part.end)
                    elif kind == XPlane.event_metadata and part.id == XEventMetadata.stats:
                        stats.append((part.begin, part.end))
        if kind == XPlane.stat_metadata:
            plane.stats[number] = name
            return
        # TensorFlow shows an operator's type in the place of its name.
        plane.names[number] = name if is_tensorflow_operator(name) else display or name
        if plane.name.startswith("/device:"):
            for stat in stats:
                key, value = self._stat(plane, *stat)
                if isinstance(value, str) and plane.stats.get(key) == "hlo_category":
                    plane.categories[number] = value

    def _stat(self, plane: _Plane, begin: int, end: int) -> tuple[int, Any]:
        number = 0
        value: int | str | None = None
        for part in fields(self.data, begin, end):
            if part.id == XStat.metadata_id and part.wire == VARINT:
                number = signed(part.number)
            elif part.id in (XStat.uint64_value, XStat.int64_value) and part.wire == VARINT:
                value = signed(part.number)
            elif part.id == XStat.ref_value and part.wire == VARINT:
                value = plane.stats.get(signed(part.number), "")
            elif part.id == XStat.str_value and part.wire == BYTES:
                value = self._text(part.begin, part.end)
        return number, value

    def _text(self, begin: int, end: int) -> str:
        return self.data[begin : min(end, begin + 10_000)].decode("utf-8", "replace")

    def add_plane(self, plane: _Plane) -> None:
        """Adds the events of all lines of a plane."""
        if not plane.lines:
            facts = {key: value for key, value in plane.own.items() if isinstance(value, (int, str))}
            if facts:
                self.trace.facts[plane.name] = facts
            return
        by_name = {name: number for number, name in plane.stats.items()}
        stat_ids = np.array([by_name.get(name, -(2**62) - slot) for slot, name in enumerate(_WANTED)], np.int64)
        names = _Names(self.assembly, plane)
        for begin, end in plane.lines:
            line = scan_line(self.data, begin, end, stat_ids)
            if line.end < end:
                self.lose(f"a line of {plane.name} is damaged or cut: its later events are missing")
            self._add_line(plane, line, names)

    def _add_line(self, plane: _Plane, line: Line, names: _Names) -> None:
        thread = self._text(*line.display_name) or self._text(*line.name) or str(line.number)
        row = row_of(plane.name, thread)
        picoseconds = line.offset
        single = (line.occurrences == 0) & (picoseconds >= 0) & (line.duration >= 0)
        single &= (picoseconds < _MOST_PICOSECONDS) & (line.duration < _MOST_PICOSECONDS)
        self.sums += int((line.occurrences != 0).sum())
        damaged = int((~single & (line.occurrences == 0)).sum())
        if damaged:
            self.lose(f"events of {plane.name} whose times cannot be", damaged)
        if not single.any() or abs(line.timestamp) >= _MOST_PICOSECONDS:
            return
        # Both ends are cut to nanoseconds, so that what lies inside something else still does.
        start = line.timestamp + picoseconds // _PICOSECONDS
        duration = line.timestamp + (picoseconds + line.duration) // _PICOSECONDS - start
        track = self.assembly.track(thread, row.process, row.place, row.order, row.device)
        name, type_, activity = names.of(line, row, self.data)
        step, is_step = _dense(line, _STEP, len(start))
        if is_step.any():
            activity[is_step] = Activity.STEP
            rows = is_step & single
            if row.place == Place.HOST:
                self.steps.append((step[rows], start[rows], (start + duration)[rows]))
                self.waiting_tracks.add(track)
        if row.place == Place.HOST and names.has_beginning(line, GET_NEXT):
            self.waiting_tracks.add(track)
        correlation, _ = _dense(line, _CORRELATION, len(start))
        self.assembly.add(
            start[single], duration[single], track, name[single], type_[single], activity[single], correlation[single]
        )
        for slot, kind_slot, is_producer in ((_PRODUCER, _PRODUCER_TYPE, True), (_CONSUMER, _CONSUMER_TYPE, False)):
            number, has = _dense(line, slot, len(start))
            kind, _ = _dense(line, kind_slot, len(start))
            has &= single
            self.ends.add(is_producer, kind[has], number[has], start[has], track)

    def finish(self) -> Trace:
        """The trace; times count from the beginning of the recording."""
        trace = self.trace
        if not self.assembly.has_slices:
            raise Unreadable(f"{self.source.main} has no readable events")
        if self.sums:
            trace.counts["sums_without_times"] = self.sums
        environment = trace.facts.get("Task Environment", {})
        metadata = trace.facts.get("/host:metadata", {})
        trace.tool = self._tool(metadata)
        trace.flows = flows_of(self.ends, self.assembly)
        self.assembly.finish(trace)
        assert trace.slices is not None
        devices = sorted({track.process for track in trace.tracks if track.place == Place.DEVICE})
        trace.device = ", ".join(devices) or "CPU"
        started = environment.get("profile_start_time")
        begin = int(trace.slices.start.min())
        if begin >= _UNIX_NANOSECONDS:
            trace.origin = begin
        elif isinstance(started, int) and started >= _UNIX_NANOSECONDS:
            trace.origin = started + begin
        if self.steps:
            number, start, end = (np.concatenate(columns) for columns in zip(*self.steps, strict=True))
            order = np.lexsort((start, number))
            steps = steps_of(number[order], start[order], end[order])
            trace.steps = replace(steps, waiting_tracks=tuple(sorted(self.waiting_tracks)))
        shift(trace, begin)
        return trace

    def _tool(self, metadata: dict[str, Any]) -> str:
        """Whose program was recorded: JAX notes its version, of older ones and of TensorFlow the threads tell."""
        if "jax_version" in metadata or "jaxlib_version" in metadata:
            return "jax"
        tracks = [track.name for track in self.assembly.tracks]
        if any(map(_TENSORFLOW_TRACKS.match, tracks)) or self.assembly.has_text(_TENSORFLOW_CALLS):
            return "tensorflow"
        has_version = any("version" in key for key in metadata)
        return "jax" if "python" in tracks and not has_version else "tensorflow"


def _dense(line: Line, slot: int, rows: int) -> tuple[Longs, NDArray[np.bool_]]:
    """The numbers of a stat for all events, and which have one."""
    selected = (line.stat_slot == slot) & (line.stat_kind != _TEXT_KINDS[0]) & (line.stat_kind != _TEXT_KINDS[1])
    values, has = np.zeros(rows, np.int64), np.zeros(rows, bool)
    values[line.stat_row[selected]] = line.stat_value[selected]
    has[line.stat_row[selected]] = True
    return values, has


class _Names:
    """Names, types and activities of the events of a plane."""

    def __init__(self, assembly: Assembly, plane: _Plane) -> None:
        self._assembly = assembly
        self._plane = plane

    def of(self, line: Line, row: Row, data: bytes) -> tuple[Ints, Ints, Bytes]:
        """Numbers of names and of types, and activities."""
        assembly, plane = self._assembly, self._plane
        numbers, place = distinct(line.metadata)
        texts = [plane.names.get(number) or f"event {number}" for number in numbers.tolist()]
        name = assembly.codes(map(without_type, texts))[place]
        types = [
            plane.categories.get(number) or row.type_of(text)
            for number, text in zip(numbers.tolist(), texts, strict=True)
        ]
        type_ = assembly.codes(types)[place]
        activity = np.array([row.activity_of(text) for text in texts], np.uint8)[place]
        for kind in (*_TEXT_KINDS, XStat.ref_value):
            operators = (line.stat_slot == _HLO_OP) & (line.stat_kind == kind)
            if not operators.any():
                continue
            rows = line.stat_row[operators]
            values, which = distinct(line.stat_value[operators])
            labels = [self._referred(kind, value, data) for value in values.tolist()]
            name[rows] = assembly.codes(labels)[which]
            if not plane.name.startswith("/device:"):
                type_[rows] = assembly.codes(_NUMBERED.sub("", text) or text for text in labels)[which]
                activity[rows] = Activity.OPERATOR
        for kind in (*_TEXT_KINDS, XStat.ref_value):
            typed = (line.stat_slot == _TYPE) & (line.stat_kind == kind)
            if typed.any():  # named with `Profiler.op`
                rows = line.stat_row[typed]
                values, which = distinct(line.stat_value[typed])
                labels = [self._referred(kind, value, data) for value in values.tolist()]
                type_[rows] = assembly.codes(labels)[which]
                activity[rows] = np.array([activity_of(text) for text in labels], np.uint8)[which]
        return name, type_, activity

    def has_beginning(self, line: Line, beginning: str) -> bool:
        """Whether an event of the line has a name that begins so."""
        numbers, _ = distinct(line.metadata)
        return any(self._plane.names.get(number, "").startswith(beginning) for number in numbers.tolist())

    def _referred(self, kind: int, value: int, data: bytes) -> str:
        if kind == XStat.ref_value:
            return self._plane.stats.get(value, f"operator {value}")
        return text_of(data, value)
