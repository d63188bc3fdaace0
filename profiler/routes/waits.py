"""Routes of device idle time and of the critical path."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, whole
from mindinsight_like.profiler.analysis.steps import critical_path, idle
from mindinsight_like.profiler.routes.answering import ERRORS, AnalysisStatus, answered

bp = Blueprint("profile_waits", __name__)

_STEP = whole(
    "step", "Number of a step in the list of steps, from 0 on; the most usual one by default.", default=None, lowest=0
)


@bp.get("/profiles/<id>/idle")
@Operation(answer=idle.IdleReport, errors=ERRORS, waiting=AnalysisStatus)
def profile_idle(params: Params, id: str) -> Response:
    """Idle time of devices and their streams by cause; milliseconds."""
    return answered(id, lambda opened: idle.report(opened.analysed.columns))


@bp.get("/profiles/<id>/critical-path")
@Operation(answer=critical_path.CriticalPathReport, parameters=(_STEP,), errors=ERRORS, waiting=AnalysisStatus)
def profile_critical_path(params: Params, id: str) -> Response:
    """What a step waited for, from its end back to its start. The kinds of time add up to the step. Milliseconds."""
    return answered(id, lambda opened: critical_path.report(opened.analysed.columns, params[_STEP]))
