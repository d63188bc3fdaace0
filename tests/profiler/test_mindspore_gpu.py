"""Tables of MindSpore on GPUs, for which there are no real recordings, with the headers that MindInsight reads."""

import json
from pathlib import Path

import pytest

from mindinsight_like.profiler.traces.trace import NOTHING

from .recordings import trace_of

DETAIL = """op_side,op_type,op_name,op_full_name,op_occurrences,op_total_time(us),op_avg_time(us),proportion,\
cuda_activity_cost_time(us),cuda_activity_call_count
Device,MatMul,MatMul-op1,Default/MatMul-op1,3,30.5,10.166,0.75,28.5,6
Host,InitDataSetQueue,InitDataSetQueue-op0,Default/InitDataSetQueue-op0,1,10,10,0.25,0,0
"""
TYPES = """op_type,type_occurrences,total_time(us),proportion,avg_time(us)
MatMul,1,30.5,0.75,10.166
InitDataSetQueue,1,10,0.25,10
"""
ACTIVITY = """name,type,op_full_name,stream_id,block_dim,grid_dim,occurrences,total_duration(us),avg_duration(us),\
max_duration(us),min_duration(us)
volta_sgemm,cuLaunchKernel,Default/MatMul-op1,13,"(1,1,1)","(2,1,1)",6,28.5,4.75,6,3.5
"""
QUEUE = "0 0 1 7 100\n0 1 1 2 100\n0 2 1 9 100\n1 64 1 12 100\n0 0 2 8 200\n1 64 2 0 200\n"


def test_operators_activities_and_steps_of_a_gpu(tmp_path: Path) -> None:
    trace = trace_of(
        tmp_path,
        {
            "run/profiler/gpu_op_detail_info_0.csv": DETAIL,
            "run/profiler/gpu_op_type_info_0.csv": TYPES,
            "run/profiler/gpu_activity_data_0.csv": ACTIVITY,
            "run/profiler/step_trace_profiling_0.txt": "Default/a 100,110 300,310\nDefault/b 150,170 350,360\n"
            "Default/c 180,200 380,400\n",
            "run/profiler/step_trace_point_info_0.json": json.dumps([{"fp_start": "Default/a", "bp_end": "Default/b"}]),
            "run/profiler/dataset_iterator_profiling_0.txt": QUEUE,
            "run/profiler/minddata_getnext_profiling_0.txt": "GetNext_dequeue_wait 1000000 4500000 2 5\n",
        },
    )

    assert (trace.device, trace.facts["bp_end"], trace.losses) == ("GPU", "Default/b", [])
    sums = trace.operator_sums
    assert sums is not None
    assert dict(zip(sums.full_name, zip(sums.type, sums.side, sums.count, sums.total, strict=True), strict=True)) == {
        "Default/MatMul-op1": ("MatMul", "GPU", 3, pytest.approx(30_500)),
        "Default/InitDataSetQueue-op0": ("InitDataSetQueue", "Host CPU", 1, pytest.approx(10_000)),
        "volta_sgemm": ("cuLaunchKernel", "CUDA activity", 6, pytest.approx(28_500)),
    }
    kernel = sums.full_name.index("volta_sgemm")
    assert sums.details[kernel]["operator"] == "Default/MatMul-op1"
    assert (sums.shortest[kernel], sums.longest[kernel]) == pytest.approx((3_500, 6_000))
    assert trace.type_sums is not None
    assert trace.type_sums.share.tolist() == [0.75, 0.25]
    assert trace.steps is not None
    assert (trace.steps.end - trace.steps.begin).tolist() == [1_000, 2_000]
    assert (trace.steps.backward_end - trace.steps.forward_begin).tolist() == [700, 600]
    queues = {pipeline.queue: pipeline for pipeline in trace.pipelines}
    assert queues["iterator"].queue_size.tolist() == [12, 0]
    assert (queues["iterator"].wait.tolist(), queues["iterator"].push.tolist()) == ([7, 8], [2, -1])
    assert queues["get_next"].wait.tolist() == [3.5]


def test_steps_of_inference_have_no_backward_mark_and_cut_rows_are_told(tmp_path: Path) -> None:
    rows = "step_num,start_point,end_point,total,fp_point,iteration_interval,fp\n1,100,300,200,120,20,180\n2,300,5"

    trace = trace_of(tmp_path, {"run/profiler/step_trace_raw_0_detail_time.csv": rows})

    assert trace.steps is not None
    assert ((trace.steps.end - trace.steps.begin).tolist(), trace.steps.backward_end.tolist()) == ([2000], [NOTHING])
    assert [loss.count for loss in trace.losses] == [1]


def test_steps_of_graphs_launched_without_waiting_are_one_line_each(tmp_path: Path) -> None:
    lines = "Default/s,1000 Default/f,1500 Default/b,4000 Default/e,5000 Default/AllReduce,1600,1800\n"

    trace = trace_of(tmp_path, {"run/profiler/step_trace_profiling_0.txt": lines + "Default/s,5000\n"})

    assert trace.steps is not None
    assert (trace.steps.forward_begin.tolist(), trace.steps.end.tolist()) == ([500], [4000])
    assert [loss.message for loss in trace.losses] == ["steps with incomplete marks"]
