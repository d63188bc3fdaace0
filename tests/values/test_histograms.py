"""Histograms: the very edges and counts that were written."""

from __future__ import annotations

import numpy as np
import pytest

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.values.histograms import decode
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.writers.encoding import mindspore, tensorboard, visualdl, wire

LARGEST = float(np.finfo(np.float64).max)


def limits(statistics, limits, counts):
    return tensorboard.raw_histogram("h", (*statistics, 0.0), limits=limits, counts=counts)


def rows(*rows):
    return tensorboard.tensor("h", np.array(rows, np.float64).reshape(-1, 3), plugin="histograms")


@pytest.mark.parametrize(
    ("stated", "ends", "counts", "edges", "kept"),
    [
        # An empty bucket before the first tells where that begins.
        ((0.5, 2.5, 6, 9.0), [0.25, 1, 2, 3], [0, 1, 2, 3], [0.5, 1, 2, 2.5], [1, 2, 3]),
        # Without one, the smallest value does; the last limit may be anything.
        ((-1.5, 2.5, 6, 3.0), [-1, 2, LARGEST], [1, 2, 3], [-1.5, -1, 2, 2.5], [1, 2, 3]),
        # Outer buckets are cut to the values, inner empty ones stay.
        ((0.1, 9.0, 3, 1.0), [0, 1, 2, 10, 20], [0, 1, 0, 2, 0], [0.1, 1, 2, 9], [1, 0, 2]),
        # One value.
        ((7.0, 7.0, 4, 28.0), [6, 8], [0, 4], [7, 7], [4]),
        # None.
        ((0.0, 0.0, 0, 0.0), [1, 2], [0, 0], [], []),
    ],
)
def test_limits_of_tensorboard(tensorboard_record, stated, ends, counts, edges, kept):
    found = decode(tensorboard_record(limits(stated, ends, counts)))

    assert found.edges.tolist() == edges
    assert found.counts.tolist() == kept
    assert found.count == stated[2]
    assert (found.min, found.max, found.sum) == ((stated[0], stated[1], stated[3]) if stated[2] else (None,) * 3)


@pytest.mark.parametrize(
    ("written", "edges", "counts"),
    [
        (rows((0, 1, 5), (1, 2.5, 0), (2.5, 3, 7)), [0, 1, 2.5, 3], [5, 0, 7]),
        (rows((0, 1, 5), (2, 3, 7)), [0, 1, 2, 3], [5, 0, 7]),
        (rows((4, 4, 0), (4, 4, 9)), [4, 4], [9]),
        (rows((0, 0, 0), (0, 0, 0)), [], []),
        (rows(), [], []),
    ],
)
def test_rows_of_tensorflow(tensorboard_record, written, edges, counts):
    found = decode(tensorboard_record(written))

    assert (found.edges.tolist(), found.counts.tolist(), found.count) == (edges, counts, sum(counts))
    assert (found.min, found.max) == ((edges[0], edges[-1]) if edges else (None, None))


def test_buckets_of_mindspore_with_what_is_not_finite(mindspore_record):
    written = mindspore.histogram("h", [-1.0, 0.1, 0.4], [3, 4], total=-1.25, least=-0.9, not_finite=(2, 1, 3))

    found = decode(mindspore_record(written))

    assert found.edges.tolist() == [-1.0, 0.1, 0.4]
    assert found.counts.tolist() == [3, 4]
    assert (found.count, found.min, found.max, found.sum) == (13, -0.9, 0.4, -1.25)
    assert (found.nan, found.pos_inf, found.neg_inf) == (2, 1, 3)


def test_nothing_finite(mindspore_record):
    found = decode(mindspore_record(mindspore.histogram("h", [], [], total=0.0, not_finite=(5, 0, 0))))

    assert (found.count, found.min, found.max, found.sum, found.nan) == (5, None, None, None, 5)
    assert len(found.edges) == len(found.counts) == 0


def test_edges_of_visualdl(visualdl_record):
    found = decode(visualdl_record(visualdl.histogram([0.1, 0.2, 0.7], [1, 2])))

    assert (found.edges.tolist(), found.counts.tolist()) == ([0.1, 0.2, 0.7], [1, 2])
    assert (found.count, found.min, found.max, found.sum) == (3, 0.1, 0.7, None)


def test_range_of_visualdl_1():
    entry = wire.text(5, "-1.5 2.5") + wire.blob(12, bytes([1, 0, 3, 4]))

    found = decode(Record(Dialect.VISUALDL_LEGACY, wire.blob(1, entry)))

    assert (found.edges.tolist(), found.counts.tolist()) == ([-1.5, -0.5, 0.5, 1.5, 2.5], [1, 0, 3, 4])


@pytest.mark.parametrize(
    "written",
    [
        limits((0, 1, 1, 1), [1, 2], [1]),
        limits((0, 1, 1, 1), [2, 1, 0], [1, 1, 1]),
        limits((float("nan"), 1, 1, 1), [1, 2], [1, 1]),
        limits((0, 1, 1, 1), [1, 2], [1, float("nan")]),
        limits((0, 1, 1, 1), [1, 2], [1, -1]),
        rows((0, 2, 1), (1, 3, 1)),
        rows((0, float("inf"), 1)),
        rows((1, 0, 1)),
        tensorboard.tensor("h", np.zeros((2, 2)), plugin="histograms"),
        tensorboard.strings("h", [b"x"], shape=(1,), plugin="histograms"),
        b"",
        b"\x2a\xff",
        wire.text(1, "h"),
    ],
)
def test_what_is_no_histogram_is_refused(tensorboard_record, written):
    with pytest.raises((BadValue, Malformed)):
        decode(tensorboard_record(written))


@pytest.mark.parametrize("text", ["", "1", "a b", "nan 1", "1 2 3"])
def test_a_range_that_is_none_is_refused(text):
    record = Record(Dialect.VISUALDL_LEGACY, wire.blob(1, wire.text(5, text) + wire.blob(12, b"\x01")))

    with pytest.raises(BadValue):
        decode(record)
