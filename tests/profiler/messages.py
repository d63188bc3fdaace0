"""Protobuf messages for tests, written field by field."""

from __future__ import annotations

from collections.abc import Sequence

Value = int | bytes | Sequence["tuple[int, Value]"]


def message(fields: Sequence[tuple[int, Value]]) -> bytes:
    """The message with these fields: numbers as varints, bytes, or messages again."""
    written = b""
    for number, value in fields:
        if isinstance(value, int):
            written += _varint(number << 3) + _varint(value)
        else:
            content = value if isinstance(value, bytes) else message(value)
            written += _varint(number << 3 | 2) + _varint(len(content)) + content
    return written


def _varint(number: int) -> bytes:
    number &= (1 << 64) - 1
    written = b""
    while number >= 0x80:
        written += bytes([number & 0x7F | 0x80])
        number >>= 7
    return written + bytes([number])
