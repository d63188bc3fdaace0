"""Streaming statistics and histograms of numbers that arrive in pieces."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from mindinsight_like.values.tensors.tensor_messages import Array, Floats


@dataclass(frozen=True)
class Statistics:
    """Of the finite numbers of an array; None where there are none. NaN and infinities are counted."""

    min: float | None
    max: float | None
    mean: float | None
    std: float | None
    sum: float | None
    nan: int
    pos_inf: int
    neg_inf: int


@dataclass(frozen=True)
class NumberHistogram:
    """How many of the finite numbers lie between neighbouring edges."""

    edges: Floats
    counts: Array


def statistics(pieces: Iterable[Array]) -> Statistics:
    """What can be said of all the numbers together, in double precision; of complex ones the magnitudes count."""
    count, mean, squares, total = 0, 0.0, 0.0, 0.0  # squares: of the distances from the mean
    low, high = math.inf, -math.inf
    nan = pos_inf = neg_inf = 0
    with np.errstate(over="ignore", invalid="ignore"):
        for piece in pieces:
            values = doubles(piece)
            finite = _finite(values)
            if len(finite) < len(values):
                nan += int(np.isnan(values).sum())
                pos_inf += int(np.isposinf(values).sum())
                neg_inf += int(np.isneginf(values).sum())
            if not len(finite):
                continue
            here = float(finite.mean())
            apart, around = here - mean, finite - here
            squares += float(around @ around) + apart * apart * count * len(finite) / (count + len(finite))
            mean = here if not count else mean + apart * len(finite) / (count + len(finite))
            count += len(finite)
            total += float(finite.sum())
            low, high = min(low, float(finite.min())), max(high, float(finite.max()))
    if not count:
        return Statistics(None, None, None, None, None, nan, pos_inf, neg_inf)
    return Statistics(low, high, mean, math.sqrt(squares / count), total, nan, pos_inf, neg_inf)


def histogram(pieces: Callable[[], Iterable[Array]], totals: Statistics, *, bins: int) -> NumberHistogram:
    """The finite numbers in at most `bins` buckets of one width, `totals` being their statistics.

    Whole numbers that are few get a bucket each.
    """
    if totals.min is None or totals.max is None:
        return NumberHistogram(np.zeros(0), np.zeros(0, np.int64))
    low, high, scale = totals.min, totals.max, 1.0
    if not math.isfinite(high - low):
        low, high, scale = low / 2, high / 2, 0.5  # the distance is no number of its own
    if high - low < bins and _are_whole(pieces()):
        low, high, bins = low - 0.5, high + 0.5, int(high - low) + 1
    edges = np.linspace(low, high, bins + 1)
    if not (np.diff(edges) > 0).all():
        # All the same, or so close that there is no number between them.
        return NumberHistogram(np.array([low, high]) / scale, np.array([_count(pieces())], np.int64))
    counts = np.zeros(bins, np.int64)
    for piece in pieces():
        counts += np.histogram(_finite(doubles(piece)) * scale, bins, (low, high))[0]
    return NumberHistogram(edges / scale, counts)


def doubles(piece: Array) -> Floats:
    """The numbers in double precision, complex ones by their magnitude."""
    return np.abs(piece).astype(np.float64) if piece.dtype.kind == "c" else piece.astype(np.float64)


def _finite(values: Floats) -> Floats:
    is_finite = np.isfinite(values)
    return values if is_finite.all() else values[is_finite]


def _are_whole(pieces: Iterable[Array]) -> bool:
    return next(iter(pieces)).dtype.kind in "iub"


def _count(pieces: Iterable[Array]) -> int:
    return sum(len(_finite(doubles(piece))) for piece in pieces)
