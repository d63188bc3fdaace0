"""Every call of VisualDL 2.x leaves the values that its readers expect."""

from __future__ import annotations

import io
import json
import math
import subprocess
import sys
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import PIL.Image
import pytest

from mindinsight_like import LogReader, LogWriter
from mindinsight_like.logs.visualdl_values import Value


class Recording:
    """A writer, and what a reader finds of it."""

    def __init__(self, folder: Path) -> None:
        self.writer = LogWriter(folder, display_name="first")

    def values(self, component: str, tag: str) -> list[Value]:
        self.writer.flush()
        return LogReader(file_path=self.writer.file_name).get_data(component, tag)

    def picture(self, tag: str) -> npt.NDArray[Any]:
        (value,) = self.values("image", tag)
        assert value.image is not None
        return np.asarray(PIL.Image.open(io.BytesIO(value.image.encoded_image_string)))


@pytest.fixture
def recording(tmp_path: Path) -> Iterator[Recording]:
    recording = Recording(tmp_path / "run")
    yield recording
    recording.writer.close()


class Tensor:
    """Looks like a paddle tensor."""

    def __init__(self, values: Any) -> None:
        self._values = np.asarray(values)
        self.shape = list(self._values.shape)

    def numpy(self) -> npt.NDArray[Any]:
        return self._values


class TestScalars:
    @pytest.mark.parametrize(
        "value", [1.5, 2, True, np.float32(1.25), np.array([2.5]), Tensor([3.5]), [1.0], 0.0, math.inf, -1e300]
    )
    def test_any_number_is_kept_in_single_precision(self, recording: Recording, value: Any) -> None:
        recording.writer.add_scalar("train/loss", value, 3)

        (found,) = recording.values("scalar", "train/loss")
        with np.errstate(over="ignore"):
            expected = float(np.float32(np.asarray(value.numpy() if isinstance(value, Tensor) else value).item()))
        assert (found.id, found.value) == (3, expected)

    def test_nan_is_kept(self, recording: Recording) -> None:
        recording.writer.add_scalar("loss", math.nan, 0)

        (found,) = recording.values("scalar", "loss")
        assert found.value is not None and math.isnan(found.value)

    def test_steps_may_be_numpy_numbers_and_negative(self, recording: Recording) -> None:
        for step in (np.int64(-5), 0, np.array(7), 2**40, -(2**63)):
            recording.writer.add_scalar("loss", 1.0, step)

        assert [value.id for value in recording.values("scalar", "loss")] == [-5, 0, 7, 2**40, -(2**63)]

    def test_walltime_is_in_milliseconds(self, recording: Recording) -> None:
        recording.writer.add_scalar("loss", 1.0, 1, walltime=1_700_000_000_123)

        assert recording.values("scalar", "loss")[0].timestamp == 1_700_000_000_123

    def test_groups_are_curves_of_one_chart(self, recording: Recording) -> None:
        for step in range(2):
            recording.writer.add_scalars("pair", {"sin": math.sin(step), "cos": Tensor(math.cos(step))}, step)

        found = {(value.id, value.tag_value) for value in recording.values("scalars", "pair")}
        assert {(step, group.tag, group.value) for step, group in found if group} == {
            (step, name, float(np.float32(function(step))))
            for step in range(2)
            for name, function in (("sin", math.sin), ("cos", math.cos))
        }

    @pytest.mark.parametrize(
        ("arguments", "error"),
        [
            (("a%b", 1.0, 0), RuntimeError),
            (("", 1.0, 0), ValueError),
            ((3, 1.0, 0), TypeError),
            (("loss", [1.0, 2.0], 0), ValueError),
            (("loss", "high", 0), TypeError),
            (("loss", 1.0, 0.5), ValueError),
            (("loss", 1.0, 2**63), ValueError),
        ],
    )
    def test_what_cannot_be_kept_raises_and_leaves_no_trace(
        self, recording: Recording, arguments: tuple[Any, Any, Any], error: type[Exception]
    ) -> None:
        with pytest.raises(error):
            recording.writer.add_scalar(*arguments)

        recording.writer.flush()
        assert "scalar" not in LogReader(file_path=recording.writer.file_name).get_tags()

    def test_a_group_must_be_a_dict(self, recording: Recording) -> None:
        with pytest.raises(RuntimeError, match="dict"):
            recording.writer.add_scalars("pair", [1.0], 0)  # type: ignore[arg-type]


class TestImages:
    def test_bytes_are_kept_as_they_are(self, recording: Recording) -> None:
        pixels = np.arange(24 * 32 * 3).reshape(24, 32, 3).astype(np.uint8)

        recording.writer.add_image("image", pixels, 0)

        assert np.array_equal(recording.picture("image"), pixels)

    @pytest.mark.parametrize(
        ("shape", "dataformats", "size"),
        [
            ((5, 7), "HW", (5, 7, 3)),
            ((5, 7, 1), "HWC", (5, 7, 3)),
            ((3, 5, 7), "CHW", (5, 7, 3)),
            ((5, 7, 4), "HWC", (5, 7, 4)),
            ((9, 3, 5, 7), "NCHW", (10, 56, 3)),
        ],
    )
    def test_dimensions_are_named(
        self, recording: Recording, shape: tuple[int, ...], dataformats: str, size: tuple[int, ...]
    ) -> None:
        recording.writer.add_image("image", np.full(shape, 200, np.uint8), 0, dataformats=dataformats)

        assert recording.picture("image").shape == size

    @pytest.mark.parametrize(
        ("given", "brightness"),
        [
            (np.array([[0.0, 0.5], [1.0, 0.25]]), [[0, 127], [255, 63]]),
            (np.array([[0.0, 127.9], [255.0, 300.0]]), [[0, 127], [255, 255]]),
            (np.array([[0, 1], [1, 0]], np.uint8), [[0, 255], [255, 0]]),
            (np.array([[True, False], [False, True]]), [[255, 0], [0, 255]]),
            (np.array([[-5, 40], [70_000, 2]]), [[0, 40], [255, 2]]),
            (np.array([[math.nan, 0.0], [1.0, math.inf]]), [[0, 0], [1, 255]]),
        ],
    )
    def test_values_up_to_one_are_shares_of_full_brightness(
        self, recording: Recording, given: npt.NDArray[Any], brightness: list[list[int]]
    ) -> None:
        before = given.copy()

        recording.writer.add_image("image", given, 0, dataformats="HW")

        assert recording.picture("image")[:, :, 0].tolist() == brightness
        assert np.array_equal(given, before, equal_nan=True)

    def test_an_array_may_be_used_again_at_once(self, recording: Recording) -> None:
        pixels = np.full((2, 2, 3), 7, np.uint8)

        recording.writer.add_image("image", pixels, 0)
        pixels[:] = 9

        assert (recording.picture("image") == 7).all()

    def test_a_matrix_comes_as_near_to_a_square_as_it_can(self, recording: Recording) -> None:
        pictures = [np.full((9, 13, 3), 40 * number, np.uint8) for number in range(5)]

        recording.writer.add_image_matrix("matrix", pictures, 0)

        matrix = recording.picture("matrix")
        assert matrix.shape == (27, 26, 3)
        assert matrix[::9, ::13, 0].tolist() == [[0, 40], [80, 120], [160, 0]]

    def test_the_images_of_a_matrix_may_differ_in_size_and_be_shares(self, recording: Recording) -> None:
        pictures = [np.ones((1, 1, 1), np.float32), np.full((3, 3, 1), 0.5, np.float32)]

        recording.writer.add_image_matrix("matrix", pictures, 0, rows=2)

        assert recording.picture("matrix")[:, :, 0].tolist() == [
            *([[0, 0, 0], [0, 255, 0], [0, 0, 0]]),
            *([[127] * 3] * 3),
        ]

    def test_scale_multiplies_the_sides(self, recording: Recording) -> None:
        recording.writer.add_image_matrix("matrix", [np.full((4, 6, 3), 90, np.uint8)] * 2, 0, rows=1, scale=2.0)

        assert recording.picture("matrix").shape == (8, 24, 3)

    @pytest.mark.parametrize("rows", [0, 3, -2])
    def test_rows_must_fit(self, recording: Recording, rows: int) -> None:
        with pytest.raises(ValueError, match="rows"):
            recording.writer.add_image_matrix("matrix", [np.zeros((2, 2, 3))] * 2, 0, rows=rows)

    def test_a_wrong_shape_says_what_was_expected(self, recording: Recording) -> None:
        with pytest.raises(ValueError, match="HWC"):
            recording.writer.add_image("image", np.zeros((4, 4)), 0)


class TestOtherKinds:
    def test_a_sound_is_a_wave_file(self, recording: Recording) -> None:
        recording.writer.add_audio("tone", [0.0, 1.0, -1.0, 2.0], 4, sample_rate=8000)

        (found,) = recording.values("audio", "tone")
        assert found.audio is not None
        assert (found.audio.sample_rate, found.audio.num_channels, found.audio.length_frames) == (8000.0, 1, 4)
        with wave.open(io.BytesIO(found.audio.encoded_audio_string)) as sound:
            assert np.frombuffer(sound.readframes(4), "<i2").tolist() == [0, 32767, -32767, 32767]

    def test_bytes_of_sound_are_samples_around_128(self, recording: Recording) -> None:
        recording.writer.add_audio("tone", np.array([[0], [128], [255]], np.uint8), 0)

        (found,) = recording.values("audio", "tone")
        assert found.audio is not None
        with wave.open(io.BytesIO(found.audio.encoded_audio_string)) as sound:
            assert np.frombuffer(sound.readframes(3), "<i2").tolist() == [-32768, 0, 127 * 256]

    def test_texts_may_lack_a_step(self, recording: Recording) -> None:
        recording.writer.add_text("note", "第二条 🙂")
        recording.writer.add_text("note", "line\nline", 2)

        found = recording.values("text", "note")
        assert [(value.id, value.text and value.text.encoded_text_string) for value in found] == [
            (0, "第二条 🙂"),
            (2, "line\nline"),
        ]

    def test_a_histogram_has_buckets_of_equal_width(self, recording: Recording) -> None:
        values = np.random.default_rng(0).normal(size=(10, 50))

        recording.writer.add_histogram("weights", values, 1, buckets=7)

        (found,) = recording.values("histogram", "weights")
        counts, edges = np.histogram(values, 7)
        assert found.histogram is not None
        assert (found.histogram.hist, found.histogram.bin_edges) == (counts.tolist(), edges.tolist())

    def test_a_histogram_counts_finite_values_only(self, recording: Recording) -> None:
        recording.writer.add_histogram("weights", [math.nan, 1.0, 2.0, math.inf], 1, buckets=2)

        (found,) = recording.values("histogram", "weights")
        assert found.histogram is not None and found.histogram.hist == [1.0, 1.0]

    @pytest.mark.parametrize(("values", "error"), [([], ValueError), ([1j], TypeError), (["a"], TypeError)])
    def test_a_histogram_needs_numbers(self, recording: Recording, values: Any, error: type[Exception]) -> None:
        with pytest.raises(error):
            recording.writer.add_histogram("weights", values, 1)

    def test_embeddings_have_a_label_per_point(self, recording: Recording) -> None:
        points = [np.array([1.0, 2.0]), np.array([3.0, 4.0])]

        recording.writer.add_embeddings("points", mat=points, metadata=["a", "b"])

        (found,) = recording.values("embeddings", "points")
        assert found.embeddings is not None
        assert [(point.label, point.vectors) for point in found.embeddings.embeddings] == [
            (["a"], [1.0, 2.0]),
            (["b"], [3.0, 4.0]),
        ]
        assert found.embeddings.label_meta == []

    @pytest.mark.parametrize(("header", "expected"), [(None, ["label_0", "label_1"]), (["w", "g"], ["w", "g"])])
    def test_labels_may_have_columns(self, recording: Recording, header: list[str] | None, expected: list[str]) -> None:
        recording.writer.add_embeddings(
            "points", hot_vectors=[[1.0], [2.0]], labels=[["a", "b"], [0, 1]], labels_meta=header
        )

        (found,) = recording.values("embeddings", "points")
        assert found.embeddings is not None
        assert [point.label for point in found.embeddings.embeddings] == [["a", "0"], ["b", "1"]]
        assert found.embeddings.label_meta == expected

    def test_labels_must_be_as_many_as_points(self, recording: Recording) -> None:
        with pytest.raises(ValueError, match="2 rows"):
            recording.writer.add_embeddings("points", [[1.0], [2.0]], ["a"])

    def test_hyperparameters_keep_their_types(self, recording: Recording) -> None:
        given = {"lr": 0.1, "batch": np.int64(64), "opt": "SGD", "nesterov": True, "none": None, "huge": 2**70}

        with pytest.warns(UserWarning, match="'shape' is left out"):
            recording.writer.add_hparams({**given, "shape": {}}, ["train/loss"])

        (found,) = recording.values("hyper_parameters", "hparam")
        assert found.hparam is not None and found.id == 1
        kept = {info.name: (info.int_value, info.float_value, info.string_value) for info in found.hparam.hparamInfos}
        assert kept == {
            "lr": (0, 0.1, ""),
            "batch": (64, 0.0, ""),
            "opt": (0, 0.0, "SGD"),
            "nesterov": (1, 0.0, ""),
            "huge": (0, 2.0**70, ""),
        }
        assert [info.name for info in found.hparam.metricInfos] == ["train/loss"]

    def test_a_second_set_of_hyperparameters_is_warned_of(self, recording: Recording) -> None:
        recording.writer.add_hparams({"lr": 0.1}, ["loss"])

        with pytest.warns(UserWarning, match="this one replaces the first"):
            recording.writer.add_hparams({"lr": 0.2}, ["loss"])

    def test_hyperparameters_must_be_a_dict_and_a_list(self, recording: Recording) -> None:
        with pytest.raises(TypeError):
            recording.writer.add_hparams([("lr", 0.1)], [])  # type: ignore[arg-type]
        with pytest.raises(TypeError):
            recording.writer.add_hparams({"lr": 0.1}, "loss")  # type: ignore[arg-type]

    def test_a_curve_of_precision_and_recall_counts_answers(self, recording: Recording) -> None:
        labels, predictions = [True, False, True, False], [0.9, 0.6, 0.4, 0.1]

        recording.writer.add_pr_curve("class", labels, predictions, 2, num_thresholds=3)

        (found,) = recording.values("pr_curve", "class")
        curve = found.pr_curve
        assert curve is not None
        assert (curve.TP, curve.FP, curve.TN, curve.FN) == ([2, 1, 0], [2, 1, 0], [0, 1, 2], [0, 1, 2])
        assert (curve.precision, curve.recall) == ([0.5, 0.5, 0.0], [1.0, 0.5, 0.0])

    def test_the_rate_of_true_positives_is_of_the_positives(self, recording: Recording) -> None:
        labels, predictions = [1, 0, 0, 0], [0.9, 0.6, 0.4, 0.1]

        recording.writer.add_roc_curve("class", labels, predictions, 2, num_thresholds=3, weights=2.0)

        (found,) = recording.values("roc_curve", "class")
        curve = found.roc_curve
        assert curve is not None
        assert (curve.TP, curve.FP, curve.TN, curve.FN) == ([2, 2, 0], [6, 2, 0], [0, 4, 6], [0, 0, 2])
        assert curve.tpr == [1.0, 1.0, 0.0]
        assert curve.fpr == pytest.approx([1.0, 1 / 3, 0.0])

    def test_no_more_thresholds_than_visualdl_takes(self, recording: Recording) -> None:
        recording.writer.add_pr_curve("class", [1, 0], [0.3, 0.4], 0, num_thresholds=1000)

        (found,) = recording.values("pr_curve", "class")
        assert found.pr_curve is not None and len(found.pr_curve.TP) == 127

    def test_labels_and_predictions_must_be_as_many(self, recording: Recording) -> None:
        with pytest.raises(ValueError, match="must have the same length"):
            recording.writer.add_pr_curve("class", [1, 0], [0.3], 0)

    def test_a_run_can_be_renamed(self, recording: Recording) -> None:
        recording.writer.add_meta(display_name="second")

        names = [
            value.meta_data and value.meta_data.display_name for value in recording.values("meta_data", "meta_data_tag")
        ]
        assert names == ["first", "second"]


def test_the_same_calls_leave_what_visualdl_left(tmp_path: Path, corpus: Path) -> None:
    original = corpus / "visualdl-2.5" / "everything"
    expected = json.loads((original / "expected.json").read_text())
    (theirs,) = original.glob("vdlrecords*")
    left = LogReader(file_path=theirs)

    with LogWriter(tmp_path) as writer:
        for tag, points in expected["scalars"].items():
            for step, value in points:
                writer.add_scalar(tag, value, step)
        for tag, points in expected["subtag_scalars"].items():
            main, _, sub = tag.rpartition("/")
            for step, value in points:
                writer.add_scalars(main, {sub: value}, step)
        for tag, texts in expected["texts"].items():
            for step, text in texts:
                writer.add_text(tag, text, step)
        for tag in expected["images"]:
            for value in left.get_data("image", tag):
                assert value.image is not None
                picture = PIL.Image.open(io.BytesIO(value.image.encoded_image_string))
                writer.add_image(tag, np.asarray(picture), value.id)
        writer.add_hparams(expected["hparams"]["hparams"], expected["hparams"]["metrics_list"])
        name = writer.file_name
    ours = LogReader(file_path=name)

    for component, tag in [
        *(("scalar", tag) for tag in expected["scalars"]),
        ("scalars", "all/pair"),
        *(("text", tag) for tag in expected["texts"]),
    ]:
        assert _timeless(ours.get_data(component, tag)) == _timeless(left.get_data(component, tag))
    for tag in expected["images"]:
        assert _pictures(ours.get_data("image", tag)) == _pictures(left.get_data("image", tag))
    (mine,), (other,) = (reader.get_data("hyper_parameters", "hparam") for reader in (ours, left))
    assert mine.hparam is not None and other.hparam is not None
    assert (mine.hparam.hparamInfos, mine.hparam.metricInfos) == (other.hparam.hparamInfos, other.hparam.metricInfos)


def _timeless(values: list[Value]) -> list[tuple[Any, ...]]:
    return [(value.id, value.tag, value.value, value.tag_value, value.text) for value in values]


def _pictures(values: list[Value]) -> list[Any]:
    return [
        (value.id, np.asarray(PIL.Image.open(io.BytesIO(value.image.encoded_image_string)).convert("RGB")).tolist())
        for value in values
        if value.image
    ]


def test_scalars_alone_load_no_numpy(tmp_path: Path) -> None:
    program = (
        "import sys, mindinsight_like as mi\n"
        "with mi.LogWriter(sys.argv[1]) as writer: writer.add_scalar('loss', 0.5, 1)\n"
        "mi.LogWriter(sys.argv[1], sync_cycle=1).mode('train').scalar('loss').add_record(1, 0.5)\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules} "
        "& {'numpy', 'pandas', 'flask', 'google', 'PIL', 'pyarrow'}))"
    )

    answer = subprocess.run([sys.executable, "-c", program, tmp_path], capture_output=True, text=True, check=True)

    assert answer.stdout.strip() == ""
