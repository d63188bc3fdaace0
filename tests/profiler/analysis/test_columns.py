"""What follows from columns and is not stored: against the slices themselves, looked at one by one."""

from __future__ import annotations

from collections import OrderedDict
from pathlib import Path

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.analysed import Analysed, analyse
from mindinsight_like.profiler.analysis.columns.columns import Columns
from mindinsight_like.profiler.analysis.columns.medians import median
from mindinsight_like.profiler.analysis.timeline.details import launched_within
from mindinsight_like.profiler.jobs.analysis_jobs import evict_opened
from mindinsight_like.profiler.traces.trace import Activity, Trace

from .made import DEVICE, HOST, LAYER, Made, slices, trace_of

ACTIVITIES = (Activity.OPERATOR, Activity.LAUNCH, Activity.KERNEL, Activity.PYTHON, Activity.COMMUNICATION)


@st.composite
def launching(draw: st.DrawFn) -> list[Made]:
    """Slices of two threads, a stream and rows of a tool, of which some launched others."""
    made = draw(slices(tracks=4, activities=ACTIVITIES))
    return [
        Made(
            one.start,
            one.duration,
            one.name,
            one.track,
            one.activity,
            correlation=draw(st.integers(0, 5)),
            shape=one.shape,
            type=draw(st.sampled_from(["", "x", "y"])),
        )
        for one in made
    ]


def recording(made: list[Made], tool: str = "torch") -> Trace:
    trace = trace_of(made, (HOST, HOST, DEVICE, LAYER))
    trace.tool = tool  # torch's calls may be repeats
    return trace


def above(columns: Columns, row: int) -> list[int]:
    """The row and all that hold it."""
    return [row, *above(columns, int(columns.rows.parent[row]))] if row >= 0 else []


@settings(max_examples=100)
@given(made=launching(), tool=st.sampled_from(["torch", "chrome"]))
def test_texts_of_rows_are_those_of_their_slices(made: list[Made], tool: str) -> None:
    columns = analyse(recording(made, tool)).columns
    rows, texts = np.arange(len(made)), [*columns.trace.texts, ""]
    slices_of_rows = [made[place] for place in columns.rows.place.tolist()]

    assert [columns.name_of(row) for row in rows.tolist()] == [one.name for one in slices_of_rows]
    for find, wanted in (
        (columns.names_of, [one.name for one in slices_of_rows]),
        (columns.types_of, [one.type or one.name for one in slices_of_rows]),
        (columns.shapes_of, [one.shape for one in slices_of_rows]),
    ):
        assert [texts[text] for text in find(rows[::-1])] == wanted[::-1]
        assert [texts[text] for text in find(slice(1, 3))] == wanted[1:3]
    assert columns.rows.start.tolist() == [one.start for one in slices_of_rows]
    assert columns.rows.duration.tolist() == [one.duration for one in slices_of_rows]
    assert columns.rows.activity.tolist() == [one.activity for one in slices_of_rows]


@settings(max_examples=100)
@given(made=launching(), tool=st.sampled_from(["torch", "chrome"]))
def test_device_work_is_that_of_all_launches_within(made: list[Made], tool: str) -> None:
    columns = analyse(recording(made, tool)).columns
    rows = columns.rows

    for row in range(len(rows)):
        work = [at for at in range(len(rows)) if row in above(columns, int(rows.launched_by[at]))]
        assert launched_within(columns, row).tolist() == work
        assert columns.launched.time[row] == sum(int(rows.duration[at]) for at in work)
        assert columns.launched.kernels[row] == len(work)
    assert columns.has_launches() == any(caller >= 0 for caller in rows.launched_by)


@settings(max_examples=50)
@given(made=launching())
def test_rows_of_groups_are_all_with_their_number(made: list[Made]) -> None:
    columns = analyse(recording(made)).columns
    postings = columns.postings

    for group in range(len(columns.groups.side)):
        expected = np.flatnonzero(columns.rows.group == group)
        assert postings.rows[postings.bounds[group] : postings.bounds[group + 1]].tolist() == expected.tolist()


def test_long_self_times_are_kept_whole() -> None:
    made = [Made(0, 2**40, "long"), Made(10, 5, "short"), Made(2**41, 2**31, "edge")]

    analysed = analyse(trace_of(made))
    table = {row["name"]: row["self"] for row in analysed.operators("name").rows}

    assert table == {"long": (2**40 - 5) / 1e6, "short": 5 / 1e6, "edge": 2**31 / 1e6}


def test_what_nobody_asked_for_takes_no_memory_and_the_oldest_goes_first() -> None:
    made = [Made(0, 9, activity=Activity.LAUNCH, correlation=1), Made(3, 4, track=2, correlation=1)]
    opened: OrderedDict[Path, tuple[Analysed, float]] = OrderedDict(
        (Path(name), (analyse(recording(made)), 0.0)) for name in "abc"
    )

    assert [each.columns.cached_bytes for each, _ in opened.values()] == [0, 0, 0]
    for analysed, _ in opened.values():
        analysed.operators("instance", sort="-kernels")
    each = opened[Path("a")][0].columns.cached_bytes
    assert each == 2 * (8 + 4) + 2 * 4 + 3 * 8  # times and counts of rows; rows by group and where groups begin

    evict_opened(opened, most=3, most_bytes=3 * each)
    assert list(map(str, opened)) == ["a", "b", "c"]
    evict_opened(opened, most=3, most_bytes=2 * each)
    assert list(map(str, opened)) == ["b", "c"]
    evict_opened(opened, most=1, most_bytes=2 * each)
    assert list(map(str, opened)) == ["c"]
    evict_opened(opened, most=1, most_bytes=0)
    assert list(map(str, opened)) == ["c"]


@given(values=st.lists(st.integers(-(2**61), 2**61), min_size=1))
def test_medians_are_those_of_numpy(values: list[int]) -> None:
    column = np.array(values, np.int64)

    assert median(column) == np.median(column)
    assert median([column, column[::-1]]).tolist() == np.median([column, column[::-1]], axis=0).tolist()
