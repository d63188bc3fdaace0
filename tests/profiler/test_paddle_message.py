"""Paddle's recordings in protobuf, against a slow and obvious reading of the same bytes."""

import random
from collections import Counter
from pathlib import Path
from typing import Any

from mindinsight_like.logs.protobuf.wire import fields
from mindinsight_like.profiler.traces.files import Unreadable
from mindinsight_like.profiler.traces.trace import NOT_GIVEN, Activity, Place

from .messages import message
from .recordings import sums_by, trace_in, trace_of

FOLDER = "paddle-profiler/protobuf"


def obvious(data: bytes) -> tuple[Counter[str], Counter[str]]:
    """Counts and total nanoseconds by name."""
    counts: Counter[str] = Counter()
    totals: Counter[str] = Counter()
    for thread in fields(data, 0, len(data)):
        for node in fields(data, thread.begin, thread.end) if thread.id == 3 else ():
            for event in fields(data, node.begin, node.end) if node.id == 2 else ():
                parts = {f.id: f for f in fields(data, event.begin, event.end)} if event.id == 3 else {}
                if parts and parts[3].number:
                    name = data[parts[1].begin : parts[1].end].decode()
                    counts[name] += 1
                    totals[name] += parts[4].number - parts[3].number
    return counts, totals


def test_every_event_is_there_with_its_time_and_steps_are_told(corpus: Path) -> None:
    (path,) = (corpus / FOLDER).glob("*.pb")
    counts, totals = obvious(path.read_bytes())

    trace = trace_in(corpus, FOLDER)

    assert sums_by(trace, "name") == {name: (counts[name], totals[name]) for name in counts}
    assert trace.slices is not None
    steps = trace.slices.activity == Activity.STEP
    assert sorted(trace.texts[name] for name in trace.slices.name[steps].tolist()) == ["ProfileStep#1", "ProfileStep#2"]
    assert {track.name.partition(":")[2] for track in trace.tracks} == {"MainThread(C++)", "MainThread(Python)"}
    assert (trace.facts["version"], trace.losses) == ("1.0.2", [])


def recording() -> bytes:
    start = 1_794_790_629_078_998_104
    device = message([(1, [(1, b"volta_gemm"), (2, 4), (3, start + 900), (4, start + 1900), (5, 1), (7, 13), (8, 42)])])
    call = message([(1, b"cudaLaunchKernel"), (2, start + 100), (3, start + 150), (4, 5), (5, 6), (6, 42)])
    runtime = message([(1, call), (2, device)])
    memory = message([(1, [(1, start + 50), (2, 0), (3, 4096), (6, 512), (7, b"Place(gpu:1)"), (8, 512), (9, 1024)])])
    free = message([(1, [(1, start + 70), (2, 1), (3, 4096), (6, -512), (7, b"Place(gpu:1)"), (8, 0), (9, 1024)])])
    shapes = message([(1, [(2, b"matmul"), (5, [(1, b"X"), (2, [(1, [(1, 4), (1, 8)])])])])])
    event = message([(1, b"matmul"), (2, 0), (3, start), (4, start + 200), (5, 5), (6, 6)])
    node = message([(1, 1), (2, -1), (3, event), (4, runtime), (5, memory), (5, free), (6, shapes)])
    return message([(1, b"1.0.2"), (3, [(1, 6), (2, node)]), (5, [(1, 1), (2, b"Tesla V100")])])


def test_device_work_memory_and_shapes_are_read(tmp_path: Path) -> None:
    trace = trace_of(tmp_path, {"run/w_time_2026_01_01_00_00_00.paddle_trace.pb": recording()})

    assert sums_by(trace, "name") == {"matmul": (1, 200), "cudaLaunchKernel": (1, 50), "volta_gemm": (1, 1000)}
    assert trace.slices is not None
    assert trace.slices.activity.tolist() == [Activity.OPERATOR, Activity.LAUNCH, Activity.KERNEL]
    assert trace.slices.correlation.tolist() == [0, 42, 42]
    assert trace.texts[trace.slices.shape[0]] == "{'X': [[4, 8]]}"
    assert trace.tracks[trace.slices.track[2]].place == Place.DEVICE
    assert trace.device == "Tesla V100"
    assert trace.allocations is not None
    assert trace.allocations.bytes.tolist() == [512, -512]
    assert (trace.memory[0].device, trace.memory[0].allocated.tolist()) == ("GPU 1", [512, 0])
    assert trace.memory[0].reserved.tolist() == [1024, 1024]


def test_what_is_reserved_of_host_memory_is_not_known_without_records_of_chunks(tmp_path: Path) -> None:
    def recorded(kind: int, time: int, allocated: int, reserved: int) -> bytes:
        told: list[tuple[int, Any]] = [
            (1, time),
            (2, kind),
            (3, 4096),
            (6, 512),
            (7, b"Place(cpu)"),
            (8, allocated),
            (9, reserved),
        ]
        return message([(1, told)])

    def reserved(*memory: bytes) -> list[int]:
        start = 1_794_790_629_078_998_104
        event = message([(1, b"matmul"), (2, 0), (3, start), (4, start + 200), (5, 5), (6, 6)])
        node = message([(1, 1), (2, -1), (3, event), *((5, each) for each in memory)])
        content = message([(1, b"1.0.2"), (3, [(1, 6), (2, node)])])
        folder = tmp_path / str(len(memory))
        return trace_of(folder, {"w.paddle_trace.pb": content}).memory[0].reserved.tolist()

    chunk, block = recorded(2, 5, 0, 8192), recorded(0, 10, 512, 8192)

    assert reserved(block) == [NOT_GIVEN]
    assert reserved(chunk, block) == [8192, 8192]


def test_cut_and_damaged_recordings_are_read_as_far_as_they_go(corpus: Path, tmp_path: Path) -> None:
    (path,) = (corpus / FOLDER).glob("*.pb")
    data = path.read_bytes()
    chance = random.Random(11)
    read = 0
    for attempt in range(60):
        content = bytearray(data)
        if attempt % 2:
            del content[chance.randrange(len(data)) :]
        for _ in range(chance.choice([0, 5])):
            content[chance.randrange(len(content))] = chance.randrange(256)
        try:
            trace = trace_of(tmp_path / str(attempt), {"x.paddle_trace.pb": bytes(content)})
        except (Unreadable, ValueError) as error:
            assert isinstance(error, Unreadable)
            continue
        read += 1
        assert bool(trace.losses) >= bool(attempt % 2)
    assert read > 40
