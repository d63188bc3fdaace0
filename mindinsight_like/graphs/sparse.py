"""Read a model without its weights, as a sparse copy of the file in memory with holes in place of large values.

Files of models may be as large as two gigabytes, nearly all of it numbers that a picture of the graph does not need.
Memory that nothing is written to costs nothing, so that every message keeps its place in the file.
"""

from __future__ import annotations

import mmap
from collections.abc import Callable
from typing import cast

from mindinsight_like.errors import TooLarge
from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.schemas import mindspore_graph, onnx
from mindinsight_like.logs.protobuf.schemas.tensorflow import (
    AttrValue,
    FunctionDef,
    FunctionDefLibrary,
    GraphDef,
    MetaGraphDef,
    NodeDef,
    SavedModel,
)
from mindinsight_like.logs.protobuf.wire import BYTES, Malformed, fields
from mindinsight_like.values.records import Window

WHOLE_BYTES = 64 * 2**20  # a smaller file is simply read
_MOST_BYTES = 2**31  # more than a message can have
_LARGE = 64 * 1024  # of a field that is looked into, or left out
_PIECE = 1 << 20
_MOST_FIELDS = 2_000_000  # of one message: more than a graph may have nodes

_Large = dict[int, "_Large"]  # fields that may be large, and those in them; what is not named is left out

_TENSORFLOW_NODE: _Large = {NodeDef.attr: {NodeDef.AttrEntry.value: {AttrValue.list: {}, AttrValue.tensor: {}}}}
_TENSORFLOW_LIBRARY: _Large = {
    FunctionDefLibrary.function: {FunctionDef.signature: {}, FunctionDef.node_def: _TENSORFLOW_NODE}
}
_TENSORFLOW_GRAPH: _Large = {GraphDef.node: _TENSORFLOW_NODE, GraphDef.library: _TENSORFLOW_LIBRARY}
_MINDSPORE_GRAPH: _Large = {
    mindspore_graph.GraphProto.node: {mindspore_graph.NodeProto.attribute: {mindspore_graph.AttributeProto.value: {}}},
    mindspore_graph.GraphProto.parameters: {mindspore_graph.ParameterProto.default_val: {}},
    mindspore_graph.GraphProto.const_vals: {mindspore_graph.NamedValueProto.value: {}},
}
_ONNX_GRAPH: _Large = {
    onnx.GraphProto.initializer: {},
    onnx.GraphProto.input: {},
    onnx.GraphProto.output: {},
    onnx.GraphProto.value_info: {},
}
_ONNX_ATTRIBUTE: _Large = {
    onnx.AttributeProto.t: {},
    onnx.AttributeProto.g: _ONNX_GRAPH,
    onnx.AttributeProto.tensors: {},
    onnx.AttributeProto.graphs: _ONNX_GRAPH,
}
_ONNX_GRAPH[onnx.GraphProto.node] = {onnx.NodeProto.attribute: _ONNX_ATTRIBUTE}

_OUTLINES: dict[Dialect, _Large] = {
    Dialect.MINDSPORE: _MINDSPORE_GRAPH,
    Dialect.MINDSPORE_MODEL: {mindspore_graph.ModelProto.graph: _MINDSPORE_GRAPH, **_MINDSPORE_GRAPH},
    Dialect.TENSORBOARD: {**_TENSORFLOW_GRAPH},
    Dialect.TENSORFLOW_MODEL: {  # a GraphDef, whose library has the number of the graphs of a SavedModel
        GraphDef.node: _TENSORFLOW_NODE,
        SavedModel.meta_graphs: {**_TENSORFLOW_LIBRARY, MetaGraphDef.graph_def: _TENSORFLOW_GRAPH},
    },
    Dialect.ONNX: {
        onnx.ModelProto.graph: _ONNX_GRAPH,
        onnx.ModelProto.functions: {onnx.FunctionProto.node: {onnx.NodeProto.attribute: _ONNX_ATTRIBUTE}},
    },
}


def can_be_sparse(dialect: Dialect) -> bool:
    return dialect in _OUTLINES


def read_sparse(dialect: Dialect, length: int, read: Callable[[int, int], bytes]) -> bytes:
    """A record without its large values; `read(begin, count)` gives its bytes. Raises Malformed, TooLarge."""
    if length > _MOST_BYTES:
        raise TooLarge(f"the file has {length:,} bytes; the limit is {_MOST_BYTES:,}")
    image = mmap.mmap(-1, length)
    window = Window(read, length, piece=_PIECE)
    _copy(window, image, 0, length, _OUTLINES[dialect], 0)
    return cast(bytes, image)  # it gives bytes and numbers by their places just as bytes do


def _copy(window: Window, image: mmap.mmap, begin: int, end: int, large: _Large, depth: int) -> None:
    """Copies the fields of a message, of large ones only the inner fields that are wanted."""
    if depth > 100:
        raise Malformed("messages are nested too deeply")
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
