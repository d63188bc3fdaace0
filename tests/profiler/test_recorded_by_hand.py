"""Operations that `Profiler.op` names count in recordings of every framework, and so do TensorFlow's own.

`recorded/` holds small recordings of real trainings: with Keras' TensorBoard callback (`profile_batch=(3, 8)`), and
with our Profiler under TensorFlow, JAX, Paddle and MindSpore. Their scripts load data for 3 ms (`load`, of type "data")
and compute for 1 ms (`mine`, of type "Custom") in each step.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.profiler.analysis.analysed import Analysed, analyse
from mindinsight_like.profiler.traces.own_format import OPERATION_TYPES, UNFINISHED_STEP
from mindinsight_like.profiler.traces.trace import Activity, Trace
from tests.profiler.training.traces import only_trace

RECORDED = Path(__file__).with_name("recorded")


def analysed_trace(trace: Trace) -> Analysed:
    return analyse(trace, lambda share: None)


def types_of(analysed: Analysed) -> dict[str, Any]:
    return {row["type"]: row for row in analysed.operators("type", limit=None).rows}


def test_a_recording_of_keras_on_tensorflow_has_operators_and_computing() -> None:
    trace = only_trace(RECORDED / "keras")

    assert trace.tool == "tensorflow"
    assert trace.steps is not None and trace.steps.number.tolist() == [2, 3, 4, 5, 6, 7]
    analysed = analysed_trace(trace)
    rows = {row["name"]: row for row in analysed.operators("name", limit=None).rows if row["side"] == "host"}
    fused = rows["StatefulPartitionedCall/sequential_1/dense_1/Relu"]
    assert (fused["type"], fused["count"]) == ("_MklNativeFusedMatMul", 6)
    assert rows["StatefulPartitionedCall/adam/Square"]["type"] == "Square"
    average = analysed.steps()["average"]
    assert average["measured_steps"] == 6
    assert average["parts"]["compute"] > 0.1
    # Loading ahead, in threads of tf.data, holds nothing up: a step waits for its iterator only.
    assert 0.05 < average["parts"]["input_wait"] < 0.1
    # What tf.data runs is no computing of the training.
    gather = [row for row in analysed.operators("type", limit=None).rows if row["type"] == "GatherV2"]
    assert [row["side"] for row in gather] == ["data"]


@pytest.mark.parametrize(
    ("framework", "steps"),
    [("tensorflow", [2, 3, 4, 5]), ("jax", [1, 2, 3, 4]), ("paddle", [*range(8)]), ("mindspore", [3, 4, 5])],
)
def test_operations_named_by_hand_count_with_their_types(framework: str, steps: list[int]) -> None:
    trace = only_trace(RECORDED / framework)

    assert trace.tool == framework
    assert trace.losses == []
    analysed = analysed_trace(trace)
    table = analysed.steps()
    assert [step["number"] for step in table["steps"]] == steps
    for step in table["steps"]:
        assert 3.0 <= step["parts"]["input_wait"] < 10
        assert step["parts"]["compute"] >= 1.0
    types = types_of(analysed)
    assert types["data"]["side"] == "data" and types["data"]["count"] >= len(steps)
    assert types["Custom"]["side"] == "host" and types["Custom"]["count"] == len(steps)


def test_eager_operators_of_tensorflow_have_the_time_of_their_kernels() -> None:
    analysed = analysed_trace(only_trace(RECORDED / "tensorflow"))

    product = types_of(analysed)["MatMul"]
    assert (product["side"], product["count"]) == ("host", 8)
    assert product["self"] > 0.8 * product["total"]


def test_counters_come_with_the_recording_of_the_framework() -> None:
    trace = only_trace(RECORDED / "tensorflow")

    (counter,) = trace.counters
    assert (counter.name, counter.value.tolist()) == ("queue", [2, 3, 4, 5])
    assert trace.steps is not None
    assert ((counter.time > trace.steps.begin) & (counter.time < trace.steps.end)).all()


def test_another_process_is_in_tables_and_in_no_step() -> None:
    trace = only_trace(RECORDED / "paddle")  # its script forked in step 3

    (helper,) = [number for number, track in enumerate(trace.tracks) if track.is_helper]
    assert trace.slices is not None
    names = [trace.texts[name] for name in trace.slices.name[trace.slices.track == helper]]
    assert names == ["child"]
    analysed = analysed_trace(trace)
    assert types_of(analysed)["data"]["count"] == 9
    assert all(step["parts"]["input_wait"] < 5 for step in analysed.steps()["steps"])


def _event(name: str, begin: int, microseconds: int, category: str = "cpu_op", thread: int = 1) -> dict[str, object]:
    return {"ph": "X", "name": name, "cat": category, "pid": 1, "tid": thread, "ts": begin, "dur": microseconds}


def test_types_and_the_unfinished_step_of_a_torch_recording_are_told_by_its_metadata(tmp_path: Path) -> None:
    events = [
        *(_event(f"ProfilerStep#{number}", 1000 * number, 900, "user_annotation") for number in range(3)),
        *(_event("load", 1000 * number, 300, "user_annotation") for number in range(3)),
        *(_event("aten::mm", 1000 * number + 400, 200) for number in range(3)),
        _event("plain", 700, 100, "user_annotation"),
    ]
    root = {OPERATION_TYPES: {"load": "data", "absent": "copy"}, UNFINISHED_STEP: 2, "traceEvents": events}
    (tmp_path / "x.pt.trace.json").write_text(json.dumps(root))

    trace = only_trace(tmp_path)

    assert OPERATION_TYPES not in trace.facts and UNFINISHED_STEP not in trace.facts
    analysed = analysed_trace(trace)
    table = analysed.steps()
    assert [step["number"] for step in table["steps"]] == [0, 1]
    assert [step["parts"]["input_wait"] for step in table["steps"]] == [0.3, 0.3]
    types = types_of(analysed)
    assert (types["data"]["side"], types["data"]["count"]) == ("data", 3)
    assert types["plain"]["side"] == "annotation"


def test_a_host_that_waits_in_a_collective_communicates(tmp_path: Path) -> None:
    events = [
        _event("ProfilerStep#0", 0, 1000, "user_annotation"),
        _event("autograd::engine::evaluate_function: AddmmBackward0", 100, 800),
        _event("aten::mm", 100, 200),
        _event("c10d::allreduce_", 400, 300),  # called by the operator above
        _event("gloo:all_reduce", 450, 500, "user_annotation", thread=2),
    ]
    (tmp_path / "x.pt.trace.json").write_text(json.dumps({"traceEvents": events}))

    trace = only_trace(tmp_path)

    analysed = analysed_trace(trace)
    (step,) = analysed.steps()["steps"]
    assert step["parts"]["compute"] == pytest.approx(0.5)
    assert step["parts"]["communication"] == pytest.approx(0.3 + 0.05)
    assert step["overlapped"] == pytest.approx(0.2)
    assert types_of(analysed)["c10d::allreduce_"]["side"] == "communication"


def test_a_host_that_hands_collectives_to_a_device_does_not_communicate(tmp_path: Path) -> None:
    events = [
        _event("ProfilerStep#0", 0, 1000, "user_annotation"),
        _event("c10d::allreduce_", 400, 300),
        _event("ncclDevKernel_AllReduce_Sum_f32_RING_LL", 450, 500, "kernel", thread=7) | {"pid": 0},
    ]
    (tmp_path / "x.pt.trace.json").write_text(json.dumps({"traceEvents": events}))

    trace = only_trace(tmp_path)

    assert trace.slices is not None
    row = [trace.texts[name] for name in trace.slices.name].index("c10d::allreduce_")
    assert trace.slices.activity[row] == Activity.OPERATOR
