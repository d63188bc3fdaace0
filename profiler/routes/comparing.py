"""Route that compares two profiles, with the differences between their runs."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

from flask import Blueprint
from flask.wrappers import Response
from typing_extensions import TypedDict

from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, text
from mindinsight_like.http.response_types import RunId
from mindinsight_like.lineage.insights.differences import Side, differences
from mindinsight_like.lineage.records.record import LineageRecord
from mindinsight_like.profiler.analysis.operators.comparison import ComparedTime, Comparison, compare
from mindinsight_like.profiler.jobs.analysis_jobs import Opened
from mindinsight_like.profiler.jobs.profile_catalogue import IndexedProfile
from mindinsight_like.profiler.routes.answering import ERRORS, AnalysisStatus, answered_together

bp = Blueprint("profile_comparison", __name__)

_A = text("a", "Id of a profile.")
_B = text("b", "Id of the one to compare it with.")


@dataclass(frozen=True, kw_only=True)
class ComparedProfile(ComparedTime):
    """One of two profiles that are compared."""

    id: str
    run: RunId
    run_name: str
    name: str
    rank: int | None


class LineageDifference(TypedDict):
    """A difference between the runs of two profiles."""

    kind: str
    name: str
    a: Any
    b: Any


@dataclass(frozen=True, kw_only=True)
class ProfileComparison(Comparison):
    """What differs between two profiles, a and b, and between their runs."""

    a: ComparedProfile
    b: ComparedProfile
    lineage: list[LineageDifference]


@bp.get("/profiles/compare")
@Operation(
    answer=ProfileComparison,
    parameters=(_A, _B),
    errors=ERRORS,
    waiting=AnalysisStatus,
)
def compare_profiles(params: Params) -> Response:
    """Which operators appeared, vanished, got slower or faster, for a mean step; times are milliseconds."""

    def build(opened: list[Opened]) -> ProfileComparison:
        a, b = opened
        result = compare(a.analysed.columns, b.analysed.columns)
        sides = {"a": _compared(a.profile, result.a), "b": _compared(b.profile, result.b)}
        return ProfileComparison(**vars(result) | sides, lineage=_lineage(a.profile, b.profile))

    return answered_together([params[_A], params[_B]], build, with_run=True)


def _compared(profile: IndexedProfile, time: ComparedTime) -> ComparedProfile:
    return ComparedProfile(
        **vars(time),
        id=profile.id,
        run=profile.run,
        run_name=profile.run_name,
        name=profile.name,
        rank=profile.rank,
    )


def _lineage(a: IndexedProfile, b: IndexedProfile) -> list[LineageDifference]:
    """In what else the runs of two profiles differ."""
    if a.run == b.run:
        return []
    changes = differences(_side(a), _side(b), {})
    return [{"kind": each.kind, "name": each.name, "a": each.a, "b": each.b} for each in changes]


def _side(profile: IndexedProfile) -> Side:
    stored = current_reader().runs.lineage_record(profile.run)
    return Side(profile.run_name, LineageRecord.from_json(json.loads(stored)) if stored else LineageRecord(), {})
