"""Saved views: named page states, shared by the whole team."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.errors import Busy, Conflict, NotFound, StorageFull
from mindinsight_like.http.index_access import current_annotations
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, text, version
from mindinsight_like.http.response_types import Timestamp, Version, response_type
from mindinsight_like.http.responses import conditional_response, json_response
from mindinsight_like.store.annotations import SavedView as StoredView
from mindinsight_like.store.annotations.tables import UserDataUnusable

bp = Blueprint("views", __name__)

_NAME = text("name", "Name of the view.")
_ADDRESS = text("address", "Path and query of the page, below the address of this service.")
_VERSION = version("version", "Version of the view that this change is based on.")
_ERRORS = (Busy, UserDataUnusable, StorageFull)


@response_type
class SavedView:
    """The state of a page under a name."""

    id: str
    name: str
    address: Annotated[str, Meta(description="Path and query of the page, below the address of this service.")]
    created_at: Timestamp
    updated_at: Timestamp
    version: Version


@response_type
class SavedViewList:
    views: list[SavedView]


@response_type
class DeletedView:
    id: str


@bp.get("/views")
@Operation(answer=SavedViewList)
def views(params: Params) -> Response:
    """Saved views, most recently changed first."""
    stored = current_annotations()
    return conditional_response(
        stored.version(), lambda: json_response(SavedViewList(views=[_view(each) for each in stored.views()]))
    )


@bp.post("/views")
@Operation(answer=SavedView, parameters=(_NAME, _ADDRESS), errors=_ERRORS)
def save(params: Params) -> Response:
    """Save a view under a name."""
    return json_response(_view(current_annotations().save_view(params[_NAME], params[_ADDRESS])))


@bp.put("/views/<view>")
@Operation(answer=SavedView, parameters=(_NAME, _ADDRESS, _VERSION), errors=(NotFound, Conflict, *_ERRORS))
def replace(params: Params, view: str) -> Response:
    """Change the name or address of a saved view; omitted fields stay."""
    saved = current_annotations().change_view(
        view,
        name=params[_NAME] if params.has(_NAME) else None,
        address=params[_ADDRESS] if params.has(_ADDRESS) else None,
        version=params[_VERSION],
    )
    return json_response(_view(saved))


@bp.delete("/views/<view>")
@Operation(answer=DeletedView, parameters=(_VERSION,), errors=(NotFound, Conflict, *_ERRORS))
def delete(params: Params, view: str) -> Response:
    """Delete a saved view. With `version`, only if it has not changed since."""
    current_annotations().delete_view(view, version=params[_VERSION] if params.has(_VERSION) else None)
    return json_response(DeletedView(id=view))


def _view(view: StoredView) -> SavedView:
    return SavedView(
        id=view.id,
        name=view.name,
        address=view.address,
        created_at=view.created_at,
        updated_at=view.updated_at,
        version=view.version,
    )
