"""How a log has grown, as it is kept for every file."""

from __future__ import annotations

import numpy as np
import pytest

from mindinsight_like.logs.batch import STATS, Batch, one_blob
from mindinsight_like.store.files import Pace


def batch(*series: tuple[int, int, int, float, float]) -> Batch:
    """Series with count, first and last step, first and last wall time."""
    stats = np.zeros(len(series), STATS)
    for number, row in enumerate(series):
        stats[number] = (*row[:3], 0.0, 0.0, 0.0, 0, *row[3:])
    blob = one_blob(b"\x03a", 1, 0.0)
    return Batch(**(vars(blob) | {"scalar_stats": stats}))


@pytest.mark.parametrize(
    "series", [[(5, 1, 9, 10.0, 50.0)], [(5, 2, 9, 10.0, 40.0), (3, 1, 3, 20.0, 50.0)]], ids=["one", "several"]
)
def test_batches_add_up(series: list[tuple[int, int, int, float, float]]) -> None:
    pace = Pace().with_batch(batch(*series))

    assert pace == Pace(10.0, 50.0, 1, 9, 5)
    assert Pace.unpack(pace.pack()).with_batch(batch((2, 10, 11, 60.0, 70.0))) == Pace(10.0, 70.0, 1, 11, 7)


def test_nothing_and_odd_times_change_nothing() -> None:
    pace = Pace(10.0, 50.0, 1, 9, 5)

    assert pace.with_batch(batch()) == pace
    assert pace.with_batch(batch((1, 1, 1, float("nan"), 5.0))) == pace
    assert (Pace().pack(), Pace.unpack(b"")) == (b"", Pace())
