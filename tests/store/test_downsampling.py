"""Downsampled curves keep what the eye must not miss, against a slow and obvious version."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.logs.batch import BLOCK_POINTS
from mindinsight_like.store.segments.downsampling import downsample
from mindinsight_like.store.segments.segments import Floats, Ints
from mindinsight_like.store.series.curve_view import View, default_view, full_view
from mindinsight_like.store.series.points import Points

from .making import part

_values = st.floats(-10, 10).map(lambda value: round(value, 1)) | st.sampled_from([math.nan, math.inf, -math.inf])
_curves = st.lists(st.lists(_values, max_size=30), min_size=1, max_size=4)


def _points(values: Sequence[list[float] | Floats]) -> Points:
    places = np.cumsum([0, *map(len, values)])
    return Points([part(place + np.arange(len(each)), each) for place, each in zip(places, values, strict=False)])


Range = tuple[int, int]


def downsample_positions(points: Points, ranges: list[Range], *, most: int, has_odd: bool) -> Ints:
    """Positions of the kept points of some ranges."""
    lows, highs = np.array(ranges, np.int64).reshape(-1, 2).T
    view = View(points, lows, highs)
    return view.positions(downsample(view, most=most, has_odd=has_odd))


def _some_ranges(draw: st.DataObject, size: int) -> list[Range]:
    cuts = sorted(draw.draw(st.lists(st.integers(0, size), max_size=6)))
    pairs = zip(cuts[::2], cuts[1::2], strict=False)
    return [(low, high) for low, high in pairs if high > low] or [(0, size)] * (size > 0)


def _check(values: Floats, shown: Ints, kept: Ints, most: int) -> None:
    """What holds for every downsampled curve."""
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

    kept = downsample_positions(points, ranges, most=most, has_odd=has_odd)

    _check(values, shown, kept, most)


@settings(max_examples=200)
@given(_curves, st.integers(1, 8))
def test_every_bucket_keeps_its_own_first_last_smallest_largest_and_odd_point(
    curve: list[list[float]], buckets: int
) -> None:
    points = _points(curve)
    values = np.concatenate([np.array(each, float) for each in curve])
    most = 5 * buckets

    kept = set(downsample_positions(points, [(0, len(values))] * (len(values) > 0), most=most, has_odd=True).tolist())

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
        kept = downsample_positions(points, ranges, most=most, has_odd=has_odd)

        _check(values, shown, kept, most)


@settings(max_examples=60)
@given(
    size=st.integers(6 * BLOCK_POINTS, 60 * BLOCK_POINTS),
    parts=st.lists(st.integers(0, 60 * BLOCK_POINTS), min_size=1, max_size=8),
    most=st.integers(1, 60),
    late=st.integers(0, 5),
    seed=st.integers(0, 2**32),
)
@pytest.mark.parametrize("shape", ["noise", "fall", "odd"])
def test_the_same_points_are_kept_however_segments_divide_them(
    shape: str, size: int, parts: list[int], most: int, late: int, seed: int
) -> None:
    chance = np.random.default_rng(seed)
    values = -np.arange(size, dtype=float) if shape == "fall" else np.round(chance.normal(size=size), 1)
    if shape == "odd":
        values[chance.integers(0, size, 3)] = [math.nan, math.inf, -math.inf]
    steps = np.arange(size)
    steps[chance.integers(0, size, late)] = chance.integers(0, size, late)  # some come late, or again
    cuts = sorted(cut % (size + 1) for cut in parts)
    window = sorted(chance.integers(-10, size + 10, 2).tolist())

    def kept(borders: list[int]) -> list[list[int]]:
        pieces = zip(np.split(steps, borders), np.split(values, borders), strict=True)
        points = Points([part(*piece) for piece in pieces])
        shown, _ = default_view(points).between(*window)
        views = [default_view(points), full_view(points), shown]
        return [
            view.positions(downsample(view, most=most, has_odd=shape == "odd")).tolist() for view in views if len(view)
        ]

    assert kept(cuts) == kept([])


@pytest.mark.parametrize("most", [4, 40, 1000])
@pytest.mark.parametrize("road", ["points", "blocks"])
def test_a_single_spike_is_always_kept(road: str, most: int) -> None:
    size = {"points": max(2000, 500 * most), "blocks": BLOCK_POINTS * 5 * max(most // 4, 1)}[road]
    chance = np.random.default_rng(most)
    for at in chance.integers(0, size, 5).tolist():
        values = np.zeros(size)
        values[at] = 1.0
        points = _points(np.split(values, sorted(chance.integers(0, size, 3))))

        kept = downsample_positions(points, [(0, size)], most=most, has_odd=False)

        assert at in kept
        assert len(kept) <= most


@pytest.mark.parametrize("most", [1, 2, 3, 4])
@pytest.mark.parametrize("size", [10, 100_000])
def test_very_few_points_are_never_more_than_asked_for(size: int, most: int) -> None:
    points = _points([np.sin(np.arange(size))])

    kept = downsample_positions(points, [(0, size)], most=most, has_odd=True)

    assert 1 <= len(kept) <= most
    assert kept[0] == 0


@settings(max_examples=25)
@given(st.integers(0, 2**32), st.integers(1, 40), st.booleans())
def test_late_points_are_downsampled_in_the_order_of_steps(seed: int, late: int, is_large: bool) -> None:
    """Values depend on steps alone, so the kept points are those of a curve that was written in order."""
    chance = np.random.default_rng(seed)
    size, most = (BLOCK_POINTS * 4 * 10 + 5, 40) if is_large else (3000, 100)
    order = np.arange(size)
    for at in chance.integers(0, size, late).tolist():
        order = np.append(np.delete(order, at), order[at])
    curve = np.round(chance.normal(size=size), 2)
    points = Points([part(order, curve[order])])
    view = default_view(points)

    kept = downsample(view, most=most, has_odd=False)

    assert view.superseded == 0
    assert view.values().tolist() == curve.tolist()
    _check(curve, np.arange(size), kept, most)
    assert points.steps(view.positions(kept)).tolist() == kept.tolist()
