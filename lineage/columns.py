"""Values of many runs as typed columns, on which conditions and orders are worked out at once for all rows."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str
ColumnType = Literal["int", "float", "text", "bool", "mixed"]

_TYPES: dict[type, ColumnType] = {bool: "bool", int: "int", float: "float", str: "text"}


def type_of(values: Iterable[Value | None]) -> ColumnType:
    """The type that fits all values; whole numbers among real ones are real numbers."""
    found = {_TYPES[type(value)] for value in values if value is not None}
    if found == {"int", "float"}:
        return "float"
    return found.pop() if len(found) == 1 else ("mixed" if found else "text")


@dataclass(frozen=True)
class Column:
    """One value per row, None where a row has none."""

    name: str
    values: list[Value | None]

    @cached_property
    def type(self) -> ColumnType:
        return type_of(self.values)

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        return np.fromiter((value is not None for value in self.values), bool, len(self.values))

    @cached_property
    def is_number(self) -> NDArray[np.bool_]:
        """Where numbers stand; truth values are none."""
        return np.fromiter((type(value) in (int, float) for value in self.values), bool, len(self.values))

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The numbers, NaN elsewhere."""
        found = (float(value) if type(value) in (int, float) else np.nan for value in self.values)  # type: ignore[arg-type]
        return np.fromiter(found, np.float64, len(self.values))

    @cached_property
    def texts(self) -> NDArray[np.str_]:
        """Every value as text, empty where there is none."""
        return np.array([as_text(value) for value in self.values], dtype=np.str_)

    @cached_property
    def _lower_texts(self) -> list[str]:
        return [as_text(value).lower() for value in self.values]

    def containing(self, part: str) -> NDArray[np.bool_]:
        """Where the value as text contains another text, in upper or lower case."""
        wanted = part.lower()
        return np.fromiter((wanted in text for text in self._lower_texts), bool, len(self.values)) & self.present

    def equal_to(self, value: Value) -> NDArray[np.bool_]:
        """Where exactly this value stands: a number equals numbers, a text texts, a truth value truth values."""
        return self.equal_to_any((value,))

    def equal_to_any(self, wanted: Collection[Value]) -> NDArray[np.bool_]:
        """Where one of these values stands."""
        keys = {_order(value) for value in wanted if value == value}
        return np.fromiter((key in keys for key in self._keys), bool, len(self.values))

    @cached_property
    def _keys(self) -> list[tuple[int, float, str]]:
        return [_order(value) for value in self.values]

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """Places in ascending order, equal values sharing one: nothing, truth values, numbers (NaN first), texts."""
        places = {key: place for place, key in enumerate(sorted(set(self._keys)))}
        return np.fromiter((places[key] for key in self._keys), np.int64, len(self._keys))


def _order(value: Value | None) -> tuple[int, float, str]:
    """Sorts values of all types; equal for equal values only (whole numbers beyond all reals count as those)."""
    if value is None:
        return 0, 0.0, ""
    if isinstance(value, bool):
        return 1, float(value), ""
    if isinstance(value, str):
        return 4, 0.0, value
    return (2, 0.0, "") if value != value else (3, float(value), "")


def as_text(value: Value | None) -> str:
    """A value as people write it."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value if isinstance(value, str) else repr(value)


class Table:
    """Rows of values by column name; columns are made when they are first asked for."""

    def __init__(self, rows: Sequence[Mapping[str, Value]]) -> None:
        self._rows = rows
        self._columns: dict[str, Column] = {}
        self.names: list[str] = list(dict.fromkeys(name for row in rows for name in row))

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.names)

    def column(self, name: str) -> Column:
        """The column of that name; one that no row has is empty."""
        found = self._columns.get(name)
        if found is None:
            found = self._columns[name] = Column(name, [row.get(name) for row in self._rows])
        return found

    def with_columns(self, added: Mapping[str, Sequence[Value | None]]) -> Table:
        """The same rows with further columns; those made so far are kept."""
        table = Table.__new__(Table)
        table._rows = self._rows
        table._columns = {**self._columns, **{name: Column(name, list(values)) for name, values in added.items()}}
        table.names = list(dict.fromkeys((*self.names, *added)))
        return table

    def order(self, name: str, *, descending: bool) -> NDArray[np.int64]:
        """The rows sorted by a column, equal ones in their present order, those without a value always last."""
        column = self.column(name)
        ranks = column.ranks if not descending else -column.ranks
        return np.lexsort((ranks, ~column.present))

    def row(self, place: int) -> dict[str, Any]:
        return {name: value for name in self.names if (value := self.column(name).values[place]) is not None}
