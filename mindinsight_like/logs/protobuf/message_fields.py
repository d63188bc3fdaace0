"""Look up the fields of a protobuf message by number."""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING

from mindinsight_like.logs.protobuf.wire import (
    BYTES,
    FIXED32,
    FIXED64,
    VARINT,
    Field,
    Malformed,
    double,
    fields,
    signed,
    single,
    varint,
)

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class MessageFields:
    """The fields of one message; what is missing reads as zero, empty or nothing, as in proto3.

    Of several fields with one number, those asked for as one value give the last. Raises Malformed for other bytes,
    and for more than `most_fields` in a message, since each takes memory many times its two bytes.
    """

    def __init__(self, message: bytes, *, most_fields: int | None = None) -> None:
        self._message = message
        self._most_fields = most_fields
        self._fields: dict[int, list[Field]] = {}
        for place, field in enumerate(fields(message, 0, len(message))):
            if place == most_fields:
                raise Malformed(f"a message of more than {most_fields:,} fields")
            self._fields.setdefault(field.id, []).append(field)

    def __contains__(self, number: int) -> bool:
        return number in self._fields

    def integer(self, number: int) -> int:
        values = self._of(number, VARINT)
        return signed(values[-1].number) if values else 0

    def single(self, number: int) -> float:
        values = self._of(number, FIXED32)
        return single(self._message, values[-1].begin) if values else 0.0

    def double(self, number: int) -> float:
        values = self._of(number, FIXED64)
        return double(self._message, values[-1].begin) if values else 0.0

    def content(self, number: int) -> bytes:
        for field in reversed(self._fields.get(number, ())):
            if field.wire == BYTES:
                return self._message[field.begin : field.end]
        return b""

    def contents(self, number: int) -> list[bytes]:
        return [self._message[field.begin : field.end] for field in self._of(number, BYTES)]

    def text(self, number: int) -> str:
        return self.content(number).decode(errors="replace")

    def texts(self, number: int) -> list[str]:
        return [content.decode(errors="replace") for content in self.contents(number)]

    def messages(self, number: int) -> list[MessageFields]:
        return [MessageFields(content, most_fields=self._most_fields) for content in self.contents(number)]

    def integers(self, number: int) -> list[int]:
        """A repeated field, packed or not."""
        numbers = []
        for field in self._fields.get(number, []):
            if field.wire == VARINT:
                numbers.append(signed(field.number))
            elif field.wire == BYTES:
                begin = field.begin
                while begin < field.end:
                    value, begin = varint(self._message, begin, field.end)
                    numbers.append(signed(value))
        return numbers

    def singles(self, number: int) -> list[float]:
        """A repeated field, packed or not."""
        return self._numbers(number, FIXED32, "f", 4)

    def doubles(self, number: int) -> list[float]:
        """A repeated field, packed or not."""
        return self._numbers(number, FIXED64, "d", 8)

    def single_column(self, number: int) -> npt.NDArray[np.float32]:
        """A repeated field, packed or not, as an array."""
        import numpy as np

        return np.frombuffer(self._packed(number, FIXED32, 4), "<f4")

    def double_column(self, number: int) -> npt.NDArray[np.float64]:
        """A repeated field, packed or not, as an array."""
        import numpy as np

        return np.frombuffer(self._packed(number, FIXED64, 8), "<f8")

    def integer_column(self, number: int) -> npt.NDArray[np.int64]:
        """A repeated field, packed or not, as an array."""
        import numpy as np

        pieces = [np.zeros(0, np.int64)]
        for field in self._fields.get(number, []):
            if field.wire == VARINT:
                pieces.append(np.array([signed(field.number)], np.int64))
            elif field.wire == BYTES:
                pieces.append(_unpacked(self._message[field.begin : field.end]))
        return np.concatenate(pieces)

    def _numbers(self, number: int, wire: int, form: str, size: int) -> list[float]:
        content = self._packed(number, wire, size)
        return list(struct.unpack(f"<{len(content) // size}{form}", content))

    def _packed(self, number: int, wire: int, size: int) -> bytes:
        content = b"".join(
            self._message[field.begin : field.end]
            for field in self._fields.get(number, [])
            if field.wire in (wire, BYTES)
        )
        return content[: len(content) // size * size]

    def _of(self, number: int, wire: int) -> list[Field]:
        return [field for field in self._fields.get(number, []) if field.wire == wire]


def _unpacked(packed: bytes) -> npt.NDArray[np.int64]:
    """The numbers that follow each other in some bytes; raises Malformed."""
    import numpy as np

    parts = np.frombuffer(packed, np.uint8)
    if not len(parts):
        return np.zeros(0, np.int64)
    (ends,) = np.nonzero(parts < 0x80)
    if not len(ends) or ends[-1] != len(parts) - 1:
        raise Malformed("a number has no end")
    starts = np.append(0, ends[:-1] + 1)
    lengths = ends - starts + 1
    if lengths.max() > 10:
        raise Malformed("a number has no end")
    shifts = 7 * (np.arange(len(parts)) - np.repeat(starts, lengths))
    return np.add.reduceat((parts & 0x7F).astype(np.uint64) << shifts.astype(np.uint64), starts).view(np.int64)
