"""Logs of training libraries in the index: as they were recorded, and beside files that hold the same points."""

from __future__ import annotations

import math
import shutil
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.loader.following import SliceLimits
from tests.trackers.cases import CASES
from tests.trackers.reading import expected_runs, number

from .logs import Loading, answers, assert_same, tensorboard_records, write

_CASES = (
    "catboost/train",
    "fastai/linear",
    "huggingface/newest_cut",
    "huggingface/resumed",
    "keras/csv_logger",
    "lightgbm/train",
    "lightning/versions",
    "mmengine/resnet",
    "ray/grid",
    "sb3/ppo",
    "text/torchtitan",
    "ultralytics/detect",
    "ultralytics/half_row",
    "xgboost/train",
)


@pytest.mark.parametrize("limits", [SliceLimits(), SliceLimits(bytes=700, points=20, keys=3)], ids=["whole", "slices"])
@pytest.mark.parametrize("case", _CASES)
def test_a_recorded_case_is_answered_as_it_was_logged(
    base_dir: Path, tmp_path: Path, case: str, limits: SliceLimits
) -> None:
    shutil.copytree(CASES / case, base_dir / "case")
    truth = expected_runs(CASES / case)
    wanted = [truth["one_run"]] if "one_run" in truth else [each for each in truth["runs"] if not each.get("optional")]
    loading = Loading(base_dir, tmp_path / "workspace", limits=limits)
    try:
        loading.round()
        assert len(loading.runs()) == len(wanted)
        for expected in wanted:
            _compare(loading, expected)
        once = answers(loading.reader)
        loading.restart()
        loading.round()
        assert_same(once, answers(loading.reader))
    finally:
        loading.close()


def _compare(loading: Loading, expected: dict[str, Any]) -> None:
    place = f"case/{expected['path']}"
    candidates = [place, place.rpartition("/")[0], f"case/{expected['name']}"]
    name = next(each for each in candidates if each in loading.runs())
    (run,) = (each for each in loading.reader.runs.find()[1] if each.name == name)
    precision = expected.get("precision", 0.0)
    for tag, rows in expected["scalars"].items():
        if tag in expected.get("optional_tags", ()):
            continue
        read = loading.points(name, tag, resume="all")
        assert [step for step, _ in read] == [row[0] for row in rows], tag
        for (_, value), row in zip(read, rows, strict=True):
            truth = number(row[1])
            assert repr(value) == repr(truth) or math.isclose(value, truth, rel_tol=precision), tag
    if expected["state"] != "unknown":
        assert (run.status.state, run.status.word) == (expected["state"], expected["tracker_state"])


def test_files_with_the_same_points_are_read_by_nobody_else(loading: Loading, base_dir: Path) -> None:
    shutil.copytree(CASES / "catboost/train/catboost_info", base_dir / "catboost_info")
    (trial,) = (CASES / "ray/grid/exp").glob("train_e88b4_00000*")
    shutil.copytree(trial, base_dir / "trial")
    shutil.copytree(CASES / "sb3/ppo/logs", base_dir / "ppo")
    write(base_dir / "ppo/events.out.tfevents.1.host.1.0", tensorboard_records("rollout/ep_rew_mean", range(3)))
    shutil.copytree(CASES / "lightning/versions/lightning_logs/version_0", base_dir / "version_0")
    write(base_dir / "version_0/events.out.tfevents.1.host.1.0", tensorboard_records("val/loss", range(3)))
    loading.round()
    assert loading.runs() == ["catboost_info", "ppo", "trial", "version_0"]
    dialects = {run.name: run.dialects for run in loading.reader.runs.find()[1]}
    assert dialects == {
        "catboost_info": ["catboost"],
        "ppo": ["stable-baselines3"],
        "trial": ["ray"],
        "version_0": ["lightning", "tensorboard"],
    }
    assert loading.steps("version_0", "val/loss") == [0, 1, 2]


def test_files_that_are_written_whole_each_time_double_no_points(loading: Loading, base_dir: Path) -> None:
    stages = expected_runs(CASES / "lightning/versions")["runs"]
    for stage in (each for each in stages if each["path"].startswith("growing/")):
        write(base_dir / "logs/metrics.csv", (CASES / "lightning/versions" / stage["path"]).read_bytes())
        loading.round()
        for tag, rows in stage["scalars"].items():
            assert loading.points("logs", tag, resume="all") == [(row[0], row[1]) for row in rows]
    for step in (8, 16, 24, 32):
        state = f"out/checkpoint-{step}/trainer_state.json"
        content = (CASES / "huggingface/resumed" / state).read_bytes()
        write(base_dir / state, content[: len(content) // 2])
        loading.round()
        write(base_dir / state, content)
        loading.round()
        assert loading.steps("out", "loss") == list(range(4, step + 1, 4))
    assert loading.runs() == ["logs", "out"]
    assert not any(run.warnings for run in loading.reader.runs.find()[1])
