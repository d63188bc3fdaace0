"""Nesting loses nothing and is exact: against the definitions, spelled out slowly."""

from __future__ import annotations

from types import ModuleType

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.columns import _grouping, _nesting
from mindinsight_like.profiler.analysis.reference import grouping as grouping_twin
from mindinsight_like.profiler.analysis.reference import nesting as nesting_twin

from .made import Made, slices

MOST = 4096


@pytest.fixture(params=[_nesting, nesting_twin], ids=["native", "twin"])
def nesting(request: pytest.FixtureRequest) -> ModuleType:
    return request.param


def columns(made: list[Made]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    start, duration = (np.array([getattr(one, key) for one in made], np.int64) for key in ("start", "duration"))
    return np.array([one.track for one in made], np.int32), start, duration


def slow_parent(made: list[Made], at: int) -> int:
    """The latest begun slice that holds this one; of equal intervals the one later in the file."""
    one = made[at]
    holding = [
        (other.start, -other.duration, place)
        for place, other in enumerate(made)
        if other.track == one.track
        and other.duration > 0
        and (other.start, -other.duration, place) < (one.start, -one.duration, at)
        and other.end >= one.end
    ]
    return max(holding)[2] if holding else -1


@settings(max_examples=150)
@given(made=slices())
def test_parents_lanes_and_self_times_follow_from_their_definitions(made: list[Made]) -> None:
    for nesting in (_nesting, nesting_twin):
        order, bounds = nesting.time_order(*columns(made), 2)
        found = nesting.nest(order, bounds, *columns(made)[1:], MOST)
        rows, starts, durations, parents, self_times, *lanes, overlapping, squeezed = found
        lane_tracks, lane_numbers, lane_bounds = lanes

        assert order.tolist() == sorted(
            range(len(made)), key=lambda at: (made[at].track, made[at].start, -made[at].duration, at)
        )
        assert sorted(rows.tolist()) == list(range(len(made)))
        assert [(made[at].start, made[at].duration) for at in rows] == list(zip(starts, durations, strict=True))
        lane_of = np.repeat(np.arange(len(lane_tracks)), np.diff(lane_bounds))
        for row, (at, parent, own) in enumerate(zip(rows.tolist(), parents.tolist(), self_times.tolist(), strict=True)):
            one, children = made[at], [made[rows[child]] for child in np.flatnonzero(parents == row)]
            assert (rows[parent] if parent >= 0 else -1) == slow_parent(made, at)
            covered = {moment for child in children for moment in range(child.start, child.end)}
            assert own == one.duration - len(covered) >= 0
            assert lane_tracks[lane_of[row]] == one.track
            if parent >= 0:
                assert parent < row
                assert lane_numbers[lane_of[row]] > lane_numbers[lane_of[parent]]
            if row and lane_of[row - 1] == lane_of[row]:
                assert made[rows[row - 1]].end <= one.start
        assert squeezed == 0
        partly = [
            any(other.track == one.track and other.start < one.start < other.end < one.end for other in made)
            for one in made
        ]
        assert bool(overlapping) == any(partly)
        assert overlapping <= sum(partly)


@settings(max_examples=100)
@given(made=slices(most=60, latest=30), most=st.sampled_from([1, 2, 3, MOST]))
def test_native_and_twin_agree_whatever_the_lanes(made: list[Made], most: int) -> None:
    both = []
    for nesting in (_nesting, nesting_twin):
        order, bounds = nesting.time_order(*columns(made), 2)
        both.append([order, bounds, *nesting.nest(order, bounds, *columns(made)[1:], most)])

    for native, plain in zip(*both, strict=True):
        np.testing.assert_array_equal(native, plain)


def test_many_open_slices_find_their_lanes(nesting: ModuleType) -> None:
    made = [Made(at, 1000) for at in range(300)] + [Made(2000 + at, 100) for at in range(300)]

    order, bounds = nesting.time_order(*columns(made), 1)
    _, _, _, parents, self_times, _, lane_numbers, lane_bounds, overlapping, _ = nesting.nest(
        order, bounds, *columns(made)[1:], MOST
    )

    assert len(lane_numbers) == 300
    assert overlapping == 299 + 299
    assert set(parents.tolist()) == {-1}
    assert sum(self_times.tolist()) == 300 * 1000 + 300 * 100
    lengths = np.diff(lane_bounds)
    assert lengths.max() == 1 + 3  # a lane is used again as soon as it is free


def test_tracks_that_do_not_exist_are_refused(nesting: ModuleType) -> None:
    with pytest.raises(ValueError, match="does not exist"):
        nesting.time_order(np.array([0, 5], np.int32), np.zeros(2, np.int64), np.zeros(2, np.int64), 2)


@settings(max_examples=60)
@given(data=st.data(), count=st.integers(0, 30))
def test_device_work_and_nearest_rows_go_up_the_tree(data: st.DataObject, count: int) -> None:
    def column(values: st.SearchStrategy[int], kind: type) -> np.ndarray:
        return np.array(data.draw(st.lists(values, min_size=count, max_size=count)), kind)

    parent = np.array([data.draw(st.integers(-1, at - 1)) for at in range(count)], np.int32)
    wanted, durations = column(st.integers(0, 1), np.uint8), column(st.integers(0, 9), np.int64)
    launched_by = column(st.integers(-1, count - 1), np.int32)

    def above(row: int) -> list[int]:
        return [row, *above(int(parent[row]))] if row >= 0 else []

    for nesting in (_nesting, nesting_twin):
        times, kernels = nesting.launched_within(parent, launched_by, durations)
        nearest = nesting.nearest(parent, wanted)

        for row in range(count):
            work = [at for at in range(count) if row in above(int(launched_by[at]))]
            assert (times[row], kernels[row]) == (sum(int(durations[at]) for at in work), len(work))
            assert nearest[row] == next((up for up in above(row) if wanted[up]), -1)
        with pytest.raises(ValueError, match="different lengths"):
            nesting.launched_within(parent, launched_by, np.zeros(count + 1, np.int64))


@settings(max_examples=60)
@given(data=st.data(), count=st.integers(0, 20))
def test_repeats_are_the_only_call_in_a_row_of_their_name(data: st.DataObject, count: int) -> None:
    def column(highest: int, kind: type) -> np.ndarray:
        return np.array(data.draw(st.lists(st.integers(0, highest), min_size=count, max_size=count)), kind)

    parent = np.array([data.draw(st.integers(-1, at - 1)) for at in range(count)], np.int32)
    is_call, group, names = column(1, np.uint8), column(2, np.int32), np.array([7, 8, 7], np.int32)
    expected = [
        row
        for row in range(count)
        if is_call[row]
        and parent[row] >= 0
        and np.count_nonzero(is_call[parent == parent[row]]) == 1
        and names[group[row]] == names[group[parent[row]]]
    ]

    for nesting in (_nesting, nesting_twin):
        assert nesting.repeats(parent, is_call, group, names).tolist() == expected


def test_trees_that_cannot_be_are_refused(nesting: ModuleType) -> None:
    backwards, nothing = np.array([1, -1], np.int32), np.zeros(2, np.uint8)
    for refused in (
        lambda: nesting.nearest(backwards, nothing),
        lambda: nesting.repeats(backwards, nothing, nothing.astype(np.int32), np.zeros(1, np.int32)),
        lambda: nesting.launched_within(backwards, np.full(2, -1, np.int32), np.zeros(2, np.int64)),
    ):
        with pytest.raises(ValueError, match="behind its child"):
            refused()
    with pytest.raises(ValueError, match="launch that does not exist"):
        nesting.launched_within(np.full(2, -1, np.int32), np.array([-1, 2], np.int32), np.zeros(2, np.int64))


@settings(max_examples=100)
@given(rows=st.lists(st.tuples(st.sampled_from([0, 1, 2, 3, -1, 2**62, -(2**63)]), st.integers(0, 3)), max_size=30))
def test_device_work_is_led_back_to_its_launch(rows: list[tuple[int, int]]) -> None:
    table = np.array(rows, np.int64).reshape(-1, 2)
    correlation, role = table[:, 0].copy(), table[:, 1].astype(np.uint8)
    expected = []
    for key, what in rows:
        calls = [(-kind, row) for row, (other, kind) in enumerate(rows) if other == key != 0 and kind in (1, 2)]
        expected.append(min(calls)[1] if calls and what == 3 else -1)

    for nesting in (_nesting, nesting_twin):
        assert nesting.launchers(correlation, role).tolist() == expected


@settings(max_examples=60)
@given(keys=st.lists(st.tuples(*(st.integers(0, 3) for _ in range(4)), st.integers(0, 99), st.integers(0, 99))))
def test_groups_sums_and_postings(keys: list[tuple[int, ...]]) -> None:
    table = np.array(keys, np.int64).reshape(-1, 6)
    side, (name, type, shape) = table[:, 0].astype(np.uint8), table[:, 1:4].T.astype(np.int32).copy()
    duration, own = table[:, 4].copy(), table[:, 5].copy()
    expected = list(dict.fromkeys(key[:4] for key in keys))
    for grouping in (_grouping, grouping_twin):
        number, group_keys = grouping.group(side, name, type, shape)
        sums = grouping.sum_groups(number, len(expected), duration, own)
        rows, bounds = grouping.postings(number, len(expected))

        assert [tuple(key) for key in zip(*(column.tolist() for column in group_keys), strict=True)] == expected
        assert number.tolist() == [expected.index(key[:4]) for key in keys]
        assert sums[1].tolist() == grouping.add_up(number, len(expected), duration).tolist()
        short = grouping.sum_groups(number, len(expected), duration, own.astype(np.int32))
        assert [column.tolist() for column in short] == [column.tolist() for column in sums]
        for at, key in enumerate(expected):
            of_key = [row for row, other in enumerate(keys) if other[:4] == key]
            times = [keys[row][4] for row in of_key]
            assert rows[bounds[at] : bounds[at + 1]].tolist() == of_key
            assert [int(column[at]) for column in sums] == [
                len(of_key), sum(times), sum(keys[row][5] for row in of_key), min(times), max(times)
            ]  # fmt: skip


@settings(max_examples=60)
@given(rows=st.lists(st.tuples(st.integers(0, 2), st.integers(0, 255), st.integers(-1, 2))))
def test_tables_are_looked_up_and_groups_agree(rows: list[tuple[int, int, int]]) -> None:
    table = np.random.default_rng(0).integers(0, 255, (3, 256), np.uint8)
    number, byte, value = (np.array([row[at] for row in rows], np.int32) for at in range(3))
    distinct = [{row[2] for row in rows if row[0] == group} for group in range(3)]

    for grouping in (_grouping, grouping_twin):
        assert grouping.look_up(number, byte.astype(np.uint8), table).tolist() == [table[row[:2]] for row in rows]
        assert grouping.agreed(number, 3, value).tolist() == [min(all_) if len(all_) == 1 else -1 for all_ in distinct]
        assert grouping.add_up(number, 3, value).tolist() == [
            sum(row[2] for row in rows if row[0] == group) for group in range(3)
        ]
        if rows:
            with pytest.raises(ValueError, match="does not exist"):
                grouping.look_up(number + 1, np.full(len(rows), 7, np.uint8), table[: int(number.max()) + 1])
            with pytest.raises(ValueError, match="does not exist"):
                grouping.agreed(number - 1 - number.max(), 3, value)


@settings(max_examples=60)
@given(data=st.data(), count=st.integers(0, 20))
def test_outermost_rows_lie_in_none_of_their_kind(data: st.DataObject, count: int) -> None:
    parent = np.array([data.draw(st.integers(-1, at - 1)) for at in range(count)], np.int32)
    kind = np.array(data.draw(st.lists(st.integers(0, 3), min_size=count, max_size=count)), np.uint8)

    for grouping in (_grouping, grouping_twin):
        rows, bounds = grouping.outermost(kind, parent, 3)

        assert len(bounds) == 4
        for number in range(3):
            assert rows[bounds[number] : bounds[number + 1]].tolist() == [
                row for row in range(count) if kind[row] == number and (parent[row] < 0 or kind[parent[row]] != number)
            ]


def test_a_hundred_thousand_groups_are_told_apart() -> None:
    name = np.tile(np.arange(100_000, dtype=np.int32), 2)
    nothing = np.zeros(len(name), np.int32)

    number, (_, names, _, _) = _grouping.group(nothing.astype(np.uint8), name, nothing, nothing)

    assert np.array_equal(number, name)
    assert np.array_equal(names, np.arange(100_000))
