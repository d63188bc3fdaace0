"""Groups of curves beside a slow version that goes from place to place and from run to run."""

from __future__ import annotations

import math
import statistics
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.compare.aggregation import BANDS, CENTRES, aggregate, path_of, student
from mindinsight_like.compare.downsampling import downsample

POINT = st.tuples(st.integers(-20, 20), st.floats(-1e3, 1e3) | st.just(math.nan) | st.just(math.inf))
RUN = st.lists(POINT, max_size=12)


def value_at(points: list[tuple[float, float]], x: float) -> float | None:
    """What a run has at x by the rule of the documentation."""
    same = [value for place, value in points if place == x]
    if same:
        return same[0]
    before = [point for point in points if point[0] < x]
    after = [point for point in points if point[0] > x]
    if not before or not after:
        return None
    (x0, y0), (x1, y1) = max(before), min(after)
    return y0 + (y1 - y0) * (x - x0) / (x1 - x0)


def quantile(ordered: list[float], share: float) -> float:
    place = (len(ordered) - 1) * share
    below = math.floor(place)
    above = min(below + 1, len(ordered) - 1)
    return ordered[below] + (place - below) * (ordered[above] - ordered[below])


def slow(runs: list[list[tuple[int, float]]], centre: str, band: str) -> list[tuple[float, ...]]:
    cleaned = []
    for run in runs:
        finite: dict[float, list[float]] = {}
        for x, value in run:
            if math.isfinite(value):
                finite.setdefault(float(x), []).append(value)
        cleaned.append(sorted((x, statistics.fmean(values)) for x, values in finite.items()))
    found: list[tuple[float, ...]] = []
    for at in sorted({x for run in cleaned for x, _ in run}):
        values = [one for run in cleaned if (one := value_at(run, at)) is not None]
        middle = statistics.fmean(values) if centre == "mean" else statistics.median(values)
        low = high = math.nan
        if band == "minmax":
            low, high = min(values), max(values)
        elif band == "p10p90":
            low, high = (quantile(sorted(values), share) for share in (0.1, 0.9))
        elif band != "none" and len(values) > 1:
            spread = statistics.stdev(values)
            if band != "sd":
                spread /= math.sqrt(len(values))
            if band == "ci95":
                spread *= float(student(np.array([len(values) - 1]))[0])
            low, high = middle - spread, middle + spread
        found.append((at, middle, low, high, len(values)))
    return found


@given(st.lists(RUN, max_size=6), st.sampled_from(CENTRES), st.sampled_from(BANDS))
def test_groups_are_what_a_look_at_each_place_gives(runs: list[Any], centre: str, band: str) -> None:
    paths = [
        path_of(np.array([x for x, _ in run], float), np.array([value for _, value in run], float)) for run in runs
    ]
    found = aggregate(paths, centre=centre, band=band)
    rows = list(zip(found.x, found.centre, found.low, found.high, found.n, strict=True))
    assert rows == [pytest.approx(row, rel=1e-9, abs=1e-6, nan_ok=True) for row in slow(runs, centre, band)]


def test_runs_of_different_length_count_as_far_as_they_go() -> None:
    short = path_of(np.array([0, 10, 20]), np.array([0.0, 10.0, 20.0]))
    long = path_of(np.arange(0, 41, 5), np.zeros(9))
    found = aggregate([short, long], band="minmax")
    assert found.x.tolist() == [0, 5, 10, 15, 20, 25, 30, 35, 40]
    assert found.n.tolist() == [2, 2, 2, 2, 2, 1, 1, 1, 1]
    assert found.centre.tolist() == [0, 2.5, 5, 7.5, 10, 0, 0, 0, 0]
    assert found.high.tolist() == [0, 5, 10, 15, 20, 0, 0, 0, 0]


def test_large_groups_are_worked_out_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    random = np.random.default_rng(0)
    paths = [path_of(np.arange(200), random.normal(size=200)) for _ in range(7)]
    whole = aggregate(paths, centre="median", band="ci95")
    monkeypatch.setattr("mindinsight_like.compare.aggregation._CELLS_AT_ONCE", 100)
    parts = aggregate(paths, centre="median", band="ci95")
    for name in ("x", "centre", "low", "high", "n"):
        assert np.array_equal(getattr(whole, name), getattr(parts, name))
    monkeypatch.setattr("mindinsight_like.compare.aggregation._MOST_CELLS", 70)
    few = aggregate(paths)
    assert len(few.x) == 10 and few.x[0] == 0 and few.x[-1] == 199


def test_student_is_exact_enough() -> None:
    # 97.5 % points from tables of Student's distribution.
    known = {1: 12.7062047, 2: 4.3026527, 5: 2.5705818, 30: 2.0422725, 31: 2.0395134, 60: 2.0002978, 1000: 1.9623391}
    for freedom, point in known.items():
        assert float(student(np.array([freedom]))[0]) == pytest.approx(point, abs=2e-6)


NUMBER = st.floats(-10, 10) | st.just(math.nan)


@given(st.lists(st.tuples(NUMBER, NUMBER, NUMBER), max_size=400), st.integers(1, 3), st.integers(4, 100))
def test_no_extreme_of_anything_drawn_is_lost_by_downsampling(rows: list[Any], drawn: int, most: int) -> None:
    columns = list(np.array(rows, float).reshape(-1, 3).T[:drawn].copy())
    places = downsample(columns, most)
    assert (np.diff(places) > 0).all()
    assert len(places) <= max(most * 3 // 2, 2 + 3 * drawn)
    if len(rows):
        assert places[0] == 0 and places[-1] == len(rows) - 1
        for column in columns:
            finite = column[~np.isnan(column)]
            if len(finite):
                shown = column[places][~np.isnan(column[places])]
                assert shown.min() == finite.min() and shown.max() == finite.max()
            assert np.isnan(column).any() == np.isnan(column[places]).any()
