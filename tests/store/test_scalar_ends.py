"""Ends and reach of scalars over many runs, on both databases."""

from __future__ import annotations

import numpy as np

from mindinsight_like.store.database.location import run_id

from .conftest import Index
from .making import WALL, GrowingLog


def _log(run: str, name: str = "events.out.tfevents.1.host") -> GrowingLog:
    return GrowingLog(f"{run}/{name}")


def test_several_scalars_of_all_runs_are_read_at_once(index: Index) -> None:
    index.grow(_log("a"), [("loss", 0, 3.0), ("loss", 1, 1.0), ("acc", 0, 0.5)])
    index.grow(_log("b"), [("loss", 0, 2.0), ("loss", 1, float("nan"))])
    index.grow(_log("c"), [("loss", 0, 5.0)])
    index.grow(_log("c", "events.out.tfevents.2.host"), [("loss", 1, 4.0)])

    read = index.reader.scalar_ends.of_tags(["loss", "acc", "missing"])

    loss = dict(zip(read["loss"].runs, read["loss"].ends.tolist(), strict=True))
    assert loss.keys() == {run_id("a"), run_id("b")}
    assert loss[run_id("a")] == [1.0, 1.0, 3.0]
    np.testing.assert_array_equal(loss[run_id("b")], [float("nan"), 2.0, 2.0])
    assert read["loss"].unclear == [run_id("c")]
    assert (read["acc"].runs, read["acc"].ends.tolist()) == ([run_id("a")], [[0.5, 0.5, 0.5]])
    assert (read["missing"].runs, read["missing"].unclear) == ([], [])


def test_reach_leaves_scalars_of_a_single_point_out(index: Index) -> None:
    index.grow(_log("a"), [("hp_metric", 0, -1.0), ("loss", 7, 3.0), ("loss", 9, 1.0), ("acc", 8, 0.5), ("acc", 12, 1)])
    index.grow(_log("b"), [("hp_metric", 0, -1.0)])

    reaches = index.reader.scalar_ends.reaches([run_id("a"), run_id("b")])

    assert reaches == {run_id("a"): (7, 12, WALL + 1, WALL + 4)}
