"""Events of one XPlane line as columns: the Python reference."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.protobuf.schemas.xplane import XEvent, XLine, XStat
from mindinsight_like.logs.protobuf.wire import BYTES, FIXED64, VARINT, Malformed, fields, signed
from mindinsight_like.profiler.traces.trace import Bytes, Longs

_EVENT_NUMBERS: Final = (XEvent.metadata_id, XEvent.offset_ps, XEvent.duration_ps, XEvent.num_occurrences)
SIZE_BITS: Final = 24  # of the value of a text: where it begins, and in the lower bits how long it is


class Line(NamedTuple):
    """A line: its head, its events in order, and those of their stats that were asked for."""

    number: int
    timestamp: int  # nanoseconds
    name: tuple[int, int]  # where it stands
    display_name: tuple[int, int]
    metadata: Longs
    offset: Longs  # picoseconds
    duration: Longs
    occurrences: Longs  # of events that are sums; 0 for single ones
    stat_row: Longs
    stat_slot: Bytes
    stat_kind: Bytes  # the number of the field that has the value
    stat_value: Longs
    end: int  # where reading ended; before the end of the line where it is damaged


def scan_line(data: bytes, begin: int, end: int, stat_ids: NDArray[np.int64]) -> Line:
    """The line that fills data[begin:end]; the slot of a stat is the place of its metadata's number in `stat_ids`."""
    slots = {int(number): slot for slot, number in enumerate(stat_ids.tolist())}
    number, timestamp, name, display_name = 0, 0, (0, 0), (0, 0)
    events: list[_EventRow] = []
    stats: list[_StatRow] = []
    done = begin
    try:
        for field in fields(data, begin, end):
            if field.id == XLine.events and field.wire == BYTES:
                event, of_event = _event(data, field.begin, field.end, len(events), slots)
                events.append(event)
                stats += of_event
            elif field.id == XLine.id and field.wire == VARINT:
                number = signed(field.number)
            elif field.id == XLine.timestamp_ns and field.wire == VARINT:
                timestamp = signed(field.number)
            elif field.id == XLine.name and field.wire == BYTES:
                name = (field.begin, field.end)
            elif field.id == XLine.display_name and field.wire == BYTES:
                display_name = (field.begin, field.end)
            done = field.end
    except Malformed:
        pass
    columns = np.array(events, np.int64).reshape(-1, 4)
    stat_columns = np.array(stats, np.int64).reshape(-1, 4)
    return Line(
        number,
        timestamp,
        name,
        display_name,
        columns[:, 0],
        columns[:, 1],
        columns[:, 2],
        columns[:, 3],
        stat_columns[:, 0],
        stat_columns[:, 1].astype(np.uint8),
        stat_columns[:, 2].astype(np.uint8),
        stat_columns[:, 3],
        done,
    )


class _EventRow(NamedTuple):
    metadata: int
    offset: int
    duration: int
    occurrences: int


class _StatRow(NamedTuple):
    row: int  # of its event
    slot: int
    kind: int
    value: int


def _event(data: bytes, begin: int, end: int, row: int, slots: dict[int, int]) -> tuple[_EventRow, list[_StatRow]]:
    numbers = dict.fromkeys(_EVENT_NUMBERS, 0)
    stats = []
    for field in fields(data, begin, end):
        if field.wire == VARINT and field.id in numbers:
            numbers[field.id] = signed(field.number)
        elif field.wire == BYTES and field.id == XEvent.stats:
            identity, kind, value = _stat(data, field.begin, field.end)
            if identity in slots and kind:
                stats.append(_StatRow(row, slots[identity], kind, value))
    return _EventRow(*(numbers[number] for number in _EVENT_NUMBERS)), stats


def _stat(data: bytes, begin: int, end: int) -> tuple[int, int, int]:
    identity = kind = value = 0
    for field in fields(data, begin, end):
        if field.id == XStat.metadata_id and field.wire == VARINT:
            identity = signed(field.number)
        elif field.id in (XStat.uint64_value, XStat.int64_value, XStat.ref_value) and field.wire == VARINT:
            kind, value = field.id, signed(field.number)
        elif field.id == XStat.double_value and field.wire == FIXED64:
            kind, value = field.id, int(np.frombuffer(data, "<i8", 1, field.begin)[0])
        elif field.id in (XStat.str_value, XStat.bytes_value) and field.wire == BYTES:
            kind = field.id
            value = field.begin << SIZE_BITS | min(field.end - field.begin, (1 << SIZE_BITS) - 1)
    return identity, kind, value


def text_of(data: bytes, value: Any) -> str:
    """The text that a value stands for."""
    begin, size = int(value) >> SIZE_BITS, int(value) & (1 << SIZE_BITS) - 1
    return data[begin : begin + size].decode("utf-8", "replace")
