"""Describe one node, scope or repeat: its properties, and its neighbours on either side."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight_like.errors import NotFound
from mindinsight_like.graphs.columns import Graph, Ints
from mindinsight_like.graphs.costs import Costs
from mindinsight_like.graphs.drafts import NodeKind
from mindinsight_like.graphs.scope_view import (
    KIND_NAMES,
    EntryKind,
    ShownNode,
    degrees,
    describe_node,
    describe_repeat,
    describe_scope,
)
from mindinsight_like.graphs.views import Views

MOST_SHOWN = 500  # neighbours on either side, and members of a repeat


@dataclass(frozen=True)
class Neighbour:
    name: str
    is_control: bool
    kind: EntryKind
    type: str
    dtype: str
    shape: str


@dataclass(frozen=True)
class NodeDescription:
    node: ShownNode
    path: list[str]  # what has to be opened to see it, from the whole graph on
    number: int | None  # of a node, which has details
    inputs: list[Neighbour]
    outputs: list[Neighbour]
    is_cut: bool  # there are more neighbours or members
    members: list[str] | None = None

    @property
    def scope(self) -> str:
        return self.path[-1]


def describe(views: Views, name: str, costs: Costs | None = None) -> NodeDescription:
    """What has a name; raises NotFound."""
    graph = views.graph
    node = graph.names.find(name)
    if node is not None:
        return _node(views, node, costs)
    scope = graph.scope_names.find(name)
    if scope:
        return _scope(views, scope, costs)
    match = views.find_repeat(name)
    if match is None:
        raise NotFound(f"the graph has no node {name[:200]!r}", name=name[:200])
    view, repeat = match
    arriving, leaving = _member_edges(graph, repeat.members)
    node_info = describe_repeat(graph, repeat, len(arriving), len(leaving), costs)
    members = [graph.names[member] for member in repeat.members[:MOST_SHOWN].tolist()]
    path = [*views.path_around(view.scope), view.name]
    return _description(graph, node_info, path, arriving, leaving, members=members, total_members=len(repeat.members))


def _node(views: Views, node: int, costs: Costs | None) -> NodeDescription:
    graph = views.graph
    arriving = np.arange(graph.in_starts[node], graph.in_starts[node + 1])
    leaving = graph.by_source[graph.out_starts[node] : graph.out_starts[node + 1]]
    node_info = describe_node(graph, node, *degrees(graph, node), costs)
    return _description(graph, node_info, views.path_to(node), arriving, leaving, number=node)


def _scope(views: Views, scope: int, costs: Costs | None) -> NodeDescription:
    graph = views.graph
    first, end = graph.node_range(scope)
    arriving = np.arange(graph.in_starts[first], graph.in_starts[end])
    sources = graph.sources[arriving]
    arriving = arriving[(sources < first) | (sources >= end)]
    leaving = graph.by_source[graph.out_starts[first] : graph.out_starts[end]]
    targets = graph.targets[leaving]
    leaving = leaving[(targets < first) | (targets >= end)]
    node_info = describe_scope(graph, scope, len(arriving), len(leaving), costs)
    return _description(graph, node_info, views.path_around(scope), arriving, leaving)


def _member_edges(graph: Graph, members: Ints) -> tuple[Ints, Ints]:
    """Edges to and from the members of a repeat, without those between them."""
    first, end = int(members[0]), int(members[-1]) + 1
    is_member = np.zeros(len(graph), np.bool_)
    is_member[members] = True
    arriving = np.arange(graph.in_starts[first], graph.in_starts[end])
    arriving = arriving[is_member[graph.targets[arriving]] & ~is_member[graph.sources[arriving]]]
    leaving = graph.by_source[graph.out_starts[first] : graph.out_starts[end]]
    return arriving, leaving[is_member[graph.sources[leaving]] & ~is_member[graph.targets[leaving]]]


def _description(
    graph: Graph,
    node: ShownNode,
    path: list[str],
    arriving: Ints,
    leaving: Ints,
    *,
    number: int | None = None,
    members: list[str] | None = None,
    total_members: int = 0,
) -> NodeDescription:
    inputs = [_neighbour(graph, edge, int(graph.sources[edge])) for edge in arriving[:MOST_SHOWN].tolist()]
    outputs = [_neighbour(graph, edge, int(graph.targets[edge])) for edge in leaving[:MOST_SHOWN].tolist()]
    is_cut = max(len(arriving), len(leaving), total_members) > MOST_SHOWN
    return NodeDescription(node, path, number, inputs, outputs, is_cut, members)


def _neighbour(graph: Graph, edge: int, other: int) -> Neighbour:
    port = graph.port(int(graph.sources[edge]), int(graph.source_ports[edge]))
    return Neighbour(
        graph.names[other],
        bool(graph.controls[edge]),
        KIND_NAMES[NodeKind(graph.kinds[other])],
        graph.type_names[graph.types[other]],
        *port,
    )
