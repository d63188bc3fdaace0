"""Read vector files beside a log: tab-separated text with a line per point, or raw float32."""

from __future__ import annotations

import math
import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.values.records import BadValue

MOST_NUMBERS = 2**27  # half a gigabyte of float32: 100,000 points of 1,300 dimensions
_MOST_TEXT = 20 * MOST_NUMBERS  # bytes
_MOST_DIMENSIONS = 100_000
_PIECE = 4 * 2**20

Shape = tuple[int, int]


def text_shape(handle: int) -> Shape:
    """How many lines and columns a text file has, by its line ends and its first line; raises BadValue, OSError."""
    size = os.fstat(handle).st_size
    if size > _MOST_TEXT:
        raise BadValue(f"its vectors have {size:,} bytes; the limit is {_MOST_TEXT:,}")
    end = _end_of_text(handle, size)
    if not end:
        raise BadValue("its vector file is empty")
    lines, dimensions, position = 1, 0, 0
    while position < end and (piece := os.pread(handle, min(_PIECE, end - position), position)):
        if not position:
            first_line = piece.partition(b"\n")[0]
            dimensions = first_line.count(b"\t") + 1
            if len(first_line) == _PIECE or dimensions > _MOST_DIMENSIONS:
                raise BadValue(f"its vectors have more than {_MOST_DIMENSIONS:,} dimensions")
        lines += piece.count(b"\n")
        position += len(piece)
    return checked((lines, dimensions))


def _end_of_text(handle: int, size: int) -> int:
    """Where the last line ends that is not empty."""
    end = size
    while end and not (piece := os.pread(handle, min(_PIECE, end), max(0, end - _PIECE)).rstrip(b"\r\n")):
        end = max(0, end - _PIECE)
    return max(0, end - _PIECE) + len(piece) if end else 0


def bytes_shape(handle: int, claimed: Sequence[str]) -> Shape:
    """The shape of a file of bare numbers, which must be what its list claims; raises BadValue, OSError."""
    try:
        points, dimensions = (int(each) for each in claimed)
    except ValueError as error:
        raise BadValue("the config does not give the shape of the vectors (tensor_shape)") from error
    size = os.fstat(handle).st_size
    if points < 1 or dimensions < 1 or points * dimensions * 4 != size:
        raise BadValue(f"the config claims {points} x {dimensions} numbers, but the file has {size:,} bytes")
    return checked((points, dimensions))


def checked(shape: Shape) -> Shape:
    """The shape; raises BadValue when it is more than is read."""
    if math.prod(shape) > MOST_NUMBERS:
        raise BadValue(f"it has {shape[0]:,} x {shape[1]:,} numbers; the limit is {MOST_NUMBERS:,}")
    return shape


def read_bytes(handle: int, shape: Shape) -> NDArray[np.float32]:
    """The numbers of a file of bare bytes; raises BadValue, OSError."""
    vectors: NDArray[np.float32] = np.empty(shape, "<f4")
    view, read = memoryview(vectors.data).cast("B"), 0
    while read < len(view) and (more := os.preadv(handle, [view[read:]], read)):
        read += more
    if read < len(view):
        raise BadValue("its vector file was truncated")
    return vectors


def read_text(handle: int, shape: Shape) -> NDArray[np.float32]:
    """The numbers of a text file, piece by piece, so that the text itself is never held; raises BadValue, OSError."""
    import pyarrow as pa
    from pyarrow import csv

    names = [f"c{column}" for column in range(shape[1])]
    vectors, row = np.empty(shape, np.float32), 0
    with os.fdopen(os.dup(handle), "rb") as file:
        file.seek(0)
        try:
            pieces = csv.open_csv(
                file,
                csv.ReadOptions(column_names=names, block_size=_PIECE),
                csv.ParseOptions(delimiter="\t", quote_char=False, ignore_empty_lines=True),
                csv.ConvertOptions(column_types=dict.fromkeys(names, pa.float32())),
            )
            for piece in pieces:
                if row + len(piece) > len(vectors):
                    raise BadValue("its vector file has grown")
                for number, column in enumerate(piece.columns):
                    vectors[row : row + len(piece), number] = column.to_numpy(zero_copy_only=False)
                row += len(piece)
        except pa.ArrowInvalid as error:
            raise BadValue(f"invalid vector file: {str(error).splitlines()[0][:200]}") from error
    if row != len(vectors):
        raise BadValue(f"{row:,} vectors in {len(vectors):,} lines")
    return vectors
