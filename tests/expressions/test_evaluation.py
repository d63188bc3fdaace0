"""Expressions over scalars: what they compute, compared with numpy over all points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from mindinsight_like.expressions.derived import Part, derived_series
from mindinsight_like.store.result_types import Curve
from mindinsight_like.store.segments.curves import smooth

STEPS = np.arange(0, 100, dtype=np.int64)


def curve(tag: str, steps: NDArray[np.int64], values: NDArray[Any], *, run: str = "r", source: str = "") -> Curve:
    values = values.astype(np.float64)
    walls = 1e9 + steps.astype(np.float64)
    return Curve(run, tag, source, len(steps), 0, True, False, steps, walls, values, None, [0], 1e9)


def computed(expression: str, *curves: Curve, baseline: str = "", part: Part | None = None) -> list[Curve]:
    def read(runs: object, tags: object) -> list[Curve]:
        return [each for each in curves if each.run in runs and each.tag in tags]  # type: ignore[operator]

    return derived_series(read, ["r"], [f"={expression}"], baseline, part or Part())


def test_curves_are_combined_where_steps_match() -> None:
    a = curve("a", STEPS, np.sin(STEPS))
    b = curve("b", STEPS[::3], STEPS[::3] + 1.0)

    [ratio] = computed("a / b", a, b)

    assert ratio.steps.tolist() == STEPS[::3].tolist()
    np.testing.assert_array_equal(ratio.values, np.sin(STEPS[::3]) / (STEPS[::3] + 1.0))
    assert ratio.tag == "=a / b" and ratio.total_points == 34


def test_an_average_is_over_all_points_of_its_curve_before_steps_are_matched() -> None:
    a, b = curve("a", STEPS, np.cos(STEPS)), curve("b", STEPS[::5], np.ones(20))

    [average] = computed("ema(a, 0.9) * b", a, b)

    np.testing.assert_array_equal(average.values, smooth(np.cos(STEPS), 0.9)[::5])


def test_division_by_zero_and_logs_of_negative_numbers_are_not_finite() -> None:
    a = curve("a", STEPS[:3], np.array([-1.0, 0.0, 1.0]))

    [quotient] = computed("a / 0", a)
    [logarithm] = computed("log(a)", a)

    np.testing.assert_array_equal(quotient.values, [-np.inf, np.nan, np.inf])
    np.testing.assert_array_equal(logarithm.values, [np.nan, -np.inf, 0.0])


def test_a_difference_is_to_the_baseline_at_the_same_steps() -> None:
    own, base = curve("a", STEPS, STEPS * 2.0), curve("a", STEPS[10:], STEPS[10:] * 1.0, run="base")

    [difference] = computed("delta(a)", own, base, baseline="base")
    [twice] = computed("delta(delta(a) * 2)", own, base, baseline="base")

    assert difference.steps.tolist() == STEPS[10:].tolist()
    np.testing.assert_array_equal(difference.values, STEPS[10:])
    np.testing.assert_array_equal(twice.values, 2.0 * STEPS[10:])


def test_what_several_writers_log_stays_apart() -> None:
    curves = [curve("a", STEPS, STEPS + at, source=source) for at, source in enumerate(("x", "y"))]

    derived = computed("a * b", *curves, curve("b", STEPS, np.full(100, 2.0)))

    assert [(each.source, each.values[0]) for each in derived] == [("x", 0.0), ("y", 2.0)]


def test_a_run_without_a_tag_has_no_curve() -> None:
    assert computed("a + missing", curve("a", STEPS, np.zeros(100))) == []


@pytest.mark.parametrize("max_points", [10, 33])
def test_parts_are_smoothed_over_all_points_and_keep_extremes(max_points: int) -> None:
    values = np.random.default_rng(1).normal(size=100)
    values[57] = 99.0

    [part] = computed("a * 1", curve("a", STEPS, values), part=Part(20, 80, max_points, 0.8))

    assert part.total_points == 61 and part.downsampled and len(part.steps) <= max_points
    assert 99.0 in part.values
    assert part.smoothed is not None
    np.testing.assert_array_equal(part.smoothed, smooth(values, 0.8)[part.steps])
