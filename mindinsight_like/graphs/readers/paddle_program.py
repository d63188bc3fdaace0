"""ProgramDesc of Paddle (`.pdmodel`): blocks of operators that name the variables between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mindinsight_like.graphs.details import Details, attributes, bytes_text, cut, listed, message, number_text
from mindinsight_like.graphs.drafts import BadGraph, Draft, NodeKind, Port, shape_text
from mindinsight_like.graphs.message_columns import FieldColumns, contents, each_last, equals, walk, walk_one
from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.logs.wire import VARINT, Malformed, signed

_DTYPES = {
    0: "bool",
    1: "int16",
    2: "int32",
    3: "int64",
    4: "float16",
    5: "float32",
    6: "float64",
    19: "size_t",
    20: "uint8",
    21: "int8",
    22: "bfloat16",
    23: "complex64",
    24: "complex128",
    32: "float8_e4m3fn",
    33: "float8_e5m2",
}
_KINDS = {b"feed": NodeKind.INPUT, b"fetch": NodeKind.OUTPUT}
_QUEUES = {9, 10}  # types of the variables that feed and fetch operators are tied to
_STACK = "op_callstack"


def read_program(data: bytes) -> Draft:
    """The operators of a program; raises Malformed, BadGraph."""
    blocks = walk_one(data).of(1)
    if not len(blocks.ids):
        raise BadGraph("the file holds no program of Paddle")
    draft = Draft()
    reading = _Program(data, draft)
    for begin, end in zip(blocks.begins.tolist(), blocks.ends.tolist(), strict=True):
        reading.add_block(begin, end)
    return draft


class _Program:
    def __init__(self, data: bytes, draft: Draft) -> None:
        self._data = data
        self._draft = draft
        self._sources: dict[int, dict[bytes, tuple[int, int]]] = {}  # of each block: variable, its node and port
        self._variables: dict[int, dict[bytes, tuple[Port, bool, int]]] = {}  # what it is, whether a weight, its type
        self._parents: dict[int, int] = {}
        self._prefixes: dict[int, str] = {}  # of blocks that belong to an operator
        self._counts: dict[bytes, int] = {}

    def add_block(self, begin: int, end: int) -> None:
        """Blocks come in the order of their numbers, those of an operator behind the one it is in."""
        data, draft = self._data, self._draft
        fields = walk_one(data, begin, end)
        number = _number(fields, 1)
        self._parents[number] = _number(fields, 2)
        self._read_variables(number, fields.of(3))
        sources = self._sources.setdefault(number, {})
        ops = fields.of(4)
        count = len(ops.begins)
        inner = walk(data, ops.begins, ops.ends)
        types = each_last(data, inner.of(3), count)
        scopes, blocks = self._attributes(inner.of(4), count)
        given = [self._arguments(inner.of(field), count) for field in (1, 2)]
        places = zip(ops.begins.tolist(), ops.ends.tolist(), strict=True)
        prefix = self._prefixes.get(number, "" if number == 0 else f"block_{number}/")
        columns = zip(types, scopes, blocks, *given, places, strict=True)
        for type_name, scope, inner_blocks, inputs, outputs, place in columns:
            ports = [self._variable(number, name)[0] for name in outputs[:64]]
            text = type_name.decode(errors="replace")
            self._counts[type_name] = self._counts.get(type_name, -1) + 1
            path = "/".join(part for part in scope.decode(errors="replace").split("/") if part)
            name = f"{prefix}{path + '/' if path else ''}{text}_{self._counts[type_name]}"
            kind = _KINDS.get(type_name, NodeKind.OPERATOR)
            node = draft.add(name, text, kind, ports=draft.ports_of(ports), place=place)
            for variable in inputs:
                self._link(number, variable, node, prefix)
            sources.update((variable, (node, port)) for port, variable in enumerate(outputs))
            for block in inner_blocks:
                self._prefixes.setdefault(block, f"{name}/block_{block}/")

    def _read_variables(self, block: int, variables: FieldColumns) -> None:
        known = self._variables.setdefault(block, {})
        count = len(variables.begins)
        inner = walk(self._data, variables.begins, variables.ends)
        names = each_last(self._data, inner.of(1), count)
        types = each_last(self._data, inner.of(2), count)
        kept = inner.of(3, VARINT)
        is_weight = np.zeros(count, np.bool_)
        is_weight[kept.owners] = kept.numbers == 1
        decoded: dict[bytes, tuple[Port, int]] = {}
        for name, encoded, is_kept in zip(names, types, is_weight.tolist(), strict=True):
            if encoded not in decoded:
                decoded[encoded] = _variable_type(encoded)
            port, type_number = decoded[encoded]
            known[name] = port, is_kept, type_number

    def _variable(self, block: int, name: bytes) -> tuple[Port, bool, int]:
        """What is known of a variable, in its block or one around it."""
        for around in self._around(block):
            if name in self._variables.get(around, ()):
                return self._variables[around][name]
        return Port("", ""), False, 0

    def _around(self, block: int) -> list[int]:
        found: list[int] = []
        while block >= 0 and block not in found:
            found.append(block)
            block = self._parents.get(block, -1)
        return found

    def _attributes(self, entries: FieldColumns, count: int) -> tuple[list[bytes], list[list[int]]]:
        """The scope that each operator names, and the blocks that belong to it."""
        data = self._data
        inner = walk(data, entries.begins, entries.ends)
        names, texts = inner.of(1), each_last(data, inner.of(5), len(entries.begins))
        scopes = [b""] * count
        for entry in names.owners[equals(data, names, b"op_namescope")].tolist():
            scopes[entries.owners[entry]] = texts[entry]
        blocks: list[list[int]] = [[] for _ in range(count)]
        for field in (12, 14):
            held = inner.of(field, VARINT)
            for entry, number in zip(held.owners.tolist(), held.numbers.tolist(), strict=True):
                blocks[entries.owners[entry]].append(number)
        return scopes, blocks

    def _arguments(self, entries: FieldColumns, count: int) -> list[list[bytes]]:
        """The variables that each operator takes or gives."""
        inner = walk(self._data, entries.begins, entries.ends).of(2)
        found: list[list[bytes]] = [[] for _ in range(count)]
        owners = entries.owners[inner.owners].tolist()
        for owner, name in zip(owners, contents(self._data, inner), strict=True):
            found[owner].append(name)
        return found

    def _link(self, block: int, name: bytes, target: int, prefix: str) -> None:
        for around in self._around(block):
            source = self._sources.get(around, {}).get(name)
            if source is not None:
                self._draft.link(source[0], target, port=source[1])
                return
        port, is_weight, type_number = self._variable(block, name)
        if type_number in _QUEUES:
            return
        text = name.decode(errors="replace")
        ports = self._draft.ports_of([port])
        if is_weight:
            node = self._draft.add(text, "Parameter", NodeKind.PARAMETER, ports=ports, floats=True)
            home = 0
        else:
            node = self._draft.add(prefix + text, "Variable", NodeKind.INPUT, ports=ports)
            home = block
        self._sources.setdefault(home, {})[name] = node, 0
        self._draft.link(node, target)


def _number(fields: FieldColumns, field: int) -> int:
    found = fields.of(field, VARINT).numbers
    return signed(int(found[-1])) if len(found) else 0


def _variable_type(encoded: bytes) -> tuple[Port, int]:
    try:
        given = message(encoded)
        for outer in (3, 2, 4):  # tensors, selected rows, arrays of tensors
            for held in given.messages(outer):
                tensor = held if outer == 2 else next(iter(held.messages(1)), held)
                dtype = _DTYPES.get(tensor.integer(1), f"type {tensor.integer(1)}")
                return Port(dtype, shape_text(tensor.integers(2))), given.integer(1)
        return Port("", ""), given.integer(1)
    except Malformed:
        return Port("", ""), 0


def node_details(node: bytes, kind: NodeKind) -> Details:
    """The attributes of an operator; raises Malformed."""
    fields = message(node)
    found = [
        (name, value)
        for name, value in attributes(fields.contents(4), lambda entry: (entry.text(1), _value(entry)))
        if name != _STACK
    ]
    stack = [line for entry in fields.messages(4) if entry.text(1) == _STACK for line in entry.texts(8)]
    for number, what in ((1, "inputs"), (2, "outputs")):
        for entry in fields.messages(number):
            names = entry.texts(2)
            found.append((f"{what}.{entry.text(1)}", listed(names, len(names))))
    return Details(sorted(found), stack=cut("\n".join(stack), 20_000))


def _value(entry: MessageFields) -> str:
    for number, read in _SINGLE.items():
        if number in entry:
            return read(entry)
    for number, read_all in _SEVERAL.items():
        if number in entry:
            found = read_all(entry)
            return listed(found, len(found))
    return "[]"


_SINGLE: dict[int, Callable[[MessageFields], str]] = {
    3: lambda entry: str(entry.integer(3)),
    4: lambda entry: number_text(entry.single(4)),
    5: lambda entry: bytes_text(entry.content(5)),
    10: lambda entry: "true" if entry.integer(10) else "false",
    12: lambda entry: f"block {entry.integer(12)}",
    13: lambda entry: str(entry.integer(13)),
    17: lambda entry: cut(entry.text(17)),
    19: lambda entry: repr(entry.double(19)),
}
_SEVERAL: dict[int, Callable[[MessageFields], list[str]]] = {
    6: lambda entry: [str(each) for each in entry.integers(6)],
    7: lambda entry: [number_text(each) for each in entry.singles(7)],
    8: lambda entry: [cut(each) for each in entry.texts(8)],
    11: lambda entry: ["true" if each else "false" for each in entry.integers(11)],
    14: lambda entry: [f"block {each}" for each in entry.integers(14)],
    15: lambda entry: [str(each) for each in entry.integers(15)],
    16: lambda entry: [repr(each) for each in entry.doubles(16)],
    18: lambda entry: [cut(each) for each in entry.texts(18)],
}
