"""Read TensorFlow's GraphDef, from event files and exports; torch and tensorboardX write it, too."""

from __future__ import annotations

import re

import numpy as np

from mindinsight_like.graphs.details import Details, attributes, bytes_text, listed, message, number_text
from mindinsight_like.graphs.drafts import Draft, NodeKind, Port, shape_text
from mindinsight_like.logs.protobuf.message_columns import (
    FieldColumns,
    Ints,
    contents,
    each_last,
    equals,
    walk,
    walk_one,
)
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.tensorflow import (
    AttrValue,
    DataType,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    NameAttrList,
    NodeDef,
    OpDef,
    TensorProto,
    TensorShapeProto,
)
from mindinsight_like.logs.protobuf.wire import Malformed

_DTYPES = {
    DataType.DT_FLOAT: "float32",
    DataType.DT_DOUBLE: "float64",
    DataType.DT_INT32: "int32",
    DataType.DT_UINT8: "uint8",
    DataType.DT_INT16: "int16",
    DataType.DT_INT8: "int8",
    DataType.DT_STRING: "string",
    DataType.DT_COMPLEX64: "complex64",
    DataType.DT_INT64: "int64",
    DataType.DT_BOOL: "bool",
    DataType.DT_QINT8: "qint8",
    DataType.DT_QUINT8: "quint8",
    DataType.DT_QINT32: "qint32",
    DataType.DT_BFLOAT16: "bfloat16",
    DataType.DT_QINT16: "qint16",
    DataType.DT_QUINT16: "quint16",
    DataType.DT_UINT16: "uint16",
    DataType.DT_COMPLEX128: "complex128",
    DataType.DT_HALF: "float16",
    DataType.DT_RESOURCE: "resource",
    DataType.DT_VARIANT: "variant",
    DataType.DT_UINT32: "uint32",
    DataType.DT_UINT64: "uint64",
    DataType.DT_FLOAT8_E5M2: "float8_e5m2",
    DataType.DT_FLOAT8_E4M3FN: "float8_e4m3fn",
    DataType.DT_INT4: "int4",
    DataType.DT_UINT4: "uint4",
}
_KINDS = {
    b"Const": NodeKind.CONSTANT,
    b"prim::Constant": NodeKind.CONSTANT,
    b"prim::GetAttr": NodeKind.PARAMETER,
    b"VariableV2": NodeKind.PARAMETER,
    b"Variable": NodeKind.PARAMETER,
    b"VarHandleOp": NodeKind.PARAMETER,
    b"Placeholder": NodeKind.INPUT,
    b"PlaceholderWithDefault": NodeKind.INPUT,
    b"_Arg": NodeKind.INPUT,
    b"_DeviceArg": NodeKind.INPUT,
    b"_Retval": NodeKind.OUTPUT,
    b"_DeviceRetval": NodeKind.OUTPUT,
    b"prim::Param": NodeKind.INPUT,
    b"prim::Return": NodeKind.OUTPUT,
}
_DTYPE_ATTRIBUTES = (b"T", b"DstT", b"output_type", b"dtype")  # later ones are surer
_SHAPE_ATTRIBUTES = (b"shape", b"_output_shapes")
_FUNCTIONS = "functions"  # the scope of the function library
_OUTPUT_OF_FUNCTION = re.compile(rb"(.*?):[^:]*:(\d+)")


def read_graph_def(data: bytes, draft: Draft, begin: int = 0, end: int | None = None, *, prefix: str = "") -> None:
    """Add the nodes of a GraphDef and of its function library; raises Malformed, BadGraph."""
    fields = walk_one(data, begin, end)
    _add_nodes(data, draft, fields.of(GraphDef.node), prefix, {})
    for library in fields.of(GraphDef.library).begins.tolist():
        place = int(np.flatnonzero(fields.begins == library)[0])
        functions = walk_one(data, library, int(fields.ends[place])).of(FunctionDefLibrary.function)
        for first, last in zip(functions.begins.tolist(), functions.ends.tolist(), strict=True):
            _add_function(data, draft, first, last, prefix)


def _add_function(data: bytes, draft: Draft, begin: int, end: int, prefix: str) -> None:
    fields = walk_one(data, begin, end)
    signature = message(b"".join(contents(data, fields.of(FunctionDef.signature))[-1:]))
    scope = f"{prefix}{_FUNCTIONS}/{signature.text(OpDef.name) or 'unnamed'}/"
    arguments = {}
    for argument in signature.messages(OpDef.input_arg):
        dtype = OpDef.ArgDef.type
        ports = draft.ports_of([Port(_dtype(argument.integer(dtype)), "")]) if dtype in argument else 0
        name = argument.content(OpDef.ArgDef.name)
        arguments[name] = draft.add(scope + argument.text(OpDef.ArgDef.name), "argument", NodeKind.INPUT, ports=ports)
    by_name = _add_nodes(data, draft, fields.of(FunctionDef.node_def), scope, arguments)
    for entry in contents(data, fields.of(FunctionDef.ret)):
        result = message(entry)
        target = draft.add(f"{scope}{result.text(FunctionDef.RetEntry.key)} (result)", "result", NodeKind.OUTPUT)
        _link(draft, by_name, [result.content(FunctionDef.RetEntry.value)], [target])


def _add_nodes(
    data: bytes, draft: Draft, nodes: FieldColumns, prefix: str, by_name: dict[bytes, int]
) -> dict[bytes, int]:
    """Gives the numbers of all nodes that inputs may name, those given included."""
    count = len(nodes.begins)
    fields = walk(data, nodes.begins, nodes.ends)
    names = each_last(data, fields.of(NodeDef.name), count)
    types = each_last(data, fields.of(NodeDef.op), count)
    type_texts = {name: name.decode(errors="replace") for name in set(types)}
    first = draft.add_many(
        [prefix + name.decode(errors="replace") for name in names],
        [type_texts[name] for name in types],
        [_kind(name, type_name) for name, type_name in zip(names, types, strict=True)],
        _ports(data, draft, fields.of(NodeDef.attr), count),
        nodes.begins.tolist(),
        nodes.ends.tolist(),
    )
    for place, name in enumerate(names, first):
        by_name.setdefault(name, place)
    inputs = fields.of(NodeDef.input)
    _link(draft, by_name, contents(data, inputs), (inputs.owners + first).tolist())
    return by_name


def _kind(name: bytes, type_name: bytes) -> int:
    if type_name == b"IO Node":  # of torch
        return NodeKind.OUTPUT if name.startswith(b"output/") else NodeKind.INPUT
    return _KINDS.get(type_name, NodeKind.OPERATOR)


def _link(draft: Draft, by_name: dict[bytes, int], inputs: list[bytes], targets: list[int]) -> None:
    """Edges from what inputs name: `node`, `node:1`, `^node`, and in functions `node:output:0`."""
    sources = [by_name.get(name, -1) for name in inputs]
    ports, controls = [0] * len(inputs), [False] * len(inputs)
    for place, source in enumerate(sources):
        if source >= 0:
            continue
        text = inputs[place]
        controls[place] = text.startswith(b"^")
        name, _, port = text[controls[place] :].rpartition(b":")
        if not port.isdigit():
            name, port = text[controls[place] :], b"0"
        ports[place] = int(port[:4])
        source = by_name.get(name, -1)
        if source < 0 and (output := _OUTPUT_OF_FUNCTION.fullmatch(text)):
            source = by_name.get(output[1], -1)
        sources[place] = source
    draft.link_many(sources, targets, ports, controls)


def _ports(data: bytes, draft: Draft, attrs: FieldColumns, count: int) -> list[int]:
    """What the nodes give out, as far as their attributes tell."""
    entries = walk(data, attrs.begins, attrs.ends)
    keys, values = entries.of(NodeDef.AttrEntry.key), entries.of(NodeDef.AttrEntry.value)
    value_of_entry = values.last_of_each(len(attrs.begins))
    dtype, shape = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    for attribute_names, column in ((_DTYPE_ATTRIBUTES, dtype), (_SHAPE_ATTRIBUTES, shape)):
        for name in attribute_names:
            entry_ids = keys.owners[equals(data, keys, name)]
            entry_ids = entry_ids[value_of_entry[entry_ids] >= 0]
            column[attrs.owners[entry_ids]] = value_of_entry[entry_ids]
    return _port_numbers(data, draft, values, dtype, shape)


def _port_numbers(data: bytes, draft: Draft, values: FieldColumns, dtype: Ints, shape: Ints) -> list[int]:
    """Few kinds of tensors go through a graph, so that each encoded one is decoded once."""
    numbers: dict[tuple[bytes, bytes], int] = {(b"", b""): 0}
    begins, ends = values.begins.tolist(), values.ends.tolist()
    ports = []
    for dtype_at, shape_at in zip(dtype.tolist(), shape.tolist(), strict=True):
        key = (
            data[begins[dtype_at] : ends[dtype_at]] if dtype_at >= 0 else b"",
            data[begins[shape_at] : ends[shape_at]] if shape_at >= 0 else b"",
        )
        number = numbers.get(key)
        if number is None:
            number = numbers[key] = draft.ports_of(_decode_ports(*key))
        ports.append(number)
    return ports


def _decode_ports(dtype: bytes, shape: bytes) -> list[Port]:
    try:
        type_name = _dtype(message(dtype).integer(AttrValue.type))
        value = message(shape)
        if AttrValue.shape in value:
            shapes = [value.content(AttrValue.shape)]
        else:
            lists = value.messages(AttrValue.list)
            shapes = [each for entry in lists for each in entry.contents(AttrValue.ListValue.shape)]
        return [Port(type_name, _shape(message(each))) for each in shapes[:64]] or (
            [Port(type_name, "")] if dtype else []
        )
    except Malformed:
        return []


def _shape(shape: MessageFields) -> str:
    if shape.integer(TensorShapeProto.unknown_rank):
        return ""
    return shape_text([dim.integer(TensorShapeProto.Dim.size) for dim in shape.messages(TensorShapeProto.dim)])


def _dtype(number: int) -> str:
    if not number:
        return ""
    name = _DTYPES.get(number % 100, f"type {number % 100}")
    return f"{name} reference" if number > 100 else name


def node_details(node: bytes, kind: NodeKind) -> Details:
    """The attributes of a node; raises Malformed."""
    fields = message(node)
    attrs = sorted(attributes(fields.contents(NodeDef.attr), _attribute))
    return Details(attrs, fields.text(NodeDef.device))


def _attribute(entry: MessageFields) -> tuple[str, str]:
    return entry.text(NodeDef.AttrEntry.key), _value(entry.content(NodeDef.AttrEntry.value))


def _value(content: bytes) -> str:
    value = message(content)
    if AttrValue.list in value:
        return _list(value.messages(AttrValue.list)[-1]) if value.contents(AttrValue.list) else "[]"
    if AttrValue.func in value:
        functions = value.messages(AttrValue.func)
        return functions[-1].text(NameAttrList.name) if functions else ""
    return next(iter(_scalars(value)), value.text(AttrValue.placeholder))


def _list(value: MessageFields) -> str:
    functions = [function.text(NameAttrList.name) for function in value.messages(AttrValue.ListValue.func)]
    values = [*_scalars(value), *functions]
    return listed(values, len(values))


def _scalars(value: MessageFields) -> list[str]:
    """The values of an attribute or of its list, which share their numbers."""
    return [
        *(bytes_text(content) for content in value.contents(AttrValue.s)),
        *(str(each) for each in value.integers(AttrValue.i)),
        *(number_text(each) for each in value.singles(AttrValue.f)),
        *("true" if each else "false" for each in value.integers(AttrValue.b)),
        *(_dtype(each) for each in value.integers(AttrValue.type)),
        *(_shape(each) or "unknown" for each in value.messages(AttrValue.shape)),
        *(_tensor(each) for each in value.messages(AttrValue.tensor)),
    ]


def _tensor(tensor: MessageFields) -> str:
    proto = TensorProto
    shapes = tensor.messages(proto.tensor_shape)
    head = f"{_dtype(tensor.integer(proto.dtype))} {_shape(shapes[-1]) if shapes else '[]'}"
    values = [number_text(each) for each in (*tensor.singles(proto.float_val), *tensor.doubles(proto.double_val))]
    values += [str(each) for number in (proto.int_val, proto.int64_val) for each in tensor.integers(number)]
    values += [bytes_text(each) for each in tensor.contents(proto.string_val)]
    values += ["true" if each else "false" for each in tensor.integers(proto.bool_val)]
    if values:
        return f"{head} {listed(values, len(values))}"
    return f"{head}, {len(tensor.content(proto.tensor_content)):,} bytes" if proto.tensor_content in tensor else head
