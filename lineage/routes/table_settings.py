"""Routes of what people set for the runs table, for everyone: main metric, column sets, rules of fields."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Any

from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta

from mindinsight_like.errors import Busy, Conflict, NotFound, StillLoading, StorageFull
from mindinsight_like.http.index_access import current_annotations
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, Repeated, choice, text, version
from mindinsight_like.http.response_types import Version, response_type
from mindinsight_like.http.responses import conditional_response, json_response
from mindinsight_like.lineage.fields.editing import DIRECTIONS, GROUPS
from mindinsight_like.lineage.fields.names import scalar_tag
from mindinsight_like.lineage.fields.rules import FieldRule
from mindinsight_like.lineage.table.column_sets import (
    BUILT_IN_SETS,
    ColumnSets,
    built_in_columns,
    built_in_groups,
    content,
)
from mindinsight_like.lineage.table.united_table import UnitedTable
from mindinsight_like.store.annotations.shared_items import SharedItem
from mindinsight_like.store.annotations.tables import UserDataUnusable

from .current_tables import current_field_rules, current_metric_choice, current_runs
from .runs_table import metric_body
from .runs_table_types import ColumnSource, MetricChoice

bp = Blueprint("table_settings", __name__)

_ERRORS = (StillLoading, Busy, UserDataUnusable, StorageFull)

_COLUMN = text("column", "Column or scalar tag by which runs are judged.")
_TAG = text("tag", "Scalar tag with its values over time; by default the one named like the column.")
_DIRECTION = choice(
    "direction",
    "Whether higher (`max`) or lower (`min`) is better; guessed from the name by default.",
    ("max", "min", ""),
    default="",
)


@response_type
class CurrentMetric:
    main_metric: MetricChoice | None


@bp.put("/runs/table/main-metric")
@Operation(answer=CurrentMetric, parameters=(_COLUMN, _TAG, _DIRECTION), errors=_ERRORS)
def choose_metric(params: Params) -> Response:
    """Choose the metric by which runs are judged, for everyone."""
    united = current_runs().get()
    current_metric_choice().set(united, params[_COLUMN], params[_TAG], params[_DIRECTION])
    return json_response(CurrentMetric(main_metric=metric_body(current_metric_choice().of(united))))


@bp.delete("/runs/table/main-metric")
@Operation(answer=CurrentMetric, errors=(NotFound, *_ERRORS))
def guess_metric(params: Params) -> Response:
    """Guess the main metric again."""
    current_metric_choice().clear()
    united = current_runs().get()
    return json_response(CurrentMetric(main_metric=metric_body(current_metric_choice().of(united))))


@response_type
class ColumnSet:
    """Columns under a name, with the order and the groups of the runs."""

    name: str
    columns: list[str]
    sort: Annotated[str, Meta(description="As in the parameter of the table; empty for its default.")]
    group_by: list[str]
    is_built_in: bool
    version: Version


@response_type
class ColumnSetList:
    sets: Annotated[list[ColumnSet], Meta(description="Built-in ones first, for the runs there are.")]


@response_type
class DeletedName:
    name: str


_SET_NAME = text("name", "Name of the set.")
_COLUMNS = Repeated("columns", "Columns in the order in which they are shown.", required=True)
_SORT = text("sort", "Columns to sort by, as in the parameter of the table.")
_GROUP_BY = Repeated("group_by", "Columns by whose values runs are grouped, outermost first.")
_VERSION = version("version", "Version of the set that this one is based on.")


@bp.get("/runs/table/column-sets")
@Operation(answer=ColumnSetList, errors=(StillLoading,))
def column_sets(params: Params) -> Response:
    """Sets of columns: built-in ones (models, data, hparams, compare), and those that people have saved."""
    tables, stored = current_runs(), ColumnSets(current_annotations())

    def build() -> Response:
        united = tables.get()
        metric = current_metric_choice().of(united)
        built_in = [
            ColumnSet(
                name=name,
                columns=built_in_columns(name, united, metric),
                sort="",
                group_by=built_in_groups(name, united),
                is_built_in=True,
                version=0,
            )
            for name in BUILT_IN_SETS
        ]
        return json_response(ColumnSetList(sets=[*built_in, *map(_column_set, stored.saved())]))

    return conditional_response(tables.state(), build)


@bp.put("/runs/table/column-sets")
@Operation(
    answer=ColumnSet,
    parameters=(_SET_NAME, _COLUMNS, _SORT, _GROUP_BY, _VERSION),
    errors=(Conflict, Busy, UserDataUnusable, StorageFull),
)
def save_column_set(params: Params) -> Response:
    """Save a set of columns for everyone; replaces the one of the same name."""
    columns: list[str] = params[_COLUMNS]
    groups: list[str] = params[_GROUP_BY]
    stored = ColumnSets(current_annotations())
    saved = stored.put(params[_SET_NAME], columns, sort=params[_SORT], group_by=groups, version=params[_VERSION])
    return json_response(_column_set(saved))


@bp.delete("/runs/table/column-sets")
@Operation(
    answer=DeletedName,
    parameters=(_SET_NAME, _VERSION),
    errors=(NotFound, Conflict, Busy, UserDataUnusable, StorageFull),
)
def delete_column_set(params: Params) -> Response:
    """Delete a saved set of columns. With `version`, only if it has not changed since."""
    name = params[_SET_NAME]
    ColumnSets(current_annotations()).delete(name, version=params[_VERSION] if params.has(_VERSION) else None)
    return json_response(DeletedName(name=name))


def _column_set(item: SharedItem) -> ColumnSet:
    return ColumnSet(name=item.name, **content(item), is_built_in=False, version=item.version)


@response_type
class CanonicalField:
    """A field that unites what log formats call by different names."""

    name: str
    group: Annotated[str, Meta(description="`metric`, `hparam`, `data`, `model` or `environment`.")]
    aliases: Annotated[
        list[str],
        Meta(description="Names that mean it, most trusted first; case, separators and groups do not count."),
    ]
    columns: Annotated[list[str], Meta(description="Whole names of columns that mean it, before the aliases.")]
    fallbacks: Annotated[list[str], Meta(description="Names that count for runs without any of the others.")]
    direction: Annotated[str, Meta(description="Of a metric: `max` or `min`, which end is better; else empty.")]
    has_scalars: Annotated[bool, Meta(description="Whether the last values of scalars with these names count, too.")]
    origin: Annotated[str, Meta(description="`built_in`, `file` (of the settings) or `user`.")]
    sources: Annotated[list[ColumnSource], Meta(description="The columns it comes from in the runs there are.")]
    version: Version


@response_type
class CanonicalFieldList:
    fields: list[CanonicalField]
    removed: Annotated[list[str], Meta(description="Fields that people have removed.")]
    problem: Annotated[str, Meta(description="Why the file with rules is ignored; empty otherwise.")]


@bp.get("/fields")
@Operation(answer=CanonicalFieldList, errors=(StillLoading,))
def fields(params: Params) -> Response:
    """Canonical fields with their names, and the columns they come from."""
    tables = current_runs()
    return conditional_response(tables.state(), lambda: json_response(_fields()))


_FIELD_GROUP = choice("group", "What kind of field it is; unchanged if omitted.", ("", *GROUPS), default="")
_ALIASES = Repeated("aliases", "Names of the field, most trusted first; unchanged if omitted.")
_FIELD_COLUMNS = Repeated("columns", "Exact column names of the field; unchanged if omitted.")
_FALLBACKS = Repeated("fallbacks", "Names for runs without any of the others; unchanged if omitted.")
_FIELD_DIRECTION = choice(
    "direction", "Whether higher (`max`) or lower (`min`) is better; unchanged if omitted.", DIRECTIONS, default=""
)
_HAS_SCALARS = choice("has_scalars", "Whether scalars count; unchanged if omitted.", ("", "yes", "no"), default="")
_FIELD_VERSION = version("version", "Version of the field that this change is based on.")


@bp.put("/fields/<name>")
@Operation(
    answer=CanonicalFieldList,
    parameters=(_FIELD_GROUP, _ALIASES, _FIELD_COLUMNS, _FALLBACKS, _FIELD_DIRECTION, _HAS_SCALARS, _FIELD_VERSION),
    errors=(Conflict, *_ERRORS),
)
def change_field(params: Params, name: str) -> Response:
    """Change or add a canonical field for everyone; omitted keys stay."""
    changes: dict[str, Any] = {}
    if params[_FIELD_GROUP]:
        changes["group"] = params[_FIELD_GROUP]
    if params[_HAS_SCALARS]:
        changes["has_scalars"] = params[_HAS_SCALARS] == "yes"
    if params.has(_FIELD_DIRECTION):
        changes["direction"] = params[_FIELD_DIRECTION]
    for names in (_ALIASES, _FIELD_COLUMNS, _FALLBACKS):
        if params.has(names):
            changes[names.name] = params[names]
    current_field_rules().change(name, changes, version=params[_FIELD_VERSION])
    return json_response(_fields())


_RESTORE = choice("restore", "`yes`: overwrite what others have changed since.", ("no", "yes"), default="no")


@bp.delete("/fields/<name>")
@Operation(answer=CanonicalFieldList, parameters=(_RESTORE,), errors=(NotFound, *_ERRORS))
def remove_field(params: Params, name: str) -> Response:
    """Remove a canonical field for everyone, or restore it; the original columns stay as they are."""
    rules = current_field_rules()
    if params[_RESTORE] == "yes":
        rules.restore(name)
    else:
        rules.remove(name)
    return json_response(_fields())


def _fields() -> CanonicalFieldList:
    rules, table = current_field_rules(), current_runs().get().table
    current, versions = rules.current(), rules.versions()
    names = {rule.name for rule in current}
    return CanonicalFieldList(
        fields=[
            CanonicalField(
                name=rule.name,
                group=rule.group,
                aliases=list(rule.aliases),
                columns=list(rule.columns),
                fallbacks=list(rule.fallbacks),
                direction=rule.direction,
                has_scalars=rule.has_scalars,
                origin="user" if rule.name in versions else rules.origin(rule.name),
                sources=_sources(rule, table),
                version=versions.get(rule.name, 0),
            )
            for rule in current
        ],
        removed=[name for name in versions if name not in names],
        problem=rules.problem,
    )


def _sources(rule: FieldRule, table: UnitedTable) -> list[ColumnSource]:
    sources: Sequence[str] = table.fields[rule.name].all if rule.name in table.fields else ()
    return [ColumnSource(name=name, count=_count(name, table)) for name in sources]


def _count(name: str, table: UnitedTable) -> int:
    tag = scalar_tag(name)
    return table.tags[tag] if tag in table.tags else table.column(name).count
