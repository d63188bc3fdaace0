"""Saved views: boards as people left them, under names, for the whole team."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.errors import NotFound
from mindinsight_like.store.annotations import SavedView
from mindinsight_like.web.answers import json_answer, unless_known
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, text
from mindinsight_like.web.schemas import STRING, TIME, listed, record
from mindinsight_like.web.source import current_annotations

bp = Blueprint("views", __name__)

_NAME = text("name", "What to call the view.")
_ADDRESS = text("address", "Path and query of the board, below this service's own address.")
_VIEW = record(id=STRING, name=STRING, address=STRING, created_at=TIME, updated_at=TIME)


@bp.get("/views")
@Operation(answer=record(views=listed(_VIEW)))
def views(given: Given) -> Response:
    """All saved views, the one that changed last first."""
    kept = current_annotations()
    return unless_known(kept.version(), lambda: json_answer({"views": [_view(each) for each in kept.views()]}))


@bp.post("/views")
@Operation(answer=_VIEW, parameters=(_NAME, _ADDRESS))
def save(given: Given) -> Response:
    """Save a view under a name."""
    return json_answer(_view(current_annotations().save_view(given[_NAME], given[_ADDRESS])))


@bp.put("/views/<view>")
@Operation(answer=_VIEW, parameters=(_NAME, _ADDRESS), errors=(NotFound,))
def replace(given: Given, view: str) -> Response:
    """Give a saved view another name or address."""
    return json_answer(_view(current_annotations().save_view(given[_NAME], given[_ADDRESS], view)))


@bp.delete("/views/<view>")
@Operation(answer=record(id=STRING), errors=(NotFound,))
def delete(given: Given, view: str) -> Response:
    """Forget a saved view."""
    current_annotations().delete_view(view)
    return json_answer({"id": view})


def _view(view: SavedView) -> dict[str, object]:
    return view._asdict()
