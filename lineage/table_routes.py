"""Routes of the lineage tables: models, data processing, and completion of queries."""

from __future__ import annotations

from collections.abc import Sequence

from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.errors import StillLoading
from mindinsight_like.web.answers import json_answer, unless_known
from mindinsight_like.web.numbers import number
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, Repeated, choice, structured, text, whole
from mindinsight_like.web.schemas import BOOLEAN, COUNT, STRING, listed, or_null, record
from mindinsight_like.web.schemas import choice as one_of

from .columns import Table, Value
from .completion import complete
from .current import current_tables
from .domains import Domain
from .mismatches import KINDS
from .queries import described, in_vain, matching, mentioned, values_at
from .query_text import RUN_NAME
from .run_table import MARK, RunTable
from .scalar_columns import ScalarColumns, is_scalar_column

bp = Blueprint("lineage", __name__)

_MOST_ROWS = 10_000

QUERY = text("query", 'Which runs, in the language of the search box: `metric/accuracy > 0.9 and optimizer = "Adam"`.')
WHERE = structured(
    "where",
    "Which runs, as conditions that all hold: `{column: {eq|ne|lt|le|gt|ge|in|not_in|contains: value}}`.",
    {"type": "object", "additionalProperties": {"type": "object"}},
)
SORT = text("sort", "The column to sort by; backwards with a `-` before it. By default `-updated_at`.")
COLUMNS = Repeated(
    "columns",
    "Only these columns; all by default. Made on demand: `scalar/<tag>/last`, `/min`, `/max`, `/mean`, or"
    " `/at:max:<other tag>` for the value where another scalar was best.",
)
OFFSET = whole("offset", "How many rows to skip.", default=0, lowest=0)
LIMIT = whole("limit", f"How many rows to answer with, at most {_MOST_ROWS:,}.", default=100, lowest=0)
PARAMETERS = (QUERY, WHERE, SORT, COLUMNS, OFFSET, LIMIT)

_DOMAIN = or_null({"description": "What experiments allow: a list of choices, or an object of `min` and `max`."})
_COLUMN = record(name=STRING, label=STRING, group=STRING, type=STRING, count=COUNT, domain=_DOMAIN)
_VALUES = {"type": "object", "additionalProperties": True}
_ROW = {"run": STRING, "name": STRING, "values": _VALUES}
_KIND = one_of(*KINDS)
IN_VAIN = listed(record(column=STRING, holds=listed(_KIND), value=STRING, kind=_KIND, message=STRING)) | {
    "description": "Comparisons with values of another kind than the column holds, which never match."
}
_KNOWN = BOOLEAN | {"description": "False for a run of which no more is known than what its files are."}


@bp.route("/lineage/models", methods=["GET", "POST"])
@Operation(
    answer=record(
        total=COUNT, columns=listed(_COLUMN), rows=listed(record(**_ROW, has_lineage=_KNOWN)), in_vain=IN_VAIN
    ),
    parameters=PARAMETERS,
    errors=(StillLoading,),
)
def models(given: Given) -> Response:
    """Runs with the parameters, data, code and results they are known by."""
    tables = current_tables()

    def build() -> Response:
        found = tables.get()
        asked: list[str] = given[COLUMNS]
        table = ScalarColumns(tables.reader, found).added(_on_demand(given, asked))
        return _answer(given, found, table, asked or found.table.names, None, found.pipelines)

    return unless_known(tables.state(), build)


@bp.route("/lineage/datasets", methods=["GET", "POST"])
@Operation(
    answer=record(
        total=COUNT,
        columns=listed(_COLUMN),
        rows=listed(record(**_ROW, shared_by=COUNT | {"description": "How many runs have the very same pipeline."})),
        in_vain=IN_VAIN,
    ),
    parameters=PARAMETERS,
    errors=(StillLoading,),
)
def datasets(given: Given) -> Response:
    """Runs with the operators and parameters of their data processing, one column for each."""
    tables = current_tables()

    def build() -> Response:
        found = tables.get()
        asked: list[str] = given[COLUMNS]
        return _answer(given, found, found.pipelines, asked or found.pipelines.names, found.shared, found.table)

    return unless_known(tables.state(), build)


def _answer(
    given: Given, found: RunTable, table: Table, names: Sequence[str], shared: dict[str, int] | None, other: Table
) -> Response:
    """The rows of `table` that are asked for; `other` has further columns to search and sort by."""
    searched = table.beside(other)
    places = matching(searched, query=given[QUERY], where=given[WHERE], sort=given[SORT] or "-updated_at")
    chosen = [name for name in names if name in table]
    begin = given[OFFSET]
    rows = []
    for place in places[begin : begin + min(given[LIMIT], _MOST_ROWS)].tolist():
        values = {name: plain_number(value) for name, value in values_at(table, chosen, place).items()}
        row = {"run": found.ids[place], "name": table.column(RUN_NAME).values[place], "values": values}
        if shared is not None:
            row["shared_by"] = shared.get(str(table.column(MARK).values[place]), 0)
        else:
            row["has_lineage"] = found.ids[place] not in found.bare
        rows.append(row)
    columns = [
        each.__dict__ | {"domain": _shown(found.domains.get(each.name))}
        for each in described(table, chosen, otherwise="pipeline" if shared is not None else "model")
    ]
    vain = [each.described() for each in in_vain(searched, query=given[QUERY], where=given[WHERE])]
    return json_answer({"total": len(places), "columns": columns, "rows": rows, "in_vain": vain})


def _shown(domain: Domain | None) -> object:
    if isinstance(domain, dict):
        return {name: plain_number(value) for name, value in domain.items()}
    return None if domain is None else [plain_number(value) for value in domain]


def plain_number(value: Value) -> object:
    return number(value) if isinstance(value, float) else value


def _on_demand(given: Given, asked: Sequence[str]) -> list[str]:
    """Columns of scalars that are asked for, sorted by or looked at."""
    where = given[WHERE]
    named = [*asked, given[SORT].removeprefix("-"), *(where if isinstance(where, dict) else ())]
    # A name in the query that is none of a scalar's column is refused with its place when the query is parsed.
    queried = filter(is_scalar_column, mentioned(given[QUERY]))
    return list(dict.fromkeys((*(name for name in named if name.startswith("scalar/")), *queried)))


_OF = choice("of", "Whose columns to offer.", ("models", "datasets"), default="models")
_TEXT = text("text", "The query as far as it is typed.")
_CURSOR = whole("cursor", "Where in it the next character would go; at its end by default.", default=None, lowest=0)


@bp.route("/lineage/complete", methods=["GET", "POST"])
@Operation(
    answer=record(begin=COUNT, end=COUNT, suggestions=listed(record(kind=STRING, text=STRING, label=STRING))),
    parameters=(_TEXT, _CURSOR, _OF),
    errors=(StillLoading,),
)
def completion(given: Given) -> Response:
    """What may stand at a place of a query that is being typed, and the part of the query that it replaces."""
    found = current_tables().get()
    typed, cursor = given[_TEXT], given[_CURSOR]
    tables = (found.table, found.pipelines) if given[_OF] == "models" else (found.pipelines, found.table)
    table = tables[0].beside(tables[1])
    offered = complete(typed, len(typed) if cursor is None else min(cursor, len(typed)), table)
    suggestions = [each.__dict__ for each in offered.suggestions]
    return json_answer({"begin": offered.begin, "end": offered.end, "suggestions": suggestions})
