"""Routes of advice, memory and the input pipeline of a profile."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.errors import BadParameter
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, choice, text, whole
from mindinsight_like.http.response_types import response_type
from mindinsight_like.profiler.analysis.advice import AdviceItem
from mindinsight_like.profiler.analysis.memory.memory import MemoryTable, MemoryUsage
from mindinsight_like.profiler.analysis.pipeline import PipelineView
from mindinsight_like.profiler.routes.answering import ERRORS, FROM, LIMIT, OFFSET, TO, AnalysisStatus, answered

bp = Blueprint("profile_findings", __name__)

_WIDTH = whole(
    "width", "Number of buckets to which long curves are downsampled.", default=1000, lowest=1, highest=10_000
)
_DEVICE = text("device", "The device, as `/memory` calls it.")
_BY = choice("by", "What a row is: all of one owner, or a single allocation.", ("owner", "block"), default="owner")
_SORT = text("sort", "Column to sort by; backwards with a `-` before it, which is `-bytes` by default.")


@response_type
class AdviceList:
    advice: Annotated[list[AdviceItem], Meta(description="The most important first.")]


@bp.get("/profiles/<id>/advice")
@Operation(answer=AdviceList, errors=ERRORS, waiting=AnalysisStatus)
def profile_advice(params: Params, id: str) -> Response:
    """Advice, most important first, with the numbers behind it."""
    return answered(id, lambda opened: AdviceList(advice=opened.analysed.advice()))


@bp.get("/profiles/<id>/pipeline")
@Operation(answer=PipelineView, errors=ERRORS, waiting=AnalysisStatus)
def profile_pipeline(params: Params, id: str) -> Response:
    """Input pipeline: operators, queues, waits. Times are milliseconds, shares are from 0 to 1."""
    return answered(id, lambda opened: opened.analysed.pipeline())


@bp.get("/profiles/<id>/memory")
@Operation(answer=MemoryUsage, parameters=(FROM, TO, _WIDTH), errors=ERRORS, waiting=AnalysisStatus)
def profile_memory(params: Params, id: str) -> Response:
    """Memory over time, in bytes. Of each bucket of long curves, first, lowest, highest and last point are kept."""
    span = _span(params)
    return answered(id, lambda opened: opened.analysed.memory(span, width=params[_WIDTH]))


def _span(params: Params) -> tuple[int, int] | None:
    begin, end = params[FROM], params[TO]
    if (begin is None) != (end is None):
        raise BadParameter("A time range needs both from_ns and to_ns.")
    return (begin, end) if begin is not None and end is not None else None


@bp.get("/profiles/<id>/memory/owners")
@Operation(
    answer=MemoryTable,
    parameters=(_DEVICE, _BY, FROM, TO, _SORT, OFFSET, LIMIT),
    errors=ERRORS,
    waiting=AnalysisStatus,
)
def profile_memory_owners(params: Params, id: str) -> Response:
    """Owners of the memory that was live at the peak of a device, or allocated in a time range."""
    span = _span(params)
    return answered(
        id,
        lambda opened: opened.analysed.memory_owners(
            params[_DEVICE],
            span,
            by=params[_BY],
            sort=params[_SORT] or "-bytes",
            offset=params[OFFSET],
            limit=params[LIMIT],
        ),
    )
