"""Turn ONNX models into graphs for TensorBoard, without the onnx package."""

from __future__ import annotations

from collections.abc import Iterator

from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.logs.wire import Malformed
from mindinsight_like.writers import graph_def

_MOST_TEXT = 200  # characters of one attribute


def onnx_graph(model: bytes) -> bytes:
    """The GraphDef of a ModelProto; raises ValueError when the bytes are none."""
    try:
        graph = MessageFields(model).messages(7)[-1]
    except (Malformed, IndexError) as error:
        raise ValueError("this is no ONNX model") from error
    return graph_def.graph(_nodes(graph))


def _nodes(graph: MessageFields) -> Iterator[bytes]:
    operations = graph.messages(1)
    names = {
        output: _clean(outputs[0]) + (f":{place}" if place else "")
        for outputs in (operation.texts(2) for operation in operations)
        for place, output in enumerate(outputs)
        if output
    }
    stored = {initializer.text(8): initializer.integers(1) for initializer in graph.messages(5)}
    for value in graph.messages(11):
        if value.text(1) not in stored:  # models before IR 4 list their weights among the inputs, too
            yield graph_def.node(_clean(value.text(1)), "Input", [], shape=_shape(value))
    for name, shape in stored.items():
        yield graph_def.node(_clean(name), "Parameter", [], shape=shape)
    shapes = {value.text(1): _shape(value) for value in graph.messages(13) + graph.messages(12)}
    for operation in operations:
        output = operation.texts(2)[0]
        inputs = [names.get(name, _clean(name)) for name in operation.texts(1) if name]
        attributes = ", ".join(map(_attribute, operation.messages(5)))
        kind = operation.text(4)
        yield graph_def.node(_clean(output), kind, inputs, shape=shapes.get(output), attributes=attributes)
    for value in graph.messages(12):
        name = value.text(1)
        yield graph_def.node(f"output/{_clean(name)}", "Output", [names.get(name, _clean(name))], shape=_shape(value))


def _clean(name: str) -> str:
    # Exporters begin with a slash, which would make a scope without a name; a colon parts a node from its output.
    return name.lstrip("/").replace("::", ".").replace(":", "_")


def _shape(value: MessageFields) -> list[int] | None:
    """The dimensions of a ValueInfoProto, -1 where they are not fixed; None when it is no tensor."""
    for kind in value.messages(2):
        for tensor in kind.messages(1):
            for shape in tensor.messages(2):
                return [dim.integer(1) if 1 in dim else -1 for dim in shape.messages(1)]
    return None


def _attribute(attribute: MessageFields) -> str:
    if 2 in attribute:
        value: object = attribute.single(2)
    elif 3 in attribute:
        value = attribute.integer(3)
    elif 4 in attribute:
        value = attribute.text(4)
    elif 5 in attribute:
        value = f"tensor {attribute.messages(5)[0].integers(1)}"
    elif 6 in attribute:
        value = "graph"
    else:
        value = attribute.singles(7) or attribute.integers(8) or attribute.texts(9)
    return f"{attribute.text(1)} = {value}"[:_MOST_TEXT]
