"""Read Paddle 3 programs (`.json`, PIR): operators that name values by number, in regions of blocks."""

from __future__ import annotations

from typing import Any

from mindinsight_like.graphs.details import MOST_DEPTH, Details
from mindinsight_like.graphs.details_json import dump_details
from mindinsight_like.graphs.drafts import BadGraph, Draft, NodeKind, Port, shape_text
from mindinsight_like.graphs.json_values import dictionary, items, loads, text, value_text

_DTYPES = {
    "bf16": "bfloat16",
    "f16": "float16",
    "f32": "float32",
    "f64": "float64",
    "i8": "int8",
    "ui8": "uint8",
    "i16": "int16",
    "i32": "int32",
    "i64": "int64",
    "index": "index",
    "bool": "bool",
    "c64": "complex64",
    "c128": "complex128",
    "f8e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
}
_PARAMETER = "p"
_KINDS = {
    "parameter": NodeKind.PARAMETER,
    "constant": NodeKind.CONSTANT,
    "full": NodeKind.CONSTANT,
    "full_int_array": NodeKind.CONSTANT,
    "data": NodeKind.INPUT,
    "feed": NodeKind.INPUT,
    "fetch": NodeKind.OUTPUT,
    "shadow_output": NodeKind.OUTPUT,
}
_Values = dict[Any, tuple[int, int]]  # number of a value: node and port that it comes from


def read_program(data: bytes) -> Draft:
    """The operators of a program; raises BadGraph."""
    program = dictionary(loads(data).get("program"))
    regions = items(program.get("regions"))
    if not regions:
        raise BadGraph("not a Paddle program")
    draft = Draft()
    _Program(draft).add_regions(regions, "", 0)
    return draft


class _Program:
    def __init__(self, draft: Draft) -> None:
        self._draft = draft
        self._values: _Values = {}
        self._counts: dict[str, int] = {}

    def add_regions(self, regions: list[Any], prefix: str, depth: int) -> None:
        """Regions side by side; those of an operator are scopes of their own."""
        if depth > MOST_DEPTH:
            raise BadGraph("regions are nested too deeply")
        for place, region in enumerate(regions):
            blocks = items(dictionary(region).get("blocks"))
            for number, block in enumerate(blocks):
                parts = [f"region_{place}"] * (depth > 0) + [f"block_{number}"] * (len(blocks) > 1)
                self._add_block(dictionary(block), prefix + "".join(f"{part}/" for part in parts), depth)

    def _add_block(self, block: dict[str, Any], prefix: str, depth: int) -> None:
        arguments = [*items(block.get("args")), *dictionary(block.get("kwargs")).values()]
        for place, argument in enumerate(arguments):
            ports = self._draft.ports_of([_port(dictionary(argument).get("TT"))])
            node = self._draft.add(f"{prefix}argument_{place}", "argument", NodeKind.INPUT, ports=ports)
            self._bind([argument], node)
        for op in items(block.get("ops")):
            self._add_op(dictionary(op), prefix, depth)

    def _add_op(self, op: dict[str, Any], prefix: str, depth: int) -> None:
        kind_text = text(op.get("#"))
        outputs = op.get("O")
        results = outputs if isinstance(outputs, list) else [outputs] if isinstance(outputs, dict) else []
        ports = self._draft.ports_of([_port(dictionary(each).get("TT")) for each in results[:64]])
        if kind_text == _PARAMETER:
            attribute_list = items(op.get("A"))
            name = text(attribute_list[-1]) if attribute_list else ""
            node = self._draft.add(name, "parameter", NodeKind.PARAMETER, ports=ports, floats=True)
            self._bind(results, node)
            return
        type_name = kind_text.partition(".")[2] or kind_text  # what is before the point is the dialect's number
        attributes = [(text(each.get("N")), dictionary(each.get("AT"))) for each in map(dictionary, items(op.get("A")))]
        plain = {name: _plain(value.get("D"), 0) for name, value in attributes}
        scope = "".join(f"{part}/" for part in text(plain.get("struct_name")).split("/") if part)
        self._counts[type_name] = self._counts.get(type_name, -1) + 1
        label = text(plain.get("name")).replace("/", "_") if type_name in ("data", "parameter") else ""
        name = f"{prefix}{scope}{label or f'{type_name}_{self._counts[type_name]}'}"
        details = Details([(key, value_text(value)) for key, value in plain.items()])
        kind = _KINDS.get(type_name, NodeKind.OPERATOR)
        node = self._draft.add(
            name, type_name, kind, ports=ports, place=self._draft.store_message(dump_details(details))
        )
        for operand in items(op.get("I")):
            source = self._values.get(_number(operand))
            if source is not None:
                self._draft.link(source[0], node, port=source[1])
            elif _number(operand) not in (None, 0):  # 0: an input that is left out
                self._draft.dangling += 1
        self._bind(results, node)
        self.add_regions(items(op.get("regions")), f"{name}/", depth + 1)

    def _bind(self, results: list[Any], node: int) -> None:
        for port, result in enumerate(results):
            self._values[_number(result)] = node, port


def _number(value: Any) -> int | None:
    number = dictionary(value).get("%")
    return number if isinstance(number, int) else None


def _plain(value: Any, depth: int) -> Any:
    """A value without the names of its types."""
    if depth > MOST_DEPTH:
        return "…"
    if isinstance(value, dict) and "D" in value:
        return _plain(value["D"], depth + 1)
    if isinstance(value, list):
        return [_plain(each, depth + 1) for each in value]
    return value


def _port(type_node: Any) -> Port:
    """The type of a value: a tensor is its element type, its sizes, and how it lies in memory."""
    kind, described = text(dictionary(type_node).get("#")), items(dictionary(type_node).get("D"))
    if not kind.endswith("tensor") and not described:
        return Port(_dtype(kind), "")
    element = _dtype(text(dictionary(described[0]).get("#"))) if described else ""
    sizes = described[1] if len(described) > 1 and isinstance(described[1], list) else None
    return Port(element, "" if sizes is None else shape_text([size for size in sizes if isinstance(size, int)]))


def _dtype(name: str) -> str:
    short = name.rpartition("t_")[2]
    return _DTYPES.get(short, short)
