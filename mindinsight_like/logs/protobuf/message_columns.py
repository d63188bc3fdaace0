"""Fields of many protobuf messages at once, as columns.

A graph of 100,000 nodes has a million fields. Taken one by one they would cost a second; here all messages are walked
through in step, the first field of each, then the second of each, by operations on whole columns.
"""

from __future__ import annotations

from array import array
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.protobuf.wire import BYTES, FIXED32, FIXED64, VARINT, Malformed, varint

Ints = NDArray[np.int64]

MOST_FIELDS = 20_000_000  # of all messages of one walk together; bounds the memory
_FEW = 24  # messages that are quicker walked through one by one
_ONE_BYTE = 0x80


@dataclass(frozen=True)
class FieldColumns:
    """Fields of several messages, message by message: number, wire type, value of varints, and where contents lie."""

    owners: Ints  # the place of the field's message among those walked through
    ids: Ints
    wires: Ints
    numbers: NDArray[np.uint64]
    begins: Ints
    ends: Ints

    def of(self, field: int, wire: int = BYTES) -> FieldColumns:
        """The fields with a number and a wire type."""
        return self.where((self.ids == field) & (self.wires == wire))

    def where(self, chosen: NDArray[np.bool_] | Ints) -> FieldColumns:
        return FieldColumns(
            self.owners[chosen],
            self.ids[chosen],
            self.wires[chosen],
            self.numbers[chosen],
            self.begins[chosen],
            self.ends[chosen],
        )

    def last_of_each(self, messages: int) -> Ints:
        """The place of the last of these fields in each message, -1 where it has none."""
        places = np.full(messages, -1, np.int64)
        places[self.owners] = np.arange(len(self.owners))
        return places


def walk(data: bytes, begins: Ints, ends: Ints) -> FieldColumns:
    """The fields of the messages that fill data[begin:end]; raises Malformed."""
    parts = _Parts(len(begins))
    positions = begins.astype(np.int64, copy=True)
    active = np.flatnonzero(positions < ends)
    buffer = np.frombuffer(data, np.uint8)
    while len(active) > _FEW:
        columns = _step(buffer, positions[active], ends[active])
        parts.add(active, *columns)
        positions[active] = columns[4]
        active = active[columns[4] < ends[active]]
    for message in active.tolist():
        end = int(ends[message])
        starts = _starts(data, int(positions[message]), end)
        parts.add_rest(message, *_step(buffer, starts, np.full(len(starts), end, np.int64)))
    return parts.joined()


class _Parts:
    """Fields as they are found, to be put in order."""

    def __init__(self, messages: int) -> None:
        self._counts = np.zeros(messages, np.int64)
        self._found: list[tuple[Ints, Ints, tuple[Ints, Ints, NDArray[np.uint64], Ints, Ints]]] = []
        self._total = 0

    def add(self, owners: Ints, ids: Ints, wires: Ints, numbers: NDArray[np.uint64], begins: Ints, ends: Ints) -> None:
        """One field of each owner."""
        self._take(owners, self._counts[owners], ids, wires, numbers, begins, ends)
        self._counts[owners] += 1

    def add_rest(
        self, owner: int, ids: Ints, wires: Ints, numbers: NDArray[np.uint64], begins: Ints, ends: Ints
    ) -> None:
        """The rest of the fields of one message."""
        places = np.arange(len(ids)) + self._counts[owner]
        self._take(np.full(len(ids), owner, np.int64), places, ids, wires, numbers, begins, ends)
        self._counts[owner] += len(ids)

    def _take(
        self, owners: Ints, places: Ints, ids: Ints, wires: Ints, numbers: NDArray[np.uint64], begins: Ints, ends: Ints
    ) -> None:
        self._total += len(owners)
        if self._total > MOST_FIELDS:
            raise Malformed(f"messages of more than {MOST_FIELDS:,} fields")
        self._found.append((owners, places, (ids, wires, numbers, begins, ends)))

    def joined(self) -> FieldColumns:
        starts = np.cumsum(self._counts) - self._counts
        ids, wires, begins, ends = (np.empty(self._total, np.int64) for _ in range(4))
        numbers = np.empty(self._total, np.uint64)
        for owners, places, columns in self._found:
            at = starts[owners] + places
            for target, column in zip((ids, wires, numbers, begins, ends), columns, strict=True):
                target[at] = column
        return FieldColumns(np.repeat(np.arange(len(starts)), self._counts), ids, wires, numbers, begins, ends)


def _step(data: NDArray[np.uint8], at: Ints, ends: Ints) -> tuple[Ints, Ints, NDArray[np.uint64], Ints, Ints]:
    """The field at each position: its number, wire type, value, and where its content begins and ends."""
    keys, at = _varints(data, at, ends)
    if ((keys < 8) | (keys >= 1 << 32)).any():
        raise Malformed("field number out of range")
    wires = (keys & 7).astype(np.int64)
    numbers = np.zeros(len(at), np.uint64)
    begins, after = at.copy(), at.copy()
    is_bytes, is_varint = wires == BYTES, wires == VARINT
    counted = np.flatnonzero(is_bytes | is_varint)
    if len(counted):
        values, behind = _varints(data, at[counted], ends[counted])
        numbers[counted] = values
        after[counted] = behind
        lengths = np.flatnonzero(is_bytes[counted])
        if len(lengths):
            long = counted[lengths]
            room = (ends[long] - behind[lengths]).astype(np.uint64)
            if (values[lengths] > room).any():
                raise Malformed("a field reaches past its message")
            begins[long] = behind[lengths]
            after[long] = behind[lengths] + values[lengths].astype(np.int64)
            numbers[long] = 0
    after[wires == FIXED64] += 8
    after[wires == FIXED32] += 4
    if ((wires == 3) | (wires == 4) | (wires > FIXED32)).any():
        raise Malformed("a wire type that is not in use")
    if (after > ends).any():
        raise Malformed("a field reaches past its message")
    return (keys >> 3).astype(np.int64), wires, numbers, begins, after


def _varints(data: NDArray[np.uint8], at: Ints, ends: Ints) -> tuple[NDArray[np.uint64], Ints]:
    """The number at each position and the position behind it."""
    if (at >= ends).any():
        raise Malformed("a number has no end")
    head = data[at]
    values = (head & 0x7F).astype(np.uint64)
    at = at + 1
    going = np.flatnonzero(head >= _ONE_BYTE)
    shift = 7
    while len(going):
        if shift > 63 or (at[going] >= ends[going]).any():
            raise Malformed("a number has no end")
        head = data[at[going]]
        values[going] |= (head & 0x7F).astype(np.uint64) << np.uint64(shift)
        at[going] += 1
        going = going[head >= _ONE_BYTE]
        shift += 7
    return values, at


def _starts(data: bytes, at: int, end: int) -> Ints:
    """Where the fields of one message begin: all that has to be found out one by one; raises Malformed."""
    starts = array("q")
    for _ in range(MOST_FIELDS + 1):
        if at >= end:
            break
        starts.append(at)
        key = data[at]
        if key & 7 == BYTES and key < _ONE_BYTE and at + 3 < end:  # as nearly all fields of a graph are
            length = data[at + 1]
            if length < _ONE_BYTE:
                at += 2 + length
                continue
            second = data[at + 2]
            if second < _ONE_BYTE:
                at += 3 + (length & 0x7F | second << 7)
                continue
        at = _behind(data, at, end)
    else:
        raise Malformed(f"messages of more than {MOST_FIELDS:,} fields")
    return np.frombuffer(starts, np.int64)


def _behind(data: bytes, at: int, end: int) -> int:
    """The position behind the field at one."""
    key, at = varint(data, at, end)
    wire = key & 7
    if wire == BYTES:
        length, at = varint(data, at, end)
        return at + length
    if wire == VARINT:
        return varint(data, at, end)[1]
    if wire not in (FIXED64, FIXED32):
        raise Malformed("a wire type that is not in use")
    return at + (8 if wire == FIXED64 else 4)


def walk_one(data: bytes, begin: int = 0, end: int | None = None) -> FieldColumns:
    """The fields of one message; raises Malformed."""
    last = len(data) if end is None else end
    return walk(data, np.array([begin], np.int64), np.array([last], np.int64))


def contents(data: bytes, fields: FieldColumns) -> list[bytes]:
    """The bytes of each field."""
    return [data[begin:end] for begin, end in zip(fields.begins.tolist(), fields.ends.tolist(), strict=True)]


def each_last(data: bytes, fields: FieldColumns, messages: int) -> list[bytes]:
    """The content of the last of these fields of each message, nothing where it has none."""
    values = contents(data, fields)
    return [values[place] if place >= 0 else b"" for place in fields.last_of_each(messages).tolist()]


def equals(data: bytes, fields: FieldColumns, value: bytes) -> NDArray[np.bool_]:
    """Which fields hold exactly these bytes."""
    same: NDArray[np.bool_] = (fields.ends - fields.begins) == len(value)
    places = np.flatnonzero(same)
    if len(places) and value:
        buffer = np.frombuffer(data, np.uint8)
        candidates = buffer[fields.begins[places][:, None] + np.arange(len(value))]
        same[places] = (candidates == np.frombuffer(value, np.uint8)).all(axis=1)
    return same
