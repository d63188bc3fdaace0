"""Lazy access to tensors in their records: type and shape at once, numbers in pieces.

A tensor may be larger than the memory that one request should take. Where its numbers lie side by side, as nearly every
writer puts them, only the bytes that are asked for are read.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import mindspore_graph, mindspore_summary, tensorboard, tensorflow
from mindinsight_like.logs.protobuf.wire import BYTES, VARINT, Field, fields, signed, varint
from mindinsight_like.values.records import MOST_FIELDS, BadValue, Record, Window
from mindinsight_like.values.tensors.tensor_messages import (
    Array,
    Tensor,
    from_bytes,
    mindspore_tensor,
    mindspore_type,
    shape_of,
    size_in_bytes,
    tensorflow_shape,
    tensorflow_tensor,
    tensorflow_type,
)

PIECE = 2**20  # numbers that are taken into memory at a time
_MOST_TOGETHER = 32 * 2**20  # bytes of a tensor that can only be taken as a whole
_MOST_IN_SHAPE = 4096  # bytes
_SPARSE = 16  # bytes read for each one that is needed, at most
_TENSORS = {
    Dialect.TENSORBOARD: tensorboard.Summary.Value.tensor,
    Dialect.MINDSPORE: mindspore_summary.Summary.Value.tensor,
}
_CHEAP = 64 * 2**10  # bytes that are read in one go, whatever is needed of them


@dataclass(frozen=True)
class _ArrayNumbers:
    """Numbers in memory."""

    numbers: Array  # flat

    def pieces(self) -> Iterator[Array]:
        yield from (self.numbers[begin : begin + PIECE] for begin in range(0, len(self.numbers), PIECE))

    def window(self, first: int, counts: Sequence[int], steps: Sequence[int]) -> Array:
        return np.asarray(self.numbers[first + _places(counts, steps)])


@dataclass(frozen=True)
class _PackedNumbers:
    """Numbers side by side in the bytes of a record."""

    data: bytes | Window
    begin: int
    count: int
    layout: str

    def pieces(self) -> Iterator[Array]:
        yield from (self._read(first, min(PIECE, self.count - first)) for first in range(0, self.count, PIECE))

    def window(self, first: int, counts: Sequence[int], steps: Sequence[int]) -> Array:
        rows, columns = counts
        if not rows * columns:
            return self._read(0, 0).reshape(rows, columns)
        span = (rows - 1) * steps[0] + (columns - 1) * steps[1] + 1
        if span * size_in_bytes(self.layout) <= _CHEAP or span <= _SPARSE * rows * columns:
            return np.asarray(self._read(first, span)[_places(counts, steps)])
        # Far apart: one part after the other along the axis on which they are furthest apart.
        if rows > 1 and (steps[0] >= steps[1] or columns == 1):
            return np.concatenate([self.window(first + row * steps[0], (1, columns), steps) for row in range(rows)])
        parts = [self.window(first + column * steps[1], (rows, 1), steps) for column in range(columns)]
        return np.concatenate(parts, axis=1)

    def _read(self, first: int, count: int) -> Array:
        size = size_in_bytes(self.layout)
        begin = self.begin + first * size
        return from_bytes(self.data[begin : begin + count * size], self.layout)


@dataclass(frozen=True)
class StoredTensor:
    """What a record says of its tensor, and a way to its numbers; one of numbers and strings is None."""

    dtype: str
    shape: tuple[int, ...]
    numbers: _ArrayNumbers | _PackedNumbers | None
    strings: list[bytes] | None = None

    def pieces(self) -> Iterator[Array]:
        """All numbers in row order, at most PIECE at a time; the same numbers for two tensors of one shape."""
        if self.numbers is None:
            raise BadValue("the tensor holds strings")
        yield from self.numbers.pieces()

    def window(self, first: int, counts: Sequence[int], steps: Sequence[int]) -> Array:
        """Rows and columns (`counts`) from the number `first` on, in row order, `steps` numbers apart."""
        if self.strings is not None:
            return np.asarray(np.array(self.strings, object)[first + _places(counts, steps)])
        assert self.numbers is not None
        return self.numbers.window(first, counts, steps)


def _places(counts: Sequence[int], steps: Sequence[int]) -> NDArray[np.int64]:
    """Distances of the numbers of a window from its first."""
    return (np.arange(counts[0]) * steps[0])[:, None] + np.arange(counts[1]) * steps[1]


def open_tensor(record: Record) -> StoredTensor:
    """The tensor of a record, its numbers not yet read; raises BadValue, Malformed."""
    if record.dialect not in _TENSORS:
        raise BadValue("tensors are not supported in this log format")
    key = (_TENSORS[record.dialect], BYTES)
    outer = [field for field in _fields(record, 0, len(record.data)) if (field.id, field.wire) == key]
    if not outer:
        raise BadValue("the record contains no tensor")
    message = outer[-1]
    parts: dict[int, list[Field]] = {}
    for field in _fields(record, message.begin, message.end):
        parts.setdefault(field.id, []).append(field)
    tensor = (_tensorflow if record.dialect == Dialect.TENSORBOARD else _mindspore)(record, parts)
    return tensor or _decode_whole(record, message)


def _tensorflow(record: Record, parts: dict[int, list[Field]]) -> StoredTensor | None:
    """The tensor, unless it has to be taken as a whole."""
    proto = tensorflow.TensorProto
    number = _integer(parts.get(proto.dtype, []))
    if number == tensorflow.DataType.DT_STRING:
        return None
    name, layout, listed = tensorflow_type(number)
    shape = tensorflow_shape(_small(record, parts, proto.tensor_shape))
    if proto.tensor_content in parts:
        return _packed_tensor(record, name, shape, parts[proto.tensor_content][-1], layout, is_all=True)
    if layout in ("<f4", "<f8", "<c8", "<c16") and len(parts.get(listed, [])) == 1:
        return _packed_tensor(record, name, shape, parts[listed][0], layout, is_all=False)
    return None


def _mindspore(record: Record, parts: dict[int, list[Field]]) -> StoredTensor | None:
    """The tensor, unless it has to be taken as a whole."""
    proto = mindspore_graph.TensorProto
    name, layout = mindspore_type(_integer(parts.get(proto.data_type, [])))
    shape = shape_of([size for field in parts.get(proto.dims, []) for size in _sizes(record, field)])
    # Its own writer lists every type of number as single precision floats.
    layouts = {proto.float_data: "<f4", proto.double_data: "<f8", proto.raw_data: layout}
    listed = (proto.float_data, proto.int32_data, proto.int64_data, proto.double_data, proto.uint64_data)
    filled = [
        number
        for number in (*listed, proto.raw_data)
        if any(field.end > field.begin for field in parts.get(number, []))
    ]
    if filled and filled[0] in layouts and len(parts[filled[0]]) == 1:
        return _packed_tensor(record, name, shape, parts[filled[0]][0], layouts[filled[0]], is_all=True)
    return None


def _packed_tensor(
    record: Record, name: str, shape: tuple[int, ...], field: Field, layout: str, *, is_all: bool
) -> StoredTensor | None:
    """The tensor whose numbers are the bytes of a field; None when these are not `is_all` there may be, but fewer."""
    count, size = math.prod(shape), size_in_bytes(layout)
    length = field.end - field.begin
    if field.wire != BYTES or (not is_all and length < count * size):
        return None
    if length % size:
        raise BadValue("the tensor data is truncated")
    if length != count * size:
        raise BadValue(f"{length // size:,} numbers do not fit the shape {list(shape)}")
    return StoredTensor(name, shape, _PackedNumbers(record.data, field.begin, count, layout))


def _decode_whole(record: Record, message: Field) -> StoredTensor:
    length = message.end - message.begin
    if length > _MOST_TOGETHER:
        raise BadValue(f"its values take {length:,} bytes; the limit is {_MOST_TOGETHER:,}")
    inner = MessageFields(record.data[message.begin : message.end], most_fields=MOST_FIELDS)
    tensor: Tensor = (tensorflow_tensor if record.dialect == Dialect.TENSORBOARD else mindspore_tensor)(inner)
    if tensor.array is None:
        return StoredTensor(tensor.dtype, tensor.shape, None, tensor.strings)
    return StoredTensor(tensor.dtype, tensor.shape, _ArrayNumbers(tensor.array.ravel()))


def _fields(record: Record, begin: int, end: int) -> Iterator[Field]:
    every_field = fields(record.data, begin, end)
    yield from islice(every_field, MOST_FIELDS)
    for _ in every_field:
        raise BadValue(f"a message of more than {MOST_FIELDS:,} fields")


def _integer(occurrences: Sequence[Field]) -> int:
    return signed(occurrences[-1].number) if occurrences and occurrences[-1].wire == VARINT else 0


def _sizes(record: Record, field: Field) -> Iterator[int]:
    """The numbers of a repeated field, packed or not."""
    if field.wire == VARINT:
        yield signed(field.number)
    elif field.wire == BYTES:
        content, place = _content(record, field), 0
        while place < len(content):
            size, place = varint(content, place, len(content))
            yield signed(size)


def _small(record: Record, parts: dict[int, list[Field]], number: int) -> list[MessageFields]:
    return [MessageFields(_content(record, field)) for field in parts.get(number, []) if field.wire == BYTES]


def _content(record: Record, field: Field) -> bytes:
    if field.end - field.begin > _MOST_IN_SHAPE:
        raise BadValue("invalid tensor shape")
    return record.data[field.begin : field.end]
