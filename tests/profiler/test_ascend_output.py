"""Tables of Ascend's newer tools, with the headers that their sources and documents name."""

import gzip
import json
import sqlite3
from pathlib import Path

import numpy as np
import pytest

from mindinsight_like.profiler.traces.files import Unreadable
from mindinsight_like.profiler.traces.trace import Activity, Place

from .recordings import sums_by, trace_of, traces_in

FOLDER = "run/box_77_20240101120000000_ascend_ms"
OUTPUT = f"{FOLDER}/ASCEND_PROFILER_OUTPUT"
KERNELS = """Step Id,Name,Type,Accelerator Core,Start Time(us),Duration(us),Wait Time(us),Block Num,\
Input Shapes,aicore_time(us)
1,Default/MatMul-op1,MatMul,AI_CORE,1700000000000123.456\t,10.5,0,24,"""
KERNELS += '''"""16,16;16,16""",10.1
1,Default/GetNext-op2,GetNext,AI_CPU,1700000000000140.001\t,2,1,1,N/A,N/A
1,hcom_allReduce_,hcom_allReduce_,HCCL,1700000000000150\t,4.25,0,N/A,N/A,N/A
1,Default/Broken-op3,Broken,AI_CORE,N/A,1,0,1,N/A,0
'''
STEP_TIMES = """Device_id,Step,Computing,Communication(Not Overlapped),Overlapped,Communication,Free,Stage,Bubble,\
Communication(Not Overlapped and Exclude Receive),Preparing
0,1,10.5,4.25,0,4.25,20,0,0,4.25,3
0,2,11,3,1,4,21,0,0,3,2
"""
MEMORY = """Component,Timestamp(us),Total Allocated(MB),Total Reserved(MB),Total Active(MB),Device Type
MindSpore,1700000000000100.0,1.5,4,1.5,NPU:0
MindSpore,1700000000000120.0,2,4,2,NPU:0
APP,1700000000000110.0,,9,,NPU:0
"""
ALLOCATIONS = """Name,Size(KB),Allocation Time(us),Release Time(us),Active Release Time(us),Duration(us),Device Type
Conv,512,1700000000000100.5,1700000000000130.25,,29.75,NPU:0
Bias,1,1700000000000101,N/A,,N/A,NPU:0
"""
STATISTIC = """Device_id,OP Type,Core Type,Count,Total Time(us),Min Time(us),Avg Time(us),Max Time(us),Ratio(%)
0,MatMul,AI_CORE,1,10.5,10.5,10.5,10.5,84
0,GetNext,AI_CPU,1,2,2,2,2,16
"""
CALLS = """Device_id,Level,API Name,Time(us),Count,Avg(us),Min(us),Max(us),Variance
host,acl,aclrtLaunch,12.5,5,2.5,1,4,0.5
"""
COMMUNICATION = {
    "step1": {
        "p2p": {},
        "collective": {
            "hcom_allReduce__123_0@456": {
                "Communication Time Info": {
                    "Start Timestamp(us)": "1700000000000150.000",
                    "Elapse Time(ms)": 0.00425,
                    "Wait Time(ms)": 0.001,
                }
            },
            "Total Op Info": {"Communication Time Info": {"Elapse Time(ms)": 0.00425}},
        },
    }
}
MATRIX = {
    "step1": {
        "collective": {
            "allreduce-total@456": {
                "0-1": {"Transport Type": "HCCS", "Transit Time(ms)": 2.0, "Transit Size(MB)": 40.0},
                "broken": 3,
            }
        }
    }
}


def test_the_tables_of_a_device_are_read_without_a_timeline(tmp_path: Path) -> None:
    trace = trace_of(
        tmp_path,
        {
            f"{FOLDER}/profiler_info_3.json": json.dumps({"rank_id": 3, "rank_size": 8, "ms_version": "2.4.0"}),
            f"{OUTPUT}/kernel_details.csv": KERNELS,
            f"{OUTPUT}/step_trace_time.csv": STEP_TIMES,
            f"{OUTPUT}/memory_record.csv": MEMORY,
            f"{OUTPUT}/operator_memory.csv": ALLOCATIONS,
            f"{OUTPUT}/op_statistic.csv": STATISTIC,
            f"{OUTPUT}/api_statistic.csv": CALLS,
            f"{OUTPUT}/communication.json": json.dumps(COMMUNICATION),
            f"{OUTPUT}/communication_matrix.json": json.dumps(MATRIX),
        },
    )

    assert (trace.rank, trace.ranks, trace.device) == (3, 8, "Ascend")
    assert sums_by(trace, "type") == {"MatMul": (1, 10_500), "GetNext": (1, 2_000), "hcom_allReduce_": (1, 4_250)}
    assert trace.slices is not None
    assert trace.steps is not None
    assert trace.steps.begin[0] == trace.slices.start.min()  # the table has no clock
    # Microseconds of 16 digits with three places: a float would have lost the last ones.
    assert trace.origin + trace.slices.start.min() == 1_700_000_000_000_123_456
    assert trace.slices.activity.tolist() == [Activity.KERNEL, Activity.AI_CPU, Activity.COMMUNICATION]
    assert trace.texts[trace.slices.shape[0]] == "16,16;16,16"
    assert [(loss.message, loss.count) for loss in trace.losses if "kernels" in loss.message] == [
        ("kernels without a time or a duration", 1)
    ]
    assert trace.steps is not None
    assert (trace.steps.end - trace.steps.begin).tolist() == [34_750, 35_000]
    assert trace.steps.exposed_communication.tolist() == [4_250, 3_000]
    assert {memory.device: memory.allocated.tolist() for memory in trace.memory} == {
        "NPU 0 MindSpore": [3 << 19, 2 << 20],
        "NPU 0 APP": [-1],
    }
    assert trace.allocations is not None
    assert trace.allocations.bytes.tolist() == [512 << 10, 1 << 10, -(512 << 10)]
    assert trace.type_sums is not None
    assert (trace.type_sums.side, trace.type_sums.share.tolist()) == (["AI Core", "AI CPU"], [0.84, 0.16])
    assert trace.operator_sums is not None
    assert dict(zip(trace.operator_sums.side, trace.operator_sums.total, strict=True)) == {
        "runtime": 12_500,
        "communication": pytest.approx(4_250),
    }
    assert trace.links is not None
    assert trace.links.gigabytes_per_second.tolist() == [20.0]
    assert trace.collectives is not None
    assert trace.collectives.name == ["hcom_allReduce__123_0"]


def test_a_timeline_gives_the_slices_and_the_table_their_types_and_shapes(tmp_path: Path) -> None:
    events = [
        {"ph": "M", "name": "process_name", "pid": 9, "tid": 0, "args": {"name": "Ascend Hardware"}},
        {"ph": "M", "name": "process_name", "pid": 8, "tid": 0, "args": {"name": "CANN"}},
        {"ph": "M", "name": "process_name", "pid": 7, "tid": 0, "args": {"name": "Overlap Analysis"}},
        {"ph": "M", "name": "process_name", "pid": 6, "tid": 0, "args": {"name": "MindSpore"}},
        _slice("ProfilerStep#5", 6, "1700000000000100.000", "90.000"),
        _slice("Default/MatMul-op1", 9, "1700000000000123.456", "10.500"),
        _slice("EVENT_WAIT", 9, "1700000000000134.000", "1.000"),
        _slice("Computing", 7, "1700000000000123.456", "10.500"),
        _slice("AscendCL@aclrtLaunch", 8, "1700000000000110.000", "2.001", {"connection_id": 77}),
        {"ph": "s", "cat": "HostToDevice", "id": "4", "name": "a", "pid": 8, "tid": 1, "ts": "1700000000000110.000"},
        {"ph": "f", "cat": "HostToDevice", "id": "4", "name": "a", "pid": 9, "tid": 1, "ts": "1700000000000123.456"},
        {"ph": "f", "cat": "HostToDevice", "id": "5", "name": "a", "pid": 9, "tid": 1, "ts": "1700000000000134.000"},
        {"ph": "C", "name": "AI Core Freq", "pid": 5, "tid": 0, "ts": "1700000000000100.000", "args": {"MHz": 1650}},
        {"ph": "C", "name": "AI Core Freq", "pid": 5, "tid": 0, "ts": "1700000000000105.000", "args": {"MHz": 800}},
    ]

    trace = trace_of(
        tmp_path,
        {
            f"{OUTPUT}/trace_view.json": json.dumps(events),
            f"{OUTPUT}/kernel_details.csv": KERNELS,
            f"{OUTPUT}/step_trace_time.csv": "Step,Computing,Communication,Free\n5,10.5,0,79.5\n",
        },
    )

    assert trace.slices is not None
    rows = {trace.texts[name]: row for row, name in enumerate(trace.slices.name.tolist())}
    assert set(rows) == {"ProfilerStep#5", "Default/MatMul-op1", "EVENT_WAIT", "Computing", "AscendCL@aclrtLaunch"}
    kernel = rows["Default/MatMul-op1"]
    assert trace.texts[trace.slices.shape[kernel]] == "16,16;16,16"
    assert trace.texts[trace.slices.type[kernel]] == "MatMul"
    places = {name: trace.tracks[trace.slices.track[row]].place for name, row in rows.items()}
    assert places["Computing"] == Place.LAYER
    assert places["EVENT_WAIT"] == places["Default/MatMul-op1"] == Place.DEVICE
    kinds = {name: Activity(trace.slices.activity[row]) for name, row in rows.items()}
    assert kinds["EVENT_WAIT"] == Activity.WAIT
    assert kinds["ProfilerStep#5"] == Activity.STEP
    assert (kinds["AscendCL@aclrtLaunch"], trace.slices.correlation[rows["AscendCL@aclrtLaunch"]]) == (
        Activity.LAUNCH,
        77,
    )
    assert trace.slices.duration[rows["AscendCL@aclrtLaunch"]] == 2_001
    assert trace.steps is not None
    assert (trace.steps.begin[0], trace.steps.end[0], trace.steps.computing[0]) == (0, 90_000, 10_500)
    assert trace.origin == 1_700_000_000_000_100_000
    assert trace.flows is not None
    assert (trace.flows.begin.tolist(), trace.flows.end.tolist()) == ([10_000], [23_456])
    assert [trace.tracks[track].process for track in (trace.flows.begin_track[0], trace.flows.end_track[0])] == [
        "CANN",
        "Ascend Hardware",
    ]
    assert trace.counts == {"timeline_events": len(events), "flow_ends_alone": 1}
    (frequency,) = trace.counters
    assert (frequency.name, frequency.time.tolist(), frequency.value.tolist()) == (
        "AI Core Freq / MHz",
        [0, 5_000],
        [1650, 800],
    )


def _slice(
    name: str, process: int, start: str, duration: str, arguments: dict[str, int] | None = None
) -> dict[str, object]:
    return {"ph": "X", "name": name, "pid": process, "tid": 1, "ts": start, "dur": duration, "args": arguments or {}}


def test_exports_of_msprof_have_the_same_kernels_under_older_headers(tmp_path: Path) -> None:
    summary = (
        "Device_id,Model Name,Model ID,Task ID,Stream ID,Infer ID,Op Name,OP Type,OP State,Task Type,"
        "Task Start Time(us),Task Duration(us),Task Wait Time(us),Block Dim,Input Shapes\n"
        '0,N/A,1,4,7,1,Default/Conv2D-op9,Conv2D,static,AI_CORE,"56635864664.91 ",23.1,0,32,"""1,2"""\n'
    )
    steps = (
        "Device_id,Iteration ID,FP Start(us),BP End(us),Iteration End(us),Iteration Time(us),FP to BP Time(us),"
        "Iteration Refresh(us),Data Aug Bound(us),Model ID\n"
        "0,1,56635864658.62,56635864690.0,56635864700.5,50.5,31.38,10.5,N/A,1\n"
    )
    folder = "run/PROF_000001_20240101_ABC/mindstudio_profiler_output"

    trace = trace_of(
        tmp_path, {f"{folder}/op_summary_20240101.csv": summary, f"{folder}/step_trace_20240101.csv": steps}
    )

    assert sums_by(trace, "type", "NPU") == {"Conv2D": (1, 23_100)}
    assert ([track.name for track in trace.tracks], trace.tool) == (["stream 7"], "ascend")
    assert trace.steps is not None
    assert (trace.steps.end - trace.steps.begin).tolist() == [50_500]
    assert (trace.steps.backward_end - trace.steps.forward_begin).tolist() == [31_380]
    assert trace.losses == []


def test_a_database_without_a_timeline_is_read_and_its_views_are_not(tmp_path: Path) -> None:
    path = tmp_path / OUTPUT / "ascend_mindspore_profiler_2.db"
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as database:
        database.executescript("""
            CREATE TABLE STRING_IDS (id INTEGER, value TEXT);
            INSERT INTO STRING_IDS VALUES (1, 'MatMulV2_1'), (2, 'MatMulV2'), (3, 'NOTIFY');
            INSERT INTO STRING_IDS VALUES (4, 'aclnnMatmul'), (5, '8,8');
            CREATE TABLE TASK (startNs, endNs, deviceId, connectionId, globalTaskId, taskType, streamId);
            INSERT INTO TASK VALUES (1700000000000001001, 1700000000000001501, 0, 9, 50, 2, 3);
            INSERT INTO TASK VALUES (1700000000000001600, 1700000000000001601, 0, 8, 51, 3, 3);
            CREATE TABLE COMPUTE_TASK_INFO (name, globalTaskId, opType, inputShapes);
            INSERT INTO COMPUTE_TASK_INFO VALUES (1, 50, 2, 5);
            CREATE TABLE CANN_API (startNs, endNs, globalTid, connectionId, name);
            INSERT INTO CANN_API VALUES (1700000000000000900, 1700000000000000950, 4294967299, 9, 4);
            CREATE TABLE STEP_TIME (id, startNs, endNs);
            INSERT INTO STEP_TIME VALUES (7, 1700000000000000800, 1700000000000002000);
            CREATE VIEW MSTX_EVENTS AS WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
                SELECT x AS startNs, x AS endNs, x AS message, x AS globalTid FROM n;
        """)  # fmt: skip

    trace = traces_in(tmp_path)[2]

    assert sums_by(trace, "name", "Ascend Hardware") == {"MatMulV2_1": (1, 500)}
    assert sums_by(trace, "type", "Ascend Hardware") == {"MatMulV2": (1, 500)}
    assert sums_by(trace, "name", "CANN") == {"aclnnMatmul": (1, 50)}
    assert trace.slices is not None
    assert sorted(trace.slices.correlation.tolist()) == [8, 9, 9]
    assert trace.steps is not None
    assert (trace.origin, trace.steps.number.tolist()) == (1_700_000_000_000_000_800, [7])
    packed = path.with_name(f"{path.name}.gz")
    packed.write_bytes(gzip.compress(path.read_bytes()))
    path.unlink()
    assert sums_by(traces_in(tmp_path)[2], "name", "Ascend Hardware") == {"MatMulV2_1": (1, 500)}
    path.write_bytes(gzip.decompress(packed.read_bytes())[:5000])
    packed.unlink()
    with pytest.raises(Unreadable, match="no usable data"):
        traces_in(tmp_path)


@pytest.mark.parametrize("broken", ['"', '"2,2', '""",'])
def test_a_quote_that_is_never_closed_costs_its_own_row(tmp_path: Path, broken: str) -> None:
    header = "Name,Type,Accelerator Core,Start Time(us),Duration(us),Input Shapes\n"
    rows = [f'op{at},MatMul,AI_CORE,{100 + at},1.5,"4,4"\n' for at in range(20)]
    rows[7] = f"op7,MatMul,AI_CORE,107,1.5,{broken}\n"

    trace = trace_of(tmp_path, {f"{OUTPUT}/kernel_details.csv": header + "".join(rows)})

    found = sums_by(trace, "name")
    assert {f"op{at}" for at in range(20) if at != 7} <= set(found)
    assert found["op8"] == (1, 1_500)
    assert sum(loss.count for loss in trace.losses) == 20 - len(found)


def test_an_open_quote_does_not_take_the_rest_of_a_long_file(tmp_path: Path) -> None:
    rows = "Name,Type,Accelerator Core,Start Time(us),Duration(us)\n" + '"op,MatMul,AI_CORE,1,1.5\n'
    rows += "".join(f"op,MatMul,AI_CORE,{at},1.5\n" for at in range(2, 25_000))

    trace = trace_of(tmp_path, {f"{OUTPUT}/kernel_details.csv": rows})

    assert sums_by(trace, "type")["MatMul"] == (24_998, 24_998 * 1_500)
    assert [loss.count for loss in trace.losses] == [1]


def test_cells_of_several_lines_are_one_cell(tmp_path: Path) -> None:
    rows = "Name,Type,Accelerator Core,Start Time(us),Duration(us),Input Shapes,Call Stack\n"
    rows += 'op0,MatMul,AI_CORE,100,1.5,"4,4","train.py(3), f;\nmodel.py(7), g;\n"\nop1,MatMul,AI_CORE,102,1.5,"4,4",\n'

    trace = trace_of(tmp_path, {f"{OUTPUT}/kernel_details.csv": rows})

    assert (set(sums_by(trace, "name")), trace.losses) == ({"op0", "op1"}, [])


def test_missing_columns_cost_their_file_and_are_named(tmp_path: Path) -> None:
    trace = trace_of(
        tmp_path,
        {
            f"{OUTPUT}/kernel_details.csv": "Type,Start Time(us)\nMatMul,5\n",
            f"{OUTPUT}/step_trace_time.csv": STEP_TIMES,
            f"{OUTPUT}/memory_record.csv": b"\xff\xfe\x00" * 50,
            f"{OUTPUT}/communication.json": '{"step1": [1, 2',
        },
    )

    assert trace.steps is not None
    messages = [loss.message for loss in trace.losses]
    assert any("kernel_details.csv has no column 'Name'" in message for message in messages)
    assert any("communication.json is damaged" in message for message in messages)
    assert np.all(trace.steps.begin >= 0)
