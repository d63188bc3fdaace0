"""A writer that announces where it takes training up again (`purge_step`)."""

from __future__ import annotations

from pathlib import Path

import pytest

import mindinsight_like as mi

BEGIN = 1_760_000_000.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Ten steps of two tags, then a writer that starts anew at step 5 and has logged only one of them so far."""
    folder = tmp_path / "runs"
    with mi.SummaryWriter(folder) as writer:
        for step in range(10):
            writer.add_scalar("loss", step, step, walltime=BEGIN + step)
            writer.add_scalar("accuracy", step, step, walltime=BEGIN + step)
    with mi.SummaryWriter(folder, purge_step=5, filename_suffix=".resumed") as writer:
        writer.add_scalar("loss", 50.0, 5, walltime=BEGIN + 100)
    return folder


def test_nothing_from_that_step_on_is_shown_of_any_tag(folder: Path, tmp_path: Path) -> None:
    table = mi.open(folder, workspace=tmp_path / "workspace").scalars()

    values = {tag: rows["value"].tolist() for tag, rows in table.groupby("tag", observed=True)}
    assert values == {"loss": [0.0, 1.0, 2.0, 3.0, 4.0, 50.0], "accuracy": [0.0, 1.0, 2.0, 3.0, 4.0]}


def test_everything_is_still_there(folder: Path, tmp_path: Path) -> None:
    table = mi.open(folder, workspace=tmp_path / "workspace").scalars(resume="all")

    assert len(table[table["tag"] == "loss"]) == 11
    assert len(table[table["tag"] == "accuracy"]) == 10


def test_a_tag_that_is_written_beside_it_keeps_its_points(folder: Path, tmp_path: Path) -> None:
    with mi.SummaryWriter(folder, filename_suffix=".beside") as writer:
        for step in range(3, 8):
            writer.add_scalar("speed", step, step, walltime=4_000_000_000.0 + step)  # after the announcement

    table = mi.open(folder, workspace=tmp_path / "workspace").scalars(tag="speed")

    assert table["step"].tolist() == [3, 4, 5, 6, 7]
