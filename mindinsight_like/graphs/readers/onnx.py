"""Read ONNX models: nodes that name the values between them, weights, subgraphs in attributes, and functions."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from mindinsight_like.graphs.details import message
from mindinsight_like.graphs.drafts import BadGraph, Draft, NodeKind, Port, shape_text
from mindinsight_like.graphs.readers.onnx_details import dtype_name
from mindinsight_like.logs.protobuf.message_columns import FieldColumns, contents, each_last, equals, walk, walk_one
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.onnx import (
    AttributeProto,
    FunctionProto,
    GraphProto,
    ModelProto,
    NodeProto,
    StringStringEntryProto,
    TensorProto,
    TensorShapeProto,
    TypeProto,
    ValueInfoProto,
)
from mindinsight_like.logs.protobuf.wire import BYTES, VARINT, Malformed

_MOST_NESTED = 16
_MOST_BYTES_OF_WEIGHT = 64 * 1024  # of one whose message is looked into again
_SCOPES = b"pkg.torch.onnx.name_scopes"
_QUOTED = re.compile(rb"'([^']*)'")

_NO_SOURCE = (-1, 0)
_OTHER_TYPES = (
    (TypeProto.sequence_type, "sequence"),
    (TypeProto.map_type, "map"),
    (TypeProto.optional_type, "optional"),
)
_Values = dict[bytes, tuple[int, int]]  # name of a value: node and port that it comes from


def read_model(data: bytes) -> Draft:
    """The graph of a model; raises Malformed, BadGraph."""
    fields = walk_one(data)
    graphs = fields.of(ModelProto.graph)
    if not len(graphs.ids):
        raise BadGraph("not an ONNX model")
    draft = Draft()
    title = _ModelReader(data, draft).add_graph(int(graphs.begins[-1]), int(graphs.ends[-1]), "", [], 0)
    functions = fields.of(ModelProto.functions)
    for begin, end in zip(functions.begins.tolist(), functions.ends.tolist(), strict=True):
        _ModelReader(data, draft).add_function(begin, end)
    draft.title = title.decode(errors="replace")
    return draft


class _ModelReader:
    def __init__(self, data: bytes, draft: Draft) -> None:
        self._data = data
        self._draft = draft
        self._port_of_type: dict[bytes, int] = {b"": 0}

    def add_graph(self, begin: int, end: int, prefix: str, outer: Sequence[_Values], depth: int) -> bytes:
        """Adds a graph whose nodes may use the values of those around it; gives its name."""
        if depth > _MOST_NESTED:
            raise BadGraph("graphs are nested too deeply")
        data, draft = self._data, self._draft
        fields = walk_one(data, begin, end)
        types: dict[bytes, bytes] = {}
        for number in (GraphProto.value_info, GraphProto.output, GraphProto.input):
            types.update(zip(*self._typed(fields.of(number)), strict=True))
        values: _Values = {}
        self._add_weights(fields.of(GraphProto.initializer), values)
        inputs, _ = self._typed(fields.of(GraphProto.input))
        for name in inputs:
            if name not in values:
                text = prefix + name.decode(errors="replace")
                values[name] = draft.add(text, "Input", NodeKind.INPUT, ports=self._ports([types[name]])), 0
        self._add_nodes(fields.of(GraphProto.node), prefix, types, [values, *outer], depth)
        outputs, _ = self._typed(fields.of(GraphProto.output))
        for name in outputs:
            text = prefix + name.decode(errors="replace")
            target = draft.add(f"{text} (output)", "Output", NodeKind.OUTPUT, ports=self._ports([types[name]]))
            self._link([name], [target], [values, *outer])
        return b"".join(contents(data, fields.of(GraphProto.name))[-1:])

    def add_function(self, begin: int, end: int) -> None:
        """A function of the model; those that call it name it as their operator."""
        data, draft = self._data, self._draft
        fields = walk_one(data, begin, end)
        parts = (FunctionProto.domain, FunctionProto.name)
        name = b".".join(each for number in parts for each in contents(data, fields.of(number))[-1:] if each)
        scope = f"functions/{name.decode(errors='replace') or 'unnamed'}/"
        values: _Values = {}
        for argument in contents(data, fields.of(FunctionProto.input)):
            values[argument] = draft.add(scope + argument.decode(errors="replace"), "Input", NodeKind.INPUT), 0
        types = dict(zip(*self._typed(fields.of(FunctionProto.value_info)), strict=True))
        self._add_nodes(fields.of(FunctionProto.node), scope, types, [values], 0)
        for argument in contents(data, fields.of(FunctionProto.output)):
            target = draft.add(f"{scope}{argument.decode(errors='replace')} (output)", "Output", NodeKind.OUTPUT)
            self._link([argument], [target], [values])

    def _typed(self, entries: FieldColumns) -> tuple[list[bytes], list[bytes]]:
        """Names and encoded types of inputs, outputs or other values."""
        inner = walk(self._data, entries.begins, entries.ends)
        count = len(entries.begins)
        names, types = inner.of(ValueInfoProto.name), inner.of(ValueInfoProto.type)
        return each_last(self._data, names, count), each_last(self._data, types, count)

    def _ports(self, encoded: Sequence[bytes]) -> int:
        """The number of the ports with some encoded types; few differ, so that each is decoded once."""
        if len(encoded) == 1:
            number = self._port_of_type.get(encoded[0])
            if number is None:
                number = self._port_of_type[encoded[0]] = self._draft.ports_of([_port(encoded[0])])
            return number
        return self._draft.ports_of([_port(each) for each in encoded[:64]]) if any(encoded) else 0

    def _add_weights(self, tensors: FieldColumns, values: _Values) -> None:
        data, draft = self._data, self._draft
        count = len(tensors.begins)
        inner = walk(data, tensors.begins, tensors.ends)
        names = each_last(data, inner.of(TensorProto.name), count)
        dtypes = np.zeros(count, np.int64)
        typed = inner.of(TensorProto.data_type, VARINT)
        dtypes[typed.owners] = np.minimum(typed.numbers, 1000).astype(np.int64)
        sizes: list[list[int]] = [[] for _ in range(count)]
        single = inner.of(TensorProto.dims, VARINT)
        for owner, size in zip(single.owners.tolist(), single.numbers.view(np.int64).tolist(), strict=True):
            sizes[owner].append(size)
        packed = inner.of(TensorProto.dims)
        for owner, content in zip(packed.owners.tolist(), contents(data, packed), strict=True):
            sizes[owner] += MessageFields(_as_dims(content)).integers(TensorProto.dims)
        places = zip(tensors.begins.tolist(), tensors.ends.tolist(), strict=True)
        known_ports: dict[tuple[int, ...], int] = {}
        for name, place, dtype, shape in zip(names, places, dtypes.tolist(), sizes, strict=True):
            key = (dtype, *shape)
            ports = known_ports.get(key, -1)
            if ports < 0:
                ports = known_ports[key] = draft.ports_of([Port(dtype_name(dtype), shape_text(shape))])
            stored_place = place if place[1] - place[0] <= _MOST_BYTES_OF_WEIGHT else (0, 0)
            text = name.decode(errors="replace")
            values[name] = (
                draft.add(text, "Initializer", NodeKind.PARAMETER, ports=ports, place=stored_place, floats=True),
                0,
            )

    def _add_nodes(
        self, nodes: FieldColumns, prefix: str, types: dict[bytes, bytes], around: list[_Values], depth: int
    ) -> None:
        data, draft = self._data, self._draft
        count = len(nodes.begins)
        fields = walk(data, nodes.begins, nodes.ends)
        outputs = fields.of(NodeProto.output)
        output_names = contents(data, outputs)
        outputs_of_node: list[list[bytes]] = [[] for _ in range(count)]
        for owner, name in zip(outputs.owners.tolist(), output_names, strict=True):
            outputs_of_node[owner].append(name)
        kinds = each_last(data, fields.of(NodeProto.op_type), count)
        names = self._names(fields, kinds, prefix, count)
        texts = {kind: kind.decode(errors="replace") for kind in set(kinds)}
        first = draft.add_many(
            names,
            [texts[kind] for kind in kinds],
            [NodeKind.CONSTANT if kind == b"Constant" else NodeKind.OPERATOR for kind in kinds],
            [self._ports([types.get(name, b"") for name in each]) for each in outputs_of_node]
            if types
            else [0] * count,
            nodes.begins.tolist(),
            nodes.ends.tolist(),
        )
        values = around[0]
        for node, each in enumerate(outputs_of_node, first):
            for port, name in enumerate(each):
                if name:
                    values[name] = node, port
        inputs = fields.of(NodeProto.input)
        self._link(contents(data, inputs), (inputs.owners + first).tolist(), around)
        self._add_subgraphs(fields.of(NodeProto.attribute), names, around, depth)

    def _names(self, fields: FieldColumns, kinds: list[bytes], prefix: str, count: int) -> list[str]:
        """Full names: what the node is called, in the scopes that torch tells where it does."""
        data = self._data
        own_names = each_last(data, fields.of(NodeProto.name), count)
        scopes = [b""] * count
        entries = fields.of(NodeProto.metadata_props)
        inner = walk(data, entries.begins, entries.ends)
        keys, values = inner.of(StringStringEntryProto.key), inner.of(StringStringEntryProto.value)
        value_of_entry = values.last_of_each(len(entries.begins))
        for entry in keys.owners[equals(data, keys, _SCOPES)].tolist():
            place = int(value_of_entry[entry])
            if place >= 0:
                parts = _QUOTED.findall(data[values.begins[place] : values.ends[place]])
                scopes[entries.owners[entry]] = parts[-2].replace(b".", b"/") if len(parts) > 1 else b""
        names = []
        for place, (name, scope) in enumerate(zip(own_names, scopes, strict=True)):
            text = (scope + b"/" + name if scope else name) if name else scope + b"/" + kinds[place] + b"_%d" % place
            names.append(prefix + text.decode(errors="replace").lstrip("/"))
        return names

    def _link(self, names: list[bytes], targets: list[int], around: Sequence[_Values]) -> None:
        nearest = around[0]
        origins = [nearest.get(name) for name in names]
        for place, source in enumerate(origins):
            if source is None:
                origins[place] = next(
                    (values[names[place]] for values in around[1:] if names[place] in values), _NO_SOURCE
                )
        if b"" in names:  # inputs that may be left out
            connected = [place for place, name in enumerate(names) if name]
            origins, targets = [origins[place] for place in connected], [targets[place] for place in connected]
        sources = [source or _NO_SOURCE for source in origins]
        ports = [port for _, port in sources]
        self._draft.link_many([node for node, _ in sources], targets, ports, [False] * len(sources))

    def _add_subgraphs(self, entries: FieldColumns, names: list[str], around: list[_Values], depth: int) -> None:
        inner = walk(self._data, entries.begins, entries.ends)
        attribute_names = each_last(self._data, inner.of(AttributeProto.name), len(entries.begins))
        for number in (AttributeProto.g, AttributeProto.graphs):
            graphs = inner.of(number)
            places = zip(graphs.owners.tolist(), graphs.begins.tolist(), graphs.ends.tolist(), strict=True)
            for place, (entry, begin, end) in enumerate(places):
                attribute = attribute_names[entry].decode(errors="replace").replace("/", "_") or "graph"
                label = f"{attribute}_{place}" if number == AttributeProto.graphs else attribute
                node = names[entries.owners[entry]]
                self.add_graph(begin, end, f"{node}/{label}/", around, depth + 1)


def _as_dims(packed: bytes) -> bytes:
    """Packed numbers as the `dims` of a message, so that they can be read as such."""
    length, head = len(packed), bytearray([TensorProto.dims << 3 | BYTES])
    while length >= 0x80:
        head.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes(head) + bytes([length]) + packed


def _port(encoded: bytes) -> Port:
    try:
        value_type = message(encoded)
        for number in (TypeProto.tensor_type, TypeProto.sparse_tensor_type):
            for tensor in value_type.messages(number):
                shapes = tensor.messages(TypeProto.Tensor.shape)
                sizes = [_size(size) for size in shapes[-1].messages(TensorShapeProto.dim)] if shapes else None
                return Port(
                    dtype_name(tensor.integer(TypeProto.Tensor.elem_type)), "" if sizes is None else shape_text(sizes)
                )
        for number, name in _OTHER_TYPES:
            if number in value_type:
                return Port(name, "")
    except Malformed:
        pass
    return Port("", "")


def _size(size: MessageFields) -> int | str:
    dimension = TensorShapeProto.Dimension
    if dimension.dim_param in size:
        return size.text(dimension.dim_param)
    return size.integer(dimension.dim_value) if dimension.dim_value in size else -1
