"""Hugging Face, MMEngine, Ray Tune, CatBoost, XGBoost and LightGBM against what is known of their recorded logs."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers.reader import Limits
from mindinsight_like.trackers.readers.mmengine import literals
from tests.trackers.cases import CASES
from tests.trackers.reading import Follower, compare_scalars, expected_runs, found_run, mutated, read_all

_CASES = {
    "catboost/train": Dialect.CATBOOST,
    "huggingface/newest_cut": Dialect.HUGGING_FACE,
    "huggingface/resumed": Dialect.HUGGING_FACE,
    "lightgbm/train": Dialect.LIGHTGBM,
    "mmengine/resnet": Dialect.MMENGINE,
    "ray/grid": Dialect.RAY,
    "xgboost/train": Dialect.XGBOOST,
}
_FILES = (
    "catboost/train/catboost_info/test_error.tsv",
    "huggingface/resumed/out/checkpoint-32/trainer_state.json",
    "lightgbm/train/train.log",
    "mmengine/resnet/work_dir/20261117_101010/vis_data/scalars.json",
    "mmengine/resnet/work_dir/20261117_101010/vis_data/config.py",
    "ray/grid/exp/train_e88b4_00003_3_k=2,lr=0.0100_2026-11-17_10-37-38/result.json",
    "xgboost/train/train.log",
)


@pytest.mark.parametrize("limits", [Limits(), Limits(points=7, bytes=300)], ids=["whole", "slices"])
@pytest.mark.parametrize("case", _CASES)
def test_reader_gives_what_was_logged(case: str, limits: Limits, tmp_path: Path) -> None:
    shutil.copytree(CASES / case, tmp_path / "case")
    read = read_all(tmp_path, limits)
    truth = expected_runs(CASES / case)
    wanted = [truth["one_run"]] if "one_run" in truth else [run for run in truth["runs"] if not run.get("optional")]
    for expected in wanted:
        run = found_run(read.runs, expected)
        compare_scalars(run, expected, may_have_more=bool(expected.get("damage")))
        assert run.lineage.get("params", {}) == expected["params"]
        assert bool(run.damage) == bool(expected.get("damage"))
        if expected["state"] != "unknown":
            assert run.state is not None
            assert (run.state.state, run.state.word) == (expected["state"], expected["tracker_state"])
    assert set(read.dialects.values()) == {_CASES[case]}
    assert len(read.runs) == len(wanted)


def test_a_training_of_hugging_face_is_one_run_while_it_goes_on(tmp_path: Path) -> None:
    out = tmp_path / "out"
    follower = Follower(tmp_path)
    for step in (8, 16, 24, 32):
        name = f"checkpoint-{step}"
        (out / name).mkdir(parents=True)
        follower.round()
        content = (CASES / "huggingface/resumed/out" / name / "trainer_state.json").read_bytes()
        (out / name / "trainer_state.json").write_bytes(content[:-100])
        if step > 8:
            assert follower.round().runs["out"].damage
            assert [row[0] for row in follower.runs["out"].scalars["loss"]] == [*range(4, step - 7, 4)]
        (out / name / "trainer_state.json").write_bytes(content)
        (run,) = follower.round().runs.values()
        assert [row[0] for row in run.scalars["loss"]] == [*range(4, step + 1, 4)]
        assert not run.damage
    assert [each["name"] for each in run.lineage["outputs"]] == [f"checkpoint-{step}" for step in (8, 16, 24, 32)]
    state = json.loads(content)
    state["log_history"].append({"step": 32, "train_runtime": 9.5})
    (out / "trainer_state.json").write_text(json.dumps(state))
    assert follower.round().runs["out"].scalars["train_runtime"][0][:2] == (32, 9.5)


def test_a_trial_of_ray_without_result_json_is_read_from_progress_csv(tmp_path: Path) -> None:
    (trial,) = (CASES / "ray/grid/exp").glob("train_e88b4_00001*")
    shutil.copytree(trial, tmp_path / trial.name)
    (tmp_path / trial.name / "result.json").unlink()
    (run,) = read_all(tmp_path).runs.values()
    assert [row[0] for row in run.scalars["loss"]] == [1, 2, 3, 4]
    assert run.scalars["loss"][0][2] == 1794911869.0
    assert run.lineage["tracker"]["source"] == "progress.csv"
    assert run.state is not None
    assert run.state.state == "failed"


def test_files_of_catboost_that_grow_or_start_again(tmp_path: Path) -> None:
    source = CASES / "catboost/train/catboost_info"
    follower = Follower(tmp_path)
    learn, test = ((source / f"{name}_error.tsv").read_bytes() for name in ("learn", "test"))
    for end in range(0, len(learn) + 40, 40):
        (tmp_path / "learn_error.tsv").write_bytes(learn[:end])
        (tmp_path / "test_error.tsv").write_bytes(test[: max(0, end - 60)])
        follower.round()
    (run,) = follower.round().runs.values()
    assert [row[0] for row in run.scalars["learn/RMSE"]] == list(range(25))
    assert not run.damage
    (tmp_path / "learn_error.tsv").write_text("iter\tRMSE\n0\t0.5\n")
    (run,) = follower.round().runs.values()
    assert [row[:2] for row in run.scalars["learn/RMSE"]] == [(0, 0.5)]
    assert len(run.scalars["test/RMSE"]) > 20


def test_source_of_settings_is_never_executed() -> None:
    source = b"import os\nlr = 0.1\nx = os.getcwd()\ny = dict(a=-1, b=[1, (2, 'c')], **lr)\n_z = 1\nw = {'k': None}\n"
    assert literals(source) == {"lr": 0.1, "y": {"a": -1, "b": [1, [2, "c"]]}, "w": {"k": None}}
    for hostile in (b"x = " + b"(" * 5000, b"x = " + b"-" * 50_000 + b"1", b"\0", b"x = 1" * 100_000, b"[" * 300_000):
        assert literals(hostile) == {}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("trainer_state.json", '{"global_step": 3}'),
        ("trainer_state.json", "[]"),
        ("scalars.json", '{"a": 1}\n'),
        ("result.json", '{"loss": 1.0, "accuracy": 0.5}'),
        ("result.json", "[1, 2]"),
        ("learn_error.tsv", "name\tvalue\nx\t1\n"),
        ("progress.csv", "id,percent\n1,50\n"),
        ("server.log", "[2026-11-17 10:00:00] GET /\n[12] 200\n[3]\tready: yes\n"),
        ("build.out", "[1]\tstep one: 3 files\n"),
    ],
)
def test_other_files_are_no_runs(name: str, content: str, tmp_path: Path) -> None:
    (tmp_path / name).write_text(content)
    (tmp_path / "checkpoint-8").mkdir()
    (tmp_path / "checkpoint-8/config.json").write_text("{}")
    assert not read_all(tmp_path).dialects


@settings(deadline=None, max_examples=60)
@given(
    path=st.sampled_from(_FILES),
    changes=st.lists(
        st.tuples(st.integers(0, 1 << 20), st.integers(0, 4), st.integers(0, 255)), min_size=1, max_size=4
    ),
)
def test_mutated_files_cost_nothing_else(
    path: str, changes: list[tuple[int, int, int]], tmp_path_factory: pytest.TempPathFactory
) -> None:
    base = tmp_path_factory.mktemp("mutated")
    source = CASES / path
    shutil.copytree(source.parent, base / "run" / source.parent.name)
    (base / "neighbour.csv").write_text("step,loss\n1,0.5\n")
    follower = Follower(base, Limits(bytes=200), raises=False).round()
    (base / "run" / source.parent.name / source.name).write_bytes(mutated(source.read_bytes(), changes))
    follower.round()
    assert [row[:2] for row in follower.runs["neighbour.csv"].scalars["loss"]] == [(1, 0.5)]
    Follower(base, raises=False).round()
