"""Meshes and point clouds; their numbers are blobs (.npy)."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.boards.item_series import (
    ItemSeries,
    LoggedItem,
    item_operation,
    logged_item,
    series_response,
    url_of,
)
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.response_types import Count, PartialResponse
from mindinsight_like.items.series import MESHES, Item
from mindinsight_like.values.meshes import MeshContent, MeshPart

bp = Blueprint("meshes", __name__)


class MeshItem(LoggedItem):
    """A part of a mesh at one step."""

    name: Annotated[
        str | None, Meta(description="The mesh that this is a part of; its other parts have tags of their own.")
    ]
    content: MeshContent | None
    shape: Annotated[list[Count] | None, Meta(description="Meshes; points or faces; numbers of each.")]
    config: Annotated[str | None, Meta(description="Camera and material as JSON; usually empty.")]
    url: Annotated[str | None, Meta(description="Address of the numbers as a .npy file.")]


class MeshSeries(ItemSeries):
    items: list[MeshItem]


class MeshSeriesList(PartialResponse):
    series: list[MeshSeries]


@bp.route("/meshes", methods=["GET", "POST"])
@item_operation(MeshSeriesList)
def meshes(params: Params) -> Response:
    """Parts of meshes of the given runs and tags: vertices, faces, colours."""
    return series_response(params, MESHES, _mesh)


def _mesh(item: Item[MeshPart]) -> MeshItem:
    part = item.value
    return {
        **logged_item(item),
        "name": part.name if part else None,
        "content": part.content if part else None,
        "shape": list(part.shape) if part else None,
        "config": part.config if part else None,
        "url": url_of(item),
    }
