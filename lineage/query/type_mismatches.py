"""Find comparisons that never match because of their types, such as a column of strings compared with a number."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

from mindinsight_like.lineage.columns import Column, Table, Value, as_text

from .conditions import All, AnyOf, Comparison, Condition, Missing, Not

Kind = Literal["number", "text", "bool"]
KINDS: tuple[Kind, ...] = get_args(Kind)

_ONE: dict[Kind, str] = {"number": "a number", "text": "text", "bool": "a boolean"}
_MANY: dict[Kind, str] = {"number": "numbers", "text": "text", "bool": "booleans"}


@dataclass(frozen=True)
class Mismatch:
    column: str
    value_types: list[Kind]  # what the column has
    value: str  # what it is compared with, as people write it
    kind: Kind  # of that value

    @property
    def message(self) -> str:
        """A sentence for people."""
        holds = " and ".join(_MANY[kind] for kind in self.value_types)
        return f"{self.column} contains {holds}, so comparing it with {_ONE[self.kind]} ({self.value}) never matches"


def mismatches(condition: Condition, table: Table) -> list[Mismatch]:
    """Comparisons that cannot match, without duplicates; columns without any value are skipped."""
    candidates = (_mismatch(each, table.column(each.column)) for each in _comparisons(condition))
    return list({(each.column, each.value, each.kind): each for each in candidates if each is not None}.values())


def _comparisons(condition: Condition) -> Iterator[Comparison]:
    match condition:
        case Comparison():
            yield condition
        case Not():
            yield from _comparisons(condition.condition)
        case All() | AnyOf():
            for part in condition.conditions:
                yield from _comparisons(part)
        case Missing():
            return


def _mismatch(comparison: Comparison, column: Column) -> Mismatch | None:
    """The first value of another kind, unless another one of the list may match. `contains` looks into any value."""
    if comparison.operator == "contains":
        return None
    values = comparison.value if isinstance(comparison.value, tuple) else (comparison.value,)
    holds = _kinds_in(column)
    if not values or not holds or any(_kind(value) in holds for value in values):
        return None
    return Mismatch(column.name, holds, as_text(values[0]), _kind(values[0]))


def _kinds_in(column: Column) -> list[Kind]:
    match column.type:
        case "int" | "float":
            return ["number"]
        case "mixed":
            return [kind for kind in KINDS if any(_kind(value) == kind for value in column.values if value is not None)]
        case "text" | "bool":
            return [column.type] if column.count else []


def _kind(value: Value) -> Kind:
    if isinstance(value, bool):
        return "bool"
    return "text" if isinstance(value, str) else "number"
