"""Whatever the bytes, decoders answer or refuse; they never fail in another way and never take much memory."""

from __future__ import annotations

import contextlib

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.values import audio, chart_layouts, histograms, images, landscapes, meshes, pr_curves, texts
from mindinsight_like.values.embeddings import embeddings
from mindinsight_like.values.records import BadValue, Record, Window
from mindinsight_like.values.tensors import tensors
from mindinsight_like.writers.encoding import mindspore, tensorboard, visualdl
from mindinsight_like.writers.encoding.images import png

DECODERS = [
    histograms.decode,
    texts.decode,
    tensors.summary,
    pr_curves.decode_pr,
    pr_curves.decode_roc,
    chart_layouts.decode,
    embeddings.decode,
    landscapes.decode,
    meshes.decode,
    images.pictures,
    audio.sounds,
    lambda record: images.picture_file(record, 0),
    lambda record: audio.sound_file(record, 0),
]
REAL = [
    tensorboard.image("i", png(np.zeros((3, 4, 3), np.uint8)), width=4, height=3),
    tensorboard.tensor("t", np.arange(6.0).reshape(6, 1), plugin="pr_curves"),
    tensorboard.strings("t", [b"1", b"2", b"RIFF1234WAVE"], shape=(3,), plugin="images"),
    tensorboard.histogram("h", [0.0, 1.0, 2.0], [1, 2], total=1.0, sum_squares=1.0),
    mindspore.histogram("h", [0.0, 1.0, 2.0], [1, 2], total=1.0),
    mindspore.tensor("t", np.arange(6.0)),
    visualdl.record("t", visualdl.roc_curve([[1, 2]] * 4, [1, 2], [1, 2]), step=0, wall_time=1.0)[2:],
]


@given(
    real=st.sampled_from(REAL) | st.binary(max_size=60),
    changes=st.lists(st.tuples(st.integers(0, 500), st.integers(0, 255)), max_size=4),
    cut=st.integers(0, 600),
    dialect=st.sampled_from(Dialect),
)
def test_changed_records_are_decoded_or_refused(real, changes, cut, dialect):
    data = bytearray(real[:cut])
    for place, byte in changes:
        if place < len(data):
            data[place] = byte
    record = Record(dialect, bytes(data))

    for decode in DECODERS:
        with contextlib.suppress(BadValue, Malformed):
            decode(record)


@given(real=st.sampled_from(REAL) | st.binary(max_size=60), piece=st.integers(1, 50), dialect=st.sampled_from(Dialect))
@pytest.mark.parametrize("decode", DECODERS)
def test_records_read_in_pieces_are_the_same(decode, real, piece, dialect):
    def outcome(data):
        try:
            return repr(decode(Record(dialect, data)))
        except (BadValue, Malformed) as error:
            return repr(error)

    def read(begin, count):
        assert 0 <= begin <= begin + count <= len(real)
        return real[begin : begin + count]

    assert outcome(Window(read, len(real), piece=piece)) == outcome(real)
