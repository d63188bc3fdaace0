"""Read graph records of TensorBoard's event files and TensorFlow's exports, which wrap a GraphDef in several ways."""

from __future__ import annotations

import re

from mindinsight_like.graphs.drafts import BadGraph, Draft
from mindinsight_like.graphs.readers import keras
from mindinsight_like.graphs.readers.tensorflow import read_graph_def
from mindinsight_like.logs.protobuf.message_columns import FieldColumns, contents, walk_one
from mindinsight_like.logs.protobuf.schemas.tensorboard import Summary
from mindinsight_like.logs.protobuf.schemas.tensorflow import MetaGraphDef, RunMetadata, SavedModel, TensorProto
from mindinsight_like.logs.protobuf.wire import VARINT

_OPERATOR = re.compile(rb"[A-Za-z_][\w.:>/ -]*")


def read_record(data: bytes) -> Draft:
    """A record of an event file: a GraphDef, a MetaGraphDef, or a value of a graph plugin; raises as readers do."""
    fields = walk_one(data)
    if (fields.ids == Summary.Value.tensor).any():
        return _read_value(data, fields)
    if (fields.ids >= MetaGraphDef.signature_def).any():  # signatures and assets, which a GraphDef has not
        return _read_meta_graph(data, fields)
    return _read_plain(data, fields)


def read_model(data: bytes) -> Draft:
    """A frozen graph, or a SavedModel with its graphs; raises as readers do."""
    fields = walk_one(data)
    if not len(fields.of(SavedModel.saved_model_schema_version, VARINT).ids):
        return _read_plain(data, fields)
    draft = Draft()
    graphs = [
        (begin, end)
        for meta_begin, meta_end in _places(fields.of(SavedModel.meta_graphs))
        for begin, end in _places(walk_one(data, meta_begin, meta_end).of(MetaGraphDef.graph_def))
    ]
    _read_several(data, draft, graphs, "graph")
    return draft


def _read_plain(data: bytes, fields: FieldColumns) -> Draft:
    """A GraphDef, or a MetaGraphDef without collections: this begins with a message of its own, about the operators."""
    draft = Draft()
    inner = fields.of(MetaGraphDef.graph_def)
    if len(fields.of(MetaGraphDef.meta_info_def).ids) == 1 and len(inner.ids) and _is_meta_information(data, fields):
        return _read_meta_graph(data, fields)
    read_graph_def(data, draft)
    return draft


def _is_meta_information(data: bytes, fields: FieldColumns) -> bool:
    """Whether the first message is no node: a node has its operator where this has a list of them."""
    begin, end = _places(fields.of(MetaGraphDef.meta_info_def))[0]
    operators = walk_one(data, begin, end).of(MetaGraphDef.MetaInfoDef.stripped_op_list)
    return not _OPERATOR.fullmatch(b"".join(contents(data, operators)[-1:]))


def _read_meta_graph(data: bytes, fields: FieldColumns) -> Draft:
    draft = Draft()
    _read_several(data, draft, _places(fields.of(MetaGraphDef.graph_def)), "graph")
    return draft


def _read_value(data: bytes, fields: FieldColumns) -> Draft:
    """The string of a plugin's value: the JSON of a Keras model, or RunMetadata with the graphs of functions."""
    places = [
        place
        for begin, end in _places(fields.of(Summary.Value.tensor))
        for place in _places(walk_one(data, begin, end).of(TensorProto.string_val))
    ]
    if not places:
        raise BadGraph("the record contains no graph")
    begin, end = places[-1]
    if data[begin:end].lstrip()[:1] == b"{":
        return keras.read_model(data[begin:end])
    metadata = walk_one(data, begin, end)
    draft = Draft()
    graphs = [
        place
        for first, last in _places(metadata.of(RunMetadata.function_graphs))
        for place in _places(walk_one(data, first, last).of(RunMetadata.FunctionGraphs.pre_optimization_graph))
    ]
    partitions = _places(metadata.of(RunMetadata.partition_graphs))
    _read_several(data, draft, graphs or partitions, "function" if graphs else "partition")
    return draft


def _read_several(data: bytes, draft: Draft, graphs: list[tuple[int, int]], what: str) -> None:
    """Graphs side by side; each has a scope of its own when there are several."""
    if not graphs:
        raise BadGraph("the record contains no graph")
    for number, (begin, end) in enumerate(graphs):
        read_graph_def(data, draft, begin, end, prefix=f"{what}_{number}/" if len(graphs) > 1 else "")


def _places(fields: FieldColumns) -> list[tuple[int, int]]:
    return list(zip(fields.begins.tolist(), fields.ends.tolist(), strict=True))
