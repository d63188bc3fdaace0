"""What is seen of a graph: repeats, edges between what is seen, and where they lead outwards."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.errors import NotFound
from mindinsight_like.graphs.columns import Graph
from mindinsight_like.graphs.drafts import NodeKind
from mindinsight_like.graphs.neighbours import describe
from mindinsight_like.graphs.scope_view import open_scope
from mindinsight_like.graphs.search import search
from mindinsight_like.graphs.views import Views

from .making import edges, graph_of, names, opened


def test_edges_are_shown_between_what_is_seen() -> None:
    graph = graph_of({"a/x": "A", "a/y": "A", "b/z": "B", "w": "C"}, [(0, 1), (0, 2), (1, 2), (2, 3)])

    whole, inner = opened(graph), opened(graph, "a")

    assert names(whole) == ["a", "b", "w"]
    assert edges(whole) == {("a", "b", 2), ("b", "w", 1)}
    assert [(node.inside, node.inputs, node.outputs) for node in whole.nodes] == [(2, 0, 2), (1, 2, 1), (0, 1, 0)]
    assert edges(inner) == {("a/x", "a/y", 1), ("a/x", "outer:b", 1), ("a/y", "outer:b", 1)}
    assert [(each.name, each.label, each.scope, each.kind) for each in inner.outer] == [("b", "b", "", "scope")]


def test_an_edge_outwards_leads_to_what_is_seen_in_the_nearest_scope_around() -> None:
    graph = graph_of({"a/b/c/x": "A", "a/b/y": "A", "a/d/e/z": "A", "f/g/w": "A"}, [(0, 1), (0, 2), (0, 3)])

    found = opened(graph, "a/b/c")

    assert edges(found) == {("a/b/c/x", f"outer:{name}", 1) for name in ("a/b/y", "a/d", "f")}
    assert {(each.name, each.scope) for each in found.outer} == {("a/b/y", "a/b"), ("a/d", "a"), ("f", "")}


def test_a_parameter_outside_is_meant_itself_even_where_a_repeat_shows_it() -> None:
    nodes = [(f"s{place}/x", "Op") for place in range(900)]
    weights = [(f"w{place}", NodeKind.PARAMETER) for place in range(900)]
    # Each weight feeds two scopes, so that it lies at the top, among far too many.
    links = [(900 + place, at % 900) for place in range(900) for at in (place, place + 1)]
    graph = graph_of(nodes, links, floating=weights)

    assert [node.name for node in opened(graph).nodes if node.kind != "scope"] == ["parameter[900]"]
    found = opened(graph, "s5")

    assert edges(found) == {("outer:w4", "s5/x", 1), ("outer:w5", "s5/x", 1)}
    assert {(each.name, each.scope, each.kind) for each in found.outer} == {
        ("w4", "parameter[900]", "parameter"),
        ("w5", "parameter[900]", "parameter"),
    }


def test_control_edges_are_told_from_data() -> None:
    graph = graph_of({"x": "A", "y": "A"}, [(0, 1)], controls=[(0, 1)])

    assert {(edge.is_control, edge.count) for edge in opened(graph).edges} == {(False, 1), (True, 1)}


def test_nodes_side_by_side_are_a_repeat_and_a_chain_is_none() -> None:
    many = {f"update/{place}": "Apply" for place in range(7)}
    chain = {f"layers/{place}": "Conv" for place in range(7)}
    links = [(place, place + 1) for place in range(7, 13)]
    graph = graph_of({**many, **chain}, links)

    (repeat,) = opened(graph, "update").nodes
    assert (repeat.name, repeat.label, repeat.kind, repeat.inside) == ("update/Apply[7]", "Apply[7]", "aggregate", 7)
    assert repeat.members == list(many)
    assert names(opened(graph, repeat.name)) == list(many)
    assert names(opened(graph, "layers")) == list(chain)


def test_repeats_of_one_size_have_names_of_their_own() -> None:
    first = {f"a{place}": "Op" for place in range(5)}
    second = {f"b{place}": "Op" for place in range(5)}
    graph = graph_of(
        {**first, "mid": "Join", **second, "Op[5]": "Odd"}, [(p, 5) for p in range(5)] + [(5, p) for p in range(6, 11)]
    )

    found = [node.name for node in opened(graph).nodes if node.kind == "aggregate"]

    assert found == ["Op[5]_1", "Op[5]_2"]
    assert names(opened(graph, "Op[5]_2")) == list(second)
    assert edges(opened(graph, "Op[5]_1")) == {(name, "outer:mid", 1) for name in first}


def test_a_crowded_scope_gathers_all_of_one_type() -> None:
    chain = {f"n{place}": ("Conv", "ReLU")[place % 2] for place in range(500)}
    graph = graph_of(chain, [(place, place + 1) for place in range(499)])

    found = opened(graph)

    assert names(found) == ["Conv[250]", "ReLU[250]"]
    assert edges(found) == {("Conv[250]", "ReLU[250]", 250), ("ReLU[250]", "Conv[250]", 249)}
    assert found.nodes[0].members is None


def test_circles_are_drawn_as_they_are() -> None:
    graph = graph_of(
        {f"n{place}": "Op" for place in range(6)}, [(place, (place + 1) % 6) for place in range(6)] + [(2, 2)]
    )

    found = opened(graph)

    assert len(found.nodes) == 6
    assert ("n5", "n0", 1) in edges(found)
    assert ("n2", "n2", 1) in edges(found)


def test_a_window_has_its_nodes_and_the_edges_between_them() -> None:
    graph = graph_of({f"n{place}": f"T{place}" for place in range(10)}, [(place, place + 1) for place in range(9)])

    found = opened(graph, offset=3, limit=3)

    assert found.total == 10
    assert names(found) == ["n3", "n4", "n5"]
    assert edges(found) == {("n3", "n4", 1), ("n4", "n5", 1)}
    assert opened(graph, offset=100, limit=3).nodes == []


@pytest.mark.parametrize("name", ["b", "a/x", "a/", "A[5]", "a/A[5]_9", "\0", "/"])
def test_what_is_no_scope_cannot_be_opened(name: str) -> None:
    with pytest.raises(NotFound):
        opened(graph_of({"a/x": "A"}), name)


_NAMES = st.lists(
    st.tuples(st.sampled_from("abc"), st.sampled_from("xyz"), st.integers(0, 9)).map(
        lambda parts: "/".join(map(str, parts))
    )
    | st.sampled_from("abcdefgh"),
    min_size=1,
    max_size=60,
)


@settings(max_examples=60)
@given(_NAMES, st.lists(st.tuples(st.integers(0, 59), st.integers(0, 59)), max_size=120), st.sampled_from([1, 3]))
def test_every_node_and_every_edge_is_seen_once(found: list[str], links: list[tuple[int, int]], types: int) -> None:
    count = len(found)
    pairs = [(source % count, target % count) for source, target in links]
    graph = graph_of([(name, f"T{place % types}") for place, name in enumerate(found)], pairs)
    views = Views(graph)

    seen: list[str] = []
    inner = 0
    waiting = [""]
    while waiting:
        scope = waiting.pop()
        answer = open_scope(views, scope, 0, 10_000)
        here = {node.name for node in answer.nodes}
        outer = {f"outer:{each.name}" for each in answer.outer}
        assert all(end in here | outer for edge in answer.edges for end in (edge.source, edge.target))
        inner += sum(edge.count for edge in answer.edges if edge.source in here and edge.target in here)
        for node in answer.nodes:
            described = describe(views, node.name)
            assert described.path[-1] == scope
            assert (described.node.inputs, described.node.outputs) == (node.inputs, node.outputs)
            if node.kind in ("scope", "aggregate"):
                waiting.append(node.name)
            else:
                seen.append(node.name)

    assert sorted(seen) == sorted(graph.names)
    assert inner == len(pairs)


def _found(graph: Graph, text: str, offset: int = 0, limit: int = 100) -> list[str]:
    return [match.name for match in search(Views(graph), text, offset, limit)[1]]


def test_search_gives_exact_names_first_then_last_parts_names_and_types() -> None:
    graph = graph_of(
        {"conv": "A", "net/conv": "A", "net/conv1": "A", "net/myconv": "A", "conv2/relu": "A", "x": "Conv2D"}
    )

    assert _found(graph, "CONV") == ["conv", "net/conv", "conv2", "net/conv1", "net/myconv", "conv2/relu", "x"]
    assert _found(graph, "net/conv") == ["net/conv", "net/conv1"]
    assert _found(graph, "conv", offset=1, limit=2) == ["net/conv", "conv2"]
    assert search(Views(graph), "conv", 0, 2)[0] == 7
    assert _found(graph, "nothing") == _found(graph, "  ") == []


def test_a_match_says_what_has_to_be_opened() -> None:
    graph = graph_of({f"a/b/update{place}": "Apply" for place in range(6)})

    _, (match, *_) = search(Views(graph), "update3", 0, 10)

    assert (match.name, match.scope) == ("a/b/update3", "a/b/Apply[6]")
    assert match.path == ["", "a", "a/b", "a/b/Apply[6]"]


def test_a_node_alone_with_its_neighbours() -> None:
    graph = graph_of(
        {"a/x": "A", "a/y": "B", "z": "C"}, [(0, 1), (1, 2)], controls=[(2, 1)], floating=[("p", NodeKind.PARAMETER)]
    )
    views = Views(graph)

    found = describe(views, "a/y")

    assert [(each.name, each.is_control, each.type) for each in found.inputs] == [("a/x", False, "A"), ("z", True, "C")]
    assert [each.name for each in found.outputs] == ["z"]
    assert (found.scope, found.is_cut, found.members) == ("a", False, None)
    scope = describe(views, "a")
    assert [each.name for each in scope.inputs] == [each.name for each in scope.outputs] == ["z"]
    assert describe(views, "p").node.kind == "parameter"
    with pytest.raises(NotFound):
        describe(views, "")


def test_a_node_with_very_many_neighbours_lists_the_first() -> None:
    graph = graph_of(
        [("hub", "Hub"), *((f"n{place}", "Leaf") for place in range(2000))], [(0, place) for place in range(1, 2001)]
    )

    found = describe(Views(graph), "hub")

    assert (len(found.outputs), found.is_cut, found.node.outputs) == (500, True, 2000)
    members = describe(Views(graph), "Leaf[2000]")
    assert (len(members.members or []), members.is_cut) == (500, True)
