"""What TensorBoard's event files and TensorFlow's exports wrap around a GraphDef."""

from __future__ import annotations

import re

from mindinsight_like.graphs.drafts import BadGraph, Draft
from mindinsight_like.graphs.message_columns import FieldColumns, contents, walk_one
from mindinsight_like.graphs.readers import keras
from mindinsight_like.graphs.readers.tensorflow import read_graph_def
from mindinsight_like.logs.wire import VARINT

_OPERATOR = re.compile(rb"[A-Za-z_][\w.:>/ -]*")


def read_record(data: bytes) -> Draft:
    """A record of an event file: a GraphDef, a MetaGraphDef, or a value of a graph plugin; raises as readers do."""
    fields = walk_one(data)
    if (fields.ids == 8).any():  # the tensor of a summary's value
        return _read_value(data, fields)
    if (fields.ids >= 5).any():  # collections and assets, which only a MetaGraphDef has
        return _read_meta_graph(data, fields)
    return _read_plain(data, fields)


def read_model(data: bytes) -> Draft:
    """A frozen graph, or a SavedModel with its graphs; raises as readers do."""
    fields = walk_one(data)
    if not len(fields.of(1, VARINT).ids):
        return _read_plain(data, fields)
    draft = Draft()
    graphs = [
        (begin, end)
        for meta_begin, meta_end in _places(fields.of(2))
        for begin, end in _places(walk_one(data, meta_begin, meta_end).of(2))
    ]
    _read_several(data, draft, graphs, "graph")
    return draft


def _read_plain(data: bytes, fields: FieldColumns) -> Draft:
    """A GraphDef, or a MetaGraphDef without collections: this begins with a message of its own, about the operators."""
    draft = Draft()
    inner = fields.of(2)
    if len(fields.of(1).ids) == 1 and len(inner.ids) and _is_meta_information(data, fields):
        return _read_meta_graph(data, fields)
    read_graph_def(data, draft)
    return draft


def _is_meta_information(data: bytes, fields: FieldColumns) -> bool:
    """Whether the first message is no node: a node has its operator where this has a list of them."""
    begin, end = _places(fields.of(1))[0]
    return not _OPERATOR.fullmatch(b"".join(contents(data, walk_one(data, begin, end).of(2))[-1:]))


def _read_meta_graph(data: bytes, fields: FieldColumns) -> Draft:
    draft = Draft()
    _read_several(data, draft, _places(fields.of(2)), "graph")
    return draft


def _read_value(data: bytes, fields: FieldColumns) -> Draft:
    """The string of a plugin's value: the JSON of a Keras model, or RunMetadata with the graphs of functions."""
    places = [place for begin, end in _places(fields.of(8)) for place in _places(walk_one(data, begin, end).of(8))]
    if not places:
        raise BadGraph("the record holds no graph")
    begin, end = places[-1]
    if data[begin:end].lstrip()[:1] == b"{":
        return keras.read_model(data[begin:end])
    metadata = walk_one(data, begin, end)
    draft = Draft()
    functions = _places(metadata.of(4))
    found = [place for first, last in functions for place in _places(walk_one(data, first, last).of(2))]
    _read_several(data, draft, found or _places(metadata.of(3)), "function" if found else "partition")
    return draft


def _read_several(data: bytes, draft: Draft, graphs: list[tuple[int, int]], what: str) -> None:
    """Graphs side by side; each has a scope of its own when there are several."""
    if not graphs:
        raise BadGraph("the record holds no graph")
    for number, (begin, end) in enumerate(graphs):
        read_graph_def(data, draft, begin, end, prefix=f"{what}_{number}/" if len(graphs) > 1 else "")


def _places(fields: FieldColumns) -> list[tuple[int, int]]:
    return list(zip(fields.begins.tolist(), fields.ends.tolist(), strict=True))
