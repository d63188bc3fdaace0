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

from mindinsight_like.logs.protobuf.schemas.mindspore_graph import (
    AttributeProto,
    DataType,
    GraphProto,
    InputProto,
    ModelProto,
    NodeProto,
    ParameterProto,
    TensorShapeProto,
    TypeProto,
    ValueProto,
)
from mindinsight_like.logs.protobuf.wire import BYTES, VARINT, fields
from mindinsight_like.writers.encoding import wire
from mindinsight_like.writers.encoding.messages import message_bytes

__all__ = ["DATA_TYPES", "graph"]

DATA_TYPES = {
    "bool": DataType.DT_BOOL,
    "int8": DataType.DT_INT8,
    "int16": DataType.DT_INT16,
    "int32": DataType.DT_INT32,
    "int64": DataType.DT_INT64,
    "uint8": DataType.DT_UINT8,
    "uint16": DataType.DT_UINT16,
    "uint32": DataType.DT_UINT32,
    "uint64": DataType.DT_UINT64,
    "float16": DataType.DT_FLOAT16,
    "float32": DataType.DT_FLOAT32,
    "float64": DataType.DT_FLOAT64,
    "complex64": DataType.DT_COMPLEX64,
    "complex128": DataType.DT_COMPLEX128,
    "bfloat16": DataType.DT_BFLOAT16,
}
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
_VERSIONS = (ModelProto.ir_version, ModelProto.model_version)
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
        b"".join(wire.blob(GraphProto.node, _node(node)) for node in value.get("nodes", ()))
        + wire.text(GraphProto.name, str(value.get("name", "")), implicit=True)
        + b"".join(wire.blob(GraphProto.parameters, _end(end)) for end in value.get("parameters", ()))
        + b"".join(wire.blob(GraphProto.outputs, _end(end)) for end in value.get("outputs", ()))
        + b"".join(
            wire.blob(GraphProto.const_vals, _named(key, entry)) for key, entry in value.get("constants", {}).items()
        )
    )


def _graph_of_model(content: bytes) -> bytes:
    """The graph inside of a model; content that is a graph already comes back unchanged.

    A model has numbers where a graph has messages: its versions.
    """
    message_fields = list(fields(content, 0, len(content)))
    if any(field.id in _VERSIONS and field.wire == VARINT for field in message_fields):
        graphs = [field for field in message_fields if field.id == ModelProto.graph and field.wire == BYTES]
        if not graphs:
            raise ValueError("graph: the ModelProto contains no graph")
        return content[graphs[-1].begin : graphs[-1].end]
    return content


def _node(node: Mapping[str, Any]) -> bytes:
    _check_keys(node, _NODE_KEYS, "node")
    try:
        name, op_type = str(node["name"]), str(node["op_type"])
    except KeyError as error:
        raise ValueError(f"graph: a node lacks {error}: {dict(node)}") from error
    scope = str(node.get("scope", "Default"))
    inputs = [_input(source, InputProto.EdgeType.DATA_EDGE) for source in node.get("inputs", ())]
    inputs += [_input(source, InputProto.EdgeType.CONTROL_EDGE) for source in node.get("control_inputs", ())]
    output_type = _type(node)
    return (
        b"".join(wire.blob(NodeProto.input, source) for source in inputs)
        + wire.text(NodeProto.name, name)
        + wire.text(NodeProto.op_type, op_type)
        + wire.text(NodeProto.scope, scope)
        + b"".join(
            wire.blob(NodeProto.attribute, _named(key, value)) for key, value in node.get("attributes", {}).items()
        )
        + (wire.blob(NodeProto.output_type, output_type) if output_type else b"")
        + wire.text(NodeProto.full_name, str(node.get("full_name", f"{scope}/{op_type}-op{name}")))
        + wire.text(NodeProto.instance_name, str(node.get("instance_name", "")), implicit=True)
    )


def _input(source: object, edge: int) -> bytes:
    return wire.text(InputProto.name, str(source)) + wire.integer(InputProto.type, edge)


def _end(end: Mapping[str, Any]) -> bytes:
    """A parameter or an output of the graph."""
    _check_keys(end, {"name", "dtype", "shape"}, "parameter or output")
    kind = _type(end)
    # The two have the same numbers.
    name = wire.text(ParameterProto.name, str(end.get("name", "")))
    return name + wire.blob(ParameterProto.type, kind) if kind else name


def _type(holder: Mapping[str, Any]) -> bytes:
    if "dtype" not in holder and "shape" not in holder:
        return b""
    element = _data_type(holder.get("dtype", "float32"))
    sizes = (wire.integer(TensorShapeProto.Dimension.size, int(size)) for size in holder.get("shape") or ())
    dimensions = b"".join(wire.blob(TensorShapeProto.dim, size) for size in sizes)
    tensor = wire.integer(TypeProto.Tensor.elem_type, element) + wire.blob(TypeProto.Tensor.shape, dimensions)
    return wire.integer(TypeProto.data_type, DataType.DT_TENSOR) + wire.blob(TypeProto.tensor_type, tensor)


def _data_type(dtype: object) -> int:
    name = str(getattr(dtype, "name", dtype)).lower()
    if name not in DATA_TYPES:
        raise ValueError(f"graph: unknown dtype {dtype!r}; expected one of {list(DATA_TYPES)}")
    return DATA_TYPES[name]


def _named(name: object, value: object) -> bytes:
    """An AttributeProto or NamedValueProto, which are alike: a name with its value."""
    return wire.text(AttributeProto.name, str(name)) + wire.blob(AttributeProto.value, _value(value))


def _value(value: object) -> bytes:
    to_list = getattr(value, "tolist", None)
    plain = to_list() if callable(to_list) else value
    if plain is None:
        return wire.integer(ValueProto.dtype, DataType.DT_NONE)
    if isinstance(plain, bool):
        return wire.integer(ValueProto.dtype, DataType.DT_BOOL) + wire.integer(ValueProto.bool_val, plain)
    if isinstance(plain, int):
        return wire.integer(ValueProto.dtype, DataType.DT_INT64) + wire.integer(ValueProto.int_val, plain)
    if isinstance(plain, float):
        return wire.integer(ValueProto.dtype, DataType.DT_FLOAT32) + wire.single(ValueProto.float_val, plain)
    if isinstance(plain, Sequence) and not isinstance(plain, str | bytes):
        values = b"".join(wire.blob(ValueProto.values, _value(entry)) for entry in plain)
        return wire.integer(ValueProto.dtype, DataType.DT_LIST) + values
    return wire.integer(ValueProto.dtype, DataType.DT_STRING) + wire.text(ValueProto.str_val, str(plain))


def _check_keys(mapping: Mapping[str, Any], allowed: set[str], what: str) -> None:
    if not isinstance(mapping, Mapping):
        raise TypeError(f"graph: a {what} must be a mapping, not {type(mapping).__name__}")
    if unknown := set(mapping) - allowed:
        raise ValueError(
            f"graph: unknown keys {sorted(map(str, unknown))} of a {what}; expected some of {sorted(allowed)}"
        )
