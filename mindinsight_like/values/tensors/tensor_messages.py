"""Decode the tensor messages of TensorFlow and MindSpore to arrays."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import mindspore_graph, tensorflow
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


# Types of TensorFlow: name, how `tensor_content` is laid out, and the field that lists values instead.
_TENSORFLOW = {
    tensorflow.DataType.DT_FLOAT: ("float32", "<f4", tensorflow.TensorProto.float_val),
    tensorflow.DataType.DT_DOUBLE: ("float64", "<f8", tensorflow.TensorProto.double_val),
    tensorflow.DataType.DT_INT32: ("int32", "<i4", tensorflow.TensorProto.int_val),
    tensorflow.DataType.DT_UINT8: ("uint8", "u1", tensorflow.TensorProto.int_val),
    tensorflow.DataType.DT_INT16: ("int16", "<i2", tensorflow.TensorProto.int_val),
    tensorflow.DataType.DT_INT8: ("int8", "i1", tensorflow.TensorProto.int_val),
    tensorflow.DataType.DT_COMPLEX64: ("complex64", "<c8", tensorflow.TensorProto.scomplex_val),
    tensorflow.DataType.DT_INT64: ("int64", "<i8", tensorflow.TensorProto.int64_val),
    tensorflow.DataType.DT_BOOL: ("bool", "?", tensorflow.TensorProto.bool_val),
    tensorflow.DataType.DT_BFLOAT16: ("bfloat16", "bfloat16", tensorflow.TensorProto.half_val),
    tensorflow.DataType.DT_UINT16: ("uint16", "<u2", tensorflow.TensorProto.int_val),
    tensorflow.DataType.DT_COMPLEX128: ("complex128", "<c16", tensorflow.TensorProto.dcomplex_val),
    tensorflow.DataType.DT_HALF: ("float16", "<f2", tensorflow.TensorProto.half_val),
    tensorflow.DataType.DT_UINT32: ("uint32", "<u4", tensorflow.TensorProto.uint32_val),
    tensorflow.DataType.DT_UINT64: ("uint64", "<u8", tensorflow.TensorProto.uint64_val),
}
# Types of MindSpore: name and how `raw_data` is laid out.
_MINDSPORE = {
    mindspore_graph.DataType.DT_BOOL: ("bool", "?"),
    mindspore_graph.DataType.DT_INT8: ("int8", "i1"),
    mindspore_graph.DataType.DT_INT16: ("int16", "<i2"),
    mindspore_graph.DataType.DT_INT32: ("int32", "<i4"),
    mindspore_graph.DataType.DT_INT64: ("int64", "<i8"),
    mindspore_graph.DataType.DT_UINT8: ("uint8", "u1"),
    mindspore_graph.DataType.DT_UINT16: ("uint16", "<u2"),
    mindspore_graph.DataType.DT_UINT32: ("uint32", "<u4"),
    mindspore_graph.DataType.DT_UINT64: ("uint64", "<u8"),
    mindspore_graph.DataType.DT_FLOAT16: ("float16", "<f2"),
    mindspore_graph.DataType.DT_FLOAT32: ("float32", "<f4"),
    mindspore_graph.DataType.DT_FLOAT64: ("float64", "<f8"),
    mindspore_graph.DataType.DT_COMPLEX64: ("complex64", "<c8"),
    mindspore_graph.DataType.DT_COMPLEX128: ("complex128", "<c16"),
    mindspore_graph.DataType.DT_BFLOAT16: ("bfloat16", "bfloat16"),
}


def tensorflow_tensor(message: MessageFields) -> Tensor:
    """The tensor of a TensorFlow `TensorProto`; raises BadValue, Malformed."""
    proto = tensorflow.TensorProto
    shape = tensorflow_shape(message.messages(proto.tensor_shape))
    number = message.integer(proto.dtype)
    if number == tensorflow.DataType.DT_STRING:
        strings = message.contents(proto.string_val)
        if len(strings) != math.prod(shape):
            raise BadValue(f"{len(strings)} strings do not fit the shape {list(shape)}")
        return Tensor("string", shape, strings=strings)
    name, layout, listed = tensorflow_type(number)
    if proto.tensor_content in message:
        return Tensor(name, shape, _shaped(from_bytes(message.content(proto.tensor_content), layout), shape))
    values = _listed(message, listed, layout)
    total = math.prod(shape)
    if len(values) < total:
        # The last value stands for all that follow; none at all stands for zeros.
        if total > _MOST_FILLED:
            raise BadValue(f"{len(values)} numbers cannot fill the shape {list(shape)}")
        values = np.append(values, np.full(total - len(values), values[-1] if len(values) else 0, values.dtype))
    return Tensor(name, shape, _shaped(values, shape))


def mindspore_tensor(message: MessageFields) -> Tensor:
    """The tensor of a MindSpore `TensorProto`; raises BadValue, Malformed."""
    proto = mindspore_graph.TensorProto
    shape = shape_of(message.integer_column(proto.dims).tolist())
    name, layout = mindspore_type(message.integer(proto.data_type))
    # Its own writer lists every type of number as single precision floats.
    candidates: list[Array] = [message.single_column(proto.float_data)]
    candidates += [message.integer_column(proto.int32_data), message.integer_column(proto.int64_data)]
    candidates += [message.double_column(proto.double_data), message.integer_column(proto.uint64_data).view(np.uint64)]
    if proto.raw_data in message:
        candidates.append(from_bytes(message.content(proto.raw_data), layout))
    values = next((column for column in candidates if len(column)), candidates[0])
    return Tensor(name, shape, _shaped(values, shape))


def tensorflow_type(number: int) -> tuple[str, str, int]:
    """Name, layout of the bytes, and field of listed values for a type number; raises BadValue."""
    if number not in _TENSORFLOW:
        raise BadValue(f"unknown tensor data type {number}")
    return _TENSORFLOW[number]


def mindspore_type(number: int) -> tuple[str, str]:
    """Name and layout of the bytes for a type number; raises BadValue."""
    if number not in _MINDSPORE:
        raise BadValue(f"unknown tensor data type {number}")
    return _MINDSPORE[number]


def tensorflow_shape(messages: list[MessageFields]) -> tuple[int, ...]:
    """The shape of a TensorFlow `TensorShapeProto`, which may come in parts; raises BadValue, Malformed."""
    proto = tensorflow.TensorShapeProto
    return shape_of([dim.integer(proto.Dim.size) for shape in messages for dim in shape.messages(proto.dim)])


def shape_of(sizes: list[int]) -> tuple[int, ...]:
    """The shape with these sizes; raises BadValue when there cannot be one."""
    if len(sizes) > _MOST_DIMENSIONS or any(size < 0 for size in sizes):
        raise BadValue("invalid tensor shape")
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
        raise BadValue("the tensor data is truncated")
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
