"""Images, histograms and the like in notebooks: tables like those of scalars."""

from __future__ import annotations

import io
import json
from pathlib import Path

import numpy as np
import pandas as pd
import PIL.Image
import pytest

import mindinsight_like as mi
from mindinsight_like.errors import BlobGone, NotFound, RunNotFound
from mindinsight_like.writers.encoding import tensorboard

KINDS = (
    "images", "video", "audio", "texts", "histograms", "tensors", "pr_curves", "roc_curves", "embeddings", "meshes",
    "landscapes",
)  # fmt: skip
COMMON = ["run", "tag", "step", "wall_time"]


@pytest.fixture
def runs(corpus: Path, tmp_path: Path) -> mi.Runs:
    return mi.open(corpus, workspace=tmp_path / "workspace", store_url="")


def expected(corpus: Path, run: str) -> dict:
    return json.loads((corpus / run / "expected.json").read_text("utf-8"))


@pytest.mark.parametrize("kind", KINDS)
def test_every_table_begins_as_that_of_scalars(runs, kind):
    table = getattr(runs, kind)()

    assert len(table) > 0
    assert list(table.columns[:4]) == COMMON
    assert isinstance(table["run"].dtype, pd.CategoricalDtype)
    assert table["step"].dtype == np.int64


@pytest.mark.parametrize("kind", KINDS)
def test_a_folder_without_logs_gives_empty_tables(tmp_path, kind):
    (tmp_path / "logs").mkdir()

    table = getattr(mi.open(tmp_path / "logs", workspace=tmp_path / "workspace", store_url=""), kind)()

    assert len(table) == 0
    assert list(table.columns[:4]) == COMMON
    assert len(table.columns) > 4


def test_images_are_read_when_asked_for(runs, corpus):
    run = "mindspore-2.10/manual"
    written = expected(corpus, run)["images"]["m/picture"]

    table = runs.images(tag="m/picture", run=run)

    assert list(table.columns) == [*COMMON, "index", "width", "height", "image"]
    assert table["step"].tolist() == [each["step"] for each in written]
    assert table["width"].tolist() == [each["width"] for each in written]
    assert PIL.Image.open(io.BytesIO(table["image"][0].read())).size == (28, 20)
    assert runs.images(tag="m/picture", run=run, read=True)["image"][0] == table["image"][0].read()


def test_video_and_sounds(runs):
    video, sounds = runs.video(run="tensorboardx/everything"), runs.audio(run="tensorboardx/everything")

    assert video["image"][0].read().startswith(b"GIF8")
    assert sounds.loc[0, ["sample_rate", "channels", "frames"]].tolist() == [8000, 1, 2000]
    assert sounds["sound"][0].read().startswith(b"RIFF")


def test_histograms_hold_arrays(runs, corpus):
    run = "mindspore-2.10/manual"
    written = expected(corpus, run)["histograms"]["m/weights"]

    table = runs.histograms(tag=["m/weights"], run=[run])

    assert list(table.columns) == [
        *COMMON, "count", "min", "max", "sum", "edges", "counts", "nan", "pos_inf", "neg_inf",
    ]  # fmt: skip
    assert table["count"].tolist() == [each["count"] for each in written]
    assert (table["edges"].map(len) == table["counts"].map(len) + 1).all()


def test_texts(runs, corpus):
    run = "visualdl-2.5/everything"

    table = runs.texts(run=run)

    assert table[["step", "text"]].values.tolist() == [each[:2] for each in expected(corpus, run)["texts"]["all/text"]]


def test_tensors_with_statistics_and_numbers(runs, corpus):
    run = "mindspore-2.10/manual"
    written = expected(corpus, run)["tensors"]["m/activations"]

    table = runs.tensors(run=run, tag="m/activations")

    assert table["sum"].tolist() == pytest.approx([each["sum"] for each in written], rel=1e-5)
    assert table["shape"].tolist() == [tuple(each["shape"]) for each in written]
    assert table["tensor"][0].array().shape == (3, 4)
    assert runs.tensors(run=run, tag="m/activations", read=True)["tensor"][0].shape == (3, 4)


def test_curves_have_a_row_per_threshold(runs):
    pr = runs.pr_curves(run="visualdl-2.5/everything", tag="all/pr/class_1")
    roc = runs.roc_curves(run="visualdl-2.5/everything", tag="all/roc/class_1")

    assert list(pr.columns) == [*COMMON, "threshold", "tp", "fp", "tn", "fn", "precision", "recall"]
    assert len(pr) == len(roc) == 2 * 21
    assert ((roc["tp"] + roc["fn"]) == 25).all()
    np.testing.assert_allclose(roc["tpr"], roc["tp"] / 25)


def test_embeddings_have_a_row_per_point(runs):
    table = runs.embeddings(tag="all/emb_two")
    old = runs.embeddings(run="visualdl-1.3-legacy/logistic")

    assert list(table.columns) == [*COMMON, "labels", "vector"]
    assert len(table) == 15
    assert table["labels"][3][0] == "word_3"
    assert np.stack(table["vector"]).shape == (15, 3)
    assert (len(old), old["labels"][0]) == (6, ["w0"])


def test_meshes_have_a_row_per_part_and_landscapes_one_each(runs):
    parts = runs.meshes(run="tensorboardx/everything")
    read = runs.meshes(run="tensorboardx/everything", read=True)
    table = runs.landscapes(run="mindspore-2.10/landscape")

    assert list(parts.columns) == [*COMMON, "name", "content", "shape", "config", "array"]
    assert sorted(parts["content"]) == ["colors", "faces", "vertices"]
    assert [part.array().shape for part in parts["array"]] == list(parts["shape"]) == [(1, 4, 3)] * 3
    assert [part.shape for part in read["array"]] == [(1, 4, 3)] * 3
    assert sorted(table["tag"]) == ["landscape_[10, 16]", "landscape_[16]", "landscape_[2, 8]"]
    assert {losses.shape for losses in table["z"]} == {(7, 7)}
    paths = table.sort_values("tag")["path"]
    assert [path and path.intervals for path in paths] == [[10, 12, 14, 16], None, [2, 4, 6, 8]]


def test_what_cannot_be_read_says_why(tmp_path):
    folder = tmp_path / "logs"
    folder.mkdir()
    values = [
        tensorboard.image("i", b"no picture", width=1, height=1),
        tensorboard.tensor("p", np.zeros((5, 2)), plugin="pr_curves"),
        tensorboard.strings("t", [b"x"], shape=(), plugin="other"),
    ]
    (folder / tensorboard.file_name(1.75e9, host="h")).write_bytes(
        tensorboard.frame(tensorboard.event(values, step=3, wall_time=1.75e9))
    )
    runs = mi.open(folder, workspace=tmp_path / "workspace", store_url="")

    images, curves, tensors = runs.images(), runs.pr_curves(), runs.tensors()

    assert images["error"].tolist() == ["not a PNG, JPEG or GIF file"]
    assert images["width"].isna().all()
    assert images["image"].tolist() == [None]
    assert len(curves) == 0
    assert tensors["tensor"].tolist() == [None]


def test_a_picture_whose_log_is_gone(tmp_path, corpus):
    folder = tmp_path / "logs" / "a"
    folder.mkdir(parents=True)
    (source,) = (corpus / "tensorboard-torch" / "train").glob("*tfevents*")
    log = folder / source.name
    log.write_bytes(source.read_bytes())
    picture = mi.open(folder.parent, workspace=tmp_path / "workspace", store_url="").images()["image"][0]
    log.unlink()

    assert repr(picture).startswith("<LoggedFile, ")
    with pytest.raises(BlobGone):
        picture.read()


def test_an_unknown_run_or_tag_is_refused(runs):
    with pytest.raises(RunNotFound):
        runs.images(run="nobody")
    with pytest.raises(NotFound, match="no run has the images tag 'nothing'"):
        runs.images(tag="nothing")
