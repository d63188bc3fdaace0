"""Recordings of paddle.profiler's `export_protobuf`: trees of host events with device work and memory."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from mindinsight_like.logs.protobuf.message_columns import FieldColumns, walk
from mindinsight_like.logs.protobuf.schemas.paddle_profile import (
    CudaRuntimeTraceEvent,
    CudaRuntimeTraceEventNode,
    DeviceProperty,
    DeviceTraceEvent,
    DeviceTraceEventNode,
    ExtraInfo,
    HostTraceEvent,
    HostTraceEventNode,
    InputShape,
    MemTraceEvent,
    MemTraceEventNode,
    NodeTrees,
    OperatorSupplementEvent,
    OperatorSupplementEventNode,
    ThreadNodeTree,
    TracerEventType,
    TracerMemEventType,
)
from mindinsight_like.logs.protobuf.wire import BYTES, VARINT, Malformed, fields
from mindinsight_like.profiler.traces.files import Files, Progress, Source, Unreadable
from mindinsight_like.profiler.traces.trace import (
    NOTHING,
    Activity,
    Allocations,
    Ints,
    Longs,
    Loss,
    Place,
    Trace,
)

from .assembly import Assembly, distinct, shift
from .paddle_places import device_name, memory_of

_ACTIVITIES: Final = (
    Activity.OPERATOR,
    Activity.DATA,
    Activity.STEP,
    Activity.LAUNCH,
    Activity.KERNEL,
    Activity.COPY,
    Activity.FILL,
    Activity.ANNOTATION,  # by the user, in C++
    Activity.OPERATOR,  # the inside of an operator
    Activity.PHASE,  # forward
    Activity.PHASE,  # backward
    Activity.PHASE,  # optimization
    Activity.COMMUNICATION,
    Activity.OPERATOR,  # of Python
    Activity.ANNOTATION,  # by the user, in Python
    Activity.OPERATOR,  # kernels of dynamic graphs: they compute where the device is the host
    Activity.OPERATOR,  # and of static ones
)
_OF_PYTHON: Final = (  # types that are shown on the row of the interpreter
    TracerEventType.DATALOADER,
    TracerEventType.PROFILE_STEP,
    TracerEventType.FORWARD,
    TracerEventType.BACKWARD,
    TracerEventType.OPTIMIZATION,
    TracerEventType.PYTHON_OP,
    TracerEventType.PYTHON_USER_DEFINED,
)
_ROOT: Final = "root node"  # that holds the trees together, without a time


def read(files: Files, source: Source, progress: Progress) -> Trace:
    """The recording; raises Unreadable when it holds no events."""
    reading = _Reading(files.read(source.main, 2**31), source)
    reading.find()
    progress(0.3)
    reading.add_host()
    progress(0.7)
    reading.add_device()
    reading.add_memory()
    return reading.finish()


class _Reading:
    def __init__(self, data: bytes, source: Source) -> None:
        self.data = data
        self.source = source
        self.trace = Trace("paddle", device="CPU", rank=source.rank)
        self.assembly = Assembly()
        self.process = ""
        self.threads: dict[str, str] = {}  # names by number
        self.begins: list[Longs] = []
        self.ends: list[Longs] = []

    def find(self) -> None:
        """Finds the nodes of all threads, as far as the file is whole."""
        data, place = self.data, 0
        try:
            for part in fields(data, 0, len(data)):
                place = part.end
                if part.wire != BYTES:
                    continue
                if part.id == NodeTrees.thread_trees:
                    self._find_nodes(part.begin, part.end)
                elif part.id == NodeTrees.version:
                    self.trace.facts["version"] = self._text(part.begin, part.end)
                elif part.id == NodeTrees.extra_info:
                    self._add_fact(part.begin, part.end)
                elif part.id == NodeTrees.device_property:
                    self._add_device_name(part.begin, part.end)
        except Malformed:
            self._lose("the file is cut or damaged: what follows is missing")
            if data[place : place + 1] == bytes([NodeTrees.thread_trees << 3 | BYTES]):
                place += 1
                while place < len(data) and data[place] >= 0x80:
                    place += 1
                self._find_nodes(min(place + 1, len(data)), len(data))
        if not self.begins:
            raise Unreadable(f"{self.source.main} is not a paddle.profiler profile or has no events")

    def _find_nodes(self, begin: int, end: int) -> None:
        begins, ends = [], []
        try:
            for part in fields(self.data, begin, end):
                if part.id == ThreadNodeTree.host_nodes and part.wire == BYTES:
                    begins.append(part.begin)
                    ends.append(part.end)
        except Malformed:
            self._lose("a thread is cut or damaged: its later events are missing")
        if begins:
            self.begins.append(np.array(begins, np.int64))
            self.ends.append(np.array(ends, np.int64))

    def _walk(self, begins: Longs, ends: Longs) -> FieldColumns:
        """The fields of messages; those that are damaged are left out."""
        try:
            return walk(self.data, begins, ends)
        except Malformed:
            whole = np.array([self._is_whole(a, b) for a, b in zip(begins.tolist(), ends.tolist(), strict=True)], bool)
            self._lose("events that are damaged", int((~whole).sum()))
            # Their owners stay in place, as messages without any field.
            return walk(self.data, begins, np.where(whole, ends, begins))

    def _is_whole(self, begin: int, end: int) -> bool:
        try:
            for _ in fields(self.data, begin, end):
                pass
        except Malformed:
            return False
        return True

    def add_host(self) -> None:
        """Events of threads."""
        self.nodes = self._walk(np.concatenate(self.begins), np.concatenate(self.ends))
        self.count = sum(len(begins) for begins in self.begins)
        events = self.nodes.of(HostTraceEventNode.host_trace_event)
        last = events.last_of_each(self.count)
        events = events.where(last[last >= 0])
        parts = self._walk(events.begins, events.ends)
        rows = len(events.owners)
        proto = HostTraceEvent
        numbers = (proto.type, proto.start_ns, proto.end_ns, proto.process_id, proto.thread_id)
        kind, start, end, process, thread = (_number(parts, number, rows) for number in numbers)
        names = self._texts(parts, proto.name, rows)
        is_root = np.array([name == _ROOT for name in names], bool)
        usable = (end >= start) & (start > 0) & ~is_root
        if not (usable | is_root).all():
            self._lose("events that end before they begin", int((~(usable | is_root)).sum()))
        shapes = np.full(self.count, NOTHING, np.int32)
        self._read_shapes(shapes)
        is_python = np.isin(kind, _OF_PYTHON)
        self.process = f"Process {int(process.max(initial=0))} (CPU)"
        usable_rows = np.flatnonzero(usable)
        rows_of_tracks, track = distinct((thread * 2 + is_python)[usable_rows])
        tracks = [
            self.assembly.track(self._thread(row >> 1, "Python" if row & 1 else "C++"), self.process)
            for row in rows_of_tracks.tolist()
        ]
        code, type_ = self._names(names)
        activities = np.array([*_ACTIVITIES, Activity.OTHER], np.uint8)
        kind = np.where((kind >= 0) & (kind < len(_ACTIVITIES)), kind, len(_ACTIVITIES))
        if usable.any():
            self.assembly.add(
                start[usable],
                (end - start)[usable],
                np.array(tracks, np.int32)[track],
                code[usable],
                type_[usable],
                activities[kind][usable],
                shape=shapes[events.owners][usable],
            )

    def _thread(self, number: int, language: str) -> str:
        name = self.threads.get(str(number), "")
        return f"thread {number}{':' if name else ''}{name}({language})"

    def _names(self, names: list[str]) -> tuple[Ints, Ints]:
        types = ("ProfileStep" if name.startswith("ProfileStep#") else name for name in names)
        return self.assembly.codes(names), self.assembly.codes(types)

    def add_device(self) -> None:
        """Calls of the runtime, and what they had the device do."""
        calls = self.nodes.of(HostTraceEventNode.runtime_nodes)
        if not len(calls.owners):
            return
        parts = self._walk(calls.begins, calls.ends)
        call = parts.of(CudaRuntimeTraceEventNode.runtime_trace_event)
        device = parts.of(CudaRuntimeTraceEventNode.device_nodes)
        fields_of_calls = self._walk(call.begins, call.ends)
        rows = len(call.owners)
        runtime = CudaRuntimeTraceEvent
        numbers = (runtime.start_ns, runtime.end_ns, runtime.thread_id, runtime.correlation_id)
        start, end, thread, correlation = (_number(fields_of_calls, number, rows) for number in numbers)
        usable = end >= start
        threads, which = distinct(thread)
        tracks = np.array(
            [self.assembly.track(self._thread(number, "C++"), self.process) for number in threads.tolist()], np.int32
        )
        code, type_ = self._names(self._texts(fields_of_calls, runtime.name, rows))
        self.assembly.add(
            start[usable],
            (end - start)[usable],
            tracks[which][usable],
            code[usable],
            type_[usable],
            Activity.LAUNCH,
            correlation[usable],
        )
        inner = self._walk(device.begins, device.ends).of(DeviceTraceEventNode.device_event)
        work = self._walk(inner.begins, inner.ends)
        rows = len(inner.owners)
        event = DeviceTraceEvent
        kind, start, end = (_number(work, field, rows) for field in (event.type, event.start_ns, event.end_ns))
        number, stream = _number(work, event.device_id, rows), _number(work, event.stream_id, rows)
        correlation = _number(work, event.correlation_id, rows)
        usable = end >= start
        code, type_ = self._names(self._texts(work, event.name, rows))
        rows_of_tracks, which = distinct((number & 0xFFFF) << 32 | stream & 0xFFFFFFFF)
        tracks = np.array(
            [
                self.assembly.track(f"stream {row & 0xFFFFFFFF}", f"GPU {row >> 32}", Place.DEVICE, device=row >> 32)
                for row in rows_of_tracks.tolist()
            ],
            np.int32,
        )
        activities = np.array([*_ACTIVITIES, Activity.KERNEL], np.uint8)
        kind = np.where((kind >= 0) & (kind < len(_ACTIVITIES)), kind, len(_ACTIVITIES))
        if usable.any():
            self.assembly.add(
                start[usable],
                (end - start)[usable],
                tracks[which][usable],
                code[usable],
                type_[usable],
                activities[kind][usable],
                correlation[usable],
            )

    def add_memory(self) -> None:
        """Allocations and frees, and the totals that each tells."""
        nodes = self.nodes.of(HostTraceEventNode.mem_nodes)
        inner = self._walk(nodes.begins, nodes.ends).of(MemTraceEventNode.mem_event) if len(nodes.owners) else nodes
        rows = len(inner.owners)
        if not rows:
            return
        parts = self._walk(inner.begins, inner.ends)
        event = MemTraceEvent
        time, kind, address = (_number(parts, number, rows) for number in (event.timestamp_ns, event.type, event.addr))
        size = _number(parts, event.increase_bytes, rows)
        allocated = _number(parts, event.current_allocated, rows)
        reserved = _number(parts, event.current_reserved, rows)
        places = [device_name(place) for place in self._texts(parts, event.place, rows)]
        order = np.argsort(time, kind="stable")
        devices = self.assembly.codes(places)
        is_block = (kind == TracerMemEventType.ALLOCATE) | (kind == TracerMemEventType.FREE)
        for device in dict.fromkeys(places):
            own = order[devices[order] == self.assembly.text(device)]
            self.trace.memory.append(
                memory_of(device, time[own], allocated[own], reserved[own], is_chunk=~is_block[own])
            )
        single = order[is_block[order]]
        self.trace.allocations = Allocations(
            time[single],
            size[single],
            address[single].view(np.uint64),
            devices[single],
            np.full(len(single), NOTHING, np.int32),
            np.full(len(single), NOTHING, np.int32),
        )

    def _read_shapes(self, shapes: Ints) -> None:
        """Shapes of inputs, told beside an operator; equal messages are read once."""
        codes: dict[bytes, int] = {}
        nodes = self.nodes.of(HostTraceEventNode.op_supplement_nodes)
        for owner, begin, end in zip(nodes.owners.tolist(), nodes.begins.tolist(), nodes.ends.tolist(), strict=True):
            for event in self._parts(begin, end, OperatorSupplementEventNode.op_supplement_event):
                for inputs in self._parts(*event, OperatorSupplementEvent.input_shape):
                    content = self.data[inputs[0] : inputs[1]]
                    if content not in codes:
                        codes[content] = self.assembly.text(self._shape_text(*inputs))
                    shapes[owner] = codes[content]

    def _shape_text(self, begin: int, end: int) -> str:
        keys = [self._text(*key) for key in self._parts(begin, end, InputShape.key)]
        shapes = []
        for vector in self._parts(begin, end, InputShape.shape_vec):
            shapes.append([self._sizes(*shape) for shape in self._parts(*vector, InputShape.ShapeVector.shape)])
        return str(dict(zip(keys, shapes, strict=False)))

    def _sizes(self, begin: int, end: int) -> list[int]:
        try:
            parts = list(fields(self.data, begin, end))
        except Malformed:
            return []
        return [part.number for part in parts if part.id == InputShape.Shape.size and part.wire == VARINT]

    def _parts(self, begin: int, end: int, number: int) -> list[tuple[int, int]]:
        try:
            return [
                (part.begin, part.end)
                for part in fields(self.data, begin, end)
                if part.id == number and part.wire == BYTES
            ]
        except Malformed:
            return []

    def _texts(self, parts: FieldColumns, number: int, rows: int) -> list[str]:
        names = parts.of(number)
        last = names.last_of_each(rows)
        decoded: dict[bytes, str] = {}
        texts = []
        begins, ends = names.begins.tolist(), names.ends.tolist()
        for place in last.tolist():
            content = self.data[begins[place] : ends[place]] if place >= 0 else b""
            if content not in decoded:
                decoded[content] = content[:10_000].decode("utf-8", "replace")
            texts.append(decoded[content])
        return texts

    def _text(self, begin: int, end: int) -> str:
        return self.data[begin : min(end, begin + 10_000)].decode("utf-8", "replace")

    def _add_fact(self, begin: int, end: int) -> None:
        key, value = self._parts(begin, end, ExtraInfo.key), self._parts(begin, end, ExtraInfo.value)
        if key and value:
            target = self.threads if self._text(*key[0]).isdecimal() else self.trace.facts
            target[self._text(*key[0])] = self._text(*value[0])

    def _add_device_name(self, begin: int, end: int) -> None:
        names: Sequence[tuple[int, int]] = self._parts(begin, end, DeviceProperty.name)
        if names:
            self.trace.device = self._text(*names[0])

    def _lose(self, message: str, count: int = 1) -> None:
        self.trace.losses.append(Loss(message, count, self.source.main))

    def finish(self) -> Trace:
        """The trace; times count from its first event."""
        if not self.assembly.has_slices:
            raise Unreadable(f"{self.source.main} has no readable events")
        self.assembly.finish(self.trace)
        if self.trace.slices is None or not len(self.trace.slices.start):
            raise Unreadable(f"{self.source.main} has no readable events")
        origin = int(self.trace.slices.start.min())
        self.trace.origin = origin if origin > 10**17 else 0
        shift(self.trace, origin)
        return self.trace


def _number(parts: FieldColumns, number: int, rows: int) -> Longs:
    """A number of each message, 0 where it has none."""
    fields = parts.of(number, VARINT)
    values = np.zeros(rows, np.int64)
    values[fields.owners] = fields.numbers.view(np.int64)
    return values
