"""Reading a model without its weights: a copy of the file in memory that has nothing where large values lie.

Files of models may be as large as two gigabytes, nearly all of it numbers that a picture of the graph does not need.
Memory that nothing is written to costs nothing, so that every message keeps its place in the file.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from typing import cast

from mindinsight_like.errors import TooLarge
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.wire import BYTES, Malformed, fields
from mindinsight_like.values.records import Window

WHOLE_BYTES = 64 * 2**20  # a smaller file is simply read
_MOST_BYTES = 2**31  # more than a message can have
_LARGE = 64 * 1024  # of a field that is looked into, or left out
_PIECE = 1 << 20
_MOST_FIELDS = 2_000_000  # of one message: more than a graph may have nodes

_Large = dict[int, "_Large"]  # fields that may be large, and those in them; what is not named is left out

_TENSORFLOW_NODE: _Large = {5: {2: {1: {}, 8: {}}}}
_TENSORFLOW_GRAPH: _Large = {1: _TENSORFLOW_NODE, 2: {1: {1: {}, 3: _TENSORFLOW_NODE}}}
_MINDSPORE_GRAPH: _Large = {1: {5: {2: {}}}, 3: {3: {}}, 5: {2: {}}}
_ONNX_GRAPH: _Large = {5: {}, 11: {}, 12: {}, 13: {}}
_ONNX_ATTRIBUTE: _Large = {5: {}, 6: _ONNX_GRAPH, 10: {}, 11: _ONNX_GRAPH}
_ONNX_GRAPH[1] = {5: _ONNX_ATTRIBUTE}

_OUTLINES: dict[Dialect, _Large] = {
    Dialect.MINDSPORE: _MINDSPORE_GRAPH,
    Dialect.MINDSPORE_MODEL: {4: _MINDSPORE_GRAPH, **_MINDSPORE_GRAPH},
    Dialect.TENSORBOARD: {**_TENSORFLOW_GRAPH},
    Dialect.TENSORFLOW_MODEL: {1: _TENSORFLOW_NODE, 2: {1: {1: {}, 3: _TENSORFLOW_NODE}, 2: _TENSORFLOW_GRAPH}},
    Dialect.ONNX: {7: _ONNX_GRAPH, 25: {7: {5: _ONNX_ATTRIBUTE}}},
}


def can_be_sparse(dialect: Dialect) -> bool:
    return dialect in _OUTLINES


def read_sparse(dialect: Dialect, length: int, read: Callable[[int, int], bytes]) -> bytes:
    """A record without its large values; `read(begin, count)` gives its bytes. Raises Malformed, TooLarge."""
    if length > _MOST_BYTES:
        raise TooLarge(f"the file takes {length:,} bytes; more than {_MOST_BYTES:,} are not read")
    image = mmap.mmap(-1, length)
    window = Window(read, length, piece=_PIECE)
    _copy(window, image, 0, length, _OUTLINES[dialect], 0)
    return cast(bytes, image)  # it gives bytes and numbers by their places just as bytes do


def _copy(window: Window, image: mmap.mmap, begin: int, end: int, large: _Large, depth: int) -> None:
    """Copies the fields of a message, of large ones only the inner fields that are wanted."""
    if depth > 100:
        raise Malformed("messages are nested too deep")
    copied = begin
    for count, field in enumerate(fields(window, begin, end)):
        if count > _MOST_FIELDS:
            raise Malformed(f"a message of more than {_MOST_FIELDS:,} fields")
        if field.wire != BYTES or field.end - field.begin <= _LARGE:
            continue
        _copy_range(window, image, copied, field.begin)
        copied = field.end
        if field.id in large:
            _copy(window, image, field.begin, field.end, large[field.id], depth + 1)
    _copy_range(window, image, copied, end)


def _copy_range(window: Window, image: mmap.mmap, begin: int, end: int) -> None:
    while begin < end:
        piece = window[begin : min(end, begin + _PIECE)]
        image[begin : begin + len(piece)] = piece
        begin += len(piece)
