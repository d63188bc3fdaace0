"""Values are counted in the buckets that each dialect uses."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.writers.encoding.histograms import (
    exponential_edges,
    mindspore_histogram,
    tensorboard_histogram,
    visualdl_histogram,
)

NUMBERS = st.lists(st.floats(width=32), min_size=1, max_size=50)


def _counted(values: list[float], edges: list[float]) -> list[int]:
    """How many lie in each bucket, the slow way."""
    return [sum(low <= value < high for value in values) for low, high in pairwise(edges)]


@given(NUMBERS)
def test_every_finite_value_is_counted_once(values: list[float]) -> None:
    found = tensorboard_histogram(np.array(values))
    finite = [value for value in values if np.isfinite(value)]

    assert found.counts.sum() == found.finite_count == len(finite)
    assert len(found.edges) == len(found.counts) + 1
    if finite:
        assert (found.minimum, found.maximum) == (min(finite), max(finite))
        assert found.counts[0] and found.counts[-1]
    others = found.nan_count + found.positive_infinities + found.negative_infinities
    assert others == len(values) - len(finite)


@given(st.lists(st.floats(-1e19, 1e19), min_size=1, max_size=20))
def test_buckets_hold_what_lies_between_their_edges(values: list[float]) -> None:
    found = tensorboard_histogram(np.array(values))

    edges = exponential_edges().tolist()
    first = edges.index(found.edges[0])
    assert found.edges.tolist() == edges[first : first + len(found.edges)]
    assert found.counts.tolist() == _counted(values, found.edges.tolist())


def test_exponential_edges_are_those_of_tensorflow() -> None:
    edges = exponential_edges()

    assert len(edges) == 1549
    assert edges[774] == 0
    assert edges[775] == 1e-12
    assert edges[776] == 1e-12 * 1.1
    assert edges[-1] < 1e20 <= edges[-1] * 1.1
    assert (edges == -edges[::-1]).all()


def test_values_beyond_the_edges_belong_to_the_outermost_buckets() -> None:
    found = tensorboard_histogram(np.array([1e30, -1e30, 0.0]))

    assert found.counts[[0, -1]].tolist() == [1, 1]
    assert found.maximum == 1e30


@pytest.mark.parametrize("bins", ["auto", "fd", 7, [0.0, 0.5, 1.0]])
def test_other_rules_are_those_of_numpy(bins: Any) -> None:
    values = np.linspace(0, 1, 100)

    found = tensorboard_histogram(values, bins=bins)

    counts, edges = np.histogram(values, bins)
    assert found.counts.tolist() == counts.tolist()
    assert found.edges.tolist() == edges.tolist()


def test_buckets_are_joined_when_there_are_too_many() -> None:
    found = tensorboard_histogram(np.arange(100), bins=50, max_bins=10)

    assert found.counts.tolist() == [10] * 10


def test_no_values_and_no_numbers_are_refused() -> None:
    with pytest.raises(ValueError, match="at least one value"):
        tensorboard_histogram(np.array([]))
    with pytest.raises(TypeError, match="not complex128"):
        tensorboard_histogram(np.array([1j]))


def test_visualdl_has_buckets_of_equal_width() -> None:
    found = visualdl_histogram(np.array([0.0, 1.0, 1.5, 10.0, np.nan]))

    assert found.edges.tolist() == np.linspace(0, 10, 11).tolist()
    assert found.counts.tolist() == [1, 2, 0, 0, 0, 0, 0, 0, 0, 1]


@pytest.mark.parametrize(
    ("count", "buckets"), [(1, 2), (5, 2), (6, 3), (10, 3), (11, 2), (99, 10), (880, 89), (5000, 90)]
)
def test_mindspore_has_as_many_buckets_as_it_finds_right(count: int, buckets: int) -> None:
    assert len(mindspore_histogram(np.arange(count)).counts) == buckets


def test_mindspore_counts_what_is_not_finite() -> None:
    found = mindspore_histogram(np.array([np.nan, np.inf, np.inf, -np.inf]))

    assert (found.nan_count, found.positive_infinities, found.negative_infinities) == (1, 2, 1)
    assert found.finite_count == 0
    assert len(found.counts) == 1
