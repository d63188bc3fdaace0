"""Computation graphs as tables."""

from __future__ import annotations

from pathlib import Path

import pytest

import mindinsight_like as mi
from mindinsight_like.writers.encoding import wire
from tests.graphs.making import mindspore_graph, mindspore_node, mindspore_type, onnx_graph, onnx_model, onnx_node


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    attribute = wire.blob(5, wire.text(1, "axis") + wire.blob(2, wire.integer(1, 5) + wire.integer(3, 1)))
    graph = mindspore_graph(
        mindspore_node("1", "MatMul", ["w"], scope="Default/fc", output=mindspore_type(11, 2), attributes=attribute),
        mindspore_node("2", "Depend", ["1"], controls=["1"], scope="Default"),
        parameters={"w": mindspore_type(11, 2, 2)},
    )
    for run, name, content in (
        ("a", "ms_output_optimize.pb", wire.blob(4, graph)),
        ("b", "net.onnx", onnx_model(onnx_graph([onnx_node("r", "Relu", [], ["y"])]))),
        ("b", "bad.onnx", b"no model"),
    ):
        path = tmp_path / "logs" / run / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
    return tmp_path / "logs"


def test_a_row_for_every_node(folder: Path, tmp_path: Path) -> None:
    table = mi.open(folder, workspace=tmp_path / "workspace").graphs(run="a")

    assert list(table.columns) == [
        *("run", "graph", "source", "name", "type", "kind", "scope", "dtype", "shape", "inputs", "control_inputs"),
        "attributes",
    ]
    assert set(table["run"]) == {"a"}
    assert set(table["source"]) == {"mindspore"}
    rows = table.set_index("name")
    product = rows.loc["Default/fc/MatMul-op1"]
    assert (product["type"], product["kind"], product["scope"]) == ("MatMul", "operator", "Default/fc")
    assert (product["dtype"], product["shape"]) == ("float32", "[2]")
    assert product["inputs"] == ["Default/fc/w"]
    assert product["attributes"] == {"axis": "1"}
    depend = rows.loc["Default/Depend-op2"]
    assert (depend["inputs"], depend["control_inputs"]) == (["Default/fc/MatMul-op1"], ["Default/fc/MatMul-op1"])
    assert rows.loc["Default/fc/w"]["kind"] == "parameter"


def test_a_graph_that_cannot_be_read_says_why(folder: Path, tmp_path: Path) -> None:
    table = mi.open(folder, workspace=tmp_path / "workspace").graphs()

    bad = table[table["graph"] == "bad.onnx"]
    assert len(bad) == 1
    assert "Cannot show the graph" in bad["error"].iloc[0]
    assert bad["name"].isna().all()
    assert table[table["graph"] != "bad.onnx"]["error"].isna().all()
    assert set(table["run"]) == {"a", "b"}


def test_graphs_are_chosen_by_name(folder: Path, tmp_path: Path) -> None:
    runs = mi.open(folder, workspace=tmp_path / "workspace")

    table = runs.graphs("net.onnx", attributes=False)

    assert table["name"].tolist() == ["r"]
    assert "attributes" not in table
    assert len(runs.graphs("nothing")) == 0


def test_every_real_graph_becomes_a_table(corpus: Path, tmp_path: Path) -> None:
    table = mi.open(corpus, workspace=tmp_path / "workspace").graphs()

    assert "error" not in table
    assert table.groupby(["run", "graph"]).ngroups == 38
    assert not table.duplicated(["run", "graph", "name"]).any()
    assert set(table["source"]) == {"mindspore", "onnx", "paddle", "tensorboard", "visualdl"}
