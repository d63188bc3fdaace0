"""Encode protobuf messages by hand, so that no protobuf version is imposed on a training process.

A message is the concatenation of its fields; every function here returns the bytes of one field. Numbers that are
zero and texts that are empty leave no bytes behind when `implicit` is set, as proto3 has it for plain fields; members
of a oneof are always written, since their presence says which member was chosen.
"""

import struct
from collections.abc import Sequence

VARINT, FIXED64, BYTES, FIXED32 = 0, 1, 2, 5  # wire types
_DOUBLE = struct.Struct("<d")
_FLOAT = struct.Struct("<f")
_WORD = 1 << 64


def varint(number: int) -> bytes:
    """The base-128 form of a number; a negative one takes ten bytes, as int64 fields have it."""
    number %= _WORD
    if number < 0x80:
        return bytes((number,))
    digits = bytearray()
    while number >= 0x80:
        digits.append(number & 0x7F | 0x80)
        number >>= 7
    digits.append(number)
    return bytes(digits)


def key(field: int, wire_type: int) -> bytes:
    """What a field begins with."""
    return varint(field << 3 | wire_type)


def integer(field: int, value: int, *, implicit: bool = False) -> bytes:
    """A field of type int32, int64, bool or enum."""
    if implicit and not value:
        return b""
    return varint(field << 3 | VARINT) + varint(value)


def double(field: int, value: float, *, implicit: bool = False) -> bytes:
    """A field of type double."""
    if implicit and not value:
        return b""
    return varint(field << 3 | FIXED64) + _DOUBLE.pack(value)


def packed_single(value: float) -> bytes:
    """Four bytes; what is too large for them becomes an infinity, as in protobuf."""
    try:
        return _FLOAT.pack(value)
    except OverflowError:
        return _FLOAT.pack(float("inf") if value > 0 else float("-inf"))


def single(field: int, value: float) -> bytes:
    """A field of type float."""
    return varint(field << 3 | FIXED32) + packed_single(value)


def blob(field: int, value: bytes) -> bytes:
    """A field of type bytes, or an embedded message already encoded."""
    return varint(field << 3 | BYTES) + varint(len(value)) + value


def text(field: int, value: str, *, implicit: bool = False) -> bytes:
    """A field of type string."""
    if implicit and not value:
        return b""
    return blob(field, value.encode())


def doubles(field: int, values: Sequence[float]) -> bytes:
    """A packed repeated field of type double; none at all for no values."""
    if not len(values):
        return b""
    return blob(field, struct.pack(f"<{len(values)}d", *values))
