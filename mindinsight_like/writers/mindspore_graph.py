"""Encode computational graphs for MindSpore summary files.

A graph is given as the bytes of a ModelProto (what MindSpore's compiler gives) or a GraphProto, as a protobuf message
of one of these classes, or as a mapping:

    {
        "name": "LeNet",
        "nodes": [
            {
                "name": "1",                         # what the `inputs` of other nodes refer to
                "op_type": "Conv2D",
                "scope": "Default/network-LeNet/conv1",
                "inputs": ["x", "conv1.weight"],
                "control_inputs": [],                # nodes that only have to come first
                "attributes": {"kernel_size": [5, 5], "pad_mode": "valid"},
                "dtype": "float32", "shape": [32, 6, 28, 28],   # of the output
                "full_name": "Default/network-LeNet/conv1/Conv2D-op1",   # made from the others when missing
            },
        ],
        "parameters": [{"name": "x", "dtype": "float32", "shape": [32, 1, 32, 32]}],
        "outputs": [{"name": "1", "dtype": "float32", "shape": [32, 6, 28, 28]}],
        "constants": {"cst1": 0.5},
    }

Everything but a node's `name` and `op_type` may be missing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from mindinsight_like.logs.wire import BYTES, VARINT, fields
from mindinsight_like.writers import wire
from mindinsight_like.writers.messages import message_bytes

__all__ = ["DATA_TYPES", "graph"]

DATA_TYPES = {
    "bool": 1,
    "int8": 2,
    "int16": 3,
    "int32": 4,
    "int64": 5,
    "uint8": 6,
    "uint16": 7,
    "uint32": 8,
    "uint64": 9,
    "float16": 10,
    "float32": 11,
    "float64": 12,
    "complex64": 43,
    "complex128": 44,
    "bfloat16": 46,
}
_STRING, _TENSOR, _LIST, _NONE = 13, 14, 32, 34
_NODE_KEYS = {
    "name",
    "op_type",
    "scope",
    "inputs",
    "control_inputs",
    "attributes",
    "dtype",
    "shape",
    "full_name",
    "instance_name",
}
_GRAPH_KEYS = {"name", "nodes", "parameters", "outputs", "constants"}


def graph(value: object) -> bytes:
    """The message GraphProto of a graph in any of the forms above."""
    kind = "GraphProto" if type(value).__name__ == "GraphProto" else "ModelProto"
    if (ready := message_bytes(value, kind)) is not None:
        return _graph_of_model(ready)
    if not isinstance(value, Mapping):
        raise TypeError(f"graph: expected a mapping, a ModelProto or its bytes, not {type(value).__name__}")
    _check_keys(value, _GRAPH_KEYS, "graph")
    return (
        b"".join(wire.blob(1, _node(node)) for node in value.get("nodes", ()))
        + wire.text(2, str(value.get("name", "")), implicit=True)
        + b"".join(wire.blob(3, _end(end)) for end in value.get("parameters", ()))
        + b"".join(wire.blob(4, _end(end)) for end in value.get("outputs", ()))
        + b"".join(wire.blob(5, _named(key, entry)) for key, entry in value.get("constants", {}).items())
    )


def _graph_of_model(content: bytes) -> bytes:
    """The graph inside of a model; content that is a graph already comes back unchanged.

    A model has numbers where a graph has messages: the versions in fields 1 and 3.
    """
    found = list(fields(content, 0, len(content)))
    if any(field.id in (1, 3) and field.wire == VARINT for field in found):
        graphs = [field for field in found if field.id == 4 and field.wire == BYTES]
        if not graphs:
            raise ValueError("graph: the ModelProto holds no graph")
        return content[graphs[-1].begin : graphs[-1].end]
    return content


def _node(node: Mapping[str, Any]) -> bytes:
    _check_keys(node, _NODE_KEYS, "node")
    try:
        name, op_type = str(node["name"]), str(node["op_type"])
    except KeyError as error:
        raise ValueError(f"graph: a node lacks {error}: {dict(node)}") from error
    scope = str(node.get("scope", "Default"))
    inputs = [wire.text(1, str(source)) + wire.integer(2, 0) for source in node.get("inputs", ())]
    inputs += [wire.text(1, str(source)) + wire.integer(2, 1) for source in node.get("control_inputs", ())]
    output_type = _type(node)
    return (
        b"".join(wire.blob(1, source) for source in inputs)
        + wire.text(2, name)
        + wire.text(3, op_type)
        + wire.text(4, scope)
        + b"".join(wire.blob(5, _named(key, value)) for key, value in node.get("attributes", {}).items())
        + (wire.blob(6, output_type) if output_type else b"")
        + wire.text(8, str(node.get("full_name", f"{scope}/{op_type}-op{name}")))
        + wire.text(10, str(node.get("instance_name", "")), implicit=True)
    )


def _end(end: Mapping[str, Any]) -> bytes:
    """A parameter or an output of the graph."""
    _check_keys(end, {"name", "dtype", "shape"}, "parameter or output")
    kind = _type(end)
    return wire.text(1, str(end.get("name", ""))) + (wire.blob(2, kind) if kind else b"")


def _type(holder: Mapping[str, Any]) -> bytes:
    if "dtype" not in holder and "shape" not in holder:
        return b""
    element = _data_type(holder.get("dtype", "float32"))
    dimensions = b"".join(wire.blob(1, wire.integer(1, int(size))) for size in holder.get("shape") or ())
    tensor = wire.integer(1, element) + wire.blob(2, dimensions)
    return wire.integer(1, _TENSOR) + wire.blob(2, tensor)


def _data_type(dtype: object) -> int:
    name = str(getattr(dtype, "name", dtype)).lower()
    if name not in DATA_TYPES:
        raise ValueError(f"graph: unknown dtype {dtype!r}; known are {list(DATA_TYPES)}")
    return DATA_TYPES[name]


def _named(name: object, value: object) -> bytes:
    """An AttributeProto or NamedValueProto: a name with its value."""
    return wire.text(1, str(name)) + wire.blob(2, _value(value))


def _value(value: object) -> bytes:
    to_list = getattr(value, "tolist", None)
    plain = to_list() if callable(to_list) else value
    if plain is None:
        return wire.integer(1, _NONE)
    if isinstance(plain, bool):
        return wire.integer(1, DATA_TYPES["bool"]) + wire.integer(2, plain)
    if isinstance(plain, int):
        return wire.integer(1, DATA_TYPES["int64"]) + wire.integer(3, plain)
    if isinstance(plain, float):
        return wire.integer(1, DATA_TYPES["float32"]) + wire.single(5, plain)
    if isinstance(plain, Sequence) and not isinstance(plain, str | bytes):
        return wire.integer(1, _LIST) + b"".join(wire.blob(18, _value(entry)) for entry in plain)
    return wire.integer(1, _STRING) + wire.text(7, str(plain))


def _check_keys(given: Mapping[str, Any], known: set[str], what: str) -> None:
    if not isinstance(given, Mapping):
        raise TypeError(f"graph: a {what} must be a mapping, not {type(given).__name__}")
    if unknown := set(given) - known:
        raise ValueError(f"graph: unknown keys {sorted(map(str, unknown))} of a {what}; known are {sorted(known)}")
