"""Two profiles beside each other, with what differs between their runs."""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.lineage.differences import Side, differences
from mindinsight_like.lineage.record import LineageRecord
from mindinsight_like.profiler.analysis import comparison
from mindinsight_like.profiler.results.analyses import Opened
from mindinsight_like.profiler.results.known import KnownProfile
from mindinsight_like.profiler.routes.answering import ERRORS, WAITING, answered_together
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, text
from mindinsight_like.web.schemas import BOOLEAN, COUNT, NUMBER, STRING, Schema, listed, or_null, record
from mindinsight_like.web.source import current_reader

bp = Blueprint("profile_comparison", __name__)

_A = text("a", "Id of a profile.")
_B = text("b", "Id of the one to compare it with.")
_OBJECT: Schema = {"type": "object"}
_ROW = record(
    name=STRING,
    side=STRING,
    a=NUMBER,
    b=NUMBER,
    a_count=NUMBER,
    b_count=NUMBER,
    difference=NUMBER,
    ratio=or_null(NUMBER),
    contribution=or_null(NUMBER),
    chance=or_null(NUMBER),
    state=STRING,
)


@bp.get("/profiles/compare")
@Operation(
    answer=record(
        per=STRING,
        a=_OBJECT,
        b=_OBJECT,
        difference=NUMBER,
        ratio=or_null(NUMBER),
        chance=or_null(NUMBER),
        is_changed=or_null(BOOLEAN),
        parts=listed(_OBJECT),
        operators=listed(_ROW),
        total=COUNT,
        states=_OBJECT,
        reasons=listed(_OBJECT),
        lineage=listed(record(kind=STRING, name=STRING, a={}, b={})),
    ),
    parameters=(_A, _B),
    errors=ERRORS,
    waiting=WAITING,
)
def compare_profiles(given: Given) -> Response:
    """Which operators appeared, vanished, got slower or faster, for a mean step; times are milliseconds."""

    def build(opened: list[Opened]) -> dict[str, Any]:
        a, b = opened
        found = comparison.answer(a.analysed.columns, b.analysed.columns)
        for name, each in zip("ab", opened, strict=True):
            told = each.profile
            found[name] |= {
                "id": told.id,
                "run": told.run,
                "run_name": told.run_name,
                "name": told.name,
                "rank": told.rank,
            }
        return found | {"lineage": _lineage(a.profile, b.profile)}

    return answered_together([given[_A], given[_B]], build, with_run=True)


def _lineage(a: KnownProfile, b: KnownProfile) -> list[dict[str, Any]]:
    """In what else the runs of two profiles differ."""
    if a.run == b.run:
        return []
    found = differences(_side(a), _side(b), {})
    return [{key: asdict(each)[key] for key in ("kind", "name", "a", "b")} for each in found]


def _side(profile: KnownProfile) -> Side:
    kept = current_reader().lineage_record(profile.run)
    return Side(profile.run_name, LineageRecord.from_json(json.loads(kept)) if kept else LineageRecord(), {})
