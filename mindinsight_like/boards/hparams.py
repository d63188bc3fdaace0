"""Hyper-parameters: table of the settings and metrics of sessions."""

from __future__ import annotations

from typing import Annotated

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.boards.item_series import ERRORS
from mindinsight_like.hparams import trials
from mindinsight_like.hparams.trials import REDUCTIONS, ColumnGroup, ColumnType
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, Repeated, choice
from mindinsight_like.http.response_types import Interval, JsonScalar, PartialResponse, RunId, response_type
from mindinsight_like.http.responses import conditional_response, partial_response
from mindinsight_like.tables.json_numbers import JsonNumber, number
from mindinsight_like.values.hparams import SessionStatus, Setting

bp = Blueprint("hparams", __name__)

_RUN = Repeated("run", "ID of a run; all runs with hyperparameters by default.")
_METRIC = choice("metric", "Which value of the curve of a metric to use.", REDUCTIONS, default="last")


@response_type
class TrialColumn:
    """A hyperparameter or a metric."""

    name: Annotated[str, Meta(description="Unique: `hparam.` or `metric.` and its name.")]
    label: str
    group: ColumnGroup
    type: ColumnType
    domain: Annotated[
        list[JsonScalar] | Interval | None,
        Meta(description="Allowed values, if the experiment declares them."),
    ]
    description: str
    declared: Annotated[bool, Meta(description="False if the experiment does not name it; it appears in the logs.")]


@response_type
class Trial:
    """A session of an experiment."""

    run: RunId
    session: Annotated[str, Meta(description="Name of the run.")]
    runs: Annotated[list[str], Meta(description="IDs of all runs with data of the session, its own first.")]
    group: Annotated[str, Meta(description="Sessions of the same group repeat each other; often empty.")]
    status: SessionStatus
    started_at: JsonNumber
    ended_at: JsonNumber | None
    values: Annotated[dict[str, JsonScalar], Meta(description="By name of the column.")]


@response_type
class UnreadableTrial:
    """A run whose hyperparameters cannot be read."""

    run: RunId
    message: str


class TrialTable(PartialResponse):
    """Hyperparameters and metrics of sessions."""

    columns: list[TrialColumn]
    rows: list[Trial]
    errors: list[UnreadableTrial]


@bp.route("/hparams", methods=["GET", "POST"])
@Operation(answer=TrialTable, parameters=(_RUN, _METRIC), errors=ERRORS)
def hyper_parameters(params: Params) -> Response:
    """Hyperparameters and metrics of each session."""
    reader, runs = current_reader(), params[_RUN] if params.has(_RUN) else None

    def build() -> Response:
        table = trials.read_trials(reader, runs, reduction=params[_METRIC])
        types = {column.name: column.type for column in table.columns}
        body: TrialTable = {
            "columns": [_column(column) for column in table.columns],
            "rows": [_row(row, types) for row in table.rows],
            "errors": [UnreadableTrial(run=run, message=message) for run, message in table.errors.items()],
        }
        return partial_response(body, table.rebuilding)

    # Metrics may come from other runs than those asked for.
    return conditional_response(reader.runs.cursor(), build)


def _column(column: trials.Column) -> TrialColumn:
    domain: list[JsonScalar] | Interval | None = None
    if column.choices is not None:
        domain = [_json_scalar(choice, column.type) for choice in column.choices]
    elif column.interval is not None:
        low, high = column.interval
        domain = Interval(min=number(low), max=number(high))
    return TrialColumn(
        name=column.name,
        label=column.label,
        group=column.group,
        type=column.type,
        domain=domain,
        description=column.description,
        declared=column.is_declared,
    )


def _row(row: trials.Trial, types: dict[str, ColumnType]) -> Trial:
    return Trial(
        run=row.run,
        session=row.session,
        runs=row.runs,
        group=row.group,
        status=row.status,
        started_at=number(row.started_at),
        ended_at=number(row.ended_at),
        values={name: _json_scalar(value, types[name]) for name, value in row.values.items()},
    )


def _json_scalar(value: Setting, type: ColumnType) -> JsonScalar:
    if isinstance(value, bool | str):
        return value
    return int(value) if type != "float" and float(value).is_integer() else number(value)
