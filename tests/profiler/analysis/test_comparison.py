"""Two recordings against each other: sums by a slow version, chances by known values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.analysis.columns.columns import Columns
from mindinsight_like.profiler.analysis.operators import comparison
from mindinsight_like.profiler.analysis.operators.welch import difference_by_chance, incomplete_beta
from mindinsight_like.profiler.traces.trace import Activity

from .made import DEVICE, HOST, Made, trace_of

US = 1000
NAMES = ("conv", "matmul", "relu")


def columns_of(steps: list[dict[str, int]]) -> Columns:
    """One step after the other; in each the operators of these names one after the other, microseconds."""
    made, time = [], 0
    for number, times in enumerate(steps):
        begin = time
        for name, length in times.items():
            made.append(Made(time, length * US, name, 0))
            time += length * US
        made.append(Made(begin, time - begin + US, f"step {number}", 0, Activity.STEP))
        time += US
    return analyse(trace_of(made, [HOST])).columns


lengths = st.dictionaries(st.sampled_from(NAMES), st.integers(1, 500), min_size=1)


@settings(max_examples=60)
@given(st.lists(lengths, min_size=1, max_size=5), st.lists(lengths, min_size=1, max_size=5))
def test_means_and_contributions_are_those_of_a_slow_version(
    one: list[dict[str, int]], other: list[dict[str, int]]
) -> None:
    # Steps with half the slices of others count as cut off: here all have them all.
    one, other = ([{name: step.get(name, 1) for name in NAMES} for step in each] for each in (one, other))
    found = comparison.compare(columns_of(one), columns_of(other))
    whole = [np.mean([sum(step.values()) + 1 for step in each]) / 1000 for each in (one, other)]
    assert (found.a.time, found.b.time) == pytest.approx(tuple(whole))
    assert found.difference == pytest.approx(whole[1] - whole[0])
    for row in found.operators:
        means = [np.mean([step[row["name"]] for step in each]) / 1000 for each in (one, other)]
        assert (row["a"], row["b"], row["difference"]) == pytest.approx((*means, means[1] - means[0]))
    shares = [row["contribution"] for row in found.operators if row["contribution"] is not None]
    if shares:
        assert sum(shares) == pytest.approx(1.0)  # the rest of a step never changes
    assert (found.p_value is None) == (min(len(one), len(other)) < 3)


def test_changes_are_told_from_noise() -> None:
    noise = [0, 3, -2, 1, -1, 2]
    one = columns_of([{"conv": 100 + each, "matmul": 50 - each, "gelu": 10, "relu": 5} for each in noise])
    other = columns_of([{"conv": 180 + each, "matmul": 51 + each, "tanh": 20, "relu": 5} for each in noise])
    found = comparison.compare(one, other)
    assert {row["name"]: row["state"] for row in found.operators} == {
        "conv": "slower", "matmul": "same", "gelu": "vanished", "tanh": "appeared", "relu": "same",
    }  # fmt: skip
    assert found.is_changed
    assert [each["name"] for each in found.reasons] == ["conv", "tanh"]
    assert found.states == {"appeared": 1, "vanished": 1, "slower": 1, "faster": 0, "same": 2}
    (part,) = (each for each in found.parts if each["part"] == "compute")
    assert part["difference"] == pytest.approx(found.difference)


def test_recordings_without_steps_are_compared_as_a_whole() -> None:
    one = analyse(trace_of([Made(0, 10 * US, "conv", 0), Made(0, 5 * US, "k", 1, Activity.KERNEL)], [HOST, DEVICE]))
    other = columns_of([{"conv": 30}])
    found = comparison.compare(one.columns, other)
    assert found.per == "recording"
    assert {(row["side"], row["name"], row["state"]) for row in found.operators} == {
        ("host", "conv", "slower"), ("device", "k", "vanished"),
    }  # fmt: skip
    assert found.p_value is None


def test_chances_are_those_of_tables() -> None:
    # Student's t: two-sided 5 % at 2.228 (10 degrees of freedom) and 12.706 (1), 1 % at 3.169 (10).
    for t, freedom, p_value in ((2.228139, 10, 0.05), (12.706205, 1, 0.05), (3.169273, 10, 0.01)):
        assert incomplete_beta(freedom / (freedom + t * t), freedom / 2, 0.5) == pytest.approx(p_value, rel=1e-5)
    # As scipy.stats.ttest_ind(..., equal_var=False) gives it.
    one = np.array([27.5, 21.0, 19.0, 23.6, 17.0, 17.9, 16.9, 20.1, 21.9, 22.6, 23.1, 19.6, 19.0, 21.7, 21.4])
    other = np.array([27.1, 22.0, 20.8, 23.4, 23.4, 23.5, 25.8, 22.0, 24.8, 20.2, 21.9, 22.1, 22.9, 30.5, 24.4])
    assert difference_by_chance(one, other) == pytest.approx(0.008071938, rel=1e-6)
    assert difference_by_chance(np.full(4, 2.0), np.full(3, 2.0)) == 1.0
    assert difference_by_chance(np.full(4, 2.0), np.full(3, 2.5)) == 0.0
