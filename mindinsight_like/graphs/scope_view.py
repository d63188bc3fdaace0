"""Contents of an expanded scope or repeat for the page: its nodes, the edges between them, and edges to the outside."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import NotFound
from mindinsight_like.graphs.columns import NO_PORT, Graph, Ints
from mindinsight_like.graphs.costs import Cost, Costs
from mindinsight_like.graphs.drafts import NodeKind, Port
from mindinsight_like.graphs.views import Repeat, ScopeView, Views

EntryKind = Literal["scope", "aggregate", "operator", "parameter", "constant", "input", "output"]
KIND_NAMES: dict[NodeKind, EntryKind] = {
    NodeKind.OPERATOR: "operator",
    NodeKind.PARAMETER: "parameter",
    NodeKind.CONSTANT: "constant",
    NodeKind.INPUT: "input",
    NodeKind.OUTPUT: "output",
}
_VALUES = (NodeKind.PARAMETER, NodeKind.CONSTANT)
_MAX_NAMED_MEMBERS = 20  # that are named along with their repeat


class _EntryEdges(NamedTuple):
    """Edges between the entries of a scope, as columns."""

    sources: Ints
    targets: Ints
    controls: NDArray[np.bool_]
    counts: Ints  # edges of the graph that each stands for
    firsts: Ints  # one of these


@dataclass(frozen=True)
class ShownNode:
    name: str
    label: str
    kind: EntryKind
    type: str
    inside: int
    scopes: int
    dtype: str
    shape: str
    inputs: int
    outputs: int
    members: list[str] | None = None
    cost: Cost | None = None  # where a step was traced


@dataclass(frozen=True)
class ShownEdge:
    source: str
    target: str
    is_control: bool
    count: int
    label: str


@dataclass(frozen=True)
class OuterNode:
    """What an edge leads to outside: an entry of a scope around."""

    name: str
    label: str
    scope: str
    kind: EntryKind
    type: str


@dataclass(frozen=True)
class ScopeContents:
    nodes: list[ShownNode]
    edges: list[ShownEdge]
    outer: list[OuterNode]
    total: int


def open_scope(views: Views, name: str, offset: int, limit: int, costs: Costs | None = None) -> ScopeContents:
    """What is inside the scope or repeat with a name; raises NotFound."""
    scope = views.find_scope(name)
    if scope is not None:
        return _ContentsBuilder(views, _ScopeEntries(views.of(scope), costs)).build(offset, limit)
    match = views.find_repeat(name)
    if match is None:
        raise NotFound(f"the graph has no scope {name[:200]!r}", scope=name[:200])
    return _ContentsBuilder(views, _RepeatEntries(*match, costs)).build(offset, limit)


@dataclass(frozen=True)
class _ScopeEntries:
    view: ScopeView
    costs: Costs | None

    @property
    def around(self) -> list[int]:
        return self.view.outer

    @property
    def node_range(self) -> tuple[int, int]:
        return self.view.first, self.view.end

    @property
    def count(self) -> int:
        return self.view.count

    @property
    def first_single(self) -> int:
        """The first of the entries that show one node each."""
        return len(self.view.inner) + len(self.view.repeats)

    def entries_of(self, nodes: Ints) -> Ints:
        return self.view.entries_of(nodes)

    def describe(self, entry: int, inputs: int, outputs: int) -> ShownNode:
        return describe_entry(self.view, entry, inputs, outputs, self.costs)


@dataclass(frozen=True)
class _RepeatEntries:
    view: ScopeView
    repeat: Repeat
    costs: Costs | None

    @property
    def around(self) -> list[int]:
        return [self.view.scope, *self.view.outer]

    @property
    def node_range(self) -> tuple[int, int]:
        return int(self.repeat.members[0]), int(self.repeat.members[-1]) + 1

    @property
    def count(self) -> int:
        return len(self.repeat.members)

    @property
    def first_single(self) -> int:
        return 0

    def entries_of(self, nodes: Ints) -> Ints:
        members = self.repeat.members
        places = np.minimum(np.searchsorted(members, nodes), len(members) - 1)
        return np.where(members[places] == nodes, places, -1)

    def describe(self, entry: int, inputs: int, outputs: int) -> ShownNode:
        return describe_node(self.view.graph, int(self.repeat.members[entry]), inputs, outputs, self.costs)


class _ContentsBuilder:
    """Puts together the answer for one opened thing."""

    def __init__(self, views: Views, entries: _ScopeEntries | _RepeatEntries) -> None:
        self._views = views
        self._graph = views.graph
        self._entries = entries
        self._around = [views.of(scope) for scope in entries.around]
        self._span = entries.count + sum(view.count for view in self._around)

    def build(self, offset: int, limit: int) -> ScopeContents:
        count = self._entries.count
        window = range(min(offset, count), min(offset + limit, count))
        sources, targets, controls, counts, firsts = self._edges()
        inputs, outputs = np.zeros(count, np.int64), np.zeros(count, np.int64)
        for column, totals in ((targets, inputs), (sources, outputs)):
            is_entry = column < count
            np.add.at(totals, column[is_entry], counts[is_entry])
        nodes = [self._entries.describe(entry, int(inputs[entry]), int(outputs[entry])) for entry in window]
        names = {entry: node.name for entry, node in zip(window, nodes, strict=True)}
        outer: dict[int, OuterNode] = {}

        def end_name(end: int) -> str:
            return names[end] if end < count else f"outer:{self._outer(end, outer).name}"

        is_shown = np.ones(len(sources), np.bool_)
        for column in (sources, targets):
            is_shown &= (column >= count) | ((column >= window.start) & (column < window.stop))
        columns = (column[is_shown].tolist() for column in (sources, targets, controls, counts, firsts))
        edges = [
            ShownEdge(
                end_name(source),
                end_name(target),
                is_control,
                times,
                "" if is_control or times > 1 else self._label(edge),
            )
            for source, target, is_control, times, edge in zip(*columns, strict=True)
        ]
        return ScopeContents(nodes, edges, list(outer.values()), count)

    def _edges(self) -> _EntryEdges:
        """Edges between entries, each once."""
        graph = self._graph
        first, end = self._entries.node_range
        arriving = np.arange(graph.in_starts[first], graph.in_starts[end])
        arriving = arriving[self._entries.entries_of(graph.targets[arriving].astype(np.int64)) >= 0]
        leaving = graph.by_source[graph.out_starts[first] : graph.out_starts[end]]
        is_leaving = self._entries.entries_of(graph.sources[leaving].astype(np.int64)) >= 0
        is_leaving &= self._entries.entries_of(graph.targets[leaving].astype(np.int64)) < 0
        edges = np.concatenate([arriving, leaving[is_leaving]])
        sources = self._ends(graph.sources[edges].astype(np.int64))
        targets = self._ends(graph.targets[edges].astype(np.int64))
        is_loop = (graph.sources[edges] == graph.targets[edges]) & (sources >= self._entries.first_single)
        is_visible = (sources != targets) | is_loop  # what stays inside an entry is not seen
        sources, targets, edges = sources[is_visible], targets[is_visible], edges[is_visible]
        controls = graph.controls[edges]
        keys = (sources * (self._span + len(graph)) + targets) * 2 + controls
        _, firsts, counts = np.unique(keys, return_index=True, return_counts=True)
        return _EntryEdges(sources[firsts], targets[firsts], controls[firsts], counts, edges[firsts])

    def _ends(self, nodes: Ints) -> Ints:
        """The entry that stands for each node; entries of the scopes around are counted on behind our own.

        A parameter or constant outside is meant itself, though it may be seen there only as part of a repeat: such
        nodes are counted on behind all entries.
        """
        entries = self._entries.entries_of(nodes)
        base = self._entries.count
        for view in self._around:
            missing = np.flatnonzero(entries < 0)
            if not len(missing):
                break
            theirs = view.entries_of(nodes[missing])
            codes = np.where(theirs >= 0, theirs + base, -1)
            is_repeat = (theirs >= len(view.inner)) & (theirs < len(view.inner) + len(view.repeats))
            is_value = np.isin(self._graph.kinds[nodes[missing]], _VALUES)
            entries[missing] = np.where(is_repeat & is_value, self._span + nodes[missing], codes)
            base += view.count
        return entries

    def _outer(self, end: int, cache: dict[int, OuterNode]) -> OuterNode:
        if end >= self._span:
            value = describe_node(self._graph, end - self._span, 0, 0)
            scope = self._views.path_to(end - self._span)[-1]
            cache[end] = OuterNode(value.name, value.label, scope, value.kind, value.type)
        if end not in cache:
            entry = end - self._entries.count
            for view in self._around:
                if entry < view.count:
                    node = describe_entry(view, entry, 0, 0)
                    cache[end] = OuterNode(node.name, node.label, view.name, node.kind, node.type)
                    break
                entry -= view.count
        return cache[end]

    def _label(self, edge: int) -> str:
        return port_text(self._graph.port(int(self._graph.sources[edge]), int(self._graph.source_ports[edge])))


def port_text(port: Port) -> str:
    return f"{port.dtype} {port.shape}".strip()


def describe_entry(view: ScopeView, entry: int, inputs: int, outputs: int, costs: Costs | None = None) -> ShownNode:
    graph = view.graph
    if entry < len(view.inner):
        return describe_scope(graph, view.inner[entry], inputs, outputs, costs)
    entry -= len(view.inner)
    if entry < len(view.repeats):
        return describe_repeat(graph, view.repeats[entry], inputs, outputs, costs)
    return describe_node(graph, int(view.singles[entry - len(view.repeats)]), inputs, outputs, costs)


def describe_scope(graph: Graph, scope: int, inputs: int, outputs: int, costs: Costs | None = None) -> ShownNode:
    first, end = graph.node_range(scope)
    return ShownNode(
        name=graph.scope_names[scope],
        label=graph.scope_label(scope),
        kind="scope",
        type="",
        inside=int(graph.operators_before[end] - graph.operators_before[first]),
        scopes=int(graph.scope_ends[scope]) - scope - 1,
        dtype="",
        shape="",
        inputs=inputs,
        outputs=outputs,
        cost=costs.between(first, end) if costs else None,
    )


def describe_repeat(graph: Graph, repeat: Repeat, inputs: int, outputs: int, costs: Costs | None = None) -> ShownNode:
    members = repeat.members
    is_alike = len(np.unique(graph.ports[members])) == 1
    port = graph.port(int(members[0])) if is_alike else NO_PORT
    return ShownNode(
        name=repeat.name,
        label=repeat.label,
        kind="aggregate",
        type=graph.type_names[graph.types[members[0]]],
        inside=len(members),
        scopes=0,
        dtype=port.dtype,
        shape=port.shape,
        inputs=inputs,
        outputs=outputs,
        members=[graph.names[node] for node in members.tolist()] if len(members) <= _MAX_NAMED_MEMBERS else None,
        cost=costs.of(members) if costs else None,
    )


def describe_node(graph: Graph, node: int, inputs: int, outputs: int, costs: Costs | None = None) -> ShownNode:
    port = graph.port(node)
    return ShownNode(
        name=graph.names[node],
        label=graph.label(node),
        kind=KIND_NAMES[NodeKind(graph.kinds[node])],
        type=graph.type_names[graph.types[node]],
        inside=0,
        scopes=0,
        dtype=port.dtype,
        shape=port.shape,
        inputs=inputs,
        outputs=outputs,
        cost=costs.between(node, node + 1) if costs else None,
    )


def degrees(graph: Graph, node: int) -> tuple[int, int]:
    """How many edges lead to a node and from it."""
    arriving = int(graph.in_starts[node + 1] - graph.in_starts[node])
    return arriving, int(graph.out_starts[node + 1] - graph.out_starts[node])
