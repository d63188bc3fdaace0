"""Read parts of logged tables: rows that fit conditions, in an order, some at a time."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final, Literal, NamedTuple

import msgspec
import numpy as np
from numpy.typing import NDArray

from mindinsight_like.errors import BadParameter, NotFound, Unreadable
from mindinsight_like.logs.kinds import Kind
from mindinsight_like.logs.protobuf.wire import Malformed
from mindinsight_like.store.blobs import Reference
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.values.records import BadValue, Record
from mindinsight_like.values.tables import Table, media_cell, table

Comparison = Literal["contains", "=", "<", ">"]
Places = NDArray[np.int32]

_MOST_ORDERS: Final = 4  # that are remembered of one table
_NUMBERS: Final = {"NaN": math.nan, "Infinity": math.inf, "-Infinity": -math.inf}


class Condition(NamedTuple):
    column: int | None  # None: any of them
    comparison: Comparison
    value: str


class Selection(NamedTuple):
    """Which rows of a table in which order; without a column to sort by, as they were logged."""

    conditions: tuple[Condition, ...] = ()
    sort: int | None = None
    is_descending: bool = False


@dataclass(frozen=True)
class Place:
    """A table in the logs; step None: the last one."""

    run: str
    tag: str
    source: str = ""
    step: int | None = None


@dataclass(frozen=True)
class FoundTable:
    """A table at a step, and the places of the rows that were selected."""

    step: int
    wall_time: float
    reference: Reference
    table: Table
    places: Places

    def rows(self, begin: int, count: int) -> tuple[list[int], list[list[Any]]]:
        """Places and cells of selected rows."""
        places: list[int] = self.places[begin : begin + count].tolist()
        return places, self.table.rows(places)


def opened_table(reader: IndexReader, place: Place, selection: Selection) -> FoundTable:
    """A table with the rows that are selected; raises NotFound, BadParameter, Unreadable, BlobGone, TooLarge."""
    series = [
        each
        for each in reader.blobs([place.run], [place.tag], Kind.TABLE, from_step=place.step, to_step=place.step)
        if each.source == place.source and len(each.steps)
    ]
    if not series:
        raise NotFound("table not found" if place.step is None else f"no table at step {place.step}")
    (step,), (wall_time,) = series[0].steps[-1:].tolist(), series[0].wall_times[-1:].tolist()
    file, offset, length = series[0].references[-1].tolist()
    with reader.blob_bytes([file]) as content:
        record = Record(
            content.dialect(file),
            content.read(file, offset, length),
            partial(content.beside, file),
            partial(content.inside, file),
        )
        try:
            opened = table(record)
        except (BadValue, Malformed) as error:
            raise Unreadable(str(error)) from error
    reference = Reference(file, offset, length, wall_time)
    return FoundTable(step, wall_time, reference, opened, selected(opened, selection))


def selected(table: Table, selection: Selection) -> Places:
    """The places of the selected rows in their order; raises BadParameter for columns that are not there."""
    for column in (selection.sort, *(condition.column for condition in selection.conditions)):
        if column is not None and not 0 <= column < len(table.columns):
            message = f"the table has {len(table.columns)} columns, none at {column}."
            raise BadParameter(message, parameter="column")
    cached = table.kept.get(selection)
    if cached is None:
        cached = _selected(table, selection)
        while len(table.kept) >= _MOST_ORDERS:
            table.kept.pop(next(iter([*table.kept, None])), None)  # requests of other threads do the same
        table.kept[selection] = cached
    places: Places = cached
    return places


def cell_text(cell: object) -> str:
    """A cell as people read it."""
    if isinstance(cell, str):
        return cell
    if cell is None:
        return ""
    media = media_cell(cell)
    if media is not None:
        return media.caption or media.path.rpartition("/")[2]
    return msgspec.json.encode(cell).decode(errors="replace")


def _selected(table: Table, selection: Selection) -> Places:
    if not selection.conditions and selection.sort is None:
        return np.arange(table.count, dtype=np.int32)
    tests = [_test(condition) for condition in selection.conditions]
    numbers: list[int] = []
    keys: list[Any] = []
    begin = 0
    for rows in table.pieces():
        fitting = [number for number, row in enumerate(rows) if all(test(row) for test in tests)]
        numbers += [begin + number for number in fitting]
        if selection.sort is not None:
            keys += [_key(rows[number][selection.sort]) for number in fitting]
        begin += len(rows)
    places = np.array(numbers, np.int32)
    return places if selection.sort is None else places[_order(keys, is_descending=selection.is_descending)]


def _key(cell: object) -> float | str | None:
    if cell is None or cell == "":
        return None
    if isinstance(cell, int | float) and not isinstance(cell, bool):
        try:
            return float(cell)
        except OverflowError:
            return math.inf if cell > 0 else -math.inf
    return _NUMBERS[cell] if isinstance(cell, str) and cell in _NUMBERS else cell_text(cell).casefold()


def _order(keys: Sequence[float | str | None], *, is_descending: bool) -> NDArray[np.intp]:
    """Numbers, then texts, then empty cells; equal ones stay as they are."""
    kinds = np.array([0 if type(key) is float else 1 if key is not None else 2 for key in keys], np.int8)
    numbers = np.array([key if type(key) is float else 0.0 for key in keys], np.float64)
    if is_descending:
        numbers = -numbers
    (texts,) = np.nonzero(kinds == 1)
    ranked = sorted({keys[place] for place in texts.tolist()}, reverse=is_descending)  # type: ignore[type-var]
    ranks = {key: float(rank) for rank, key in enumerate(ranked)}
    numbers[texts] = [ranks[keys[place]] for place in texts.tolist()]
    return np.lexsort((numbers, kinds))  # NaN comes last among numbers


def _test(condition: Condition) -> Callable[[list[Any]], bool]:
    column, comparison, value = condition
    fits = _containing(value) if comparison == "contains" else _comparison(comparison, value)
    if column is None:
        return lambda row: any(fits(cell) for cell in row)
    return lambda row: fits(row[column])


def _containing(value: str) -> Callable[[object], bool]:
    words = value.casefold()
    return lambda cell: words in cell_text(cell).casefold()


def _comparison(comparison: Comparison, value: str) -> Callable[[object], bool]:
    """Numbers are compared with numbers, texts with texts."""
    try:
        number: float | None = float(value)
    except ValueError:
        number = None
    text = value.casefold()

    def fits(cell: object) -> bool:
        key = _key(cell)
        if comparison == "=" and isinstance(key, str | None):
            return (key or "") == text
        if isinstance(key, float):
            other: Any = number
        else:
            other = text if number is None else None
        if key is None or other is None:
            return False
        return bool(key == other if comparison == "=" else key < other if comparison == "<" else key > other)

    return fits
