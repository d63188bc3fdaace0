"""Routes that list profiles, summarise one and start analyses."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.errors import NotFound, RunNotFound
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, text
from mindinsight_like.http.response_types import Count, response_type
from mindinsight_like.http.responses import json_response, unless_same
from mindinsight_like.profiler.analysis.advice import AdviceItem
from mindinsight_like.profiler.analysis.operators.flops_summary import FlopsSummary
from mindinsight_like.profiler.analysis.operators.operator_table import SideTotals
from mindinsight_like.profiler.analysis.steps.step_list import StepAverage
from mindinsight_like.profiler.analysis.summary import (
    AvailableViews,
    OperatorTypeTotals,
    ProfileTotals,
)
from mindinsight_like.profiler.jobs.analysis_jobs import Opened
from mindinsight_like.profiler.routes.answering import (
    ERRORS,
    AnalysisStatus,
    ProfileEntry,
    about,
    answered,
    current_analyses,
)

bp = Blueprint("profiles", __name__)

_RUN = text("run", "Id of a run; all runs by default.")
_OF_RUN = text("run", "Id of a run.")
_SESSION = text(
    "session", "All ranks of this session, including ranks that are separate runs; without it, all ranks of the run."
)


class ProfileSummary(ProfileEntry):
    """An analysed profile with its most important figures."""

    host: str
    origin_ns: Annotated[int, Meta(description="Unix time of the timeline's origin; 0 if unknown.")]
    facts: Annotated[
        dict[str, Any], Meta(description="Facts that the profiler recorded: versions, settings, device properties.")
    ]
    counts: Annotated[dict[str, Count], Meta(description="How many records were read, dropped or changed, by kind.")]
    totals: ProfileTotals
    has: AvailableViews
    sides: list[SideTotals]
    top_types: list[OperatorTypeTotals]
    step: StepAverage
    flops: FlopsSummary | None
    advice: Annotated[list[AdviceItem], Meta(description="The first three.")]


@response_type
class ProfileList:
    profiles: list[ProfileEntry]


@bp.get("/profiles")
@Operation(answer=ProfileList, parameters=(_RUN,), errors=(RunNotFound,))
def profiles(params: Params) -> Response:
    """The profiles of a run, or of all runs; starts nothing."""
    analyses = current_analyses()
    if params[_RUN]:
        current_reader().runs.get(params[_RUN])
        selected = analyses.catalogue.of_run(params[_RUN])
    else:
        selected = list(analyses.catalogue.all().values())
    return unless_same(ProfileList(profiles=[about(profile, analyses.status(profile)) for profile in selected]))


@bp.post("/profiles/analyse")
@Operation(
    only_reads=True,
    answer=ProfileList,
    parameters=(_OF_RUN, _SESSION),
    errors=(RunNotFound, NotFound, *ERRORS),
)
def analyse_session(params: Params) -> Response:
    """Analyse all ranks of a session in parallel, or all profiles of a run."""
    current_reader().runs.get(params[_OF_RUN])
    catalogue = current_analyses().catalogue
    selected = catalogue.of_session(params[_SESSION]) if params[_SESSION] else catalogue.of_run(params[_OF_RUN])
    if not any(profile.run == params[_OF_RUN] for profile in selected):
        raise NotFound("the run has no such profiles")
    analyses = current_analyses()
    analyses.start(selected)
    return json_response(ProfileList(profiles=[about(profile, analyses.status(profile)) for profile in selected]))


@bp.post("/profiles/<id>/analyse")
@Operation(only_reads=True, answer=ProfileEntry, errors=ERRORS)
def analyse_profile(params: Params, id: str) -> Response:
    """Analyse a profile unless that is done or being done; once more when it has failed."""
    analyses = current_analyses()
    profile = analyses.find(id)
    analyses.start([profile])
    return json_response(about(profile, analyses.status(profile)))


@bp.get("/profiles/<profile_id:id>")
@Operation(answer=ProfileSummary, errors=ERRORS, waiting=AnalysisStatus)
def profile(params: Params, id: str) -> Response:
    """One profile with its most important figures."""

    def build(opened: Opened) -> ProfileSummary:
        summary = opened.analysed.summary()
        recorded = current_analyses().catalogue.of_session(opened.profile.source.session)
        return {
            **about(opened.profile, current_analyses().status(opened.profile)),
            "host": summary.host,
            "ranks": summary.ranks if summary.ranks > 0 else None,
            "origin_ns": summary.origin_ns,
            "facts": summary.facts,
            "counts": summary.counts,
            "losses": summary.losses,
            "totals": summary.totals,
            "has": replace(summary.has, cluster=len(recorded) > 1),
            "sides": summary.sides,
            "top_types": summary.top_types,
            "breakdown": summary.breakdown,
            "step": summary.step,
            "flops": summary.flops,
            "advice": summary.advice,
        }

    return answered(id, build, with_run=True)
