"""Meshes and point clouds of TensorBoard: vertices, faces and colours are tensors under tags of their own."""

from __future__ import annotations

from dataclasses import dataclass

from mindinsight_like.logs.kinds import Dialect
from mindinsight_like.logs.message_fields import MessageFields
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.tensor_messages import Tensor, tensorflow_tensor

_CONTENTS = {1: "vertices", 2: "faces", 3: "colors"}
_ENDINGS = {  # of tags: torch's and tensorboardX's
    "_VERTEX": "vertices", "_FACE": "faces", "_COLOR": "colors", "_1": "vertices", "_2": "faces", "_3": "colors",
}  # fmt: skip


@dataclass(frozen=True)
class MeshPart:
    name: str  # of the mesh, which its parts share
    content: str  # "vertices", "faces" or "colors"
    shape: tuple[int, ...]  # meshes, points or faces, three coordinates
    config: str  # JSON about camera and material; empty when there is none


def decode(record: Record) -> MeshPart:
    """What a record holds of a mesh; raises BadValue, Malformed."""
    tensor = decode_tensor(record)
    tag = record.fields.text(1)
    about = _about(record)
    if about is not None and about.integer(3) in _CONTENTS:
        return MeshPart(about.text(2) or tag, _CONTENTS[about.integer(3)], tensor.shape, about.text(5))
    # Some writers say what a tag holds only in its first record.
    for ending, content in _ENDINGS.items():
        if tag.endswith(ending):
            return MeshPart(tag.removesuffix(ending), content, tensor.shape, "")
    raise BadValue("the record does not say which part of a mesh it is")


def decode_tensor(record: Record) -> Tensor:
    """The coordinates, faces or colours; raises BadValue, Malformed."""
    if record.dialect != Dialect.TENSORBOARD:
        raise BadValue("meshes are not known in logs of this kind")
    tensor = tensorflow_tensor(record.inner(8, "mesh"))
    if (
        tensor.array is None
        or tensor.array.dtype.kind == "c"
        or tensor.array.ndim != 3
        or tensor.shape[2] not in (3, 4)
    ):
        raise BadValue(f"a mesh has points of three numbers, not the shape {list(tensor.shape)} of {tensor.dtype}")
    return tensor


def _about(record: Record) -> MessageFields | None:
    """What the writer says of the mesh, beside its numbers."""
    for metadata in record.fields.messages(9):
        for plugin in metadata.messages(1):
            for content in plugin.messages(2):
                return content
    return None
