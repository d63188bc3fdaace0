"""The demo's network as a graph: as an ONNX model, and as MindSpore's records take it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from mindinsight_like.writers import wire

_FLOAT = 1  # as ONNX numbers types
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
        b"".join(wire.blob(1, _onnx_node(*operator)) for operator in _OPERATORS)
        + wire.text(2, "spirals")
        + b"".join(wire.blob(5, _onnx_weight(name, shapes[name])) for name in weights)
        + wire.blob(11, _onnx_value("points", shapes["points"]))
        + wire.blob(12, _onnx_value("probabilities", shapes["probabilities"]))
        + b"".join(wire.blob(13, _onnx_value(name, shapes[name])) for name in inner)
    )
    return wire.integer(1, _IR_VERSION) + wire.blob(7, graph) + wire.blob(8, wire.integer(2, _OPSET))


def mindspore_graph(*, hidden: int, classes: int, batch: int) -> dict[str, Any]:
    """The mapping that `SummaryRecord` takes."""
    shapes = _shapes(hidden, classes, batch)
    numbers = {output: str(number) for number, (_, output, _) in enumerate(_OPERATORS, 1)}
    made = set(numbers)
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
            {"name": name, "dtype": "float32", "shape": shape} for name, shape in shapes.items() if name not in made
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
    return b"".join(wire.text(1, name) for name in inputs) + wire.text(2, output) + wire.text(4, operator)


def _onnx_weight(name: str, shape: Iterable[int]) -> bytes:
    """The description of a weight; its numbers are no part of a graph."""
    return b"".join(wire.integer(1, size) for size in shape) + wire.integer(2, _FLOAT) + wire.text(8, name)


def _onnx_value(name: str, shape: Iterable[int]) -> bytes:
    dimensions = b"".join(wire.blob(1, wire.integer(1, size)) for size in shape)
    return wire.text(1, name) + wire.blob(2, wire.blob(1, wire.integer(1, _FLOAT) + wire.blob(2, dimensions)))
