"""`mi.open`: the runs of a folder as tables."""

from __future__ import annotations

import base64
import json
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import mindinsight_like as mi
from mindinsight_like.errors import NotFound
from mindinsight_like.tables.timestamps import time_column


def test_scalars_are_every_point_that_was_written(corpus: Path, tmp_path: Path) -> None:
    folder = corpus / "tensorboard-torch" / "train"
    expected = json.loads((folder / "expected.json").read_text())["scalars"]

    table = mi.open(folder, workspace=tmp_path).scalars()

    assert list(table.columns) == ["run", "tag", "step", "wall_time", "value"]
    assert set(table["run"]) == {"."}
    for tag, points in expected.items():
        rows = table[table["tag"] == tag]
        assert list(zip(rows["step"], rows["value"], strict=True)) == [(point[0], point[1]) for point in points]


def test_runs_and_tags_can_be_chosen(corpus: Path, tmp_path: Path) -> None:
    runs = mi.open(corpus / "visualdl-2.5" / "nested", workspace=tmp_path)

    table = runs.scalars(tag="loss", run=["exp1/train", "exp2"])

    assert list(dict.fromkeys(table["run"])) == ["exp1/train", "exp2"]
    assert table["value"].tolist() == [0.0, 1.0, 2.0, 3.0, 2.0, 3.0, 4.0, 5.0]
    assert len(runs) == 4
    with pytest.raises(Exception, match="no run 'nothing'"):
        runs.scalars(run="nothing")


def test_curves_that_share_run_and_tag_have_a_source(corpus: Path, tmp_path: Path) -> None:
    table = mi.open(corpus / "tensorboardx" / "everything", workspace=tmp_path).scalars(tag="all/pair")

    assert set(table["source"]) == {"sin", "cos"}


def test_table_has_a_row_per_run_with_its_counts(corpus: Path, tmp_path: Path) -> None:
    table = mi.open(corpus / "mindspore-2.10" / "sweep", workspace=tmp_path).table().set_index("run")

    assert list(table.index) == [f"run_{letter}" for letter in "abcdef"]
    assert table.loc["run_a", "scalars"] == 2
    assert table.loc["run_c", "tensors"] == 0
    assert (table["dialects"] == "mindspore").all()


def test_an_empty_folder_gives_empty_tables(tmp_path: Path) -> None:
    (tmp_path / "runs").mkdir()

    runs = mi.open(tmp_path / "runs", workspace=tmp_path / "workspace")

    assert len(runs) == 0
    assert runs.table().empty
    assert runs.scalars().empty


def test_a_missing_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match=r"nowhere does not exist"):
        mi.open(tmp_path / "nowhere", workspace=tmp_path)


def test_runs_are_a_collection_by_name(corpus: Path, tmp_path: Path) -> None:
    runs = mi.open(corpus / "visualdl-2.5" / "nested", workspace=tmp_path)

    assert runs.names == sorted(runs.names)
    assert [run.name for run in runs] == runs.names
    assert len(runs) == len(runs.names) == 4
    assert "exp2" in runs
    assert "exp3" not in runs
    assert runs["exp2"].name == runs[runs.names.index("exp2")].name == "exp2"
    assert runs["exp2"] in runs
    with pytest.raises(KeyError, match=r"no run 'exp 2' in .*; did you mean 'exp2'"):
        runs["exp 2"]
    with pytest.raises(IndexError):
        runs[4]


def test_a_run_has_the_tables_of_itself_only(corpus: Path, tmp_path: Path) -> None:
    runs = mi.open(corpus / "visualdl-2.5" / "nested", workspace=tmp_path)
    whole = runs.scalars(tag="loss")

    run = runs["exp1/train"]

    assert set(run.scalars(tag="loss")["run"]) == {"exp1/train"}
    assert run.scalars()["value"].tolist() == whole[whole["run"] == "exp1/train"]["value"].tolist()
    assert run.table()["run"].tolist() == run.lineage()["run"].tolist() == ["exp1/train"]
    assert len(run) == 1


def test_patterns_choose_runs_and_tags(corpus: Path, tmp_path: Path) -> None:
    runs = mi.open(corpus, workspace=tmp_path)
    sweep = [name for name in runs.names if name.startswith("mindspore-2.10/sweep/")]

    assert runs.select("mindspore-2.10/sweep/*").names == sweep
    assert set(runs.scalars(tag="lo?s", run="visualdl-2.5/nested/*")["tag"]) == {"loss"}
    assert set(runs.images(tag="*image*")["tag"]) <= {tag for tag in runs.images()["tag"] if "image" in tag}
    with pytest.raises(KeyError, match="no run 'mindspore-9"):
        runs.select("mindspore-9*")


def test_a_name_with_the_signs_of_a_pattern_is_meant_literally(tmp_path: Path) -> None:
    with mi.SummaryWriter(str(tmp_path / "runs" / "a[1]")) as writer:
        writer.add_scalar("grad[0]", 1.0, 0)
        writer.add_scalar("grad0", 2.0, 0)
    runs = mi.open(tmp_path / "runs", workspace=tmp_path / "workspace")

    assert runs.scalars(tag="grad[0]", run="a[1]")["value"].tolist() == [1.0]
    assert runs.scalars(tag="grad[0-9]")["value"].tolist() == [2.0]


def test_a_misspelt_tag_is_told_with_what_may_be_meant(corpus: Path, tmp_path: Path) -> None:
    runs = mi.open(corpus / "visualdl-2.5" / "nested", workspace=tmp_path)

    with pytest.raises(NotFound, match="no run has the scalars tag 'lss'; did you mean 'loss'"):
        runs.scalars(tag="lss")
    with pytest.raises(NotFound, match="no run has the scalars tag 'x\\*'"):
        runs.scalars(tag=["loss", "x*"])


def test_tags_are_listed_with_their_kind_and_reach(corpus: Path, tmp_path: Path) -> None:
    runs = mi.open(corpus / "tensorboard-torch", workspace=tmp_path)

    tags = runs.tags(run="train")

    points = runs.scalars(run="train").groupby("tag", observed=True)["step"].agg(["size", "min", "max"])
    scalars = tags[tags["kind"] == "scalars"].set_index("tag")[["count", "first_step", "last_step"]]
    assert scalars.sort_index().to_numpy().tolist() == points.sort_index().to_numpy().tolist()
    assert set(runs.tags("loss*", kind="scalars")["kind"]) == {"scalars"}
    with pytest.raises(ValueError, match="unknown kind 'scalar'"):
        runs.tags(kind="scalar")


def test_every_time_is_of_one_type(corpus: Path, tmp_path: Path) -> None:
    runs = mi.open(corpus, workspace=tmp_path)

    tables = {
        "scalars": runs.scalars(run="tensorboard-torch/train")["wall_time"],
        "images": runs.images()["wall_time"],
        "created": runs.table()["created_at"],
        "updated": runs.table()["updated_at"],
        "lineage": runs.lineage()["created_at"],
        "hparams": runs.hparams()["started_at"],
        "profiles": runs.profiles()["started_at"],
        "nothing": runs["tensorboard-torch/train"].hparams()["ended_at"],
    }

    assert {str(column.dtype) for column in tables.values()} == {"datetime64[ns, UTC]"}


@given(st.floats(-9e9, 9e9))
def test_times_come_back_as_the_floats_that_were_logged(seconds: float) -> None:
    (time,) = time_column([seconds])

    assert abs(time.value / 1e9 - seconds) <= max(1e-9, np.spacing(abs(seconds)))


def test_a_time_out_of_reach_is_missing() -> None:
    assert time_column([float("nan"), float("inf"), 1e300, -1e11, None]).isna().all()


def test_notebooks_show_runs_pictures_and_sounds(corpus: Path, tmp_path: Path) -> None:
    runs = mi.open(corpus / "tensorboardx", workspace=tmp_path)
    picture, sound = runs.images()["image"].iloc[0], runs.audio()["sound"].iloc[0]

    shown = runs._repr_html_()

    assert all(f"<td>{name}</td>" in shown for name in runs.names)
    assert base64.b64decode(picture._repr_mimebundle_()["image/png"]) == picture.read()
    assert base64.b64encode(sound.read()).decode() in sound._repr_mimebundle_()["text/html"]


def test_names_of_runs_are_no_markup_in_notebooks(tmp_path: Path) -> None:
    folder = tmp_path / "<b>bold</b>"
    with mi.SummaryWriter(str(folder / "<i>run</i>")) as writer:
        writer.add_scalar("loss", 1.0, 0)

    shown = mi.open(folder, workspace=tmp_path / "workspace")._repr_html_()

    assert "<b>bold" not in shown
    assert "<i>run" not in shown


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, mindinsight_like; print(*{'flask', 'pandas', 'numpy', 'sqlite3', 'google'} & set(sys.modules))"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert loaded.strip() == ""
