"""Encode meshes and point clouds as TensorBoard's plugin reads them."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from mindinsight_like.logs.protobuf.schemas.tensorboard import MeshPluginData
from mindinsight_like.writers.encoding import tensorboard, wire
from mindinsight_like.writers.encoding.values import to_array

if TYPE_CHECKING:
    import numpy.typing as npt

    Array = npt.NDArray[Any]

_VERTEX, _FACE, _COLOR = (
    MeshPluginData.ContentType.VERTEX,
    MeshPluginData.ContentType.FACE,
    MeshPluginData.ContentType.COLOR,
)
_NAMES = {_VERTEX: "VERTEX", _FACE: "FACE", _COLOR: "COLOR"}
Part = tuple[int, "Array"]


def mesh_parts(vertices: Any, colors: Any | None, faces: Any | None) -> list[Part]:
    """What is given, checked, in single precision and memory of its own.

    Each part has the shape (batch, number, 3); colours that are floats up to 1 are scaled to 255. Raises ValueError.
    """
    import numpy as np

    parts: list[Part] = []
    for kind, values in ((_VERTEX, vertices), (_FACE, faces), (_COLOR, colors)):
        if values is None:
            continue
        array = to_array(values)
        if array.ndim != 3 or array.shape[2] != 3:
            raise ValueError(
                f"{_NAMES[kind].lower()} data must have the shape (batch, number, 3), not {array.shape}; "
                "for a single mesh, put it into a list"
            )
        is_share = kind == _COLOR and array.dtype.kind == "f" and array.size and array.max() <= 1
        parts.append((kind, np.array(array, np.float32) * np.float32(255 if is_share else 1)))
    return parts


def mesh(tag: str, parts: list[Part], config: Mapping[str, Any] | None) -> list[bytes]:
    """One value for each part."""
    components = sum(1 << kind for kind, _ in parts)
    settings = json.dumps(config or {}, sort_keys=True)
    return [
        tensorboard.tensor(
            f"{tag}_{_NAMES[kind]}",
            array,
            plugin="mesh",
            settings=wire.text(MeshPluginData.name, tag)
            + wire.integer(MeshPluginData.content_type, kind)
            + wire.text(MeshPluginData.json_config, settings)
            + wire.blob(MeshPluginData.shape, b"".join(map(wire.varint, array.shape)))
            + wire.integer(MeshPluginData.components, components),
        )
        for kind, array in parts
    ]
