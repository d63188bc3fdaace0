"""Search nodes and scopes by substrings of their names and types."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight_like.graphs.drafts import NodeKind
from mindinsight_like.graphs.scope_view import KIND_NAMES, EntryKind
from mindinsight_like.graphs.views import Views


@dataclass(frozen=True)
class Match:
    name: str
    label: str
    type: str
    kind: EntryKind
    scope: str
    path: list[str]  # what has to be opened, from the whole graph on


def search(views: Views, text: str, offset: int, limit: int) -> tuple[int, list[Match]]:
    """How much fits, and a window of it: exact names first, then last parts, then names, then types."""
    needle = text.strip().lower()
    if not needle:
        return 0, []
    graph = views.graph
    ranked: list[tuple[int, int, bool, int]] = []  # rank, length of the name, whether a scope, number
    for number, name in enumerate(graph.scope_names):
        if number and needle in (lowered := name.lower()):
            ranked.append((_rank(lowered, needle), len(name), True, number))
    types = {number for number, name in enumerate(graph.type_names) if needle in name.lower()}
    has_type = np.isin(graph.types, list(types)).tolist() if types else None
    for number, name in enumerate(graph.names):
        if needle in (lowered := name.lower()):
            ranked.append((_rank(lowered, needle), len(name), False, number))
        elif has_type is not None and has_type[number]:
            ranked.append((5, 0, False, number))
    ranked.sort()
    window = ranked[offset : offset + limit]
    matches = [_scope(views, number) if is_scope else _node(views, number) for _, _, is_scope, number in window]
    return len(ranked), matches


def _rank(name: str, needle: str) -> int:
    if name == needle:
        return 0
    label = name.rpartition("/")[2]
    if label == needle or name.endswith(f"/{needle}"):
        return 1
    if label.startswith(needle):
        return 2
    return 3 if needle in label else 4


def _scope(views: Views, number: int) -> Match:
    graph = views.graph
    path = views.path_around(number)
    return Match(graph.scope_names[number], graph.scope_label(number), "", "scope", path[-1], path)


def _node(views: Views, number: int) -> Match:
    graph = views.graph
    path = views.path_to(number)
    kind = KIND_NAMES[NodeKind(graph.kinds[number])]
    return Match(graph.names[number], graph.label(number), graph.type_names[graph.types[number]], kind, path[-1], path)
