"""Arrays become the pictures, videos and sounds that their values describe."""

from __future__ import annotations

import io
import wave
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from PIL import Image, ImageSequence

from mindinsight_like.writers.encoding import audio, images, videos

RANDOM = np.random.default_rng(3)
Array = np.ndarray[Any, Any]


def decoded(content: bytes) -> Array:
    with Image.open(io.BytesIO(content)) as picture:
        return np.asarray(picture)


@settings(max_examples=60)
@given(
    arrays.arrays(
        np.uint8,
        st.tuples(st.integers(1, 9), st.integers(1, 9), st.sampled_from([1, 2, 3, 4])),
        elements=st.integers(0, 255),
    )
)
def test_png_files_hold_every_pixel(pixels: Array) -> None:
    assert (decoded(images.png(pixels)).reshape(pixels.shape) == pixels).all()


def test_png_files_of_smooth_pictures_are_small() -> None:
    rows, columns = np.mgrid[:200, :200]
    smooth = np.stack([rows, columns, rows + columns], axis=2).astype(np.uint8)

    assert len(images.png(smooth)) < smooth.size / 50


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        (np.array([0, 7, 255], np.uint8), [0, 7, 255]),
        (np.array([0.0, 0.5, 1.0]), [0, 127, 255]),
        (np.array([-1.0, 2.0, np.nan], np.float32), [0, 255, 0]),
        (np.array([np.inf, -np.inf, 0.25], np.float16), [255, 0, 63]),
        (np.array([False, True, True]), [0, 255, 255]),
        (np.array([0, 1, 1]), [0, 255, 255]),
        (np.array([0, 2, 300]), [0, 2, 255]),
        (np.array([-5, 1, 0], np.int8), [0, 1, 0]),
    ],
    ids=["bytes", "floats", "clipped", "halves", "booleans", "mask", "integers", "negative"],
)
def test_values_mean_brightness_by_their_type(values: Array, expected: list[int]) -> None:
    assert images.to_bytes(values).tolist() == expected


def test_complex_numbers_are_no_picture() -> None:
    with pytest.raises(TypeError, match="not complex128"):
        images.to_bytes(np.array([1j]))


@pytest.mark.parametrize("dataformats", ["HWC", "CHW", "WHC", "CWH", "chw"])
def test_dimensions_may_come_in_any_order(dataformats: str) -> None:
    pixels = RANDOM.integers(0, 256, (4, 5, 3), dtype=np.uint8)
    given_as = pixels.transpose(["HWC".index(axis) for axis in dataformats.upper()])

    assert (images.to_pixels(given_as, dataformats) == pixels).all()


def test_gray_pictures_become_coloured() -> None:
    gray = RANDOM.integers(0, 256, (4, 5), dtype=np.uint8)

    for given_as, dataformats in ((gray, "HW"), (gray[None], "CHW"), (gray.T, "WH")):
        assert (images.to_pixels(given_as, dataformats) == gray[:, :, None].repeat(3, axis=2)).all()


def test_several_pictures_are_laid_out_eight_in_a_row() -> None:
    many = RANDOM.integers(1, 256, (11, 4, 5, 3), dtype=np.uint8)

    whole = images.to_pixels(many, "NHWC")

    assert whole.shape == (8, 40, 3)
    assert (whole[:4, 5:10] == many[1]).all()
    assert (whole[4:, 10:15] == many[10]).all()
    assert not whole[4:, 15:].any()


def test_pixels_do_not_change_with_the_array_they_came_from() -> None:
    given_array = np.zeros((2, 2, 3), np.uint8)
    pixels = images.to_pixels(given_array)

    given_array += 1

    assert not pixels.any()


@pytest.mark.parametrize(
    ("shape", "dataformats", "reason"),
    [
        ((4, 5), "CHW", "3 dimensions, but the array has the shape"),
        ((32, 32, 3), "CHW", "32 channels"),
        ((3, 4, 5), "CHX", "must name H and W"),
        ((3, 4, 5), "CHH", "must name H and W"),
        ((3, 0, 5), "CHW", "at least one pixel"),
        ((2, 5, 4, 4), "NCHW", "5 channels"),
    ],
)
def test_shapes_that_are_no_picture_are_refused(shape: tuple[int, ...], dataformats: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        images.to_pixels(np.zeros(shape), dataformats)


def test_boxes_are_drawn_around_what_they_frame() -> None:
    plain = np.zeros((40, 60, 3), np.uint8)

    framed = images.with_boxes(plain, np.array([[10, 5, 50, 35]]), ["cat"])

    assert framed[5, 20].tolist() == [255, 0, 0]
    assert framed[20, 30].tolist() == [0, 0, 0]
    assert not plain.any()
    with pytest.raises(ValueError, match="left, top, right, bottom"):
        images.with_boxes(plain, np.zeros((2, 3)))


def test_pictures_are_scaled() -> None:
    assert images.resized(np.zeros((10, 20, 3), np.uint8), 0.5).shape == (5, 10, 3)


def test_videos_keep_their_frames_and_speed() -> None:
    levels = np.arange(0, 250, 50, dtype=np.uint8)
    frames = videos.to_frames(np.broadcast_to(levels[None, :, None, None, None], (1, 5, 3, 8, 6)))

    with Image.open(io.BytesIO(videos.gif(frames, fps=4))) as animation:
        shown = [np.asarray(frame.convert("L")) for frame in ImageSequence.Iterator(animation)]
        duration = animation.info["duration"]

    assert [int(frame[0, 0]) for frame in shown] == levels.tolist()
    assert shown[0].shape == (8, 6)
    assert duration == 250


def test_several_videos_run_side_by_side() -> None:
    three = RANDOM.random((3, 2, 1, 4, 5))

    assert videos.to_frames(three).shape == (2, 8, 10, 1) or videos.to_frames(three).shape == (2, 4, 20, 1)
    assert videos.to_frames(three[0], "TCHW").shape == (2, 4, 5, 1)


@pytest.mark.parametrize(
    ("shape", "dataformats", "reason"),
    [
        ((1, 2, 3, 4), "NTCHW", "5 dimensions"),
        ((1, 2, 2, 4, 4), "NTCHW", "1, 3 or 4 channels"),
        ((1, 2, 3, 4, 4), "NTCHC", "must name T, C, H and W"),
    ],
)
def test_shapes_that_are_no_video_are_refused(shape: tuple[int, ...], dataformats: str, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        videos.to_frames(np.zeros(shape), dataformats)


@pytest.mark.parametrize(
    ("array", "channels"),
    [
        (np.zeros(9), 1),
        (np.zeros((9, 1)), 1),
        (np.zeros((1, 9)), 1),
        (np.zeros((9, 2)), 2),
        (np.zeros((2, 9)), 2),
    ],
    ids=lambda value: str(getattr(value, "shape", value)),
)
def test_sounds_have_one_or_two_channels(array: Array, channels: int) -> None:
    sound = audio.wav(audio.to_samples(array), sample_rate=8000)

    assert (sound.frames, sound.channels, sound.sample_rate) == (9, channels, 8000)
    with wave.open(io.BytesIO(sound.file)) as file:
        assert (file.getnframes(), file.getnchannels(), file.getframerate(), file.getsampwidth()) == (
            9,
            channels,
            8000,
            2,
        )


def test_samples_are_clipped_and_scaled() -> None:
    assert audio.to_samples(np.array([0.0, 1.0, -3.0, np.nan, 0.5])).tolist() == [[0], [32767], [-32767], [0], [16383]]
    assert audio.to_samples(np.array([5, -6], np.int16)).tolist() == [[5], [-6]]


def test_what_is_no_sound_is_refused() -> None:
    with pytest.raises(ValueError, match=r"not \(3, 4, 5\)"):
        audio.to_samples(np.zeros((3, 4, 5)))
    with pytest.raises(ValueError, match="at least one sample"):
        audio.to_samples(np.zeros(0))
    with pytest.raises(TypeError, match="not int64"):
        audio.to_samples(np.zeros(4, np.int64))
