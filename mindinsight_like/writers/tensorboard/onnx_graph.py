"""Turn ONNX models into graphs for TensorBoard, without the onnx package."""

from __future__ import annotations

from collections.abc import Iterator

from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.onnx import (
    AttributeProto,
    GraphProto,
    ModelProto,
    NodeProto,
    TensorProto,
    TensorShapeProto,
    TypeProto,
    ValueInfoProto,
)
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.writers.encoding import graph_def

_MOST_TEXT = 200  # characters of one attribute


def onnx_graph(model: bytes) -> bytes:
    """The GraphDef of a ModelProto; raises ValueError when the bytes are none."""
    try:
        graph = MessageFields(model).messages(ModelProto.graph)[-1]
    except (Malformed, IndexError) as error:
        raise ValueError("not an ONNX model") from error
    return graph_def.graph(_nodes(graph))


def _nodes(graph: MessageFields) -> Iterator[bytes]:
    operations = graph.messages(GraphProto.node)
    names = {
        output: _clean(outputs[0]) + (f":{place}" if place else "")
        for outputs in (operation.texts(NodeProto.output) for operation in operations)
        for place, output in enumerate(outputs)
        if output
    }
    stored = {
        tensor.text(TensorProto.name): tensor.integers(TensorProto.dims)
        for tensor in graph.messages(GraphProto.initializer)
    }
    for value in graph.messages(GraphProto.input):
        name = value.text(ValueInfoProto.name)
        if name not in stored:  # models before IR 4 list their weights among the inputs, too
            yield graph_def.node(_clean(name), "Input", [], shape=_shape(value))
    for name, shape in stored.items():
        yield graph_def.node(_clean(name), "Parameter", [], shape=shape)
    values = graph.messages(GraphProto.value_info) + graph.messages(GraphProto.output)
    shapes = {value.text(ValueInfoProto.name): _shape(value) for value in values}
    for operation in operations:
        output = operation.texts(NodeProto.output)[0]
        inputs = [names.get(name, _clean(name)) for name in operation.texts(NodeProto.input) if name]
        attributes = ", ".join(map(_attribute, operation.messages(NodeProto.attribute)))
        kind = operation.text(NodeProto.op_type)
        yield graph_def.node(_clean(output), kind, inputs, shape=shapes.get(output), attributes=attributes)
    for value in graph.messages(GraphProto.output):
        name = value.text(ValueInfoProto.name)
        yield graph_def.node(f"output/{_clean(name)}", "Output", [names.get(name, _clean(name))], shape=_shape(value))


def _clean(name: str) -> str:
    # Exporters begin with a slash, which would make a scope without a name; a colon parts a node from its output.
    return name.lstrip("/").replace("::", ".").replace(":", "_")


def _shape(value: MessageFields) -> list[int] | None:
    """The dimensions of a ValueInfoProto, -1 where they are not fixed; None when it is no tensor."""
    dim_value = TensorShapeProto.Dimension.dim_value
    for kind in value.messages(ValueInfoProto.type):
        for tensor in kind.messages(TypeProto.tensor_type):
            for shape in tensor.messages(TypeProto.Tensor.shape):
                dims = shape.messages(TensorShapeProto.dim)
                return [dim.integer(dim_value) if dim_value in dim else -1 for dim in dims]
    return None


def _attribute(attribute: MessageFields) -> str:
    proto = AttributeProto
    if proto.f in attribute:
        value: object = attribute.single(proto.f)
    elif proto.i in attribute:
        value = attribute.integer(proto.i)
    elif proto.s in attribute:
        value = attribute.text(proto.s)
    elif proto.t in attribute:
        value = f"tensor {attribute.messages(proto.t)[0].integers(TensorProto.dims)}"
    elif proto.g in attribute:
        value = "graph"
    else:
        value = attribute.singles(proto.floats) or attribute.integers(proto.ints) or attribute.texts(proto.strings)
    return f"{attribute.text(proto.name)} = {value}"[:_MOST_TEXT]
