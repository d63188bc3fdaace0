"""Gaps of streams and their causes against a slow version that looks at every gap by itself."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.analysis.steps import idle
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Place, Track

from .made import DEVICE, HOST, Made, trace_of

OTHER = Track("stream 2", "GPU", Place.DEVICE)
US = 1000

launched = st.builds(
    lambda at, early, length, stream: (at * 500, early * 700, length * 400, stream),
    st.integers(0, 60), st.integers(0, 20), st.integers(0, 12), st.integers(1, 2),
)  # fmt: skip


@given(st.lists(launched, min_size=2, max_size=12))
def test_causes_are_those_of_a_slow_version(works: list[tuple[int, int, int, int]]) -> None:
    made = []
    for number, (start, early, length, stream) in enumerate(works, 1):
        made.append(Made(start, length, "kernel", stream, Activity.KERNEL, number))
        made.append(Made(start - early, 100, "launch", 0, Activity.LAUNCH, number))
    columns = analyse(trace_of(made, [HOST, DEVICE, OTHER])).columns
    rows = columns.rows
    for track in (1, 2):
        work = idle.work_of(columns, track)
        other = idle.work_of(columns, 3 - track)
        found = idle.gaps_of(columns, work, [other], 1500)
        expected = []
        for row in work.tolist():
            before = [
                int(rows.start[one] + rows.duration[one])
                for one in work.tolist()
                if (rows.start[one], one) < (rows.start[row], row)
            ]
            start = int(rows.start[row])
            if not before or start <= max(before):
                continue
            launcher = int(rows.launched_by[row])
            ends = [int(rows.start[one] + rows.duration[one]) for one in other.tolist()]
            if launcher != NOTHING and rows.start[launcher] > max(before):
                cause = "host_late"
            elif start - max(before) <= 1500:
                cause = "kernel_gap"
            elif any(max(before) < end <= start and start - end <= 10_000 for end in ends):
                cause = "dependency"
            else:
                cause = "unknown"
            expected.append((max(before), start, cause))
        told = zip(found.begin.tolist(), found.end.tolist(), (idle.CAUSES[cause] for cause in found.cause), strict=True)
        assert sorted(told) == sorted(expected)


def test_the_host_is_named_where_it_was_late() -> None:
    made = [
        Made(0, 100 * US, "step", 0, Activity.ANNOTATION),
        Made(0, 2 * US, "launch", 0, Activity.LAUNCH, 1),
        Made(5 * US, 10 * US, "conv", 1, Activity.KERNEL, 1),
        Made(10 * US, 40 * US, "DataLoader.next", 0, Activity.DATA),
        Made(20 * US, 5 * US, "decode", 0, Activity.OPERATOR),
        Made(55 * US, 2 * US, "launch", 0, Activity.LAUNCH, 2),
        Made(60 * US, 10 * US, "matmul", 1, Activity.KERNEL, 2),
        Made(71 * US, 9 * US, "relu", 1, Activity.KERNEL, 3),
    ]
    columns = analyse(trace_of(made, [HOST, DEVICE])).columns
    found = idle.report(columns)
    (device,) = found.devices
    assert (device["busy"], device["idle"]) == (pytest.approx(0.029), pytest.approx(0.046))
    assert device["by_cause"] == pytest.approx(
        {"host_late": 0.045, "communication": 0, "dependency": 0, "kernel_gap": 0.001, "unknown": 0}
    )
    # From the end of conv at 15 to the launch at 55: 40 µs, of which decode took 5 out of the loader's 35.
    assert found.host == [
        {"name": "DataLoader.next", "time": pytest.approx(0.03), "count": 1},
        {"name": "decode", "time": pytest.approx(0.005), "count": 1},
        {"name": "step", "time": pytest.approx(0.005), "count": 1},
    ]
    longest = found.gaps[0]
    assert (longest["before"]["name"], longest["after"]["name"], longest["cause"]) == ("conv", "matmul", "host_late")
    assert not idle.has_answer(analyse(trace_of(made[:2], [HOST, DEVICE])).columns)
    assert found.floor == 0.003  # of two gaps, one of them long: the highest that is believed
