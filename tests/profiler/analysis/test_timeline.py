"""The timeline shows every slice, nothing else, and sums over ranges are exact."""

from __future__ import annotations

import struct
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.analysed import Analysed, analyse
from mindinsight_like.profiler.analysis.columns import _drawing
from mindinsight_like.profiler.analysis.reference import drawing
from mindinsight_like.profiler.traces.trace import Activity, Flows

from .made import DEVICE, HOST, LAYER, Made, slices, trace_of


def decoded(window: bytes) -> dict[tuple[int, int], list[tuple[float, float, int, int, int, int]]]:
    """By track and lane: begin, duration, name, row, count, activity of each rectangle."""
    magic, version, _, _, groups = struct.unpack_from("<4sIqqI", window)
    assert (magic, version) == (b"MITL", 1)
    heads = np.frombuffer(window, "<u4", 3 * groups, 28).reshape(-1, 3)
    total, at = int(heads[:, 2].sum()), 28 + 12 * groups
    columns = []
    for kind in ("<f8", "<f8", "<u4", "<u4", "<u4", "u1"):
        columns.append(np.frombuffer(window, kind, total, at).tolist())
        at += total * np.dtype(kind).itemsize
    assert at <= len(window) < at + 4
    assert len(window) % 4 == 0
    rectangles = iter(zip(*columns, strict=True))
    return {(track, lane): [next(rectangles) for _ in range(count)] for track, lane, count in heads.tolist()}


@settings(max_examples=200)
@given(
    made=slices(tracks=3, latest=200), begin=st.integers(-20, 210), length=st.integers(1, 300), width=st.integers(1, 60)
)
def test_every_slice_is_covered_and_nothing_is_drawn_where_none_is(
    made: list[Made], begin: int, length: int, width: int
) -> None:
    analysed = analyse(trace_of(made, (HOST, DEVICE, HOST)))
    rows, end = analysed.columns.rows, begin + length

    drawn = decoded(analysed.window(begin, end, width))

    shown, lanes, pixel = Counter[int](), analysed.columns.lanes, length / width
    for lane, (track, number) in enumerate(zip(lanes.track.tolist(), lanes.number.tolist(), strict=True)):
        members = [
            (int(rows.start[row]), int(rows.start[row] + rows.duration[row]), row)
            for row in range(lanes.bounds[lane], lanes.bounds[lane + 1])
        ]
        seen = [one for one in members if one[0] < end and (one[1] > begin or one[0] >= begin)]
        rectangles = drawn.get((track, number), [])
        for x, size, name, row, count, activity in rectangles:
            inside = [one for one in seen if x + begin <= one[0] and one[1] <= x + begin + size]
            first, last = inside[0], inside[-1]
            assert (first[0] - begin, last[1] - first[0]) == (x, size)
            assert count == len(inside) or size == 0
            assert rows.duration[row] == max(one[1] - one[0] for one in inside)
            assert (name, activity) == (analysed.columns.names_of(np.array([row]))[0], rows.activity[row])
            if count > 1:
                assert all(one[1] - one[0] < pixel for one in inside)
                assert last[0] - max(first[0], begin) <= pixel
            shown[lane] += count
        assert shown[lane] == len(seen)
        wide = {(one[0] - begin, one[1] - one[0]) for one in seen if one[1] - one[0] >= pixel}
        assert wide <= {(x, size) for x, size, _, _, count, _ in rectangles if count == 1}
        assert len(rectangles) <= 2 * width + 3


@settings(max_examples=60)
@given(seed=st.integers(0, 2**32), width=st.integers(1, 300), where=st.tuples(st.floats(0, 1), st.floats(0, 1)))
def test_levels_of_detail_change_nothing(seed: int, width: int, where: tuple[float, float]) -> None:
    random = np.random.default_rng(seed)
    gaps, lengths = (np.floor(random.pareto(1.1, 3000)).astype(np.int64).clip(0, 10**6) for _ in range(2))
    start = np.cumsum(gaps) + np.cumsum(lengths) - lengths
    levels = _drawing.pyramid(lengths)
    begin, end = sorted(int(share * (start[-1] + lengths[-1]) / 3) for share in where)
    # As if the times were of several lanes: some begin anew, some are empty.
    cuts = np.sort(random.integers(0, 3000, 4))
    bounds = np.concatenate(([0], cuts, cuts[-1:], [3000]))
    start -= np.repeat(start[np.minimum(bounds[:-1], 2999)], np.diff(bounds))
    lanes = np.array([5, 0, 4, 2])

    native = _drawing.draw(start, lengths, levels, bounds, lanes, begin, end + 1, width)
    plain = drawing.draw(start, lengths, (), bounds, lanes, begin, end + 1, width)

    for one, other in zip(native, plain, strict=True):
        np.testing.assert_array_equal(one, other)
    for one, other in zip(levels, drawing.pyramid(lengths), strict=True):
        np.testing.assert_array_equal(one, other)


@settings(max_examples=150)
@given(made=slices(), begin=st.integers(-5, 70), length=st.integers(1, 80))
def test_a_selection_sums_what_lies_inside(made: list[Made], begin: int, length: int) -> None:
    analysed = analyse(trace_of(made, (HOST, DEVICE)))
    rows, end = analysed.columns.rows, begin + length

    found = {(row["side"], row["name"]): row for row in analysed.selection(begin, end).rows}

    expected: dict[tuple[str, str], list[int]] = {}
    for row in range(len(rows)):
        start, stop = int(rows.start[row]), int(rows.start[row] + rows.duration[row])
        if start < end and (stop > begin or start >= begin):
            inside = set(range(max(start, begin), min(stop, end)))
            covered = {
                moment
                for child in np.flatnonzero(rows.parent == row)
                for moment in range(rows.start[child], rows.start[child] + rows.duration[child])
            }
            side = ("host", "device")[int(analysed.columns.tracks_of(row))]
            sums = expected.setdefault((side, analysed.columns.name_of(row)), [0, 0, 0])
            for at, value in enumerate((1, len(inside), len(inside - covered))):
                sums[at] += value
    assert {
        key: [row["count"], round(row["total"] * 1e6), round(row["self"] * 1e6)] for key, row in found.items()
    } == expected


def training() -> Analysed:
    made = [
        Made(0, 100, "step", activity=Activity.STEP),
        Made(10, 50, "aten::linear", shape="[2]"),
        Made(20, 10, "launch", activity=Activity.LAUNCH, correlation=7),
        Made(40, 30, "gemm_kernel", track=1, activity=Activity.KERNEL, correlation=7),
        Made(40, 30, "gemm_kernel", track=2, activity=Activity.KERNEL),
    ]
    return analyse(trace_of(made, (HOST, DEVICE, LAYER)))


def test_names_are_found_by_their_words_in_order_of_time() -> None:
    found = training().search("KERNEL gemm", density=10)

    assert (found.total, found.names) == (2, ["gemm_kernel"])
    assert [(row["track"], row["start_ns"], row["duration_ns"]) for row in found.rows] == [(1, 40, 30), (2, 40, 30)]
    assert found.density == [0, 0, 0, 0, 2, 0, 0, 0, 0, 0]
    assert training().search("nothing such").total == 0


def test_a_slice_tells_what_is_around_it() -> None:
    analysed = training()
    rows = {row["name"]: row["row"] for row in analysed.search("a").rows if row["track"] < 2}
    rows |= {row["name"]: row["row"] for row in analysed.search("kernel").rows[:1]}

    linear, launch, kernel = (analysed.slice(rows[name]) for name in ("aten::linear", "launch", "gemm_kernel"))

    assert [parent["name"] for parent in launch["parents"]] == ["step", "aten::linear"]
    assert [child["name"] for child in linear["children"]] == ["launch"]
    assert (linear["self"], linear["device_time"], linear["kernels"], linear["shape"]) == (4e-5, 3e-5, 1, "[2]")
    assert [work["row"] for work in launch["launched"]] == [kernel["row"]]
    assert kernel["launched_by"]["row"] == launch["row"]
    assert (kernel["step"], kernel["activity"], kernel["side"], kernel["place"]) == (1, "kernel", "device", 3)
    with pytest.raises(IndexError):
        analysed.slice(99)


def test_arrows_come_from_the_file_or_else_from_launches() -> None:
    analysed = training()

    launches = analysed.flows(0, 30).flows
    short = [np.array([number], np.int32) for number in (0, 1)]
    analysed.trace.flows = Flows(np.array([25]), short[0], np.array([50]), short[1], short[0])
    given = analysed.flows(45, 60).flows

    for (arrow,) in (launches, given):
        assert (arrow["begin_track"], arrow["begin_lane"]) == (0, 2)
        assert (arrow["end_track"], arrow["end_lane"]) == (1, 0)
        assert analysed.slice(arrow["begin_row"])["name"] == "launch"
    assert (launches[0]["begin_ns"], launches[0]["end_ns"]) == (20, 40)
    assert (given[0]["begin_ns"], given[0]["end_ns"]) == (25, 50)
    assert analysed.flows(80, 90).flows == []


def test_a_slice_has_its_own_arrows_only() -> None:
    analysed = training()
    rows = {row["name"]: row["row"] for name in ("linear", "launch") for row in analysed.search(name).rows}
    begin = np.array([12, 25, 31, 35, 99])
    tracks = [np.full(len(begin), number, np.int32) for number in (0, 1)]
    analysed.trace.flows = Flows(begin, tracks[0], np.full(5, 50), tracks[1], np.zeros(5, np.int32))

    found = {name: analysed.flows(0, 100, row=row) for name, row in rows.items()}

    # The launch lasts from 20 to 30 in the operator from 10 to 60.
    assert [arrow["begin_ns"] for arrow in found["aten::linear"].flows] == [12, 31, 35]
    assert [arrow["begin_ns"] for arrow in found["launch"].flows] == [25]
    assert found["aten::linear"].total == 3
    with pytest.raises(IndexError):
        analysed.flows(0, 100, row=99)


def test_windows_that_cannot_be_are_refused() -> None:
    for begin, end, width in ((5, 5, 10), (0, 10, 0), (0, 10, 10**9)):
        with pytest.raises(ValueError, match="window"):
            training().window(begin, end, width)
    assert decoded(training().window(-(2**80), 2**80, 100)).keys() == {(0, 0), (0, 1), (0, 2), (1, 0), (2, 0)}
    assert decoded(training().window(0, 100, 100, [1])).keys() == {(1, 0)}
