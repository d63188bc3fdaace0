"""Finding nodes and scopes by parts of their names and types."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from mindinsight_like.graphs.drafts import NodeKind
from mindinsight_like.graphs.opened import KIND_NAMES
from mindinsight_like.graphs.views import Views


@dataclass(frozen=True)
class Match:
    name: str
    label: str
    type: str
    kind: str
    scope: str
    path: list[str]  # what has to be opened, from the whole graph on


def search(views: Views, text: str, offset: int, limit: int) -> tuple[int, list[Match]]:
    """How much fits, and a window of it: exact names first, then last parts, then names, then types."""
    wanted = text.strip().lower()
    if not wanted:
        return 0, []
    graph = views.graph
    ranked: list[tuple[int, int, bool, int]] = []  # rank, length of the name, whether a scope, number
    for number, name in enumerate(graph.scope_names):
        if number and wanted in (lowered := name.lower()):
            ranked.append((_rank(lowered, wanted), len(name), True, number))
    types = {number for number, name in enumerate(graph.type_names) if wanted in name.lower()}
    has_type = np.isin(graph.types, list(types)).tolist() if types else None
    for number, name in enumerate(graph.names):
        if wanted in (lowered := name.lower()):
            ranked.append((_rank(lowered, wanted), len(name), False, number))
        elif has_type is not None and has_type[number]:
            ranked.append((5, 0, False, number))
    ranked.sort()
    window = ranked[offset : offset + limit]
    found = [_scope(views, number) if is_scope else _node(views, number) for _, _, is_scope, number in window]
    return len(ranked), found


def _rank(name: str, wanted: str) -> int:
    if name == wanted:
        return 0
    label = name.rpartition("/")[2]
    if label == wanted or name.endswith(f"/{wanted}"):
        return 1
    if label.startswith(wanted):
        return 2
    return 3 if wanted in label else 4


def _scope(views: Views, number: int) -> Match:
    graph = views.graph
    path = views.path_around(number)
    return Match(graph.scope_names[number], graph.scope_label(number), "", "scope", path[-1], path)


def _node(views: Views, number: int) -> Match:
    graph = views.graph
    path = views.path_to(number)
    kind = KIND_NAMES[NodeKind(graph.kinds[number])]
    return Match(graph.names[number], graph.label(number), graph.type_names[graph.types[number]], kind, path[-1], path)
