"""Runs are archived, renamed and annotated from Python, as in the page."""

from __future__ import annotations

from pathlib import Path

import pytest

import mindinsight_like as mi
from mindinsight_like.store.annotations import Annotations
from mindinsight_like.store.database.location import IndexLocation, run_id


@pytest.fixture
def runs(tmp_path: Path) -> mi.Runs:
    for name in ("old/a", "old/b", "new"):
        with mi.SummaryWriter(tmp_path / "runs" / name) as writer:
            writer.add_scalar("loss", 1.0, 1)
    return mi.open(tmp_path / "runs", workspace=tmp_path / "workspace")


def test_runs_are_arranged_together_or_one_by_one(runs: mi.Runs, tmp_path: Path) -> None:
    runs.select("old/*").archive()
    runs["old/a"].annotate(archived=False, note="after all", add_labels=["best"], owner="Ada", colour="#1f77b4")
    runs["new"].rename("newest")
    runs["new"].hide()

    annotations = Annotations(IndexLocation.of(tmp_path / "runs", tmp_path / "workspace")).of_runs()
    assert annotations[run_id("old/a")][:2] == ("after all", ("best",))
    assert annotations[run_id("old/a")].settings[:5] == ("", "#1f77b4", "Ada", False, False)
    assert annotations[run_id("old/b")].settings.is_archived
    assert annotations[run_id("new")].settings[:5] == ("newest", "", "", False, True)
