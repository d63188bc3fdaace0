"""Graphs for tests: drafts written by hand, and the messages of each format."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mindinsight_like.graphs.building import build
from mindinsight_like.graphs.columns import Graph
from mindinsight_like.graphs.drafts import Draft, NodeKind
from mindinsight_like.graphs.scope_view import ScopeContents, open_scope
from mindinsight_like.graphs.views import Views
from mindinsight_like.writers.encoding import wire


def graph_of(
    nodes: Mapping[str, str] | Iterable[tuple[str, str]],
    edges: Iterable[tuple[int, int]] = (),
    *,
    controls: Iterable[tuple[int, int]] = (),
    floating: Iterable[tuple[str, NodeKind]] = (),
) -> Graph:
    """A graph of names and types in order, floating nodes behind them, with edges between their numbers."""
    draft = Draft()
    for name, type_name in nodes.items() if isinstance(nodes, Mapping) else nodes:
        draft.add(name, type_name)
    for name, kind in floating:
        draft.add(name, kind.name.lower(), kind, floats=True)
    for source, target in edges:
        draft.link(source, target)
    for source, target in controls:
        draft.link(source, target, control=True)
    return build(draft)


def opened(graph: Graph, scope: str = "", offset: int = 0, limit: int = 10_000) -> ScopeContents:
    return open_scope(Views(graph), scope, offset, limit)


def names(found: ScopeContents) -> list[str]:
    return [node.name for node in found.nodes]


def edges(found: ScopeContents) -> set[tuple[str, str, int]]:
    return {(edge.source, edge.target, edge.count) for edge in found.edges}


# --- TensorFlow --------------------------------------------------------------------------------------------------


def tensorflow_node(name: str, type_name: str, inputs: Sequence[str] = (), **attributes: bytes) -> bytes:
    """A NodeDef; attributes are encoded AttrValues."""
    entries = [wire.blob(5, wire.text(1, key) + wire.blob(2, value)) for key, value in attributes.items()]
    return (
        wire.text(1, name)
        + wire.text(2, type_name)
        + b"".join(wire.text(3, each) for each in inputs)
        + b"".join(entries)
    )


def graph_def(*nodes: bytes, library: Sequence[bytes] = ()) -> bytes:
    functions = b"".join(wire.blob(1, function) for function in library)
    return b"".join(wire.blob(1, node) for node in nodes) + (wire.blob(2, functions) if library else b"")


def shapes_attribute(*shapes: Sequence[int]) -> bytes:
    held = [wire.blob(7, b"".join(wire.blob(2, wire.integer(1, size)) for size in shape)) for shape in shapes]
    return wire.blob(1, b"".join(held))


# --- MindSpore ---------------------------------------------------------------------------------------------------


def mindspore_type(dtype: int, *sizes: int) -> bytes:
    shape = b"".join(wire.blob(1, wire.integer(1, size)) for size in sizes)
    return wire.integer(1, 14) + wire.blob(2, wire.integer(1, dtype) + wire.blob(2, shape))


def mindspore_node(
    name: str,
    type_name: str,
    inputs: Sequence[str] = (),
    *,
    scope: str = "Default",
    full: str = "",
    controls: Sequence[str] = (),
    output: bytes = b"",
    attributes: bytes = b"",
) -> bytes:
    found = b"".join(wire.blob(1, wire.text(1, each) + wire.integer(2, 0)) for each in inputs)
    found += b"".join(wire.blob(1, wire.text(1, each) + wire.integer(2, 1)) for each in controls)
    found += wire.text(2, name) + wire.text(3, type_name) + wire.text(4, scope) + attributes
    return found + (wire.blob(6, output) if output else b"") + (wire.text(8, full) if full else b"")


def mindspore_graph(
    *nodes: bytes, parameters: Mapping[str, bytes] | None = None, constants: Mapping[str, bytes] | None = None
) -> bytes:
    found = b"".join(wire.blob(1, node) for node in nodes) + wire.text(2, "net")
    for name, given in (parameters or {}).items():
        found += wire.blob(3, wire.text(1, name) + wire.blob(2, given))
    for name, value in (constants or {}).items():
        found += wire.blob(5, wire.text(1, name) + wire.blob(2, value))
    return found


# --- ONNX --------------------------------------------------------------------------------------------------------


def onnx_type(dtype: int, *sizes: int | str) -> bytes:
    shape = b"".join(
        wire.blob(1, wire.integer(1, size) if isinstance(size, int) else wire.text(2, size)) for size in sizes
    )
    return wire.blob(1, wire.integer(1, dtype) + wire.blob(2, shape))


def onnx_value(name: str, given: bytes = b"") -> bytes:
    return wire.text(1, name) + (wire.blob(2, given) if given else b"")


def onnx_weight(name: str, dtype: int, sizes: Sequence[int], raw: bytes = b"") -> bytes:
    packed = b"".join(wire.varint(size) for size in sizes)
    return wire.blob(1, packed) + wire.integer(2, dtype) + wire.text(8, name) + wire.blob(9, raw)


def onnx_node(
    name: str, type_name: str, inputs: Sequence[str], outputs: Sequence[str], *attributes: bytes, scopes: str = ""
) -> bytes:
    found = b"".join(wire.text(1, each) for each in inputs) + b"".join(wire.text(2, each) for each in outputs)
    found += (wire.text(3, name) if name else b"") + wire.text(4, type_name)
    found += b"".join(wire.blob(5, attribute) for attribute in attributes)
    if scopes:
        found += wire.blob(9, wire.text(1, "pkg.torch.onnx.name_scopes") + wire.text(2, scopes))
    return found


def onnx_graph(
    nodes: Sequence[bytes] = (),
    *,
    weights: Sequence[bytes] = (),
    inputs: Sequence[bytes] = (),
    outputs: Sequence[bytes] = (),
    values: Sequence[bytes] = (),
) -> bytes:
    parts = ((1, nodes), (5, weights), (11, inputs), (12, outputs), (13, values))
    return b"".join(wire.blob(field, each) for field, many in parts for each in many) + wire.text(2, "main")


def onnx_model(graph: bytes, *functions: bytes) -> bytes:
    return wire.integer(1, 8) + wire.blob(7, graph) + b"".join(wire.blob(25, each) for each in functions)
