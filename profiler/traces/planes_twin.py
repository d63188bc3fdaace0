"""Events of one line of an XPlane as columns; the Python twin of the native scanner, and what it is tested against."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.wire import BYTES, FIXED64, VARINT, Malformed, fields, signed

from .trace import Bytes, Longs

# Numbers of fields.
_LINE_ID, _LINE_NAME, _TIMESTAMP, _EVENT, _DISPLAY_NAME = 1, 2, 3, 4, 11
_METADATA, _OFFSET, _DURATION, _STAT, _OCCURRENCES = 1, 2, 3, 4, 5
_STAT_ID, _DOUBLE, _UNSIGNED, _SIGNED, _TEXT, _RAW, _REFERENCE = 1, 2, 3, 4, 5, 6, 7
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


def scan_line(data: bytes, begin: int, end: int, wanted: NDArray[np.int64]) -> Line:
    """The line that fills data[begin:end]; the slot of a stat is the place of its metadata's number in `wanted`."""
    slots = {int(number): slot for slot, number in enumerate(wanted.tolist())}
    number, timestamp, name, display_name = 0, 0, (0, 0), (0, 0)
    events: list[tuple[int, int, int, int]] = []
    stats: list[tuple[int, int, int, int]] = []
    done = begin
    try:
        for field in fields(data, begin, end):
            if field.id == _EVENT and field.wire == BYTES:
                event, of_event = _event(data, field.begin, field.end, len(events), slots)
                events.append(event)
                stats += of_event
            elif field.id == _LINE_ID and field.wire == VARINT:
                number = signed(field.number)
            elif field.id == _TIMESTAMP and field.wire == VARINT:
                timestamp = signed(field.number)
            elif field.id == _LINE_NAME and field.wire == BYTES:
                name = (field.begin, field.end)
            elif field.id == _DISPLAY_NAME and field.wire == BYTES:
                display_name = (field.begin, field.end)
            done = field.end
    except Malformed:
        pass
    columns = np.array(events, np.int64).reshape(-1, 4)
    found = np.array(stats, np.int64).reshape(-1, 4)
    return Line(
        number,
        timestamp,
        name,
        display_name,
        columns[:, 0],
        columns[:, 1],
        columns[:, 2],
        columns[:, 3],
        found[:, 0],
        found[:, 1].astype(np.uint8),
        found[:, 2].astype(np.uint8),
        found[:, 3],
        done,
    )


def _event(
    data: bytes, begin: int, end: int, row: int, slots: dict[int, int]
) -> tuple[tuple[int, int, int, int], list[tuple[int, int, int, int]]]:
    numbers = {_METADATA: 0, _OFFSET: 0, _DURATION: 0, _OCCURRENCES: 0}
    stats = []
    for field in fields(data, begin, end):
        if field.wire == VARINT and field.id in numbers:
            numbers[field.id] = signed(field.number)
        elif field.wire == BYTES and field.id == _STAT:
            identity, kind, value = _stat(data, field.begin, field.end)
            if identity in slots and kind:
                stats.append((row, slots[identity], kind, value))
    return (numbers[_METADATA], numbers[_OFFSET], numbers[_DURATION], numbers[_OCCURRENCES]), stats


def _stat(data: bytes, begin: int, end: int) -> tuple[int, int, int]:
    identity = kind = value = 0
    for field in fields(data, begin, end):
        if field.id == _STAT_ID and field.wire == VARINT:
            identity = signed(field.number)
        elif field.id in (_UNSIGNED, _SIGNED, _REFERENCE) and field.wire == VARINT:
            kind, value = field.id, signed(field.number)
        elif field.id == _DOUBLE and field.wire == FIXED64:
            kind, value = field.id, int(np.frombuffer(data, "<i8", 1, field.begin)[0])
        elif field.id in (_TEXT, _RAW) and field.wire == BYTES:
            kind = field.id
            value = field.begin << SIZE_BITS | min(field.end - field.begin, (1 << SIZE_BITS) - 1)
    return identity, kind, value


def text_of(data: bytes, value: Any) -> str:
    """The text that a value stands for."""
    begin, size = int(value) >> SIZE_BITS, int(value) & (1 << SIZE_BITS) - 1
    return data[begin : begin + size].decode("utf-8", "replace")
