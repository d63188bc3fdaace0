"""Each format as its framework writes it, in small: names, scopes, edges, types, and what is nested."""

from __future__ import annotations

import json
from typing import Any

import pytest

from mindinsight_like.graphs.building import build
from mindinsight_like.graphs.columns import Graph
from mindinsight_like.graphs.details import Details
from mindinsight_like.graphs.details_json import load_details
from mindinsight_like.graphs.drafts import BadGraph, NodeKind
from mindinsight_like.graphs.formats import read_details, read_draft
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.writers.encoding import wire

from .making import (
    graph_def,
    mindspore_graph,
    mindspore_node,
    mindspore_type,
    onnx_graph,
    onnx_model,
    onnx_node,
    onnx_type,
    onnx_value,
    onnx_weight,
    shapes_attribute,
    tensorflow_node,
)


class Read:
    """A graph that was read, by names."""

    def __init__(self, dialect: Dialect, data: bytes) -> None:
        self._dialect, self._data = dialect, data
        self.graph: Graph = build(read_draft(dialect, data))

    @property
    def nodes(self) -> dict[str, tuple[str, str]]:
        """Type and kind."""
        graph = self.graph
        return {
            name: (graph.type_names[graph.types[node]], NodeKind(graph.kinds[node]).name.lower())
            for node, name in enumerate(graph.names)
        }

    @property
    def edges(self) -> set[tuple[str, str]]:
        names = list(self.graph.names)
        return {(names[a], names[b]) for a, b in zip(self.graph.sources, self.graph.targets, strict=True)}

    @property
    def controls(self) -> set[tuple[str, str]]:
        graph, names = self.graph, list(self.graph.names)
        held = zip(graph.sources, graph.targets, graph.controls, strict=True)
        return {(names[a], names[b]) for a, b, is_control in held if is_control}

    def port(self, name: str, place: int = 0) -> str:
        node = self.graph.names.find(name)
        assert node is not None
        return " ".join(self.graph.port(node, place))

    def edge_port(self, source: str, target: str) -> str:
        graph, names = self.graph, list(self.graph.names)
        (edge,) = [
            edge
            for edge in range(len(graph.sources))
            if (names[graph.sources[edge]], names[graph.targets[edge]]) == (source, target)
        ]
        return " ".join(graph.port(int(graph.sources[edge]), int(graph.source_ports[edge])))

    def details(self, name: str) -> Details:
        node = self.graph.names.find(name)
        assert node is not None
        begin, end = int(self.graph.begins[node]), int(self.graph.ends[node])
        if self.graph.messages:
            return load_details(self.graph.messages[begin:end])
        return read_details(self._dialect, self._data[begin:end], NodeKind(self.graph.kinds[node]))

    def attributes(self, name: str) -> dict[str, str]:
        return dict(self.details(name).attributes)


# --- TensorFlow --------------------------------------------------------------------------------------------------


def _type(number: int) -> bytes:
    return wire.integer(6, number)


GRAPH_DEF = graph_def(
    tensorflow_node("x", "Placeholder", dtype=_type(1), shape=wire.blob(7, wire.blob(2, wire.integer(1, -1)))),
    tensorflow_node("net/w", "VarHandleOp", dtype=_type(20)),
    tensorflow_node("net/split", "Split", ["x"], T=_type(1), _output_shapes=shapes_attribute([-1, 2], [-1, 3])),
    tensorflow_node("net/add", "AddV2", ["net/split:1", "net/w", "^x", "missing"], T=_type(9)),
    tensorflow_node("net/one", "Const", dtype=_type(3)),
)


@pytest.mark.parametrize("dialect", [Dialect.TENSORBOARD, Dialect.TENSORFLOW_MODEL])
def test_a_graph_def(dialect: Dialect) -> None:
    read = Read(dialect, GRAPH_DEF)

    assert read.nodes == {
        "x": ("Placeholder", "input"),
        "net/w": ("VarHandleOp", "parameter"),
        "net/split": ("Split", "operator"),
        "net/add": ("AddV2", "operator"),
        "net/one": ("Const", "constant"),
    }
    assert read.edges == {("x", "net/split"), ("net/split", "net/add"), ("net/w", "net/add"), ("x", "net/add")}
    assert read.controls == {("x", "net/add")}
    assert read.graph.dangling == 1
    assert read.port("x") == "float32 [?]"
    assert read.edge_port("net/split", "net/add") == "float32 [?, 3]"
    assert read.port("net/add").strip() == "int64"
    assert read.port("net/one").strip() == "int32"


def test_functions_of_a_graph_def_are_scopes() -> None:
    argument = wire.text(1, "a") + wire.integer(3, 1)
    signature = wire.text(1, "double") + wire.blob(2, argument) + wire.blob(3, wire.text(1, "r"))
    function = (
        wire.blob(1, signature)
        + wire.blob(3, tensorflow_node("twice", "Add", ["a", "a"]))
        + wire.blob(3, tensorflow_node("same", "Identity", ["twice:z:0"]))
        + wire.blob(4, wire.text(1, "r") + wire.text(2, "same:output:0"))
    )

    read = Read(Dialect.TENSORBOARD, graph_def(tensorflow_node("call", "PartitionedCall", []), library=[function]))

    inside = "functions/double/"
    assert read.nodes[inside + "a"] == ("argument", "input")
    assert read.nodes[inside + "r (result)"] == ("result", "output")
    assert read.edges == {
        (inside + "a", inside + "twice"),
        (inside + "twice", inside + "same"),
        (inside + "same", inside + "r (result)"),
    }
    assert read.port(inside + "a").strip() == "float32"


def test_attributes_of_a_graph_def() -> None:
    values = {
        "f": wire.single(4, 0.1),
        "i": wire.integer(3, -5),
        "b": wire.integer(5, 1),
        "s": wire.text(2, "NHWC"),
        "raw": wire.blob(2, b"\xff\xfe"),
        "type": _type(14),
        "reference": _type(101),
        "list": wire.blob(1, wire.integer(3, 1) + wire.integer(3, 2)),
        "empty": wire.blob(1, b""),
        "function": wire.blob(10, wire.text(1, "double")),
        "tensor": wire.blob(
            8, wire.integer(1, 1) + wire.blob(2, wire.blob(2, wire.integer(1, 2))) + wire.single(5, 1.5)
        ),
        "content": wire.blob(8, wire.integer(1, 1) + wire.blob(4, b"x" * 12)),
        "long": wire.text(2, "y" * 5000),
        "broken": b"\x0a\xff",
    }
    node = tensorflow_node("n", "Op", [], **values) + wire.text(4, "/device:GPU:0")
    read = Read(Dialect.TENSORBOARD, graph_def(node))

    found = read.attributes("n")
    assert read.details("n").device == "/device:GPU:0"
    assert found["f"] == "0.1"
    assert found["i"] == "-5"
    assert found["b"] == "true"
    assert found["s"] == "NHWC"
    assert found["raw"] == "2 bytes"
    assert (found["type"], found["reference"]) == ("bfloat16", "float32 reference")
    assert (found["list"], found["empty"]) == ("[1, 2]", "[]")
    assert found["function"] == "double"
    assert found["tensor"] == "float32 [2] [1.5]"
    assert found["content"] == "float32 [], 12 bytes"
    assert found["long"] == "y" * 2000 + "… (5,000 characters)"
    assert "cannot be read" in found[""]


def test_a_meta_graph_a_saved_model_and_run_metadata_hold_graphs() -> None:
    meta = wire.blob(1, wire.blob(2, b"") + wire.text(4, "serve")) + wire.blob(2, GRAPH_DEF)
    expected = set(Read(Dialect.TENSORBOARD, GRAPH_DEF).nodes)

    assert set(Read(Dialect.TENSORBOARD, meta).nodes) == expected
    assert set(Read(Dialect.TENSORBOARD, meta + wire.blob(5, b"")).nodes) == expected
    saved = wire.integer(1, 1) + wire.blob(2, meta)
    assert set(Read(Dialect.TENSORFLOW_MODEL, saved).nodes) == expected
    two = Read(Dialect.TENSORFLOW_MODEL, saved + wire.blob(2, meta))
    assert set(two.nodes) == {f"graph_{place}/{name}" for place in (0, 1) for name in expected}
    metadata = wire.blob(4, wire.blob(2, GRAPH_DEF)) + wire.blob(3, graph_def(tensorflow_node("other", "Op")))
    value = wire.text(1, "f") + wire.blob(8, wire.integer(1, 7) + wire.blob(8, metadata))
    read = Read(Dialect.TENSORBOARD, value)
    assert set(read.nodes) == expected
    assert read.attributes("net/one")["dtype"] == "int32"


def test_torch_marks_inputs_and_outputs_by_their_scopes() -> None:
    nodes = [tensorflow_node("input/x", "IO Node"), tensorflow_node("output/y", "IO Node", ["Net/1"])]
    read = Read(Dialect.TENSORBOARD, graph_def(*nodes, tensorflow_node("Net/1", "prim::GetAttr")))

    assert read.nodes == {
        "input/x": ("IO Node", "input"),
        "output/y": ("IO Node", "output"),
        "Net/1": ("prim::GetAttr", "parameter"),
    }


def _layer(kind: str, name: str, inbound: Any = (), **config: Any) -> dict[str, Any]:
    return {"class_name": kind, "config": {"name": name, **config}, "inbound_nodes": inbound}


def _keras(model: dict[str, Any]) -> bytes:
    return wire.text(1, "keras") + wire.blob(8, wire.blob(8, json.dumps(model).encode()))


def test_models_of_keras() -> None:
    history = lambda name: {"args": [{"class_name": "__keras_tensor__", "config": {"keras_history": [name, 0, 0]}}]}  # noqa: E731
    inner = {
        "class_name": "Sequential",
        "config": {"name": "block", "layers": [_layer("Dense", "one"), _layer("Dense", "two", units=3)]},
        "inbound_nodes": [history("in")],
    }
    layers = [
        _layer("InputLayer", "in", batch_shape=[None, 8], dtype="float32"),
        inner,
        _layer("Add", "sum", [[["block", 0, 0, {}], ["in", 0, 0, {}]]]),
    ]
    read = Read(Dialect.TENSORBOARD, _keras({"class_name": "Functional", "config": {"name": "m", "layers": layers}}))

    assert read.nodes == {
        "in": ("InputLayer", "input"),
        "block/one": ("Dense", "operator"),
        "block/two": ("Dense", "operator"),
        "sum": ("Add", "operator"),
    }
    assert read.edges == {("in", "block/one"), ("block/one", "block/two"), ("block/two", "sum"), ("in", "sum")}
    assert read.port("in") == "float32 [?, 8]"
    assert read.attributes("block/two") == {"name": "two", "units": "3"}
    assert read.graph.title == "m"


# --- MindSpore ---------------------------------------------------------------------------------------------------


def _mindspore() -> bytes:
    value = wire.integer(1, 31) + wire.blob(18, wire.integer(1, 5) + wire.integer(3, 3)) * 2
    return mindspore_graph(
        mindspore_node("1", "Load", ["w"], full="Default/net/Load-op0"),
        mindspore_node(
            "2",
            "Conv2D",
            ["x", "1", "cst1"],
            scope="Default/net",
            controls=["3"],
            output=mindspore_type(11, 1, -1),
            attributes=wire.blob(5, wire.text(1, "kernel_size") + wire.blob(2, value)),
        ),
        mindspore_node("3", "Depend", ["2", "gone"], scope=""),
        parameters={"x": mindspore_type(11, 4), "w": mindspore_type(10, 2, 3)},
        constants={"cst1": wire.integer(1, 5) + wire.integer(3, 42)},
    )


@pytest.mark.parametrize("wrapped", ["", "model", "model without a version", "bare"])
def test_a_graph_of_mindspore(wrapped: str) -> None:
    data, dialect = _mindspore(), Dialect.MINDSPORE if not wrapped else Dialect.MINDSPORE_MODEL
    if wrapped.startswith("model"):
        data = (wire.integer(1, 1) if wrapped == "model" else b"") + wire.blob(4, data)
    read = Read(dialect, data)

    assert read.nodes == {
        "Default/net/Load-op0": ("Load", "operator"),
        "Default/net/Conv2D-op2": ("Conv2D", "operator"),
        "Depend-op3": ("Depend", "operator"),
        "Default/net/x": ("Parameter", "parameter"),
        "Default/net/w": ("Parameter", "parameter"),
        "Default/net/cst1": ("Const", "constant"),
    }
    assert read.controls == {("Depend-op3", "Default/net/Conv2D-op2")}
    assert read.edges - read.controls == {
        ("Default/net/w", "Default/net/Load-op0"),
        ("Default/net/x", "Default/net/Conv2D-op2"),
        ("Default/net/Load-op0", "Default/net/Conv2D-op2"),
        ("Default/net/cst1", "Default/net/Conv2D-op2"),
        ("Default/net/Conv2D-op2", "Depend-op3"),
    }
    assert read.graph.dangling == 1
    assert read.graph.title == "net"
    assert read.port("Default/net/Conv2D-op2") == "float32 [1, ?]"
    assert read.port("Default/net/w") == "float16 [2, 3]"
    assert read.attributes("Default/net/Conv2D-op2") == {"kernel_size": "(3, 3)"}
    assert read.attributes("Default/net/cst1") == {"value": "42"}


def test_old_names_of_mindspore_nodes_end_in_their_number() -> None:
    read = Read(
        Dialect.MINDSPORE,
        mindspore_graph(
            mindspore_node("Default/Conv2D-op7", "Conv2D"),
            mindspore_node("Default/ReLU-op8", "ReLU", ["Default/Conv2D-op7"]),
            mindspore_node("9", "ReLU", ["Other/Conv2D-op7"]),
        ),
    )

    assert set(read.nodes) == {"Default/Conv2D-op7", "Default/ReLU-op8", "Default/ReLU-op9"}
    assert len(read.edges) == 2


def test_values_of_mindspore_attributes() -> None:
    dictionary = wire.blob(19, wire.text(1, "k") + wire.blob(2, wire.integer(1, 1) + wire.integer(2, 1)))
    tensor = wire.blob(8, wire.integer(1, 2) + wire.integer(2, 11) + wire.single(3, 0.5) + wire.single(3, 1.5))
    deep = wire.integer(3, 1)
    for _ in range(100):
        deep = wire.blob(18, deep)
    values = {
        "text": wire.text(7, "same"),
        "double": wire.double(6, 0.1),
        "type": wire.blob(20, mindspore_type(12, 2)),
        "ints": wire.integer(11, 4) + wire.integer(11, 5),
        "none": wire.integer(1, 34),
        "dictionary": dictionary,
        "tensor": tensor,
        "deep": deep,
    }
    held = b"".join(wire.blob(5, wire.text(1, name) + wire.blob(2, value)) for name, value in values.items())
    read = Read(Dialect.MINDSPORE, mindspore_graph(mindspore_node("1", "Op", attributes=held)))

    found = read.attributes("Default/Op-op1")
    assert found.pop("deep").count("(") < 50
    assert found == {
        "text": "same",
        "double": "0.1",
        "type": "float64 [2]",
        "ints": "[4, 5]",
        "none": "none",
        "dictionary": "{k: true}",
        "tensor": "float32 [2] [0.5, 1.5]",
    }


# --- ONNX --------------------------------------------------------------------------------------------------------


def test_a_model_of_onnx() -> None:
    nodes = [
        onnx_node("/conv/Conv", "Conv", ["image", "w", ""], ["t"], wire.text(1, "group") + wire.integer(3, 2)),
        onnx_node("", "Split", ["t"], ["a", "b"]),
        onnx_node("node_add", "Add", ["a", "b", "gone"], ["y"], scopes="['', 'layer1', 'layer1.0', 'add_3']"),
    ]
    graph = onnx_graph(
        nodes,
        weights=[onnx_weight("w", 1, [4, 3], b"\0\0\x80?" * 12)],
        inputs=[onnx_value("image", onnx_type(1, "batch", 3)), onnx_value("w", onnx_type(1, 4, 3))],
        outputs=[onnx_value("y", onnx_type(16, 5))],
        values=[onnx_value("a", onnx_type(1, 1)), onnx_value("b", onnx_type(1, 2))],
    )
    read = Read(Dialect.ONNX, onnx_model(graph))

    assert read.nodes == {
        "conv/Conv": ("Conv", "operator"),
        "conv/w": ("Initializer", "parameter"),
        "Split_1": ("Split", "operator"),
        "layer1/0/node_add": ("Add", "operator"),
        "image": ("Input", "input"),
        "y (output)": ("Output", "output"),
    }
    assert read.edges == {
        ("image", "conv/Conv"),
        ("conv/w", "conv/Conv"),
        ("conv/Conv", "Split_1"),
        ("Split_1", "layer1/0/node_add"),
        ("layer1/0/node_add", "y (output)"),
    }
    assert read.graph.dangling == 1
    assert read.port("image") == "float32 [batch, 3]"
    assert read.port("conv/w") == "float32 [4, 3]"
    assert [read.port("Split_1", place) for place in (0, 1, 2)] == ["float32 [1]", "float32 [2]", " "]
    assert read.attributes("conv/Conv") == {"group": "2"}
    assert read.attributes("conv/w")["value"].startswith("float32 [4, 3] [1, 1, 1")


def test_subgraphs_of_onnx_are_scopes_that_see_the_values_around_them() -> None:
    inner = onnx_graph([onnx_node("neg", "Neg", ["x"], ["n"])], outputs=[onnx_value("n")])
    branch = onnx_graph(
        [onnx_node("deeper", "If", ["c"], ["m"], wire.text(1, "then_branch") + wire.blob(6, inner))],
        outputs=[onnx_value("m")],
    )
    whole = onnx_graph(
        [onnx_node("choose", "If", ["c"], ["y"], wire.text(1, "then_branch") + wire.blob(6, branch))],
        inputs=[onnx_value("x"), onnx_value("c")],
        outputs=[onnx_value("y")],
    )
    read = Read(Dialect.ONNX, onnx_model(whole))

    assert read.nodes["choose/(choose)"] == ("If", "operator")
    assert ("x", "choose/then_branch/deeper/then_branch/neg") in read.edges
    assert (
        "choose/then_branch/deeper/then_branch/neg",
        "choose/then_branch/deeper/then_branch/n (output)",
    ) in read.edges
    assert ("c", "choose/then_branch/deeper/(deeper)") in read.edges


def test_functions_of_onnx_are_scopes() -> None:
    function = (
        wire.text(1, "Twice")
        + wire.text(4, "a")
        + wire.text(5, "b")
        + wire.blob(7, onnx_node("", "Add", ["a", "a"], ["b"]))
        + wire.text(10, "mine")
    )
    read = Read(Dialect.ONNX, onnx_model(onnx_graph([onnx_node("call", "Twice", [], ["y"])]), function))

    inside = "functions/mine.Twice/"
    assert read.edges == {(inside + "a", inside + "Add_0"), (inside + "Add_0", inside + "b (output)")}


def test_subgraphs_that_never_end_are_refused() -> None:
    graph = onnx_graph([onnx_node("last", "Neg", [], ["n"])])
    for _ in range(40):
        graph = onnx_graph([onnx_node("n", "If", [], ["m"], wire.text(1, "g") + wire.blob(6, graph))])

    with pytest.raises(BadGraph, match="too deep"):
        read_draft(Dialect.ONNX, onnx_model(graph))


# --- Paddle ------------------------------------------------------------------------------------------------------


def _variable(name: str, kind: int, dtype: int, sizes: list[int], *, keeps: bool = False) -> bytes:
    tensor = wire.integer(1, dtype) + b"".join(wire.integer(2, size) for size in sizes)
    given = wire.integer(1, kind) + wire.blob(3, wire.blob(1, tensor))
    return wire.text(1, name) + wire.blob(2, given) + wire.integer(3, int(keeps))


def _op(kind: str, inputs: dict[str, list[str]], outputs: dict[str, list[str]], **attributes: bytes) -> bytes:
    def arguments(field: int, given: dict[str, list[str]]) -> bytes:
        parts = [wire.text(1, key) + b"".join(wire.text(2, each) for each in names) for key, names in given.items()]
        return b"".join(wire.blob(field, part) for part in parts)

    held = b"".join(wire.blob(4, wire.text(1, name) + value) for name, value in attributes.items())
    return arguments(1, inputs) + arguments(2, outputs) + wire.text(3, kind) + held


def _block(number: int, parent: int, variables: list[bytes], ops: list[bytes]) -> bytes:
    held = b"".join(wire.blob(3, each) for each in variables) + b"".join(wire.blob(4, each) for each in ops)
    return wire.blob(1, wire.integer(1, number) + wire.integer(2, parent) + held)


def test_a_program_of_paddle() -> None:
    variables = [
        _variable("feed", 9, 0, [], keeps=True),
        _variable("w", 7, 5, [2, 3], keeps=True),
        _variable("x", 7, 5, [-1, 2]),
        _variable("y", 7, 5, [-1, 3]),
    ]
    stack = wire.text(8, 'File "train.py"') + wire.text(8, "line 3")
    ops = [
        _op("feed", {"X": ["feed"]}, {"Out": ["x"]}),
        _op(
            "matmul",
            {"X": ["x"], "Y": ["w"]},
            {"Out": ["y"]},
            op_namescope=wire.text(5, "/fc/"),
            alpha=wire.single(4, 0.5),
            axis=wire.integer(6, 1) + wire.integer(6, 2),
            op_callstack=stack,
        ),
        _op("relu", {"X": ["y"]}, {"Out": ["y"]}),  # in place
        _op("while", {"X": ["y"]}, {"Out": []}, sub_block=wire.integer(12, 1)),
    ]
    inner = [_op("scale", {"X": ["y"]}, {"Out": ["z"]})]
    read = Read(Dialect.PADDLE_PROGRAM, _block(0, -1, variables, ops) + _block(1, 0, [], inner))

    assert read.nodes == {
        "feed_0": ("feed", "input"),
        "fc/matmul_0": ("matmul", "operator"),
        "fc/w": ("Parameter", "parameter"),
        "relu_0": ("relu", "operator"),
        "while_0/(while_0)": ("while", "operator"),
        "while_0/block_1/scale_0": ("scale", "operator"),
    }
    assert read.edges == {
        ("feed_0", "fc/matmul_0"),
        ("fc/w", "fc/matmul_0"),
        ("fc/matmul_0", "relu_0"),
        ("relu_0", "while_0/(while_0)"),
        ("relu_0", "while_0/block_1/scale_0"),
    }
    assert read.port("fc/w") == "float32 [2, 3]"
    assert read.port("feed_0") == "float32 [?, 2]"
    found = read.attributes("fc/matmul_0")
    assert (found["alpha"], found["axis"], found["inputs.Y"]) == ("0.5", "[1, 2]", "[w]")
    assert read.details("fc/matmul_0").stack == 'File "train.py"\nline 3'
    assert "op_callstack" not in found


def test_a_program_of_paddle_3() -> None:
    def tensor(number: int, *sizes: int) -> dict[str, Any]:
        return {"%": number, "TT": {"#": "0.t_dtensor", "D": [{"#": "0.t_f32"}, list(sizes), "NCHW", [], 0]}}

    def attribute(name: str, value: Any) -> dict[str, Any]:
        return {"N": name, "AT": {"#": "0.a_str", "D": value}}

    branch = {
        "#": "region_0",
        "blocks": [{"args": [{**tensor(9, 1)}], "ops": [{"#": "1.relu", "A": [], "I": [{"%": 9}], "O": [tensor(10)]}]}],
    }
    ops = [
        {"#": "p", "A": [0, 1, 1, "fc.w_0"], "O": tensor(1, 2, 3)},
        {"#": "1.data", "A": [attribute("name", "image")], "I": [], "O": [tensor(2, -1, 2)]},
        {
            "#": "1.matmul",
            "A": [
                attribute("struct_name", "/Linear/"),
                attribute("pads", [{"#": "0.a_i32", "D": 1}, {"#": "0.a_i32", "D": 2}]),
            ],
            "I": [{"%": 2}, {"%": 1}, {"%": 0}, {"%": 77}],
            "O": [tensor(3, -1, 3)],
        },
        {"#": "1.if", "A": [], "I": [{"%": 3}], "O": [], "regions": [branch]},
        {"#": "1.fetch", "A": [], "I": [{"%": 3}], "O": []},
    ]
    program = {
        "base_code": {"magic": "pir", "version": 4},
        "program": {"regions": [{"blocks": [{"args": [], "ops": ops}]}]},
    }
    read = Read(Dialect.PADDLE_PIR, json.dumps(program).encode())

    assert read.nodes == {
        "Linear/fc.w_0": ("parameter", "parameter"),
        "image": ("data", "input"),
        "Linear/matmul_0": ("matmul", "operator"),
        "if_0/(if_0)": ("if", "operator"),
        "if_0/region_0/argument_0": ("argument", "input"),
        "if_0/region_0/relu_0": ("relu", "operator"),
        "fetch_0": ("fetch", "output"),
    }
    assert read.edges == {
        ("image", "Linear/matmul_0"),
        ("Linear/fc.w_0", "Linear/matmul_0"),
        ("Linear/matmul_0", "if_0/(if_0)"),
        ("Linear/matmul_0", "fetch_0"),
        ("if_0/region_0/argument_0", "if_0/region_0/relu_0"),
    }
    assert read.graph.dangling == 1
    assert read.port("Linear/matmul_0") == "float32 [?, 3]"
    assert read.attributes("Linear/matmul_0") == {"struct_name": "/Linear/", "pads": "[1,2]"}


def test_a_graph_of_visualdl() -> None:
    def node(name: str, kind: str, outputs: list[str], **attributes: Any) -> dict[str, Any]:
        return {"name": name, "type": kind, "is_leaf_node": True, "output_vars": {"Out": outputs}, "attrs": attributes}

    graph = {
        "nodes": [
            node("/feed_0", "feed", ["x"]),
            node("/Net/Linear[fc]/matmul_0", "matmul", ["y"], op_callstack=["one", "two"], axis=-1),
            {"name": "/Net", "type": "Net", "is_leaf_node": False, "children_node": []},
        ],
        "vars": [
            {
                "name": "x",
                "shape": [-1, 2],
                "dtype": "paddle.float32",
                "from_node": "/feed_0",
                "to_nodes": ["/Net/Linear[fc]/matmul_0"],
            },
            {
                "name": "w",
                "shape": [2, 3],
                "dtype": "paddle.float32",
                "persistable": True,
                "from_node": "",
                "to_nodes": ["/Net/Linear[fc]/matmul_0"],
            },
            {"name": "feed", "type": "VarType.FEED_MINIBATCH", "from_node": "", "to_nodes": ["/feed_0"]},
        ],
        "edges": [],
    }
    read = Read(Dialect.VISUALDL_GRAPH, json.dumps(graph).encode())

    assert read.nodes == {
        "feed_0": ("feed", "input"),
        "Net/Linear[fc]/matmul_0": ("matmul", "operator"),
        "Net/Linear[fc]/w": ("Parameter", "parameter"),
    }
    assert read.edge_port("feed_0", "Net/Linear[fc]/matmul_0") == "float32 [?, 2]"
    assert read.port("Net/Linear[fc]/w") == "float32 [2, 3]"
    assert read.details("Net/Linear[fc]/matmul_0").stack == "one\ntwo"
    assert read.attributes("Net/Linear[fc]/matmul_0") == {"axis": "-1"}
