"""What a training waited for: idle devices by cause, and the critical path of a step."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.profiler.analysis import critical_path, idle
from mindinsight_like.profiler.routes.answering import ERRORS, WAITING, answered
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, whole
from mindinsight_like.web.schemas import COUNT, NUMBER, STRING, WHOLE, Schema, listed, or_null, record

bp = Blueprint("profile_waits", __name__)

_STEP = whole(
    "step", "Number of a step in the list of steps, from 0 on; the most usual one by default.", default=None, lowest=0
)
_OBJECT: Schema = {"type": "object"}
_TIMES: Schema = {"type": "object", "additionalProperties": NUMBER}
_STILL = {"slices": COUNT, "busy": NUMBER, "idle": NUMBER, "gaps": COUNT, "by_cause": _TIMES}


@bp.get("/profiles/<id>/idle")
@Operation(
    answer=record(
        causes=listed(STRING),
        floor=NUMBER,
        devices=listed(record(name=STRING, streams=COUNT, **_STILL)),
        streams=listed(record(track=WHOLE, name=STRING, process=STRING, **_STILL)),
        host=listed(record(name=STRING, time=NUMBER, count=COUNT)),
        named=COUNT,
        gaps=listed(_OBJECT),
    ),
    errors=ERRORS,
    waiting=WAITING,
)
def profile_idle(given: Given, id: str) -> Response:
    """How long devices and their streams stood still, and why; times are milliseconds."""
    return answered(id, lambda opened: idle.answer(opened.analysed.columns))


@bp.get("/profiles/<id>/critical-path")
@Operation(
    answer=record(
        step=or_null(WHOLE),
        number=or_null(WHOLE),
        begin_ns=WHOLE,
        end_ns=WHOLE,
        total=NUMBER,
        kinds=_TIMES,
        owners=listed(record(kind=STRING, name=STRING, time=NUMBER, count=COUNT, row=or_null(WHOLE))),
        pieces_total=COUNT,
        pieces=listed(_OBJECT),
    ),
    parameters=(_STEP,),
    errors=ERRORS,
    waiting=WAITING,
)
def profile_critical_path(given: Given, id: str) -> Response:
    """What a step waited for, from its end back to its begin: the kinds of time add up to the step. Milliseconds."""
    return answered(id, lambda opened: critical_path.answer(opened.analysed.columns, given[_STEP]))
