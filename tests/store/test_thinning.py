"""Thinned curves keep what the eye must not miss, against a slow and obvious version."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.logs.batch import BLOCK_POINTS
from mindinsight_like.store.resuming import Points, Range
from mindinsight_like.store.segments import Floats, Ints
from mindinsight_like.store.thinning import kept_positions

from .making import part

_values = st.floats(-10, 10).map(lambda value: round(value, 1)) | st.sampled_from([math.nan, math.inf, -math.inf])
_curves = st.lists(st.lists(_values, max_size=30), min_size=1, max_size=4)


def _points(values: list[list[float]] | list[Floats]) -> Points:
    places = np.cumsum([0, *map(len, values)])
    return Points([part(place + np.arange(len(each)), each) for place, each in zip(places, values, strict=False)])


def _some_ranges(draw: st.DataObject, size: int) -> list[Range]:
    cuts = sorted(draw.draw(st.lists(st.integers(0, size), max_size=6)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return [(low, high) for low, high in pairs if high > low] or [(0, size)] * (size > 0)


def _check(values: Floats, shown: Ints, kept: Ints, most: int) -> None:
    """What holds for every thinned curve."""
    assert kept.tolist() == sorted(set(kept.tolist()) & set(shown.tolist()))
    assert len(kept) <= most
    if len(shown) <= most:
        assert len(kept) == len(shown)
        return
    assert kept[0] == shown[0]
    assert kept[-1] == shown[-1]
    finite = values[shown][np.isfinite(values[shown])]
    found = values[kept][np.isfinite(values[kept])]
    if len(finite):
        assert found.min() == finite.min()
        assert found.max() == finite.max()
    assert bool(len(finite) < len(shown)) == bool(len(found) < len(kept))


@settings(max_examples=150)
@given(_curves, st.integers(5, 40), st.data())
def test_extremes_ends_and_odd_values_of_a_curve_are_kept(
    curve: list[list[float]], most: int, data: st.DataObject
) -> None:
    points = _points(curve)
    ranges = _some_ranges(data, len(points))
    values = np.concatenate([np.array(each, float) for each in curve])
    shown = np.concatenate([np.arange(low, high) for low, high in ranges] or [np.zeros(0, int)])
    has_odd = not np.isfinite(values).all()

    kept = kept_positions(points, ranges, most=most, has_odd=has_odd)

    _check(values, shown, kept, most)


@settings(max_examples=200)
@given(_curves, st.integers(1, 8))
def test_every_bucket_keeps_its_own_first_last_smallest_largest_and_odd_point(
    curve: list[list[float]], buckets: int
) -> None:
    points = _points(curve)
    values = np.concatenate([np.array(each, float) for each in curve])
    most = 5 * buckets

    kept = set(kept_positions(points, [(0, len(values))] * (len(values) > 0), most=most, has_odd=True).tolist())

    if len(values) <= most:
        return
    bounds = [len(values) * place // buckets for place in range(buckets + 1)]
    for low, high in pairwise(bounds):
        bucket = range(low, high)
        finite = [at for at in bucket if math.isfinite(values[at])]
        odd = [at for at in bucket if not math.isfinite(values[at])]
        wanted = {low, high - 1} | ({min(odd)} if odd else set())
        if finite:
            wanted |= {min(finite, key=lambda at: (values[at], at)), min(finite, key=lambda at: (-values[at], at))}
        assert wanted == {at for at in kept if low <= at < high}


_BIG = 5 * BLOCK_POINTS * 4 * 10  # large enough for ten buckets made of blocks


@settings(max_examples=25)
@given(
    st.lists(st.integers(0, _BIG), max_size=5),
    st.lists(st.integers(0, _BIG), max_size=6),
    st.integers(0, 2**32),
    st.booleans(),
)
def test_large_buckets_keep_exact_extremes(parts: list[int], cuts: list[int], seed: int, has_odd: bool) -> None:
    chance = np.random.default_rng(seed)
    values = np.round(chance.normal(size=_BIG), 2)
    if has_odd:
        values[chance.integers(0, _BIG, 3)] = [math.nan, math.inf, -math.inf]
    points = _points(np.split(values, sorted(parts)))
    borders = sorted(cuts)
    ranges = [(low, high) for low, high in zip(borders[::2], borders[1::2], strict=False) if high > low]
    ranges = ranges or [(0, _BIG)]
    shown = np.concatenate([np.arange(low, high) for low, high in ranges])

    for most in (5, 20, 50):
        kept = kept_positions(points, ranges, most=most, has_odd=has_odd)

        _check(values, shown, kept, most)


@pytest.mark.parametrize("most", [4, 40, 1000])
@pytest.mark.parametrize("road", ["points", "blocks"])
def test_a_single_spike_is_always_kept(road: str, most: int) -> None:
    size = {"points": max(2000, 500 * most), "blocks": BLOCK_POINTS * 5 * max(most // 4, 1)}[road]
    chance = np.random.default_rng(most)
    for at in chance.integers(0, size, 5).tolist():
        values = np.zeros(size)
        values[at] = 1.0
        points = _points(np.split(values, sorted(chance.integers(0, size, 3))))

        kept = kept_positions(points, [(0, size)], most=most, has_odd=False)

        assert at in kept
        assert len(kept) <= most


@pytest.mark.parametrize("most", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [10, 100_000])
def test_very_few_points_are_never_more_than_asked_for(size: int, most: int) -> None:
    points = _points([np.sin(np.arange(size))])

    kept = kept_positions(points, [(0, size)], most=most, has_odd=True)

    assert 1 <= len(kept) <= most
    assert kept[0] == 0
