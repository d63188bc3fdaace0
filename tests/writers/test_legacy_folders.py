"""Folders that VisualDL 1.3 wrote are read with its own reading calls."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like import LogReader


@pytest.fixture
def folder(corpus: Path) -> Path:
    return corpus / "visualdl-1.3-legacy" / "logistic"


@pytest.fixture
def expected(folder: Path) -> Any:
    return json.loads((folder / "expected.json").read_text())


def test_modes_and_tags(folder: Path) -> None:
    reader = LogReader(os.fspath(folder))

    assert reader.modes() == ["train", "default", "test"]
    with reader.mode("train") as train:
        assert train.tags("scalar") == ["scalars/loss"]
        assert train.tags("image") == ["images/digit"]
        assert train.tags("audio") == []
    assert reader.tags("scalar") == []  # of the default mode


@pytest.mark.parametrize("mode", ["train", "test"])
def test_scalars(folder: Path, expected: Any, mode: str) -> None:
    loss = LogReader(os.fspath(folder)).as_mode(mode).scalar("scalars/loss")

    assert [list(point) for point in zip(loss.ids(), loss.records(), strict=True)] == expected["scalars"][
        f"{mode}/scalars/loss"
    ]
    assert loss.size() == loss.total_records() == len(loss.timestamps())
    assert 10**9 < loss.timestamps()[0] < 10**10  # seconds


def test_texts_pictures_histograms_and_words(folder: Path, expected: Any) -> None:
    train, test = (LogReader(os.fspath(folder)).as_mode(mode) for mode in ("train", "test"))

    notes, digits, weights = train.text("text/notes"), train.image("images/digit"), train.histogram("histogram/w")

    assert [list(note) for note in zip(notes.ids(), notes.records(), strict=True)] == expected["texts"][
        "train/text/notes"
    ]
    assert [
        {
            "step": digits.record(number, 0).step_id(),
            "shape": digits.record(number, 1).shape(),
            "samples": digits.num_samples(),
        }
        for number in range(digits.num_records())
    ] == expected["images"]["train/images/digit"]
    assert all(digits.record(number, place).data().size == 192 for number in range(5) for place in range(2))
    assert [
        {
            "step": record.step(),
            "count": sum(record.instance(number).frequency() for number in range(record.num_instances())),
        }
        for record in map(weights.record, range(weights.num_records()))
    ] == expected["histograms"]["train/histogram/w"]
    assert test.embedding().get_all_labels() == [f"w{number}" for number in range(6)]
    assert test.embedding().get_dimension() == 4


def test_of_a_half_written_tablet_what_is_complete_is_read(folder: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(folder, copy, copy_function=shutil.copyfile)
    tablet = copy / "train%scalars%loss"
    tablet.write_bytes(tablet.read_bytes()[: tablet.stat().st_size // 2])

    loss = LogReader(os.fspath(copy)).as_mode("train").scalar("scalars/loss")

    assert 10 < len(loss.records()) < 40
