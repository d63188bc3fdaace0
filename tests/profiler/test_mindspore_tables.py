"""Files of MindSpore's generations that no real folder has alone: put together of real files, or as documents tell."""

import json
from pathlib import Path

import pytest

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.traces.trace import Activity, Place
from tests.corpus import needs_mindinsight_data

from .recordings import sums_by, trace_of

PROFILES = "mindinsight-profiles"


@needs_mindinsight_data
def test_a_timeline_of_r0_5_alone_gives_executions_with_their_types(corpus: Path, tmp_path: Path) -> None:
    content = (corpus / PROFILES / "run_2/profiler/ascend_timeline_display_1.json").read_text()
    expected: dict[str, list[float]] = {}
    for event in json.loads(content):
        if event["ph"] == "X" and event["pid"] == 1:
            type_ = event.get("args", {}).get("type", event["name"])
            count, total = expected.get(type_, (0, 0.0))
            expected[type_] = [count + 1, total + event["dur"]]

    for name in ("timeline_display_1.json", "ascend_timeline_display_1.json"):
        trace = trace_of(tmp_path / name, {f"run/profiler/{name}": content})

        found = sums_by(trace, "type", "AI Core")
        assert {type_: count for type_, (count, _) in found.items()} == {
            type_: count for type_, (count, _) in expected.items()
        }
        assert {type_: total / 1000 for type_, (_, total) in found.items()} == pytest.approx(
            {type_: total for type_, (_, total) in expected.items()}, rel=1e-4
        )
        assert sum(count for count, _ in sums_by(trace, "type", "AI CPU").values()) > 0
        assert trace.losses == []


@needs_mindinsight_data
def test_a_timeline_of_a_gpu_alone_has_operators_on_the_host_and_kernels_on_the_device(
    corpus: Path, tmp_path: Path
) -> None:
    content = (corpus / PROFILES / "res/profiler/gpu_timeline_display_0.json").read_text()

    trace = trace_of(tmp_path, {"run/profiler/gpu_timeline_display_0.json": content})

    assert sums_by(trace, "name", "GPU operators") == {"Default/InitDataSetQueue-op0": (1, 303_840)}
    assert [(count, total) for count, total in sums_by(trace, "name", "GPU").values()] == [(1, 5_792)]
    assert trace.slices is not None
    placed = {
        (trace.tracks[track].place, Activity(activity))
        for track, activity in zip(trace.slices.track.tolist(), trace.slices.activity.tolist(), strict=True)
    }
    assert placed == {(Place.HOST, Activity.OPERATOR), (Place.DEVICE, Activity.KERNEL)}


def test_operators_of_pynative_mode(tmp_path: Path) -> None:
    trace = trace_of(
        tmp_path,
        {
            "run/profiler/pynative_op_intermediate_0_type.csv": "op_type,execution_time,execution_frequency,percent\n"
            "MatMul,3.5,2,70\nAdd,1.5,4,30\n",
            "run/profiler/pynative_op_intermediate_0_detail.csv": "full_op_name,execution_time,execution_frequency\n"
            "Default/MatMul-op1,1.75,2\nDefault/Add-op2,0.375,4\n",
        },
    )

    rows = analyse(trace).operators("name", sort="name").rows
    types = analyse(trace).operators("type", sort="type").rows

    assert [(row["name"], row["type"], row["count"], row["total"]) for row in rows] == [
        ("Default/Add-op2", "Add", 4, 1.5),
        ("Default/MatMul-op1", "MatMul", 2, 3.5),
    ]
    assert [(row["type"], row["count"], row["share"]) for row in types] == [("Add", 4, 0.3), ("MatMul", 2, 0.7)]


def test_memory_of_a_graph_is_kept_as_the_tool_told_it(tmp_path: Path) -> None:
    summary = {"capacity": 32.0, "allocations": 7, "deallocations": 6, "peak_mem": 1.5, "static_mem": 0.5}

    trace = trace_of(tmp_path, {"run/profiler/memory_usage_summary_0.json": json.dumps({"summary": summary})})

    assert analyse(trace).memory().facts == {"memory_summary": {"summary": summary}}


def test_the_summary_of_a_pipeline_tells_the_cost_of_its_operators(tmp_path: Path) -> None:
    header = "op_id,op_name,pipeline_ops,op_ids,per_batch_time,per_pipeline_time,per_push_queue_time,num_workers,"
    header += "output_queue_size,output_queue_length,parent_id,children_id\n"

    trace = trace_of(
        tmp_path,
        {
            "run/profiler/minddata_pipeline_summary_0.csv": header
            + "0,Batch,Batch,0,1,1.5,0.1,4,[1],2,,[1]\n1,Map,Map,1,2,6.25,0.2,8,[4],8,0,\n"
        },
    )

    rows = analyse(trace).pipeline().operators
    assert [(row["type"], row["cost"], row["workers"], row["capacity"], row["children"]) for row in rows] == [
        ("Batch", 1.5, 4, 2, [1]),
        ("Map", 6.25, 8, 8, []),
    ]


def test_lines_about_batches_that_are_cut_cost_only_themselves(tmp_path: Path) -> None:
    trace = trace_of(
        tmp_path,
        {
            "run/profiler/device_queue_profiling_0.txt": "0 0 1 7 10\n1 64 1 12 10\n0 x 1 7 10\n0 0 2 1e400 10\n"
            "0 0 2 99999999999999999999 10\n0 0 3 9 10\n1 64",
            "run/profiler/minddata_aicpu_0.txt": "GetNext_dequeue_wait 100 102 3\nGetNext_dequeue_wait 200 20x 1\n"
            "GetNext_dequeue_wait 300 250 1\nGetNext_dequeue_wait 400 405 2\nGetNext_deq",
        },
    )

    queues = {pipeline.queue: pipeline for pipeline in trace.pipelines}
    assert (queues["device"].batch.tolist(), queues["device"].wait.tolist()) == ([1, 3], [7, 9])
    assert (queues["device"].queue_size.tolist(), queues["device"].queue_capacity) == ([12, -1], 64)
    assert queues["get_next"].wait.tolist() == pytest.approx([0.002, 0.005])
    assert [(loss.message, loss.count) for loss in trace.losses] == [
        ("incomplete lines about batches", 4),
        ("incomplete lines about batches", 3),
    ]


def test_waits_on_a_gpu_are_exact_to_the_nanosecond(tmp_path: Path) -> None:
    line = "GetNext_dequeue_wait 1700000000000000999 1700000000000002001 5\n"

    trace = trace_of(tmp_path, {"run/profiler/minddata_getnext_profiling_0.txt": line})

    assert trace.pipelines[0].wait.tolist() == [1_002 / 1e6]


@pytest.mark.parametrize("name", ["mindstudio_profiler_output/msprof_20240101120000.json", "msprof.json"])
def test_the_timeline_that_msprof_exports_gives_the_kernels_and_op_statistic_their_sums(
    tmp_path: Path, name: str
) -> None:
    def named(number: int, process: str) -> dict[str, object]:
        return {"ph": "M", "name": "process_name", "pid": number, "tid": 0, "args": {"name": process}}

    def timed(process: int, what: str, start: str, duration: str) -> dict[str, object]:
        return {"ph": "X", "name": what, "pid": process, "tid": 3, "ts": start, "dur": duration, "args": {}}

    events = [
        named(1, "CANN"),
        named(2, "Ascend Hardware"),
        timed(1, "AscendCL@aclrtLaunch", "1700000000000100.001", "2.5"),
        timed(2, "MatMulV2", "1700000000000103.123", "10.007"),
        timed(2, "MatMulV2", "1700000000000114.000", "9.993"),
    ]
    folder = "run/PROF_000001_20240101120000_ABC"
    statistic = "Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)\n"

    trace = trace_of(
        tmp_path,
        {
            f"{folder}/{name}": json.dumps(events),
            f"{folder}/mindstudio_profiler_output/op_statistic_20240101120000.csv": statistic
            + "0,MatMulV2,AI_CORE,2,20.0,9.993,10.0,10.007,100\n",
        },
    )

    assert sums_by(trace, "name", "Ascend Hardware") == {"MatMulV2": (2, 20_000)}
    assert sums_by(trace, "name", "CANN") == {"AscendCL@aclrtLaunch": (1, 2_500)}
    assert trace.type_sums is not None
    assert (trace.type_sums.type, trace.type_sums.count.tolist(), trace.type_sums.total.tolist()) == (
        ["MatMulV2"], [2], [20_000],
    )  # fmt: skip
    assert (trace.origin, trace.tool) == (1_700_000_000_000_100_001, "ascend")
