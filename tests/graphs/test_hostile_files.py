"""Files that are damaged, or were made to do harm, give one clear sentence and nothing else."""

from __future__ import annotations

import json
import random
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.graphs.building import build
from mindinsight_like.graphs.columns import Graph
from mindinsight_like.graphs.details_json import load_details
from mindinsight_like.graphs.drafts import BadGraph, NodeKind
from mindinsight_like.graphs.formats import read_details, read_draft
from mindinsight_like.graphs.sparse import can_be_sparse, read_sparse
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.writers.encoding import wire

from .making import onnx_graph, onnx_model, onnx_node, onnx_value, onnx_weight

GRAPHS = [
    Dialect.MINDSPORE,
    Dialect.MINDSPORE_MODEL,
    Dialect.TENSORBOARD,
    Dialect.TENSORFLOW_MODEL,
    Dialect.VISUALDL_GRAPH,
    Dialect.PADDLE_PROGRAM,
    Dialect.PADDLE_PIR,
    Dialect.ONNX,
]


def _all_details(dialect: Dialect, data: bytes, graph: Graph) -> None:
    for node in range(len(graph)):
        begin, end = int(graph.begins[node]), int(graph.ends[node])
        if graph.messages:
            load_details(graph.messages[begin:end])
        else:
            try:
                read_details(dialect, data[begin:end], NodeKind(graph.kinds[node]))
            except Malformed:
                continue


def _read(dialect: Dialect, data: bytes) -> Graph | None:
    try:
        graph = build(read_draft(dialect, data))
    except (Malformed, BadGraph) as error:
        assert str(error)
        return None
    _all_details(dialect, data, graph)
    return graph


@pytest.mark.parametrize("dialect", GRAPHS)
@given(st.binary(max_size=300))
def test_noise_is_refused_or_read(dialect: Dialect, noise: bytes) -> None:
    _read(dialect, noise)


_KEYS = [
    "program",
    "regions",
    "blocks",
    "ops",
    "args",
    "#",
    "A",
    "I",
    "O",
    "%",
    "TT",
    "D",
    "N",
    "AT",
    "nodes",
    "vars",
    "name",
    "type",
    "is_leaf_node",
    "attrs",
    "output_vars",
    "shape",
    "dtype",
    "from_node",
    "to_nodes",
    "config",
    "layers",
    "class_name",
    "inbound_nodes",
    "keras_history",
]
_LEAVES = st.none() | st.booleans() | st.integers(-5, 5) | st.floats(-1, 1) | st.text(max_size=5)
_JSON = st.recursive(
    _LEAVES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(_KEYS), inner, max_size=5),
    max_leaves=30,
)


@pytest.mark.parametrize("dialect", [Dialect.VISUALDL_GRAPH, Dialect.PADDLE_PIR, Dialect.TENSORBOARD])
@given(_JSON, st.sampled_from(["", "program", "nodes", "config"]))
def test_json_of_any_shape_is_refused_or_read(dialect: Dialect, value: Any, key: str) -> None:
    content = json.dumps({key: value} if key else value).encode()
    if dialect == Dialect.TENSORBOARD:
        content = wire.blob(8, wire.blob(8, b"{" + content[1:] if content[:1] == b"{" else b"{}"))
    _read(dialect, content)


def test_json_nested_without_end_is_refused() -> None:
    for dialect in (Dialect.VISUALDL_GRAPH, Dialect.PADDLE_PIR):
        with pytest.raises(BadGraph):
            read_draft(dialect, b'{"program":' * 100_000)
    deep: Any = 1
    for _ in range(500):
        deep = [deep]
    leaf = {"name": "a", "type": "t", "is_leaf_node": True, "attrs": {"deep": deep}}
    graph = _read(Dialect.VISUALDL_GRAPH, json.dumps({"nodes": [leaf]}).encode())
    assert graph is not None
    assert dict(load_details(graph.messages).attributes) == {"deep": "nested too deep to be shown"}


def _records(corpus: Path) -> list[tuple[Path, Dialect]]:
    found = [(path, Dialect.ONNX) for path in corpus.rglob("*.onnx")]
    found += [(path, Dialect.PADDLE_PROGRAM) for path in corpus.rglob("*.pdmodel")]
    found += [(path, Dialect.MINDSPORE_MODEL) for path in corpus.rglob("ms_output*.pb")]
    found += [(path, Dialect.VISUALDL_GRAPH) for path in corpus.rglob("vdlgraph*")]
    found += [(path, Dialect.PADDLE_PIR) for path in corpus.rglob("models/**/*.json")]
    assert len(found) >= 10
    return sorted(found)


def test_real_models_that_were_damaged_are_refused_or_read(corpus: Path) -> None:
    chance = random.Random(4)
    for path, dialect in _records(corpus):
        whole = path.read_bytes()
        assert _read(dialect, whole) is not None, path
        for _ in range(25):
            damaged = bytearray(whole)
            for _ in range(chance.randint(1, 4)):
                damaged[chance.randrange(len(damaged))] = chance.randrange(256)
            _read(dialect, bytes(damaged[: chance.randrange(len(damaged))]))
            _read(dialect, bytes(damaged))


def test_a_message_that_claims_more_nodes_than_anybody_can_hold(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindinsight_like.graphs.drafts.MOST_NODES", 1000)

    with pytest.raises(BadGraph, match="more than 1,000 nodes"):
        read_draft(Dialect.TENSORBOARD, b"\x0a\x00" * 1001)
    with pytest.raises(BadGraph, match="more than 1,000 nodes"):
        read_draft(Dialect.MINDSPORE, b"\x0a\x00" * 1001)
    with pytest.raises(BadGraph, match="more than 1,000 nodes"):
        read_draft(Dialect.ONNX, onnx_model(b"\x0a\x00" * 1001))


# --- models that are nearly all weights -----------------------------------------------------------------------------


def _weighty() -> bytes:
    constant = wire.text(1, "value") + wire.blob(5, onnx_weight("", 1, [50_000], b"\1" * 200_000))
    return onnx_model(
        onnx_graph(
            [onnx_node("mul", "Mul", ["x", "w"], ["y"]), onnx_node("const", "Constant", [], ["c"], constant)],
            weights=[onnx_weight("w", 1, [250_000], b"\1" * 1_000_000), onnx_weight("b", 1, [2], b"\1" * 8)],
            inputs=[onnx_value("x")],
        )
    )


def test_weights_are_left_out_and_all_else_keeps_its_place() -> None:
    whole = _weighty()
    asked = 0

    def read(begin: int, count: int) -> bytes:
        nonlocal asked
        asked += count
        return whole[begin : begin + count]

    sparse = read_sparse(Dialect.ONNX, len(whole), read)

    assert len(sparse) == len(whole)
    assert sum(byte == 1 for byte in sparse[:]) < 100
    one, other = (build(read_draft(Dialect.ONNX, data)) for data in (whole, sparse))
    assert list(one.names) == list(other.names)
    assert one.begins.tolist() == other.begins.tolist()
    assert one.port_lists == other.port_lists
    assert one.sources.tolist() == other.sources.tolist()


def _part(content: bytes, begin: int, count: int) -> bytes:
    return content[begin : begin + count]


def test_every_format_reads_the_same_without_its_weights(corpus: Path) -> None:
    for path, dialect in _records(corpus):
        if can_be_sparse(dialect):
            whole = path.read_bytes()
            sparse = read_sparse(dialect, len(whole), partial(_part, whole))
            assert sparse[:] == whole, path  # nothing in them is large


def test_a_file_of_nothing_but_tiny_fields_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mindinsight_like.graphs.sparse._MOST_FIELDS", 1000)
    tiny = onnx_model(b"\x0a\x00" * 100_000)

    with pytest.raises(Malformed, match="more than 1,000 fields"):
        read_sparse(Dialect.ONNX, len(tiny), lambda begin, count: tiny[begin : begin + count])


def test_a_damaged_model_of_weights_is_refused() -> None:
    whole = _weighty()
    cut = whole[: len(whole) // 2]

    with pytest.raises(Malformed):
        read_sparse(Dialect.ONNX, len(cut), lambda begin, count: cut[begin : begin + count])
