"""Typed columns of values, one row per run. Filters and sorts are vectorised over whole columns."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

Value = bool | int | float | str
ColumnType = Literal["int", "float", "text", "bool", "mixed"]

_TYPES: dict[type, ColumnType] = {bool: "bool", int: "int", float: "float", str: "text"}


@dataclass(frozen=True)
class SortKey:
    column: str
    descending: bool = False


def type_of(values: Iterable[Value | None]) -> ColumnType:
    """The type that fits all values; whole numbers among real ones are real numbers."""
    types = {_TYPES[each] for each in set(map(type, values)) if each in _TYPES}
    if types == {"int", "float"}:
        return "float"
    return types.pop() if len(types) == 1 else ("mixed" if types else "text")


@dataclass(frozen=True)
class Column:
    """One value per row, None where a row has none."""

    name: str
    values: list[Value | None]

    @cached_property
    def type(self) -> ColumnType:
        return type_of(self.values)

    @cached_property
    def count(self) -> int:
        """How many rows have a value."""
        return len(self.values) - self.values.count(None)

    @cached_property
    def distinct(self) -> int:
        """How many different values there are; all NaN are one."""
        if self.type in ("int", "float"):
            return len(np.unique(self.numbers[self.present]))
        if self.type == "mixed":  # True equals 1 in Python
            return len({_order(value) for value in self.values if value is not None})
        values = set(self.values)
        return len(values) - (None in values)

    def at(self, place: int) -> Value | None:
        """The value of one row."""
        return self.values[place]

    def renamed(self, name: str) -> Column:
        """The same values under another name."""
        column = object.__new__(type(self))
        column.__dict__.update(self.__dict__, name=name)
        return column

    @cached_property
    def present(self) -> NDArray[np.bool_]:
        return np.array([value is not None for value in self.values], bool)

    @cached_property
    def is_number(self) -> NDArray[np.bool_]:
        """Where numbers stand; truth values are none."""
        if self.type in ("int", "float"):
            return self.present
        return np.array([type(value) in (int, float) for value in self.values], bool)

    @cached_property
    def is_text(self) -> NDArray[np.bool_]:
        return self.present if self.type == "text" else np.array([type(value) is str for value in self.values], bool)

    @cached_property
    def numbers(self) -> NDArray[np.float64]:
        """The numbers, NaN elsewhere."""
        if self.type in ("int", "float"):
            return np.array(self.values, np.float64)  # None becomes NaN
        numbers = [value if type(value) in (int, float) else None for value in self.values]
        return np.array(numbers, np.float64)

    @cached_property
    def texts(self) -> NDArray[np.str_]:
        """Every value as text, empty where there is none."""
        return np.array([as_text(value) for value in self.values], dtype=np.str_)

    @cached_property
    def _lower_texts(self) -> list[str]:
        return [as_text(value).lower() for value in self.values]

    def containing(self, part: str) -> NDArray[np.bool_]:
        """Where the value as text contains another text, in upper or lower case."""
        lowered = part.lower()
        return np.array([lowered in text for text in self._lower_texts], bool) & self.present

    def equal_to(self, value: Value) -> NDArray[np.bool_]:
        """Where exactly this value stands: a number equals numbers, a text texts, a truth value truth values."""
        return self.equal_to_any((value,))

    def equal_to_any(self, candidates: Collection[Value]) -> NDArray[np.bool_]:
        """Where one of these values stands."""
        # True equals 1 in Python, so truth values are looked for apart.
        flags = {value for value in candidates if isinstance(value, bool)}
        others = {value for value in candidates if not isinstance(value, bool) and value == value}
        if self.type == "bool":
            return np.array([value in flags for value in self.values], bool)
        matches = np.fromiter(map(others.__contains__, self.values), bool, len(self.values))
        if self.type != "mixed":
            return matches
        is_flag = np.array([isinstance(value, bool) for value in self.values], bool)
        return np.where(is_flag, [isinstance(value, bool) and value in flags for value in self.values], matches)

    @cached_property
    def ranks(self) -> NDArray[np.int64]:
        """Places in ascending order, equal values sharing one: nothing, truth values, numbers (NaN first), texts."""
        if self.type in ("int", "float"):
            _, places = np.unique(self.numbers, return_inverse=True)
            return np.where(self.present, np.where(np.isnan(self.numbers), 1, places + 2), 0)
        if self.type == "text":
            texts = sorted({value for value in self.values if isinstance(value, str) and value})
            order: dict[Value | None, int] = {text: place for place, text in enumerate(texts, 2)}
            return np.array([order.get(value, 0 if value is None else 1) for value in self.values], np.int64)
        keys = [_order(value) for value in self.values]
        ranked = {key: place for place, key in enumerate(sorted(set(keys)))}
        return np.array([ranked[key] for key in keys], np.int64)

    @cached_property
    def ascending(self) -> NDArray[np.int64]:
        """The rows in ascending order, equal ones in their present order, NaN and then those without a value last."""
        return np.lexsort((self.ranks, *self.without_order))

    @cached_property
    def descending(self) -> NDArray[np.int64]:
        """The rows in descending order, equal ones in their present order, NaN and then those without a value last."""
        return np.lexsort((-self.ranks, *self.without_order))

    @property
    def without_order(self) -> tuple[NDArray[np.bool_], ...]:
        """Masks of the rows that come last in every order, as keys for a sort: NaN, and no value at all."""
        return np.isnan(self.numbers) & self.is_number, ~self.present


class NumberColumn(Column):
    """A column of real numbers that stay an array; values as Python objects are made when something needs them."""

    def __init__(self, name: str, numbers: NDArray[np.float64], present: NDArray[np.bool_]) -> None:
        self.__dict__.update(name=name, numbers=numbers, present=present, type="float" if present.any() else "text")

    @cached_property
    def values(self) -> list[Value | None]:
        numbers: list[Value | None] = self.numbers.tolist()
        for place in np.flatnonzero(~self.present).tolist():
            numbers[place] = None
        return numbers

    @cached_property
    def count(self) -> int:
        return int(self.present.sum())

    def at(self, place: int) -> Value | None:
        return float(self.numbers[place]) if self.present[place] else None


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
        self.names: list[str] = list(dict.fromkeys(chain.from_iterable(rows)))

    def __len__(self) -> int:
        return len(self._rows)

    def __contains__(self, name: str) -> bool:
        return name in self._names

    @cached_property
    def _names(self) -> frozenset[str]:
        return frozenset(self.names)

    def meaning(self, name: str) -> str | None:
        """The column that a name stands for by an agreement of this table; None if there is none."""
        return None

    @property
    def groups(self) -> Mapping[str, str]:
        """The groups of columns whose names do not tell it."""
        return {}

    @property
    def repeated(self) -> frozenset[str]:
        """Columns whose values another one shows, too."""
        return frozenset()

    def column(self, name: str) -> Column:
        """The column of that name; one that no row has is empty."""
        column = self._columns.get(name)
        if column is None:
            column = self._columns[name] = self._build_column(name)
        return column

    def _build_column(self, name: str) -> Column:
        return Column(name, [row.get(name) for row in self._rows])

    def with_columns(self, added: Mapping[str, Sequence[Value | None] | Column]) -> Table:
        """The same rows with further columns."""
        return _ExtendedTable(self, added) if added else self

    def beside(self, other: Table) -> Table:
        """The same rows with the columns of both tables; where both have one, it is that of this table."""
        return _JoinedTable(self, other)

    def with_rows(self, changed: Mapping[int, Mapping[str, Value]]) -> Table:
        """The same table with other rows at some places; columns that were made are changed, not made again."""
        rows = list(self._rows)
        for place, row in changed.items():
            rows[place] = row
        new = [name for row in changed.values() for name in row if name not in self]
        table = Table.__new__(Table)
        table._rows, table.names = rows, [*self.names, *dict.fromkeys(new)]
        table._columns = {name: Column(name, _patched(column, changed)) for name, column in self._columns.items()}
        return table

    def order(self, name: str, *, descending: bool) -> NDArray[np.int64]:
        """The rows sorted by a column, equal ones in their present order, those without a value always last."""
        column = self.column(name)
        return column.descending if descending else column.ascending

    def order_by(self, keys: Sequence[SortKey]) -> NDArray[np.int64]:
        """The rows sorted by several columns, the first of them first."""
        if len(keys) == 1:
            return self.order(keys[0].column, descending=keys[0].descending)
        ranks: list[NDArray[Any]] = []
        for key in reversed(keys):
            column = self.column(key.column)
            ranks += [-column.ranks if key.descending else column.ranks, *column.without_order]
        return np.lexsort(ranks) if ranks else np.arange(len(self))


def _patched(column: Column, changed: Mapping[int, Mapping[str, Value]]) -> list[Value | None]:
    values = column.values.copy()
    for place, row in changed.items():
        values[place] = row.get(column.name)
    return values


class _JoinedTable(Table):
    """The columns of two tables of the same rows."""

    def __init__(self, table: Table, other: Table) -> None:
        self._rows = table._rows
        self._table, self._other = table, other
        self._columns = {}
        self.names = list(dict.fromkeys((*table.names, *other.names)))

    def __contains__(self, name: str) -> bool:
        return name in self._table or name in self._other

    def meaning(self, name: str) -> str | None:
        return self._table.meaning(name) or self._other.meaning(name)

    def _build_column(self, name: str) -> Column:
        return (self._table if name in self._table else self._other).column(name)


class _ExtendedTable(Table):
    """A table with columns beside those of another."""

    def __init__(self, table: Table, added: Mapping[str, Sequence[Value | None] | Column]) -> None:
        self._rows = table._rows
        self._table = table
        self._columns = {
            name: values if isinstance(values, Column) else Column(name, list(values)) for name, values in added.items()
        }
        self.names = list(dict.fromkeys((*table.names, *added)))

    def __contains__(self, name: str) -> bool:
        return name in self._columns or name in self._table

    def meaning(self, name: str) -> str | None:
        return self._table.meaning(name)

    @property
    def groups(self) -> Mapping[str, str]:
        return self._table.groups

    @property
    def repeated(self) -> frozenset[str]:
        return self._table.repeated

    def _build_column(self, name: str) -> Column:
        return self._table.column(name)
