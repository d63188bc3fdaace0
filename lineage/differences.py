"""What differs between two runs, the likely reasons first."""

from __future__ import annotations

import difflib
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from .columns import Value
from .plain_values import flattened
from .queries import group_of
from .record import LineageRecord
from .stages import stages

_MOST_LINES = 2_000  # of a difference between two differences

# Kinds of differences, those first that people change on purpose.
PARAMETER, PIPELINE, DATA, CODE, ENVIRONMENT = "parameter", "pipeline", "data", "code", "environment"
_ORDER = (PARAMETER, PIPELINE, DATA, CODE, ENVIRONMENT)
_KIND_OF_GROUP = {"model": PARAMETER, "hparam": PARAMETER, "user_defined": PARAMETER, "data": DATA}
_CONSEQUENCES = ("model_size", "loss")


@dataclass(frozen=True)
class Difference:
    kind: str
    name: str
    a: Value | None
    b: Value | None
    importance: float | None = None  # what the parameter says about the target over all runs


def differences(a: LineageRecord, b: LineageRecord, importance: Mapping[str, float | None]) -> list[Difference]:
    """All differences of two records, by kind and, within parameters, by what they say about the target."""
    found = [
        Difference(kind, name, left, right, importance.get(name))
        for kind, name, left, right in (
            *_of_values(a, b),
            *_of_pipelines(a, b),
            *_of_code(a, b),
            *_of_environment(a, b),
        )
    ]
    return sorted(found, key=_rank)


def _rank(each: Difference) -> tuple[int, float, bool, str]:
    """What says most first; what only one run has tells less than what both have."""
    return _ORDER.index(each.kind), -(each.importance or 0.0), each.a is None or each.b is None, each.name


def _of_values(a: LineageRecord, b: LineageRecord) -> list[tuple[str, str, Value | None, Value | None]]:
    names = dict.fromkeys((*a.values, *b.values))
    return [
        (_KIND_OF_GROUP[group_of(name)], name, a.values.get(name), b.values.get(name))
        for name in names
        if group_of(name) in _KIND_OF_GROUP and name not in _CONSEQUENCES and a.values.get(name) != b.values.get(name)
    ]


def _of_pipelines(a: LineageRecord, b: LineageRecord) -> list[tuple[str, str, Value | None, Value | None]]:
    left, right = (stages(each.pipeline) if each.pipeline else {} for each in (a, b))
    names = dict.fromkeys((*left, *right))
    return [(PIPELINE, name, left.get(name), right.get(name)) for name in names if left.get(name) != right.get(name)]


def _of_code(a: LineageRecord, b: LineageRecord) -> list[tuple[str, str, Value | None, Value | None]]:
    found = _plain_differences(CODE, a.code, b.code)
    return [each for each in found if each[1] != "code/diff"]


def _of_environment(a: LineageRecord, b: LineageRecord) -> list[tuple[str, str, Value | None, Value | None]]:
    return _plain_differences(ENVIRONMENT, a.environment, b.environment)


def _plain_differences(
    kind: str, a: Mapping[str, Any], b: Mapping[str, Any]
) -> list[tuple[str, str, Value | None, Value | None]]:
    left, right = flattened(a), flattened(b)
    names = dict.fromkeys((*left, *right))
    return [
        (kind, f"{kind}/{name}", left.get(name), right.get(name)) for name in names if left.get(name) != right.get(name)
    ]


def code_difference(a: LineageRecord, b: LineageRecord) -> str:
    """How the uncommitted changes of two runs differ, as a unified diff; empty when they do not."""
    left, right = str(a.code.get("diff", "")).splitlines(), str(b.code.get("diff", "")).splitlines()
    lines = list(difflib.unified_diff(left, right, "a", "b", lineterm="", n=1)) if left != right else []
    cut = [f"... {len(lines) - _MOST_LINES:,} more lines"] if len(lines) > _MOST_LINES else []
    return "\n".join(lines[:_MOST_LINES] + cut)
