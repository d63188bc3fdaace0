"""CSV files of training libraries against what is known of them: whole, growing, rewritten, damaged; and other CSVs."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.trackers.reader import Limits
from tests.trackers.cases import CASES
from tests.trackers.reading import Follower, compare_scalars, expected_runs, found_run, mutated, read_all

_CASES = {
    "fastai/linear": Dialect.FASTAI,
    "keras/csv_logger": Dialect.KERAS_CSV,
    "lightning/versions": Dialect.LIGHTNING_CSV,
    "sb3/ppo": Dialect.STABLE_BASELINES,
    "ultralytics/detect": Dialect.ULTRALYTICS,
    "ultralytics/half_row": Dialect.ULTRALYTICS,
}
_FILES = (
    "fastai/linear/history.csv",
    "keras/csv_logger/run1/training.log",
    "lightning/versions/lightning_logs/version_0/metrics.csv",
    "sb3/ppo/logs/progress.csv",
    "sb3/ppo/logs/progress.json",
    "sb3/ppo/monitor.monitor.csv",
    "ultralytics/detect/runs/detect/train/results.csv",
)


@pytest.mark.parametrize("limits", [Limits(), Limits(points=7, bytes=300)], ids=["whole", "slices"])
@pytest.mark.parametrize("case", _CASES)
def test_reader_gives_what_was_logged(case: str, limits: Limits, tmp_path: Path) -> None:
    shutil.copytree(CASES / case, tmp_path / "case")
    read = read_all(tmp_path, limits)
    for expected in expected_runs(CASES / case)["runs"]:
        run = found_run(read.runs, expected)
        if not expected["path"].startswith("tb_logs/"):  # whose points TensorBoard's files hold
            compare_scalars(run, expected, may_have_more=bool(expected.get("damage")))
        if expected["params"]:
            assert run.lineage["params"] == expected["params"]
        assert run.state is None
        assert not run.damage
    others = {name: each for name, each in read.dialects.items() if each != _CASES[case] and "/growing/" not in name}
    assert not others


def test_columns_of_lightning_shift(tmp_path: Path) -> None:
    shutil.copytree(CASES / "lightning/versions/growing", tmp_path / "stages")
    metrics = tmp_path / "logs/metrics.csv"
    metrics.parent.mkdir()
    follower = Follower(tmp_path / "logs")
    for stage in expected_runs(CASES / "lightning/versions")["runs"]:
        if not stage["path"].startswith("growing/"):
            continue
        metrics.write_bytes((tmp_path / "stages" / stage["name"]).read_bytes())
        (run,) = follower.round().runs.values()
        compare_scalars(run, stage)
        assert not run.damage


def test_columns_of_stable_baselines_grow(tmp_path: Path) -> None:
    progress = tmp_path / "progress.csv"
    follower = Follower(tmp_path)
    header, *rows = ["time/total_timesteps,loss", "64,0.5", "128,0.25", "192,0.125"]
    for count in range(1, 4):
        progress.write_text("\n".join([header, *rows[:count]]) + "\n")
        (run,) = follower.round().runs.values()
        assert [row[0] for row in run.scalars["loss"]] == [64, 128, 192][:count]
    progress.write_text("\n".join([f"{header},late", *(f"{row}," for row in rows), "256,0.0625,7"]) + "\n")
    (run,) = follower.round().runs.values()
    assert [row[:2] for row in run.scalars["loss"]] == [(64, 0.5), (128, 0.25), (192, 0.125), (256, 0.0625)]
    assert [row[:2] for row in run.scalars["late"]] == [(256, 7.0)]
    assert not run.damage


@pytest.mark.parametrize("path", [name for name in _FILES if not name.endswith(".json")])
def test_a_file_that_grows_byte_by_byte_comes_to_what_one_load_gives(path: str, tmp_path: Path) -> None:
    content = (CASES / path).read_bytes()
    file = tmp_path / "live" / Path(path).name
    file.parent.mkdir()
    follower = Follower(file.parent)
    for end in [*range(0, len(content), 23), len(content)]:
        with file.open("ab") as opened:
            opened.write(content[file.stat().st_size if file.exists() else 0 : end])
        follower.round()
    shutil.copytree(file.parent, tmp_path / "whole")
    whole = read_all(tmp_path / "whole")
    assert _told(follower) == _told(whole)
    assert not any(run.damage for run in follower.runs.values())


def _told(read: Follower) -> dict[str, dict[str, str]]:
    return {name: {tag: repr(rows) for tag, rows in run.scalars.items()} for name, run in read.runs.items()}


def test_a_file_that_is_being_rewritten_loses_nothing(tmp_path: Path) -> None:
    metrics = tmp_path / "metrics.csv"
    follower = Follower(tmp_path)
    metrics.write_text("epoch,loss,step\n0,0.5,1\n0,0.25,2\n")
    follower.round()
    before = repr(follower.runs)
    os.truncate(metrics, 0)
    assert repr(follower.round().runs) == before
    metrics.write_text("epoch,loss,step\n0,0.5,1\n0,0.25,2\n0,0.125,3\n")
    (run,) = follower.round().runs.values()
    assert [row[0] for row in run.scalars["loss"]] == [1, 2, 3]


def test_damaged_rows_are_named_and_cost_nothing_else(tmp_path: Path) -> None:
    (tmp_path / "log.csv").write_text(
        "step,loss,acc\n1,0.5,0.1\n1,,\n1,,\n1,,\n1,,\n2,0.4\n3,0.3,0.3\n4,0.2x,0.4\nx,0.1,0.5\n6,,None\nstep,loss,acc\n7,nan,-inf\n"
    )
    (run,) = read_all(tmp_path).runs.values()
    assert [row[0] for row in run.scalars["loss"]] == [1, 3, 7]
    assert [row[0] for row in run.scalars["acc"]] == [1, 3, 4, 7]
    assert sorted(each.message for each in run.damage) == [
        "a row has no step: x,0.1,0.5",
        "a row has not 3 cells as the header has: 2,0.4",
        "loss is no number: 0.2x",
    ]


@pytest.mark.parametrize(
    "content",
    [
        "step,loss\n1,0.5\n2,0.25\n",
        "step;loss\r\n1;0.5\r\n2;0.25\r\n",
        "\ufeffloss\tStep\n0.5\t1\n0.25\t2\n",
        '"step","loss"\n"1","0.5"\n"2","0.25"\n',
        "               step,               loss\n                  1,                0.5\n 2,  0.25\n",
        ",step,loss\n0,1,0.5\n1,2,0.25\n",
        "Wall time,Step,loss\n1700000000.5,1,0.5\n1700000001.5,2,0.25\n",
    ],
)
def test_plain_files_with_steps_are_runs(content: str, tmp_path: Path) -> None:
    (tmp_path / "some.csv").write_text(content)
    read = read_all(tmp_path)
    assert list(read.dialects.values()) == [Dialect.CSV]
    (run,) = read.runs.values()
    assert [row[:2] for row in run.scalars["loss"]] == [(1, 0.5), (2, 0.25)]
    assert list(run.scalars) == ["loss"]
    assert not run.damage
    if "Wall" in content:
        assert [row[2] for row in run.scalars["loss"]] == [1700000000.5, 1700000001.5]


@pytest.mark.parametrize(
    "content",
    [
        "id,name,price\n1,chair,20\n2,table,80\n",
        "sepal_length,sepal_width,species\n5.1,3.5,setosa\n",
        "recipe,step,minutes\n1,1,5\n1,2,9\n2,1,4\n",
        "step,prompt,answer\n1,how are you,well\n2,and now,better\n",
        "step,loss\n",
        "step,loss\n1,0.5",
        "step\n1\n2\n",
        "epoch,value\n0.5,1\n0.7,2\n",
        "1,2,3\n4,5,6\n",
        "epoch,note\n1,good\n2,bad\n",
        "step,timestamp\n1,1700000000\n2,1700000001\n",
        "",
        "\0\0\0\0\n\0\0",
        "{}\n",
    ],
)
def test_other_files_are_no_runs(content: str, tmp_path: Path) -> None:
    for name in ("data.csv", "metrics.csv", "results.csv", "progress.csv", "training.log", "monitor.csv"):
        (tmp_path / name).write_text(content)
    assert not read_all(tmp_path).dialects


def test_tags_of_yaml_are_never_executed(tmp_path: Path) -> None:
    (tmp_path / "metrics.csv").write_text("epoch,loss,step\n0,0.5,1\n")
    target = tmp_path / "made"
    (tmp_path / "hparams.yaml").write_text(f"lr: 0.1\nx: !!python/object/apply:os.mkdir ['{target}']\n")
    (run,) = read_all(tmp_path).runs.values()
    assert run.lineage["params"] == {"lr": 0.1, "x": [str(target)]}
    assert not target.exists()
    (tmp_path / "hparams.yaml").write_text("a: [\n")
    (run,) = read_all(tmp_path).runs.values()
    assert [each.message.partition(":")[0] for each in run.damage] == ["hparams.yaml"]
    assert len(run.scalars["loss"]) == 1


def test_files_of_tensorboard_beside_metrics_win(tmp_path: Path) -> None:
    shutil.copytree(CASES / "lightning/versions/lightning_logs/version_0", tmp_path / "run")
    (tmp_path / "run/events.out.tfevents.1.host.1.0").write_bytes(b"")
    (run,) = read_all(tmp_path).runs.values()
    assert not run.scalars
    assert run.lineage["tracker"] == {"name": "lightning", "source": "TensorBoard"}
    assert run.lineage["params"]["width"] == 8


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
    file = base / "run" / Path(path).name
    file.parent.mkdir()
    content = (CASES / path).read_bytes()
    file.write_bytes(content)
    (base / "neighbour.csv").write_text("step,loss\n1,0.5\n")
    follower = Follower(base, Limits(bytes=200), raises=False).round()
    file.write_bytes(mutated(content, changes))
    follower.round()
    assert [row[:2] for row in follower.runs["neighbour.csv"].scalars["loss"]] == [(1, 0.5)]
    fresh = Follower(base, raises=False).round()
    for name, run in fresh.runs.items():
        for rows in run.scalars.values():
            assert all(isinstance(step, int) and -(1 << 53) <= step <= 1 << 53 for step, _, _ in rows), name
