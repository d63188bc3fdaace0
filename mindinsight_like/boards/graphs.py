"""Computation graphs: list, scopes, single nodes and search."""

from __future__ import annotations

from typing import Annotated, Literal

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta
from typing_extensions import NotRequired, TypedDict

from mindinsight_like.errors import BlobGone, NotFound, RunNotFound, StillLoading, TooLarge, Unreadable
from mindinsight_like.graphs.catalogue import GraphInfo, GraphSource, list_graphs
from mindinsight_like.graphs.columns import Graph
from mindinsight_like.graphs.details import Details
from mindinsight_like.graphs.neighbours import Neighbour, describe
from mindinsight_like.graphs.opening import OpenGraph, node_details, open_graph, traced_costs
from mindinsight_like.graphs.scope_view import EntryKind, ShownEdge, ShownNode, open_scope
from mindinsight_like.graphs.search import search
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, text, whole, words
from mindinsight_like.http.response_types import Count, response_type
from mindinsight_like.http.responses import conditional_response, json_response
from mindinsight_like.tables.json_numbers import JsonNumber, number

bp = Blueprint("graphs", __name__)

_RUN = text("run", "ID of a run.")
_GRAPH = text("graph", "ID of a graph of the run, from `/v1/graphs`.")
_SCOPE = text("scope", "Full name of a scope or an aggregate; the whole graph by default.")
_NAME = text("name", "Full name of a node, a scope or an aggregate.")
_QUERY = words("q", "Part of a name or type, ignoring case.")
_OFFSET = whole("offset", "Number of entries to skip.", default=0, lowest=0)
_NODE_LIMIT = whole("limit", "Maximum number of nodes.", default=2000, lowest=0)
_MATCH_LIMIT = whole("limit", "Maximum number of matches.", default=100, lowest=0)

_ERRORS = (RunNotFound, NotFound, BlobGone, TooLarge, Unreadable, StillLoading)

EdgeKind = Literal["data", "control"]


@response_type
class GraphFile:
    """A graph of a run."""

    graph: Annotated[str, Meta(description="ID of the graph for other requests.")]
    name: str
    file: Annotated[str, Meta(description="Path below the base directory.")]
    source: GraphSource
    step: int
    wall_time: JsonNumber
    bytes: Count
    stage: Annotated[
        str, Meta(description="How far a compiler had come, such as `before_opt` or `fused`; usually empty.")
    ]


@response_type
class GraphFileList:
    graphs: list[GraphFile]


class GraphNode(TypedDict):
    """A node, scope or aggregate of a graph."""

    name: Annotated[str, Meta(description="Full name, unique in the graph.")]
    label: Annotated[str, Meta(description="Last part of the name.")]
    kind: EntryKind
    type: str
    inside: Annotated[int, Meta(ge=0, description="Number of operators inside; 0 for a single node.")]
    scopes: Annotated[int, Meta(ge=0, description="Number of scopes inside, at any depth.")]
    dtype: str
    shape: Annotated[
        str, Meta(description="Shape of the first output, with `?` for unknown sizes; empty if it is not known.")
    ]
    inputs: Annotated[int, Meta(ge=0, description="Number of edges that lead to it.")]
    outputs: Annotated[int, Meta(ge=0, description="Number of edges that lead from it.")]
    members: NotRequired[Annotated[list[str], Meta(description="Nodes of an aggregate, if they are few.")]]
    compute_us: NotRequired[
        Annotated[float, Meta(description="Microseconds in the traced step, of all nodes inside together.")]
    ]
    memory: NotRequired[Annotated[int, Meta(ge=0, description="Bytes of memory in the traced step.")]]


GraphEdge = TypedDict(
    "GraphEdge",
    {
        "from": Annotated[str, Meta(description="Name of a node, or `outer:` and a name in `outer`.")],
        "to": str,
        "kind": EdgeKind,
        "count": Annotated[int, Meta(ge=0, description="Number of edges between single nodes that it represents.")],
        "label": Annotated[str, Meta(description="Type and shape of the data; empty if `count` is above 1.")],
    },
)
"""Declared by a call, as `from` is a keyword of Python."""


@response_type
class OuterNode:
    """The end of an edge outside the scope, as seen in the scopes around it."""

    name: str
    label: str
    scope: str
    kind: EntryKind
    type: str


@response_type
class OperatorCount:
    type: str
    count: Count


@response_type
class GraphTotals:
    """Size of the whole graph."""

    nodes: Count
    edges: Count
    scopes: Count
    dangling: Annotated[int, Meta(ge=0, description="Number of inputs that name nothing in the graph.")]
    types: list[OperatorCount]


@response_type
class GraphScope:
    """What is directly inside a scope."""

    graph: str
    scope: str
    name: Annotated[str, Meta(description="Name of the graph, as logged; often empty.")]
    totals: GraphTotals
    traced: Annotated[
        str | None, Meta(description="Name of the step whose times and memory the nodes have; null without one.")
    ]
    nodes: list[GraphNode]
    edges: list[GraphEdge]
    outer: list[OuterNode]
    total: Annotated[int, Meta(ge=0, description="Number of nodes of the scope before `offset` and `limit`.")]


@response_type
class GraphNeighbour:
    """A node at the other end of an edge."""

    name: str
    kind: EdgeKind
    node_kind: str
    type: str
    dtype: str
    shape: str


@response_type
class NodeAttribute:
    name: str
    value: str


class GraphNodeDetails(TypedDict):
    """A node, scope or aggregate with its attributes and neighbours."""

    node: GraphNode
    scope: Annotated[str, Meta(description="Scope or aggregate to expand to see it.")]
    path: Annotated[list[str], Meta(description="Scopes to expand to see it, outermost first.")]
    attributes: list[NodeAttribute]
    inputs: list[GraphNeighbour]
    outputs: list[GraphNeighbour]
    truncated: Annotated[bool, Meta(description="Whether neighbours or members were left out.")]
    device: str
    stack: Annotated[str, Meta(description="Where in the user's code it was created; usually empty.")]
    members: NotRequired[Annotated[list[str], Meta(description="Nodes of an aggregate.")]]


@response_type
class GraphMatch:
    """A node or scope that matches a search."""

    name: str
    label: str
    type: str
    kind: EntryKind
    scope: str
    path: Annotated[list[str], Meta(description="Scopes to expand to see it, outermost first.")]


@response_type
class GraphMatchPage:
    total: Annotated[int, Meta(ge=0, description="Number of matches before `offset` and `limit`.")]
    matches: list[GraphMatch]


@bp.get("/graphs")
@Operation(answer=GraphFileList, parameters=(_RUN,), errors=(RunNotFound, StillLoading))
def graphs(params: Params) -> Response:
    """Graphs of a run: those in its logs, and models in its directory."""
    run, reader = params[_RUN], current_reader()

    def build() -> Response:
        return json_response(GraphFileList(graphs=[_graph_file(info) for info in list_graphs(reader, run)]))

    return conditional_response(reader.runs.versions([run]), build)


def _graph_file(info: GraphInfo) -> GraphFile:
    return GraphFile(
        graph=info.graph,
        name=info.name,
        file=info.file,
        source=info.source,
        step=info.record.step,
        wall_time=number(info.record.wall_time),
        bytes=info.record.length,
        stage=info.stage,
    )


@bp.get("/graphs/nodes")
@Operation(answer=GraphScope, parameters=(_RUN, _GRAPH, _SCOPE, _OFFSET, _NODE_LIMIT), errors=_ERRORS)
def graph_nodes(params: Params) -> Response:
    """Content of a scope of a graph; repeats of one type are collapsed into aggregates."""
    reader = current_reader()

    def build() -> Response:
        opened = open_graph(reader, params[_RUN], params[_GRAPH])
        graph = opened.graph
        costs = traced_costs(reader, params[_RUN], opened)
        scope = open_scope(opened.views, params[_SCOPE], params[_OFFSET], params[_NODE_LIMIT], costs)
        return json_response(
            GraphScope(
                graph=params[_GRAPH],
                scope=params[_SCOPE],
                name=graph.title,
                totals=_totals(graph),
                traced=costs.tag if costs else None,
                nodes=[_node(node) for node in scope.nodes],
                edges=[_edge(edge) for edge in scope.edges],
                outer=[
                    OuterNode(name=each.name, label=each.label, scope=each.scope, kind=each.kind, type=each.type)
                    for each in scope.outer
                ],
                total=scope.total,
            )
        )

    return conditional_response(reader.runs.versions([params[_RUN]]), build)


def _totals(graph: Graph) -> GraphTotals:
    return GraphTotals(
        nodes=len(graph),
        edges=len(graph.sources),
        scopes=len(graph.scope_parents) - 1,
        dangling=graph.dangling,
        types=[OperatorCount(type=name, count=count) for name, count in graph.type_counts],
    )


def _edge(edge: ShownEdge) -> GraphEdge:
    return {
        "from": edge.source,
        "to": edge.target,
        "kind": "control" if edge.is_control else "data",
        "count": edge.count,
        "label": edge.label,
    }


def _node(node: ShownNode) -> GraphNode:
    fields: GraphNode = {
        "name": node.name,
        "label": node.label,
        "kind": node.kind,
        "type": node.type,
        "inside": node.inside,
        "scopes": node.scopes,
        "dtype": node.dtype,
        "shape": node.shape,
        "inputs": node.inputs,
        "outputs": node.outputs,
    }
    if node.members is not None:
        fields["members"] = node.members
    if node.cost is not None:
        fields["compute_us"], fields["memory"] = node.cost.micros, node.cost.memory
    return fields


@bp.get("/graphs/node")
@Operation(answer=GraphNodeDetails, parameters=(_RUN, _GRAPH, _NAME), errors=_ERRORS)
def graph_node(params: Params) -> Response:
    """A node, scope or aggregate: its attributes, inputs and outputs."""
    reader = current_reader()

    def build() -> Response:
        opened = open_graph(reader, params[_RUN], params[_GRAPH])
        description = describe(opened.views, params[_NAME], traced_costs(reader, params[_RUN], opened))
        details = _details(opened, description.number)
        body: GraphNodeDetails = {
            "node": _node(description.node),
            "scope": description.scope,
            "path": description.path,
            "attributes": [NodeAttribute(name=name, value=value) for name, value in details.attributes],
            "inputs": [_neighbour(each) for each in description.inputs],
            "outputs": [_neighbour(each) for each in description.outputs],
            "truncated": description.is_cut,
            "device": details.device,
            "stack": details.stack,
        }
        if description.members is not None:
            body["members"] = description.members
        return json_response(body)

    return conditional_response(reader.runs.versions([params[_RUN]]), build)


def _details(opened: OpenGraph, number: int | None) -> Details:
    return Details() if number is None else node_details(current_reader(), opened, number)


def _neighbour(each: Neighbour) -> GraphNeighbour:
    return GraphNeighbour(
        name=each.name,
        kind="control" if each.is_control else "data",
        node_kind=each.kind,
        type=each.type,
        dtype=each.dtype,
        shape=each.shape,
    )


@bp.get("/graphs/search")
@Operation(
    answer=GraphMatchPage,
    parameters=(_RUN, _GRAPH, _QUERY, _OFFSET, _MATCH_LIMIT),
    errors=_ERRORS,
)
def graph_search(params: Params) -> Response:
    """Nodes and scopes whose name or type contains a text, best matches first."""
    reader = current_reader()

    def build() -> Response:
        opened = open_graph(reader, params[_RUN], params[_GRAPH])
        total, matches = search(opened.views, params[_QUERY], params[_OFFSET], params[_MATCH_LIMIT])
        return json_response(
            GraphMatchPage(
                total=total,
                matches=[
                    GraphMatch(
                        name=each.name,
                        label=each.label,
                        type=each.type,
                        kind=each.kind,
                        scope=each.scope,
                        path=each.path,
                    )
                    for each in matches
                ],
            )
        )

    return conditional_response(reader.runs.versions([params[_RUN]]), build)
