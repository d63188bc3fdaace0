"""Logs of the real frameworks over REST: every image, histogram, text, sound, tensor and curve as it was written."""

from __future__ import annotations

import hashlib
import io
import json
import wave
from pathlib import Path

import numpy as np
import PIL.Image
import pytest


class Served:
    """The corpus and the service over it."""

    def __init__(self, corpus, board):
        self.corpus = corpus
        self.board = board
        self.ids = {run["name"]: run["id"] for run in board.get("runs")["runs"]}

    def written(self, kind):
        """Run, tag and what was written under it, for each recording that has the kind."""
        for path in sorted(self.corpus.rglob("expected.json")):
            for tag, items in json.loads(path.read_text("utf-8")).get(kind, {}).items():
                yield path.parent.relative_to(self.corpus).as_posix(), tag, items

    def items(self, route, run, tag):
        (series,) = self.board.get(route, run=self.ids[run], tag=tag)["series"]
        assert (series["run"], series["tag"], series["source"]) == (self.ids[run], tag, "")
        return series["items"]

    def file(self, item):
        answer = self.board.client.get(item["url"])
        assert answer.status_code == 200, answer.text
        return answer.data


@pytest.fixture
def served(corpus: Path, corpus_board):
    return Served(corpus, corpus_board)


def test_every_image_has_its_pixels(served):
    compared, writers = 0, set()
    for run, tag, written in served.written("images"):
        if "shape" in written[0]:
            continue  # the old VisualDL, below
        items = served.items("images", run, tag)
        assert [item["step"] for item in items] == [each["step"] for each in written], (run, tag)
        for item, each in zip(items, written, strict=True):
            assert (item["index"], item["width"], item["height"]) == (0, each["width"], each["height"])
            pixels = np.asarray(PIL.Image.open(io.BytesIO(served.file(item))).convert("RGB"))
            assert hashlib.sha256(pixels.tobytes()).hexdigest() == each["pixel_sha256"], (run, tag, item)
            compared += 1
        writers.add(run.split("/")[0])

    assert compared == 133
    assert writers >= {
        "mindspore-2.0", "mindspore-2.10", "tensorboard-torch", "tensorboardx", "visualdl-2.0", "visualdl-2.5",
    }  # fmt: skip


def test_images_of_which_only_the_size_is_known(served):
    compared = 0
    for run, tag, written in served.written("images_size_only"):
        items = served.items("video" if "frames" in written[0] else "images", run, tag)
        for item, each in zip(items, written, strict=True):
            assert (item["step"], item["width"], item["height"]) == (each["step"], each["width"], each["height"])
            picture = PIL.Image.open(io.BytesIO(served.file(item)))
            assert picture.size == (each["width"], each["height"])
            assert getattr(picture, "n_frames", 1) == each.get("frames", 1)
            compared += 1

    assert compared == 23


def test_several_images_of_one_step(served):
    for run, tag, written in served.written("images_several_per_step"):
        items = served.items("images", run, tag)
        assert [(item["step"], item["index"], item["width"], item["height"]) for item in items] == [
            (each["step"], each["index"], each["width"], each["height"]) for each in written
        ]
        assert len({served.file(item) for item in items}) == len(written)
        assert all(PIL.Image.open(io.BytesIO(served.file(item))).size == (18, 12) for item in items)


def test_images_of_the_old_visualdl_are_their_bare_pixels(served):
    ((run, tag, written),) = [each for each in served.written("images") if "shape" in each[2][0]]
    items = served.items("images", run, tag)

    assert [(item["step"], item["index"]) for item in items] == [
        (each["step"], sample) for each in written for sample in range(each["samples"])
    ]
    for number, item in enumerate(items):
        pixels = np.asarray(PIL.Image.open(io.BytesIO(served.file(item))))
        assert pixels.shape == (8, 8, 3)
        assert pixels.tobytes() == (served.corpus / run / "binary_records" / str(number)).read_bytes()[8:]


def test_every_histogram_counts_what_was_written(served):
    compared, writers = 0, set()
    for run, tag, written in served.written("histograms"):
        items = served.items("histograms", run, tag)
        assert [item["step"] for item in items] == [each["step"] for each in written], (run, tag)
        for item, each in zip(items, written, strict=True):
            edges, counts = np.array(item["edges"]), np.array(item["counts"])
            odd = item["nan"] + item["pos_inf"] + item["neg_inf"]
            assert item["count"] == each["count"], (run, tag)
            assert odd == sum(each.get(name, 0) for name in ("nan_count", "pos_inf_count", "neg_inf_count"))
            assert item["nan"] == each.get("nan_count", 0)
            assert counts.sum() == each["count"] - odd
            assert len(edges) == (len(counts) + 1 if len(counts) else 0)
            assert (np.diff(edges) >= 0).all()
            for name in ("min", "max"):
                if name in each:
                    assert item[name] == pytest.approx(each[name], rel=1e-6, abs=1e-12), (run, tag, name)
            if "min" in each:
                # The edges reach as far as the values, give or take the rounding of their own arithmetic.
                slack = 1e-6 * (each["max"] - each["min"])
                assert edges[0] <= each["min"] + slack
                assert edges[-1] >= each["max"] - slack
            if "sum" in each and item["sum"] is not None:
                assert item["sum"] == pytest.approx(each["sum"], rel=1e-4, abs=1e-4), (run, tag)
            compared += 1
        writers.add(run.split("/")[0])

    assert compared == 473
    assert len(writers) == 9


def test_sums_are_there_where_the_format_has_them(served):
    for run, tag, _ in served.written("histograms"):
        has_sum = run.startswith(("mindspore", "tensorboard-torch", "tensorboardx"))
        assert all((item["sum"] is not None) == has_sum for item in served.items("histograms", run, tag)), run


def test_histograms_of_which_only_the_steps_are_known(served):
    for run, tag, written in served.written("histogram_tags_only"):
        items = served.items("histograms", run, tag)
        assert [item["step"] for item in items] == [each["step"] for each in written]
        assert all(item["count"] == sum(item["counts"]) > 0 for item in items)


def test_every_text_is_as_it_was_written(served):
    compared = 0
    for run, tag, written in served.written("texts"):
        items = served.items("texts", run, tag)
        assert [[item["step"], item["text"]] for item in items] == [each[:2] for each in written], (run, tag)
        compared += len(items)

    assert compared == 51


def test_every_sound_has_its_format(served):
    compared = 0
    for run, tag, written in served.written("audio"):
        items = served.items("audio", run, tag)
        assert [item["step"] for item in items] == [each["step"] for each in written]
        if run.startswith("visualdl-1.3"):
            assert items[0]["error"] == "no audio was recorded"  # its tablet was never brought up to date
            continue
        for item, each in zip(items, written, strict=True):
            with wave.open(io.BytesIO(served.file(item))) as sound:
                assert sound.getframerate() == item["sample_rate"] == each.get("sample_rate", item["sample_rate"])
                assert sound.getnframes() == item["frames"] == each.get("frames", item["frames"])
                assert sound.getnchannels() == item["channels"] == each.get("channels", item["channels"])
            compared += 1

    assert compared >= 4


def test_every_tensor_has_its_numbers(served):
    compared = 0
    for run, tag, written in served.written("tensors"):
        items = served.items("tensors", run, tag)
        for item, each in zip(items, written, strict=True):
            array = np.load(io.BytesIO(served.file(item)), allow_pickle=False)
            assert (item["step"], item["shape"], list(array.shape)) == (each["step"], each["shape"], each["shape"])
            assert item["statistics"]["sum"] == pytest.approx(each["sum"], rel=1e-5, abs=1e-5)
            assert item["statistics"]["sum"] == pytest.approx(float(array.astype(np.float64).sum()))
            if "first" in each:
                assert array.ravel()[0] == pytest.approx(each["first"], rel=1e-6)
            compared += 1

    assert compared == 38


@pytest.mark.parametrize("kind", ["pr_curves", "roc_curves"])
def test_every_curve_has_its_answers(served, kind):
    compared = 0
    for run, tag, written in served.written(kind):
        items = served.items(kind.replace("_", "-"), run, tag)
        for item, each in zip(items, written, strict=True):
            tp, fp, tn, fn = (np.array(item[name]) for name in ("tp", "fp", "tn", "fn"))
            assert item["step"] == each["step"]
            assert len(tp) == len(item["thresholds"]) == each["num_thresholds"]
            assert (tp + fn == each["positives"]).all()
            assert (fp + tn == each.get("negatives", (fp + tn)[0])).all()
            np.testing.assert_allclose(item["recall" if kind == "pr_curves" else "tpr"], tp / (tp + fn), atol=1e-6)
            if kind == "pr_curves":
                answered = tp + fp > 0
                precision = np.array(item["precision"])[answered]
                np.testing.assert_allclose(precision, tp[answered] / (tp + fp)[answered], atol=1e-6)
            else:
                np.testing.assert_allclose(item["fpr"], fp / (fp + tn), atol=1e-12)
            compared += 1

    assert compared >= 4


def test_every_mesh_has_its_parts(served):
    compared = 0
    for run, name, written in served.written("meshes"):
        tags = [tag["tag"] for tag in served.board.get(f"runs/{served.ids[run]}/tags")["meshes"]]
        parts = {}
        for tag in tags:
            for item in served.items("meshes", run, tag):
                assert item["name"] == name
                parts[item["content"]] = np.load(io.BytesIO(served.file(item)), allow_pickle=False)
                assert list(parts[item["content"]].shape) == item["shape"]
                assert json.loads(item["config"])["material"]
        assert parts["vertices"].shape == parts["colors"].shape == (1, written[0]["vertices"], 3)
        assert parts["faces"].shape == (1, written[0]["faces"], 3)
        compared += 1

    assert compared == 2


def test_every_embedding_has_its_points(served):
    compared = 0
    for run, tag, written in served.written("vdl_embeddings"):
        items = served.items("embeddings", run, tag)
        vectors = np.concatenate([np.load(io.BytesIO(served.file(item)), allow_pickle=False) for item in items])
        assert vectors.shape == (written["points"], written["dims"])
        assert sum(item["points"] for item in items) == sum(len(item["labels"]) for item in items) == len(vectors)
        assert {item["dimensions"] for item in items} == {written["dims"]}
        assert items[0]["header"] == written.get("header", [])
        compared += 1

    assert compared == 4


def test_every_landscape_is_there(served):
    run = "mindspore-2.10/landscape"
    written = json.loads((served.corpus / run / "expected.json").read_text("utf-8"))["landscape"]
    found = [served.items("landscapes", run, tag)[0] for tag in written["tags"]]

    for item in found:
        assert len(item["x"]) == len(item["y"]) == written["size"]
        assert np.array(item["z"]).shape == (written["size"], written["size"])
        assert (item["unit"], item["step_per_epoch"]) == (written["unit"], written["step_per_epoch"])
    assert [item["path"]["intervals"] for item in found[:2]] == written["intervals"]
    assert [item["decomposition"] for item in found] == ["PCA", "PCA", "Random"]
    # Training ends where the plane has its origin, and the path says with which loss.
    assert found[0]["convergence"] == {axis: found[0]["path"][axis][-1] for axis in "xyz"}
    assert found[2]["path"] is None


def test_layouts_of_custom_charts(served):
    compared = 0
    for path in sorted(served.corpus.rglob("expected.json")):
        written = json.loads(path.read_text("utf-8")).get("custom_scalars")
        if not written:
            continue
        run = served.ids[path.parent.relative_to(served.corpus).as_posix()]
        (series,) = served.board.get("custom-scalars", run=run)["series"]
        categories = series["items"][-1]["categories"]
        assert [category["title"] for category in categories] == written["categories"]
        assert [chart["title"] for category in categories for chart in category["charts"]] == written["charts"]
        both, band = categories[0]["charts"]
        assert (len(both["margins"]), len(band["tags"]), len(band["margins"])) == (0, 0, 1)
        assert both["tags"]
        compared += 1

    assert compared == 2


def test_nothing_in_the_corpus_is_refused(served):
    routes = {
        "images": "images", "video": "video", "histograms": "histograms", "text": "texts", "audio": "audio",
        "tensors": "tensors", "pr_curves": "pr-curves", "roc_curves": "roc-curves", "embeddings": "embeddings",
        "meshes": "meshes", "landscapes": "landscapes",
    }  # fmt: skip
    refused = []
    for name, run in served.ids.items():
        tags = served.board.get(f"runs/{run}/tags")
        for kind, route in routes.items():
            if not tags[kind]:
                continue
            answer = served.board.get(route, run=run, tag=[tag["tag"] for tag in tags[kind]])
            assert len(answer["series"]) >= len(tags[kind])
            for series in answer["series"]:
                refused += [(name, series["tag"], item["error"]) for item in series["items"] if "error" in item]

    assert refused == [("visualdl-1.3-legacy/logistic", "test/audio/tone", "no audio was recorded")]
