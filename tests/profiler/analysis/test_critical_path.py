"""The way through a step: without holes, and at every turn the one that a slow look at all slices finds."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.analysis.columns.columns import Columns
from mindinsight_like.profiler.analysis.steps import critical_path, idle
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Collectives, Place, Track
from tests.corpus import needs_mindinsight_data
from tests.profiler.recordings import traces_in

from .made import DEVICE, HOST, Made, trace_of

OTHER = Track("stream 2", "GPU", Place.DEVICE)
US = 1000
END = 400 * US

one = st.tuples(st.integers(0, 300), st.integers(0, 30), st.integers(0, 40), st.integers(1, 2), st.booleans())
wait = st.tuples(st.integers(0, 350), st.integers(0, 50))


def columns_of(works: list[tuple[int, int, int, int, bool]], waits: list[tuple[int, int]]) -> Columns:
    made = [Made(0, END, "ProfilerStep#1", 0, Activity.STEP)]
    for number, (start, early, length, stream, is_launched) in enumerate(works, 1):
        made.append(Made(start * US, length * US, f"kernel {number}", stream, Activity.KERNEL, number))
        if is_launched:
            made.append(Made(max(0, start - early) * US, US // 2, "launch", 0, Activity.LAUNCH, number))
    made += [Made(start * US, min(length * US, END - start * US), "sync", 0, Activity.WAIT) for start, length in waits]
    return analyse(trace_of(made, [HOST, DEVICE, OTHER])).columns


def slow_way(columns: Columns) -> list[tuple[str, int, int]]:
    """The rules, one after the other, over plain lists."""
    rows = columns.rows
    every = [
        (int(rows.start[row]), int(rows.start[row] + rows.duration[row]), row, int(columns.tracks_of(row)))
        for row in range(len(rows))
    ]
    work = [each for each in every if each[3] > 0 and each[1] - each[0] > 0 and each[1] <= END]
    work = [each for each in work if rows.parent[each[2]] == NOTHING]
    waits = [each for each in every if rows.activity[each[2]] == Activity.WAIT and 0 < each[1] <= END]
    work.sort(key=lambda each: (each[1], each[2]))
    waits.sort(key=lambda each: (each[1], each[2]))

    def last(table: list[Any], time: int) -> Any:
        return next((each for each in reversed(table) if each[1] <= time), None)

    way, time, now = [], END, None
    is_linked = columns.has_launches() or any(rows.activity[each[2]] == Activity.WAIT for each in every)
    if not is_linked:
        now = last(work, time)
        way.append(("gap", now[1] if now else 0, time))
        time = now[1] if now else 0
    while time > 0:
        if now is None:
            met = [(each, last(work, each[1])) for each in reversed(waits) if each[1] <= time]
            blocking = next(((each, done) for each, done in met if done and done[1] > each[0]), None)
            if blocking is None:
                way.append(("host", 0, time))
                break
            (_, wait_end, *_), done = blocking
            way += [("host", wait_end, time), ("wait", done[1], wait_end)]
            time, now = done[1], done
            continue
        start, _, row, track = now
        way.append(("compute", start, time))
        time = start
        before, any_before = last([each for each in work if each[3] == track], time), last(work, time)
        launch = int(rows.launched_by[row])
        if launch == NOTHING or rows.start[launch] > time:
            if any_before is None and is_linked:
                now = None
                continue
            way.append(("gap", any_before[1] if any_before else 0, time))
            time, now = (any_before[1], any_before) if any_before else (0, None)
            continue
        called = int(rows.start[launch] + rows.duration[launch])
        if before and before[1] > called and time - before[1] <= 10 * US:
            reason = before
        elif any_before and any_before[1] > called and time - any_before[1] <= 10 * US:
            reason = any_before
        elif before and before[1] > called:
            reason = before
        else:
            way.append(("launch", int(rows.start[launch]), time))
            time, now = int(rows.start[launch]), None
            continue
        way.append(("gap", reason[1], time))
        time, now = reason[1], reason
    return [(kind, begin, end) for kind, begin, end in way if end > begin]


@settings(max_examples=80)
@given(st.lists(one, max_size=12), st.lists(wait, max_size=4))
def test_the_way_is_that_of_a_slow_version(
    works: list[tuple[int, int, int, int, bool]], waits: list[tuple[int, int]]
) -> None:
    columns = columns_of(works, waits)
    pieces = critical_path.CriticalPath(columns, 0, END).pieces()
    assert [(each.kind, each.begin, each.end) for each in pieces] == slow_way(columns)
    assert [each.begin for each in pieces[:-1]] == [each.end for each in pieces[1:]]
    found = critical_path.report(columns, 0)
    assert sum(found.kinds.values()) == pytest.approx(found.total)
    owned = sum(each["time"] for each in found.owners)
    # Time in which slices of a thread overlap without nesting belongs to each of them.
    assert owned >= found.total - 1e-9 if columns.counts.get("overlapping") else owned == pytest.approx(found.total)


def test_owners_of_a_step_are_named() -> None:
    made = [
        Made(0, 100 * US, "ProfilerStep#7", 0, Activity.STEP),
        Made(0, 30 * US, "DataLoader", 0, Activity.DATA),
        Made(30 * US, 2 * US, "launch", 0, Activity.LAUNCH, 1),
        Made(33 * US, 2 * US, "launch", 0, Activity.LAUNCH, 2),
        Made(35 * US, 20 * US, "conv", 1, Activity.KERNEL, 1),
        Made(57 * US, 30 * US, "allreduce", 1, Activity.COMMUNICATION, 2),
        Made(40 * US, 50 * US, "cudaDeviceSynchronize", 0, Activity.WAIT),
        Made(92 * US, 8 * US, "print", 0),
    ]
    columns = analyse(trace_of(made, [HOST, DEVICE])).columns
    found = critical_path.report(columns, None)
    assert (found.step, found.number, found.total) == (0, 7, 0.1)
    assert found.kinds == pytest.approx(
        {"compute": 0.02, "communication": 0.03, "copy": 0, "launch": 0.005, "wait": 0.003, "gap": 0.002, "host": 0.04}
    )
    owners = {(each["kind"], each["name"]): each["time"] for each in found.owners}
    assert owners["host", "DataLoader"] == pytest.approx(0.03)
    assert owners["host", "print"] == pytest.approx(0.008)
    assert owners["communication", "allreduce"] == pytest.approx(0.03)
    with pytest.raises(IndexError):
        critical_path.report(columns, 1)
    assert not critical_path.has_answer(analyse(trace_of(made[:2], [HOST])).columns)


def test_work_that_begins_when_another_stream_is_done_has_waited_for_it() -> None:
    made = [
        Made(0, 100 * US, "ProfilerStep#1", 0, Activity.STEP),
        Made(0, 2 * US, "launch", 0, Activity.LAUNCH, 1),
        Made(2 * US, 2 * US, "launch", 0, Activity.LAUNCH, 2),
        Made(4 * US, 2 * US, "launch", 0, Activity.LAUNCH, 3),
        Made(10 * US, 20 * US, "backward", 1, Activity.KERNEL, 1),
        Made(12 * US, 60 * US, "allreduce", 2, Activity.COMMUNICATION, 2),
        # Launched while its own stream was busy; what it waited for is the other one.
        Made(73 * US, 20 * US, "update", 1, Activity.KERNEL, 3),
        Made(6 * US, 90 * US, "cudaDeviceSynchronize", 0, Activity.WAIT),
    ]

    found = critical_path.report(analyse(trace_of(made, [HOST, DEVICE, OTHER])).columns, None)

    assert found.kinds["communication"] == pytest.approx(0.06)
    assert found.kinds["gap"] == pytest.approx(0.001)


def test_collectives_that_are_told_apart_from_slices_fill_gaps() -> None:
    trace = trace_of(
        [Made(10 * US, 20 * US, "conv", 1, Activity.KERNEL), Made(80 * US, 10 * US, "adam", 1, Activity.KERNEL)],
        [HOST, DEVICE],
    )
    trace.collectives = Collectives(
        np.array([1, 1]), ["AllReduce"] * 2, np.array([25, 60]) * US, np.array([50, 78]) * US, ["520"] * 2
    )
    columns = analyse(trace).columns
    pieces = critical_path.CriticalPath(columns, 0, 100 * US).pieces()
    assert [(each.kind, each.begin // US, each.end // US) for each in pieces] == [
        ("gap", 90, 100), ("compute", 80, 90), ("gap", 78, 80), ("communication", 60, 78), ("gap", 50, 60),
        ("communication", 30, 50), ("compute", 10, 30), ("gap", 0, 10),
    ]  # fmt: skip
    (device,) = idle.report(columns).devices
    assert device["by_cause"]["communication"] == device["idle"] == pytest.approx(0.05)


@needs_mindinsight_data
def test_steps_of_a_device_end_with_its_last_work(corpus: Path) -> None:
    """Graphs that were sent to the device as a whole: hosts launch them at once, and wait in calls without a name."""
    for columns in (analyse(traces_in(corpus, "mindinsight-profiles/res")[rank]).columns for rank in (0, 1)):
        for step in range(3):  # those with slices
            found = critical_path.report(columns, step)
            parts = dict(zip(columns.steps.parts, columns.steps.part_times[step] / 1e6, strict=True))

            assert sum(found.kinds.values()) == pytest.approx(found.total)
            assert found.kinds["compute"] == pytest.approx(parts["compute"], rel=0.01)
            assert found.kinds["communication"] == pytest.approx(parts["communication"], rel=0.01)
            assert found.owners[0]["name"] == "Default/AllReduce-op534_0"
