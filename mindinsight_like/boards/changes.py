"""What has changed since the client last asked."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.web.answers import unless_same
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, whole
from mindinsight_like.web.schemas import COUNT, STRING, listed, record
from mindinsight_like.web.source import current_annotations, current_reader

bp = Blueprint("changes", __name__)

_SINCE = whole("since", "The `cursor` of the answer before; 0 asks for everything.", default=0, lowest=0)
_CHANGES = record(
    cursor=COUNT,
    runs=listed(STRING),
    removed=listed(STRING),
    annotations=COUNT | {"description": "Grows when somebody changes notes, labels or saved views."},
)


@bp.get("/changes")
@Operation(answer=_CHANGES, parameters=(_SINCE,))
def changes(given: Given) -> Response:
    """The ids of runs that changed or disappeared since a cursor, and the cursor to ask with next time."""
    found = current_reader().changes(given[_SINCE])
    annotations = current_annotations().version()
    return unless_same(
        {"cursor": found.cursor, "runs": found.runs, "removed": found.removed, "annotations": annotations}
    )
