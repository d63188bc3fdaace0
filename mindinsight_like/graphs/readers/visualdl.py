"""Read VisualDL graphs (`vdlgraph`): the JSON of nodes, layers and variables that its `add_graph` writes."""

from __future__ import annotations

from typing import Any

from mindinsight_like.graphs.details import Details, cut
from mindinsight_like.graphs.details_json import dump_details
from mindinsight_like.graphs.drafts import BadGraph, Draft, NodeKind, Port, shape_text
from mindinsight_like.graphs.json_values import dictionary, items, loads, text, value_text

_KINDS = {"feed": NodeKind.INPUT, "data": NodeKind.INPUT, "fetch": NodeKind.OUTPUT}
_QUEUES = ("FEED_MINIBATCH", "FETCH_LIST")
_STACK = "op_callstack"


def read_graph(data: bytes) -> Draft:
    """The leaves of the graph, which name their layers; raises BadGraph."""
    graph = loads(data)
    draft = Draft()
    variables = [dictionary(each) for each in items(graph.get("vars"))]
    ports = {text(each.get("name")): _port(each) for each in variables}
    numbers: dict[str, int] = {}
    for node in map(dictionary, items(graph.get("nodes"))):
        if node.get("is_leaf_node") is True:
            name = text(node.get("name"))
            numbers.setdefault(name, _add_node(draft, node, name, ports))
    if not numbers:
        raise BadGraph("not a VisualDL graph")
    for variable in variables:
        _add_edges(draft, variable, numbers, ports)
    return draft


def _add_node(draft: Draft, node: dict[str, Any], name: str, ports: dict[str, Port]) -> int:
    type_name = text(node.get("type"))
    outputs = [variable for names in dictionary(node.get("output_vars")).values() for variable in items(names)]
    attributes = dictionary(node.get("attrs"))
    stack = attributes.get(_STACK)
    details = Details(
        [(key, value_text(value)) for key, value in sorted(attributes.items()) if key != _STACK],
        device=text(attributes.get("op_device")),
        stack=cut("\n".join(text(line) for line in items(stack)), 20_000),
    )
    return draft.add(
        name,
        type_name,
        _KINDS.get(type_name.rpartition(".")[2], NodeKind.OPERATOR),
        ports=draft.ports_of([ports.get(variable, Port("", "")) for variable in outputs[:64]]),
        place=draft.store_message(dump_details(details)),
    )


def _add_edges(draft: Draft, variable: dict[str, Any], numbers: dict[str, int], ports: dict[str, Port]) -> None:
    """From the node that gives a variable, or from the weight that it is, to those that take it."""
    name = text(variable.get("name"))
    targets = [numbers[target] for target in map(text, items(variable.get("to_nodes"))) if target in numbers]
    if not targets or any(queue in text(variable.get("type")) for queue in _QUEUES):
        return
    source = numbers.get(text(variable.get("from_node")))
    if source is None:
        kind = NodeKind.PARAMETER if variable.get("persistable") is True else NodeKind.INPUT
        number = draft.ports_of([ports[name]])
        source = draft.add(
            name, "Parameter" if kind == NodeKind.PARAMETER else "Variable", kind, ports=number, floats=True
        )
    for target in targets:
        draft.link(source, target, port=_place_of(draft, source, ports[name]))


def _place_of(draft: Draft, node: int, port: Port) -> int:
    """The first place of a node that gives out such a thing."""
    outputs = draft.port_lists[draft.ports[node]]
    return outputs.index(port) if port in outputs else 0


def _port(variable: dict[str, Any]) -> Port:
    shape = variable.get("shape")
    sizes = [size for size in shape if isinstance(size, int)] if isinstance(shape, list) else None
    dtype = text(variable.get("dtype")).rpartition(".")[2]
    return Port(dtype, "" if sizes is None else shape_text(sizes))
