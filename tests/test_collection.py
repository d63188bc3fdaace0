"""`mi.open`: the runs of a folder as tables."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import mindinsight_like as mi


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
    with pytest.raises(FileNotFoundError, match=r"there is no folder .*nowhere"):
        mi.open(tmp_path / "nowhere", workspace=tmp_path)


def test_importing_the_package_loads_nothing_heavy() -> None:
    code = "import sys, mindinsight_like; print(*{'flask', 'pandas', 'numpy', 'sqlite3', 'google'} & set(sys.modules))"

    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout

    assert loaded.strip() == ""
