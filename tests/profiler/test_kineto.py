"""Traces of torch: the corpus against torch's own tables, and devices, ranks and old files by hand-made ones."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindinsight_like.profiler.traces import events
from mindinsight_like.profiler.traces.collectives import is_collective, is_collective_annotation
from mindinsight_like.profiler.traces.files import Files, Source
from mindinsight_like.profiler.traces.readers import kineto
from mindinsight_like.profiler.traces.readers.arguments import arguments
from mindinsight_like.profiler.traces.reference import events as events_twin
from mindinsight_like.profiler.traces.sources import read, sources_of
from mindinsight_like.profiler.traces.trace import NOT_GIVEN, NOTHING, Activity, Place, Trace
from tests.corpus import CORPUS

from .recordings import assert_sound


def read_one(base: Path, name: str) -> Trace:
    (source,) = sources_of([name])
    trace = read(source, Files(str(base)), lambda share: None)
    assert_sound(trace)
    return trace


def sums(trace: Trace, *activities: Activity) -> dict[str, tuple[int, int]]:
    """Count and nanoseconds by name."""
    found: dict[str, tuple[int, int]] = {}
    assert trace.slices is not None
    for name, duration, activity in zip(
        trace.slices.name.tolist(), trace.slices.duration.tolist(), trace.slices.activity.tolist(), strict=True
    ):
        if activity in activities:
            count, total = found.get(trace.texts[name], (0, 0))
            found[trace.texts[name]] = (count + 1, total + duration)
    return found


def nested(trace: Trace, name: str) -> list[int]:
    """The durations of the slices of a name that lie within another one of that name."""
    assert trace.slices is not None
    rows = np.flatnonzero(trace.slices.name == trace.texts.index(name))
    spans = [(int(trace.slices.start[row]), int(trace.slices.duration[row])) for row in rows]
    return [
        duration
        for start, duration in spans
        if any(a <= start and start + duration <= a + b and (a, b) != (start, duration) for a, b in spans)
    ]


def events_of(path: Path) -> dict[str, Any]:
    content = path.read_bytes()
    whole: dict[str, Any] = json.loads(gzip.decompress(content) if path.suffix == ".gz" else content)
    return whole


def test_operators_are_as_torch_itself_prints_them() -> None:
    trace = read_one(CORPUS, "torch-profiler/tables/trace.json")
    table = json.loads((CORPUS / "torch-profiler/tables/key_averages.json").read_text())
    ours = sums(trace, Activity.OPERATOR, Activity.ANNOTATION)
    # torch leaves out a call that is the only one inside a call of its name: aten::sum is once more in the file.
    (inner,) = nested(trace, "aten::sum")
    count, total = ours["aten::sum"]
    ours["aten::sum"] = (count - 1, total - inner)
    assert ours == {row["name"]: (row["count"], round(row["cpu_us"] * 1000)) for row in table}
    assert (trace.tool, trace.device, trace.host) == ("torch", "CPU", "trainbox")
    # Memory as torch sums it: what operators took and freed is the last total.
    (memory,) = trace.memory
    assert trace.allocations is not None
    assert memory.device == "CPU" and memory.reserved.tolist() == [NOT_GIVEN] * len(memory.time)
    assert np.array_equal(np.diff(memory.allocated), trace.allocations.bytes[1:])


@pytest.mark.parametrize(
    "name",
    [
        "torch-profiler/single/worker0.1794790512099000900.pt.trace.json",
        "torch-profiler/ten_steps_stack_gz/worker0.1794790521915052323.pt.trace.json.gz",
        "torch-profiler/ddp_two_ranks/trainbox_rank1.1794790541629846792.pt.trace.json",
    ],
)
def test_real_files_come_out_whole(name: str) -> None:
    trace, whole = read_one(CORPUS, name), events_of(CORPUS / name)
    listed = [event for event in whole["traceEvents"] if event["ph"] == "X"]
    assert trace.slices is not None and trace.losses == []
    assert len(trace.slices.start) == len(listed)
    base = whole["baseTimeNanoseconds"] - trace.origin
    assert trace.slices.start.tolist() == [base + round(event["ts"] * 1000) for event in listed]
    for column, argument in ((trace.slices.shape, "Input Dims"), (trace.slices.dtype, "Input type")):
        assert [trace.texts[number] if number >= 0 else None for number in column] == [
            None if (given := event["args"].get(argument)) is None else json.dumps(given) for event in listed
        ]
    expected = json.loads((CORPUS / name).with_name("expected.json").read_text())["profiler"]
    steps = sorted(sums(trace, Activity.STEP))
    numbers = (
        expected["profiler_steps"][0] if isinstance(expected["profiler_steps"][0], list) else expected["profiler_steps"]
    )
    assert sorted(steps) == sorted(f"ProfilerStep#{number}" for number in numbers)
    assert len(sums(trace, Activity.DATA)) == 1
    assert trace.flows is not None and len(trace.flows.begin) == sum(e["ph"] == "s" for e in whole["traceEvents"])
    assert (trace.flows.end >= trace.flows.begin).all()
    last = len(listed) - 1
    assert list(arguments(Files(str(CORPUS)), name, int(trace.slices.place[7]))) == list(listed[7]["args"])
    assert arguments(Files(str(CORPUS)), name, int(trace.slices.place[last])) == listed[last]["args"]


def test_ranks_and_their_communication() -> None:
    names = [
        f"torch-profiler/ddp_two_ranks/{path.name}" for path in (CORPUS / "torch-profiler/ddp_two_ranks").glob("*.pt.*")
    ]
    first, second = (read(source, Files(str(CORPUS)), lambda share: None) for source in sources_of(names))
    assert [(trace.rank, trace.ranks) for trace in (first, second)] == [(0, 2), (1, 2)]
    assert {name: count for name, (count, _) in sums(first, Activity.COMMUNICATION).items()} == {
        "gloo:broadcast": 6,
        "gloo:all_reduce": 3,
        "c10d::broadcast_": 6,  # calls that wait until all ranks are there
        "c10d::allreduce_": 3,
    }
    assert abs(first.origin - second.origin) < 10**9


def device_trace(**root: Any) -> bytes:
    def event(category: str, name: str, process: Any, thread: Any, start: float, **more: Any) -> dict[str, Any]:
        return {"ph": "X", "cat": category, "name": name, "pid": process, "tid": thread, "ts": start, "dur": 5} | more

    listed = [
        {"ph": "M", "name": "process_labels", "pid": 0, "tid": 0, "args": {"labels": "GPU 0"}},
        {"ph": "M", "name": "thread_name", "pid": 0, "tid": 7, "args": {"name": "stream 7"}},
        event("cpu_op", "aten::mm", 900, 900, 10.5, args={"External id": 1, "Input Dims": [[2, 3], []],
            "Input type": ["c10::Half", ""]}),
        event("cuda_runtime", "cudaLaunchKernel", 900, 900, 11, args={"correlation": 77}),
        event("cuda_runtime", "cudaDeviceSynchronize", 900, 900, 12, args={"correlation": 78}),
        event("kernel", "void at::native::gemm<float, 4>(float*)", 0, 7, 13, args={"correlation": 77}),
        event("kernel", "void (anonymous namespace)::softmax<4>(int)", 0, 7, 19, args={}),
        event("kernel", "secret_sum(x)", 0, 20, 13, args={"Collective name": "allreduce"}),
        event("kernel", "ncclDevKernel_AllReduce_Sum_f32_RING_LL(ncclDevComm*)", 0, 20, 30),
        event("gpu_memcpy", "Memcpy HtoD (Pageable -> Device)", 0, 7, 40),
        event("gpu_memset", "Memset (Device)", 0, 7, 50),
        event("gpu_user_annotation", "ProfilerStep#4", 0, 7, 10),
        event("user_annotation", "ProfilerStep#4", 900, 900, 10),
        event("python_function", "train.py(3): step", 900, 900, 9),
        event("overhead", "CUPTI", -1, 0, 9),
        event("cuda_sync", "Context Sync", 0, 1000007, 9),
        {"ph": "i", "name": "[memory]", "pid": 900, "tid": 900, "ts": 20, "args": {"Bytes": 512, "Total Allocated": 512,
            "Total Reserved": 2048, "Device Type": 1, "Device Id": 0, "Addr": 2**63 + 8}},
        {"ph": "i", "name": "[memory]", "pid": 900, "tid": 900, "ts": 21, "args": {"Bytes": -512, "Total Allocated": 0,
            "Total Reserved": 2048, "Device Type": 1, "Device Id": 0, "Addr": 2**63 + 8}},
        {"ph": "s", "id": 77, "name": "ac2g", "cat": "ac2g", "pid": 900, "tid": 900, "ts": 11},
        {"ph": "f", "id": 77, "name": "ac2g", "cat": "ac2g", "pid": 0, "tid": 7, "ts": 13, "bp": "e"},
        {"ph": "C", "name": "GPU load", "pid": "GPU 0 Counters", "ts": 14, "args": {"percent": 50.5}},
        {"ph": "C", "name": "GPU load", "pid": "GPU 0 Counters", "ts": 13, "args": {"percent": 20}},
    ]  # fmt: skip
    return json.dumps({"traceEvents": listed} | root).encode()


def test_devices(tmp_path: Path) -> None:
    (tmp_path / "a_rank3.1700000000000000000.pt.trace.json").write_bytes(
        device_trace(
            deviceProperties=[{"id": 0, "name": "NVIDIA H100"}],
            baseTimeNanoseconds=1700000000000000000,
            distributedInfo={"backend": "nccl", "rank": 5, "world_size": 8, "pg_config": [{"ranks": "[0, 1]"}]},
        )
    )
    trace = read_one(tmp_path, "a_rank3.1700000000000000000.pt.trace.json")
    assert (trace.rank, trace.ranks, trace.device) == (5, 8, "NVIDIA H100")
    assert trace.slices is not None
    assert trace.origin == 1700000000000009000
    assert trace.slices.start.tolist()[:2] == [1500, 2000]
    assert " ".join(Activity(code).name for code in trace.slices.activity.tolist()) == (
        "OPERATOR LAUNCH WAIT KERNEL KERNEL COMMUNICATION COMMUNICATION COPY FILL DEVICE_ANNOTATION STEP PYTHON"
        " OVERHEAD WAIT"
    )
    types = [trace.texts[number] for number in trace.slices.type.tolist()]
    assert types[3:7] == ["at::native::gemm", "(anonymous namespace)::softmax", "secret_sum",
                          "ncclDevKernel_AllReduce_Sum_f32_RING_LL"]  # fmt: skip
    assert types[10] == "ProfilerStep"
    assert trace.slices.correlation.tolist()[1:4] == [77, 78, 77]
    devices = {(track.name, track.process) for track in trace.tracks if track.place == Place.DEVICE}
    assert devices == {("stream 7", "GPU 0"), ("20", "GPU 0"), ("1000007", "GPU 0")}
    assert {track.device for track in trace.tracks if track.place == Place.DEVICE} == {0}
    (memory,) = trace.memory
    assert (memory.device, memory.allocated.tolist(), memory.reserved.tolist()) == ("GPU 0", [512, 0], [2048, 2048])
    assert trace.allocations is not None
    assert (trace.allocations.bytes.tolist(), trace.allocations.address.tolist()) == ([512, -512], [2**63 + 8] * 2)
    assert (trace.flows, trace.counts["launch_arrows"]) == (None, 2)  # correlations say the same
    assert trace.counts["other_events"] == 8
    (counter,) = trace.counters
    assert counter.name == "GPU 0 Counters / GPU load / percent"
    assert (counter.time.tolist(), counter.value.tolist()) == ([4000, 5000], [20, 50.5])


@pytest.mark.parametrize("scanner", [events.EventScanner, events_twin.EventScanner])
def test_data_types_of_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, scanner: type) -> None:
    (tmp_path / "a.1.pt.trace.json").write_bytes(device_trace())
    monkeypatch.setattr(events, "EventScanner", scanner)
    trace = read_one(tmp_path, "a.1.pt.trace.json")
    assert trace.slices is not None
    assert json.loads(trace.texts[trace.slices.dtype[0]]) == ["c10::Half", ""]
    assert trace.slices.dtype[1:].tolist() == [NOTHING] * (len(trace.slices.start) - 1)


def test_ranks_from_names_old_times_and_cut_files(tmp_path: Path) -> None:
    content = device_trace().replace(b'"ts": 1', b'"ts": 170000000000000')
    (tmp_path / "a_rank3.1700000000000000000.pt.trace.json").write_bytes(content[: content.index(b"cudaDeviceSync")])
    trace = read_one(tmp_path, "a_rank3.1700000000000000000.pt.trace.json")
    assert (trace.rank, trace.ranks, trace.device) == (3, -1, "CPU")
    assert trace.origin // 10**9 == 1700000000
    assert trace.slices is not None and len(trace.slices.start) == 2
    assert ["is truncated" in loss.message for loss in trace.losses] == [True]


def test_times_that_cannot_be_cost_only_their_slices(tmp_path: Path) -> None:
    rows = ['"ts":5,"dur":-1', '"ts":"x","dur":1', '"dur":1', '"ts":9e15,"dur":1', '"ts":7', '"ts":6,"dur":9e15']
    content = ",".join(f'{{"ph":"X","name":"n","pid":1,"tid":1,{row}}}' for row in rows)
    (tmp_path / "t.json").write_text(
        f'{{"traceEvents":[{content},{{"ph":"C","args":{{"v":1}}}}],"deviceProperties":[]}}'
    )
    trace = kineto.read(Files(str(tmp_path)), Source("kineto", "", -1, "t.json", ("t.json",)), lambda share: None)
    assert_sound(trace)
    assert trace.slices is not None
    assert (trace.slices.start.tolist(), trace.slices.duration.tolist()) == ([0, 2000, 1000], [0, 0, 0])
    assert sorted(loss.count for loss in trace.losses) == [1, 3, 3]


@pytest.mark.parametrize(
    "name",
    [
        "ncclKernel_AllReduce_RING_LL_Sum_float(ncclWorkElem)",  # NCCL 2.8 to 2.18
        "ncclDevKernel_ReduceScatter_Sum_bf16_RING_LL(ncclDevComm*, unsigned long, ncclWork*)",  # since 2.19
        "ncclDevKernel_SendRecv(ncclDevKernelArgsStorage<4096ul>)",
        "ncclSymkDevKernel_AllGather_LL(ncclSymkDevWorkArgs)",
        "ncclKernel_Generic(ncclDevComm*, unsigned long, ncclWork*)",  # RCCL
        "rccl::AllReduce",
        "hcom_allReduce__123_0",
        "HcclAllreduce",
        "void vllm::cross_device_reduce_1stage<__half, 2>(vllm::RankData*)",
        "one_shot_all_reduce_kernel",
        "nvshmem_put",
        "deep_ep::internode::dispatch",
        "all_to_all",
        "c_allreduce_sum",
    ],
)
def test_collectives_of_all_libraries(name: str) -> None:
    assert is_collective(name)


@pytest.mark.parametrize(
    "name", ["aten::mm", "void reduce_kernel<512, 1>(int)", "gather", "scatter_add", "broadcast_add"]
)
def test_what_only_sounds_like_communication(name: str) -> None:
    assert not is_collective(name)


def test_annotations_of_communication() -> None:
    assert [is_collective_annotation(name) for name in ("gloo:all_reduce", "nccl:broadcast", "my nccl: thing")] == [
        True,
        True,
        False,
    ]
