"""Computation graphs: which there are, their scopes as they are opened, single nodes, and search."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.errors import BlobGone, NotFound, RunNotFound, StillLoading, TooLarge, Unreadable
from mindinsight_like.graphs.catalogue import SOURCES, KnownGraph, list_graphs
from mindinsight_like.graphs.details import Details
from mindinsight_like.graphs.neighbours import Neighbour, describe
from mindinsight_like.graphs.opened import KIND_NAMES, ShownNode, open_scope
from mindinsight_like.graphs.opening import OpenGraph, node_details, open_graph, traced_costs
from mindinsight_like.graphs.searching import search
from mindinsight_like.web.answers import json_answer, unless_known
from mindinsight_like.web.numbers import number
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, text, whole
from mindinsight_like.web.schemas import (
    BOOLEAN,
    COUNT,
    NUMBER,
    STRING,
    WHOLE,
    Schema,
    choice,
    listed,
    or_null,
    record,
    with_optional,
)
from mindinsight_like.web.source import current_reader

bp = Blueprint("graphs", __name__)

_RUN = text("run", "Id of a run.")
_GRAPH = text("graph", "A graph of the run, as `/v1/graphs` names it.")
_SCOPE = text("scope", "Full name of a scope or an aggregate; empty: the whole graph.")
_NAME = text("name", "Full name of a node, a scope or an aggregate.")
_QUERY = text("q", "A part of names or types, in upper or lower case.")
_OFFSET = whole("offset", "How many to skip.", default=0, lowest=0)
_NODE_LIMIT = whole("limit", "How many nodes to answer with at most.", default=2000, lowest=0)
_MATCH_LIMIT = whole("limit", "How many matches to answer with at most.", default=100, lowest=0)

_ERRORS = (RunNotFound, NotFound, BlobGone, TooLarge, Unreadable, StillLoading)
_KINDS = ("scope", "aggregate", *KIND_NAMES.values())

_KNOWN = record(
    graph=STRING | {"description": "What other routes call it."},
    name=STRING,
    file=STRING | {"description": "Path below the base dir."},
    source=choice(*SOURCES),
    step=WHOLE,
    wall_time=NUMBER,
    bytes=COUNT,
    stage=STRING | {"description": "How far a compiler had come, such as `before_opt` or `fused`; mostly empty."},
)
_NODE = with_optional(
    record(
        name=STRING | {"description": "Full name, unlike that of any other node or scope of the graph."},
        label=STRING | {"description": "Its last part."},
        kind=choice(*_KINDS),
        type=STRING,
        inside=COUNT | {"description": "Operators inside; 0 for a single node."},
        scopes=COUNT | {"description": "Scopes inside, at any depth."},
        dtype=STRING,
        shape=STRING | {"description": "Of its first output, with `?` for sizes that are not known; empty: not known."},
        inputs=COUNT | {"description": "Edges that lead to it."},
        outputs=COUNT,
    ),
    members=listed(STRING) | {"description": "The nodes of an aggregate, when they are few."},
    compute_us=NUMBER | {"description": "Time it took in the step that was traced, of all nodes inside together."},
    memory=COUNT | {"description": "Bytes it took there."},
)
_EDGE = record(
    **{"from": STRING | {"description": "Name of a node, or `outer:` and a name in `outer`."}, "to": STRING},
    kind=choice("data", "control"),
    count=COUNT | {"description": "How many edges between single nodes it stands for."},
    label=STRING | {"description": "Type and shape of what goes there; empty when `count` is more than 1."},
)
_OUTER = record(name=STRING, label=STRING, scope=STRING, kind=choice(*_KINDS), type=STRING)
_NEIGHBOUR = record(
    name=STRING, kind=choice("data", "control"), node_kind=STRING, type=STRING, dtype=STRING, shape=STRING
)


@bp.get("/graphs")
@Operation(answer=record(graphs=listed(_KNOWN)), parameters=(_RUN,), errors=(RunNotFound, StillLoading))
def graphs(given: Given) -> Response:
    """The graphs of a run: of its logs, and of the models in its folder."""
    run, reader = given[_RUN], current_reader()

    def build() -> Response:
        return json_answer({"graphs": [_known(known) for known in list_graphs(reader, run)]})

    return unless_known(reader.versions([run]), build)


def _known(known: KnownGraph) -> dict[str, object]:
    return {
        "graph": known.graph,
        "name": known.name,
        "file": known.file,
        "source": known.source,
        "step": known.record.step,
        "wall_time": number(known.record.wall_time),
        "bytes": known.record.length,
        "stage": known.stage,
    }


@bp.get("/graphs/nodes")
@Operation(
    answer=record(
        graph=STRING,
        scope=STRING,
        name=STRING | {"description": "What the graph calls itself; often empty."},
        totals=record(
            nodes=COUNT,
            edges=COUNT,
            scopes=COUNT,
            dangling=COUNT | {"description": "Inputs that name nothing in the graph."},
            types=listed(record(type=STRING, count=COUNT)),
        )
        | {"description": "Of the whole graph."},
        traced=or_null(STRING) | {"description": "Name of the step whose times and memory the nodes have, if any."},
        nodes=listed(_NODE),
        edges=listed(_EDGE),
        outer=listed(_OUTER) | {"description": "What edges lead to outside the scope, as seen in the scopes around."},
        total=COUNT | {"description": "How many nodes the scope has before offset and limit."},
    ),
    parameters=(_RUN, _GRAPH, _SCOPE, _OFFSET, _NODE_LIMIT),
    errors=_ERRORS,
)
def graph_nodes(given: Given) -> Response:
    """What is directly inside a scope of a graph; repeats of one type are gathered into aggregates."""
    reader = current_reader()

    def build() -> Response:
        opened = open_graph(reader, given[_RUN], given[_GRAPH])
        graph = opened.graph
        costs = traced_costs(reader, given[_RUN], opened)
        found = open_scope(opened.views, given[_SCOPE], given[_OFFSET], given[_NODE_LIMIT], costs)
        return json_answer(
            {
                "graph": given[_GRAPH],
                "scope": given[_SCOPE],
                "name": graph.title,
                "totals": {
                    "nodes": len(graph),
                    "edges": len(graph.sources),
                    "scopes": len(graph.scope_parents) - 1,
                    "dangling": graph.dangling,
                    "types": [{"type": name, "count": count} for name, count in graph.type_counts],
                },
                "traced": costs.tag if costs else None,
                "nodes": [_node(node) for node in found.nodes],
                "edges": [
                    {
                        "from": edge.source,
                        "to": edge.target,
                        "kind": "control" if edge.is_control else "data",
                        "count": edge.count,
                        "label": edge.label,
                    }
                    for edge in found.edges
                ],
                "outer": [
                    {"name": each.name, "label": each.label, "scope": each.scope, "kind": each.kind, "type": each.type}
                    for each in found.outer
                ],
                "total": found.total,
            }
        )

    return unless_known(reader.versions([given[_RUN]]), build)


def _node(node: ShownNode) -> dict[str, object]:
    fields: dict[str, object] = {
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
        fields |= {"compute_us": node.cost.micros, "memory": node.cost.memory}
    return fields


@bp.get("/graphs/node")
@Operation(
    answer=with_optional(
        record(
            node=_NODE,
            scope=STRING | {"description": "The scope or aggregate to be opened to see it."},
            path=listed(STRING) | {"description": "All that has to be opened to see it, from the whole graph on."},
            attributes=listed(record(name=STRING, value=STRING)),
            inputs=listed(_NEIGHBOUR),
            outputs=listed(_NEIGHBOUR),
            truncated=BOOLEAN | {"description": "There are more neighbours or members than are listed."},
            device=STRING,
            stack=STRING | {"description": "Where in the user's code it was made; mostly empty."},
        ),
        members=or_null(listed(STRING)),
    ),
    parameters=(_RUN, _GRAPH, _NAME),
    errors=_ERRORS,
)
def graph_node(given: Given) -> Response:
    """One node, scope or aggregate: attributes, and what leads to it and from it."""
    reader = current_reader()

    def build() -> Response:
        opened = open_graph(reader, given[_RUN], given[_GRAPH])
        found = describe(opened.views, given[_NAME], traced_costs(reader, given[_RUN], opened))
        details = _details(opened, found.number)
        answer: dict[str, object] = {
            "node": _node(found.node),
            "scope": found.scope,
            "path": found.path,
            "attributes": [{"name": name, "value": value} for name, value in details.attributes],
            "inputs": [_neighbour(each) for each in found.inputs],
            "outputs": [_neighbour(each) for each in found.outputs],
            "truncated": found.is_cut,
            "device": details.device,
            "stack": details.stack,
        }
        return json_answer(answer if found.members is None else answer | {"members": found.members})

    return unless_known(reader.versions([given[_RUN]]), build)


def _details(opened: OpenGraph, number: int | None) -> Details:
    return Details() if number is None else node_details(current_reader(), opened, number)


def _neighbour(each: Neighbour) -> dict[str, object]:
    return {
        "name": each.name,
        "kind": "control" if each.is_control else "data",
        "node_kind": each.kind,
        "type": each.type,
        "dtype": each.dtype,
        "shape": each.shape,
    }


_MATCH: Schema = record(name=STRING, label=STRING, type=STRING, kind=choice(*_KINDS), scope=STRING, path=listed(STRING))


@bp.get("/graphs/search")
@Operation(
    answer=record(total=COUNT, matches=listed(_MATCH)),
    parameters=(_RUN, _GRAPH, _QUERY, _OFFSET, _MATCH_LIMIT),
    errors=_ERRORS,
)
def graph_search(given: Given) -> Response:
    """Nodes and scopes whose name or type contains a text; the best matches first."""
    reader = current_reader()

    def build() -> Response:
        opened = open_graph(reader, given[_RUN], given[_GRAPH])
        total, found = search(opened.views, given[_QUERY], given[_OFFSET], given[_MATCH_LIMIT])
        return json_answer(
            {
                "total": total,
                "matches": [
                    {
                        "name": each.name,
                        "label": each.label,
                        "type": each.type,
                        "kind": each.kind,
                        "scope": each.scope,
                        "path": each.path,
                    }
                    for each in found
                ],
            }
        )

    return unless_known(reader.versions([given[_RUN]]), build)
