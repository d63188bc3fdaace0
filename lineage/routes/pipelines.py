"""The route of a run's data pipelines."""

from __future__ import annotations

from typing import Annotated, Any

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.errors import BlobGone, RunNotFound, StillLoading, TooLarge, Unreadable
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params
from mindinsight_like.http.response_types import response_type
from mindinsight_like.http.responses import conditional_response, json_response
from mindinsight_like.lineage.records.pipelines import PipelineOperator, read_pipelines
from mindinsight_like.tables.json_numbers import JsonNumber, json_value, number

bp = Blueprint("pipelines", __name__)


@response_type
class OperatorParameter:
    name: str
    value: Annotated[Any, Meta(description="Any JSON value.")]


@response_type
class DataOperator:
    """An operator of a data pipeline, an augmentation or a sampler."""

    operator: str
    name: Annotated[str, Meta(description="Unique in the pipeline.")]
    parameters: list[OperatorParameter]
    sampler: DataOperator | None
    operations: Annotated[list[DataOperator], Meta(description="What a map applies.")]
    children: Annotated[list[DataOperator], Meta(description="Operators that it takes its data from.")]


@response_type
class DataPipeline:
    """How data were prepared for a run."""

    file: str
    wall_time: JsonNumber
    phase: Annotated[str, Meta(description="`train`, `evaluation`, or empty if the log does not say.")]
    root: Annotated[DataOperator, Meta(description="The last operator.")]


@response_type
class DataPipelineList:
    graphs: list[DataPipeline]


@bp.get("/lineage/datasets/<run>/graph")
@Operation(answer=DataPipelineList, errors=(RunNotFound, Unreadable, BlobGone, TooLarge, StillLoading))
def pipelines(params: Params, run: str) -> Response:
    """Data pipelines of a run, each from its last operator to its sources."""
    reader = current_reader()

    def build() -> Response:
        graphs = [
            DataPipeline(
                file=each.file,
                wall_time=number(each.wall_time),
                phase=each.phase,
                root=_operator(each.root),
            )
            for each in read_pipelines(reader, run)
        ]
        return json_response(DataPipelineList(graphs=graphs))

    return conditional_response(reader.runs.versions([run]), build)


def _operator(operator: PipelineOperator) -> DataOperator:
    return DataOperator(
        operator=operator.operator,
        name=operator.name,
        parameters=[OperatorParameter(name=name, value=json_value(value)) for name, value in operator.parameters],
        sampler=None if operator.sampler is None else _operator(operator.sampler),
        operations=[_operator(each) for each in operator.operations],
        children=[_operator(each) for each in operator.children],
    )
