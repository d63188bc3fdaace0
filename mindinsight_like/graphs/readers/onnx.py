"""Models of ONNX: nodes that name the values between them, weights, subgraphs in attributes, and functions."""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from mindinsight_like.graphs.details import message
from mindinsight_like.graphs.drafts import BadGraph, Draft, NodeKind, Port, shape_text
from mindinsight_like.graphs.message_columns import FieldColumns, contents, each_last, equals, walk, walk_one
from mindinsight_like.graphs.readers.onnx_details import dtype_name
from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.logs.wire import VARINT, Malformed

_MOST_NESTED = 16
_MOST_BYTES_OF_WEIGHT = 64 * 1024  # of one whose message is looked into again
_SCOPES = b"pkg.torch.onnx.name_scopes"
_QUOTED = re.compile(rb"'([^']*)'")

_NOWHERE = (-1, 0)
_Values = dict[bytes, tuple[int, int]]  # name of a value: node and port that it comes from


def read_model(data: bytes) -> Draft:
    """The graph of a model; raises Malformed, BadGraph."""
    fields = walk_one(data)
    graphs = fields.of(7)
    if not len(graphs.ids):
        raise BadGraph("the file holds no graph of ONNX")
    draft = Draft()
    title = _Reading(data, draft).add_graph(int(graphs.begins[-1]), int(graphs.ends[-1]), "", [], 0)
    functions = fields.of(25)
    for begin, end in zip(functions.begins.tolist(), functions.ends.tolist(), strict=True):
        _Reading(data, draft).add_function(begin, end)
    draft.title = title.decode(errors="replace")
    return draft


class _Reading:
    def __init__(self, data: bytes, draft: Draft) -> None:
        self._data = data
        self._draft = draft
        self._port_of_type: dict[bytes, int] = {b"": 0}

    def add_graph(self, begin: int, end: int, prefix: str, outer: Sequence[_Values], depth: int) -> bytes:
        """Adds a graph whose nodes may use the values of those around it; gives its name."""
        if depth > _MOST_NESTED:
            raise BadGraph("graphs are nested too deep")
        data, draft = self._data, self._draft
        fields = walk_one(data, begin, end)
        types: dict[bytes, bytes] = {}
        for number in (13, 12, 11):
            types.update(zip(*self._typed(fields.of(number)), strict=True))
        values: _Values = {}
        self._add_weights(fields.of(5), values)
        inputs, _ = self._typed(fields.of(11))
        for name in inputs:
            if name not in values:
                text = prefix + name.decode(errors="replace")
                values[name] = draft.add(text, "Input", NodeKind.INPUT, ports=self._ports([types[name]])), 0
        self._add_nodes(fields.of(1), prefix, types, [values, *outer], depth)
        outputs, _ = self._typed(fields.of(12))
        for name in outputs:
            text = prefix + name.decode(errors="replace")
            target = draft.add(f"{text} (output)", "Output", NodeKind.OUTPUT, ports=self._ports([types[name]]))
            self._link([name], [target], [values, *outer])
        return b"".join(contents(data, fields.of(2))[-1:])

    def add_function(self, begin: int, end: int) -> None:
        """A function of the model; those that call it name it as their operator."""
        data, draft = self._data, self._draft
        fields = walk_one(data, begin, end)
        name = b".".join(each for number in (10, 1) for each in contents(data, fields.of(number))[-1:] if each)
        scope = f"functions/{name.decode(errors='replace') or 'unnamed'}/"
        values: _Values = {}
        for given in contents(data, fields.of(4)):
            values[given] = draft.add(scope + given.decode(errors="replace"), "Input", NodeKind.INPUT), 0
        types = dict(zip(*self._typed(fields.of(12)), strict=True))
        self._add_nodes(fields.of(7), scope, types, [values], 0)
        for given in contents(data, fields.of(5)):
            target = draft.add(f"{scope}{given.decode(errors='replace')} (output)", "Output", NodeKind.OUTPUT)
            self._link([given], [target], [values])

    def _typed(self, entries: FieldColumns) -> tuple[list[bytes], list[bytes]]:
        """Names and encoded types of inputs, outputs or other values."""
        inner = walk(self._data, entries.begins, entries.ends)
        count = len(entries.begins)
        return each_last(self._data, inner.of(1), count), each_last(self._data, inner.of(2), count)

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
        names = each_last(data, inner.of(8), count)
        dtypes = np.zeros(count, np.int64)
        typed = inner.of(2, VARINT)
        dtypes[typed.owners] = np.minimum(typed.numbers, 1000).astype(np.int64)
        sizes: list[list[int]] = [[] for _ in range(count)]
        single = inner.of(1, VARINT)
        for owner, size in zip(single.owners.tolist(), single.numbers.view(np.int64).tolist(), strict=True):
            sizes[owner].append(size)
        packed = inner.of(1)
        for owner, content in zip(packed.owners.tolist(), contents(data, packed), strict=True):
            sizes[owner] += MessageFields(_as_field(content)).integers(1)
        places = zip(tensors.begins.tolist(), tensors.ends.tolist(), strict=True)
        known_ports: dict[tuple[int, ...], int] = {}
        for name, place, dtype, shape in zip(names, places, dtypes.tolist(), sizes, strict=True):
            key = (dtype, *shape)
            ports = known_ports.get(key, -1)
            if ports < 0:
                ports = known_ports[key] = draft.ports_of([Port(dtype_name(dtype), shape_text(shape))])
            known = place if place[1] - place[0] <= _MOST_BYTES_OF_WEIGHT else (0, 0)
            text = name.decode(errors="replace")
            values[name] = draft.add(text, "Initializer", NodeKind.PARAMETER, ports=ports, place=known, floats=True), 0

    def _add_nodes(
        self, nodes: FieldColumns, prefix: str, types: dict[bytes, bytes], around: list[_Values], depth: int
    ) -> None:
        data, draft = self._data, self._draft
        count = len(nodes.begins)
        fields = walk(data, nodes.begins, nodes.ends)
        outputs = fields.of(2)
        output_names = contents(data, outputs)
        given: list[list[bytes]] = [[] for _ in range(count)]
        for owner, name in zip(outputs.owners.tolist(), output_names, strict=True):
            given[owner].append(name)
        kinds = each_last(data, fields.of(4), count)
        names = self._names(fields, kinds, prefix, count)
        texts = {kind: kind.decode(errors="replace") for kind in set(kinds)}
        first = draft.add_many(
            names,
            [texts[kind] for kind in kinds],
            [NodeKind.CONSTANT if kind == b"Constant" else NodeKind.OPERATOR for kind in kinds],
            [self._ports([types.get(name, b"") for name in each]) for each in given] if types else [0] * count,
            nodes.begins.tolist(),
            nodes.ends.tolist(),
        )
        values = around[0]
        for node, each in enumerate(given, first):
            for port, name in enumerate(each):
                if name:
                    values[name] = node, port
        inputs = fields.of(1)
        self._link(contents(data, inputs), (inputs.owners + first).tolist(), around)
        self._add_subgraphs(fields.of(5), names, around, depth)

    def _names(self, fields: FieldColumns, kinds: list[bytes], prefix: str, count: int) -> list[str]:
        """Full names: what the node is called, in the scopes that torch tells where it does."""
        data = self._data
        found = each_last(data, fields.of(3), count)
        scopes = [b""] * count
        entries = fields.of(9)
        inner = walk(data, entries.begins, entries.ends)
        keys, values = inner.of(1), inner.of(2)
        value_of_entry = values.last_of_each(len(entries.begins))
        for entry in keys.owners[equals(data, keys, _SCOPES)].tolist():
            place = int(value_of_entry[entry])
            if place >= 0:
                parts = _QUOTED.findall(data[values.begins[place] : values.ends[place]])
                scopes[entries.owners[entry]] = parts[-2].replace(b".", b"/") if len(parts) > 1 else b""
        names = []
        for place, (name, scope) in enumerate(zip(found, scopes, strict=True)):
            text = (scope + b"/" + name if scope else name) if name else scope + b"/" + kinds[place] + b"_%d" % place
            names.append(prefix + text.decode(errors="replace").lstrip("/"))
        return names

    def _link(self, names: list[bytes], targets: list[int], around: Sequence[_Values]) -> None:
        nearest = around[0]
        found = [nearest.get(name) for name in names]
        for place, source in enumerate(found):
            if source is None:
                found[place] = next((values[names[place]] for values in around[1:] if names[place] in values), _NOWHERE)
        if b"" in names:  # inputs that may be left out
            kept = [place for place, name in enumerate(names) if name]
            found, targets = [found[place] for place in kept], [targets[place] for place in kept]
        sources = [source or _NOWHERE for source in found]
        ports = [port for _, port in sources]
        self._draft.link_many([node for node, _ in sources], targets, ports, [False] * len(sources))

    def _add_subgraphs(self, entries: FieldColumns, names: list[str], around: list[_Values], depth: int) -> None:
        inner = walk(self._data, entries.begins, entries.ends)
        attribute_names = each_last(self._data, inner.of(1), len(entries.begins))
        for number in (6, 11):
            graphs = inner.of(number)
            places = zip(graphs.owners.tolist(), graphs.begins.tolist(), graphs.ends.tolist(), strict=True)
            for place, (entry, begin, end) in enumerate(places):
                attribute = attribute_names[entry].decode(errors="replace").replace("/", "_") or "graph"
                label = f"{attribute}_{place}" if number == 11 else attribute
                node = names[entries.owners[entry]]
                self.add_graph(begin, end, f"{node}/{label}/", around, depth + 1)


def _as_field(packed: bytes) -> bytes:
    """Packed numbers as the field 1 of a message, so that they can be read as such."""
    length, head = len(packed), bytearray([0x0A])
    while length >= 0x80:
        head.append(length & 0x7F | 0x80)
        length >>= 7
    return bytes(head) + bytes([length]) + packed


def _port(encoded: bytes) -> Port:
    try:
        given = message(encoded)
        for number in (1, 8):
            for tensor in given.messages(number):
                shapes = tensor.messages(2)
                sizes = [_size(size) for size in shapes[-1].messages(1)] if shapes else None
                return Port(dtype_name(tensor.integer(1)), "" if sizes is None else shape_text(sizes))
        for number, name in ((4, "sequence"), (5, "map"), (9, "optional")):
            if number in given:
                return Port(name, "")
    except Malformed:
        pass
    return Port("", "")


def _size(size: MessageFields) -> int | str:
    return size.text(2) if 2 in size else size.integer(1) if 1 in size else -1
