"""Computation graphs as pandas tables."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mindinsight_like.errors import ServiceError
from mindinsight_like.graphs.catalogue import GraphInfo, list_graphs
from mindinsight_like.graphs.columns import Graph
from mindinsight_like.graphs.drafts import NodeKind
from mindinsight_like.graphs.opening import OpenGraph, each_details, open_graph
from mindinsight_like.graphs.scope_view import KIND_NAMES
from mindinsight_like.store.reader import IndexReader

if TYPE_CHECKING:
    import pandas as pd

_COLUMNS = ("run", "graph", "source", "name", "type", "kind", "scope", "dtype", "shape", "inputs", "control_inputs")


def nodes_table(
    reader: IndexReader, names: Mapping[str, str], chosen: set[str] | None, *, attributes: bool
) -> pd.DataFrame:
    """One row per node of the runs' graphs: run, graph, source, name, type, kind (operator, parameter, constant, input,
    output), scope, dtype, shape (text), inputs and control_inputs (lists of names), attributes (a dictionary).

    A graph that cannot be read has one row that says why in a further column, `error`.
    """
    import pandas as pd

    parts: list[dict[str, list[Any]]] = []
    errors: dict[int, str] = {}
    rows = 0
    for run, run_name in names.items():
        for info in list_graphs(reader, run):
            if chosen is not None and not {info.graph, info.name} & chosen:
                continue
            try:
                part = _nodes(reader, open_graph(reader, run, info.graph), attributes=attributes)
            except ServiceError as error:
                errors[rows] = str(error)
                part = {"name": [None]}
            count = len(part["name"])
            parts.append(_constant_columns(run_name, info, count) | part)
            rows += count
    columns = [*_COLUMNS, *(["attributes"] if attributes else [])]
    table = pd.DataFrame(
        {column: [value for part in parts for value in part.get(column, [None])] for column in columns}
    )
    if errors:
        table["error"] = [errors.get(row) for row in range(rows)]
    return table


def _constant_columns(run: str, info: GraphInfo, count: int) -> dict[str, list[Any]]:
    return {"run": [run] * count, "graph": [info.graph] * count, "source": [info.source] * count}


def _nodes(reader: IndexReader, opened: OpenGraph, *, attributes: bool) -> dict[str, list[Any]]:
    graph = opened.graph
    names, scopes = list(graph.names), list(graph.scope_names)
    ports = [graph.port(node) for node in range(len(graph))]
    inputs, controls = _inputs(graph, names)
    columns: dict[str, list[Any]] = {
        "name": names,
        "type": [graph.type_names[number] for number in graph.types.tolist()],
        "kind": [KIND_NAMES[NodeKind(kind)] for kind in graph.kinds.tolist()],
        "scope": [scopes[number] for number in graph.scopes.tolist()],
        "dtype": [port.dtype for port in ports],
        "shape": [port.shape for port in ports],
        "inputs": inputs,
        "control_inputs": controls,
    }
    if attributes:
        columns["attributes"] = [dict(each.attributes) for each in each_details(reader, opened, range(len(graph)))]
    return columns


def _inputs(graph: Graph, names: list[str]) -> tuple[list[list[str]], list[list[str]]]:
    """The names of what leads to each node by data and by control."""
    data: list[list[str]] = [[] for _ in names]
    controls: list[list[str]] = [[] for _ in names]
    columns = (graph.sources.tolist(), graph.targets.tolist(), graph.controls.tolist())
    for source, target, is_control in zip(*columns, strict=True):
        (controls if is_control else data)[target].append(names[source])
    return data, controls
