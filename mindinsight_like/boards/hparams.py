"""Hyper-parameters: settings and metrics of sessions as one table."""

from __future__ import annotations

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import ERRORS
from mindinsight_like.trials import REDUCTIONS, Column, Trial, read_trials
from mindinsight_like.values.hparams import STATUSES, Setting
from mindinsight_like.web.answers import json_answer, unless_known
from mindinsight_like.web.numbers import number
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, Repeated, choice
from mindinsight_like.web.schemas import BOOLEAN, NUMBER, STRING, TIME, Schema, listed, or_null, record
from mindinsight_like.web.schemas import choice as one_of
from mindinsight_like.web.source import current_reader

bp = Blueprint("hparams", __name__)

_RUN = Repeated("run", "Id of a run; all runs with hyper-parameters by default.")
_METRIC = choice("metric", "Which value of a metric's curve is meant.", REDUCTIONS, default="last")

_SETTING: Schema = {"anyOf": [BOOLEAN, NUMBER, STRING]}
_COLUMN = record(
    name=STRING | {"description": "Unique; `hparam.` or `metric.` and its name."},
    label=STRING,
    group=one_of("hparam", "metric"),
    type=one_of("int", "float", "text", "bool", "mixed"),
    domain=or_null({"anyOf": [listed(_SETTING), record(min=NUMBER, max=NUMBER)]})
    | {"description": "What the parameter may be, where the experiment says so."},
    description=STRING,
    declared=BOOLEAN | {"description": "The experiment names it; else it was found in the logs."},
)
_ROW = record(
    run=STRING,
    session=STRING | {"description": "Name of the run."},
    runs=listed(STRING) | {"description": "All runs with data of the session, its own first."},
    group=STRING | {"description": "Sessions with the same one repeat each other; often empty."},
    status=one_of(*STATUSES),
    started_at=TIME,
    ended_at=or_null(TIME),
    values={"type": "object", "additionalProperties": _SETTING},
)


@bp.route("/hparams", methods=["GET", "POST"])
@Operation(
    answer=record(
        columns=listed(_COLUMN),
        rows=listed(_ROW),
        errors=listed(record(run=STRING, message=STRING)) | {"description": "Runs whose records cannot be read."},
    ),
    parameters=(_RUN, _METRIC),
    errors=ERRORS,
)
def hyper_parameters(given: Given) -> Response:
    """The settings of each session and the metrics it reached."""
    reader, runs = current_reader(), given[_RUN] if given.has(_RUN) else None

    def build() -> Response:
        table = read_trials(reader, runs, reduction=given[_METRIC])
        types = {column.name: column.type for column in table.columns}
        return json_answer(
            {
                "columns": [_column(column) for column in table.columns],
                "rows": [_row(row, types) for row in table.rows],
                "errors": [{"run": run, "message": message} for run, message in table.errors.items()],
            }
        )

    # Metrics may come from other runs than those asked for.
    return unless_known(reader.cursor(), build)


def _column(column: Column) -> dict[str, object]:
    domain: object = None
    if column.choices is not None:
        domain = [_setting(choice, column.type) for choice in column.choices]
    elif column.interval is not None:
        domain = {"min": number(column.interval[0]), "max": number(column.interval[1])}
    return {
        "name": column.name,
        "label": column.label,
        "group": column.group,
        "type": column.type,
        "domain": domain,
        "description": column.description,
        "declared": column.is_declared,
    }


def _row(row: Trial, types: dict[str, str]) -> dict[str, object]:
    return {
        "run": row.run,
        "session": row.session,
        "runs": row.runs,
        "group": row.group,
        "status": row.status,
        "started_at": number(row.started_at),
        "ended_at": number(row.ended_at),
        "values": {name: _setting(value, types[name]) for name, value in row.values.items()},
    }


def _setting(value: Setting, type: str) -> bool | float | str | None:
    if isinstance(value, bool | str):
        return value
    return int(value) if type != "float" and float(value).is_integer() else number(value)
