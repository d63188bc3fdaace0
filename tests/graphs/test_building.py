"""Names become unique, scopes are found, and nodes without a scope find one."""

from __future__ import annotations

import pytest

from mindinsight_like.graphs.building import MOST_LEVELS, build
from mindinsight_like.graphs.drafts import BadGraph, Draft, NodeKind

from .making import graph_of


def test_nodes_lie_in_the_scopes_of_their_names() -> None:
    graph = graph_of({"a/b/x": "A", "y": "B", "a/z": "C", "c/w": "D"})

    assert list(graph.scope_names) == ["", "a", "a/b", "c"]
    assert graph.scope_parents.tolist() == [0, 0, 1, 0]
    assert [(name, graph.label(node)) for node, name in enumerate(graph.names)] == [
        ("y", "y"),
        ("a/z", "z"),
        ("a/b/x", "x"),
        ("c/w", "w"),
    ]
    assert graph.node_range(1) == (1, 3)
    assert graph.own(1) == (1, 2)
    assert [graph.type_names[number] for number in graph.types] == ["B", "C", "A", "D"]


def test_no_two_nodes_have_one_name() -> None:
    graph = graph_of([("x", "A"), ("x", "B"), ("x (2)", "C"), ("x", "D"), ("a/x", "E"), ("a/x", "F")])

    assert sorted(graph.names) == ["a/x", "a/x (2)", "x", "x (2)", "x (2) (2)", "x (3)"]


def test_a_node_with_the_name_of_a_scope_moves_into_it() -> None:
    graph = graph_of({"dense": "MatMul", "dense/kernel": "Variable", "dense/(dense)": "Odd"}, [(1, 0), (2, 0)])

    assert sorted(graph.names) == ["dense/(dense)", "dense/(dense) (2)", "dense/kernel"]
    assert list(graph.scope_names) == ["", "dense"]


@pytest.mark.parametrize(
    ("given", "shown"),
    [
        ("/a//b/", "a/b"),
        ("", "Op"),
        ("///", "Op"),
        ("a\0b", "a�b"),
        ("../../etc/passwd", "../../etc/passwd"),
        ("名/字 🙂", "名/字 🙂"),
    ],
)
def test_names_of_any_sort(given: str, shown: str) -> None:
    assert list(graph_of({given: "Op"}).names) == [shown]


def test_a_name_ten_thousand_levels_deep_has_a_bounded_number_of_scopes() -> None:
    deep = "/".join(["s"] * 10_000)
    graph = graph_of({deep: "A", deep + "x": "B", "s/s/y": "C"}, [(0, 1)])

    assert len(graph.scope_parents) == MOST_LEVELS + 1
    assert deep in set(graph.names)
    node = graph.names.find(deep)
    assert node is not None
    assert graph.label(node).count("/") == 10_000 - MOST_LEVELS - 1


def test_what_has_no_scope_goes_where_it_is_used() -> None:
    graph = graph_of(
        {"a/b/x": "A", "a/b/y": "A", "a/c/z": "A", "d/w": "A"},
        [(4, 0), (5, 0), (5, 1), (6, 1), (6, 2), (7, 2), (7, 3)],
        floating=[(name, NodeKind.PARAMETER) for name in ("one", "same", "near", "far", "unused")],
    )

    assert {name for name in graph.names if name.rpartition("/")[2] in ("one", "same", "near", "far", "unused")} == {
        "a/b/one",
        "a/b/same",
        "a/near",
        "far",
        "unused",
    }


def test_a_graph_without_nodes_is_none() -> None:
    with pytest.raises(BadGraph, match="no nodes"):
        build(Draft())


def test_there_is_an_end_to_nodes_and_edges(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindinsight_like.graphs.drafts.MOST_NODES", 2)
    monkeypatch.setattr("mindinsight_like.graphs.drafts.MOST_EDGES", 1)
    draft = Draft()
    draft.add("a", "A")
    draft.add("b", "A")
    draft.link(0, 1)

    with pytest.raises(BadGraph, match="more than 2 nodes"):
        draft.add("c", "A")
    with pytest.raises(BadGraph, match="more than 1 edges"):
        draft.link(1, 0)
    with pytest.raises(BadGraph, match="more than 2 nodes"):
        draft.add_many(["c"], ["A"], [0], [0], [0], [0])
    with pytest.raises(BadGraph, match="more than 1 edges"):
        draft.link_many([0], [1], [0], [False])
