"""Differences between two runs, ranked by how likely they explain the results."""

from __future__ import annotations

import difflib
import posixpath
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any, Final, Literal

from mindinsight_like.lineage.columns import Value
from mindinsight_like.lineage.plain_values import flattened
from mindinsight_like.lineage.query.search import group_of
from mindinsight_like.lineage.records.record import LineageRecord
from mindinsight_like.lineage.records.stages import stages

_MOST_LINES = 2_000  # of a difference between two differences

# Kinds of differences: what is to be explained, then what people change on purpose, then the rest.
RESULT: Final = "result"
PARAMETER: Final = "parameter"
ORIGIN: Final = "origin"
PIPELINE: Final = "pipeline"
DATA: Final = "data"
CODE: Final = "code"
ENVIRONMENT: Final = "environment"
Kind = Literal["result", "parameter", "origin", "pipeline", "data", "code", "environment"]
_ORDER: tuple[Kind, ...] = (RESULT, PARAMETER, ORIGIN, PIPELINE, DATA, CODE, ENVIRONMENT)
_KIND_OF_GROUP: dict[str, Kind] = {"model": PARAMETER, "hparam": PARAMETER, "user_defined": PARAMETER, "data": DATA}
_CONSEQUENCES = ("model_size", "loss")


@dataclass(frozen=True)
class Difference:
    kind: Kind
    name: str
    a: Value | None
    b: Value | None
    importance: float | None = None  # what the parameter says about the target over all runs


@dataclass(frozen=True)
class Side:
    """One of two runs that are compared."""

    name: str
    record: LineageRecord
    results: Mapping[str, Value]  # by column; of hyper-parameter trials they are not in the record


def differences(a: Side, b: Side, importance: Mapping[str, float | None]) -> list[Difference]:
    """All differences of two runs, by kind and, within parameters, by what they say about the target."""
    left, right = a.record, b.record
    unranked = [
        *_between(RESULT, a.results, b.results),
        *_of_values(left, right),
        *_between(ORIGIN, _parents(left, a.name), _parents(right, b.name)),
        *_between(PIPELINE, *(stages(each.pipeline) if each.pipeline else {} for each in (left, right))),
        *_of_inputs(left, right),
        *_between(CODE, *(flattened({"code": _without_diff(each.code)}) for each in (left, right))),
        *_between(ENVIRONMENT, *(flattened({"environment": each.environment}) for each in (left, right))),
    ]
    return sorted((replace(each, importance=importance.get(each.name)) for each in unranked), key=_rank)


def _rank(each: Difference) -> tuple[int, float, bool, str]:
    """What says most first; what only one run has tells less than what both have."""
    return _ORDER.index(each.kind), -(each.importance or 0.0), each.a is None or each.b is None, each.name


def _between(kind: Kind, a: Mapping[str, Value], b: Mapping[str, Value]) -> list[Difference]:
    return [
        Difference(kind, name, a.get(name), b.get(name))
        for name in dict.fromkeys((*a, *b))
        if not _is_same(a.get(name), b.get(name))
    ]


def _is_same(one: Value | None, other: Value | None) -> bool:
    return one == other or (one != one and other != other)  # NaN is unlike itself


def _of_values(a: LineageRecord, b: LineageRecord) -> list[Difference]:
    changed = _between(PARAMETER, a.values, b.values)
    return [
        replace(each, kind=_KIND_OF_GROUP[group])
        for each in changed
        if (group := group_of(each.name)) in _KIND_OF_GROUP and each.name not in _CONSEQUENCES
    ]


def _parents(record: LineageRecord, name: str) -> dict[str, Value]:
    """What a run goes back to, by relation."""
    by_relation: dict[str, Value] = {}
    for parent in record.parents:
        relation, path = parent.get("relation", ""), posixpath.join(name, parent.get("run", ""))
        by_relation[relation] = ", ".join(filter(None, (str(by_relation.get(relation, "")), posixpath.normpath(path))))
    return by_relation


def _of_inputs(a: LineageRecord, b: LineageRecord) -> list[Difference]:
    """What went into one run and not into the other; the same content under another name is the same."""
    left, right = _contents(a.inputs), _contents(b.inputs)
    only_left = {name: content for name, content in left.items() if content not in right.values()}
    only_right = {name: content for name, content in right.items() if content not in left.values()}
    return _between(DATA, only_left, only_right)


def _contents(artifacts: Iterable[Mapping[str, Any]]) -> dict[str, Value]:
    """Hashes by file name, names where there is no hash; of files of one name in several folders the last."""
    contents: dict[str, Value] = {}
    for artifact in artifacts:
        path = str(artifact.get("name", ""))
        contents[f"input/{posixpath.basename(path.rstrip('/'))}"] = str(artifact.get("hash") or path)
    return contents


def _without_diff(code: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in code.items() if name != "diff"}


def code_difference(a: LineageRecord, b: LineageRecord) -> str:
    """How the uncommitted changes of two runs differ, as a unified diff; empty when they do not."""
    left, right = str(a.code.get("diff", "")).splitlines(), str(b.code.get("diff", "")).splitlines()
    lines = list(difflib.unified_diff(left, right, "a", "b", lineterm="", n=1)) if left != right else []
    cut = [f"... {len(lines) - _MOST_LINES:,} more lines"] if len(lines) > _MOST_LINES else []
    return "\n".join(lines[:_MOST_LINES] + cut)
