"""Model graphs have the nodes and edges that VisualDL itself stores for the same model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like import LogWriter
from mindinsight_like.writers.visualdl.vdl_graph import Operator, Variable, graph, summary


@pytest.fixture
def theirs(corpus: Path) -> Any:
    (log,) = (corpus / "visualdl-2.5" / "everything").glob("vdlgraph*")
    return json.loads(log.read_text())


def _ours(theirs: Any) -> Any:
    operators = [
        Operator(node["name"].rpartition("/")[0], node["type"], node["input_vars"], node["output_vars"], node["attrs"])
        for node in theirs["nodes"]
        if node["is_leaf_node"]
    ]
    variables = [Variable(one["name"], one["shape"] or [], one["dtype"], one["persistable"]) for one in theirs["vars"]]
    return graph(operators, variables)


def _comparable(node: Any, names: dict[str, str]) -> Any:
    """A node without the order of its lists, which says nothing, and without the numbers in operators' names."""
    lists = ("children_node", "input_nodes", "output_nodes", "edge_input_nodes", "edge_output_nodes")
    return {
        "name": names[node["name"]],
        "type": node["type"],
        "parent": names.get(node["parent_node"], ""),
        **{key: sorted({names[name] for name in node[key]}) for key in lists},
        **{key: {role: sorted(found) for role, found in node[key].items()} for key in ("input_vars", "output_vars")},
    }


def _numberless(stored: Any) -> dict[str, str]:
    """Names by which nodes of both graphs can be compared: operators by layer and what they give."""
    return {
        node["name"]: f"{node['parent_node']}:{node['type']}:{sorted(node['output_vars'].items())}"
        if node["is_leaf_node"]
        else node["name"]
        for node in stored["nodes"]
    }


def test_layers_and_edges_are_those_of_visualdl(theirs: Any) -> None:
    ours = _ours(theirs)
    our_names, their_names = _numberless(ours), _numberless(theirs)

    assert sorted((_comparable(node, our_names) for node in ours["nodes"]), key=lambda node: node["name"]) == sorted(
        (_comparable(node, their_names) for node in theirs["nodes"]), key=lambda node: node["name"]
    )
    assert {
        (our_names[edge["from_node"]], our_names[edge["to_node"]], tuple(sorted(edge["vars"])), edge["label"])
        for edge in ours["edges"]
    } == {
        (their_names[edge["from_node"]], their_names[edge["to_node"]], tuple(sorted(edge["vars"])), edge["label"])
        for edge in theirs["edges"]
    }
    assert {one["name"]: one["dtype"] for one in ours["vars"]} == {one["name"]: one["dtype"] for one in theirs["vars"]}


def test_names_are_shown_without_those_of_attributes() -> None:
    stored = graph([Operator("/Net[model]/Conv2D[0]", "relu", {"X": ["x"]}, {"Out": ["y"]})], [])

    assert [(node["name"], node["show_name"], node["type"]) for node in stored["nodes"]] == [
        ("/Net[model]/Conv2D[0]/relu_0", "/Net/Conv2D/relu_0", "relu"),
        ("/Net[model]/Conv2D[0]", "/Net/Conv2D", "Conv2D"),
        ("/Net[model]", "/Net", "Net"),
        ("/", "/", ""),
    ]
    assert summary(stored).splitlines()[0] == "1 operators"


def test_attributes_that_json_cannot_hold_become_text() -> None:
    attributes = {"axis": 1, "shape": (2, 3), "place": Path("cpu"), "keep": True, "large": 2**40}

    stored = graph([Operator("", "sum", {}, {"Out": ["y"]}, attributes)], [])

    node = json.loads(json.dumps(stored))["nodes"][0]
    assert node["attrs"] == {"axis": 1, "shape": [2, 3], "place": "cpu", "keep": True, "large": 2**40}
    assert node["attr_types"] == {"axis": "INT", "shape": "INTS", "place": "STRING", "keep": "BOOL", "large": "LONG"}


def test_without_paddle_the_error_says_so(tmp_path: Path) -> None:
    with LogWriter(tmp_path) as writer, pytest.raises(ImportError, match="paddle"):
        writer.add_graph(object(), [])
