"""The lineage record of one run: column values, and the structured parts that do not fit into columns."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields
from typing import Any

from mindinsight_like.lineage.columns import Value

from .stages import stages


@dataclass
class LineageRecord:
    values: dict[str, Value] = field(default_factory=dict)  # by column
    parts: dict[str, Any] = field(default_factory=dict)  # of MindSpore's events, named as in MindInsight's Python API
    pipeline: dict[str, Any] | None = None  # the data processing, an operator with those that feed it
    parents: list[dict[str, str]] = field(default_factory=list)  # relation, and run as a path from this one's folder
    inputs: list[dict[str, Any]] = field(default_factory=list)
    outputs: list[dict[str, Any]] = field(default_factory=list)
    code: dict[str, Any] = field(default_factory=dict)
    environment: dict[str, Any] = field(default_factory=dict)
    metrics: list[dict[str, str]] = field(default_factory=list)  # scalars that count as results: tag, group, label
    domains: dict[str, Any] = field(default_factory=dict)  # by parameter: a list of choices, or min and max
    session: dict[str, Any] = field(default_factory=dict)  # status, begun_at and ended_at, as a framework said them
    problems: list[str] = field(default_factory=list)  # what could not be read

    def to_json(self) -> dict[str, Any]:
        """Only what is there, with numbers that JSON lacks as texts."""
        return {name: to_json_value(value) for name, value in vars(self).items() if value}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> LineageRecord:
        names = {each.name for each in fields(cls)}
        return cls(**{name: _from_json_value(value) for name, value in data.items() if name in names})


_MOST_ARTIFACTS = 1_000  # of one run in the lineage graph
_PLAIN = frozenset((str, int, bool, type(None)))
_ODD = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}


def to_json_value(value: Any) -> Any:
    """A value with NaN and infinities as {"number": "NaN"}."""
    if type(value) in _PLAIN:  # nearly all are, and whether something is a Mapping takes long to say
        return value
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"number": "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"}
    if isinstance(value, Mapping):
        return {name: to_json_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [to_json_value(each) for each in value]
    return value


def _from_json_value(value: Any) -> Any:
    if type(value) in _PLAIN:
        return value
    if isinstance(value, dict):
        if len(value) == 1 and value.get("number") in _ODD:
            return _ODD[value["number"]]
        return {name: _from_json_value(each) for name, each in value.items()}
    return [_from_json_value(each) for each in value] if isinstance(value, list) else value


def pipeline_hash(pipeline: Mapping[str, Any]) -> str:
    """Equal for pipelines with the same operators, parameters and order, and only for those."""
    text = json.dumps(to_json_value(pipeline), sort_keys=True, ensure_ascii=False, separators=(",", ":"))
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def summarize(record: LineageRecord, content: Mapping[str, Any]) -> dict[str, Any]:
    """What tables of all runs need of a record; `content` is its JSON."""
    summary = {name: content[name] for name in ("values", "metrics", "domains", "parents") if name in content}
    summary |= {name: content[name][:_MOST_ARTIFACTS] for name in ("inputs", "outputs") if name in content}
    if record.pipeline is not None:
        summary |= {"pipeline": pipeline_hash(record.pipeline)}
        if of_pipeline := stages(record.pipeline):
            summary["stages"] = to_json_value(of_pipeline)
    return summary


def summary_from_text(text: str) -> dict[str, Any]:
    """The reverse of `summarize`, once it was written as JSON."""
    summary: dict[str, Any] = json.loads(text)
    # Few hold numbers that JSON lacks; looking for them everywhere would take as long as reading.
    return {name: _from_json_value(value) for name, value in summary.items()} if '"number"' in text else summary
