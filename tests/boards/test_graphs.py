"""Computation graphs over REST."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from mindinsight_like.app.application import create_app
from mindinsight_like.graphs import opening
from mindinsight_like.writers.encoding import mindspore, tensorboard, wire
from tests.corpus import needs_mindinsight_data
from tests.graphs.making import (
    graph_def,
    mindspore_graph,
    mindspore_node,
    mindspore_type,
    onnx_graph,
    onnx_model,
    onnx_node,
    onnx_value,
    shapes_attribute,
    tensorflow_node,
)

WALL = 1_750_000_000.0
SMALL = graph_def(
    tensorflow_node("x", "Placeholder", _output_shapes=shapes_attribute([-1, 8]), dtype=wire.integer(6, 1)),
    tensorflow_node("net/dense/MatMul", "MatMul", ["x"], T=wire.integer(6, 1)),
    tensorflow_node("net/out", "Identity", ["net/dense/MatMul", "^x"]),
)


def log_graph(board, run, definition=SMALL, *, extra=b""):
    event = tensorboard.graph(definition, wall_time=WALL)
    path = board.log_records(f"{run}/events.out.tfevents.1750000000.host", tensorboard.frame(event), extra)
    board.load()
    return path


def log_model(board, name, content):
    path = board.settings.summary_base_dir / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)
    board.load()
    return path


def refused(board, path, **query):
    answer = board.client.get(f"/v1/{path}", query_string=query)
    return answer.status_code, answer.get_json()["error"]["code"]


def test_the_graphs_of_a_run_are_those_of_its_logs_and_its_models(board):
    log_graph(board, "run")
    log_model(board, "run/ms_output_after_opt_0.pb", wire.blob(4, mindspore_graph(mindspore_node("1", "ReLU"))))
    log_model(board, "run/net.onnx", onnx_model(onnx_graph([onnx_node("r", "Relu", [], ["y"])])))
    run = board.id_of("run")

    found = board.get("graphs", run=run)["graphs"]

    assert [(each["name"], each["source"], each["stage"], each["step"]) for each in found] == [
        ("graph", "tensorboard", "", 0),
        ("ms_output_after_opt_0.pb", "mindspore", "after_opt", 0),
        ("net.onnx", "onnx", "", 0),
    ]
    log, export, _ = found
    assert log["graph"].startswith("events.out.tfevents.1750000000.host@")
    assert (log["wall_time"], log["bytes"]) == (WALL, len(SMALL))
    assert (export["graph"], export["file"]) == ("ms_output_after_opt_0.pb", "run/ms_output_after_opt_0.pb")
    assert board.get("runs")["runs"][0]["counts"] == {"graphs": 3}
    for each in found:
        assert board.get("graphs/nodes", run=run, graph=each["graph"])["totals"]["nodes"] >= 1


@pytest.fixture
def small(board):
    log_graph(board, "run")
    run = board.id_of("run")
    (known,) = board.get("graphs", run=run)["graphs"]
    return lambda path, **query: board.get(f"graphs/{path}", run=run, graph=known["graph"], **query)


def test_the_whole_graph_is_opened_first(small):
    found = small("nodes")

    assert found["scope"] == ""
    assert found["totals"] == {
        "nodes": 3,
        "edges": 3,
        "scopes": 2,
        "dangling": 0,
        "types": [{"type": name, "count": 1} for name in ("Identity", "MatMul", "Placeholder")],
    }
    assert found["total"] == 2
    assert found["nodes"] == [
        {
            "name": "net",
            "label": "net",
            "kind": "scope",
            "type": "",
            "inside": 2,
            "scopes": 1,
            "dtype": "",
            "shape": "",
            "inputs": 2,
            "outputs": 0,
        },
        {
            "name": "x",
            "label": "x",
            "kind": "input",
            "type": "Placeholder",
            "inside": 0,
            "scopes": 0,
            "dtype": "float32",
            "shape": "[?, 8]",
            "inputs": 0,
            "outputs": 2,
        },
    ]
    assert found["edges"] == [
        {"from": "x", "to": "net", "kind": "data", "count": 1, "label": "float32 [?, 8]"},
        {"from": "x", "to": "net", "kind": "control", "count": 1, "label": ""},
    ]
    assert found["outer"] == []
    assert found["traced"] is None


def test_an_opened_scope_says_where_its_edges_lead(small):
    found = small("nodes", scope="net")

    assert [node["name"] for node in found["nodes"]] == ["net/dense", "net/out"]
    assert {(edge["from"], edge["to"], edge["kind"]) for edge in found["edges"]} == {
        ("outer:x", "net/dense", "data"),
        ("outer:x", "net/out", "control"),
        ("net/dense", "net/out", "data"),
    }
    assert found["outer"] == [{"name": "x", "label": "x", "scope": "", "kind": "input", "type": "Placeholder"}]


def test_a_window_of_nodes(small):
    found = small("nodes", offset=1, limit=1)

    assert (found["total"], [node["name"] for node in found["nodes"]], found["edges"]) == (2, ["x"], [])


def test_one_node_with_all_that_is_known_of_it(small):
    found = small("node", name="net/dense/MatMul")

    assert found["node"]["type"] == "MatMul"
    assert (found["scope"], found["path"]) == ("net/dense", ["", "net", "net/dense"])
    assert found["attributes"] == [{"name": "T", "value": "float32"}]
    assert found["inputs"] == [
        {
            "name": "x",
            "kind": "data",
            "node_kind": "input",
            "type": "Placeholder",
            "dtype": "float32",
            "shape": "[?, 8]",
        }
    ]
    assert [each["name"] for each in found["outputs"]] == ["net/out"]
    assert (found["truncated"], found["device"], found["stack"]) == (False, "", "")
    scope = small("node", name="net")
    assert (scope["node"]["kind"], scope["attributes"], len(scope["inputs"])) == ("scope", [], 2)


def test_aggregates_are_opened_and_described_like_scopes(board):
    nodes = [tensorflow_node(f"train/update_{place}", "Apply") for place in range(30)]
    log_graph(board, "run", graph_def(*nodes))
    run = board.id_of("run")
    graph = board.get("graphs", run=run)["graphs"][0]["graph"]

    (shown,) = board.get("graphs/nodes", run=run, graph=graph, scope="train")["nodes"]
    assert (shown["name"], shown["kind"], shown["inside"]) == ("train/Apply[30]", "aggregate", 30)
    assert "members" not in shown  # too many to be named along
    inside = board.get("graphs/nodes", run=run, graph=graph, scope=shown["name"])
    assert inside["total"] == 30
    described = board.get("graphs/node", run=run, graph=graph, name=shown["name"])
    assert len(described["members"]) == 30
    assert board.get("graphs/node", run=run, graph=graph, name="train/update_7")["scope"] == "train/Apply[30]"


def test_search_finds_names_and_types(small):
    found = small("search", q="mat")

    assert found == {
        "total": 1,
        "matches": [
            {
                "name": "net/dense/MatMul",
                "label": "MatMul",
                "type": "MatMul",
                "kind": "operator",
                "scope": "net/dense",
                "path": ["", "net", "net/dense"],
            }
        ],
    }
    assert [each["name"] for each in small("search", q="NET", limit=2)["matches"]] == ["net", "net/out"]
    assert small("search", q="")["total"] == 0


def test_what_is_not_there_is_not_found(board):
    log_graph(board, "run")
    run = board.id_of("run")
    graph = board.get("graphs", run=run)["graphs"][0]["graph"]

    assert refused(board, "graphs", run="nobody") == (404, "run_not_found")
    assert refused(board, "graphs/nodes", run="nobody", graph=graph) == (404, "run_not_found")
    for other in ("", "../../etc/passwd", graph + "1", "/etc/passwd"):
        assert refused(board, "graphs/nodes", run=run, graph=other) == (404, "not_found")
    assert refused(board, "graphs/nodes", run=run, graph=graph, scope="x") == (404, "not_found")
    assert refused(board, "graphs/node", run=run, graph=graph, name="nothing") == (404, "not_found")
    assert refused(board, "graphs/nodes", run=run, graph=graph, limit="-1") == (400, "bad_parameter")


def test_a_damaged_graph_says_so_and_hurts_no_other(board):
    log_graph(board, "run")
    log_model(board, "run/bad.onnx", b"\x08\x08 this is no model")
    log_model(board, "run/empty.onnx", onnx_model(onnx_graph()))
    log_model(board, "run/vdlgraph.1.log", b'{"nodes": ')
    run = board.id_of("run")
    good, *bad = sorted(board.get("graphs", run=run)["graphs"], key=lambda each: "@" not in each["graph"])

    for each in bad:
        answer = board.client.get("/v1/graphs/nodes", query_string={"run": run, "graph": each["graph"]})
        assert (answer.status_code, answer.get_json()["error"]["code"]) == (422, "bad_data")
        assert answer.get_json()["error"]["message"].startswith("Cannot show the graph: ")
    assert board.get("graphs/nodes", run=run, graph=good["graph"])["total"] == 2


def test_a_graph_that_is_too_large_says_so(board, monkeypatch):
    monkeypatch.setattr(opening, "WHOLE_BYTES", 10)
    log_model(board, "run/vdlgraph.1.log", b'{"nodes": [], "vars": []}')
    log_model(board, "run/net.onnx", onnx_model(onnx_graph([onnx_node("r", "Relu", [], ["y"])])))
    run = board.id_of("run")

    assert refused(board, "graphs/nodes", run=run, graph="vdlgraph.1.log") == (413, "too_large")
    assert board.get("graphs/nodes", run=run, graph="net.onnx")["total"] == 1  # read without its weights


def test_a_cyclic_graph_is_shown(board):
    nodes = [tensorflow_node(f"n{place}", "Op", [f"n{(place + 1) % 6}"]) for place in range(6)]
    log_graph(board, "run", graph_def(*nodes))
    run = board.id_of("run")

    found = board.get("graphs/nodes", run=run, graph=board.get("graphs", run=run)["graphs"][0]["graph"])

    assert (len(found["nodes"]), len(found["edges"])) == (6, 6)


def test_a_model_that_is_written_anew_is_shown_anew(board):
    model = onnx_model(onnx_graph([onnx_node("one", "Relu", ["x"], ["y"])], inputs=[onnx_value("x")]))
    log_model(board, "run/net.onnx", model)
    run = board.id_of("run")
    assert [node["name"] for node in board.get("graphs/nodes", run=run, graph="net.onnx")["nodes"]] == ["x", "one"]

    log_model(board, "run/net.onnx", model.replace(b"one", b"two"))

    assert [node["name"] for node in board.get("graphs/nodes", run=run, graph="net.onnx")["nodes"]] == ["x", "two"]
    (board.settings.summary_base_dir / "run/net.onnx").write_bytes(b"other bytes, not loaded yet")
    opening._open.clear()
    assert refused(board, "graphs/nodes", run=run, graph="net.onnx") == (410, "blob_gone")


def test_a_graph_that_was_read_once_is_not_read_again(board, monkeypatch):
    log_graph(board, "run")
    run = board.id_of("run")
    graph = board.get("graphs", run=run)["graphs"][0]["graph"]
    first = board.get("graphs/nodes", run=run, graph=graph)
    opening._open.clear()  # as in another worker

    def never(*given):
        raise AssertionError("the graph is read again")

    monkeypatch.setattr(opening, "read_draft", never)
    other = create_app(board.settings).test_client()

    answer = other.get("/v1/graphs/nodes", query_string={"run": run, "graph": graph})
    assert answer.get_json() == first
    assert other.get("/v1/graphs/node", query_string={"run": run, "graph": graph, "name": "x"}).status_code == 200


def test_an_answer_that_the_client_has_is_not_made_again(board):
    log_graph(board, "run")
    run = board.id_of("run")
    query = {"run": run, "graph": board.get("graphs", run=run)["graphs"][0]["graph"]}
    tag = board.client.get("/v1/graphs/nodes", query_string=query).headers["ETag"]

    again = board.client.get("/v1/graphs/nodes", query_string=query, headers={"If-None-Match": tag})

    assert again.status_code == 304


def _stats(name, micros, memory):
    used = wire.blob(6, wire.text(1, "cpu") + wire.integer(2, memory))
    return wire.blob(2, wire.text(1, name) + wire.integer(2, 5) + wire.integer(5, micros) + used)


def test_times_and_memory_of_a_traced_step_are_told_of_nodes_and_scopes(board):
    device = wire.text(1, "/device:CPU:0") + _stats("net/dense/MatMul", 40, 1000) + _stats("net/out", 2, 24)
    device += _stats("nobody", 7, 7)
    metadata = wire.blob(1, wire.blob(1, device))
    tagged = wire.text(1, "step 5") + wire.blob(2, metadata)
    event = wire.double(1, WALL) + wire.blob(8, tagged)
    empty = wire.double(1, WALL + 1) + wire.blob(8, wire.text(1, "later") + wire.blob(2, b""))
    log_graph(board, "run", extra=tensorboard.frame(event) + tensorboard.frame(empty))
    run = board.id_of("run")
    graph = board.get("graphs", run=run)["graphs"][0]["graph"]

    found = board.get("graphs/nodes", run=run, graph=graph)

    assert found["traced"] == "step 5"
    costs = {node["name"]: (node["compute_us"], node["memory"]) for node in found["nodes"]}
    assert costs == {"net": (42, 1024), "x": (0, 0)}
    assert board.get("graphs/node", run=run, graph=graph, name="net/dense/MatMul")["node"]["memory"] == 1000


def test_graphs_of_several_ranks_are_all_there(board):
    for rank in (0, 1):
        graph = mindspore_graph(mindspore_node(str(rank), "ReLU", output=mindspore_type(11, 2)))
        name = f"run/events.out.events.summary.1750000000.{rank}.host_MS"
        board.log_records(name, mindspore.frame(mindspore.graph_event(graph, wall_time=WALL)))
    board.load()
    run = board.id_of("run")

    found = board.get("graphs", run=run)["graphs"]

    assert len(found) == 2
    for rank, each in enumerate(found):
        (scope,) = board.get("graphs/nodes", run=run, graph=each["graph"])["nodes"]
        (node,) = board.get("graphs/nodes", run=run, graph=each["graph"], scope=scope["name"])["nodes"]
        assert (node["name"], node["dtype"], node["shape"]) == (f"Default/ReLU-op{rank}", "float32", "[2]")


# --- graphs of the real frameworks -----------------------------------------------------------------------------------


def _graphs(board):
    for run in board.get("runs")["runs"]:
        if "graphs" in run["counts"]:
            for known in board.get("graphs", run=run["id"])["graphs"]:
                yield run, known


def _everything(board, run, graph):
    """All nodes of a graph by name, found by opening everything."""
    found, waiting = {}, [""]
    while waiting:
        scope = waiting.pop()
        answer = board.get("graphs/nodes", run=run, graph=graph, scope=scope)
        ends = {node["name"] for node in answer["nodes"]} | {f"outer:{each['name']}" for each in answer["outer"]}
        assert all({edge["from"], edge["to"]} <= ends for edge in answer["edges"])
        for node in answer["nodes"]:
            if node["kind"] in ("scope", "aggregate"):
                waiting.append(node["name"])
            else:
                found[node["name"]] = node
    assert len(found) == answer["totals"]["nodes"]
    return found


@needs_mindinsight_data
def test_every_real_graph_opens_to_its_last_node(corpus_board):
    sources: dict[str, int] = {}
    for run, known in _graphs(corpus_board):
        nodes = _everything(corpus_board, run["id"], known["graph"])
        sources[known["source"]] = sources.get(known["source"], 0) + 1
        assert any(node["kind"] == "operator" for node in nodes.values()), known
        for name in list(nodes)[:10]:
            found = corpus_board.get("graphs/node", run=run["id"], graph=known["graph"], name=name)
            assert found["node"]["name"] == name
    assert sources == {"mindspore": 26, "onnx": 3, "paddle": 2, "tensorboard": 6, "visualdl": 1}


def test_nodes_that_the_corpus_names_are_found(corpus: Path, corpus_board):
    checked = 0
    for run, known in _graphs(corpus_board):
        truth = corpus / run["name"] / "expected.json"
        expected = json.loads(truth.read_text()).get("graph") if truth.exists() else None
        # `dense/W` is two nodes: variables of TensorFlow 1 do not get the name scope that they are made in.
        for part in "/".join(expected["node_name_contains"]).split("/") if expected else ():
            found = corpus_board.get("graphs/search", run=run["id"], graph=known["graph"], q=part)
            assert any(part in match["name"] for match in found["matches"]), (known, part)
            checked += 1
    assert checked >= 9


@needs_mindinsight_data
def test_nodes_are_named_as_mindinsight_names_them(corpus: Path, corpus_board):
    run = corpus_board.id_of("mindspore-graphs")
    wanted = set()
    for path in sorted((corpus / "mindspore-graphs/expected").glob("test_get_nodes*.json")):
        for node in json.loads(path.read_text())["nodes"]:
            if node["type"] not in ("name_scope", "aggregation_scope", "Const", "Parameter"):
                # Members of an aggregate keep their own names here.
                parts = [part for part in node["name"].split("/") if "[" not in part]
                wanted.add(("/".join(parts), node["type"]))
    found = {(name, node["type"]) for name, node in _everything(corpus_board, run, "ms_output_graph_base.pb").items()}

    assert len(wanted) >= 15
    assert wanted <= found


@needs_mindinsight_data
def test_the_graph_in_a_summary_is_the_one_of_its_export(corpus_board):
    run = corpus_board.id_of("mindspore-graphs")
    for name in ("graph_base", "cyclic_graph", "high_degree_graph"):
        exported = _everything(corpus_board, run, f"ms_output_{name}.pb")
        logged = _everything(corpus_board, run, f"{name}.summary.1600000000@24")
        assert exported == logged


def test_shapes_and_attributes_of_a_real_model(corpus_board):
    run = corpus_board.id_of("models/onnx")

    found = corpus_board.get("graphs/node", run=run, graph="digit_torchscript.onnx", name="conv/Conv")

    attributes = {each["name"]: each["value"] for each in found["attributes"]}
    assert attributes["kernel_shape"] == "[3, 3]"
    assert [(each["name"], each["shape"]) for each in found["inputs"]][:1] == [("image", "[batch, 1, 8, 8]")]
    dynamo = corpus_board.get("graphs/node", run=run, graph="digit_dynamo.onnx", name="node_relu")
    assert "gen_onnx.py" in dynamo["stack"]


def test_runs_count_as_many_graphs_as_are_listed(board):
    event = tensorboard.frame(tensorboard.graph(SMALL, wall_time=WALL))
    log_graph(board, "run", extra=event)  # two in one log
    board.log_records("run/events.out.tfevents.1750000009.host", event)  # and one of the same name in another
    log_model(board, "run/net.onnx", onnx_model(onnx_graph([onnx_node("r", "Relu", [], ["y"])])))
    board.load()

    (run,) = board.get("runs")["runs"]

    assert run["counts"]["graphs"] == len(board.get("graphs", run=run["id"])["graphs"]) == 4
