"""What an ONNX model says of a node or weight besides its place in the graph."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mindinsight_like.graphs.details import Details, attributes, bytes_text, cut, listed, message, number_text
from mindinsight_like.graphs.drafts import NodeKind, shape_text
from mindinsight_like.logs.message_fields import MessageFields

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


def dtype_name(number: int) -> str:
    return _DTYPES[number] if 0 <= number < len(_DTYPES) else f"type {number}"


def node_details(node: bytes, kind: NodeKind) -> Details:
    """The attributes of a node, or what is told of a weight; raises Malformed."""
    fields = message(node)
    if kind == NodeKind.PARAMETER:
        return Details([("value", _tensor(fields))])
    found = list(attributes(fields.contents(5), lambda entry: (entry.text(1), _value(entry))))
    stack = ""
    for entry in fields.messages(9):
        if entry.text(1) == _STACK:
            stack = cut(entry.text(2), 20_000)
        else:
            found.append((entry.text(1), cut(entry.text(2))))
    for number, name in ((7, "domain"), (8, "overload"), (6, "doc_string")):
        if fields.text(number):
            found.append((name, cut(fields.text(number))))
    return Details(found, stack=stack)


def _value(entry: MessageFields) -> str:
    if 21 in entry:
        return f"the attribute {entry.text(21)} of the function"
    for number, read in _SINGLE.items():
        if number in entry:
            return read(entry)
    for number, read_all in _SEVERAL.items():
        if number in entry:
            found = read_all(entry)
            return listed(found, len(found))
    return _EMPTY.get(entry.integer(20), "[]")


def _tensor(tensor: MessageFields) -> str:
    head = f"{dtype_name(tensor.integer(2))} {shape_text(tensor.integers(1))}"
    numbers = [number_text(each) for each in (*tensor.singles(4), *tensor.doubles(10))]
    numbers += [str(each) for number in (5, 7, 11) for each in tensor.integers(number)]
    numbers += [bytes_text(each) for each in tensor.contents(6)]
    if not numbers and 9 in tensor:
        numbers = _raw(tensor.content(9), tensor.integer(2))
    outside = [entry.text(2) for entry in tensor.messages(13) if entry.text(1) == "location"]
    if outside:
        return f"{head}, kept in the file {cut(outside[0], 200)}"
    return f"{head} {listed(numbers, len(numbers))}" if numbers else head


_LAYOUTS = {
    1: "<f4",
    2: "u1",
    3: "i1",
    5: "<i2",
    6: "<i4",
    7: "<i8",
    9: "?",
    10: "<f2",
    11: "<f8",
    12: "<u4",
    13: "<u8",
}


def _raw(content: bytes, dtype: int) -> list[str]:
    layout = _LAYOUTS.get(dtype)
    if layout is None or len(content) % np.dtype(layout).itemsize:
        return [f"{len(content):,} bytes"]
    return [
        number_text(each) if isinstance(each, float) else str(each) for each in np.frombuffer(content, layout).tolist()
    ]


_EMPTY = {1: "0", 2: "0", 3: ""}
_SINGLE: dict[int, Callable[[MessageFields], str]] = {
    2: lambda entry: number_text(entry.single(2)),
    3: lambda entry: str(entry.integer(3)),
    4: lambda entry: bytes_text(entry.content(4)),
    5: lambda entry: _tensor(entry.messages(5)[-1]) if entry.contents(5) else "",
    6: lambda entry: f"graph {entry.messages(6)[-1].text(2)}" if entry.contents(6) else "graph",
}
_SEVERAL: dict[int, Callable[[MessageFields], list[str]]] = {
    7: lambda entry: [number_text(each) for each in entry.singles(7)],
    8: lambda entry: [str(each) for each in entry.integers(8)],
    9: lambda entry: [bytes_text(each) for each in entry.contents(9)],
    10: lambda entry: [_tensor(each) for each in entry.messages(10)],
    11: lambda entry: [f"graph {each.text(2)}" for each in entry.messages(11)],
}
