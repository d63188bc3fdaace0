"""Operator filters of the result tables, from the arguments of `Profiler`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # a training imports this module, but not the analysis
    from mindinsight_like.profiler.analysis.operators.operator_table import OperatorRow


@dataclass(frozen=True)
class Filters:
    """The spec's arguments that choose what is shown."""

    is_detail: bool = True
    is_show_op_path: bool = False
    subgraph: str = "all"
    optypes_to_deal: str = ""
    optypes_not_deal: str = "Variable"

    def select(self, rows: list[OperatorRow]) -> list[OperatorRow]:
        """Rows of operator tables whose types, and names where they have any, are wanted."""
        included, excluded = _types(self.optypes_to_deal), _types(self.optypes_not_deal)
        return [
            row
            for row in rows
            if row["type"] not in excluded
            and (not included or row["type"] in included)
            and self._is_in_subgraph(row.get("name"))
        ]

    def shown_name(self, name: str) -> str:
        """The name with or without its path."""
        return name if self.is_show_op_path else name.rpartition("/")[2]

    def _is_in_subgraph(self, name: str | None) -> bool:
        return name is None or self.subgraph == "all" or subgraph_of(name) == self.subgraph


def subgraph_of(name: str) -> str:
    """The first part of an operator's path, as MindSpore names it: Default, Gradients ... Empty without a path."""
    first, slash, _ = name.partition("/")
    return first if slash else ""


def _types(listed: str) -> frozenset[str]:
    return frozenset(filter(None, (each.strip() for each in listed.split(","))))
