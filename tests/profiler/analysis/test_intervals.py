"""Unions are exact: against sets of moments."""

from __future__ import annotations

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.columns import _intervals, intervals
from mindinsight_like.profiler.analysis.reference import intervals as intervals_twin

PAIRS = st.lists(st.tuples(st.integers(0, 40), st.integers(0, 9)), max_size=12)


def moments(pairs: list[tuple[int, int]]) -> set[int]:
    return {moment for begin, length in pairs for moment in range(begin, begin + length)}


def union(pairs: list[tuple[int, int]]) -> intervals.Union:
    table = np.array(pairs, np.int64).reshape(-1, 2)
    return intervals.union(table[:, 0], table.sum(axis=1))


def covered(found: intervals.Union) -> set[int]:
    assert np.all(found.end > found.begin)
    assert np.all(found.begin[1:] > found.end[:-1])
    return moments([(int(a), int(b - a)) for a, b in zip(found.begin, found.end, strict=True)])


@settings(max_examples=200)
@given(one=PAIRS, other=PAIRS, ranges=st.lists(st.tuples(st.integers(-5, 60), st.integers(0, 60)), min_size=1))
def test_unions_are_what_sets_of_moments_are(
    one: list[tuple[int, int]], other: list[tuple[int, int]], ranges: list[tuple[int, int]]
) -> None:
    first, second = union(one), union(other)
    begin = np.array([pair[0] for pair in ranges])
    end = np.array([sum(pair) for pair in ranges])

    assert covered(first) == moments(one)
    assert covered(first | second) == moments(one) | moments(other)
    assert covered(first & second) == moments(one) & moments(other)
    assert covered(first - second) == moments(one) - moments(other)
    assert first.total == len(moments(one))
    assert first.within(begin, end).tolist() == [len(moments(one) & moments([pair])) for pair in ranges]


@settings(max_examples=100)
@given(one=PAIRS, other=PAIRS)
def test_native_and_twin_unite_alike(one: list[tuple[int, int]], other: list[tuple[int, int]]) -> None:
    columns = []
    for pairs in (one, other):
        table = np.array(sorted(pairs), np.int64).reshape(-1, 2)
        columns += [table[:, 0].copy(), table.sum(axis=1)]

    native, plain = _intervals.unite(*columns), intervals_twin.unite(*columns)

    np.testing.assert_array_equal(native, plain)
