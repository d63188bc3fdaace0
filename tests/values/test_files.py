"""Pictures and sounds inside records: their sizes from the first bytes, their files, and what is none."""

from __future__ import annotations

import io

import numpy as np
import PIL.Image
import pytest

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.values import audio
from mindinsight_like.values.audio import Sound, sound_file
from mindinsight_like.values.file_types import content_type, picture_size, sound_format
from mindinsight_like.values.images import Picture, picture_file, pictures
from mindinsight_like.values.records import BadValue, Record, Window
from mindinsight_like.writers.encoding import mindspore, tensorboard, visualdl, wire
from mindinsight_like.writers.encoding.audio import wav
from mindinsight_like.writers.encoding.images import png

PIXELS = np.random.default_rng(1).integers(0, 255, (30, 50, 3), np.uint8)
PNG = png(PIXELS)
TONE = wav(np.zeros((400, 2), np.int16), sample_rate=8000)


def encoded(form: str) -> bytes:
    out = io.BytesIO()
    PIL.Image.fromarray(PIXELS).save(out, form)
    return out.getvalue()


class Looked:
    """A record that is read piece by piece; `count` is how many bytes were."""

    def __init__(self, record: Record) -> None:
        self.count = 0
        self._data = record.data
        self.record = Record(record.dialect, Window(self._read, len(record.data)), record.beside)

    def _read(self, begin: int, count: int) -> bytes:
        assert 0 <= begin <= begin + count <= len(self._data)
        self.count += count
        return self._data[begin : begin + count]


@pytest.fixture(params=["tensorboard", "mindspore", "visualdl"])
def with_picture(request):
    """Makes the record of a picture in each dialect."""
    make = request.getfixturevalue(f"{request.param}_record")
    written = {
        "tensorboard": lambda file: tensorboard.image("i", file, width=50, height=30),
        "mindspore": lambda file: mindspore.image("i", file, width=50, height=30),
        "visualdl": visualdl.image,
    }[request.param]
    return lambda file: make(written(file))


@pytest.mark.parametrize("form", ["png", "gif", "jpeg"])
def test_little_is_read_to_tell_the_size(with_picture, form):
    record = with_picture(encoded(form) + bytes(100_000))
    looked = Looked(record)

    assert pictures(looked.record) == pictures(record) == [Picture(50, 30)]
    assert looked.count < 2000
    assert picture_file(record, 0) == picture_file(looked.record, 0) == encoded(form) + bytes(100_000)


def test_the_size_of_a_jpeg_behind_a_long_profile(with_picture):
    file = encoded("jpeg")
    profile = b"\xff\xe2" + (60_000).to_bytes(2, "big") + bytes(59_998)

    assert pictures(Looked(with_picture(file[:2] + profile + file[2:])).record) == [Picture(50, 30)]


def test_several_pictures_of_one_step(tensorboard_record):
    files = [b"50", b"30", PNG, encoded("gif"), b"<svg/>"]
    record = tensorboard_record(tensorboard.strings("i", files, shape=(5,), plugin="images"))

    one, two, three = pictures(record)

    assert one == two == Picture(50, 30)
    assert isinstance(three, BadValue)
    assert [picture_file(record, part) for part in range(3)] == files[2:]
    with pytest.raises(BadValue):
        picture_file(record, 3)


def test_the_sizes_of_several_large_pictures_are_told_by_their_heads(tensorboard_record):
    files = [b"50", b"30", *([PNG + bytes(500_000)] * 5)]
    looked = Looked(tensorboard_record(tensorboard.strings("i", files, shape=(7,), plugin="images")))

    assert pictures(looked.record) == [Picture(50, 30)] * 5
    assert looked.count < 20_000


def legacy(shape, beside):
    entries = [wire.text(5, str(name)) + wire.blob(9, bytes(shape)) for name in range(2)]
    data = b"".join(wire.blob(1, entry) for entry in entries)
    return Record(Dialect.VISUALDL_LEGACY, data, beside)


def test_bare_pixels_become_png():
    record = legacy(PIXELS.shape, lambda name: PIXELS.tobytes())

    assert pictures(record) == [Picture(50, 30)] * 2
    decoded = np.asarray(PIL.Image.open(io.BytesIO(picture_file(record, 1))))
    np.testing.assert_array_equal(decoded, PIXELS)


@pytest.mark.parametrize("shape", [(), (3,), (30, 50, 9), (0, 5, 3), (31, 50, 3)])
def test_pixels_that_do_not_fit_are_refused(shape):
    with pytest.raises(BadValue):
        picture_file(legacy(shape, lambda name: PIXELS.tobytes()), 0)


@pytest.mark.parametrize(
    "file",
    [
        b"",
        b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>",
        b"<!doctype html><script>alert(1)</script>",
        PNG[:20],
        PNG[:16] + b"\xff" * 8 + PNG[24:],
        PNG[:16] + bytes(8) + PNG[24:],
        b"\xff\xd8\xff" + bytes(100),
        b"\xff\xd8\xff\xe0\x00\x00" * 50,
        TONE.file,
    ],
)
def test_what_is_no_picture_says_so(with_picture, file):
    (found,) = pictures(with_picture(file))

    assert isinstance(found, BadValue)
    assert str(found)


def test_sounds_of_each_dialect(tensorboard_record, visualdl_record):
    kept = Sound(8000, 2, 400)
    alone = tensorboard_record(tensorboard.audio("s", TONE))
    second = visualdl_record(visualdl.audio(TONE.file, sample_rate=8000, channels=2, frames=400))
    third = tensorboard_record(tensorboard.strings("s", [TONE.file, b"la"] * 2, shape=(2, 2), plugin="audio"))
    fourth = legacy((80, 2, 2), lambda name: bytes(1600))

    assert audio.sounds(Looked(alone).record) == audio.sounds(Looked(second).record) == [kept]
    assert audio.sounds(third) == audio.sounds(Looked(third).record) == [Sound(8000, 2, 400, "la")] * 2
    assert audio.sounds(fourth) == [Sound(80, 2, 400)] * 2
    for record in (alone, second, third):
        assert sound_file(record, 0) == TONE.file


def test_sounds_without_labels(tensorboard_record):
    record = tensorboard_record(tensorboard.strings("s", [TONE.file] * 2, shape=(2, 1), plugin="audio"))

    assert audio.sounds(record) == [Sound(8000, 2, 400)] * 2


@pytest.mark.parametrize("file", [b"", b"RIFF", PNG, TONE.file[:30], b"RIFF\0\0\0\0WAVE" + b"\xff" * 100])
def test_what_is_no_sound_says_so(visualdl_record, file):
    (found,) = audio.sounds(visualdl_record(visualdl.audio(file, sample_rate=1, channels=1, frames=1)))

    assert isinstance(found, BadValue)


@pytest.mark.parametrize("shape", [(), (80, 9, 1), (0, 2, 1), (80, 2)])
def test_bare_samples_without_a_format_are_refused(shape):
    with pytest.raises(BadValue):
        sound_file(legacy(shape, lambda name: bytes(100)), 0)


def test_a_sound_that_claims_more_than_it_has(visualdl_record):
    file = TONE.file[:-400]

    header = sound_format(file, len(file))

    assert header is not None and header.frames == 300


def test_types_are_told_by_content_alone():
    assert content_type(PNG) == "image/png"
    assert content_type(encoded("jpeg")) == "image/jpeg"
    assert content_type(encoded("gif")) == "image/gif"
    assert content_type(TONE.file) == "audio/wav"
    for other in (b"<svg", b"<html", b"%PDF", encoded("webp"), b"RIFF1234AVI ", b""):
        assert content_type(other) is None
    assert picture_size(encoded("jpeg")) == (50, 30)


@pytest.mark.parametrize("find", [pictures, audio.sounds])
def test_a_record_of_countless_parts_is_left_alone(tensorboard_record, find):
    record = tensorboard_record(wire.blob(8, wire.blob(8, b"") * 20_000))

    with pytest.raises((BadValue, Malformed)):
        find(record)
