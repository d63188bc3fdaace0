"""Feed scanners as a loader does, and look at what they found."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from mindinsight_like.logs.batch import Batch
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.reference.scan import Scanner

from .messages import Point

Blob = tuple[int, float, int, int]  # step, wall time, offset, length


def follow(scanner: Scanner, data: bytes, cuts: Iterable[int] = ()) -> None:
    """Feed a file that is seen growing: at each cut its end, then the whole."""
    for end in [*sorted(cuts), len(data)]:
        if end >= scanner.offset:
            start = scanner.offset
            consumed = scanner.feed(data[start:end], at_end=True)
            assert scanner.offset == start + consumed


def scan(scanner_type: type[Scanner], dialect: Dialect, data: bytes, cuts: Iterable[int] = (), **options: Any) -> Batch:
    """Everything found in a file that grew as `cuts` say."""
    scanner = scanner_type(dialect, **options)
    follow(scanner, data, cuts)
    return scanner.take()


def points_of(batch: Batch, known: Sequence[bytes] = ()) -> dict[bytes, list[Point]]:
    """The scalars of a batch by series key, in file order."""
    keys = [*known, *batch.keys]
    return {
        keys[number]: list(
            zip(*(column[begin:end].tolist() for column in (batch.steps, batch.walls, batch.values)), strict=True)
        )
        for number, (begin, end) in zip(batch.scalar_numbers, pairwise(batch.scalar_starts), strict=True)
    }


def blobs_of(batch: Batch, known: Sequence[bytes] = ()) -> dict[bytes, list[Blob]]:
    """The blobs of a batch by series key, in file order."""
    keys = [*known, *batch.keys]
    columns = (batch.blob_steps, batch.blob_walls, batch.blob_offsets, batch.blob_lengths)
    return {
        keys[number]: list(zip(*(column[begin:end].tolist() for column in columns), strict=True))
        for number, (begin, end) in zip(batch.blob_numbers, pairwise(batch.blob_starts), strict=True)
    }


def same_number(one: float, other: float) -> bool:
    """Equality under which NaN equals itself."""
    return one == other or (math.isnan(one) and math.isnan(other))


def assert_points(found: dict[bytes, list[Point]], expected: dict[bytes, list[Point]]) -> None:
    """The same series with the same points in the same order, NaN being equal to itself."""
    assert list(found) == list(expected)
    for key, points in expected.items():
        assert len(found[key]) == len(points), key
        for one, other in zip(found[key], points, strict=True):
            assert one[:2] == other[:2]
            assert same_number(one[2], other[2])


def assert_same(one: Batch, other: Batch) -> None:
    """Two batches that agree in every field, array types included."""
    for field in dataclasses.fields(Batch):
        left, right = getattr(one, field.name), getattr(other, field.name)
        if isinstance(left, np.ndarray):
            assert left.dtype == right.dtype, field.name
            assert left.shape == right.shape, field.name
            for name in left.dtype.names or [...]:
                np.testing.assert_array_equal(left[name], right[name], err_msg=field.name)
        else:
            assert left == right, field.name
