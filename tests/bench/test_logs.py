"""The bench measures what it says: its logs hold exactly the curves it means to write."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from mindinsight_like.logs.kinds import Dialect, parse_key
from mindinsight_like.logs.scanner import Scanner

from .logs import make_logs, values_of, wall_times_of
from .shapes import FLAVOURS, SPIKE, Flavour, Shape

DIALECTS = {
    "tb": Dialect.TENSORBOARD,
    "tb2": Dialect.TENSORBOARD,
    "ms": Dialect.MINDSPORE,
    "vdl": Dialect.VISUALDL,
}


@pytest.mark.parametrize("flavour", FLAVOURS)
def test_every_flavour_holds_the_same_curves(tmp_path: Path, flavour: Flavour) -> None:
    shape = Shape("test", runs=1, tags=2, steps=17_000, spike_step=16_500)  # steps of one, two and three varint digits

    folder = make_logs(tmp_path, shape, flavour)

    steps = np.arange(1, shape.steps + 1)
    for number, name in enumerate(shape.run_names):
        [log] = (folder / name).iterdir()
        scanner = Scanner(DIALECTS[flavour])
        scanner.feed(log.read_bytes(), at_end=True)
        batch = scanner.take()
        tags = [parse_key(batch.keys[series]).tag for series in batch.scalar_numbers]
        assert not batch.damage
        assert tags == shape.tag_names
        np.testing.assert_array_equal(batch.steps, np.tile(steps, shape.tags))
        np.testing.assert_array_equal(batch.values, values_of(shape, number, steps).T.ravel())
        np.testing.assert_allclose(batch.walls, np.tile(wall_times_of(number, steps), shape.tags), rtol=0, atol=1e-3)
        assert (batch.values == SPIKE).sum() == shape.tags


def test_logs_are_made_once(tmp_path: Path) -> None:
    shape = Shape("test", runs=1, tags=1, steps=2)
    [log] = (make_logs(tmp_path, shape, "tb") / shape.run_names[0]).iterdir()
    before = log.stat().st_mtime_ns

    make_logs(tmp_path, shape, "tb")

    assert log.stat().st_mtime_ns == before
