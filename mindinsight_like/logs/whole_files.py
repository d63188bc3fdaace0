"""Log files that are a single record: exported models, the projector's embeddings, lineage records, profiles.

Most are known by their names. `.pb` and `.json` are the names of many things, so those files are told by their first
bytes, of which a few are enough.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from typing import Final

from mindinsight_like.logs.protobuf.schemas import mindspore_graph, onnx, tensorflow
from mindinsight_like.logs.protobuf.wire import BYTES, VARINT, Malformed, fields

from . import run_states
from .kinds import Dialect, Kind

HEAD_BYTES: Final = 4096

WHOLE_FILES: Final = {
    Dialect.MINDSPORE_MODEL: Kind.GRAPH,
    Dialect.TENSORFLOW_MODEL: Kind.GRAPH,
    Dialect.VISUALDL_GRAPH: Kind.GRAPH,
    Dialect.PADDLE_PROGRAM: Kind.GRAPH,
    Dialect.PADDLE_PIR: Kind.GRAPH,
    Dialect.ONNX: Kind.GRAPH,
    Dialect.PROJECTOR_CONFIG: Kind.EMBEDDING,
    Dialect.LINEAGE_RECORD: Kind.LINEAGE,
    Dialect.PROFILE: Kind.PROFILE,
}

_ENDINGS: Final = {".onnx": Dialect.ONNX, ".pdmodel": Dialect.PADDLE_PROGRAM}
_NAMES: Final = {
    "projector_config.pbtxt": Dialect.PROJECTOR_CONFIG,
    "saved_model.pb": Dialect.TENSORFLOW_MODEL,
}
_LINEAGE: Final = re.compile(r"mindinsight_like\.lineage\..*\.json")
_PIR: Final = re.compile(rb'\s*\{\s*"base_code"\s*:\s*\{\s*"magic"\s*:\s*"pir"')
# Chrome's trace events: an object with a list of them, or the list alone. Kineto's begins with properties of devices,
# of which there may be many.
_TRACE_OBJECT: Final = re.compile(
    rb'\s*\{(?:.*"traceEvents"\s*:\s*\[|\s*"schemaVersion"\s*:[^,]*,\s*"deviceProperties"\s*:)', re.DOTALL
)
_TRACE_LIST: Final = re.compile(rb'\s*\[\s*\{[^\[]*?"ph"\s*:\s*"\w"')
_GZIP_WINDOW: Final = 31  # 15 bits of window, 16 for the gzip header
_NODE_NAME: Final = re.compile(rb"[A-Za-z0-9.][\w.\\/>:-]*")
_OPERATOR: Final = re.compile(rb"[A-Za-z_][\w.:>/-]*")
_VERSIONS: Final = (onnx.ModelProto.ir_version, mindspore_graph.ModelProto.model_version)
_ORIGINS: Final = (  # texts before the graph; MindSpore's domain has the number of the producer's name
    onnx.ModelProto.producer_name,
    onnx.ModelProto.producer_version,
    onnx.ModelProto.doc_string,
)
_BESIDE_NODES: Final = (
    mindspore_graph.GraphProto.name,
    mindspore_graph.GraphProto.parameters,
    mindspore_graph.GraphProto.outputs,
    mindspore_graph.GraphProto.const_vals,
)


def dialect_by_name(file_name: str) -> Dialect | None:
    """What a file is that is one record as a whole, None when its name does not tell."""
    if _LINEAGE.fullmatch(file_name):
        return Dialect.LINEAGE_RECORD
    if run_states.NAME.fullmatch(file_name):
        return Dialect.RUN_STATE
    dialect = _NAMES.get(file_name)
    return dialect if dialect is not None else _ENDINGS.get(file_name[file_name.rfind(".") :])


def must_be_looked_into(file_name: str) -> bool:
    """Whether the first bytes of a file decide what it is."""
    return file_name.endswith((".pb", ".json", ".json.gz"))


def dialect_by_head(file_name: str, head: bytes) -> Dialect | None:
    """What a file is whose first bytes are these, None when it is nothing of ours."""
    if file_name.endswith(".pb"):
        return _message(head)
    if file_name.endswith(".gz"):
        return Dialect.PROFILE if _is_trace(_unpacked(head)) else None
    if _PIR.match(head):
        return Dialect.PADDLE_PIR
    return Dialect.PROFILE if _is_trace(head) else None


def _is_trace(head: bytes) -> bool:
    return bool(_TRACE_OBJECT.match(head) or _TRACE_LIST.match(head))


def _unpacked(head: bytes) -> bytes:
    try:
        return zlib.decompressobj(_GZIP_WINDOW).decompress(head, HEAD_BYTES)
    except zlib.error:
        return b""


def _message(head: bytes) -> Dialect | None:
    """Which message of a model begins so."""
    for number, wire, content in _begun(head):
        if wire == VARINT and number in _VERSIONS:
            continue
        if wire != BYTES:
            return None
        if number == tensorflow.GraphDef.node:  # or a MindSpore graph's
            return _first_node(content)
        if number == mindspore_graph.ModelProto.graph:
            return Dialect.MINDSPORE_MODEL if _first_node_of_graph(content) == Dialect.MINDSPORE_MODEL else None
        if number == onnx.ModelProto.graph:
            return Dialect.ONNX
        if number not in _ORIGINS:
            return None
    return None


def _first_node_of_graph(graph: bytes) -> Dialect | None:
    """What the graph is by its first node; a graph of MindSpore may have parameters and constants only."""
    for number, wire, content in _begun(graph):
        if wire != BYTES:
            return None
        if number == mindspore_graph.GraphProto.node:
            return _first_node(content)
        return Dialect.MINDSPORE_MODEL if number in _BESIDE_NODES else None
    return None


def _first_node(node: bytes) -> Dialect | None:
    """Whose node it is: TensorFlow's begin with name and operator, MindSpore's with inputs, number and operator."""
    name = b""
    for number, wire, content in _begun(node):
        if wire != BYTES:
            return None
        if number == tensorflow.NodeDef.name:  # or an input
            name = content
        elif number == tensorflow.NodeDef.op and name and _NODE_NAME.fullmatch(name):
            return Dialect.TENSORFLOW_MODEL if _OPERATOR.fullmatch(content) else None
        elif number == mindspore_graph.NodeProto.op_type:
            return Dialect.MINDSPORE_MODEL if _OPERATOR.fullmatch(content) else None
        elif number != mindspore_graph.NodeProto.name:
            return None
    return None


def _begun(head: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Number, wire type and content of the fields that begin in some bytes; the last content may be cut."""

    class _Endless:
        """The head with as much behind it as lengths may claim."""

        def __getitem__(self, place: int, /) -> int:
            if place >= len(head):
                raise Malformed("the head ends here")
            return head[place]

    try:
        for field in fields(_Endless(), 0, 1 << 62):
            yield field.id, field.wire, head[field.begin : field.end] if field.wire == BYTES else b""
    except Malformed:
        return
