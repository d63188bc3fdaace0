"""Logged tables: which there are, and the rows of one, sorted and filtered here so that a long one stays cheap."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Annotated, Any, Final, get_args

import msgspec
from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta
from typing_extensions import TypedDict

from mindinsight_like.boards.item_series import (
    ERRORS,
    ItemSeries,
    LoggedItem,
    item_operation,
    logged_item,
    series_response,
)
from mindinsight_like.errors import BadParameter, BlobGone, NotFound, TooLarge, Unreadable
from mindinsight_like.http.app_state import current_state
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, choice, structured, text, whole
from mindinsight_like.http.response_types import Count, PartialResponse, response_type
from mindinsight_like.http.responses import attachment_name, conditional_response, json_response
from mindinsight_like.items.series import TABLES, Item
from mindinsight_like.items.table_parts import (
    Comparison,
    Condition,
    FoundTable,
    Place,
    Selection,
    cell_text,
    opened_table,
)
from mindinsight_like.tables import scalar_tables
from mindinsight_like.tables.json_numbers import JsonNumber, number
from mindinsight_like.values.tables import Outline, media_cell

bp = Blueprint("logged_tables", __name__)

_MOST_ROWS: Final = 1000
_MOST_CELLS: Final = 1_000_000  # of one answer
_LONGEST: Final = 10_000  # characters of a cell that are shown
_MOST_CONDITIONS: Final = 20
_LAST_PART: Final = 2**32  # what a blob's address has room for
_PIECE: Final = 4096
_EXACT: Final = 2**53  # whole numbers beyond it are not exact in JavaScript
_CSV: Final = "text/csv"
_ORDERS: Final = ("ascending", "descending")

_RUN = text("run", "ID of the run.")
_TAG = text("tag", "Name of the tag.")
_SOURCE = text("source", "`source` of the series, if the run and tag have several.")
_STEP = whole("step", "The step; the last one by default.", default=None)
_SORT = whole("sort", "Number of the column to sort by, from 0; by default rows are as logged.", default=None, lowest=0)
_ORDER = choice("order", "Numbers come before text, empty cells last.", _ORDERS, default="ascending")
_FILTER = structured(
    "filter",
    "Conditions that rows must all meet. Without a `column` (a number from 0), any cell may meet one. Case is ignored.",
    {
        "type": "array",
        "maxItems": _MOST_CONDITIONS,
        "items": {
            "type": "object",
            "properties": {
                "column": {"type": "integer", "minimum": 0},
                "is": {"type": "string", "enum": list(get_args(Comparison))},
                "value": {"type": "string"},
            },
            "required": ["is", "value"],
        },
    },
)
_OFFSET = whole("offset", "Number of selected rows to skip.", default=0, lowest=0)
_LIMIT = whole("limit", "Maximum number of rows.", default=100, lowest=0, highest=_MOST_ROWS)
_FORMAT = choice("format", "`csv`: all selected rows as a file.", ("json", "csv"), default="json")


class TableItem(LoggedItem):
    """A table at one step, without its rows."""

    columns: list[str] | None
    rows: Annotated[Count | None, Meta(description="Number of rows.")]


class TableSeries(ItemSeries):
    items: list[TableItem]


class TableSeriesList(PartialResponse):
    series: list[TableSeries]


class CellFile(TypedDict):
    """A file that a cell stands for."""

    row: Annotated[int, Meta(ge=0, description="Position in `rows`.")]
    column: Count
    name: Annotated[str, Meta(description="Name of the file.")]
    caption: str
    url: Annotated[str, Meta(description="Address of the file, below this service.")]


@response_type
class TableRows:
    """Rows of a table at one step."""

    step: int
    wall_time: JsonNumber
    columns: list[str]
    total: Annotated[int, Meta(ge=0, description="Number of rows of the table.")]
    selected: Annotated[int, Meta(ge=0, description="Number of rows that fit the filter.")]
    offset: Count
    numbers: Annotated[list[Count], Meta(description="Position of each row in the table as logged, from 0.")]
    rows: Annotated[
        list[list[Any]],
        Meta(
            description="Cells are JSON values; those that stand for files contain their names. Long text ends in `…`; "
            "integers that JavaScript cannot represent are text."
        ),
    ]
    files: list[CellFile]


@bp.route("/tables", methods=["GET", "POST"])
@item_operation(TableSeriesList)
def tables(params: Params) -> Response:
    """Tables of the given runs and tags: steps, columns and numbers of rows."""
    return series_response(params, TABLES, _outline)


@bp.get("/tables/rows")
@Operation(
    answer=TableRows,
    parameters=(_RUN, _TAG, _SOURCE, _STEP, _FILTER, _SORT, _ORDER, _OFFSET, _LIMIT, _FORMAT),
    errors=(*ERRORS, NotFound, TooLarge, Unreadable, BlobGone),
    other_formats={_CSV: "All selected rows under a line of column names."},
)
def table_rows(params: Params) -> Response:
    """Rows of one table, filtered and sorted."""
    for parameter in (_RUN, _TAG):
        if not params.has(parameter):
            raise BadParameter(f"missing required parameter {parameter.name!r}", parameter=parameter.name)
    reader = current_reader()
    place = Place(params[_RUN], params[_TAG], params[_SOURCE], params[_STEP])
    selection = Selection(_conditions(params[_FILTER]), params[_SORT], params[_ORDER] == _ORDERS[1])

    def build() -> Response:
        opened = opened_table(reader, place, selection)
        if params[_FORMAT] == "csv":
            return _as_csv(opened, place)
        return json_response(_rows(opened, params[_OFFSET], params[_LIMIT]))

    return conditional_response(reader.runs.versions([place.run]), build)


def _outline(item: Item[Outline]) -> TableItem:
    outline = item.value
    return {
        **logged_item(item),
        "columns": outline.columns if outline else None,
        "rows": outline.row_count if outline else None,
    }


class _GivenCondition(msgspec.Struct):
    comparison: Comparison = msgspec.field(name="is")
    value: Annotated[str, Meta(max_length=_LONGEST)]
    column: Annotated[int, Meta(ge=0)] | None = None


def _conditions(given: object) -> tuple[Condition, ...]:
    if given is None:
        return ()
    try:
        conditions = msgspec.convert(given, type=list[_GivenCondition])
    except msgspec.ValidationError as error:
        raise BadParameter(f"filter is not a list of conditions: {error}", parameter="filter") from error
    if len(conditions) > _MOST_CONDITIONS:
        raise BadParameter(f"filter must have at most {_MOST_CONDITIONS} conditions.", parameter="filter")
    return tuple(Condition(each.column, each.comparison, each.value) for each in conditions)


def _rows(opened: FoundTable, offset: int, limit: int) -> TableRows:
    width = len(opened.table.columns)
    count = min(limit, max(1, _MOST_CELLS // max(1, width)))
    places, rows = opened.rows(offset, count)
    files: list[CellFile] = []
    for number_of_row, (place, row) in enumerate(zip(places, rows, strict=True)):
        for column, cell in enumerate(row):
            part = place * width + column
            media = media_cell(cell)
            if media is not None and part < _LAST_PART:
                files.append(
                    {
                        "row": number_of_row,
                        "column": column,
                        "name": media.path.rpartition("/")[2],
                        "caption": media.caption,
                        "url": f"{current_state().prefix}/v1/blobs/{opened.reference._replace(part=part).token}",
                    }
                )
            row[column] = _shown(cell)
    return TableRows(
        step=opened.step,
        wall_time=number(opened.wall_time),
        columns=opened.table.columns,
        total=opened.table.count,
        selected=len(opened.places),
        offset=offset,
        numbers=places,
        rows=rows,
        files=files,
    )


def _shown(cell: Any) -> Any:
    """A cell as it is answered: small, and nothing that JSON or JavaScript would change."""
    if cell is None or isinstance(cell, bool | float):
        return cell
    if isinstance(cell, int):
        return cell if abs(cell) <= _EXACT else str(cell)
    written = cell_text(cell)
    if len(written) > _LONGEST:
        return f"{written[:_LONGEST]}…"
    return written if isinstance(cell, str) or media_cell(cell) is not None else cell


def _as_csv(opened: FoundTable, place: Place) -> Response:
    def lines() -> Iterator[str]:
        yield _csv_line(opened.table.columns)
        for begin in range(0, len(opened.places), _PIECE):
            yield "".join(map(_csv_line, opened.rows(begin, _PIECE)[1]))

    answer = Response(lines(), content_type=f"{_CSV}; charset=utf-8")
    name = attachment_name(place.tag, str(opened.step))
    answer.headers["Content-Disposition"] = f'attachment; filename="{name}.csv"'
    return answer


def _csv_line(row: Sequence[object]) -> str:
    return ",".join(map(_csv_cell, row)) + "\n"


def _csv_cell(cell: object) -> str:
    if isinstance(cell, int | float):  # never a formula, even if negative
        return cell_text(cell)
    return scalar_tables.cell(cell_text(cell))
