"""Read parts of logged tensors: a window of a slice, or statistics of all numbers, at one step or between two."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from mindinsight_like.errors import BadParameter, NotFound, TooLarge, Unreadable
from mindinsight_like.logs.kinds import Kind
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.values import records
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.tensors.stored_tensors import StoredTensor, open_tensor
from mindinsight_like.values.tensors.tensor_messages import Array
from mindinsight_like.values.tensors.tensor_slices import (
    BadIndex,
    Slice,
    Window,
    check_match,
    difference,
    differences,
    slice_of,
)
from mindinsight_like.values.tensors.tensor_statistics import NumberHistogram, Statistics, histogram, statistics

MOST_SHOWN = 100_000  # numbers of one window
_MOST_COUNTED = 2**28  # numbers of one histogram; some seconds of work


@dataclass(frozen=True)
class Place:
    """A tensor in the logs; step None: the last one. `minus` is a step to take from it.

    With a wall time, the one that was logged then, superseded or not.
    """

    run: str
    tag: str
    source: str = ""
    step: int | None = None
    minus: int | None = None
    wall_time: float | None = None


@dataclass(frozen=True)
class TensorWindow:
    """Rows and columns of a tensor; `values` holds bytes in a tensor of strings."""

    step: int
    dtype: str
    shape: tuple[int, ...]
    slice: Slice
    window: Window  # what was found of the one asked for
    values: Array


@dataclass(frozen=True)
class TensorHistogram:
    step: int
    dtype: str
    shape: tuple[int, ...]
    statistics: Statistics
    histogram: NumberHistogram


def read_window(reader: IndexReader, place: Place, index: str, window: Window) -> TensorWindow:
    """A window of a slice; raises NotFound, BadParameter, Unreadable, BlobGone."""
    with _opened(reader, place) as (step, tensor, other):
        try:
            chosen = slice_of(tensor.shape, index)
        except BadIndex as error:
            raise BadParameter(f"index does not fit: {error}.", parameter="index", shape=list(tensor.shape)) from error
        first, (rows, columns) = chosen.within(window)
        if rows * columns > MOST_SHOWN:
            message = f"{rows:,} rows of {columns:,} numbers are too many for one answer; {MOST_SHOWN:,} are allowed"
            raise TooLarge(message)
        numbers = tensor.window(first, (rows, columns), chosen.steps)
        if other is not None:
            check_match(tensor, other)
            numbers = difference(numbers, other.window(first, (rows, columns), chosen.steps))
        return TensorWindow(
            step, tensor.dtype, tensor.shape, chosen, replace(window, rows=rows, columns=columns), numbers
        )


def read_histogram(reader: IndexReader, place: Place, *, bins: int) -> TensorHistogram:
    """Statistics and histogram of all the numbers; raises NotFound, TooLarge, Unreadable, BlobGone."""
    with _opened(reader, place) as (step, tensor, other):
        if math.prod(tensor.shape) > _MOST_COUNTED:
            raise TooLarge(
                f"{math.prod(tensor.shape):,} numbers are too many for statistics; at most {_MOST_COUNTED:,}"
            )
        pieces = tensor.pieces if other is None else differences(tensor, other)
        totals = statistics(pieces())
        return TensorHistogram(step, tensor.dtype, tensor.shape, totals, histogram(pieces, totals, bins=bins))


@contextmanager
def _opened(reader: IndexReader, place: Place) -> Iterator[tuple[int, StoredTensor, StoredTensor | None]]:
    """The step, the tensor, and the one to take from it; what they say wrong becomes Unreadable."""
    with ExitStack() as stack:
        try:
            step, tensor = _tensor(reader, place, place.step, stack, place.wall_time)
            other = None if place.minus is None else _tensor(reader, place, place.minus, stack)[1]
            yield step, tensor, other
        except (BadValue, Malformed) as error:
            raise Unreadable(str(error)) from error


def _tensor(
    reader: IndexReader, place: Place, step: int | None, stack: ExitStack, wall_time: float | None = None
) -> tuple[int, StoredTensor]:
    resume = "latest" if wall_time is None else "all"
    series = [
        each
        for each in reader.blobs([place.run], [place.tag], Kind.TENSOR, from_step=step, to_step=step, resume=resume)
        if each.source == place.source and len(each.steps)
    ]
    matching = [
        (each, np.arange(len(each.steps)) if wall_time is None else np.flatnonzero(each.wall_times == wall_time))
        for each in series
    ]
    chosen = next(((each, int(places[-1])) for each, places in matching if len(places)), None)
    if chosen is None:
        raise NotFound("tensor not found" if step is None else f"no tensor at step {step}")
    blobs, last = chosen
    file, offset, length = blobs.references[last].tolist()
    content = stack.enter_context(reader.blob_bytes([file]))

    def read(begin: int, count: int) -> bytes:
        return content.read(file, offset + begin, count)

    data = records.Window(read, length)
    record = Record(content.dialect(file), data, partial(content.beside, file))
    return int(blobs.steps[last]), open_tensor(record)
