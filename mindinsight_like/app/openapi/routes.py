"""Route of the OpenAPI document."""

from __future__ import annotations

from flask import Blueprint, current_app
from flask.wrappers import Response

from mindinsight_like.app.openapi.document import OpenApiDocument, describe
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.responses import unless_same

bp = Blueprint("openapi", __name__)


@bp.get("/openapi.json")
@Operation(answer=OpenApiDocument)
def openapi(params: Params) -> Response:
    """The OpenAPI document of this interface."""
    return unless_same(describe(current_app))
