"""All ranks of a training beside each other."""

from __future__ import annotations

from typing import Any

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.errors import NotFound, RunNotFound
from mindinsight_like.profiler.analysis import cluster
from mindinsight_like.profiler.results.analyses import Opened
from mindinsight_like.profiler.routes.answering import ADVICE, ERRORS, WAITING, answered_together, current_analyses
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, choice, text
from mindinsight_like.web.schemas import NUMBER, STRING, WHOLE, Schema, listed, or_null, record
from mindinsight_like.web.source import current_reader

bp = Blueprint("profile_clusters", __name__)

_SESSION = text("session", "Which recording of the run; the first one with several ranks by default.")
_MEASURE = choice("measure", "What `steps.times` holds.", cluster.MEASURES, default="duration")
_OBJECT: Schema = {"type": "object"}


@bp.get("/clusters/<run>")
@Operation(
    answer=record(
        session=STRING,
        ranks=listed(_OBJECT),
        measure=STRING,
        steps=record(
            total=WHOLE, numbers=listed(WHOLE), times=listed(listed(or_null(NUMBER))), slowest=listed(or_null(WHOLE))
        ),
        interval=or_null(_OBJECT),
        stages=listed(_OBJECT),
        method=STRING,
        collectives=WHOLE,
        stragglers=listed(_OBJECT),
        advice=listed(ADVICE),
        links=record(links=listed(_OBJECT), means=_OBJECT),
    ),
    parameters=(_SESSION, _MEASURE),
    errors=(RunNotFound, *ERRORS),
    waiting=WAITING,
)
def run_cluster(given: Given, run: str) -> Response:
    """Ranks that were recorded together; all of them are analysed at once. Times are milliseconds."""
    current_reader().run(run)
    known = current_analyses().known
    sessions: dict[str, int] = {}
    for profile in known.of_run(run):
        sessions.setdefault(profile.source.session, len(known.of_session(profile.source.session)))
    session = given[_SESSION] or next((name for name, ranks in sessions.items() if ranks > 1), "")
    if sessions.get(session, 0) < 2:
        raise NotFound("the run has no recording of several ranks")
    profiles = known.of_session(session)

    def build(opened: list[Opened]) -> dict[str, Any]:
        columns, numbers = [each.analysed.columns for each in opened], [each.profile.rank for each in opened]
        found = cluster.answer(columns, given[_MEASURE], numbers)
        for each, rank in zip(opened, found["ranks"], strict=True):
            rank |= {"profile": each.profile.id, "run": each.profile.run, "run_name": each.profile.run_name}
        return {"session": session, **found}

    return answered_together([profile.id for profile in profiles], build)
