"""Extremes of buckets and smoothing, on the native module and on its Python twin."""

from __future__ import annotations

import importlib
import math
import os
from itertools import pairwise
from types import ModuleType
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.store.reference import curves as curves_twin

_TWIN_ONLY = os.environ.get("MINDINSIGHT_TWIN") == "1"
VALUES = st.lists(st.one_of(st.floats(width=32), st.sampled_from([0.0, -0.0, 1.0, math.nan, math.inf])), max_size=40)
DTYPES = st.sampled_from([np.float32, np.float64])


@pytest.fixture(params=["twin", "native"], scope="module")
def curves(request: pytest.FixtureRequest) -> ModuleType:
    if request.param == "twin":
        return curves_twin
    if _TWIN_ONLY:
        pytest.skip("MINDINSIGHT_TWIN=1 asks for the Python twin alone")
    return importlib.import_module("mindinsight_like.store.segments._curves")


def _slow_envelope(values: list[float], begin: int, end: int) -> tuple[int, int, int]:
    finite = [at for at in range(begin, end) if math.isfinite(values[at])]
    odd = [at for at in range(begin, end) if not math.isfinite(values[at])]
    low = min(finite, key=lambda at: values[at], default=-1)
    high = max(finite, key=lambda at: values[at], default=-1)
    return low, high, odd[0] if odd else -1


def _slow_smooth(values: list[float], weight: float) -> list[float]:
    """Each average from its definition: earlier values count less, all weights add up to one."""
    smoothed: list[float] = []
    for at, value in enumerate(values):
        if not math.isfinite(value):
            smoothed.append(value)
            continue
        before = [other for other in values[: at + 1] if math.isfinite(other)][::-1]
        weights = [weight**age for age in range(len(before))]
        smoothed.append(math.fsum(map(float.__mul__, weights, before)) / math.fsum(weights))
    return smoothed


@given(values=VALUES, dtype=DTYPES, data=st.data())
def test_envelopes_are_exact(
    curves: ModuleType, values: list[float], dtype: type[np.floating[Any]], data: st.DataObject
) -> None:
    bounds = sorted(data.draw(st.lists(st.integers(0, len(values)), min_size=1, max_size=6)))

    lows, highs, odds = curves.envelope(np.array(values, dtype), np.array(bounds, np.int64))

    slow = [_slow_envelope(values, begin, end) for begin, end in pairwise(bounds)]
    assert list(zip(lows.tolist(), highs.tolist(), odds.tolist(), strict=True)) == slow
    assert lows.dtype == highs.dtype == odds.dtype == np.int64


@given(
    values=st.lists(st.one_of(st.floats(-1e6, 1e6, width=32), st.just(math.nan), st.just(-math.inf)), max_size=30),
    dtype=DTYPES,
    weight=st.floats(0.0, 0.999),
)
def test_smoothing_follows_its_definition(
    curves: ModuleType, values: list[float], dtype: type[np.floating[Any]], weight: float
) -> None:
    smoothed = curves.smooth(np.array(values, dtype), weight)

    assert smoothed.dtype == np.float64
    np.testing.assert_allclose(smoothed, _slow_smooth(values, weight), rtol=1e-9, atol=1e-6)


@pytest.mark.skipif(_TWIN_ONLY, reason="MINDINSIGHT_TWIN=1 asks for the Python twin alone")
@pytest.mark.parametrize("weight", [0.0, 0.3, 0.6, 0.99, 0.999])
def test_both_smooth_to_the_last_bit(weight: float) -> None:
    native = importlib.import_module("mindinsight_like.store.segments._curves")
    values = np.random.default_rng(3).normal(size=50_000).astype(np.float32)
    values[::97] = np.nan

    np.testing.assert_array_equal(native.smooth(values, weight), curves_twin.smooth(values, weight))


def test_without_weight_nothing_changes(curves: ModuleType) -> None:
    values = np.array([3.0, np.nan, -np.inf, 0.1])

    np.testing.assert_array_equal(curves.smooth(values, 0.0), values)


def test_a_constant_stays_constant(curves: ModuleType) -> None:
    values = np.full(100, 0.7)
    values[3] = np.nan

    np.testing.assert_array_equal(curves.smooth(values, 0.95), values)


@pytest.mark.parametrize(
    "values",
    [
        np.arange(10, dtype=np.float64)[::2],
        np.arange(10, dtype=np.float32)[::-1],
        np.arange(10, dtype=np.int32),
        np.frombuffer(np.arange(4, dtype=np.float32).tobytes(), np.float32),
    ],
    ids=["every other", "backwards", "integers", "read-only"],
)
def test_any_column_is_accepted(curves: ModuleType, values: npt.NDArray[Any]) -> None:
    lows, highs, _ = curves.envelope(values, np.array([0, len(values)]))

    assert (lows[0], highs[0]) == (values.argmin(), values.argmax())
    assert curves.smooth(values, 0.0).tolist() == values.tolist()


@pytest.mark.parametrize("bounds", [[-1, 2], [0, 4], [2, 1], [0, 3, 2], []])
def test_bounds_outside_the_curve_are_refused(curves: ModuleType, bounds: list[int]) -> None:
    with pytest.raises(ValueError):
        curves.envelope(np.zeros(3), np.array(bounds, np.int64))


@pytest.mark.parametrize("weight", [1.0, -0.1, math.nan])
def test_a_weight_outside_its_range_is_refused(curves: ModuleType, weight: float) -> None:
    with pytest.raises(ValueError):
        curves.smooth(np.zeros(3), weight)
