"""Read MindSpore's GraphProto (anf_ir.proto) from summary files and `.pb` exports."""

from __future__ import annotations

import re
from collections.abc import Callable

from mindinsight_like.graphs.details import (
    MOST_DEPTH,
    Details,
    attributes,
    bytes_text,
    cut,
    listed,
    message,
    number_text,
)
from mindinsight_like.graphs.drafts import BadGraph, Draft, NodeKind, Port, shape_text
from mindinsight_like.logs.protobuf.message_columns import FieldColumns, contents, each_last, walk, walk_one
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.mindspore_graph import (
    AttributeProto,
    GraphProto,
    InputProto,
    ModelProto,
    NamedValueProto,
    NodeProto,
    ParameterProto,
    TensorProto,
    TensorShapeProto,
    TypeProto,
    ValueProto,
)
from mindinsight_like.logs.protobuf.wire import BYTES, VARINT, Malformed

_DTYPES = (
    "",
    "bool",
    "int8",
    "int16",
    "int32",
    "int64",
    "uint8",
    "uint16",
    "uint32",
    "uint64",
    "float16",
    "float32",
    "float64",
    "string",
    "tensor",
    "graph",
    "bools",
    "int8s",
    "int16s",
    "int32s",
    "int64s",
    "uint8s",
    "uint16s",
    "uint32s",
    "uint64s",
    "float16s",
    "float32s",
    "float64s",
    "strings",
    "tensors",
    "graphs",
    "tuple",
    "list",
    "dict",
    "none",
    "symbol",
    "int",
    "uint",
    "float",
    "type",
    "any",
    "reference key",
    "reference",
    "complex64",
    "complex128",
    "basic",
    "bfloat16",
    "ref key",
    "int4",
    "slice",
)
_SUMMARY = re.compile(rb"\[:\w+\]$")  # names of summary operators end so


def read_model(data: bytes) -> Draft:
    """The graph of an export; raises Malformed, BadGraph."""
    fields = walk_one(data)
    if len(fields.of(ModelProto.ir_version, VARINT).ids) == 0 and len(fields.of(GraphProto.node, BYTES).ids):
        return read_graph(data)  # what MindSpore's debugger dumps: the graph alone
    graphs = fields.of(ModelProto.graph)
    if not len(graphs.ids):
        raise BadGraph("not a MindSpore graph")
    return read_graph(data, int(graphs.begins[-1]), int(graphs.ends[-1]))


def read_graph(data: bytes, begin: int = 0, end: int | None = None) -> Draft:
    """The graph in a summary file; raises Malformed, BadGraph."""
    fields = walk_one(data, begin, end)
    draft = Draft(b"".join(contents(data, fields.of(GraphProto.name))[-1:]).decode(errors="replace"))
    by_name: dict[bytes, int] = {}
    nodes = fields.of(GraphProto.node)
    count = len(nodes.begins)
    inner = walk(data, nodes.begins, nodes.ends)
    names, types, scopes, outputs, full_names = (
        each_last(data, inner.of(number), count)
        for number in (NodeProto.name, NodeProto.op_type, NodeProto.scope, NodeProto.output_type, NodeProto.full_name)
    )
    known_ports: dict[bytes, int] = {b"": 0}
    type_texts = {name: name.decode(errors="replace") for name in set(types)}
    draft.add_many(
        [_full_name(*each) for each in zip(names, types, scopes, full_names, strict=True)],
        [type_texts[name] for name in types],
        [NodeKind.OPERATOR] * count,
        _port_numbers(draft, outputs, known_ports),
        nodes.begins.tolist(),
        nodes.ends.tolist(),
    )
    for number, name in enumerate(names):
        by_name.setdefault(name, number)
        if b"/" in name:
            by_name.setdefault(name.rpartition(b"/")[2].partition(b"op")[2], number)
    _add_values(data, draft, fields.of(GraphProto.parameters), by_name, known_ports)
    _add_constants(data, draft, fields.of(GraphProto.const_vals), by_name)
    _add_edges(data, draft, inner.of(NodeProto.input), by_name)
    return draft


def _port_numbers(draft: Draft, outputs: list[bytes], numbers_by_type: dict[bytes, int]) -> list[int]:
    """Few kinds of values go through a graph, so that each encoded one is decoded once."""
    numbers = []
    for output in outputs:
        number = numbers_by_type.get(output)
        if number is None:
            number = numbers_by_type[output] = draft.ports_of(_ports(output))
        numbers.append(number)
    return numbers


def _full_name(name: bytes, kind: bytes, scope: bytes, full: bytes) -> str:
    if full and not (full.endswith(b"]") and _SUMMARY.search(full)):
        return full.decode(errors="replace")
    number = name.rpartition(b"/")[2]
    number = number.partition(b"op")[2] or number
    label = kind + b"-op" + number
    return (scope + b"/" + label if scope else label).decode(errors="replace")


def _add_values(
    data: bytes, draft: Draft, parameters: FieldColumns, by_name: dict[bytes, int], port_numbers: dict[bytes, int]
) -> None:
    inner = walk(data, parameters.begins, parameters.ends)
    count = len(parameters.begins)
    places = zip(parameters.begins.tolist(), parameters.ends.tolist(), strict=True)
    names = each_last(data, inner.of(ParameterProto.name), count)
    ports = _port_numbers(draft, each_last(data, inner.of(ParameterProto.type), count), port_numbers)
    for place, name, port in zip(places, names, ports, strict=True):
        label = name.decode(errors="replace")
        number = draft.add(label, "Parameter", NodeKind.PARAMETER, ports=port, place=place, floats=True)
        by_name.setdefault(name, number)


def _add_constants(data: bytes, draft: Draft, constants: FieldColumns, by_name: dict[bytes, int]) -> None:
    inner = walk(data, constants.begins, constants.ends)
    count = len(constants.begins)
    places = zip(constants.begins.tolist(), constants.ends.tolist(), strict=True)
    names, values = each_last(data, inner.of(NamedValueProto.key), count), inner.of(NamedValueProto.value)
    heads = [bytes(content[:16]) for content in contents(data, values)]  # the type comes first
    at = values.last_of_each(count).tolist()
    for place, name, value in zip(places, names, at, strict=True):
        ports = draft.ports_of(_constant_port(heads[value] if value >= 0 else b""))
        number = draft.add(
            name.decode(errors="replace"), "Const", NodeKind.CONSTANT, ports=ports, place=place, floats=True
        )
        by_name.setdefault(name, number)


def _constant_port(head: bytes) -> list[Port]:
    is_typed = len(head) > 1 and head[0] == ValueProto.dtype << 3 | VARINT and head[1] < len(_DTYPES)
    return [Port(_DTYPES[head[1]], "")] if is_typed else []


def _add_edges(data: bytes, draft: Draft, inputs: FieldColumns, by_name: dict[bytes, int]) -> None:
    fields = walk(data, inputs.begins, inputs.ends)
    count = len(inputs.begins)
    controls = fields.of(InputProto.type, VARINT)
    is_control = [False] * count
    for place in controls.owners[controls.numbers == InputProto.EdgeType.CONTROL_EDGE].tolist():
        is_control[place] = True
    names = each_last(data, fields.of(InputProto.name), count)
    sources = [by_name.get(name, -1) for name in names]
    for place, source in enumerate(sources):
        if source < 0 and b"/" in names[place]:
            sources[place] = by_name.get(names[place].rpartition(b"/")[2].partition(b"op")[2], -1)
    draft.link_many(sources, inputs.owners.tolist(), [0] * count, is_control)


def _ports(encoded: bytes) -> list[Port]:
    try:
        return _outputs(message(encoded), 0)
    except Malformed:
        return []


def _outputs(output_type: MessageFields, depth: int) -> list[Port]:
    if TypeProto.sequence_type in output_type and depth < MOST_DEPTH:
        sequences = output_type.messages(TypeProto.sequence_type)
        inner = [each for sequence in sequences for each in sequence.messages(TypeProto.Sequence.elem_types)]
        return [port for each in inner[:64] for port in _outputs(each, depth + 1)]
    for tensor in output_type.messages(TypeProto.tensor_type):
        sizes = [
            dim.integer(TensorShapeProto.Dimension.size)
            for shape in tensor.messages(TypeProto.Tensor.shape)
            for dim in shape.messages(TensorShapeProto.dim)
        ]
        return [Port(_dtype(tensor.integer(TypeProto.Tensor.elem_type)), shape_text(sizes))]
    return [Port(_dtype(output_type.integer(TypeProto.data_type)), "")]


def _dtype(number: int) -> str:
    return _DTYPES[number] if 0 <= number < len(_DTYPES) else f"type {number}"


def node_details(node: bytes, kind: NodeKind) -> Details:
    """The attributes of a node, the type of a parameter or the value of a constant; raises Malformed."""
    fields = message(node)
    if kind == NodeKind.CONSTANT:
        return Details([("value", _value(fields.content(NamedValueProto.value)))])
    if kind == NodeKind.PARAMETER:
        default = ParameterProto.default_val
        return Details([("default", _value(fields.content(default)))] if default in fields else [])
    attrs = list(attributes(fields.contents(NodeProto.attribute), _attribute))
    if NodeProto.instance_name in fields:
        attrs.append(("instance_name", cut(fields.text(NodeProto.instance_name))))
    return Details(attrs)


def _attribute(attribute: MessageFields) -> tuple[str, str]:
    return attribute.text(AttributeProto.name), _value(attribute.content(AttributeProto.value))


def _value(content: bytes, depth: int = 0) -> str:
    value = message(content)
    if depth > MOST_DEPTH:
        return "…"
    if ValueProto.values in value:
        inner = value.contents(ValueProto.values)
        return listed((_value(each, depth + 1) for each in inner), len(inner), "()")
    if ValueProto.dict_val in value:
        entries = value.contents(ValueProto.dict_val)
        return listed((_dict_entry(message(entry), depth + 1) for entry in entries), len(entries), "{}")
    for number, read in _SINGLE.items():
        if number in value:
            return read(value)
    for number, read_all in _SEVERAL.items():
        if number in value:
            values = read_all(value)
            return listed(values, len(values))
    return _dtype(value.integer(ValueProto.dtype))


def _dict_entry(entry: MessageFields, depth: int) -> str:
    return f"{entry.text(NamedValueProto.key)}: {_value(entry.content(NamedValueProto.value), depth)}"


def _tensor(tensor: MessageFields) -> str:
    proto = TensorProto
    sizes = shape_text(tensor.integers(proto.dims))
    numbers = [number_text(each) for each in (*tensor.singles(proto.float_data), *tensor.doubles(proto.double_data))]
    integers = (proto.int32_data, proto.int64_data, proto.uint64_data)
    numbers += [str(each) for field in integers for each in tensor.integers(field)]
    return f"{_dtype(tensor.integer(proto.data_type))} {sizes}" + (
        f" {listed(numbers, len(numbers))}" if numbers else ""
    )


def _type_text(encoded: bytes) -> str:
    return ", ".join(f"{port.dtype} {port.shape}".strip() for port in _ports(encoded))


def _graph(graph: MessageFields) -> str:
    return f"graph {graph.text(GraphProto.name)}"


_SINGLE: dict[int, Callable[[MessageFields], str]] = {
    ValueProto.bool_val: lambda value: "true" if value.integer(ValueProto.bool_val) else "false",
    ValueProto.int_val: lambda value: str(value.integer(ValueProto.int_val)),
    ValueProto.uint_val: lambda value: str(value.integer(ValueProto.uint_val)),
    ValueProto.float_val: lambda value: number_text(value.single(ValueProto.float_val)),
    ValueProto.double_val: lambda value: repr(value.double(ValueProto.double_val)),
    ValueProto.str_val: lambda value: bytes_text(value.content(ValueProto.str_val)),
    ValueProto.tensor_val: lambda value: (
        _tensor(value.messages(ValueProto.tensor_val)[-1]) if value.contents(ValueProto.tensor_val) else ""
    ),
    ValueProto.graph: lambda value: (
        _graph(value.messages(ValueProto.graph)[-1]) if value.contents(ValueProto.graph) else ""
    ),
    ValueProto.type_val: lambda value: _type_text(value.content(ValueProto.type_val)),
}
_SEVERAL: dict[int, Callable[[MessageFields], list[str]]] = {
    ValueProto.bool_vals: lambda value: ["true" if each else "false" for each in value.integers(ValueProto.bool_vals)],
    ValueProto.int_vals: lambda value: [str(each) for each in value.integers(ValueProto.int_vals)],
    ValueProto.uint_vals: lambda value: [str(each) for each in value.integers(ValueProto.uint_vals)],
    ValueProto.float_vals: lambda value: [number_text(each) for each in value.singles(ValueProto.float_vals)],
    ValueProto.double_vals: lambda value: [repr(each) for each in value.doubles(ValueProto.double_vals)],
    ValueProto.str_vals: lambda value: [bytes_text(each) for each in value.contents(ValueProto.str_vals)],
    ValueProto.tensor_vals: lambda value: [_tensor(each) for each in value.messages(ValueProto.tensor_vals)],
    ValueProto.graphs: lambda value: [_graph(each) for each in value.messages(ValueProto.graphs)],
}
