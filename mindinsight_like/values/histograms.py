"""Decode histograms of every dialect as edges and counts, exactly as they were written."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from mindinsight_like.logs.kinds import TRACKER_DIALECTS, Dialect
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas import mindspore_summary, tensorboard, visualdl_legacy
from mindinsight_like.values.documents import document
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.tensors.tensor_messages import Floats, tensorflow_tensor

_ROUNDING = 1e-6  # of a bucket's width: left + width need not be the very number that the next one begins with


@dataclass(frozen=True)
class Histogram:
    """`counts[i]` values lie between `edges[i]` and `edges[i + 1]`; both are empty when there are no values.

    min, max and sum are of the finite values, as far as the writer tells: some only know the outer edges, and None
    is a sum that was not written. `count` includes values that are not finite.
    """

    count: float
    min: float | None
    max: float | None
    sum: float | None
    edges: Floats
    counts: Floats
    nan: int = 0
    pos_inf: int = 0
    neg_inf: int = 0


def decode(record: Record) -> Histogram:
    """The histogram of a record; raises BadValue, Malformed."""
    if record.dialect == Dialect.TENSORBOARD:
        result = (
            _of_limits(record.inner(tensorboard.Summary.Value.histo, "histogram"))
            if tensorboard.Summary.Value.histo in record.fields
            else _of_rows(record)
        )
    elif record.dialect == Dialect.MINDSPORE:
        result = _of_buckets(record.inner(mindspore_summary.Summary.Value.histogram, "histogram"))
    elif record.dialect == Dialect.VISUALDL:
        histogram = record.visualdl.histogram
        if histogram is None:
            raise BadValue("the record contains no histogram")
        result = _of_edges(np.array(histogram.bin_edges), np.array(histogram.hist))
    elif record.dialect == Dialect.VISUALDL_LEGACY:
        result = _of_range(record)
    elif record.dialect in TRACKER_DIALECTS:
        result = _of_document(record)
    else:
        raise BadValue("histograms are not supported in this log format")
    if len(result.edges) and not (np.isfinite(result.edges).all() and (np.diff(result.edges) >= 0).all()):
        raise BadValue("bucket edges are not in ascending order")
    if not (np.isfinite(result.counts).all() and (result.counts >= 0).all()):
        raise BadValue("invalid bucket count")
    return result


def _of_limits(message: MessageFields) -> Histogram:
    """TensorBoard's: each bucket ends at its limit and begins at the one before."""
    proto = tensorboard.HistogramProto
    low, high, count, total = map(message.double, (proto.min, proto.max, proto.num, proto.sum))
    limits, counts = message.double_column(proto.bucket_limit), message.double_column(proto.bucket)
    if len(limits) != len(counts):
        raise BadValue(f"{len(limits)} bucket limits do not fit {len(counts)} counts")
    (filled,) = np.nonzero(counts)
    if not len(filled):
        return _with_values(count, Histogram(count, low, high, total, np.zeros(0), np.zeros(0)))
    first, last = int(filled[0]), int(filled[-1])
    edges = np.append(limits[first - 1] if first else min(low, limits[0]), limits[first : last + 1])
    # The outer buckets reach as far as there are values; their limits may be anything, up to the largest number.
    edges[0] = max(edges[0], low) if low <= edges[1] else edges[0]
    edges[-1] = min(edges[-1], high) if high >= edges[-2] else edges[-1]
    return Histogram(count, low, high, total, edges, counts[first : last + 1])


def _with_values(finite: float, histogram: Histogram) -> Histogram:
    """The histogram, without statistics of finite values when there are none."""
    return histogram if finite else replace(histogram, min=None, max=None, sum=None)


def _of_rows(record: Record) -> Histogram:
    """TensorFlow 2's: rows of left edge, right edge, count."""
    tensor = tensorflow_tensor(record.inner(tensorboard.Summary.Value.tensor, "histogram"))
    if tensor.array is None or tensor.array.dtype.kind == "c" or tensor.array.ndim != 2 or tensor.shape[1] != 3:
        raise BadValue(f"a histogram has rows of three numbers, not the shape {list(tensor.shape)} of {tensor.dtype}")
    lefts, rights, counts = tensor.array.astype(np.float64).T
    total = float(counts.sum())
    if not total:
        return Histogram(total, None, None, None, np.zeros(0), np.zeros(0))
    low, high = float(lefts[0]), float(rights[-1])
    if low == high:  # all values are the same: every row is this one point
        return Histogram(total, low, high, None, np.array([low, high]), np.array([total]))
    edges, counts = _joined(lefts, rights, counts)
    return Histogram(total, low, high, None, edges, counts)


def _of_buckets(message: MessageFields) -> Histogram:
    """MindSpore's: left edge, width and count of each bucket, and what could not be put into any."""
    proto = mindspore_summary.Summary.Histogram
    buckets = message.messages(proto.buckets)
    lefts = np.array([bucket.double(proto.Bucket.left) for bucket in buckets])
    widths = np.array([bucket.double(proto.Bucket.width) for bucket in buckets])
    counts = np.array([bucket.integer(proto.Bucket.count) for bucket in buckets], np.float64)
    nan, pos_inf, neg_inf = map(message.integer, (proto.nan_count, proto.pos_inf_count, proto.neg_inf_count))
    high, low, total = map(message.double, (proto.max, proto.min, proto.sum))
    count = message.integer(proto.count)
    edges = np.zeros(0)
    if len(buckets):
        edges, counts = _joined(lefts, lefts + widths, counts)
    histogram = Histogram(count, low, high, total, edges, counts, nan, pos_inf, neg_inf)
    return _with_values(count - nan - pos_inf - neg_inf, histogram)


def _joined(lefts: Floats, rights: Floats, counts: Floats) -> tuple[Floats, Floats]:
    """Buckets with both their edges as edges and counts; a gap between two of them is a bucket without values."""
    gaps = lefts[1:] - rights[:-1]
    widths = np.maximum(rights - lefts, np.maximum(np.abs(lefts), np.abs(rights)) * np.finfo(np.float64).eps)
    if not (gaps >= -_ROUNDING * np.maximum(widths[1:], widths[:-1])).all():  # false for NaN too
        raise BadValue("the buckets overlap")
    (apart,) = np.nonzero(gaps > _ROUNDING * np.maximum(widths[1:], widths[:-1]))
    edges = np.append(lefts, rights[-1])
    return np.insert(edges, apart + 1, rights[apart]), np.insert(counts, apart + 1, 0.0)


def _of_edges(edges: Floats, counts: Floats) -> Histogram:
    """VisualDL 2.x's: as numpy gives them."""
    if len(edges) != len(counts) + 1:
        raise BadValue(f"{len(edges)} bucket edges do not fit {len(counts)} counts")
    total = float(counts.sum())
    low, high = float(edges[0]), float(edges[-1])
    return _with_values(total, Histogram(total, low, high, None, edges.astype(np.float64), counts.astype(np.float64)))


def _of_document(record: Record) -> Histogram:
    """Edges and counts that a tracker wrote."""
    content = document(record)
    try:
        edges, counts = (np.array(content.get(name), np.float64) for name in ("edges", "counts"))
    except (TypeError, ValueError) as error:
        raise BadValue("edges and counts of the histogram are not numbers") from error
    if edges.ndim != 1 or counts.ndim != 1 or not len(edges):
        raise BadValue("edges and counts of the histogram are not lists")
    return _of_edges(edges, counts)


def _of_range(record: Record) -> Histogram:
    """VisualDL 1.x's: buckets of equal width between two numbers, which are written as text."""
    entries = record.entries()
    try:
        low, high = map(float, entries[0].text(visualdl_legacy.Entry.y).split())
    except (ValueError, IndexError) as error:
        raise BadValue("the range of the histogram is not two numbers") from error
    counts = entries[0].integer_column(visualdl_legacy.Entry.i32s).astype(np.float64)
    with np.errstate(invalid="ignore"):
        return _of_edges(np.linspace(low, high, len(counts) + 1), counts)
