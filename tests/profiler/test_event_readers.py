"""Paddle's JSON and any other trace events: exact times, pairs of beginnings and ends, arrows, single arguments."""

from __future__ import annotations

import gzip
import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.traces.files import Files, Unreadable
from mindinsight_like.profiler.traces.readers.arguments import arguments
from mindinsight_like.profiler.traces.sources import read, sources_of
from mindinsight_like.profiler.traces.trace import NOT_GIVEN, Activity, Trace
from tests.corpus import CORPUS

from .recordings import assert_sound

PADDLE = "paddle-profiler/chrome/trainbox_worker0_time_2026_11_16_00_57_05_864323.paddle_trace.json"


def read_one(base: Path, name: str) -> Trace:
    (source,) = sources_of([name])
    trace = read(source, Files(str(base)), lambda share: None)
    assert_sound(trace)
    return trace


def read_events(base: Path, listed: list[dict[str, Any]]) -> Trace:
    (base / "t.json").write_text(json.dumps(listed))
    return read_one(base, "t.json")


def slices(trace: Trace) -> set[tuple[str, str, int, int]]:
    assert trace.slices is not None
    columns = (trace.slices.name, trace.slices.track, trace.slices.start, trace.slices.duration)
    return {
        (trace.texts[name], trace.tracks[track].name, start, duration)
        for name, track, start, duration in zip(*(column.tolist() for column in columns), strict=True)
    }


def test_paddle_to_the_nanosecond() -> None:
    trace = read_one(CORPUS, PADDLE)
    events = json.loads((CORPUS / PADDLE).read_text())["traceEvents"]
    listed = [event for event in events if event.get("ph") == "X"]
    assert trace.slices is not None and trace.losses == []
    exact = [[round(float(e["args"][key].split()[0]) * 1000) for e in listed] for key in ("start_time", "end_time")]
    assert trace.slices.start.tolist() == exact[0]
    assert (trace.slices.start + trace.slices.duration).tolist() == exact[1]
    assert [trace.texts[name] for name in trace.slices.name] == [re.sub(r"\[[^\]]*\]$", "", e["name"]) for e in listed]
    assert 0 <= trace.origin - listed[0]["ts"] * 1000 < 1000
    steps = trace.slices.activity == Activity.STEP
    assert [trace.texts[name] for name in trace.slices.name[steps]] == [
        "ProfileStep#2",
        "ProfileStep#3",
        "ProfileStep#4",
    ]
    assert {trace.texts[name] for name in trace.slices.type[steps]} == {"ProfileStep"}
    assert trace.allocations is not None and len(trace.allocations.time) == 200
    assert (trace.memory[0].device, trace.memory[0].allocated[0]) == ("CPU", 252064)
    # The file repeats 267,936 in every record, also where 448,192 are allocated: it is of the first one.
    assert {event["args"]["current_reserved"] for event in events if event.get("name") == "[memory]"} == {267936}
    assert set(trace.memory[0].reserved.tolist()) == {NOT_GIVEN}
    assert arguments(Files(str(CORPUS)), PADDLE, int(trace.slices.place[3])) == listed[3]["args"]


@pytest.mark.parametrize(("place", "device_name"), [("gpu:1", "GPU 1"), ("cpu", "CPU"), ("gpu_pinned", "GPU_PINNED")])
def test_memory_of_paddle_knows_blocks_from_the_chunks_they_are_cut_from(
    tmp_path: Path, place: str, device_name: str
) -> None:
    def event(kind: str, time: int, size: int, address: str, allocated: int, reserved: int) -> dict[str, Any]:
        told = {"place": f"Place({place})", "addr": address, "increase_bytes": size, "current_allocated": allocated}
        return {"name": "[memory]", "ph": "i", "cat": kind, "pid": 1, "tid": "2(C++)", "ts": time,
                "args": told | {"current_reserved": reserved}}  # fmt: skip

    listed = [
        event("Free", 30, -512, "4096", 0, 8192),  # the memory of an operator stands before that of its children
        event("ReservedAllocate", 10, 8192, "4096", 0, 8192),
        event("Allocate", 20, 512, "4096", 512, 8192),
    ]
    name = "w_time_2026_01_01_00_00_00.paddle_trace.json"
    (tmp_path / name).write_text(json.dumps({"traceEvents": listed}))

    analysed = analyse(read_one(tmp_path, name))

    (device,) = analysed.memory().devices
    assert (device.device, device.allocated, device.reserved) == (device_name, [0, 512, 0], [8192] * 3)
    assert (device.peak["bytes"], device.peak["attributed"], device.last) == (512, 512, 0)
    (block,) = analysed.memory_owners(device_name, by="block").rows
    assert (block["bytes"], block["lifetime"]) == (512, 0.01)


def test_beginnings_and_ends_become_slices(tmp_path: Path) -> None:
    trace = read_events(
        tmp_path,
        [
            {"ph": "E", "pid": 1, "tid": "a", "ts": 1},  # began before the recording
            {"ph": "B", "name": "outer", "pid": 1, "tid": "a", "ts": 2},
            {"ph": "B", "name": "other thread", "pid": 1, "tid": "b", "ts": 3},
            {"ph": "B", "name": "inner", "pid": 1, "tid": "a", "ts": 4},
            {"ph": "E", "pid": 1, "tid": "a", "ts": 5},
            {"ph": "B", "name": "next", "pid": 1, "tid": "a", "ts": 5},
            {"ph": "E", "pid": 1, "tid": "a", "ts": 6},
            {"ph": "E", "pid": 1, "tid": "a", "ts": 9},
            {"ph": "b", "cat": "io", "id": "0x1", "name": "read 1", "pid": 1, "tid": "a", "ts": 3},
            {"ph": "b", "cat": "io", "id": "0x2", "name": "read 2", "pid": 1, "tid": "a", "ts": 4},
            {"ph": "e", "cat": "io", "id": "0x1", "name": "read 1", "pid": 1, "tid": "b", "ts": 7},
            {"ph": "e", "cat": "io", "id": "0x2", "name": "read 2", "pid": 1, "tid": "a", "ts": 8},
        ],
    )
    assert slices(trace) == {
        ("outer", "a", 1000, 7000),
        ("inner", "a", 3000, 1000),
        ("next", "a", 4000, 1000),
        ("other thread", "b", 2000, 6000),  # until the end
        ("read 1", "a", 2000, 4000),
        ("read 2", "a", 3000, 4000),
    }
    assert trace.counts["begins_without_end"] == trace.counts["ends_without_begin"] == 1


@settings(max_examples=60)
@given(st.lists(st.tuples(st.sampled_from("BE"), st.integers(0, 2)), max_size=40))
def test_pairs_are_those_of_a_stack(tmp_path_factory: pytest.TempPathFactory, calls: list[tuple[str, int]]) -> None:
    listed = [{"ph": ph, "name": f"n{n}", "pid": 1, "tid": tid, "ts": n} for n, (ph, tid) in enumerate(calls)]
    marks = {"ph": "X", "name": "mark", "pid": 1, "tid": 9, "ts": 0, "dur": 0}
    stacks: dict[int, list[int]] = {}
    expected = {("mark", "9", 0, 0)}
    for now, (phase, thread) in enumerate(calls):
        stack = stacks.setdefault(thread, [])
        if phase == "B":
            stack.append(now)
        elif stack:
            begin = stack.pop()
            expected.add((f"n{begin}", str(thread), begin * 1000, (now - begin) * 1000))
    last = len(calls) - 1
    for thread, stack in stacks.items():
        expected |= {(f"n{begin}", str(thread), begin * 1000, (last - begin) * 1000) for begin in stack}
    assert slices(read_events(tmp_path_factory.mktemp("pairs"), [marks, *listed])) == expected


def test_arrows_whose_end_lies_before_their_beginning_are_counted(tmp_path: Path) -> None:
    def end(phase: str, id: int, time: int) -> dict[str, Any]:
        return {"ph": phase, "name": "f", "id": id, "pid": 1, "tid": 2, "ts": time}

    trace = read_events(
        tmp_path,
        [
            {"ph": "X", "name": "x", "pid": 1, "tid": 2, "ts": 0, "dur": 9},
            *(end("s", 1, 1), end("f", 1, 2)),
            *(end("s", 2, 5), end("f", 2, 4)),  # backwards
            *(end("f", 3, 2), end("s", 3, 3), end("t", 3, 6), end("f", 3, 7)),  # its id was used before
            end("t", 4, 3),
        ],
    )

    assert trace.flows is not None
    assert list(zip(trace.flows.begin.tolist(), trace.flows.end.tolist(), strict=True)) == [
        (1000, 2000),
        (3000, 6000),
        (6000, 7000),
    ]
    assert trace.counts["flow_events"] == 9
    assert (trace.counts["flow_begins_alone"], trace.counts["flow_ends_alone"]) == (1, 3)


def test_arrows_counters_and_names_of_threads(tmp_path: Path) -> None:
    thread = {"pid": 1, "tid": 2}
    trace = read_events(
        tmp_path,
        [
            {"ph": "M", "name": "thread_name", **thread, "args": {"name": "old"}},
            {"ph": "M", "name": "thread_name", **thread, "args": {"name": "worker"}},
            {"ph": "M", "name": "process_name", "pid": "1", "args": {"name": "server"}},
            {"ph": "X", "name": "x", **thread, "ts": 0, "dur": 1},
            {"ph": "s", "name": "f", "id": 5, **thread, "ts": 1},
            {"ph": "f", "name": "f", "id": 5, "pid": 1, "tid": 3, "ts": 9},
            {"ph": "t", "name": "f", "id": "5", "pid": 1, "tid": 4, "ts": 4},
            {"ph": "s", "name": "g", "id": 5, **thread, "ts": 2},  # another name: leads nowhere
            {"ph": "f", "name": "f", "id": 6, **thread, "ts": 2},
            {"ph": "C", "name": "heap", "pid": 1, "ts": 3, "args": {"used": 7, "free": 1.5, "note": "text"}},
        ],
    )
    assert trace.flows is not None
    arrows = zip(trace.flows.begin, trace.flows.begin_track, trace.flows.end, trace.flows.end_track, strict=True)
    assert [(b, trace.tracks[f].name, e, trace.tracks[t].name) for b, f, e, t in arrows] == [
        (1000, "worker", 4000, "4"),
        (4000, "4", 9000, "3"),
    ]
    assert {track.process for track in trace.tracks} == {"server 1"}
    assert {counter.name: counter.value.tolist() for counter in trace.counters} == {
        "1 / heap / used": [7.0],
        "1 / heap / free": [1.5],
    }


def test_one_event_is_found_in_packed_files_and_big_numbers_stay_exact(tmp_path: Path) -> None:
    head = b'[{"ph":"X","ts":1,"name":"a","args":{"padding":"' + b"x" * 5_000_000 + b'"}},'
    event = b'{"ph":"X","ts":2,"name":"b\xff","args":{"Comms Id":123456789012345678901,"n":NaN,'
    event += b'"Call stack":"a.py(1): f;b.py(2): g"}}'
    (tmp_path / "t.json.gz").write_bytes(gzip.compress(head + event + b"]", 1))
    trace = read_one(tmp_path, "t.json.gz")
    assert trace.slices is not None and trace.slices.place.tolist() == [1, len(head)]
    found = arguments(Files(str(tmp_path)), "t.json.gz", len(head))
    assert found["Comms Id"] == "123456789012345678901"
    assert found["Call stack"] == ["a.py(1): f", "b.py(2): g"]
    assert np.isnan(found["n"])
    assert len(arguments(Files(str(tmp_path)), "t.json.gz", 1)["padding"]) == 5_000_000
    assert arguments(Files(str(tmp_path)), "t.json.gz", 5) == {}
    assert arguments(Files(str(tmp_path)), "t.json.gz", 10**9) == {}


@pytest.mark.parametrize("content", [b"", b"{}", b"[]", b"no JSON", b'[{"a": 1}]', b"\x1f\x8b broken"])
def test_files_without_events_are_told(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "t.json").write_bytes(content)
    with pytest.raises(Unreadable, match=r"t\.json contains no trace events"):
        read_one(tmp_path, "t.json")
