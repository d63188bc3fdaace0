"""Tensor slices and histograms, of one step or of the difference between two."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, Literal

import numpy as np
from flask import Blueprint
from flask.wrappers import Response
from msgspec import Meta
from numpy.typing import NDArray

from mindinsight_like.boards.item_series import ERRORS
from mindinsight_like.boards.media.tensors import TensorStatistics, tensor_statistics
from mindinsight_like.errors import BadParameter, BlobGone, NotFound, TooLarge, Unreadable
from mindinsight_like.http.index_access import current_reader
from mindinsight_like.http.operations import Operation
from mindinsight_like.http.parameters import Params, choice, finite, text, whole
from mindinsight_like.http.response_types import Count, Counts, Numbers, response_type
from mindinsight_like.http.responses import attachment_name, conditional_response, json_response
from mindinsight_like.items.tensor_parts import MOST_SHOWN, Place, TensorWindow, read_histogram, read_window
from mindinsight_like.tables.json_numbers import JsonNumber, column, number
from mindinsight_like.values.tensors.tensor_messages import Array
from mindinsight_like.values.tensors.tensor_slices import Window

bp = Blueprint("tensor_parts", __name__)

_EXACT = 2**53  # whole numbers beyond it are not exact in JavaScript
_LONGEST = 1000  # characters of a string that are shown
_BINS = 64
_MOST_BINS = 1000
_CSV = "text/csv"

_RUN = text("run", "ID of the run.")
_TAG = text("tag", "Name of the tag.")
_SOURCE = text("source", "`source` of the series, if the run and tag have several.")
_STEP = whole("step", "The step; the last one by default.", default=None)
_WALL_TIME = finite("wall_time", "Wall time of the tensor; also finds one that was superseded.")
_MINUS = whole("minus", "Step whose tensor is subtracted, element by element.", default=None)
_INDEX = text(
    "index", "Such as `0,:,:,3`: axes with `:` are rows and columns. By default the last two, at 0 of the others."
)
_ROW = whole("row", "First row.", default=0, lowest=0)
_ROWS = whole("rows", f"Maximum number of rows. A window has at most {MOST_SHOWN:,} numbers.", default=100, lowest=0)
_COLUMN = whole("column", "First column.", default=0, lowest=0)
_COLUMNS = whole("columns", "Maximum number of columns.", default=100, lowest=0)
_FORMAT = choice("format", "`csv`: the numbers as a table without a header.", ("json", "csv"), default="json")
_BIN_COUNT = whole("bins", f"Maximum number of buckets, up to {_MOST_BINS:,}.", default=_BINS, lowest=1)

_PLACE = (_RUN, _TAG, _SOURCE, _STEP, _WALL_TIME, _MINUS)
_ERRORS = (*ERRORS, NotFound, TooLarge, Unreadable, BlobGone)

if TYPE_CHECKING:
    CellRows = NDArray[Any] | list[JsonNumber] | list[list[int | str]]
else:
    CellRows = list[list[bool | float | str]]


@response_type
class TensorOutline:
    step: int
    minus: Annotated[int | None, Meta(description="The step whose tensor was subtracted.")]
    dtype: str
    shape: Sequence[Count]


@response_type
class TensorSlice(TensorOutline):
    """A window of a two-dimensional slice of a tensor."""

    index: Annotated[list[Count | None], Meta(description="Position on each axis; null where the whole axis is shown.")]
    rows: Annotated[int, Meta(ge=0, description="Number of rows of the whole slice.")]
    columns: Annotated[int, Meta(ge=0, description="Number of columns of the whole slice.")]
    row: Annotated[int, Meta(ge=0, description="First row of the window.")]
    column: Annotated[int, Meta(ge=0, description="First column of the window.")]
    values: Annotated[
        CellRows, Meta(description="Rows of the window. Complex and very large integers are text, as strings are.")
    ]
    min: Annotated[JsonNumber | None, Meta(description="Smallest finite number in the window.")]
    max: Annotated[JsonNumber | None, Meta(description="Largest finite number in the window.")]


@response_type
class TensorHistogram(TensorOutline):
    """Distribution of all numbers of a tensor."""

    of: Annotated[
        Literal["numbers", "magnitudes"], Meta(description="What is counted; `magnitudes` of complex numbers.")
    ]
    edges: Annotated[Numbers, Meta(description="Edges of the buckets, one more than `counts`; both may be empty.")]
    counts: Counts
    statistics: TensorStatistics


@bp.get("/tensors/slice")
@Operation(
    answer=TensorSlice,
    parameters=(*_PLACE, _INDEX, _ROW, _ROWS, _COLUMN, _COLUMNS, _FORMAT),
    errors=_ERRORS,
    other_formats={_CSV: "The numbers, a line for each row."},
)
def tensor_slice(params: Params) -> Response:
    """A window of a two-dimensional slice of a tensor, or of its difference from another step."""
    reader, place = current_reader(), _place(params)
    window = Window(params[_ROW], params[_ROWS], params[_COLUMN], params[_COLUMNS])

    def build() -> Response:
        part = read_window(reader, place, params[_INDEX], window)
        if params[_FORMAT] == "csv":
            return _table(part, place)
        return json_response(_slice(part, place))

    return conditional_response(reader.runs.versions([place.run]), build)


@bp.get("/tensors/histogram")
@Operation(answer=TensorHistogram, parameters=(*_PLACE, _BIN_COUNT), errors=_ERRORS)
def tensor_histogram(params: Params) -> Response:
    """Statistics and distribution of a tensor, or of its difference from another step."""
    reader, place, bins = current_reader(), _place(params), params[_BIN_COUNT]
    if bins > _MOST_BINS:
        raise BadParameter(f"bins must be at most {_MOST_BINS:,}.", parameter="bins")

    def build() -> Response:
        summary = read_histogram(reader, place, bins=bins)
        return json_response(
            TensorHistogram(
                step=summary.step,
                minus=place.minus,
                dtype=summary.dtype,
                shape=summary.shape,
                of="magnitudes" if summary.dtype.startswith("complex") else "numbers",
                edges=column(summary.histogram.edges),
                counts=column(summary.histogram.counts),
                statistics=tensor_statistics(summary.statistics),
            )
        )

    return conditional_response(reader.runs.versions([place.run]), build)


def _place(params: Params) -> Place:
    for parameter in (_RUN, _TAG):
        if not params.has(parameter):
            raise BadParameter(f"missing required parameter {parameter.name!r}", parameter=parameter.name)
    return Place(params[_RUN], params[_TAG], params[_SOURCE], params[_STEP], params[_MINUS], params[_WALL_TIME])


def _slice(part: TensorWindow, place: Place) -> TensorSlice:
    low, high = _bounds(part.values)
    return TensorSlice(
        step=part.step,
        minus=place.minus,
        dtype=part.dtype,
        shape=part.shape,
        index=part.slice.index,
        rows=part.slice.rows,
        columns=part.slice.columns,
        row=part.window.row,
        column=part.window.column,
        values=_values(part.values),
        min=low,
        max=high,
    )


def _bounds(values: Array) -> tuple[JsonNumber | None, JsonNumber | None]:
    if values.dtype.kind not in "fiub":
        return None, None
    finite = values[np.isfinite(values)]
    return (number(float(finite.min())), number(float(finite.max()))) if finite.size else (None, None)


def _values(values: Array) -> CellRows:
    if values.dtype.kind in "cO" or (values.dtype.kind in "iu" and values.size and _is_wide(values)):
        return [[_text(value) for value in row] for row in values.tolist()]
    return column(values)


def _is_wide(values: Array) -> bool:
    return int(values.max()) > _EXACT or int(values.min()) < -_EXACT


def _text(value: object) -> int | str:
    if isinstance(value, bytes):
        decoded = value[: 4 * _LONGEST].decode(errors="replace")
        return decoded if len(decoded) <= _LONGEST else f"{decoded[:_LONGEST]}…"
    if isinstance(value, int):
        return value if abs(value) <= _EXACT else str(value)
    return str(value).strip("()")


def _table(part: TensorWindow, place: Place) -> Response:
    rows: Any = _values(part.values)
    lines: Iterator[str] = (",".join(map(_cell, row)) for row in (rows if isinstance(rows, list) else rows.tolist()))
    answer = Response("".join(f"{line}\n" for line in lines), content_type=f"{_CSV}; charset=utf-8")
    minus = "" if place.minus is None else f"_minus_{place.minus}"
    answer.headers["Content-Disposition"] = (
        f'attachment; filename="{attachment_name(place.tag)}_{part.step}{minus}.csv"'
    )
    return answer


def _cell(value: object) -> str:
    if not isinstance(value, str):
        return str(value)
    # A spreadsheet would take it for a formula and run it; negative numbers are none.
    marked = value.startswith(("=", "+", "@", "\t", "\r")) or (value.startswith("-") and not value[1:2].isdigit())
    cell = f"'{value}" if marked and value not in ("-Infinity",) else value
    return '"' + cell.replace('"', '""') + '"' if any(special in cell for special in ',"\r\n') else cell
