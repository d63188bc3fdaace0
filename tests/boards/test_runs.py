"""Runs, their files and their tags."""

from __future__ import annotations

import json
import math

import pytest

import mindinsight_like as mi
from mindinsight_like import LogWriter
from mindinsight_like.writers.encoding import tensorboard


def names(answer):
    return [run["name"] for run in answer["runs"]]


def test_a_run_says_what_it_is(board):
    board.log("lenet/seed 1", "loss", [1.0, 0.5])
    board.load()

    (run,) = board.get("runs")["runs"]
    size = sum(file.stat().st_size for file in (board.settings.summary_base_dir / "lenet/seed 1").iterdir())

    assert run["name"] == "lenet/seed 1"
    assert run["dialects"] == ["tensorboard"]
    assert run["bytes"] == size
    assert run["counts"]["scalars"] == 1
    assert run["warnings"] == []
    assert run["warning_count"] == 0
    assert (run["has_lineage"], run["has_profile"], run["note"], run["labels"]) == (False, False, "", [])


def test_a_run_has_the_name_that_its_writer_gave_it(board):
    folder = board.settings.summary_base_dir / "first"
    with LogWriter(str(folder), display_name="学习率 0.1") as writer:
        writer.add_scalar("loss", 1.0, 0)
    board.load()
    assert [(run["name"], run["display_name"]) for run in board.get("runs")["runs"]] == [("first", "学习率 0.1")]

    with LogWriter(file_name=writer.file_name) as again:
        again.add_meta(display_name="second name")
    board.load()

    assert [run["display_name"] for run in board.get("runs")["runs"]] == ["second name"]


def test_names_given_by_visualdl_itself_are_known(corpus, tmp_path):
    runs = mi.open(corpus / "visualdl-2.5", workspace=tmp_path)
    expected = json.loads((corpus / "visualdl-2.5" / "train" / "expected.json").read_text())["display_name"]

    assert runs["train"].table()["display_name"].tolist() == [expected]


def test_the_base_dir_itself_is_the_run_called_dot(board):
    board.log(".", "loss", [1.0])
    board.load()

    assert names(board.get("runs")) == ["."]


def test_runs_are_searched_sorted_and_windowed(board):
    for number, name in enumerate(("vgg", "Lenet-b", "lenet-a")):
        board.log(name, "loss", [0.0] * (number + 1))
    board.load()

    assert names(board.get("runs", search="LENET", sort="-name")) == ["lenet-a", "Lenet-b"]
    assert names(board.get("runs", sort="bytes")) == ["vgg", "Lenet-b", "lenet-a"]
    assert names(board.get("runs", sort="-bytes", limit=1)) == ["lenet-a"]
    window = board.get("runs", sort="bytes", offset=1, limit=1)
    assert (window["total"], names(window)) == (3, ["Lenet-b"])
    assert board.get("runs", limit=0) == {"total": 3, "left_out": {"archived": 0, "hidden": 0}, "runs": []}
    assert names(board.get("runs", search="%")) == []


def test_runs_are_listed_by_what_they_have(board):
    board.log("a", "loss", [1.0])
    board.log("b/train", "loss", [1.0])
    with mi.SummaryWriter(str(board.settings.summary_base_dir / "c")) as writer:
        writer.add_text("note", "no curve", 0)
    board.load()

    assert names(board.get("runs", kind="text")) == ["c"]
    assert names(board.get("runs", kind=["text", "scalars"], limit=1)) == ["a"]
    assert board.get("runs", kind="scalars", search="train")["total"] == 1
    assert board.get("runs", kind="images")["total"] == 0
    assert board.client.get("/v1/runs?kind=curves").status_code == 400


def test_chosen_runs_are_answered_without_those_that_are_gone(board):
    board.log("a", "loss", [1.0])
    board.log("b", "loss", [1.0])
    board.load()

    assert names(board.get("runs", run=[board.id_of("b"), "gone"])) == ["b"]


def test_one_run_comes_with_its_files(board):
    board.log("a", "loss", [1.0])
    board.load()

    run = board.get(f"runs/{board.id_of('a')}")
    (file,) = run["files"]

    assert run["name"] == "a"
    assert file["dialect"] == "tensorboard"
    assert file["offset"] == file["bytes"] == run["bytes"]


def test_damage_is_shown_with_its_place(board):
    board.log("a", "loss", [1.0, 0.5, 0.25])
    (path,) = (board.settings.summary_base_dir / "a").iterdir()
    content = bytearray(path.read_bytes())
    content[-30] ^= 0xFF
    path.write_bytes(content)
    board.load()

    run = board.get(f"runs/{board.id_of('a')}")

    assert run["warning_count"] == 1
    (warning,) = run["warnings"]
    assert warning.keys() == {"file", "offset", "kind", "message"}
    assert 0 < warning["offset"] < len(content)


def test_tags_are_listed_by_kind_with_what_their_values_were(board):
    board.log("a", "loss", [3.0, math.nan, 1.0, math.inf, 2.0])
    with next((board.settings.summary_base_dir / "a").iterdir()).open("ab") as log:
        picture = tensorboard.image("sample", b"\x89PNG", width=1, height=1)
        log.write(tensorboard.frame(tensorboard.event([picture], step=7, wall_time=1.75e9)))
    board.load()

    tags = board.get(f"runs/{board.id_of('a')}/tags")

    assert tags["scalars"] == [
        {
            "tag": "loss", "count": 5, "first_step": 0, "last_step": 4, "superseded": 0,
            "min": 1.0, "max": 3.0, "last_value": 2.0, "non_finite": 2, "sources": [""],
        }
    ]  # fmt: skip
    assert tags["images"] == [{"tag": "sample", "count": 1, "first_step": 7, "last_step": 7, "superseded": 0}]
    assert tags["histograms"] == tags["landscapes"] == []


def test_a_tag_without_any_finite_value_has_no_least_and_no_largest(board):
    board.log("a", "loss", [math.nan, -math.inf])
    board.load()

    (tag,) = board.get(f"runs/{board.id_of('a')}/tags")["scalars"]

    assert (tag["min"], tag["max"], tag["last_value"], tag["non_finite"]) == (None, None, "-Infinity", 2)


@pytest.mark.parametrize("path", ["runs/abc", "runs/abc/tags", "scalars?run=abc&tag=loss", "scalars/tags?run=abc"])
def test_an_unknown_run_is_not_found(board, path):
    board.log("a", "loss", [1.0])
    board.load()

    answer = board.client.get(f"/v1/{path}")

    assert answer.status_code == 404
    assert answer.get_json()["error"]["code"] == "run_not_found"
    assert answer.get_json()["error"]["details"] == {"run": "abc"}
