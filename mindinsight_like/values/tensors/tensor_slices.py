"""Two-dimensional slices of tensors of any rank: which axes are rows and columns, and a window of these."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from mindinsight_like.values.records import BadValue
from mindinsight_like.values.tensors.stored_tensors import StoredTensor
from mindinsight_like.values.tensors.tensor_messages import Array

WHOLE_AXIS = ":"


class BadIndex(ValueError):
    """The index does not fit the tensor; the message is for people."""


@dataclass(frozen=True)
class Window:
    """Part of a slice: the first row and column, and how many of each at most."""

    row: int
    rows: int
    column: int
    columns: int


@dataclass(frozen=True)
class Slice:
    """The axes of a tensor that are rows and columns, at one place of all the others.

    With fewer than two such axes there is but one row, or one number.
    """

    index: list[int | None]  # None for a whole axis
    rows: int
    columns: int
    first: int  # number, in row order, where the slice begins
    steps: tuple[int, int]  # numbers from one row to the next, and from one column to the next

    def within(self, window: Window) -> tuple[int, tuple[int, int]]:
        """The first number of a window, and how many rows and columns there are in it."""
        row, column = min(window.row, self.rows), min(window.column, self.columns)
        counts = min(window.rows, self.rows - row), min(window.columns, self.columns - column)
        return self.first + row * self.steps[0] + column * self.steps[1], counts


def slice_of(shape: tuple[int, ...], index: str) -> Slice:
    """The slice that text such as `0,:,:,3` describes; empty text: the last two axes at place 0 of the others.

    Raises BadIndex.
    """
    places = _places(shape, index)
    steps = [1] * len(shape)
    for axis in range(len(shape) - 2, -1, -1):
        steps[axis] = steps[axis + 1] * shape[axis + 1]
    whole = [axis for axis, place in enumerate(places) if place is None]
    if len(whole) > 2:
        raise BadIndex(f"at most two axes can be complete, not {len(whole)}")
    if any(size == 0 and place is not None for size, place in zip(shape, places, strict=True)):
        return Slice(places, 0, 0, 0, (0, 0))  # nothing lies at any place of such an axis
    rows, columns = ([(1, 0)] * 2 + [(shape[axis], steps[axis]) for axis in whole])[-2:]
    first = sum(place * step for place, step in zip(places, steps, strict=True) if place is not None)
    return Slice(places, rows[0], columns[0], first, (rows[1], columns[1]))


def _places(shape: tuple[int, ...], index: str) -> list[int | None]:
    if not index.strip():
        return [None if axis >= len(shape) - 2 else 0 for axis in range(len(shape))]
    parts = [part.strip() for part in index.strip().removeprefix("[").removesuffix("]").split(",")]
    if len(parts) != len(shape):
        raise BadIndex(f"the shape {list(shape)} needs {len(shape)} indices, not {len(parts)}")
    return [_place(part, axis, size) for axis, (part, size) in enumerate(zip(parts, shape, strict=True))]


def _place(part: str, axis: int, size: int) -> int | None:
    if part == WHOLE_AXIS:
        return None
    if not re.fullmatch(r"-?[0-9]{1,18}", part):
        raise BadIndex(f"{part[:50]!r} is neither an index nor `:`")
    place = int(part)
    if not -size <= place < size:
        raise BadIndex(f"index {place} is out of range for axis {axis} of size {size}")
    return place % size


def differences(one: StoredTensor, other: StoredTensor) -> Callable[[], Iterable[Array]]:
    """All numbers of one tensor less those of another, piece by piece; raises BadValue when they do not match."""
    check_match(one, other)

    def pieces() -> Iterator[Array]:
        yield from (difference(*both) for both in zip(one.pieces(), other.pieces(), strict=True))

    return pieces


def check_match(one: StoredTensor, other: StoredTensor) -> None:
    """Raises BadValue when two tensors cannot be compared number by number."""
    if one.strings is not None or other.strings is not None:
        raise BadValue("cannot subtract strings")
    if one.shape != other.shape:
        raise BadValue(f"cannot subtract tensors of shapes {list(one.shape)} and {list(other.shape)}")


def difference(one: Array, other: Array) -> Array:
    """One array less another, exact where there are only whole numbers, else in double precision."""
    if one.dtype.kind not in "iub" or other.dtype.kind not in "iub":
        wide = partial(np.asarray, dtype=np.complex128 if "c" in (one.dtype.kind, other.dtype.kind) else np.float64)
        with np.errstate(over="ignore", invalid="ignore"):
            return np.asarray(wide(one) - wide(other))
    rough = one.astype(np.float64) - other.astype(np.float64)
    if (np.abs(rough) >= 2.0**63).any():
        return rough
    return one.astype(np.int64) - other.astype(np.int64)  # correct also where a step of it goes around
