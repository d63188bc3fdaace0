"""Merging keeps segments few without rewriting points over and over."""

from __future__ import annotations

import math
import random
from collections.abc import Iterable

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.store.segments.merging import FAN, LARGEST, merge_start


class Following:
    """A log file followed for long: a segment comes with every append, and merges happen when called for."""

    def __init__(self) -> None:
        self.segments: list[int] = []
        self.points = self.rewritten = self.most = 0

    def append(self, sizes: Iterable[int]) -> Following:
        for size in sizes:
            self.segments.append(size)
            self.points += size
            start = merge_start(self.segments)
            if start is not None:
                merged = sum(self.segments[start:])
                self.rewritten += merged
                self.segments[start:] = [merged]
            self.most = max(self.most, len(self.segments))
        return self

    def check(self) -> None:
        assert sum(self.segments) == self.points
        assert max(self.segments) <= LARGEST
        # Seven of each tier that the points can fill, and those that are too large to be merged again.
        tiers = math.ceil(math.log(min(self.points, LARGEST) + 1, FAN)) + 1
        assert self.most <= (FAN - 1) * tiers + self.points // (LARGEST // (2 * FAN))
        # Once on arrival, and once for each tier a point climbs.
        assert self.rewritten <= self.points * (1 + tiers)


@given(st.lists(st.integers(1, 5000), min_size=1, max_size=300))
def test_any_appends_leave_few_segments_and_rewrite_points_seldom(sizes: list[int]) -> None:
    Following().append(sizes).check()


def _burst(turn: int) -> int:
    """Ever larger bursts after ever more small appends: the sizes that fooled an earlier rule."""
    size = 1
    while (turn + 1) % (size * FAN) == 0 and size < 8**5:
        size *= FAN
    return size


@pytest.mark.parametrize("shape", ["single points", "few points", "any size", "bursts", "growing", "shrinking"])
def test_long_following_leaves_few_segments(shape: str) -> None:
    chance = random.Random(shape)
    sizes = {
        "single points": lambda turn: 1,
        "few points": lambda turn: chance.randint(1, 100),
        "any size": lambda turn: int(10 ** chance.uniform(0, 5)),
        "bursts": _burst,
        "growing": lambda turn: 1 + turn // 10,
        "shrinking": lambda turn: 1 + (5000 - turn) // 10,
    }[shape]

    Following().append(sizes(turn) for turn in range(5000)).check()


def test_large_segments_are_left_alone() -> None:
    assert merge_start([LARGEST] * 100) is None
    assert merge_start([LARGEST, *[1] * FAN]) == 1


def test_few_segments_are_left_alone() -> None:
    assert merge_start([]) is None
    assert merge_start([5]) is None
    assert merge_start([1] * (FAN - 1)) is None


def test_a_smaller_segment_joins_the_larger_one_after_it() -> None:
    assert merge_start([1000, 1, 1000]) == 1
