"""Parts of tensors: windows of two-dimensional slices, and histograms; of one step, or of what changed between two."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from flask import Blueprint
from flask.wrappers import Response

from mindinsight_like.boards.item_series import ERRORS
from mindinsight_like.boards.tensors import STATISTICS, statistics_json
from mindinsight_like.errors import BadParameter, BlobGone, NotFound, TooLarge, Unreadable
from mindinsight_like.tensor_parts import MOST_SHOWN, Place, TensorWindow, read_histogram, read_window
from mindinsight_like.values.tensor_messages import Array
from mindinsight_like.values.tensor_slices import Window
from mindinsight_like.web.answers import json_answer, unless_known
from mindinsight_like.web.numbers import column, number
from mindinsight_like.web.operations import Operation
from mindinsight_like.web.parameters import Given, choice, text, whole
from mindinsight_like.web.schemas import BOOLEAN, COUNT, NUMBER, STRING, WHOLE, listed, or_null, record
from mindinsight_like.web.source import current_reader

bp = Blueprint("tensor_parts", __name__)

_EXACT = 2**53  # whole numbers beyond it are not exact in JavaScript
_LONGEST = 1000  # characters of a string that are shown
_BINS = 64
_MOST_BINS = 1000
_CSV = "text/csv"

_RUN = text("run", "Id of the run.")
_TAG = text("tag", "Name of the tag.")
_SOURCE = text("source", "Which of several series of the run and tag.")
_STEP = whole("step", "The step; the last one by default.", default=None)
_MINUS = whole("minus", "A step whose tensor is taken from it, number by number.", default=None)
_INDEX = text("index", "As `0,:,:,3`: the axes with `:` are rows and columns. By default the last two, at 0 of others.")
_ROW = whole("row", "The first row.", default=0, lowest=0)
_ROWS = whole("rows", f"At most so many rows. A window has at most {MOST_SHOWN:,} numbers.", default=100, lowest=0)
_COLUMN = whole("column", "The first column.", default=0, lowest=0)
_COLUMNS = whole("columns", "At most so many columns.", default=100, lowest=0)
_FORMAT = choice("format", "`csv`: the numbers as a table without a head.", ("json", "csv"), default="json")
_BIN_COUNT = whole("bins", f"At most so many buckets, up to {_MOST_BINS:,}.", default=_BINS, lowest=1)

_PLACE = (_RUN, _TAG, _SOURCE, _STEP, _MINUS)
_ERRORS = (*ERRORS, NotFound, TooLarge, Unreadable, BlobGone)
_TENSOR = {
    "step": WHOLE,
    "minus": or_null(WHOLE),
    "dtype": STRING,
    "shape": listed(COUNT),
}


@bp.get("/tensors/slice")
@Operation(
    answer=record(
        **_TENSOR,
        index=listed(or_null(COUNT)) | {"description": "The place on each axis, null where the whole axis is shown."},
        rows=COUNT | {"description": "Of the whole slice."},
        columns=COUNT,
        row=COUNT | {"description": "Where the window begins."},
        column=COUNT,
        values=listed(listed({"anyOf": [NUMBER, BOOLEAN, STRING]}))
        | {"description": "Rows of the window. Complex and very large whole numbers are text, as strings are."},
        min=or_null(NUMBER) | {"description": "Of the finite numbers in the window."},
        max=or_null(NUMBER),
    ),
    parameters=(*_PLACE, _INDEX, _ROW, _ROWS, _COLUMN, _COLUMNS, _FORMAT),
    errors=_ERRORS,
    other_formats={_CSV: "The numbers, a line for each row."},
)
def tensor_slice(given: Given) -> Response:
    """A window of any two-dimensional slice of a tensor, or of its difference from another step."""
    reader, place = current_reader(), _place(given)
    window = Window(given[_ROW], given[_ROWS], given[_COLUMN], given[_COLUMNS])

    def build() -> Response:
        found = read_window(reader, place, given[_INDEX], window)
        if given[_FORMAT] == "csv":
            return _table(found, place)
        return json_answer(_window_json(found, place))

    return unless_known(reader.versions([place.run]), build)


@bp.get("/tensors/histogram")
@Operation(
    answer=record(
        **_TENSOR,
        of=STRING | {"description": "`numbers`, or `magnitudes` of complex numbers."},
        edges=listed(NUMBER) | {"description": "Edges of the buckets, one more than counts, or none of either."},
        counts=listed(COUNT),
        statistics=STATISTICS,
    ),
    parameters=(*_PLACE, _BIN_COUNT),
    errors=_ERRORS,
)
def tensor_histogram(given: Given) -> Response:
    """Statistics and spread of all numbers of a tensor, or of its difference from another step."""
    reader, place, bins = current_reader(), _place(given), given[_BIN_COUNT]
    if bins > _MOST_BINS:
        raise BadParameter(f"bins must be at most {_MOST_BINS:,}.", parameter="bins")

    def build() -> Response:
        found = read_histogram(reader, place, bins=bins)
        return json_answer(
            {
                "step": found.step,
                "minus": place.minus,
                "dtype": found.dtype,
                "shape": list(found.shape),
                "of": "magnitudes" if found.dtype.startswith("complex") else "numbers",
                "edges": column(found.histogram.edges),
                "counts": column(found.histogram.counts),
                "statistics": statistics_json(found.statistics),
            }
        )

    return unless_known(reader.versions([place.run]), build)


def _place(given: Given) -> Place:
    for parameter in (_RUN, _TAG):
        if not given.has(parameter):
            raise BadParameter(f"{parameter.name} is needed.", parameter=parameter.name)
    return Place(given[_RUN], given[_TAG], given[_SOURCE], given[_STEP], given[_MINUS])


def _window_json(found: TensorWindow, place: Place) -> dict[str, object]:
    low, high = _bounds(found.values)
    return {
        "step": found.step,
        "minus": place.minus,
        "dtype": found.dtype,
        "shape": list(found.shape),
        "index": found.slice.index,
        "rows": found.slice.rows,
        "columns": found.slice.columns,
        "row": found.window.row,
        "column": found.window.column,
        "values": _values(found.values),
        "min": low,
        "max": high,
    }


def _bounds(values: Array) -> tuple[float | str | None, float | str | None]:
    if values.dtype.kind not in "fiub":
        return None, None
    finite = values[np.isfinite(values)]
    return (number(float(finite.min())), number(float(finite.max()))) if finite.size else (None, None)


def _values(values: Array) -> Any:
    if values.dtype.kind in "cO" or (values.dtype.kind in "iu" and values.size and _is_wide(values)):
        return [[_text(value) for value in row] for row in values.tolist()]
    return column(values)


def _is_wide(values: Array) -> bool:
    return int(values.max()) > _EXACT or int(values.min()) < -_EXACT


def _text(value: object) -> object:
    if isinstance(value, bytes):
        shown = value[: 4 * _LONGEST].decode(errors="replace")
        return shown if len(shown) <= _LONGEST else f"{shown[:_LONGEST]}…"
    if isinstance(value, int):
        return value if abs(value) <= _EXACT else str(value)
    return str(value).strip("()")


def _table(found: TensorWindow, place: Place) -> Response:
    rows = _values(found.values)
    lines: Iterator[str] = (",".join(map(_cell, row)) for row in (rows if isinstance(rows, list) else rows.tolist()))
    answer = Response("".join(f"{line}\n" for line in lines), content_type=f"{_CSV}; charset=utf-8")
    minus = "" if place.minus is None else f"_minus_{place.minus}"
    answer.headers["Content-Disposition"] = f'attachment; filename="tensor_{found.step}{minus}.csv"'
    return answer


def _cell(value: object) -> str:
    if not isinstance(value, str):
        return str(value)
    # A spreadsheet would take it for a formula and run it; negative numbers are none.
    marked = value.startswith(("=", "+", "@", "\t", "\r")) or (value.startswith("-") and not value[1:2].isdigit())
    shown = f"'{value}" if marked and value not in ("-Infinity",) else value
    return '"' + shown.replace('"', '""') + '"' if any(special in shown for special in ',"\r\n') else shown
