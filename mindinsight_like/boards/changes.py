"""Changes since a cursor, for polling clients."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.http.index_access import current_annotations, current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, whole
from mindinsight_like.http.response_types import response_type
from mindinsight_like.http.responses import unless_same

bp = Blueprint("changes", __name__)

_SINCE = whole("since", "`cursor` of the previous response; 0 returns everything.", default=0, lowest=0)


@response_type
class Changes:
    """What has changed since a cursor."""

    cursor: Annotated[int, Meta(ge=0, description="Value of `since` for the next request.")]
    runs: Annotated[list[str], Meta(description="IDs of the runs that are new or have changed.")]
    removed: Annotated[list[str], Meta(description="IDs of the runs that are gone.")]
    annotations: Annotated[int, Meta(ge=0, description="Grows when notes, labels or saved views change.")]


@bp.get("/changes")
@Operation(answer=Changes, parameters=(_SINCE,))
def changes(params: Params) -> Response:
    """Runs that have changed or disappeared since a cursor, and the next cursor."""
    delta = current_reader().runs.changes(params[_SINCE])
    annotations = current_annotations().version()
    return unless_same(Changes(cursor=delta.cursor, runs=delta.runs, removed=delta.removed, annotations=annotations))
