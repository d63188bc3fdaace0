"""Decode TensorBoard's meshes and point clouds: vertices, faces and colours are tensors under separate tags."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import islice
from math import prod
from typing import Literal

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.protobuf.message_fields import MessageFields
from mindinsight_like.logs.protobuf.schemas.tensorboard import MeshPluginData, Summary, SummaryMetadata
from mindinsight_like.logs.protobuf.schemas.tensorflow import TensorProto, TensorShapeProto
from mindinsight_like.logs.protobuf.wire import BYTES, Field, fields
from mindinsight_like.values.records import MOST_FIELDS, BadValue, Record
from mindinsight_like.values.tensors.tensor_messages import (
    Tensor,
    shape_of,
    size_in_bytes,
    tensorflow_tensor,
    tensorflow_type,
)

MeshContent = Literal["vertices", "faces", "colors"]
_CONTENTS: dict[int, MeshContent] = {
    MeshPluginData.ContentType.VERTEX: "vertices",
    MeshPluginData.ContentType.FACE: "faces",
    MeshPluginData.ContentType.COLOR: "colors",
}
_ENDINGS: dict[str, MeshContent] = {  # of tags: torch's and tensorboardX's
    "_VERTEX": "vertices", "_FACE": "faces", "_COLOR": "colors", "_1": "vertices", "_2": "faces", "_3": "colors",
}  # fmt: skip
_MOST_PARTS = 64  # of a record or tensor that says how large it is without being read
_FIXED = ("<f4", "<f8")  # listed numbers that take the same room each


@dataclass(frozen=True)
class MeshPart:
    name: str  # of the mesh, which its parts share
    content: MeshContent
    shape: tuple[int, ...]  # meshes, points or faces, three coordinates
    config: str  # JSON about camera and material; empty when there is none


def decode(record: Record) -> MeshPart:
    """What a record holds of a mesh; looks at little more than its head. Raises BadValue, Malformed."""
    head = _head(record)
    about = head.about
    if about is not None and (content_type := about.integer(MeshPluginData.content_type)) in _CONTENTS:
        name = about.text(MeshPluginData.name) or head.tag
        return MeshPart(name, _CONTENTS[content_type], head.shape, about.text(MeshPluginData.json_config))
    # Some writers say what a tag holds only in its first record.
    for ending, content in _ENDINGS.items():
        if head.tag.endswith(ending):
            return MeshPart(head.tag.removesuffix(ending), content, head.shape, "")
    raise BadValue("the record does not identify its part of the mesh")


def decode_tensor(record: Record) -> Tensor:
    """The coordinates, faces or colours; raises BadValue, Malformed."""
    tensor = tensorflow_tensor(_fitting(record).inner(Summary.Value.tensor, "mesh"))
    _check(tensor.shape, tensor.dtype)
    return tensor


@dataclass(frozen=True)
class _Head:
    tag: str
    about: MessageFields | None  # what the writer says of the mesh, beside its numbers
    shape: tuple[int, ...]


def _head(record: Record) -> _Head:
    tag, about, tensor = b"", None, None
    for field in islice(fields(_fitting(record).data, 0, len(record.data)), _MOST_PARTS):
        if field.wire != BYTES:
            continue
        if field.id == Summary.Value.tag:
            tag = record.data[field.begin : field.end]
        elif field.id == Summary.Value.tensor:
            tensor = field
        elif field.id == Summary.Value.metadata:
            about = _about(record.data[field.begin : field.end])
    if tensor is None:
        raise BadValue("the record contains no mesh")
    return _Head(tag.decode(errors="replace"), about, _shape(record, tensor))


def _about(metadata: bytes) -> MessageFields | None:
    for plugin in MessageFields(metadata, most_fields=MOST_FIELDS).messages(SummaryMetadata.plugin_data):
        for content in plugin.messages(SummaryMetadata.PluginData.content):
            return content
    return None


def _shape(record: Record, tensor: Field) -> tuple[int, ...]:
    """The shape of a tensor whose bytes or packed numbers fit it; these are counted, not read."""
    number, sizes = 0, b""
    lengths: dict[int, int] = {}  # of fields with bytes, by their ids
    for place, field in enumerate(fields(record.data, tensor.begin, tensor.end)):
        if place == _MOST_PARTS:  # every number is a field of its own
            return decode_tensor(record).shape
        if field.id == TensorProto.dtype:
            number = field.number
        elif field.id == TensorProto.tensor_shape:
            sizes = record.data[field.begin : field.end]
        elif field.wire == BYTES:
            lengths[field.id] = lengths.get(field.id, 0) + field.end - field.begin
    dims = MessageFields(sizes, most_fields=_MOST_PARTS).messages(TensorShapeProto.dim)
    shape = shape_of([dim.integer(TensorShapeProto.Dim.size) for dim in dims])
    name, layout, listed = tensorflow_type(number)
    _check(shape, name)
    size = lengths.get(TensorProto.tensor_content)
    if size is not None and size != prod(shape) * size_in_bytes(layout):
        raise BadValue(f"{size:,} bytes do not fit the shape {list(shape)} of {name}")
    if size is None and layout in _FIXED and lengths.get(listed, 0) != prod(shape) * size_in_bytes(layout):
        return decode_tensor(record).shape  # it may leave out what repeats
    return shape


def _check(shape: tuple[int, ...], dtype: str) -> None:
    if len(shape) != 3 or shape[2] not in (3, 4) or dtype == "string" or dtype.startswith("complex"):
        raise BadValue(f"a mesh has points of three numbers, not the shape {list(shape)} of {dtype}")


def _fitting(record: Record) -> Record:
    if record.dialect != Dialect.TENSORBOARD:
        raise BadValue("meshes are not supported in this log format")
    return record
