"""Which operators the tables of a profile have, as the arguments of `Profiler` say."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Filters:
    """The spec's arguments that choose what is shown."""

    is_detail: bool = True
    is_show_op_path: bool = False
    subgraph: str = "all"
    optypes_to_deal: str = ""
    optypes_not_deal: str = "Variable"

    def kept(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Rows of operator tables whose types, and names where they have any, are wanted."""
        wanted, unwanted = _types(self.optypes_to_deal), _types(self.optypes_not_deal)
        return [
            row
            for row in rows
            if row["type"] not in unwanted
            and (not wanted or row["type"] in wanted)
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
