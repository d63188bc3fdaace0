"""The last lane of a track with more slices at a time than lanes: what is drawn, summed and found is all there is."""

from __future__ import annotations

from collections import Counter

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.analysed import Analysed, analyse
from mindinsight_like.profiler.analysis.columns.columns import MOST_LANES
from mindinsight_like.profiler.analysis.timeline.timeline import innermost

from .made import Made, trace_of
from .test_timeline import decoded

FIRST, LAST = MOST_LANES, 10**6  # between them all lanes but the last are taken

# Each begins after the one before it and ends after it, so that none is nested.
TAKEN = [Made(number, LAST, "long") for number in range(MOST_LANES - 1)]


def crowded(*, most: int = 30, latest: int = 400) -> st.SearchStrategy[list[Made]]:
    one = st.builds(
        Made,
        start=st.integers(FIRST, FIRST + latest),
        duration=st.one_of(st.integers(0, 9), st.integers(0, latest), st.just(5000)),
        name=st.sampled_from(["a", "b"]),
    )
    return st.lists(one, min_size=1, max_size=most)


def shared_rows(analysed: Analysed) -> range:
    """The rows of the last lane."""
    lanes = analysed.columns.lanes
    assert lanes.number[-1] == MOST_LANES - 1
    return range(int(lanes.bounds[-2]), int(lanes.bounds[-1]))


def touched(analysed: Analysed, begin: int, end: int) -> list[tuple[int, int, int]]:
    """Begin, end and row of those in the last lane that touch a range."""
    rows = analysed.columns.rows
    all_ = [(int(rows.start[row]), int(rows.start[row] + rows.duration[row]), row) for row in shared_rows(analysed)]
    return [one for one in all_ if one[0] < end and (one[1] > begin or one[0] >= begin)]


@settings(max_examples=25, deadline=None)  # thousands of slices take the other lanes
@given(made=crowded(), begin=st.integers(FIRST - 50, FIRST + 450), length=st.integers(1, 600), width=st.integers(1, 40))
def test_every_slice_of_a_shared_lane_is_drawn(made: list[Made], begin: int, length: int, width: int) -> None:
    analysed = analyse(trace_of([*TAKEN, *made]))
    seen, rows = touched(analysed, begin, begin + length), analysed.columns.rows

    drawn = decoded(analysed.window(begin, begin + length, width)).get((0, MOST_LANES - 1), [])

    assert sum(count for *_, count, _ in drawn) == len(seen)
    for start, end, row in seen:
        around = [one for one in drawn if one[0] + begin <= start and end <= one[0] + one[1] + begin]
        assert around
        if len(seen) <= 3 * width + 8 and end - start >= length / width:
            assert (start - begin, end - start, row, 1) in [(x, size, at, count) for x, size, _, at, count, _ in around]
    for x, size, name, row, count, activity in drawn:
        assert x + begin in {start for start, *_ in seen} and x + begin + size in {end for _, end, _ in seen}
        assert x + begin <= rows.start[row] and rows.duration[row] <= size
        assert (x + begin, size) == (rows.start[row], rows.duration[row]) or count > 1
        assert (name, activity) == (analysed.columns.names_of(np.array([row]))[0], rows.activity[row])


def test_a_crowd_is_drawn_with_no_more_rectangles_than_pixels_and_covers_what_it_covers() -> None:
    rng = np.random.default_rng(5)
    starts = np.sort(rng.integers(FIRST, FIRST + 100_000, 5000))
    lengths = rng.integers(0, 60_000, 5000)
    made = [Made(int(start), int(length)) for start, length in zip(starts, lengths, strict=True)]
    analysed = analyse(trace_of([*TAKEN, *made]))
    begin, end, width = FIRST + 30_000, FIRST + 90_000, 100
    seen = touched(analysed, begin, end)

    drawn = decoded(analysed.window(begin, end, width))[0, MOST_LANES - 1]

    assert len(drawn) <= width + 1
    assert sum(count for *_, count, _ in drawn) == len(seen) > 3 * width + 8
    pixel = (end - begin) / width
    for start, stop, _ in seen:
        left, right = (start - begin) // pixel if start >= begin else -1, stop - begin
        assert any((x // pixel if x >= 0 else -1) == left and x <= start - begin and x + size >= right
                   for x, size, *_ in drawn)  # fmt: skip


@settings(max_examples=15, deadline=None)
@given(made=crowded(most=12, latest=60), begin=st.integers(FIRST - 5, FIRST + 70), length=st.integers(1, 80))
def test_a_selection_sums_what_lies_inside_of_a_shared_lane(made: list[Made], begin: int, length: int) -> None:
    analysed = analyse(trace_of([*TAKEN, *made]))
    rows, end = analysed.columns.rows, begin + length
    expected: dict[str, Counter[str]] = {}
    for start, stop, row in touched(analysed, begin, end):
        inside = set(range(max(start, begin), min(stop, end)))
        below = np.flatnonzero(rows.parent == row)
        covered = {moment for at in below for moment in range(rows.start[at], rows.start[at] + rows.duration[at])}
        name = analysed.texts()[int(analysed.columns.names_of(np.array([row]))[0])]
        told = {"count": 1, "total": len(inside), "self": len(inside - covered)}
        expected.setdefault(name, Counter()).update(told)

    found = {row["name"]: row for row in analysed.selection(begin, end).rows if row["name"] != "long"}

    assert {
        name: (row["count"], round(row["total"] * 1e6), round(row["self"] * 1e6)) for name, row in found.items()
    } == {name: (told["count"], told["total"], told["self"]) for name, told in expected.items()}


@settings(max_examples=15, deadline=None)
@given(made=crowded(most=12, latest=60), time=st.integers(FIRST, FIRST + 150))
def test_the_innermost_slice_is_found_behind_ones_that_have_ended(made: list[Made], time: int) -> None:
    analysed = analyse(trace_of([*TAKEN, *made]))
    around = [row for start, end, row in touched(analysed, 0, 2 * LAST) if start <= time <= end]

    found = innermost(analysed.columns, 0, time)

    assert found == (around[-1] if around else shared_rows(analysed)[0] - 1)
