"""Profiles: which there are, what is known of one, and starting analyses."""

from __future__ import annotations

from typing import Any

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.errors import NotFound, RunNotFound
from mindinsight_like.profiler.results.analyses import Opened
from mindinsight_like.profiler.routes.answering import (
    ADVICE,
    ERRORS,
    PROFILE_FIELDS,
    WAITING,
    about,
    answered,
    current_analyses,
)
from mindinsight_like.web.answers import json_answer, unless_same
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, text
from mindinsight_like.web.schemas import BOOLEAN, COUNT, NUMBER, STRING, Schema, listed, or_null, record
from mindinsight_like.web.source import current_reader

bp = Blueprint("profiles", __name__)

_RUN = text("run", "Id of a run; all runs by default.")
_OF_RUN = text("run", "Id of a run.")
_SESSION = text("session", "All ranks of this session, also those that are runs of their own; else all of the run.")

_PROFILE = record(**PROFILE_FIELDS)
_OBJECT: Schema = {"type": "object"}
_LOSS = record(message=STRING, count=COUNT, file=STRING)
_TYPE = record(type=STRING, side=STRING, total=NUMBER, self=NUMBER, count=COUNT, share=NUMBER)
_SUMMARY = record(
    **PROFILE_FIELDS,
    host=STRING,
    ranks=or_null(COUNT) | {"description": "Of the whole training, where the profiler noted it."},
    facts=_OBJECT | {"description": "What the profiler noted: versions, settings, properties of devices."},
    counts={"type": "object", "additionalProperties": COUNT},
    losses=listed(_LOSS) | {"description": "What could not be read."},
    totals=_OBJECT | {"description": "How many slices, tracks, operators, types, executions, steps; `wall` in ms."},
    has=_OBJECT | {"additionalProperties": BOOLEAN, "description": "Which views have something to show."},
    top_types=listed(_TYPE),
    breakdown=_OBJECT
    | {"additionalProperties": NUMBER, "description": "Parts of an average whole step, ms; they add up to it."},
    step=_OBJECT | {"description": "The mean step: `duration` over whole `steps`, parts over `measured_steps`."},
    flops=or_null(_OBJECT)
    | {"description": "Floating point operations: `total`, `rate` per second, `utilisation` of `peak`, `source`."},
    advice=listed(ADVICE) | {"description": "The first three."},
)


@bp.get("/profiles")
@Operation(answer=record(profiles=listed(_PROFILE)), parameters=(_RUN,), errors=(RunNotFound,))
def profiles(given: Given) -> Response:
    """The profiles of a run, or of all runs; starts nothing."""
    analyses = current_analyses()
    if given[_RUN]:
        current_reader().run(given[_RUN])
        found = analyses.known.of_run(given[_RUN])
    else:
        found = list(analyses.known.all().values())
    return unless_same({"profiles": [about(profile, analyses.status(profile)) for profile in found]})


@bp.post("/profiles/analyse")
@Operation(
    answer=record(profiles=listed(_PROFILE)), parameters=(_OF_RUN, _SESSION), errors=(RunNotFound, NotFound, *ERRORS)
)
def analyse_session(given: Given) -> Response:
    """Analyse all ranks of a session in parallel, or all profiles of a run."""
    current_reader().run(given[_OF_RUN])
    known = current_analyses().known
    found = known.of_session(given[_SESSION]) if given[_SESSION] else known.of_run(given[_OF_RUN])
    if not any(profile.run == given[_OF_RUN] for profile in found):
        raise NotFound("the run has no such profiles")
    analyses = current_analyses()
    analyses.start(found)
    return json_answer({"profiles": [about(profile, analyses.status(profile)) for profile in found]})


@bp.post("/profiles/<id>/analyse")
@Operation(answer=_PROFILE, errors=ERRORS)
def analyse_profile(given: Given, id: str) -> Response:
    """Analyse a profile unless that is done or being done; once more when it has failed."""
    analyses = current_analyses()
    profile = analyses.find(id)
    analyses.start([profile])
    return json_answer(about(profile, analyses.status(profile)))


@bp.get("/profiles/<id>")
@Operation(answer=_SUMMARY, errors=ERRORS, waiting=WAITING)
def profile(given: Given, id: str) -> Response:
    """One profile with its most important figures."""

    def build(opened: Opened) -> dict[str, Any]:
        told = about(opened.profile, current_analyses().status(opened.profile))
        summary = opened.analysed.summary()
        ranks = summary["ranks"] if summary["ranks"] > 0 else None
        recorded = current_analyses().known.of_session(opened.profile.source.session)
        summary["has"]["cluster"] = len(recorded) > 1
        return {**summary, **told, "ranks": ranks}

    return answered(id, build, with_run=True)
