"""Arrays out of the tensor messages of TensorFlow and MindSpore."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.values.records import BadValue

Array = NDArray[Any]
Floats = NDArray[np.float64]

_MOST_FILLED = 2**22  # elements; a tensor that repeats one number can claim any size
_MOST_DIMENSIONS = 32


@dataclass(frozen=True)
class Tensor:
    """An array of numbers, or strings in row order; one of the two."""

    dtype: str  # as the writer called it
    shape: tuple[int, ...]
    array: Array | None = None
    strings: list[bytes] = field(default_factory=list)


# Type numbers of TensorFlow: name, how `tensor_content` is laid out, and the field that lists values instead.
_TENSORFLOW = {
    1: ("float32", "<f4", 5),
    2: ("float64", "<f8", 6),
    3: ("int32", "<i4", 7),
    4: ("uint8", "u1", 7),
    5: ("int16", "<i2", 7),
    6: ("int8", "i1", 7),
    8: ("complex64", "<c8", 9),
    9: ("int64", "<i8", 10),
    10: ("bool", "?", 11),
    14: ("bfloat16", "bfloat16", 13),
    17: ("uint16", "<u2", 7),
    18: ("complex128", "<c16", 12),
    19: ("float16", "<f2", 13),
    22: ("uint32", "<u4", 16),
    23: ("uint64", "<u8", 17),
}
TENSORFLOW_STRING = 7
# Type numbers of MindSpore: name and how `raw_data` is laid out.
_MINDSPORE = {
    1: ("bool", "?"),
    2: ("int8", "i1"),
    3: ("int16", "<i2"),
    4: ("int32", "<i4"),
    5: ("int64", "<i8"),
    6: ("uint8", "u1"),
    7: ("uint16", "<u2"),
    8: ("uint32", "<u4"),
    9: ("uint64", "<u8"),
    10: ("float16", "<f2"),
    11: ("float32", "<f4"),
    12: ("float64", "<f8"),
    43: ("complex64", "<c8"),
    44: ("complex128", "<c16"),
    46: ("bfloat16", "bfloat16"),
}


def tensorflow_tensor(message: MessageFields) -> Tensor:
    """The tensor of a TensorFlow `TensorProto`; raises BadValue, Malformed."""
    shape = shape_of([size.integer(1) for part in message.messages(2) for size in part.messages(2)])
    number = message.integer(1)
    if number == TENSORFLOW_STRING:
        strings = message.contents(8)
        if len(strings) != math.prod(shape):
            raise BadValue(f"{len(strings)} strings do not fit the shape {list(shape)}")
        return Tensor("string", shape, strings=strings)
    name, layout, listed = tensorflow_type(number)
    if 4 in message:
        return Tensor(name, shape, _shaped(from_bytes(message.content(4), layout), shape))
    values = _listed(message, listed, layout)
    total = math.prod(shape)
    if len(values) < total:
        # The last value stands for all that follow; none at all stands for zeros.
        if total > _MOST_FILLED:
            raise BadValue(f"{len(values)} numbers are to fill the shape {list(shape)}")
        values = np.append(values, np.full(total - len(values), values[-1] if len(values) else 0, values.dtype))
    return Tensor(name, shape, _shaped(values, shape))


def mindspore_tensor(message: MessageFields) -> Tensor:
    """The tensor of a MindSpore `TensorProto`; raises BadValue, Malformed."""
    shape = shape_of(message.integer_column(1).tolist())
    name, layout = mindspore_type(message.integer(2))
    # Its own writer lists every type of number as single precision floats.
    candidates: list[Array] = [message.single_column(3), message.integer_column(4), message.integer_column(5)]
    candidates += [message.double_column(6), message.integer_column(7).view(np.uint64)]
    if 8 in message:
        candidates.append(from_bytes(message.content(8), layout))
    values = next((column for column in candidates if len(column)), candidates[0])
    return Tensor(name, shape, _shaped(values, shape))


def tensorflow_type(number: int) -> tuple[str, str, int]:
    """Name, layout of the bytes, and field of listed values for a type number; raises BadValue."""
    if number not in _TENSORFLOW:
        raise BadValue(f"the tensor's data type has the number {number}, which is not known")
    return _TENSORFLOW[number]


def mindspore_type(number: int) -> tuple[str, str]:
    """Name and layout of the bytes for a type number; raises BadValue."""
    if number not in _MINDSPORE:
        raise BadValue(f"the tensor's data type has the number {number}, which is not known")
    return _MINDSPORE[number]


def shape_of(sizes: list[int]) -> tuple[int, ...]:
    """The shape with these sizes; raises BadValue when there cannot be one."""
    if len(sizes) > _MOST_DIMENSIONS or any(size < 0 for size in sizes):
        raise BadValue("the tensor's shape is not one")
    return tuple(sizes)


def _shaped(values: Array, shape: tuple[int, ...]) -> Array:
    if len(values) != math.prod(shape):
        raise BadValue(f"{len(values):,} numbers do not fit the shape {list(shape)}")
    return values.reshape(shape)


def size_in_bytes(layout: str) -> int:
    """Of one number."""
    return 2 if layout == "bfloat16" else np.dtype(layout).itemsize


def from_bytes(content: bytes, layout: str) -> Array:
    """The numbers that lie in some bytes; raises BadValue."""
    if len(content) % size_in_bytes(layout):
        raise BadValue("the tensor's bytes end inside a number")
    if layout == "bfloat16":
        return _widened(np.frombuffer(content, "<u2"))
    if layout == "?":
        return np.asarray(np.frombuffer(content, np.uint8) != 0)
    return np.frombuffer(content, layout)


def _listed(message: MessageFields, number: int, layout: str) -> Array:
    if layout == "<f4":
        return message.single_column(number)
    if layout == "<f8":
        return message.double_column(number)
    if layout in ("<c8", "<c16"):
        halves = message.single_column(number) if layout == "<c8" else message.double_column(number)
        return halves[: len(halves) // 2 * 2].view(layout)
    integers = message.integer_column(number)
    if layout == "bfloat16":
        return _widened(integers.astype(np.uint16))
    if layout == "<f2":
        return integers.astype(np.uint16).view(np.float16)
    return integers != 0 if layout == "?" else integers.astype(layout)


def _widened(bits: NDArray[np.uint16]) -> Array:
    """bfloat16, which numpy does not have, as single precision."""
    return (bits.astype(np.uint32) << np.uint32(16)).view(np.float32)
