"""Floating point operations by shapes: the sums of loops that really multiply and add, and silence where shapes do
not tell."""

from __future__ import annotations

import gzip
import json
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.profiler.analysis.analysed import Analysed, analyse
from mindinsight_like.profiler.analysis.operators.device_peaks import peaks_of
from mindinsight_like.profiler.analysis.operators.operator_table import OperatorRow
from mindinsight_like.profiler.traces.files import Files
from mindinsight_like.profiler.traces.sources import read, sources_of
from mindinsight_like.profiler.traces.trace import Activity, Trace
from tests.corpus import needs_mindinsight_data
from tests.profiler.recordings import trace_in

from .made import DEVICE, HOST, Made, trace_of


def rows_of(*calls: tuple[str, Any], by: str = "shape") -> list[OperatorRow]:
    made = [Made(1000 * at, 500, name, shape=json.dumps(shape)) for at, (name, shape) in enumerate(calls)]
    return analyse(trace_of(made)).operators(by, sort="start" if by != "shape" else "name").rows


def one(name: str, shape: Any) -> float | None:
    (row,) = rows_of((name, shape))
    return row.get("flops")


def counted(*sizes: int) -> int:
    """A multiplication and an addition in each turn of nested loops."""
    return sum(2 for _ in product(*map(range, sizes)))


@pytest.mark.parametrize(
    ("name", "shape", "loops"),
    [
        ("aten::mm", [[2, 3], [3, 5]], (2, 5, 3)),
        ("aten::addmm", [[5], [2, 3], [3, 5], [], []], (2, 5, 3)),
        ("aten::bmm", [[4, 2, 3], [4, 3, 5]], (4, 2, 5, 3)),
        ("MatMul", [[2, 3], [5, 3]], (2, 5, 3)),
        ("MatMul", [[3, 2], [3, 5]], (2, 5, 3)),
        ("MatMul", [[2, 3, 2, 2], [5, 12]], (2, 5, 12)),  # a picture, flattened
        ("BatchMatMul", [[4, 6, 2, 3], [4, 6, 5, 3]], (4, 6, 2, 5, 3)),
        ("Dense", [[2, 7, 3], [5, 3], [5]], (2, 7, 5, 3)),
        ("matmul dygraph", {"x": [[2, 3]], "y": [[3, 5]]}, (2, 5, 3)),  # Paddle
        ("bmm", {"x": [4, 2, 3], "y": [4, 3, 5]}, (4, 2, 5, 3)),
    ],
)
def test_products_of_matrices(name: str, shape: Any, loops: tuple[int, ...]) -> None:
    assert one(name, shape) == counted(*loops)


def test_a_convolution_takes_its_output_from_its_backward() -> None:
    image, weights, output = [2, 4, 6, 6], [6, 2, 3, 3], [2, 6, 4, 4]  # two groups, no padding
    forward = ("aten::cudnn_convolution", [image, weights, [], []])
    assert one(*forward) is None  # strides are not known
    backward, same_forward = rows_of(forward, ("aten::convolution_backward", [output, image, weights]))
    operations = counted(2, 6, 4, 4, 2, 3, 3)
    assert (same_forward["flops"], same_forward["flops_rule"]) == (operations, "convolution")
    assert (backward["flops"], backward["flops_rule"]) == (2 * operations, "gradients of a convolution")


def test_a_convolution_of_paddle_takes_its_output_from_its_gradient() -> None:
    image, weights, output = [2, 4, 6, 6], [6, 2, 3, 3], [2, 6, 4, 4]  # two groups, no padding
    forward = ("conv2d dygraph", {"input": [image], "filter": [weights]})
    assert one(*forward) is None  # strides are not known
    gradient = {"input": [image], "filter": [weights], "grad_out": [output]}
    same_forward, backward = rows_of(forward, ("conv2d_grad dygraph", gradient))
    operations = counted(2, 6, 4, 4, 2, 3, 3)
    assert (same_forward["flops"], same_forward["flops_rule"]) == (operations, "convolution")
    assert (backward["flops"], backward["flops_rule"]) == (2 * operations, "gradients of a convolution")
    assert one("conv2d_grad dygraph", {"input": [image], "filter": [weights]}) is None


def test_attention() -> None:
    query, key, value = [2, 3, 4, 5], [2, 3, 6, 5], [2, 3, 6, 7]
    operations = counted(2, 3, 4, 6, 5) + counted(2, 3, 4, 6, 7)
    assert one("aten::_scaled_dot_product_flash_attention", [query, key, value]) == operations
    turned = [[2, 4, 3, 5], [2, 6, 3, 5], [2, 6, 3, 7]]
    assert one("flash_attn dygraph", dict(zip("qkv", turned, strict=True))) == operations
    # Backward: scores once more, and the gradients of scores, queries, keys and values.
    scores, out = counted(2, 3, 4, 6, 5), [2, 3, 4, 7]
    backward = one("aten::_scaled_dot_product_flash_attention_for_cpu_backward", [out, query, key, value, out])
    assert backward == 3 * scores + 2 * counted(2, 3, 4, 6, 7)


@pytest.mark.parametrize(
    ("query", "key"), [([2, 4, 16, 8], [2, 4, 24, 8]), ([2, 16, 4, 8], [2, 24, 4, 8]), ([2, 16, 32], [2, 24, 32])]
)
def test_layouts_of_mindspores_attention_are_told_by_its_gradient(query: list[int], key: list[int]) -> None:
    forward = ("FlashAttentionScore", [query, key, key])
    largest = [2, 4, 16, 8]  # batch, heads, queries, and eight copies
    gradient, same = sorted(
        rows_of(forward, ("FlashAttentionScoreGrad", [query, key, key, query, largest, largest])),
        key=lambda row: -row["flops"],
    )
    assert same["flops"] == 2 * counted(2, 4, 16, 24, 8)
    assert gradient["flops"] == 5 * counted(2, 4, 16, 24, 8)


# As torch 2.13 writes them, with what its own torch.utils.flop_counter counts; of the gradient of grouped weights it
# counts all groups with all inputs, so there the number is that of the loops.
@pytest.mark.parametrize(
    ("name", "shape", "values", "operations"),
    [
        ("aten::convolution", [[8, 1, 32, 32], [6, 1, 5, 5], [6]], "[1, 1]|[0, 0]|[1, 1]|False|[0, 0]|1", 1_881_600),
        ("aten::convolution", [[8, 6, 14, 14], [16, 6, 5, 5], [16]], "[2, 2]|[0, 0]|[1, 1]|False|[0, 0]|1", 960_000),
        ("aten::convolution", [[2, 8, 9, 9], [16, 2, 3, 3], [16]], "[1, 1]|[1, 1]|[1, 1]|False|[0, 0]|4", 93_312),
        ("aten::convolution", [[2, 16, 9, 9], [16, 4, 4, 4], [4]], "[2, 2]|[0, 0]|[1, 1]|True|[0, 0]|1", 331_776),
        ("aten::convolution", [[2, 4, 20], [6, 4, 3], [6]], "[1]|[0]|[1]|False|[0]|1", 5_184),
        ("aten::convolution", [[2, 2, 9, 9, 9], [3, 2, 3, 3, 3], [3]], "[1]|[0]|[2]|False|[0]|1", 81_000),
        (
            "aten::convolution_backward",
            [[8, 6, 28, 28], [8, 1, 32, 32], [6, 1, 5, 5]],
            "[6]|[1, 1]|[0, 0]|[1, 1]|False|[0, 0]|1|[False, True, True]",
            1_881_600,
        ),
        (
            "aten::convolution_backward",
            [[8, 16, 5, 5], [8, 6, 14, 14], [16, 6, 5, 5]],
            "[16]|[2, 2]|[0, 0]|[1, 1]|False|[0, 0]|1|[True, True, True]",
            1_920_000,
        ),
        (
            "aten::convolution_backward",
            [[2, 4, 20, 20], [2, 16, 9, 9], [16, 4, 4, 4]],
            "[4]|[2, 2]|[0, 0]|[1, 1]|True|[0, 0]|1|[True, True, True]",
            663_552,
        ),
    ],
)
@pytest.mark.parametrize("ending", [".pt.trace.json", ".pt.trace.json.gz"])
def test_convolutions_by_their_strides(
    tmp_path: Path, name: str, shape: list[list[int]], values: str, operations: int, ending: str
) -> None:
    concrete = ["", "", "", *values.split("|")]
    shapes = shape + [[]] * (len(concrete) - len(shape))
    (row,) = written(tmp_path, ending, *[(name, shapes, concrete)] * 3)
    assert (row["flops"], row["count"]) == (3 * operations, 3)
    # Where calls of the same shapes differ, they are not told apart.
    other = [value.replace("[1, 1]", "[3, 3]").replace("True, True, ", "False, False, ") for value in concrete]
    if other != concrete and name == "aten::convolution" and "True" not in values:
        (row,) = written(tmp_path, ending, (name, shapes, concrete), (name, shapes, other))
        assert row.get("flops") is None


def written(folder: Path, ending: str, *calls: tuple[str, Any, list[str]]) -> list[Any]:
    """The rows by shape of a recording as torch's profiler writes it; a convolution calls its backend."""
    events = []
    for at, (name, shapes, values) in enumerate(calls):
        noted = {"Input Dims": shapes, "Concrete Inputs": values}
        common = {"ph": "X", "cat": "cpu_op", "pid": 900, "tid": 7}
        events.append(common | {"name": name, "ts": 100 * at, "dur": 50, "args": noted})
        events.append(common | {"name": "aten::mkldnn_convolution", "ts": 100 * at + 1, "dur": 40, "args": noted})
    text = json.dumps({"schemaVersion": 1, "traceEvents": events}).encode()
    (folder / f"a.1{ending}").write_bytes(gzip.compress(text) if ending.endswith("gz") else text)
    (source,) = sources_of([f"a.1{ending}"])
    rows = analyse(read(source, Files(str(folder)), lambda share: None)).operators("shape", sort="name").rows
    return [row for row in rows if row["name"] != "aten::mkldnn_convolution" or row.get("flops")]


def test_a_lenet_of_mindspore_is_counted_with_its_convolutions(corpus: Path) -> None:
    analysed = analyse(trace_in(corpus, "mindinsight-profiles/cpu_ms270"))
    first, second = 2 * 32 * 28 * 28 * 6 * 1 * 25, 2 * 32 * 10 * 10 * 16 * 6 * 25
    dense = 2 * 32 * (400 * 120 + 120 * 84 + 84 * 10)
    found = analysed.summary().flops
    # Each with the gradient of its weights and, but for the first, that of its input; 20 steps.
    assert found["total"] == 20 * (2 * first + 3 * second + 3 * dense) == 1_448_908_800
    counted_types = {"Conv2D", "Conv2DBackpropFilter", "Conv2DBackpropInput", "MatMul"}
    times = {row["type"]: row["self"] for row in analysed.operators("type", side="host").rows}
    share = sum(times[type] for type in counted_types) / sum(times.values())
    assert found["coverage"] == pytest.approx(share)
    assert 0.5 < share < 0.7
    rows = analysed.operators("shape", type="Conv2D").rows
    assert {row["flops"] for row in rows} == {20 * first, 20 * second}


@needs_mindinsight_data
def test_shapes_of_ascend_devices(corpus: Path) -> None:
    analysed = analyse(trace_in(corpus, "mindinsight-profiles/run_2"))
    flops = {row["shape"]: row.get("flops") for row in analysed.operators("shape", type="MatMul", limit=None).rows}
    assert flops["2,4096;4096,4096;4096"] == 2 * 2 * 4096 * 4096
    assert flops["2,256,6,6;4096,9216;4096"] == 2 * 2 * 9216 * 4096
    assert flops["2,4096;2,4096"] is None  # 2 by 2 or 4096 by 4096, as transposed
    assert 0 < analysed.summary().flops["coverage"] < 1


@pytest.mark.parametrize(
    ("name", "shape"),
    [
        ("aten::linear", [[2, 3], [5, 3]]),  # calls addmm, which is counted
        ("aten::mm", [[2, 3], [4, 5]]),
        ("aten::mm", [[2, 3]]),
        ("aten::mm", "2,3;3,5"),
        ("aten::mm", [[2, "x"], [3, 5]]),
        ("aten::mm", [[2**40, 2**40], [2**40, 2]]),
        ("MatMul", [[2, 3], [3, 2]]),  # 2 by 2 or 3 by 3, as transposed
        ("MatMul", [[2, 3, 4], [4, 5]]),
        ("MatMul", [[2, 5, 16, 16], [1280, 7]]),  # a device's own format
        ("BatchMatMul", [[4, 2, 3], [5, 3, 2]]),
        ("Conv2D", [[2, 1, 8, 8], [3, 1, 3, 3]]),
        ("Conv2DBackpropFilter", [[2, 3, 6, 6], [2, 1, 8, 8]]),
        ("Conv2DBackpropInput", [[2, 16, 13, 13, 16], [216, 16, 16, 16]]),
        ("FlashAttentionScore", [[2, 4, 16, 8], [2, 4, 16, 8], [2, 4, 16, 8]]),  # heads or queries first
        ("conv2d dygraph", {}),
    ],
)
def test_no_number_where_shapes_do_not_tell(name: str, shape: Any) -> None:
    assert one(name, shape) is None


def test_rates_are_by_the_time_on_the_device() -> None:
    shape = "[[100, 200], [200, 50]]"
    made = [
        Made(0, 1000, "aten::mm", shape=shape),
        Made(100, 100, "cudaLaunchKernel", activity=Activity.LAUNCH, correlation=7),
        Made(500, 4000, "gemm", 1, Activity.KERNEL, correlation=7),
    ]
    analysed = analyse(trace_of(made, (HOST, DEVICE)))
    operations = 2 * 100 * 200 * 50
    (row,) = analysed.operators("shape", name="aten::mm").rows
    assert row["tflops"] == pytest.approx(operations / 4e-6 / 1e12)
    first = analysed.operators("instance", sort="-flops", limit=1).rows[0]
    assert (first["name"], first["flops"], first["tflops"]) == ("aten::mm", operations, pytest.approx(row["tflops"]))
    assert analysed.summary().flops == {
        "total": operations, "rate": pytest.approx(operations / 4e-6), "utilisation": None, "peak": None,
        "source": "shapes", "coverage": 1.0,
    }  # fmt: skip


def test_what_the_tool_summed_up_goes_first() -> None:
    told = {"FLOPs": 107146.763, "FLOPS": 5385.552, "FLOPS_Utilization": 0.23}
    found = analyse(Trace("mindspore", facts={"flops_summary": told})).summary().flops
    assert found == {
        "total": pytest.approx(107146.763e6), "rate": pytest.approx(5385.552e9), "utilisation": pytest.approx(0.0023),
        "peak": None, "source": "tool", "coverage": None,
    }  # fmt: skip
    assert analyse(Trace("mindspore", facts={"flops_summary": "nothing"})).summary().flops is None


BFLOAT16, FLOAT = "c10::BFloat16", "float"


def recorded(folder: Path, types: list[str], *devices: str) -> Analysed:
    """A step of 1 ms with one product of matrices that a GPU took 0.4 ms for, as torch's profiler writes it."""

    def event(category: str, name: str, process: int, start: int, duration: int, **arguments: Any) -> dict[str, Any]:
        times = {"ts": start, "dur": duration}
        return {"ph": "X", "cat": category, "name": name, "pid": process, "tid": 7, **times, "args": arguments}

    shapes = [[1024, 2048], [2048, 4096], []]
    listed = [
        event("user_annotation", "ProfilerStep#3", 900, 0, 1000),
        event("cpu_op", "aten::mm", 900, 10, 50, **{"Input Dims": shapes, "Input type": types}),
        event("cuda_runtime", "cudaLaunchKernel", 900, 20, 5, correlation=77),
        event("kernel", "gemm", 0, 100, 400, correlation=77),
    ]
    known = [{"id": number, "name": name} for number, name in enumerate(devices)]
    (folder / "gpu.1.pt.trace.json").write_text(json.dumps({"deviceProperties": known, "traceEvents": listed}))
    (source,) = sources_of(["gpu.1.pt.trace.json"])
    return analyse(read(source, Files(str(folder)), lambda share: None))


def test_utilisation_is_of_the_peak_of_device_and_type(tmp_path: Path) -> None:
    analysed = recorded(tmp_path, [BFLOAT16, BFLOAT16, "Scalar"], *["NVIDIA A100-SXM4-80GB"] * 2)
    operations = 2 * 1024 * 2048 * 4096  # 17.18 GFLOP in 0.4 ms are 42.95 TFLOP/s, of 312
    for by in ("shape", "instance"):
        answer = analysed.operators(by, name="aten::mm")
        (row,) = answer.rows
        assert row["utilisation"] == pytest.approx(operations / (400e-6 * 312e12)) == pytest.approx(0.13765, rel=1e-4)
        assert (row["peak"], row["flops_rule"]) == ("312 TFLOP/s bfloat16", "2mnk")
        assert {"name": "utilisation", "unit": "", "kind": "share"} in answer.columns
        for column in answer.columns:  # whatever is shown can be sorted by
            if column["name"] != "side":
                first = analysed.operators(by, sort=f"-{column['name']}").rows[0]
                assert column["name"] not in ("utilisation", "peak", "tflops") or first["name"] == "aten::mm"
    found = analysed.summary().flops
    assert found["utilisation"] == pytest.approx(operations / (1e-3 * 312e12))
    assert found["peak"] == "312 TFLOP/s bfloat16"


@pytest.mark.parametrize(
    ("types", "devices"),
    [
        ([BFLOAT16, BFLOAT16, ""], ["Some GPU"]),
        ([BFLOAT16, BFLOAT16, ""], []),
        ([BFLOAT16, BFLOAT16, ""], ["NVIDIA A100-SXM4-80GB", "Tesla T4"]),  # which of them ran it is not known
        ([BFLOAT16, BFLOAT16, ""], ["Tesla T4"]),  # does not have the type
        ([BFLOAT16, FLOAT, ""], ["NVIDIA A100-SXM4-80GB"]),
        ([BFLOAT16], ["NVIDIA A100-SXM4-80GB"]),
        (["Unknown", "Unknown", ""], ["NVIDIA A100-SXM4-80GB"]),
        ([FLOAT, FLOAT, ""], ["NVIDIA A100-SXM4-80GB"]),  # 43 of 19.5 TFLOP/s: it was TF32
    ],
)
def test_no_utilisation_where_device_or_type_do_not_tell(tmp_path: Path, types: list[str], devices: list[str]) -> None:
    analysed = recorded(tmp_path, types, *devices)
    for by in ("shape", "instance"):
        (row,) = analysed.operators(by, name="aten::mm").rows
        assert row["flops"] == 2 * 1024 * 2048 * 4096
        assert row.get("utilisation") is None and not row.get("peak")


def test_groups_of_different_types_have_no_utilisation() -> None:
    shape, slow = "[[100, 200], [200, 50]]", 1000
    made = [
        Made(slow * at, slow - 1, "aten::mm", 1, shape=shape, dtype=json.dumps([kind] * 2))
        for at, kind in enumerate((BFLOAT16, FLOAT))
    ]
    for chosen, expected in ((made[:1], 2_000_000 / (999e-9 * 312e12)), (made, None)):
        trace = trace_of(chosen, (HOST, DEVICE))
        trace.device = "NVIDIA A100-PCIE-40GB"
        (row,) = analyse(trace).operators("shape").rows
        assert row.get("utilisation") == (expected and pytest.approx(expected))


def test_names_of_devices() -> None:
    assert peaks_of("NVIDIA H100 80GB HBM3")["bfloat16"] > peaks_of("NVIDIA H100 PCIe")["bfloat16"] == 756
    assert (peaks_of("NVIDIA A10")["float32"], peaks_of("NVIDIA A10G"), peaks_of("CPU")) == (31.2, {}, {})
    assert peaks_of("TPU v5 lite") == {"bfloat16": 197} != peaks_of("TPU v5")
