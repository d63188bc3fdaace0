"""The demo's network as a graph: as an ONNX model, and as the mapping that `SummaryRecord` takes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mindinsight_like.logs.protobuf.schemas.onnx import (
    GraphProto,
    ModelProto,
    NodeProto,
    OperatorSetIdProto,
    TensorProto,
    TensorShapeProto,
    TypeProto,
    ValueInfoProto,
)
from mindinsight_like.writers.encoding import wire

_FLOAT = TensorProto.DataType.FLOAT
_IR_VERSION, _OPSET = 8, 17
# operator, output, inputs
_OPERATORS = (
    ("MatMul", "hidden/product", ("points", "hidden/weight")),
    ("Add", "hidden/sum", ("hidden/product", "hidden/bias")),
    ("Relu", "hidden/relu", ("hidden/sum",)),
    ("MatMul", "output/product", ("hidden/relu", "output/weight")),
    ("Add", "output/scores", ("output/product", "output/bias")),
    ("Softmax", "probabilities", ("output/scores",)),
)
_MINDSPORE_NAMES = {"Add": "BiasAdd", "Relu": "ReLU"}


def onnx_model(*, hidden: int, classes: int, batch: int) -> bytes:
    """The message ModelProto."""
    shapes = _shapes(hidden, classes, batch)
    weights = [name for name in shapes if name.endswith(("/weight", "/bias"))]
    inner = [output for _, output, _ in _OPERATORS[:-1]]
    graph = (
        b"".join(wire.blob(GraphProto.node, _onnx_node(*operator)) for operator in _OPERATORS)
        + wire.text(GraphProto.name, "spirals")
        + b"".join(wire.blob(GraphProto.initializer, _onnx_weight(name, shapes[name])) for name in weights)
        + wire.blob(GraphProto.input, _onnx_value("points", shapes["points"]))
        + wire.blob(GraphProto.output, _onnx_value("probabilities", shapes["probabilities"]))
        + b"".join(wire.blob(GraphProto.value_info, _onnx_value(name, shapes[name])) for name in inner)
    )
    operators = wire.integer(OperatorSetIdProto.version, _OPSET)
    return (
        wire.integer(ModelProto.ir_version, _IR_VERSION)
        + wire.blob(ModelProto.graph, graph)
        + wire.blob(ModelProto.opset_import, operators)
    )


def mindspore_graph(*, hidden: int, classes: int, batch: int) -> dict[str, Any]:
    """The mapping that `SummaryRecord` takes."""
    shapes = _shapes(hidden, classes, batch)
    numbers = {output: str(number) for number, (_, output, _) in enumerate(_OPERATORS, 1)}
    outputs = set(numbers)
    return {
        "name": "Spirals",
        "nodes": [
            {
                "name": numbers[output],
                "op_type": _MINDSPORE_NAMES.get(operator, operator),
                "scope": "/".join(("Default/network-Spirals", *output.split("/")[:-1])),
                "inputs": [numbers.get(each, each) for each in inputs],
                "dtype": "float32",
                "shape": shapes[output],
            }
            for operator, output, inputs in _OPERATORS
        ],
        "parameters": [
            {"name": name, "dtype": "float32", "shape": shape} for name, shape in shapes.items() if name not in outputs
        ],
        "outputs": [{"name": numbers["probabilities"], "dtype": "float32", "shape": shapes["probabilities"]}],
    }


def _shapes(hidden: int, classes: int, batch: int) -> dict[str, list[int]]:
    return {
        "points": [batch, 2],
        "hidden/weight": [2, hidden],
        "hidden/bias": [hidden],
        "output/weight": [hidden, classes],
        "output/bias": [classes],
        **{name: [batch, hidden] for name in ("hidden/product", "hidden/sum", "hidden/relu")},
        **{name: [batch, classes] for name in ("output/product", "output/scores", "probabilities")},
    }


def _onnx_node(operator: str, output: str, inputs: Iterable[str]) -> bytes:
    names = b"".join(wire.text(NodeProto.input, name) for name in inputs)
    return names + wire.text(NodeProto.output, output) + wire.text(NodeProto.op_type, operator)


def _onnx_weight(name: str, shape: Iterable[int]) -> bytes:
    """The description of a weight; its numbers are no part of a graph."""
    dims = b"".join(wire.integer(TensorProto.dims, size) for size in shape)
    return dims + wire.integer(TensorProto.data_type, _FLOAT) + wire.text(TensorProto.name, name)


def _onnx_value(name: str, shape: Iterable[int]) -> bytes:
    sizes = (wire.integer(TensorShapeProto.Dimension.dim_value, size) for size in shape)
    dimensions = b"".join(wire.blob(TensorShapeProto.dim, size) for size in sizes)
    tensor = wire.integer(TypeProto.Tensor.elem_type, _FLOAT) + wire.blob(TypeProto.Tensor.shape, dimensions)
    value_type = wire.blob(TypeProto.tensor_type, tensor)
    return wire.text(ValueInfoProto.name, name) + wire.blob(ValueInfoProto.type, value_type)
