"""What was found out about a profile beside its operators and steps: advice, memory, the input pipeline."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.errors import BadParameter
from mindinsight_like.profiler.routes.answering import (
    ADVICE,
    COLUMN,
    ERRORS,
    FROM,
    LIMIT,
    OFFSET,
    ROW,
    TO,
    WAITING,
    answered,
)
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, choice, text, whole
from mindinsight_like.web.schemas import COUNT, NUMBER, STRING, WHOLE, Schema, listed, or_null, record

bp = Blueprint("profile_findings", __name__)

_OBJECT: Schema = {"type": "object"}
_WIDTH = whole("width", "In how many stretches long curves are thinned.", default=1000, lowest=1, highest=10_000)
_DEVICE = text("device", "The device, as `/memory` calls it.")
_BY = choice("by", "What a row is: all of one owner, or a single allocation.", ("owner", "block"), default="owner")
_SORT = text("sort", "Column to sort by; backwards with a `-` before it, which is `-bytes` by default.")
_CURVE = record(
    device=STRING,
    limit=or_null(COUNT) | {"description": "Bytes that the device has, where known."},
    total=COUNT | {"description": "Points before thinning."},
    time_ns=listed(WHOLE),
    allocated=listed(WHOLE),
    reserved=or_null(listed(WHOLE)),
    peak=_OBJECT | {"description": "`bytes`, `time_ns`, `step`; of how much the owner is `known`."},
    first=WHOLE,
    last=WHOLE,
    has_blocks={"type": "boolean", "description": "Whether single allocations were recorded."},
)


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


@bp.get("/profiles/<id>/memory")
@Operation(
    answer=record(
        devices=listed(_CURVE),
        blocks=COUNT,
        leak=or_null(_OBJECT) | {"description": "What steps allocated that was still there two steps later."},
        facts=_OBJECT | {"description": "What MindSpore planned for memory, as it wrote it."},
    ),
    parameters=(FROM, TO, _WIDTH),
    errors=ERRORS,
    waiting=WAITING,
)
def profile_memory(given: Given, id: str) -> Response:
    """Memory over time, in bytes; of long curves the first, lowest, highest and last point of each stretch."""
    span = _span(given)
    return answered(id, lambda opened: opened.analysed.memory(span, width=given[_WIDTH]))


def _span(given: Given) -> tuple[int, int] | None:
    begin, end = given[FROM], given[TO]
    if (begin is None) != (end is None):
        raise BadParameter("A range of time has a begin and an end: from_ns and to_ns.")
    return (begin, end) if begin is not None and end is not None else None


@bp.get("/profiles/<id>/memory/owners")
@Operation(
    answer=record(total=COUNT, columns=listed(COLUMN), rows=listed(ROW)),
    parameters=(_DEVICE, _BY, FROM, TO, _SORT, OFFSET, LIMIT),
    errors=ERRORS,
    waiting=WAITING,
)
def profile_memory_owners(given: Given, id: str) -> Response:
    """Who owns what was alive at the peak of a device, or what was allocated in a range of time."""
    span = _span(given)
    return answered(
        id,
        lambda opened: opened.analysed.memory_owners(
            given[_DEVICE],
            span,
            by=given[_BY],
            sort=given[_SORT] or "-bytes",
            offset=given[OFFSET],
            limit=given[LIMIT],
        ),
    )
