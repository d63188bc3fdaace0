"""Route of importance by a random forest, which sees parameters together; computed as a job."""

from __future__ import annotations

from typing import Annotated, Literal

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.errors import BadParameter, Busy, StillLoading
from mindinsight_like.http.app_state import Shared
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.response_types import Count, response_type
from mindinsight_like.http.responses import json_response
from mindinsight_like.jobs.folder import FAILED, READY
from mindinsight_like.lineage.insights.forest import FEWEST_RUNS, features, too_little
from mindinsight_like.lineage.insights.forest_jobs import HOW_TO_INSTALL, ForestJobs, ForestStatus
from mindinsight_like.lineage.query.search import matching_rows

from .insights import TARGET, table_with_columns, target_of
from .tables import QUERY, WHERE

bp = Blueprint("forest", __name__)

_JOBS = Shared(lambda state, reader: ForestJobs(reader.folder))
_GOOD, _WEAK = 0.5, 0.2  # of explained variance

Trust = Literal["good", "weak", "none"]


@response_type
class ForestParameter:
    """What a parameter adds to the predictions of the forest."""

    name: str
    importance: Annotated[float, Meta(description="Explained variance of unseen runs that is lost without it.")]
    sd: Annotated[float, Meta(ge=0, description="Standard deviation over the parts of the runs.")]


@response_type
class ForestRanking:
    """Parameters ranked by how much a random forest loses without them."""

    target: str
    state: Annotated[
        Literal["queued", "running", "ready", "failed", "unavailable"],
        Meta(description="`unavailable`: scikit-learn is not installed; `message` says how to get it."),
    ]
    message: Annotated[str, Meta(description="Why there is no result; empty otherwise.")]
    progress: Annotated[float, Meta(ge=0, le=1)]
    runs: Annotated[int, Meta(ge=0, description="Number of runs that the forest learns from.")]
    min_runs: Count
    r2: Annotated[
        float | None,
        Meta(description="Cross-validated share of the target's variance that it explains; null without a result."),
    ]
    r2_sd: Annotated[float | None, Meta(description="Its standard deviation over the parts of the runs.")]
    trust: Annotated[
        Trust | None, Meta(description="Quality of the fit: `good` from 0.5, `weak` from 0.2, `none` below.")
    ]
    parameters: list[ForestParameter]


@bp.post("/lineage/importance/forest")
@Operation(only_reads=True, answer=ForestRanking, parameters=(TARGET, QUERY, WHERE), errors=(StillLoading, Busy))
def forest_importance(params: Params) -> Response:
    """Importance of parameters together, by a random forest; ask again until `state` is `ready`.

    The forest is fitted on parts of the runs and judged on the others. Beside it, `/lineage/importance` ranks
    parameters one by one.
    """
    target = target_of(params)
    table = table_with_columns(params, [target]).table
    rows = matching_rows(table, query=params[QUERY], where=params[WHERE])
    if target not in table or not table.column(target).is_number[rows].any():
        raise BadParameter(f"target: {target[:200]!r} has no numbers in these runs.", parameter="target")
    data = features(table, rows, target)
    reason = too_little(data)
    status = ForestStatus(FAILED, message=reason) if reason else _JOBS.current().ask(data)
    return json_response(_ranking(target, len(data.target), status))


def _ranking(target: str, runs: int, status: ForestStatus) -> ForestRanking:
    is_ready = status.state == READY
    r2 = float(status.fit["r2"]) if is_ready else None
    state = "unavailable" if status.message == HOW_TO_INSTALL else status.state
    return ForestRanking(
        target=target,
        state=state,  # type: ignore[arg-type] # one of the STATES of jobs
        message=status.message,
        progress=status.progress,
        runs=runs,
        min_runs=FEWEST_RUNS,
        r2=r2,
        r2_sd=float(status.fit["r2_sd"]) if is_ready else None,
        trust=None if r2 is None else "good" if r2 >= _GOOD else "weak" if r2 >= _WEAK else "none",
        parameters=[ForestParameter(**each) for each in status.fit["parameters"]] if is_ready else [],
    )
