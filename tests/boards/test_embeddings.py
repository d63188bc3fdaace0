"""Embeddings of TensorBoard's projector over REST: files of all forms, hostile lists, and projections of them."""

from __future__ import annotations

import io
import os
import time
from pathlib import Path

import numpy as np
import pytest

import mindinsight_like as mi
from mindinsight_like.writers.encoding import visualdl
from mindinsight_like.writers.encoding.images import png

VECTORS = np.arange(12, dtype=np.float32).reshape(4, 3)
TEXT = "".join("\t".join(map(str, row)) + "\n" for row in VECTORS.tolist())
SPRITE = png(np.zeros((16, 16, 3), np.uint8))


class Projector:
    """A run with a projector's list."""

    def __init__(self, board):
        self.board = board
        self.folder = board.settings.summary_base_dir / "a"
        self.folder.mkdir()

    def write(self, name, content):
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    def config(self, text):
        self.write("projector_config.pbtxt", text)
        self.board.load()

    def items(self, tag="words", **query):
        (series,) = self.board.get("embeddings", run=self.board.id_of("a"), tag=tag, **query)["series"]
        return series["items"]

    def item(self, tag="words", **query):
        (item,) = self.items(tag, **query)
        return item

    def vectors(self, item):
        answer = self.board.client.get(item["url"])
        assert answer.status_code == 200, answer.text
        return np.load(io.BytesIO(answer.data))


@pytest.fixture
def projector(board):
    return Projector(board)


def entry(tensor="t.tsv", rest="", name="words:00003"):
    return f'embeddings {{\n tensor_name: "{name}"\n tensor_path: "{tensor}"\n {rest}\n}}\n'


def test_vectors_labels_and_pictures_are_served(projector):
    projector.write("t.tsv", TEXT)
    projector.write("m.tsv", "word\tsize\na\t1\nb\t2\n\u4e16\t3\nd\t4\n")
    projector.write("s.png", SPRITE)
    rest = 'metadata_path: "m.tsv" sprite { image_path: "s.png" single_image_dim: 8 single_image_dim: 8 }'
    projector.config(entry(rest=rest))

    item = projector.item()

    assert (item["step"], item["points"], item["dimensions"], item["notes"]) == (3, 4, 3, [])
    assert (item["header"], item["labels"][2]) == (["word", "size"], ["\u4e16", "3"])
    assert item["sprite"].items() >= {"width": 8, "height": 8}.items()
    np.testing.assert_array_equal(projector.vectors(item), VECTORS)
    picture = projector.board.client.get(item["sprite"]["url"])
    assert (picture.data, picture.content_type) == (SPRITE, "image/png")
    assert "immutable" not in picture.headers["Cache-Control"]
    assert projector.item(labels="none")["labels"] is None


def test_every_entry_is_a_tag_with_its_steps(projector):
    projector.write("t.tsv", TEXT)
    names = ("words:00002", "words:10", "words:00002", "layer/out:0", "plain", "a:b:7")
    projector.config("".join(entry(name=name) for name in names))

    tags = projector.board.get(f"runs/{projector.board.id_of('a')}/tags")["embeddings"]

    found = {tag["tag"]: (tag["count"], tag["first_step"], tag["last_step"]) for tag in tags}
    assert found == {"words": (2, 2, 10), "layer/out": (1, 0, 0), "plain": (1, 0, 0), "a:b": (1, 7, 7)}
    assert [item["step"] for item in projector.items()] == [2, 10]


def test_bare_numbers_are_read_by_the_shape_in_the_list(projector):
    projector.write("t.bytes", VECTORS.tobytes())
    projector.config(
        entry("t.bytes", "tensor_shape: 4 tensor_shape: 3") + entry("t.bytes", "tensor_shape: [2, 6]", "two")
    )

    np.testing.assert_array_equal(projector.vectors(projector.item()), VECTORS)
    np.testing.assert_array_equal(projector.vectors(projector.item("two")), VECTORS.reshape(2, 6))


def test_text_without_a_last_line_end_and_with_odd_numbers_is_read(projector):
    projector.write("t.tsv", "1\tnan\r\n-inf\t1e-3\r\n\r\n")
    projector.config(entry())

    item = projector.item()

    assert (item["points"], item["dimensions"]) == (2, 2)
    np.testing.assert_array_equal(projector.vectors(item), np.array([[1, np.nan], [-np.inf, 1e-3]], np.float32))


def test_the_list_may_be_written_in_all_ways_of_the_text_format(projector):
    projector.write("t x.tsv", TEXT)
    projector.config(
        "# made by hand\nmodel_checkpoint_path: 'x';\n"
        "embeddings < tensor_name : 'w\\303\\266rter', tensor_path: \"t\\040x.tsv\"; other { deep { er: 1 } } >"
    )

    assert projector.item("wörter")["points"] == 4


@pytest.mark.parametrize(
    ("files", "config", "why"),
    [
        ({}, entry(), "cannot be opened"),
        ({}, entry("../../secret.tsv"), "is outside the run directory"),
        ({}, entry("/etc/passwd"), "is outside the run directory"),
        ({}, entry("."), "is outside the run directory"),
        ({}, entry("a\\000b"), "not the name of a file"),
        ({"t.tsv/x": "1"}, entry(), "not a file in the run directory"),
        ({"t.tsv": ""}, entry(), "empty"),
        ({"t.bytes": bytes(48)}, entry("t.bytes", "tensor_shape: 4 tensor_shape: 300000000"), "claims 4 x 300000000"),
        ({"t.bytes": bytes(48)}, entry("t.bytes"), "does not give the shape"),
        ({"t.bytes": bytes(48)}, entry("t.bytes", "tensor_shape: -4 tensor_shape: -3"), "claims"),
        ({}, 'model_checkpoint_path: "model.ckpt" embeddings { tensor_name: "words" }', "TensorFlow checkpoint"),
    ],
)
def test_a_hostile_entry_says_why_and_hurts_nobody_else(projector, files, config, why):
    for name, content in files.items():
        projector.write(name, content)
    projector.write("good.tsv", TEXT)
    projector.config(config + entry("good.tsv", name="good"))

    assert why in projector.item()["error"]
    assert projector.item()["url"] is None
    assert projector.item("good")["points"] == 4


@pytest.mark.parametrize(
    "text", ["embeddings {", "embeddings { tensor_name: }", "\x00\x01", "embeddings: [", "a" * 5 + "{" * 50]
)
def test_a_list_that_is_none_says_so(projector, text):
    projector.config(text)

    (item,) = projector.items("projector_config.pbtxt")

    assert "cannot parse" in item["error"] or "checkpoint" in item["error"]


def test_links_out_of_the_folder_are_not_followed(projector, tmp_path):
    outside = tmp_path / "outside.tsv"
    outside.write_text(TEXT)
    (projector.folder / "t.tsv").symlink_to(outside)
    (projector.folder / "up").symlink_to(projector.folder.parent)
    beside = projector.folder.parent / "b"
    beside.mkdir()
    (beside / "t.tsv").write_text(TEXT)
    projector.write("real.tsv", TEXT)
    (projector.folder / "link.tsv").symlink_to("real.tsv")
    projector.config(entry() + entry("up/b/t.tsv", name="up") + entry("link.tsv", name="link"))

    assert "is outside the run directory" in projector.item()["error"]
    assert "is outside the run directory" in projector.item("up")["error"]
    assert projector.item("link")["points"] == 4


def test_a_pipe_in_place_of_a_file_holds_nothing_up(projector):
    os.mkfifo(projector.folder / "t.tsv")
    projector.config(entry())

    assert "not a file" in projector.item()["error"]


@pytest.mark.parametrize(
    ("files", "rest", "note"),
    [
        ({}, 'metadata_path: "none.tsv"', "labels cannot be shown"),
        ({"m.tsv": "a\nb\n"}, 'metadata_path: "m.tsv"', "2 lines of labels for 4 points"),
        ({}, 'metadata_path: "../a/../../m.tsv"', "is outside the run directory"),
        (
            {},
            'sprite { image_path: "/etc/hostname" single_image_dim: 1 single_image_dim: 1 }',
            "is outside the run directory",
        ),
        ({"s.png": "text"}, 'sprite { image_path: "s.png" single_image_dim: 8 single_image_dim: 8 }', "neither PNG"),
        ({"s.png": SPRITE}, 'sprite { image_path: "s.png" single_image_dim: 8 }', "does not give the image size"),
        ({"s.png": SPRITE}, 'sprite { image_path: "s.png" single_image_dim: 99 single_image_dim: 9 }', "does not fit"),
        (
            {"s.png": SPRITE},
            'sprite { image_path: "s.png" single_image_dim: 9 single_image_dim: 9 }',
            "only 1 pictures",
        ),
        (
            {"s.png": SPRITE[:16] + (60_000).to_bytes(4, "big") * 2 + SPRITE[24:]},
            'sprite { image_path: "s.png" single_image_dim: 8 single_image_dim: 8 }',
            "60000 x 60000 pixels",
        ),
    ],
)
def test_bad_labels_and_pictures_leave_the_points_alone(projector, files, rest, note):
    projector.write("t.tsv", TEXT)
    for name, content in files.items():
        projector.write(name, content)
    projector.config(entry(rest=rest))

    item = projector.item()

    assert item["points"] == 4
    assert note in item["notes"][0]


def test_lines_that_differ_in_length_are_told_when_vectors_are_wanted(projector):
    projector.write("t.tsv", "1\t2\n3\n")
    projector.config(entry())

    answer = projector.board.client.get(projector.item()["url"])

    assert answer.status_code == 404
    assert "invalid vector file" in answer.get_json()["error"]["message"]


def finished(board, id):
    end = time.monotonic() + 60
    while (status := board.get(f"projections/{id}"))["state"] in ("queued", "running"):
        assert time.monotonic() < end
        time.sleep(0.02)
    return status


def test_a_projection_goes_from_question_to_points(projector):
    projector.write("t.tsv", TEXT)
    projector.config(entry())
    board, run = projector.board, projector.board.id_of("a")

    begun = board.client.post("/v1/projections", json={"run": run, "tag": "words", "step": 3, "method": "pca"})
    status = finished(board, begun.get_json()["id"])
    answer = board.client.get(f"/v1/projections/{status['id']}/points")

    assert begun.status_code == 200
    assert (status["state"], len(status["explained_variance"])) == ("ready", 3)
    points = np.load(io.BytesIO(answer.data))
    np.testing.assert_allclose(np.abs(points[:, 0]), np.sqrt(3) * np.array([4.5, 1.5, 1.5, 4.5]), rtol=1e-5)
    known = board.client.get(
        f"/v1/projections/{status['id']}/points", headers={"If-None-Match": answer.headers["ETag"]}
    )
    assert known.status_code == 304
    assert [each["is_available"] for each in board.get("projections")["methods"]] == [True] * 3


@pytest.mark.parametrize(
    ("body", "status"),
    [
        ({"tag": "none"}, 404),
        ({"step": 4}, 404),
        ({"source": "other"}, 404),
        ({"method": "guess"}, 400),
        ({"dimensions": 4}, 400),
        ({"perplexity": "NaN"}, 400),
        ({"iterations": 10**9}, 400),
        ({"more": 1}, 400),
        ({"run": "none"}, 404),
    ],
)
def test_questions_that_make_no_sense_are_refused(projector, body, status):
    projector.write("t.tsv", TEXT)
    projector.config(entry())
    asked = {"run": projector.board.id_of("a"), "tag": "words"} | body

    answer = projector.board.client.post("/v1/projections", json=asked)

    assert answer.status_code == status, answer.text


@pytest.mark.parametrize(
    "path", ["projections/0", "projections/..", f"projections/{'0' * 32}", f"projections/{'0' * 32}/points"]
)
def test_unknown_projections_are_not_found(board, path):
    board.load()

    assert board.client.get(f"/v1/{path}").status_code == 404


def test_neighbours_are_told_by_number_and_distance(projector):
    projector.write("t.tsv", TEXT)
    projector.config(entry())
    run = projector.board.id_of("a")

    found = projector.board.get("embeddings/neighbours", run=run, tag="words", point=1, count=2)

    assert found["points"] == [0, 2]
    np.testing.assert_allclose(found["distances"], [np.sqrt(27)] * 2)
    bad = projector.board.client.get(f"/v1/embeddings/neighbours?run={run}&tag=words&point=4")
    assert bad.status_code == 400


def test_points_logged_one_by_one_are_one_embedding(corpus, corpus_board):
    run = corpus_board.id_of("visualdl-1.3-legacy/logistic")

    found = corpus_board.get("embeddings/neighbours", run=run, tag="test/embedding", point=5, count=10)
    begun = corpus_board.client.post("/v1/projections", json={"run": run, "tag": "test/embedding"}).get_json()

    assert sorted(found["points"]) == [0, 1, 2, 3, 4]
    assert finished(corpus_board, begun["id"])["state"] == "ready"


@pytest.mark.parametrize("writer", ["tensorboard-torch", "tensorboardx"])
def test_embeddings_of_real_writers_are_as_their_files_say(corpus, corpus_board, writer):
    folder = corpus / writer / "everything"
    run = corpus_board.id_of(f"{writer}/everything")

    for tag, step, header in (("all_words", 1, []), ("all_multi", 2, ["word", "index"])):
        (series,) = corpus_board.get("embeddings", run=run, tag=tag)["series"]
        (item,) = series["items"]
        vectors = np.load(io.BytesIO(corpus_board.client.get(item["url"]).data))

        written = folder / f"{step:05d}" / tag
        np.testing.assert_array_equal(vectors, np.loadtxt(written / "tensors.tsv", dtype=np.float32))
        lines = (written / "metadata.tsv").read_text().splitlines()
        assert ["\t".join(row) for row in item["labels"]] == lines[len(lines) - 20 :]
        assert (item["step"], item["header"], item["notes"]) == (step, header, [])
        assert (item["sprite"] is not None) == (tag == "all_words")


def test_the_python_interface_has_embeddings_of_both_sorts(projector, tmp_path):
    projector.write("t.tsv", TEXT)
    projector.write("m.tsv", "a\nb\nc\nd\n")
    projector.config(entry(rest='metadata_path: "m.tsv"') + entry("none.tsv", name="gone"))
    vectors = [np.array([1, 2], np.float32).tobytes()]
    record = visualdl.record("own", visualdl.embeddings(vectors, [["x"]], []), step=0, wall_time=1.75e9)
    projector.board.log_records("b/" + visualdl.file_name(1.75e9), visualdl.frame(record))

    table = mi.open(projector.folder.parent, workspace=tmp_path / "other").embeddings()

    assert table.groupby(["run", "tag"], observed=True).size().to_dict() == {("a", "words"): 4, ("b", "own"): 1}
    assert table["labels"].tolist() == [["a"], ["b"], ["c"], ["d"], ["x"]]
    np.testing.assert_array_equal(np.stack(table["vector"][:4]), VECTORS)


def test_an_embedding_logged_anew_is_seen(board, tmp_path: Path):
    folder = board.settings.summary_base_dir / "a"
    for value in (1, 2):
        with mi.SummaryWriter(folder) as writer:
            writer.add_embedding(np.full((3, 2), value, np.float32), tag="words", global_step=5)
        os.utime(folder / "projector_config.pbtxt", (value, value))  # clocks of file systems are coarse
        board.load()
        (series,) = board.get("embeddings", run=board.id_of("a"), tag="words")["series"]
        answer = board.client.get(series["items"][0]["url"])

        assert np.load(io.BytesIO(answer.data)).tolist() == [[value] * 2] * 3
