"""The file for Perfetto holds every slice and arrow to the nanosecond, and nothing that such viewers would drop."""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from decimal import Decimal
from typing import Any

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.analysed import Analysed, analyse
from mindinsight_like.profiler.jobs.chrome_json import chrome_json
from mindinsight_like.profiler.traces.trace import Activity, Flows
from tests.profiler.analysis.made import DEVICE, HOST, Made, slices, trace_of

ORIGIN = 1_794_790_512_099_000_901  # as of today, and no multiple of what floats can tell apart


def events_of(analysed: Analysed) -> list[dict[str, Any]]:
    text = b"".join(chrome_json(analysed.columns))
    found: list[dict[str, Any]] = json.loads(text, parse_float=Decimal)["traceEvents"]
    return found


def nanoseconds(microseconds: Decimal) -> int:
    return int(microseconds * 1000)


@settings(max_examples=100)
@given(made=slices(tracks=3))
def test_slices_that_overlap_stand_on_threads_of_their_own(made: list[Made]) -> None:
    analysed = analyse(trace_of(made, (HOST, DEVICE, HOST)))
    analysed.trace.origin = ORIGIN

    events = events_of(analysed)

    names = {event["tid"]: event["args"]["name"] for event in events if event["name"] == "thread_name"}
    tracks = [track.name for track in analysed.trace.tracks]
    written: Counter[tuple[str, str, int, int]] = Counter()
    threads: defaultdict[int, list[tuple[int, int]]] = defaultdict(list)
    for event in events:
        if event["ph"] == "X":
            begin, took = nanoseconds(event["ts"]) - ORIGIN, nanoseconds(event["dur"])
            written[names[event["tid"]], event["name"], begin, took] += 1
            threads[event["tid"]].append((begin, begin + took))
    assert written == Counter((tracks[one.track], one.name, one.start, one.duration) for one in made)
    for members in threads.values():
        for at, (begin, end) in enumerate(members):
            for other_begin, other_end in members[at + 1 :]:
                is_apart = other_end <= begin or end <= other_begin
                is_within = begin <= other_begin <= other_end <= end or other_begin <= begin <= end <= other_end
                assert is_apart or is_within


@settings(max_examples=20)
@given(times=st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90)), min_size=1, max_size=5))
def test_arrows_lie_exactly_on_their_slices(times: list[tuple[int, int]]) -> None:
    analysed = analyse(trace_of([Made(0, 100, "call"), Made(0, 100, "kernel", track=1)], (HOST, DEVICE)))
    begin, end = np.array(times).T
    host, device = np.zeros(len(times), np.int32), np.ones(len(times), np.int32)
    analysed.trace.flows = Flows(begin, host, end, device, np.zeros(len(times), np.int32))
    analysed.trace.origin = ORIGIN

    events = events_of(analysed)

    ends = {(e["id"], e["ph"]): (e["tid"], nanoseconds(e["ts"]) - ORIGIN) for e in events if e["ph"] in ("s", "f")}
    assert [(ends[at, "s"], ends[at, "f"]) for at in range(len(times))] == [((0, a), (1, b)) for a, b in times]


def test_launches_are_arrows_where_the_recording_has_none() -> None:
    made = [
        Made(20, 10, "launch", activity=Activity.LAUNCH, correlation=7),
        Made(40, 30, "gemm", track=1, activity=Activity.KERNEL, correlation=7),
    ]

    events = events_of(analyse(trace_of(made, (HOST, DEVICE))))

    assert [(e["ph"], e["tid"], e["ts"]) for e in events if e["ph"] in ("s", "f")] == [
        ("s", 0, Decimal("0.020")),
        ("f", 1, Decimal("0.040")),
    ]
