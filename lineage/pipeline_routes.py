"""The route of a run's data pipelines."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.errors import BlobGone, RunNotFound, StillLoading, TooLarge, Unreadable
from mindinsight_like.web.answers import json_answer, unless_known
from mindinsight_like.web.numbers import number
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given
from mindinsight_like.web.schemas import NUMBER, STRING, listed, record
from mindinsight_like.web.source import current_reader

from .pipelines import PipelineOperator, read_pipelines

bp = Blueprint("pipelines", __name__)

_OPERATOR = record(
    operator=STRING,
    name=STRING | {"description": "Unlike that of any other operator in the pipeline."},
    parameters=listed(record(name=STRING, value={})),
    sampler={"description": "An operator like this one, or null."},
    operations=listed({"type": "object"}) | {"description": "What a map applies: operators like this one."},
    children=listed({"type": "object"}) | {"description": "Those it takes its data from: operators like this one."},
)
_PIPELINE = record(
    file=STRING,
    wall_time=NUMBER,
    phase=STRING | {"description": "`train`, `evaluation`, or empty where the log does not tell."},
    root=_OPERATOR | {"description": "The last operator."},
)


@bp.get("/lineage/datasets/<run>/graph")
@Operation(answer=record(graphs=listed(_PIPELINE)), errors=(RunNotFound, Unreadable, BlobGone, TooLarge, StillLoading))
def pipelines(given: Given, run: str) -> Response:
    """The data pipelines of a run, each from its last operator down to its sources."""
    reader = current_reader()

    def build() -> Response:
        found = [
            {
                "file": each.file,
                "wall_time": number(each.wall_time),
                "phase": each.phase,
                "root": _operator(each.root),
            }
            for each in read_pipelines(reader, run)
        ]
        return json_answer({"graphs": found})

    return unless_known(reader.versions([run]), build)


def _shown(value: Any) -> Any:
    """A value of a parameter; what JSON has no number for is text."""
    if isinstance(value, float):
        return number(value)
    if isinstance(value, Mapping):
        return {name: _shown(each) for name, each in value.items()}
    return [_shown(each) for each in value] if isinstance(value, list) else value


def _operator(operator: PipelineOperator) -> dict[str, object]:
    return {
        "operator": operator.operator,
        "name": operator.name,
        "parameters": [{"name": name, "value": _shown(value)} for name, value in operator.parameters],
        "sampler": None if operator.sampler is None else _operator(operator.sampler),
        "operations": [_operator(each) for each in operator.operations],
        "children": [_operator(each) for each in operator.children],
    }
