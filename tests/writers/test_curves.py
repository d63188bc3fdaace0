"""Answers of classifiers are counted at thresholds as TensorBoard and VisualDL count them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.writers.encoding.curves import count_answers

ANSWERS = st.lists(
    st.tuples(st.booleans(), st.floats(0, 1, width=32), st.floats(0, 8, width=16)), min_size=1, max_size=30
)


@given(ANSWERS, st.integers(2, 20))
def test_counts_are_those_of_comparing_each_prediction(
    answers: list[tuple[bool, float, float]], thresholds: int
) -> None:
    labels, predictions, weights = (np.array(column) for column in zip(*answers, strict=True))

    found = count_answers(labels, predictions, thresholds=thresholds, weights=weights)

    for place in range(thresholds):
        is_positive = np.floor(predictions * (thresholds - 1)) >= place
        assert found.true_positives[place] == pytest.approx(weights[is_positive & labels].sum())
        assert found.false_positives[place] == pytest.approx(weights[is_positive & ~labels].sum())
        assert found.true_negatives[place] == pytest.approx(weights[~is_positive & ~labels].sum(), abs=1e-9)
        assert found.false_negatives[place] == pytest.approx(weights[~is_positive & labels].sum(), abs=1e-9)


def test_ratios_follow_from_the_counts() -> None:
    found = count_answers(np.array([1, 0, 1, 0]), np.array([0.9, 0.6, 0.4, 0.1]), thresholds=3)

    assert found.true_positives.tolist() == [2, 1, 0]
    assert found.false_positives.tolist() == [2, 1, 0]
    assert found.precision.tolist() == [0.5, 0.5, 0]
    assert found.recall.tolist() == [1, 0.5, 0]
    assert found.false_positive_rate.tolist() == [1, 0.5, 0]


def test_predictions_beyond_the_ends_count_there_and_nan_nowhere() -> None:
    found = count_answers(np.array([1, 1, 1]), np.array([1.5, -0.5, np.nan]), thresholds=2)

    assert found.true_positives.tolist() == [2, 1]


def test_shapes_must_agree() -> None:
    with pytest.raises(ValueError, match="must have the same length"):
        count_answers(np.zeros(3), np.zeros(4), thresholds=10)
    with pytest.raises(ValueError, match="at least 2 thresholds"):
        count_answers(np.zeros(3), np.zeros(3), thresholds=1)
