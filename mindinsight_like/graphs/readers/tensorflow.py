"""GraphDef, as TensorBoard's event files and TensorFlow's exports hold it; torch and tensorboardX write it, too."""

from __future__ import annotations

import re

import numpy as np

from mindinsight_like.graphs.details import Details, attributes, bytes_text, listed, message, number_text
from mindinsight_like.graphs.drafts import Draft, NodeKind, Port, shape_text
from mindinsight_like.graphs.message_columns import FieldColumns, Ints, contents, each_last, equals, walk, walk_one
from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.logs.wire import Malformed

_DTYPES = {
    1: "float32",
    2: "float64",
    3: "int32",
    4: "uint8",
    5: "int16",
    6: "int8",
    7: "string",
    8: "complex64",
    9: "int64",
    10: "bool",
    11: "qint8",
    12: "quint8",
    13: "qint32",
    14: "bfloat16",
    15: "qint16",
    16: "quint16",
    17: "uint16",
    18: "complex128",
    19: "float16",
    20: "resource",
    21: "variant",
    22: "uint32",
    23: "uint64",
    24: "float8_e5m2",
    25: "float8_e4m3fn",
    29: "int4",
    30: "uint4",
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
    _add_nodes(data, draft, fields.of(1), prefix, {})
    for library in fields.of(2).begins.tolist():
        place = int(np.flatnonzero(fields.begins == library)[0])
        functions = walk_one(data, library, int(fields.ends[place])).of(1)
        for first, last in zip(functions.begins.tolist(), functions.ends.tolist(), strict=True):
            _add_function(data, draft, first, last, prefix)


def _add_function(data: bytes, draft: Draft, begin: int, end: int, prefix: str) -> None:
    fields = walk_one(data, begin, end)
    signature = message(b"".join(contents(data, fields.of(1))[-1:]))
    scope = f"{prefix}{_FUNCTIONS}/{signature.text(1) or 'unnamed'}/"
    known = {}
    for argument in signature.messages(2):
        ports = draft.ports_of([Port(_dtype(argument.integer(3)), "")]) if 3 in argument else 0
        name = argument.content(1)
        known[name] = draft.add(scope + argument.text(1), "argument", NodeKind.INPUT, ports=ports)
    by_name = _add_nodes(data, draft, fields.of(3), scope, known)
    for entry in contents(data, fields.of(4)):
        result = message(entry)
        target = draft.add(f"{scope}{result.text(1)} (result)", "result", NodeKind.OUTPUT)
        _link(draft, by_name, [result.content(2)], [target])


def _add_nodes(
    data: bytes, draft: Draft, nodes: FieldColumns, prefix: str, by_name: dict[bytes, int]
) -> dict[bytes, int]:
    """Gives the numbers of all nodes that inputs may name, those given included."""
    count = len(nodes.begins)
    fields = walk(data, nodes.begins, nodes.ends)
    names = each_last(data, fields.of(1), count)
    types = each_last(data, fields.of(2), count)
    type_texts = {name: name.decode(errors="replace") for name in set(types)}
    first = draft.add_many(
        [prefix + name.decode(errors="replace") for name in names],
        [type_texts[name] for name in types],
        [_kind(name, type_name) for name, type_name in zip(names, types, strict=True)],
        _ports(data, draft, fields.of(5), count),
        nodes.begins.tolist(),
        nodes.ends.tolist(),
    )
    for place, name in enumerate(names, first):
        by_name.setdefault(name, place)
    inputs = fields.of(3)
    _link(draft, by_name, contents(data, inputs), (inputs.owners + first).tolist())
    return by_name


def _kind(name: bytes, type_name: bytes) -> int:
    if type_name == b"IO Node":  # of torch
        return NodeKind.OUTPUT if name.startswith(b"output/") else NodeKind.INPUT
    return _KINDS.get(type_name, NodeKind.OPERATOR)


def _link(draft: Draft, by_name: dict[bytes, int], given: list[bytes], targets: list[int]) -> None:
    """Edges from what inputs name: `node`, `node:1`, `^node`, and in functions `node:output:0`."""
    sources = [by_name.get(name, -1) for name in given]
    ports, controls = [0] * len(given), [False] * len(given)
    for place, source in enumerate(sources):
        if source >= 0:
            continue
        text = given[place]
        controls[place] = text.startswith(b"^")
        name, _, port = text[controls[place] :].rpartition(b":")
        if not port.isdigit():
            name, port = text[controls[place] :], b"0"
        ports[place] = int(port[:4])
        source = by_name.get(name, -1)
        if source < 0 and (found := _OUTPUT_OF_FUNCTION.fullmatch(text)):
            source = by_name.get(found[1], -1)
        sources[place] = source
    draft.link_many(sources, targets, ports, controls)


def _ports(data: bytes, draft: Draft, attrs: FieldColumns, count: int) -> list[int]:
    """What the nodes give out, as far as their attributes tell."""
    entries = walk(data, attrs.begins, attrs.ends)
    keys, values = entries.of(1), entries.of(2)
    value_of_entry = values.last_of_each(len(attrs.begins))
    dtype, shape = np.full(count, -1, np.int64), np.full(count, -1, np.int64)
    for wanted, column in ((_DTYPE_ATTRIBUTES, dtype), (_SHAPE_ATTRIBUTES, shape)):
        for name in wanted:
            found = keys.owners[equals(data, keys, name)]
            found = found[value_of_entry[found] >= 0]
            column[attrs.owners[found]] = value_of_entry[found]
    return _distinct(data, draft, values, dtype, shape)


def _distinct(data: bytes, draft: Draft, values: FieldColumns, dtype: Ints, shape: Ints) -> list[int]:
    """Few kinds of tensors go through a graph, so that each encoded one is decoded once."""
    known: dict[tuple[bytes, bytes], int] = {(b"", b""): 0}
    begins, ends = values.begins.tolist(), values.ends.tolist()
    ports = []
    for dtype_at, shape_at in zip(dtype.tolist(), shape.tolist(), strict=True):
        key = (
            data[begins[dtype_at] : ends[dtype_at]] if dtype_at >= 0 else b"",
            data[begins[shape_at] : ends[shape_at]] if shape_at >= 0 else b"",
        )
        number = known.get(key)
        if number is None:
            number = known[key] = draft.ports_of(_decoded(*key))
        ports.append(number)
    return ports


def _decoded(dtype: bytes, shape: bytes) -> list[Port]:
    try:
        type_name = _dtype(message(dtype).integer(6))
        value = message(shape)
        held = [value.content(7)] if 7 in value else [each for entry in value.messages(1) for each in entry.contents(7)]
        return [Port(type_name, _shape(message(each))) for each in held[:64]] or (
            [Port(type_name, "")] if dtype else []
        )
    except Malformed:
        return []


def _shape(shape: MessageFields) -> str:
    return "" if shape.integer(3) else shape_text([size.integer(1) for size in shape.messages(2)])


def _dtype(number: int) -> str:
    if not number:
        return ""
    name = _DTYPES.get(number % 100, f"type {number % 100}")
    return f"{name} reference" if number > 100 else name


def node_details(node: bytes, kind: NodeKind) -> Details:
    """The attributes of a node; raises Malformed."""
    fields = message(node)
    found = sorted(attributes(fields.contents(5), lambda entry: (entry.text(1), _value(entry.content(2)))))
    return Details(found, fields.text(4))


def _value(content: bytes) -> str:
    value = message(content)
    if 1 in value:
        return _list(value.messages(1)[-1]) if value.contents(1) else "[]"
    if 10 in value:
        return value.messages(10)[-1].text(1) if value.contents(10) else ""
    return next(iter(_scalars(value, (2, 3, 4, 5, 6, 7, 8))), value.text(9))


def _list(value: MessageFields) -> str:
    functions = [function.text(1) for function in value.messages(9)]
    found = [*_scalars(value, (2, 3, 4, 5, 6, 7, 8)), *functions]
    return listed(found, len(found))


def _scalars(value: MessageFields, numbers: tuple[int, ...]) -> list[str]:
    """The values of an attribute, by the numbers that single ones and lists share."""
    found: list[str] = []
    for number in numbers:
        if number not in value:
            continue
        if number == 2:
            found += [bytes_text(content) for content in value.contents(2)]
        elif number == 3:
            found += [str(each) for each in value.integers(3)]
        elif number == 4:
            found += [number_text(each) for each in value.singles(4)]
        elif number == 5:
            found += ["true" if each else "false" for each in value.integers(5)]
        elif number == 6:
            found += [_dtype(each) for each in value.integers(6)]
        elif number == 7:
            found += [_shape(each) or "unknown" for each in value.messages(7)]
        else:
            found += [_tensor(each) for each in value.messages(8)]
    return found


def _tensor(tensor: MessageFields) -> str:
    shapes = tensor.messages(2)
    head = f"{_dtype(tensor.integer(1))} {_shape(shapes[-1]) if shapes else '[]'}"
    values = [number_text(each) for each in (*tensor.singles(5), *tensor.doubles(6))]
    values += [str(each) for number in (7, 10) for each in tensor.integers(number)]
    values += [bytes_text(each) for each in tensor.contents(8)]
    values += ["true" if each else "false" for each in tensor.integers(11)]
    if values:
        return f"{head} {listed(values, len(values))}"
    return f"{head}, {len(tensor.content(4)):,} bytes" if 4 in tensor else head
