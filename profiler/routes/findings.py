"""What was found out about a profile beside its operators and steps: advice, memory, the input pipeline."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.profiler.routes.answering import ADVICE, ERRORS, WAITING, answered
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import NUMBER, Schema, listed, or_null, record

bp = Blueprint("profile_findings", __name__)

_OBJECT: Schema = {"type": "object"}


@bp.get("/profiles/<id>/advice")
@Operation(answer=record(advice=listed(ADVICE)), errors=ERRORS, waiting=WAITING)
def profile_advice(given: Given, id: str) -> Response:
    """What to fix, the most important first, with the numbers that say so."""
    return answered(id, lambda opened: opened.analysed.advice())


@bp.get("/profiles/<id>/pipeline")
@Operation(
    answer=record(
        operators=listed(_OBJECT) | {"description": "Of the pipeline, with queues; `rule` tells why one is slow."},
        sample_milliseconds=or_null(NUMBER),
        lights=listed(_OBJECT) | {"description": "Host, device and get_next: `good`, `warning` or `unknown`."},
        queues=listed(_OBJECT) | {"description": "Sizes and waits by batch."},
        loading=listed(_OBJECT) | {"description": "Threads that loaded data."},
        steps=_OBJECT | {"description": "What of each step went by in waiting for data."},
    ),
    errors=ERRORS,
    waiting=WAITING,
)
def profile_pipeline(given: Given, id: str) -> Response:
    """How data reached the training: operators, queues, waits. Times are milliseconds, shares of 1."""
    return answered(id, lambda opened: opened.analysed.pipeline())
