"""Routes that compare the ranks of a training."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import partial

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.errors import NotFound, RunNotFound, StillLoading
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, choice, text
from mindinsight_like.http.responses import conditional_response
from mindinsight_like.profiler.analysis.ranks import cluster
from mindinsight_like.profiler.jobs.analysis_folder import Status
from mindinsight_like.profiler.jobs.cluster_report import ClusterReport
from mindinsight_like.profiler.jobs.clusters import Clusters, Compared
from mindinsight_like.profiler.jobs.profile_catalogue import IndexedProfile
from mindinsight_like.profiler.routes.answering import ERRORS, AnalysisStatus, current_analyses, waiting_answer
from mindinsight_like.store.segments.sealing import BrokenSeal

bp = Blueprint("profile_clusters", __name__)

_SESSION = text("session", "Which recording of the run; the first one with several ranks by default.")
_MEASURE = choice("measure", "What `steps.times` contains.", cluster.MEASURES, default="duration")
_TRIES = 3


@bp.get("/clusters/<run>")
@Operation(
    answer=ClusterReport,
    parameters=(_SESSION, _MEASURE),
    errors=(RunNotFound, *ERRORS),
    waiting=AnalysisStatus,
)
def run_cluster(params: Params, run: str) -> Response:
    """Comparison of ranks that were profiled together; analyses all of them and caches the result.

    Times are milliseconds; stages of a pipeline count from 1.
    """
    current_reader().runs.get(run)
    catalogue = current_analyses().catalogue
    ranks = Counter(profile.source.session for profile in catalogue.all().values())
    sessions = {profile.source.session: ranks[profile.source.session] for profile in catalogue.of_run(run)}
    session = params[_SESSION] or next((name for name, ranks in sessions.items() if ranks > 1), "")
    if sessions.get(session, 0) < 2:
        raise NotFound("the run has no multi-rank profile")
    return _answered(session, catalogue.of_session(session), params[_MEASURE])


def _answered(session: str, profiles: Sequence[IndexedProfile], measure: str) -> Response:
    for _ in range(_TRIES):
        compared = Clusters(current_analyses()).compare(session, profiles)
        if isinstance(compared, Status):
            return waiting_answer([compared])
        try:
            return conditional_response(compared.state, partial(_answer, compared, measure))
        except (OSError, BrokenSeal) as error:  # it made room for others, or is damaged
            compared.job.discard(error)
    raise StillLoading("the ranks are being compared again; try again in a moment")


def _answer(compared: Compared, measure: str) -> Response:
    return Response(compared.answer(measure), content_type="application/json")
