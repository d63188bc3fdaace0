"""Meshes and point clouds; their numbers are blobs, as files of numpy."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import URL, operation, series_answer, url_of
from mindinsight_like.items import MESHES, Item
from mindinsight_like.values.meshes import MeshPart
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import COUNT, STRING, choice, listed, or_null

bp = Blueprint("meshes", __name__)


@bp.route("/meshes", methods=["GET", "POST"])
@operation(
    name=or_null(STRING) | {"description": "The mesh that this is a part of; its other parts have tags of their own."},
    content=or_null(choice("vertices", "faces", "colors")),
    shape=or_null(listed(COUNT)) | {"description": "Meshes, points or faces, numbers of each."},
    config=or_null(STRING) | {"description": "What the writer says of camera and material, as JSON; mostly empty."},
    url=URL | {"description": "Address of the numbers as a .npy file."},
)
def meshes(given: Given) -> Response:
    """The parts of meshes under the asked tags in the asked runs: vertices, faces, colours."""
    return series_answer(given, MESHES, _mesh)


def _mesh(item: Item[MeshPart]) -> dict[str, object]:
    part = item.value
    return {
        "name": part.name if part else None,
        "content": part.content if part else None,
        "shape": list(part.shape) if part else None,
        "config": part.config if part else None,
        "url": url_of(item),
    }
