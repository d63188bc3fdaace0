"""GraphProto of MindSpore (anf_ir.proto), in summary files and in `.pb` exports."""

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
from mindinsight_like.graphs.message_columns import FieldColumns, contents, each_last, walk, walk_one
from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.logs.wire import BYTES, VARINT, Malformed

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
    if len(fields.of(1, VARINT).ids) == 0 and len(fields.of(1, BYTES).ids):
        return read_graph(data)  # what MindSpore's debugger dumps: the graph alone
    graphs = fields.of(4)
    if not len(graphs.ids):
        raise BadGraph("the file holds no graph of MindSpore")
    return read_graph(data, int(graphs.begins[-1]), int(graphs.ends[-1]))


def read_graph(data: bytes, begin: int = 0, end: int | None = None) -> Draft:
    """The graph in a summary file; raises Malformed, BadGraph."""
    fields = walk_one(data, begin, end)
    draft = Draft(b"".join(contents(data, fields.of(2))[-1:]).decode(errors="replace"))
    by_name: dict[bytes, int] = {}
    nodes = fields.of(1)
    count = len(nodes.begins)
    inner = walk(data, nodes.begins, nodes.ends)
    columns = [each_last(data, inner.of(number), count) for number in (2, 3, 4, 6, 8)]
    names, types, scopes, outputs, full_names = columns
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
    _add_values(data, draft, fields.of(3), by_name, known_ports)
    _add_constants(data, draft, fields.of(5), by_name)
    _add_edges(data, draft, inner.of(1), by_name)
    return draft


def _port_numbers(draft: Draft, outputs: list[bytes], known: dict[bytes, int]) -> list[int]:
    """Few kinds of values go through a graph, so that each encoded one is decoded once."""
    numbers = []
    for output in outputs:
        number = known.get(output)
        if number is None:
            number = known[output] = draft.ports_of(_ports(output))
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
    data: bytes, draft: Draft, parameters: FieldColumns, by_name: dict[bytes, int], known: dict[bytes, int]
) -> None:
    inner = walk(data, parameters.begins, parameters.ends)
    count = len(parameters.begins)
    places = zip(parameters.begins.tolist(), parameters.ends.tolist(), strict=True)
    names = each_last(data, inner.of(1), count)
    ports = _port_numbers(draft, each_last(data, inner.of(2), count), known)
    for place, name, port in zip(places, names, ports, strict=True):
        label = name.decode(errors="replace")
        number = draft.add(label, "Parameter", NodeKind.PARAMETER, ports=port, place=place, floats=True)
        by_name.setdefault(name, number)


def _add_constants(data: bytes, draft: Draft, constants: FieldColumns, by_name: dict[bytes, int]) -> None:
    inner = walk(data, constants.begins, constants.ends)
    count = len(constants.begins)
    places = zip(constants.begins.tolist(), constants.ends.tolist(), strict=True)
    names, values = each_last(data, inner.of(1), count), inner.of(2)
    held = [bytes(content[:16]) for content in contents(data, values)]  # the type comes first
    at = values.last_of_each(count).tolist()
    for place, name, value in zip(places, names, at, strict=True):
        ports = draft.ports_of(_constant_port(held[value] if value >= 0 else b""))
        number = draft.add(
            name.decode(errors="replace"), "Const", NodeKind.CONSTANT, ports=ports, place=place, floats=True
        )
        by_name.setdefault(name, number)


def _constant_port(head: bytes) -> list[Port]:
    is_typed = len(head) > 1 and head[0] == 8 and head[1] < len(_DTYPES)
    return [Port(_DTYPES[head[1]], "")] if is_typed else []


def _add_edges(data: bytes, draft: Draft, inputs: FieldColumns, by_name: dict[bytes, int]) -> None:
    fields = walk(data, inputs.begins, inputs.ends)
    count = len(inputs.begins)
    controls = fields.of(2, VARINT)
    is_control = [False] * count
    for place in controls.owners[controls.numbers == 1].tolist():
        is_control[place] = True
    names = each_last(data, fields.of(1), count)
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


def _outputs(given: MessageFields, depth: int) -> list[Port]:
    if 3 in given and depth < MOST_DEPTH:
        inner = [each for sequence in given.messages(3) for each in sequence.messages(1)]
        return [port for each in inner[:64] for port in _outputs(each, depth + 1)]
    for tensor in given.messages(2):
        sizes = [size.integer(1) for shape in tensor.messages(2) for size in shape.messages(1)]
        return [Port(_dtype(tensor.integer(1)), shape_text(sizes))]
    return [Port(_dtype(given.integer(1)), "")]


def _dtype(number: int) -> str:
    return _DTYPES[number] if 0 <= number < len(_DTYPES) else f"type {number}"


def node_details(node: bytes, kind: NodeKind) -> Details:
    """The attributes of a node, the type of a parameter or the value of a constant; raises Malformed."""
    fields = message(node)
    if kind == NodeKind.CONSTANT:
        return Details([("value", _value(fields.content(2)))])
    if kind == NodeKind.PARAMETER:
        return Details([("default", _value(fields.content(3)))] if 3 in fields else [])
    found = list(attributes(fields.contents(5), lambda entry: (entry.text(1), _value(entry.content(2)))))
    if 10 in fields:
        found.append(("instance_name", cut(fields.text(10))))
    return Details(found)


def _value(content: bytes, depth: int = 0) -> str:
    value = message(content)
    if depth > MOST_DEPTH:
        return "…"
    if 18 in value:  # values of a tuple or list
        inner = value.contents(18)
        return listed((_value(each, depth + 1) for each in inner), len(inner), "()")
    if 19 in value:
        entries = value.contents(19)
        pairs = (message(entry) for entry in entries)
        return listed((f"{pair.text(1)}: {_value(pair.content(2), depth + 1)}" for pair in pairs), len(entries), "{}")
    for number, read in _SINGLE.items():
        if number in value:
            return read(value)
    for number, read_all in _SEVERAL.items():
        if number in value:
            found = read_all(value)
            return listed(found, len(found))
    return _dtype(value.integer(1))


def _tensor(tensor: MessageFields) -> str:
    sizes = shape_text(tensor.integers(1))
    numbers = [number_text(each) for each in (*tensor.singles(3), *tensor.doubles(6))]
    numbers += [str(each) for field in (4, 5, 7) for each in tensor.integers(field)]
    return f"{_dtype(tensor.integer(2))} {sizes}" + (f" {listed(numbers, len(numbers))}" if numbers else "")


_SINGLE: dict[int, Callable[[MessageFields], str]] = {
    2: lambda value: "true" if value.integer(2) else "false",
    3: lambda value: str(value.integer(3)),
    4: lambda value: str(value.integer(4)),
    5: lambda value: number_text(value.single(5)),
    6: lambda value: repr(value.double(6)),
    7: lambda value: bytes_text(value.content(7)),
    8: lambda value: _tensor(value.messages(8)[-1]) if value.contents(8) else "",
    9: lambda value: f"graph {value.messages(9)[-1].text(2)}" if value.contents(9) else "",
    20: lambda value: ", ".join(f"{port.dtype} {port.shape}".strip() for port in _ports(value.content(20))),
}
_SEVERAL: dict[int, Callable[[MessageFields], list[str]]] = {
    10: lambda value: ["true" if each else "false" for each in value.integers(10)],
    11: lambda value: [str(each) for each in value.integers(11)],
    12: lambda value: [str(each) for each in value.integers(12)],
    13: lambda value: [number_text(each) for each in value.singles(13)],
    14: lambda value: [repr(each) for each in value.doubles(14)],
    15: lambda value: [bytes_text(each) for each in value.contents(15)],
    16: lambda value: [_tensor(each) for each in value.messages(16)],
    17: lambda value: [f"graph {each.text(2)}" for each in value.messages(17)],
}
