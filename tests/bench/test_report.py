"""Targets of the bench hold on any machine."""

from __future__ import annotations

import pytest

from tests.bench.report import Row


@pytest.mark.parametrize("unit", ["s", "ms", "CPU s", "CPU us", "wall s", "% core"])
def test_a_time_is_no_target_by_itself(unit: str) -> None:
    with pytest.raises(ValueError, match="must be a ratio to a peer or a yardstick"):
        Row("loading", unit, [1.0], limit=2.0)


def test_a_target_is_the_ratio_of_the_medians() -> None:
    assert Row("loading", "CPU s", [1.0, 2.0, 9.0], [4.0, 4.0, 1.0], ratio_limit=1 / 2).is_kept
    assert not Row("loading", "CPU s", [3.0], [4.0], ratio_limit=1 / 2).is_kept
    assert Row("spikes lost", "count", [0.0], limit=0.0).is_kept
