"""Every call of SummaryWriter leaves in the event file what TensorBoard's formats say."""

from __future__ import annotations

import io
import json
import math
import time
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from mindinsight_like import SummaryWriter
from mindinsight_like.logs.kinds import Kind
from mindinsight_like.logs.protobuf.message_fields import MessageFields

from .tensorboard_events import Recorded, event_files, events, kinds, recorded

RANDOM = np.random.default_rng(9)
WALL = 1_750_000_000.25


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[SummaryWriter]:
    with SummaryWriter(tmp_path) as writer:
        yield writer


def only(writer: SummaryWriter) -> Recorded:
    """The one value that has been recorded."""
    writer.flush()
    [value] = recorded(Path(writer.logdir))
    return value


def pixels(value: Recorded) -> np.ndarray[Any, Any]:
    with Image.open(io.BytesIO(value.value.messages(4)[0].content(4))) as picture:
        return np.asarray(picture)


def test_scalars_keep_step_time_and_value(writer: SummaryWriter) -> None:
    points = [(0, 0.5), (1, -2.0), (300, math.inf), (2**40, math.nan), (-1, 0.0), (7, 1e300)]
    for step, value in points:
        writer.add_scalar("train/loss", value, step, WALL + step % 7)
    writer.flush()

    found = recorded(Path(writer.logdir))

    assert [(each.tag, each.step, each.wall_time) for each in found] == [
        ("train/loss", step, WALL + step % 7) for step, _ in points
    ]
    assert [each.number for each in found] == pytest.approx([0.5, -2.0, math.inf, math.nan, 0.0, math.inf], nan_ok=True)


def test_scalars_without_step_and_time_are_of_step_zero_and_now(writer: SummaryWriter) -> None:
    before = time.time()
    writer.add_scalar("x", 1)

    value = only(writer)

    assert value.step == 0
    assert before <= value.wall_time <= time.time()


@pytest.mark.parametrize("number", [np.float32(0.25), np.array([[0.25]]), [0.25], np.float64(0.25)])
def test_scalars_may_come_in_arrays(writer: SummaryWriter, number: Any) -> None:
    writer.add_scalar("x", number, np.int64(3))  # type: ignore[arg-type]

    value = only(writer)

    assert (value.number, value.step) == (0.25, 3)


@pytest.mark.parametrize("tag", ["a b", "日本語/🙂", "../up", '"quotes"', "x" * 1200, "/leading", "trailing/"])
def test_tags_are_stored_as_they_are(writer: SummaryWriter, tag: str) -> None:
    writer.add_scalar(tag, 1.0)

    assert only(writer).tag == tag


def test_scalars_may_be_tensors_of_either_precision(writer: SummaryWriter) -> None:
    writer.add_scalar("single", 0.1, new_style=True)
    writer.add_scalar("double", 0.1, 0, WALL, True, True)  # as torch orders them
    writer.flush()

    single, double = recorded(Path(writer.logdir))

    assert single.value.messages(8)[0].singles(5) == [pytest.approx(0.1)]
    assert double.value.messages(8)[0].doubles(6) == [0.1]
    assert single.plugin == double.plugin == "scalars"
    assert kinds(Path(writer.logdir)) == {"single": Kind.SCALAR, "double": Kind.SCALAR}


def test_scalars_may_have_a_title_and_a_text(writer: SummaryWriter) -> None:
    writer.add_scalar("x", 0.5, 1, WALL, "Title", "Text")  # as tensorboardX orders them

    value = only(writer)

    [metadata] = value.value.messages(9)
    assert (value.number, metadata.text(2), metadata.text(3)) == (0.5, "Title", "Text")


def test_several_scalars_of_a_chart_get_folders_of_their_own(writer: SummaryWriter) -> None:
    folder = Path(writer.logdir)
    for step in range(3):
        writer.add_scalars("all/pair", {"sin": math.sin(step), "cos": np.array(math.cos(step))}, step, WALL)
    writer.flush()

    for key, function in (("sin", math.sin), ("cos", math.cos)):
        found = recorded(folder / "all" / "pair" / key)
        assert [(each.tag, each.step) for each in found] == [("all/pair", step) for step in range(3)]
        assert [each.number for each in found] == pytest.approx([function(step) for step in range(3)])


def test_several_scalars_cannot_leave_the_folder(writer: SummaryWriter) -> None:
    writer.add_scalars("../../up", {"/root/../key": 1.0})
    writer.flush()

    assert recorded(Path(writer.logdir, "up", "root", "key"))[0].tag == "../../up"


def test_what_several_scalars_got_is_exported_once(writer: SummaryWriter, tmp_path: Path) -> None:
    writer.add_scalars("pair", {"a": 0.5}, 7, WALL)
    writer.add_scalars("pair", {"a": 1.5}, walltime=WALL)
    writer.add_scalar("other", 1.0)
    writer.export_scalars_to_json(tmp_path / "all.json")
    writer.export_scalars_to_json(str(tmp_path / "none.json"))

    expected = {str(tmp_path / "pair" / "a"): [[WALL, 7, 0.5], [WALL, None, 1.5]]}
    assert json.loads((tmp_path / "all.json").read_text()) == expected
    assert json.loads((tmp_path / "none.json").read_text()) == {}


def test_tensors_keep_type_shape_and_elements(writer: SummaryWriter) -> None:
    for name in ("float32", "float64", "int32", "int64", "bool", "float16", "uint8"):
        writer.add_tensor(name, np.arange(6).reshape(2, 3).astype(name), 1)
    writer.add_tensor("number", np.array(2.5))
    writer.add_tensor("none", np.zeros((0, 3)))
    writer.flush()

    *typed, number, none = recorded(Path(writer.logdir))

    for value in typed:
        assert value.array.dtype.name == value.tag
        assert value.array.tolist() == np.arange(6).reshape(2, 3).astype(value.tag).tolist()
    assert number.array.shape == ()
    assert none.array.shape == (0, 3)
    assert set(kinds(Path(writer.logdir)).values()) == {Kind.TENSOR}


def test_tensors_do_not_change_with_the_array_they_came_from(writer: SummaryWriter) -> None:
    given = np.zeros(3)
    writer.add_tensor("x", given)
    given += 1

    assert only(writer).array.tolist() == [0, 0, 0]


def test_histograms_tell_their_values(writer: SummaryWriter) -> None:
    values = RANDOM.normal(size=1000)
    writer.add_histogram("weights", values, 4)

    histogram = only(writer).value.messages(5)[0]

    assert [histogram.double(field) for field in range(1, 6)] == pytest.approx(
        [values.min(), values.max(), 1000, values.sum(), (values**2).sum()]
    )
    limits, counts = histogram.doubles(6), histogram.doubles(7)
    assert len(limits) == len(counts)
    assert (counts[0], sum(counts)) == (0, 1000)
    assert counts[1:] == np.histogram(values, limits)[0].tolist()


def test_histograms_leave_out_what_is_not_finite(writer: SummaryWriter) -> None:
    writer.add_histogram("some", [1.0, math.nan, math.inf])
    writer.add_histogram("none", [math.nan])
    writer.flush()

    some, none = (each.value.messages(5)[0] for each in recorded(Path(writer.logdir)))

    assert [some.double(field) for field in range(1, 6)] == [1, 1, 1, 1, 1]
    assert (none.doubles(6), none.doubles(7)) == ([0], [0])


def test_histograms_may_be_counted_before(writer: SummaryWriter) -> None:
    writer.add_histogram_raw("raw", 0, 2, 3, 3.5, 5, np.array([1.0, 2.0]), [1, 2], 6)

    histogram = only(writer).value.messages(5)[0]

    assert [histogram.double(field) for field in range(1, 6)] == [0, 2, 3, 3.5, 5]
    assert (histogram.doubles(6), histogram.doubles(7)) == ([1, 2], [1, 2])


def test_curves_hold_counts_precision_and_recall(writer: SummaryWriter) -> None:
    writer.add_pr_curve("pr", np.array([True, False, True, False]), np.array([0.9, 0.6, 0.4, 0.1]), 5, num_thresholds=3)

    value = only(writer)

    assert value.plugin == "pr_curves"
    assert value.settings.integer(2) == 3
    assert value.array.tolist() == [[2, 1, 0], [2, 1, 0], [0, 1, 2], [0, 1, 2], [0.5, 0.5, 0], [1, 0.5, 0]]


def test_curves_may_be_counted_before(writer: SummaryWriter) -> None:
    rows: list[Any] = [np.arange(4) + row for row in range(6)]
    writer.add_pr_curve_raw("pr", *rows, 5, 4)  # type: ignore[call-arg]

    value = only(writer)

    assert value.step == 5
    assert value.array.tolist() == [row.tolist() for row in rows]


def test_pictures_keep_their_pixels(writer: SummaryWriter) -> None:
    picture = RANDOM.integers(0, 256, (3, 4, 5), dtype=np.uint8)
    writer.add_image("picture", picture, 1)
    picture += 1

    value = only(writer)

    assert (pixels(value) == (picture - 1).transpose(1, 2, 0)).all()
    [image] = value.value.messages(4)
    assert [image.integer(field) for field in (1, 2, 3)] == [4, 5, 3]
    assert kinds(Path(writer.logdir)) == {"picture": Kind.IMAGE}


def test_pillow_images_tell_their_own_dimensions(writer: SummaryWriter) -> None:
    picture = RANDOM.integers(0, 256, (4, 5, 3), dtype=np.uint8)
    writer.add_image("colour", Image.fromarray(picture))
    writer.add_image("gray", Image.fromarray(picture[:, :, 0]))
    writer.flush()

    colour, gray = recorded(Path(writer.logdir))

    assert (pixels(colour) == picture).all()
    assert (pixels(gray)[:, :, 1] == picture[:, :, 0]).all()


def test_several_pictures_become_one(writer: SummaryWriter) -> None:
    batch = RANDOM.integers(0, 256, (10, 3, 4, 5), dtype=np.uint8)
    writer.add_images("batch", batch)
    writer.add_images("list", list(batch), dataformats="CHW")
    writer.flush()

    together, listed = map(pixels, recorded(Path(writer.logdir)))

    assert together.shape == (8, 40, 3)
    assert (together[4:, :5] == batch[8].transpose(1, 2, 0)).all()
    assert (together == listed).all()


def test_pictures_may_have_boxes(writer: SummaryWriter) -> None:
    black, boxes = np.zeros((3, 40, 60)), np.array([[10, 5, 50, 35]])
    writer.add_image_with_boxes("torch", black, boxes, 0, WALL, 0.5, "CHW", ["cat"])
    writer.add_image_with_boxes("tensorboardX", black.transpose(1, 2, 0), boxes, 0, WALL, "HWC", ["cat"])
    writer.add_image_with_boxes("none", black, [], labels=[])
    with pytest.warns(RuntimeWarning, match="2 labels for 1 boxes"):
        writer.add_image_with_boxes("labels", black, boxes, labels=["cat", "dog"])
    writer.flush()

    small, framed, none, _ = map(pixels, recorded(Path(writer.logdir)))

    assert small.shape == (20, 30, 3)
    assert framed[5, 20].tolist() == [255, 0, 0]
    assert not none.any()


def test_videos_are_animated_pictures(writer: SummaryWriter) -> None:
    frames = np.repeat(np.arange(0, 250, 50, dtype=np.uint8), 3 * 8 * 6).reshape(1, 5, 3, 8, 6)
    writer.add_video("video", frames, 2, fps=10)

    value = only(writer)

    with Image.open(io.BytesIO(value.value.messages(4)[0].content(4))) as image:
        animation: Any = image
        assert (animation.format, animation.n_frames, animation.info["duration"]) == ("GIF", 5, 100)
    assert kinds(Path(writer.logdir)) == {"video": Kind.VIDEO}


def test_sounds_are_wave_files(writer: SummaryWriter) -> None:
    writer.add_audio("tone", np.sin(np.arange(100) / 5)[None], 3, 8000)

    [audio] = only(writer).value.messages(6)

    assert (audio.single(1), audio.integer(2), audio.integer(3), audio.text(5)) == (8000, 1, 100, "audio/wav")
    with wave.open(io.BytesIO(audio.content(4))) as file:
        assert (file.getframerate(), file.getnframes()) == (8000, 100)
    assert kinds(Path(writer.logdir)) == {"tone": Kind.AUDIO}


def test_texts_keep_every_character(writer: SummaryWriter) -> None:
    writer.add_text("note", "**bold** 日本語 🙂\0 <b>", 1)

    value = only(writer)

    assert (value.tag, value.plugin) == ("note/text_summary", "text")
    assert value.strings == ["**bold** 日本語 🙂\0 <b>".encode()]
    assert kinds(Path(writer.logdir)) == {"note/text_summary": Kind.TEXT}


def test_meshes_are_one_value_for_each_part(writer: SummaryWriter) -> None:
    vertices, faces = RANDOM.random((1, 4, 3)).astype(np.float32), np.array([[[0, 1, 2], [1, 2, 3]]])
    writer.add_mesh("mesh", vertices, [[[255, 0, 0]] * 4], faces, {"camera": 1}, 3)
    writer.flush()

    vertex, face, color = recorded(Path(writer.logdir))

    assert [value.tag for value in (vertex, face, color)] == ["mesh_VERTEX", "mesh_FACE", "mesh_COLOR"]
    assert (vertex.array == vertices).all()
    assert (face.array == faces).all()
    assert color.array.tolist() == [[[255, 0, 0]] * 4]
    assert [value.settings.integer(3) for value in (vertex, face, color)] == [1, 2, 3]
    assert face.settings.integers(6) == [1, 2, 3]
    assert (face.settings.text(2), face.settings.text(5), face.settings.integer(7)) == ("mesh", '{"camera": 1}', 14)


def test_colours_of_meshes_may_be_shares(writer: SummaryWriter) -> None:
    writer.add_mesh("cloud", np.zeros((1, 2, 3)), colors=np.array([[[1.0, 0.5, 0.0], [0.0, 0.0, 1.0]]]))
    writer.flush()

    assert recorded(Path(writer.logdir))[1].array.tolist() == [[[255, 127.5, 0], [0, 0, 255]]]


def test_hyper_parameters_go_into_a_folder_with_their_metrics(writer: SummaryWriter, tmp_path: Path) -> None:
    writer.add_hparams(
        {"lr": 0.1, "layers": np.int64(3), "opt": "SGD", "bn": True, "none": None, "act": max, "sizes": [1, 2]},
        {"hp/acc": np.float32(0.5), "hp/loss": 2},
        {"opt": ["SGD", "Adam"], "lr": [0.1, 0.2]},
        "trial",
        5,
    )
    writer.flush()

    experiment, start, end, accuracy, loss = recorded(tmp_path / "trial")

    kinds_of = {info.text(1): info.integer(4) for info in experiment.settings.messages(2)[0].messages(4)}
    assert kinds_of == {"lr": 3, "layers": 3, "opt": 1, "bn": 2, "act": 1, "sizes": 1}
    metrics = [metric.messages(1)[0].text(2) for metric in experiment.settings.messages(2)[0].messages(5)]
    assert metrics == ["hp/acc", "hp/loss"]
    choices = experiment.settings.messages(2)[0].messages(4)[2].messages(5)[0].messages(1)
    assert [choice.text(3) for choice in choices] == ["SGD", "Adam"]
    values = {entry.text(1): entry.messages(2)[0] for entry in start.settings.messages(3)[0].messages(1)}
    assert (values["lr"].double(2), values["layers"].double(2), values["opt"].text(3)) == (0.1, 3, "SGD")
    assert (values["bn"].integer(4), values["act"].text(3), values["sizes"].text(3)) == (1, "max", "[1, 2]")
    assert end.settings.messages(4)[0].integer(1) == 1
    assert [(each.tag, each.number, each.step) for each in (accuracy, loss)] == [("hp/acc", 0.5, 5), ("hp/loss", 2, 5)]
    assert {value.plugin for value in (experiment, start, end)} == {"hparams"}


def test_hyper_parameters_may_be_named_as_in_tensorboardx(writer: SummaryWriter, tmp_path: Path) -> None:
    writer.add_hparams({"lr": 1}, {"acc": 1}, "by position", 7)
    writer.add_hparams({"lr": 1}, {"acc": 1}, name="by name", global_step=8)
    writer.add_hparams({"lr": 1}, {"acc": 1})
    writer.flush()

    assert recorded(tmp_path / "by position")[-1].step == 7
    assert recorded(tmp_path / "by name")[-1].step == 8
    [timed] = {path.name for path in tmp_path.iterdir() if path.is_dir()} - {"by position", "by name"}
    assert float(timed) == pytest.approx(time.time(), abs=60)


def test_hyper_parameters_may_stand_in_the_folder_of_the_run(writer: SummaryWriter, tmp_path: Path) -> None:
    writer.add_hparams({"lr": 1}, {"acc": 0.5}, run_name=".")
    writer.flush()

    assert all(path.is_file() for path in tmp_path.iterdir())
    assert any(b"_hparams_/session_start_info" in path.read_bytes() for path in tmp_path.iterdir())


def test_layouts_name_charts_and_their_tags(writer: SummaryWriter) -> None:
    writer.add_custom_scalars({"Category": {"both": ["Multiline", ["a", "b"]], "band": ["Margin", ["a", "b", "c"]]}})
    writer.add_custom_scalars_multilinechart(["a", "b"], "C", "T")
    writer.add_custom_scalars_marginchart(["a", "b", "c"])
    writer.flush()

    layouts = [MessageFields(value.strings[0]) for value in recorded(Path(writer.logdir))]

    [category] = layouts[0].messages(2)
    both, band = category.messages(2)
    assert category.text(1) == "Category"
    assert (both.text(1), both.messages(2)[0].texts(1)) == ("both", ["a", "b"])
    assert [band.messages(3)[0].messages(1)[0].text(field) for field in (1, 2, 3)] == ["a", "b", "c"]
    assert layouts[1].messages(2)[0].messages(2)[0].text(1) == "T"
    assert layouts[2].messages(2)[0].text(1) == "default"
    assert kinds(Path(writer.logdir)) == {"custom_scalars__config__": Kind.CUSTOM_SCALARS}


def test_embeddings_are_files_that_a_list_names(writer: SummaryWriter, tmp_path: Path) -> None:
    points = RANDOM.random((5, 2)).astype(np.float32)
    images = RANDOM.random((5, 3, 8, 8))
    for _ in range(2):  # the second call replaces the first
        writer.add_embedding(points, ["a", "b\tc", "d\ne", 4, 5.5], images, 3, "all/words")
    writer.add_embedding(points, [[1, "x"]] * 5, global_step=4, metadata_header=["number", "letter"])
    writer.flush()

    folder = tmp_path / "00003" / "all%2fwords"
    assert np.loadtxt(folder / "tensors.tsv").astype(np.float32).tolist() == points.tolist()
    assert (folder / "metadata.tsv").read_text() == "a\nb c\nd e\n4\n5.5\n"
    with Image.open(folder / "sprite.png") as sprite:
        assert sprite.size == (24, 24)
    assert (tmp_path / "00004/default/metadata.tsv").read_text() == "number\tletter\n" + "1\tx\n" * 5
    assert (tmp_path / "projector_config.pbtxt").read_text() == (
        "embeddings {\n"
        '  tensor_name: "all/words:00003"\n'
        '  metadata_path: "00003/all%2fwords/metadata.tsv"\n'
        "  sprite {\n"
        '    image_path: "00003/all%2fwords/sprite.png"\n'
        "    single_image_dim: 8\n"
        "    single_image_dim: 8\n"
        "  }\n"
        '  tensor_path: "00003/all%2fwords/tensors.tsv"\n'
        "}\n"
        "embeddings {\n"
        '  tensor_name: "default:00004"\n'
        '  metadata_path: "00004/default/metadata.tsv"\n'
        '  tensor_path: "00004/default/tensors.tsv"\n'
        "}\n"
    )


@pytest.mark.parametrize("name", ["branchy", "digit_dynamo", "digit_torchscript"])
def test_onnx_files_become_graphs(writer: SummaryWriter, corpus: Path, name: str) -> None:
    writer.add_graph(corpus / "models" / "onnx" / f"{name}.onnx")
    writer.flush()

    [path] = event_files(Path(writer.logdir))
    [graph] = [MessageFields(event.content(4)) for event in events(path) if 4 in event]
    nodes = {node.text(1): node for node in graph.messages(1)}
    assert {"Input", "Output", "Parameter"} <= {node.text(2) for node in nodes.values()}
    assert all(source.split(":")[0] in nodes for node in nodes.values() for source in node.texts(3))
    assert kinds(Path(writer.logdir)) == {"graph": Kind.GRAPH}


def test_what_is_no_onnx_model_is_refused(writer: SummaryWriter, tmp_path: Path) -> None:
    (tmp_path / "text.onnx").write_text("this is a text")

    with pytest.raises(ValueError, match="not an ONNX model"):
        writer.add_onnx_graph(tmp_path / "text.onnx")
    with pytest.raises(FileNotFoundError):
        writer.add_onnx_graph(prototxt=str(tmp_path / "missing.onnx"))
