"""Attributes of the nodes and weights of an ONNX model."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mindinsight_like.graphs.details import Details, attributes, bytes_text, cut, listed, message, number_text
from mindinsight_like.graphs.drafts import NodeKind, shape_text
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.onnx import (
    AttributeProto,
    GraphProto,
    NodeProto,
    StringStringEntryProto,
    TensorProto,
)

_DTYPES = (
    "",
    "float32",
    "uint8",
    "int8",
    "uint16",
    "int16",
    "int32",
    "int64",
    "string",
    "bool",
    "float16",
    "float64",
    "uint32",
    "uint64",
    "complex64",
    "complex128",
    "bfloat16",
    "float8e4m3fn",
    "float8e4m3fnuz",
    "float8e5m2",
    "float8e5m2fnuz",
    "uint4",
    "int4",
    "float4e2m1",
)
_STACK = "pkg.torch.onnx.stack_trace"
_TEXTS = ((NodeProto.domain, "domain"), (NodeProto.overload, "overload"), (NodeProto.doc_string, "doc_string"))


def dtype_name(number: int) -> str:
    return _DTYPES[number] if 0 <= number < len(_DTYPES) else f"type {number}"


def node_details(node: bytes, kind: NodeKind) -> Details:
    """The attributes of a node, or what is told of a weight; raises Malformed."""
    fields = message(node)
    if kind == NodeKind.PARAMETER:
        return Details([("value", _tensor(fields))])
    attrs = list(attributes(fields.contents(NodeProto.attribute), _attribute))
    stack = ""
    for entry in fields.messages(NodeProto.metadata_props):
        key, text = entry.text(StringStringEntryProto.key), entry.text(StringStringEntryProto.value)
        if key == _STACK:
            stack = cut(text, 20_000)
        else:
            attrs.append((key, cut(text)))
    for number, name in _TEXTS:
        if fields.text(number):
            attrs.append((name, cut(fields.text(number))))
    return Details(attrs, stack=stack)


def _attribute(entry: MessageFields) -> tuple[str, str]:
    return entry.text(AttributeProto.name), _value(entry)


def _value(entry: MessageFields) -> str:
    if AttributeProto.ref_attr_name in entry:
        return f"the attribute {entry.text(AttributeProto.ref_attr_name)} of the function"
    for number, read in _SINGLE.items():
        if number in entry:
            return read(entry)
    for number, read_all in _SEVERAL.items():
        if number in entry:
            values = read_all(entry)
            return listed(values, len(values))
    return _EMPTY.get(entry.integer(AttributeProto.type), "[]")


def _tensor(tensor: MessageFields) -> str:
    proto = TensorProto
    dtype = tensor.integer(proto.data_type)
    head = f"{dtype_name(dtype)} {shape_text(tensor.integers(proto.dims))}"
    numbers = [number_text(each) for each in (*tensor.singles(proto.float_data), *tensor.doubles(proto.double_data))]
    integers = (proto.int32_data, proto.int64_data, proto.uint64_data)
    numbers += [str(each) for number in integers for each in tensor.integers(number)]
    numbers += [bytes_text(each) for each in tensor.contents(proto.string_data)]
    if not numbers and proto.raw_data in tensor:
        numbers = _raw(tensor.content(proto.raw_data), dtype)
    outside = [
        entry.text(StringStringEntryProto.value)
        for entry in tensor.messages(proto.external_data)
        if entry.text(StringStringEntryProto.key) == "location"
    ]
    if outside:
        return f"{head}, kept in the file {cut(outside[0], 200)}"
    return f"{head} {listed(numbers, len(numbers))}" if numbers else head


def _graph(graph: MessageFields) -> str:
    return f"graph {graph.text(GraphProto.name)}"


_LAYOUTS = {
    TensorProto.DataType.FLOAT: "<f4",
    TensorProto.DataType.UINT8: "u1",
    TensorProto.DataType.INT8: "i1",
    TensorProto.DataType.INT16: "<i2",
    TensorProto.DataType.INT32: "<i4",
    TensorProto.DataType.INT64: "<i8",
    TensorProto.DataType.BOOL: "?",
    TensorProto.DataType.FLOAT16: "<f2",
    TensorProto.DataType.DOUBLE: "<f8",
    TensorProto.DataType.UINT32: "<u4",
    TensorProto.DataType.UINT64: "<u8",
}


def _raw(content: bytes, dtype: int) -> list[str]:
    layout = _LAYOUTS.get(dtype)
    if layout is None or len(content) % np.dtype(layout).itemsize:
        return [f"{len(content):,} bytes"]
    return [
        number_text(each) if isinstance(each, float) else str(each) for each in np.frombuffer(content, layout).tolist()
    ]


_EMPTY = {
    AttributeProto.AttributeType.FLOAT: "0",
    AttributeProto.AttributeType.INT: "0",
    AttributeProto.AttributeType.STRING: "",
}
_SINGLE: dict[int, Callable[[MessageFields], str]] = {
    AttributeProto.f: lambda entry: number_text(entry.single(AttributeProto.f)),
    AttributeProto.i: lambda entry: str(entry.integer(AttributeProto.i)),
    AttributeProto.s: lambda entry: bytes_text(entry.content(AttributeProto.s)),
    AttributeProto.t: lambda entry: (
        _tensor(entry.messages(AttributeProto.t)[-1]) if entry.contents(AttributeProto.t) else ""
    ),
    AttributeProto.g: lambda entry: (
        _graph(entry.messages(AttributeProto.g)[-1]) if entry.contents(AttributeProto.g) else "graph"
    ),
}
_SEVERAL: dict[int, Callable[[MessageFields], list[str]]] = {
    AttributeProto.floats: lambda entry: [number_text(each) for each in entry.singles(AttributeProto.floats)],
    AttributeProto.ints: lambda entry: [str(each) for each in entry.integers(AttributeProto.ints)],
    AttributeProto.strings: lambda entry: [bytes_text(each) for each in entry.contents(AttributeProto.strings)],
    AttributeProto.tensors: lambda entry: [_tensor(each) for each in entry.messages(AttributeProto.tensors)],
    AttributeProto.graphs: lambda entry: [_graph(each) for each in entry.messages(AttributeProto.graphs)],
}
