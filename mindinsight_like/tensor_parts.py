"""Parts of logged tensors: a window of a slice, or all their numbers together, at one step or between two."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from functools import partial

from mindinsight_like.errors import BadParameter, NotFound, TooLarge, Unreadable
from mindinsight_like.logs.kinds import Kind
from mindinsight_like.logs.wire import Malformed
from mindinsight_like.store.reading import IndexReader
from mindinsight_like.values import records
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.stored_tensors import StoredTensor, stored
from mindinsight_like.values.tensor_messages import Array
from mindinsight_like.values.tensor_slices import (
    BadIndex,
    Slice,
    Window,
    check_match,
    difference,
    differences,
    slice_of,
)
from mindinsight_like.values.tensor_statistics import NumberHistogram, Statistics, histogram, statistics

MOST_SHOWN = 100_000  # numbers of one window
_MOST_COUNTED = 2**28  # numbers of one histogram; some seconds of work


@dataclass(frozen=True)
class Place:
    """A tensor in the logs; step None: the last one. `minus` is a step to take from it."""

    run: str
    tag: str
    source: str = ""
    step: int | None = None
    minus: int | None = None


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
        found = tensor.window(first, (rows, columns), chosen.steps)
        if other is not None:
            check_match(tensor, other)
            found = difference(found, other.window(first, (rows, columns), chosen.steps))
        return TensorWindow(
            step, tensor.dtype, tensor.shape, chosen, replace(window, rows=rows, columns=columns), found
        )


def read_histogram(reader: IndexReader, place: Place, *, bins: int) -> TensorHistogram:
    """Statistics and histogram of all the numbers; raises NotFound, TooLarge, Unreadable, BlobGone."""
    with _opened(reader, place) as (step, tensor, other):
        if math.prod(tensor.shape) > _MOST_COUNTED:
            raise TooLarge(f"{math.prod(tensor.shape):,} numbers are too many to count; the limit is {_MOST_COUNTED:,}")
        pieces = tensor.pieces if other is None else differences(tensor, other)
        found = statistics(pieces())
        return TensorHistogram(step, tensor.dtype, tensor.shape, found, histogram(pieces, found, bins=bins))


@contextmanager
def _opened(reader: IndexReader, place: Place) -> Iterator[tuple[int, StoredTensor, StoredTensor | None]]:
    """The step, the tensor, and the one to take from it; what they say wrong becomes Unreadable."""
    with ExitStack() as stack:
        try:
            step, tensor = _tensor(reader, place, place.step, stack)
            other = None if place.minus is None else _tensor(reader, place, place.minus, stack)[1]
            yield step, tensor, other
        except (BadValue, Malformed) as error:
            raise Unreadable(str(error)) from error


def _tensor(reader: IndexReader, place: Place, step: int | None, stack: ExitStack) -> tuple[int, StoredTensor]:
    series = [
        each
        for each in reader.blobs([place.run], [place.tag], Kind.TENSOR, from_step=step, to_step=step)
        if each.source == place.source and len(each.steps)
    ]
    if not series:
        raise NotFound("there is no such tensor" if step is None else f"there is no such tensor at step {step}")
    last = len(series[0].steps) - 1
    file, offset, length = series[0].references[last].tolist()
    content = stack.enter_context(reader.blob_bytes([file]))

    def read(begin: int, count: int) -> bytes:
        return content.read(file, offset + begin, count)

    data = records.Window(read, length)
    record = Record(content.dialect(file), data, partial(content.beside, file))
    return int(series[0].steps[last]), stored(record)
