"""Floating point operations by shapes: the sums of loops that really multiply and add, and silence where shapes do
not tell."""

from __future__ import annotations

import json
from itertools import product
from typing import Any

import pytest

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.traces.trace import Activity, Trace

from .made import DEVICE, HOST, Made, trace_of


def rows_of(*calls: tuple[str, Any], by: str = "shape") -> list[dict[str, Any]]:
    made = [Made(1000 * at, 500, name, shape=json.dumps(shape)) for at, (name, shape) in enumerate(calls)]
    found: list[dict[str, Any]] = analyse(trace_of(made)).operators(by, sort="start" if by != "shape" else "name")[
        "rows"
    ]
    return found


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
    assert (backward["flops"], backward["flops_rule"]) == (2 * operations, "convolution, both gradients")


def test_attention() -> None:
    query, key, value = [2, 3, 4, 5], [2, 3, 6, 5], [2, 3, 6, 7]
    operations = counted(2, 3, 4, 6, 5) + counted(2, 3, 4, 6, 7)
    assert one("aten::_scaled_dot_product_flash_attention", [query, key, value]) == operations


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
    (row,) = analysed.operators("shape", name="aten::mm")["rows"]
    assert row["tflops"] == pytest.approx(operations / 4e-6 / 1e12)
    first = analysed.operators("instance", sort="-flops", limit=1)["rows"][0]
    assert (first["name"], first["flops"], first["tflops"]) == ("aten::mm", operations, pytest.approx(row["tflops"]))
    assert analysed.summary()["flops"] == {
        "total": operations, "rate": pytest.approx(operations / 4e-6), "utilisation": None, "source": "shapes",
    }  # fmt: skip


def test_what_the_tool_summed_up_goes_first() -> None:
    told = {"FLOPs": 107146.763, "FLOPS": 5385.552, "FLOPS_Utilization": 0.23}
    found = analyse(Trace("mindspore", facts={"flops_summary": told})).summary()["flops"]
    assert found == {
        "total": pytest.approx(107146.763e6), "rate": pytest.approx(5385.552e9), "utilisation": pytest.approx(0.0023),
        "source": "tool",
    }  # fmt: skip
    assert analyse(Trace("mindspore", facts={"flops_summary": "nothing"})).summary()["flops"] is None
