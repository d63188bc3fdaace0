"""Walk over the fields of a protobuf message without knowing its schema."""

import struct
from collections.abc import Iterator
from typing import NamedTuple, Protocol

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5
_WORD = (1 << 64) - 1


class Malformed(ValueError):
    """The bytes are no protobuf message."""


class Indexed(Protocol):
    """Bytes, or what gives them by their place."""

    def __getitem__(self, place: int, /) -> int: ...


class Field(NamedTuple):
    """One field: `begin` and `end` are where its value stands; `number` is set for varints only."""

    id: int
    wire: int
    number: int
    begin: int
    end: int


def fields(data: Indexed, begin: int, end: int) -> Iterator[Field]:
    """Every field of the message that fills data[begin:end], in file order; raises Malformed."""
    while begin < end:
        # Nearly all numbers here take one byte; reading those without a call halves the time.
        key = data[begin]
        key, begin = (key, begin + 1) if key < 0x80 else varint(data, begin, end)
        if not 8 <= key < 1 << 32:
            raise Malformed("field number out of range")
        number, wire, start = 0, key & 7, begin
        if wire == VARINT:
            number, begin = varint(data, begin, end)
        elif wire == FIXED64:
            begin += 8
        elif wire == FIXED32:
            begin += 4
        elif wire == BYTES:
            if begin < end and (length := data[begin]) < 0x80:
                start = begin + 1
            else:
                length, start = varint(data, begin, end)
            begin = start + length
        else:
            raise Malformed(f"wire type {wire}")
        if begin > end:
            raise Malformed("a field reaches past its message")
        yield Field(key >> 3, wire, number, start, begin)


def varint(data: Indexed, begin: int, end: int) -> tuple[int, int]:
    """The unsigned number of at most ten bytes at `begin` and the position after it; raises Malformed."""
    number = 0
    for shift in range(0, 70, 7):
        if begin >= end:
            break
        byte = data[begin]
        begin += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number & _WORD, begin
    raise Malformed("a number has no end")


def signed(number: int) -> int:
    """The number as int64, as protobuf stores negative ones."""
    return number - (1 << 64) if number >> 63 else number


def double(data: bytes, begin: int) -> float:
    """The float64 at `begin`."""
    value: float = struct.unpack_from("<d", data, begin)[0]
    return value


def single(data: bytes, begin: int) -> float:
    """The float32 at `begin`."""
    value: float = struct.unpack_from("<f", data, begin)[0]
    return value
