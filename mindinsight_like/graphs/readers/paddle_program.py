"""Read Paddle's ProgramDesc (`.pdmodel`): blocks of operators that name the variables between them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from mindinsight_like.graphs.details import Details, attributes, bytes_text, cut, listed, message, number_text
from mindinsight_like.graphs.drafts import BadGraph, Draft, NodeKind, Port, shape_text
from mindinsight_like.logs.protobuf.message_columns import FieldColumns, contents, each_last, equals, walk, walk_one
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.paddle_program import BlockDesc, OpDesc, ProgramDesc, VarDesc, VarType
from mindinsight_like.logs.protobuf.wire import VARINT, Malformed, signed

_DTYPES = {
    VarType.Type.BOOL: "bool",
    VarType.Type.INT16: "int16",
    VarType.Type.INT32: "int32",
    VarType.Type.INT64: "int64",
    VarType.Type.FP16: "float16",
    VarType.Type.FP32: "float32",
    VarType.Type.FP64: "float64",
    VarType.Type.SIZE_T: "size_t",
    VarType.Type.UINT8: "uint8",
    VarType.Type.INT8: "int8",
    VarType.Type.BF16: "bfloat16",
    VarType.Type.COMPLEX64: "complex64",
    VarType.Type.COMPLEX128: "complex128",
    VarType.Type.FP8_E4M3FN: "float8_e4m3fn",
    VarType.Type.FP8_E5M2: "float8_e5m2",
}
_KINDS = {b"feed": NodeKind.INPUT, b"fetch": NodeKind.OUTPUT}
# Types of the variables that feed and fetch operators are tied to.
_QUEUES = {VarType.Type.FEED_MINIBATCH, VarType.Type.FETCH_LIST}
_STACK = "op_callstack"
_TENSOR_TYPES: tuple[tuple[int, int | None], ...] = (  # a type of variables, and where in it its tensors are described
    (VarType.lod_tensor, VarType.LoDTensorDesc.tensor),
    (VarType.selected_rows, None),
    (VarType.tensor_array, VarType.LoDTensorArrayDesc.tensor),
)


def read_program(data: bytes) -> Draft:
    """The operators of a program; raises Malformed, BadGraph."""
    blocks = walk_one(data).of(ProgramDesc.blocks)
    if not len(blocks.ids):
        raise BadGraph("not a Paddle program")
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
        number = _number(fields, BlockDesc.idx)
        self._parents[number] = _number(fields, BlockDesc.parent_idx)
        self._read_variables(number, fields.of(BlockDesc.vars))
        sources = self._sources.setdefault(number, {})
        ops = fields.of(BlockDesc.ops)
        count = len(ops.begins)
        inner = walk(data, ops.begins, ops.ends)
        types = each_last(data, inner.of(OpDesc.type), count)
        scopes, blocks = self._attributes(inner.of(OpDesc.attrs), count)
        arguments = [self._arguments(inner.of(field), count) for field in (OpDesc.inputs, OpDesc.outputs)]
        places = zip(ops.begins.tolist(), ops.ends.tolist(), strict=True)
        prefix = self._prefixes.get(number, "" if number == 0 else f"block_{number}/")
        columns = zip(types, scopes, blocks, *arguments, places, strict=True)
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
        of_block = self._variables.setdefault(block, {})
        count = len(variables.begins)
        inner = walk(self._data, variables.begins, variables.ends)
        names = each_last(self._data, inner.of(VarDesc.name), count)
        types = each_last(self._data, inner.of(VarDesc.type), count)
        persistable = inner.of(VarDesc.persistable, VARINT)
        is_weight = np.zeros(count, np.bool_)
        is_weight[persistable.owners] = persistable.numbers == 1
        decoded: dict[bytes, tuple[Port, int]] = {}
        for name, encoded, weight in zip(names, types, is_weight.tolist(), strict=True):
            if encoded not in decoded:
                decoded[encoded] = _variable_type(encoded)
            port, type_number = decoded[encoded]
            of_block[name] = port, weight, type_number

    def _variable(self, block: int, name: bytes) -> tuple[Port, bool, int]:
        """What is known of a variable, in its block or one around it."""
        for around in self._around(block):
            if name in self._variables.get(around, ()):
                return self._variables[around][name]
        return Port("", ""), False, 0

    def _around(self, block: int) -> list[int]:
        chain: list[int] = []
        while block >= 0 and block not in chain:
            chain.append(block)
            block = self._parents.get(block, -1)
        return chain

    def _attributes(self, entries: FieldColumns, count: int) -> tuple[list[bytes], list[list[int]]]:
        """The scope that each operator names, and the blocks that belong to it."""
        data = self._data
        inner = walk(data, entries.begins, entries.ends)
        names, texts = inner.of(OpDesc.Attr.name), each_last(data, inner.of(OpDesc.Attr.s), len(entries.begins))
        scopes = [b""] * count
        for entry in names.owners[equals(data, names, b"op_namescope")].tolist():
            scopes[entries.owners[entry]] = texts[entry]
        blocks: list[list[int]] = [[] for _ in range(count)]
        for field in (OpDesc.Attr.block_idx, OpDesc.Attr.blocks_idx):
            block_refs = inner.of(field, VARINT)
            for entry, number in zip(block_refs.owners.tolist(), block_refs.numbers.tolist(), strict=True):
                blocks[entries.owners[entry]].append(number)
        return scopes, blocks

    def _arguments(self, entries: FieldColumns, count: int) -> list[list[bytes]]:
        """The variables that each operator takes or gives."""
        inner = walk(self._data, entries.begins, entries.ends).of(OpDesc.Var.arguments)
        arguments: list[list[bytes]] = [[] for _ in range(count)]
        owners = entries.owners[inner.owners].tolist()
        for owner, name in zip(owners, contents(self._data, inner), strict=True):
            arguments[owner].append(name)
        return arguments

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
    numbers = fields.of(field, VARINT).numbers
    return signed(int(numbers[-1])) if len(numbers) else 0


def _variable_type(encoded: bytes) -> tuple[Port, int]:
    try:
        var_type = message(encoded)
        kind = var_type.integer(VarType.type)
        for outer, inner in _TENSOR_TYPES:
            for holder in var_type.messages(outer):
                tensor = holder if inner is None else next(iter(holder.messages(inner)), holder)
                number = tensor.integer(VarType.TensorDesc.data_type)
                dtype = _DTYPES.get(number, f"type {number}")
                return Port(dtype, shape_text(tensor.integers(VarType.TensorDesc.dims))), kind
        return Port("", ""), kind
    except Malformed:
        return Port("", ""), 0


def node_details(node: bytes, kind: NodeKind) -> Details:
    """The attributes of an operator; raises Malformed."""
    fields = message(node)
    entries = attributes(fields.contents(OpDesc.attrs), lambda entry: (entry.text(OpDesc.Attr.name), _value(entry)))
    attrs = [(name, value) for name, value in entries if name != _STACK]
    stacks = (entry for entry in fields.messages(OpDesc.attrs) if entry.text(OpDesc.Attr.name) == _STACK)
    stack = [line for entry in stacks for line in entry.texts(OpDesc.Attr.strings)]
    for number, what in ((OpDesc.inputs, "inputs"), (OpDesc.outputs, "outputs")):
        for entry in fields.messages(number):
            names = entry.texts(OpDesc.Var.arguments)
            attrs.append((f"{what}.{entry.text(OpDesc.Var.parameter)}", listed(names, len(names))))
    return Details(sorted(attrs), stack=cut("\n".join(stack), 20_000))


def _value(entry: MessageFields) -> str:
    for number, read in _SINGLE.items():
        if number in entry:
            return read(entry)
    for number, read_all in _SEVERAL.items():
        if number in entry:
            values = read_all(entry)
            return listed(values, len(values))
    return "[]"


_SINGLE: dict[int, Callable[[MessageFields], str]] = {
    OpDesc.Attr.i: lambda entry: str(entry.integer(OpDesc.Attr.i)),
    OpDesc.Attr.f: lambda entry: number_text(entry.single(OpDesc.Attr.f)),
    OpDesc.Attr.s: lambda entry: bytes_text(entry.content(OpDesc.Attr.s)),
    OpDesc.Attr.b: lambda entry: "true" if entry.integer(OpDesc.Attr.b) else "false",
    OpDesc.Attr.block_idx: lambda entry: f"block {entry.integer(OpDesc.Attr.block_idx)}",
    OpDesc.Attr.l: lambda entry: str(entry.integer(OpDesc.Attr.l)),
    OpDesc.Attr.var_name: lambda entry: cut(entry.text(OpDesc.Attr.var_name)),
    OpDesc.Attr.float64: lambda entry: repr(entry.double(OpDesc.Attr.float64)),
}
_SEVERAL: dict[int, Callable[[MessageFields], list[str]]] = {
    OpDesc.Attr.ints: lambda entry: [str(each) for each in entry.integers(OpDesc.Attr.ints)],
    OpDesc.Attr.floats: lambda entry: [number_text(each) for each in entry.singles(OpDesc.Attr.floats)],
    OpDesc.Attr.strings: lambda entry: [cut(each) for each in entry.texts(OpDesc.Attr.strings)],
    OpDesc.Attr.bools: lambda entry: ["true" if each else "false" for each in entry.integers(OpDesc.Attr.bools)],
    OpDesc.Attr.blocks_idx: lambda entry: [f"block {each}" for each in entry.integers(OpDesc.Attr.blocks_idx)],
    OpDesc.Attr.longs: lambda entry: [str(each) for each in entry.integers(OpDesc.Attr.longs)],
    OpDesc.Attr.float64s: lambda entry: [repr(each) for each in entry.doubles(OpDesc.Attr.float64s)],
    OpDesc.Attr.vars_name: lambda entry: [cut(each) for each in entry.texts(OpDesc.Attr.vars_name)],
}
