"""Tensors: every number type, both ways of storing it, and claims about size that are not believed."""

from __future__ import annotations

import io
import math

import numpy as np
import pytest

from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.values.records import BadValue
from mindinsight_like.values.tensors.tensor_statistics import statistics
from mindinsight_like.values.tensors.tensors import decode, npy, summary
from mindinsight_like.writers.encoding import mindspore, tensorboard, wire


def shape(*sizes):
    return wire.blob(2, b"".join(wire.blob(2, wire.integer(1, size)) for size in sizes))


def value(dtype, sizes, content):
    return wire.text(1, "t") + wire.blob(8, wire.integer(1, dtype) + shape(*sizes) + content)


@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "uint8", "int64", "bool", "float16"])
def test_arrays_come_back(tensorboard_record, dtype):
    array = np.arange(6).reshape(2, 3).astype(dtype)

    found = decode(tensorboard_record(tensorboard.tensor("t", array, plugin="x")))

    assert (found.dtype, found.shape) == (dtype, (2, 3))
    np.testing.assert_array_equal(found.array, array)
    np.testing.assert_array_equal(np.load(io.BytesIO(npy(found.array)), allow_pickle=False), array)


@pytest.mark.parametrize(
    ("dtype", "content", "numbers"),
    [
        (1, wire.single(5, 1.5) + wire.single(5, -2), [1.5, -2]),
        (2, wire.doubles(6, [0.1, 0.2]), [0.1, 0.2]),
        (3, wire.blob(7, wire.varint(300) + wire.varint(-5 % 2**64)), [300, -5]),
        (9, wire.integer(10, 2**40) + wire.integer(10, -1), [2**40, -1]),
        (10, wire.blob(11, b"\x01\x00"), [True, False]),
        (14, wire.blob(13, wire.varint(0x3FC0) + wire.varint(0xC000)), [1.5, -2]),
        (19, wire.blob(13, wire.varint(0x3E00) + wire.varint(0xC000)), [1.5, -2]),
        (23, wire.blob(17, wire.varint(2**64 - 1) + b"\x00"), [2**64 - 1, 0]),
        (14, wire.blob(4, b"\xc0\x3f\x00\xc0"), [1.5, -2]),
        (1, wire.single(5, 1.5), [1.5, 1.5]),
        (3, b"", [0, 0]),
    ],
)
def test_listed_numbers(tensorboard_record, dtype, content, numbers):
    found = decode(tensorboard_record(value(dtype, [2], content)))

    assert found.array is not None and found.array.tolist() == numbers


def test_tensors_of_mindspore(mindspore_record):
    array = np.arange(12, dtype=np.int64).reshape(3, 4)

    found = decode(mindspore_record(mindspore.tensor("t", array)))

    assert (found.dtype, found.shape) == ("int64", (3, 4))
    np.testing.assert_array_equal(found.array, array)


def test_strings_have_no_statistics(tensorboard_record):
    found = summary(tensorboard_record(tensorboard.strings("t", [b"a", b"b"], shape=(2,), plugin="x")))

    assert (found.dtype, found.shape, found.statistics) == ("string", (2,), None)


def test_statistics_are_of_the_finite_numbers():
    found = statistics([np.array([1, 2, math.nan], np.float32), np.array([3, math.inf, -math.inf], np.float32)])

    assert (found.min, found.max, found.mean, found.sum) == (1, 3, 2, 6)
    assert found.std == pytest.approx(math.sqrt(2 / 3))
    assert (found.nan, found.pos_inf, found.neg_inf) == (1, 1, 1)
    assert statistics([np.zeros(0)]).min is None
    assert statistics([np.array([True, False])]).sum == 1


@pytest.mark.parametrize(
    "written",
    [
        value(1, [2], wire.blob(4, bytes(7))),
        value(1, [3], wire.blob(4, bytes(8))),
        value(1, [2**40, 2**40], wire.single(5, 1)),
        value(1, [2**31], b""),
        value(1, [-1], b""),
        value(1, [1] * 100, wire.single(5, 1)),
        value(99, [1], b""),
        value(7, [3], wire.blob(8, b"one")),
        value(3, [1], wire.blob(7, b"\xff" * 11)),
        value(3, [1], wire.blob(7, b"\xff")),
        value(1, [2], wire.single(5, 1) * 200_001),
        wire.text(1, "t"),
    ],
)
def test_claims_that_do_not_fit_are_refused(tensorboard_record, written):
    with pytest.raises((BadValue, Malformed)):
        summary(tensorboard_record(written))


def test_a_claim_of_mindspore_that_does_not_fit_is_refused(mindspore_record):
    tensor = wire.integer(1, 1000) + wire.integer(2, 11) + wire.blob(3, bytes(8))

    with pytest.raises(BadValue):
        decode(mindspore_record(wire.text(1, "t") + wire.blob(8, tensor)))
