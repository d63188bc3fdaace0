"""Response types of the runs table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from msgspec import Meta
from typing_extensions import NotRequired, TypedDict

from mindinsight_like.http.response_types import (
    Count,
    Integers,
    Interval,
    JsonScalar,
    Numbers,
    PartialResponse,
    RunId,
    Version,
    response_type,
)
from mindinsight_like.lineage.columns import ColumnType
from mindinsight_like.store.run_status import State
from mindinsight_like.tables.json_numbers import JsonNumber

from .tables import TypeMismatch


@response_type
class ColumnSource:
    """An original column that a canonical field shows."""

    name: str
    count: Annotated[int, Meta(ge=0, description="Number of runs with a value.")]


@response_type
class RunColumn:
    """A column that the table can show."""

    name: str
    label: str
    group: Annotated[
        str,
        Meta(
            description="`run`, `metric`, `model`, `hparam`, `user_defined`, `data`, `scalar`, `code`, `environment`"
            " or `pipeline`."
        ),
    ]
    type: ColumnType
    count: Annotated[int, Meta(ge=0, description="Number of runs with a value.")]
    distinct: Annotated[int | None, Meta(description="Number of different values; null if they were not counted.")]
    is_constant: Annotated[bool, Meta(description="Whether all runs that have a value have the same.")]
    is_sparse: Annotated[bool, Meta(description="Whether it is mostly empty.")]
    is_field: Annotated[bool, Meta(description="Whether it is a canonical field.")]
    sources: Annotated[
        list[ColumnSource], Meta(description="Of a canonical field: the columns it shows, most trusted first.")
    ]
    tag: Annotated[str, Meta(description="Scalar that it is derived from; empty otherwise.")]
    direction: Annotated[Literal["max", "min", ""], Meta(description="Which end is better, as the name tells.")]
    status: Annotated[Literal["ready", "pending"], Meta(description="Pending while its values are being computed.")]
    domain: Annotated[list[JsonScalar] | Interval | None, Meta(description="Values that experiments allow.")]


@response_type
class MetricChoice:
    """The metric by which runs are judged."""

    column: str
    tag: Annotated[str, Meta(description="Scalar with its values over time; empty if none.")]
    direction: Annotated[Literal["max", "min"], Meta(description="Which end is better.")]
    is_guess: Annotated[
        bool, Meta(description="Whether it was guessed from the name; false once someone has selected it.")
    ]


@response_type
class LeftOutColumns:
    """Numbers of columns that are not suggested, by reason."""

    constant: Count
    sparse: Count
    united: Annotated[int, Meta(ge=0, description="Columns shown as part of a canonical field.")]
    other: Count


@response_type
class ConflictingValue:
    """What one source of a canonical field says."""

    column: str
    value: JsonScalar


@response_type
class SparklinePoints:
    """A small curve."""

    steps: Integers
    values: Numbers


@response_type
class SubRun:
    """A run that is shown in a row with others."""

    run: RunId
    name: str
    role: Annotated[
        Literal["training", "evaluation", "rank", "version", "session", ""],
        Meta(description="What it is to the training; empty for the directory above the others."),
    ]
    number: Annotated[int | None, Meta(description="Of a rank or version.")]


class RunRow(TypedDict):
    """A run with its values, or all sub-runs of a training."""

    run: Annotated[RunId, Meta(description="Of sub-runs the one whose notes, labels and settings the row has.")]
    name: str
    display_name: Annotated[str, Meta(description="Name that a user or its writer gave it; usually empty.")]
    state: State
    tracker_status: Annotated[str, Meta(description="Status as the training's logger wrote it; empty if none.")]
    exit_reason: Annotated[str, Meta(description="Exception or exit code of a run that failed, if known.")]
    progress: Annotated[float | None, Meta(description="Share of its steps that is done; null if unknown.")]
    eta_seconds: Annotated[float | None, Meta(description="Estimate from its last data to its end; null if unknown.")]
    warning_count: Annotated[int, Meta(ge=0, description="Number of places in its logs that could not be read.")]
    has_lineage: Annotated[bool, Meta(description="False if only the files of the run are known.")]
    values: Annotated[dict[str, JsonScalar], Meta(description="By column name; columns without a value are absent.")]
    conflicts: NotRequired[
        Annotated[
            dict[str, list[ConflictingValue]],
            Meta(description="By canonical field: what its sources say where they disagree, the value shown first."),
        ]
    ]
    sparkline: NotRequired[SparklinePoints]
    sub_runs: NotRequired[
        Annotated[list[SubRun], Meta(description="The runs of the row, `run` first; absent if it is the only one.")]
    ]
    note: str
    labels: Sequence[str]
    custom_name: Annotated[str, Meta(description="Custom name; empty if none.")]
    colour: Annotated[str, Meta(description="Custom colour, such as `#1f77b4`; empty if none.")]
    owner: str
    archived: bool
    hidden: bool
    note_version: Version
    labels_version: Version
    settings_version: Annotated[Version, Meta(description="Version of name, colour and owner.")]


@response_type
class GroupNumbers:
    """Of the finite numbers that the runs of a group have in a column."""

    n: Count
    mean: JsonNumber
    sd: Annotated[float | None, Meta(description="Standard deviation of a sample; null for fewer than two runs.")]
    min: JsonNumber
    max: JsonNumber


@response_type
class RunGroupRow:
    """Runs with the same values in the columns they are grouped by."""

    values: Annotated[list[JsonScalar | None], Meta(description="As in `within`; null: without a value.")]
    n: Annotated[int, Meta(ge=1, description="Number of runs.")]
    run: Annotated[RunId, Meta(description="The first of its runs in the order of the table.")]
    numbers: Annotated[dict[str, GroupNumbers], Meta(description="By name of the column.")]
    shared: Annotated[
        dict[str, JsonScalar], Meta(description="Of other columns the value that all runs of the group have.")
    ]


class RunsTable(PartialResponse):
    """A window of the runs table."""

    total: Annotated[int, Meta(ge=0, description="Number of rows before query and conditions.")]
    folded: Annotated[
        int, Meta(ge=0, description="Number of runs that are shown in the row of another one, of those that match.")
    ]
    archived: Annotated[int, Meta(ge=0, description="Number of runs that are archived.")]
    hidden: Annotated[int, Meta(ge=0, description="Number of runs that are hidden and not archived.")]
    matching: Annotated[int, Meta(ge=0, description="Number of rows that match, in the group if `within` is given.")]
    columns: Annotated[list[RunColumn], Meta(description="Columns of the rows, then others that can be shown.")]
    column_total: Annotated[int, Meta(ge=0, description="Number of columns that can be shown and match the search.")]
    suggested: Annotated[list[str], Meta(description="The columns to show by default, in this order.")]
    left_out: LeftOutColumns
    main_metric: MetricChoice | None
    shown: Annotated[list[str], Meta(description="The columns of the rows, in this order.")]
    sort: Annotated[str, Meta(description="The order of the rows, as in the parameter.")]
    sparkline_tag: Annotated[str, Meta(description="The scalar of the sparklines; empty without any.")]
    rows: list[RunRow]
    groups: Annotated[list[RunGroupRow], Meta(description="Instead of rows, where runs are grouped further.")]
    group_total: Annotated[int, Meta(ge=0, description="Number of groups before `offset` and `limit`.")]
    type_mismatches: Annotated[list[TypeMismatch], Meta(description="Comparisons that never match.")]
