"""Model graphs in the JSON form that VisualDL draws: operators in nested layers, variables, edges level by level."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

_VERSION = "1.0.0"
_ROOT = "/"
_LAYER_NAMES = re.compile(r"\[[\w.]*\]")  # "/Net[model]/Conv2D[0]" is shown as "/Net/Conv2D"


@dataclass(frozen=True)
class Variable:
    """A tensor of the model; `persistable` when it is a parameter or a buffer."""

    name: str
    shape: list[int] = field(default_factory=list)
    dtype: str = ""
    persistable: bool = False


@dataclass(frozen=True)
class Operator:
    """A step of the model inside the layer `scope` ("/Net[model]/Conv2D[0]", or "" outside of all layers)."""

    scope: str
    type: str
    inputs: Mapping[str, list[str]]  # names of variables by the roles they play
    outputs: Mapping[str, list[str]]
    attributes: Mapping[str, Any] = field(default_factory=dict)


def graph(operators: Iterable[Operator], variables: Iterable[Variable]) -> dict[str, Any]:
    """The graph as it is stored; operators get the names of their layers with type and number behind them."""
    numbers: Counter[str] = Counter()
    leaves: dict[str, Operator] = {}
    for operator in operators:
        leaves[f"{operator.scope}/{operator.type}_{numbers[operator.type]}"] = operator
        numbers[operator.type] += 1
    variables_by_name = {variable.name: variable for variable in variables}
    sources: dict[str, str] = {}
    targets: dict[str, list[str]] = {}
    for name, operator in leaves.items():
        for variable in _names(operator.inputs):
            targets.setdefault(variable, []).append(name)
            variables_by_name.setdefault(variable, Variable(variable))
        for variable in _names(operator.outputs):
            sources[variable] = name
            variables_by_name.setdefault(variable, Variable(variable))
    flows = [
        (variable, source, target)
        for variable, source in sources.items()
        for target in targets.get(variable, [])
        if target != source  # an operator may work in place
    ]
    nodes = {name: _leaf(name, operator) for name, operator in leaves.items()}
    for name in leaves:
        _add_parents(name, nodes)
    _connect(
        nodes, flows, [(name, targets[name]) for name in variables_by_name if name in targets and name not in sources]
    )
    edges = _edges(flows)
    for source, target in edges:
        nodes[source]["edge_output_nodes"].append(target)
        nodes[target]["edge_input_nodes"].append(source)
    return {
        "version": _VERSION,
        "nodes": list(nodes.values()),
        "vars": [
            _variable(variables_by_name[name], sources.get(name, ""), targets.get(name, []))
            for name in variables_by_name
        ],
        "edges": [
            {
                "from_node": source,
                "to_node": target,
                "vars": list(names),
                "label": _label(list(names), variables_by_name),
            }
            for (source, target), names in edges.items()
        ],
    }


def summary(stored: Mapping[str, Any]) -> str:
    """How many operators and layers of each type there are, as lines of text."""
    lines = []
    for title, is_leaf in (("operators", True), ("layers", False)):
        types = Counter(
            node["type"] for node in stored["nodes"] if node["is_leaf_node"] is is_leaf and node["name"] != _ROOT
        )
        lines.append(f"{types.total()} {title}")
        lines += [f"  {count:6} {kind}" for kind, count in types.most_common()]
    return "\n".join(lines)


def _leaf(name: str, operator: Operator) -> dict[str, Any]:
    attributes = {key: _plain(value) for key, value in operator.attributes.items()}
    return {
        **_node(name, operator.type),
        "input_vars": {role: list(names) for role, names in operator.inputs.items()},
        "output_vars": {role: list(names) for role, names in operator.outputs.items()},
        "is_leaf_node": True,
        "attrs": attributes,
        "attr_types": {key: _type_name(value) for key, value in attributes.items()},
    }


def _node(name: str, kind: str) -> dict[str, Any]:
    return {
        "name": name,
        "show_name": _LAYER_NAMES.sub("", name),
        "type": kind,
        "input_vars": {"X": []},
        "output_vars": {"Y": []},
        "is_leaf_node": False,
        "attrs": {},
        "children_node": [],
        "input_nodes": [],
        "output_nodes": [],
        "edge_input_nodes": [],
        "edge_output_nodes": [],
        "parent_node": "",
    }


def _add_parents(name: str, nodes: dict[str, dict[str, Any]]) -> None:
    for child, parent in zip([name, *_parents(name)], _parents(name), strict=False):
        if parent not in nodes:
            nodes[parent] = _node(parent, _LAYER_NAMES.sub("", parent).rpartition("/")[2])
        if child not in nodes[parent]["children_node"]:
            nodes[parent]["children_node"].append(child)
        nodes[child]["parent_node"] = parent


def _parents(name: str) -> list[str]:
    """All layers around a node, from the innermost to the root."""
    parents = []
    while name != _ROOT:
        name = name.rpartition("/")[0] or _ROOT
        parents.append(name)
    return parents


def _connect(
    nodes: dict[str, dict[str, Any]], flows: list[tuple[str, str, str]], loose: list[tuple[str, list[str]]]
) -> None:
    """Say of operators and of the layers around them what flows in and out."""

    def add(node: str, role: str, variable: str, other: str | None) -> None:
        inner = nodes[node]
        key = "X" if role == "input" else "Y"
        if not inner["is_leaf_node"] and variable not in inner[f"{role}_vars"][key]:
            inner[f"{role}_vars"][key].append(variable)
        if other is not None and other not in inner[f"{role}_nodes"]:
            inner[f"{role}_nodes"].append(other)

    for variable, source, target in flows:
        around_source, around_target = [source, *_parents(source)], [target, *_parents(target)]
        for node in around_source:
            if node not in around_target:
                add(node, "output", variable, target)
        for node in around_target:
            if node not in around_source:
                add(node, "input", variable, source)
    for variable, targets in loose:  # parameters and what is fed from outside come from no operator
        for target in targets:
            for node in _parents(target):
                add(node, "input", variable, None)


def _edges(flows: list[tuple[str, str, str]]) -> dict[tuple[str, str], dict[str, None]]:
    """What flows along each edge; an edge leads only to a neighbour, into a layer, or out of it."""
    edges: dict[tuple[str, str], dict[str, None]] = {}
    for variable, source, target in flows:
        out_of, into = [source, *_parents(source)], [target, *_parents(target)]
        while out_of[-2:-1] == into[-2:-1]:  # both inside the same layer
            out_of.pop()
            into.pop()
        out_of, into = out_of[:-1], into[:-1]
        steps = [*pairwise(out_of), (out_of[-1], into[-1])]
        steps += [(outer, inner) for inner, outer in pairwise(into)]
        for step in steps:
            edges.setdefault(step, {})[variable] = None
    return edges


def _variable(variable: Variable, source: str, targets: list[str]) -> dict[str, Any]:
    return {
        "name": variable.name,
        "shape": variable.shape,
        "type": "VarType.DENSE_TENSOR",
        "dtype": variable.dtype,
        "value": [],
        "persistable": variable.persistable,
        "attrs": {},
        "from_node": source,
        "to_nodes": targets,
    }


def _label(names: list[str], variables: Mapping[str, Variable]) -> str:
    return str(variables[names[0]].shape) if len(names) == 1 else f"{len(names)} tensors"


def _names(roles: Mapping[str, list[str]]) -> Iterator[str]:
    for names in roles.values():
        yield from names


def _plain(value: Any) -> Any:
    """The value as JSON can hold it."""
    if value is None or isinstance(value, bool | int | float | str):
        return value
    if isinstance(value, list | tuple):
        return [_plain(part) for part in value]
    return str(value)


def _type_name(value: Any) -> str:
    if isinstance(value, list):
        return f"{_type_name(value[0]) if value else 'INT'}S"
    if isinstance(value, bool):
        return "BOOL"
    if isinstance(value, int):
        return "INT" if -(1 << 31) <= value < 1 << 31 else "LONG"
    return "FLOAT" if isinstance(value, float) else "STRING"
