"""Entries of a scope as shown: the scopes in it, its own nodes, and repeats of these collapsed into one entry.

Nodes of one type that stand side by side, five or more of them with no way from one to another, are a repeat: the
updates of a hundred parameters, for example. A chain of layers is none. Only where a scope has so many nodes that
nobody could look at them all are nodes of one type gathered wherever they stand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.graphs.columns import Graph, Ints
from mindinsight_like.graphs.drafts import NodeKind

MIN_REPEAT = 5  # nodes that make a repeat
_MAX_ENTRIES = 400  # entries; with more, repeats are gathered wherever they stand
_MAX_LEVELLED = 2_000  # entries whose order is found out
_MAX_CACHED_VIEWS = 512


@dataclass(frozen=True)
class Repeat:
    """Nodes of one scope gathered into one entry."""

    name: str
    label: str
    members: Ints  # in ascending order


class ScopeView:
    """The entries of one scope: first the scopes in it, then repeats, then single nodes."""

    def __init__(self, graph: Graph, scope: int) -> None:
        self.graph = graph
        self.scope = scope
        self.first, self.end = graph.node_range(scope)
        self.own_end = graph.own(scope)[1]
        self.inner = graph.inner_scopes(scope)
        self._inner_firsts = graph.firsts[np.array(self.inner, np.int64)]
        gathered = _gather(graph, scope, self.inner, self._edges())
        self.repeats = _name_repeats(graph, scope, gathered)
        self._own_entries = np.zeros(self.own_end - self.first, np.int64)
        count = len(self.inner)
        is_single = np.ones(len(self._own_entries), np.bool_)
        for repeat in self.repeats:
            self._own_entries[repeat.members - self.first] = count
            is_single[repeat.members - self.first] = False
            count += 1
        self.singles: Ints = np.flatnonzero(is_single) + self.first
        self._own_entries[is_single] = count + np.arange(len(self.singles))
        self.count = count + len(self.singles)

    @property
    def name(self) -> str:
        return self.graph.scope_names[self.scope]

    def entries_of(self, nodes: Ints) -> Ints:
        """The entry that shows each node, -1 for nodes outside the scope."""
        entries = np.full(len(nodes), -1, np.int64)
        is_own = (nodes >= self.first) & (nodes < self.own_end)
        entries[is_own] = self._own_entries[nodes[is_own] - self.first]
        is_inner = (nodes >= self.own_end) & (nodes < self.end)
        entries[is_inner] = np.searchsorted(self._inner_firsts, nodes[is_inner], "right") - 1
        return entries

    def entry_name(self, entry: int) -> str:
        if entry < len(self.inner):
            return self.graph.scope_names[self.inner[entry]]
        entry -= len(self.inner)
        if entry < len(self.repeats):
            return self.repeats[entry].name
        return self.graph.names[int(self.singles[entry - len(self.repeats)])]

    def find_repeat(self, name: str) -> Repeat | None:
        return next((repeat for repeat in self.repeats if repeat.name == name), None)

    @cached_property
    def outer(self) -> list[int]:
        return self.graph.ancestors(self.scope)

    def _edges(self) -> tuple[Ints, Ints]:
        """Edges between entries, before repeats are known: scopes by their place, nodes counted from behind them."""
        graph = self.graph
        part = slice(int(graph.in_starts[self.first]), int(graph.in_starts[self.end]))
        sources = graph.sources[part].astype(np.int64)
        targets = graph.targets[part].astype(np.int64)
        is_inside = (sources >= self.first) & (sources < self.end)
        ends = []
        for nodes in (sources[is_inside], targets[is_inside]):
            is_own = nodes < self.own_end
            places = np.searchsorted(self._inner_firsts, nodes, "right") - 1
            ends.append(np.where(is_own, len(self.inner) + nodes - self.first, places))
        differ = ends[0] != ends[1]
        return ends[0][differ], ends[1][differ]


def _gather(graph: Graph, scope: int, inner: Sequence[int], edges: tuple[Ints, Ints]) -> list[Ints]:
    """The members of each repeat."""
    first, end = graph.own(scope)
    keys = graph.types[first:end].astype(np.int64) * 8 + graph.kinds[first:end]
    entries = len(inner) + end - first
    if entries <= _MAX_LEVELLED:
        levels = _levels(entries, *edges)[len(inner) :]
        # Parameters and constants stand beside the nodes that need them, so they are gathered only when in the way.
        is_operator = graph.kinds[first:end] == NodeKind.OPERATOR
        for chosen in ((levels >= 0) & is_operator, levels >= 0):
            groups = _groups(keys * (entries + 1) + levels, chosen)
            if entries + len(groups) - sum(len(group) for group in groups) <= _MAX_ENTRIES:
                return [group + first for group in groups]
    return [group + first for group in _groups(keys, np.ones(end - first, np.bool_))]


def _groups(keys: Ints, chosen: NDArray[np.bool_]) -> list[Ints]:
    """The places of equal keys where there are enough of them, in the order of their first ones."""
    places = np.flatnonzero(chosen)
    _, numbers, counts = np.unique(keys[places], return_inverse=True, return_counts=True)
    order = np.argsort(numbers, kind="stable")
    groups = np.split(places[order], np.cumsum(counts)[:-1])
    return sorted((group for group in groups if len(group) >= MIN_REPEAT), key=lambda group: int(group[0]))


def _levels(entries: int, sources: Ints, targets: Ints) -> Ints:
    """How long the longest way to each entry is, so that none on a level leads to another; -1 on circles."""
    pairs = np.unique(sources * entries + targets)
    after: list[list[int]] = [[] for _ in range(entries)]
    waits = [0] * entries
    for pair in pairs.tolist():
        source, target = divmod(pair, entries)
        after[source].append(target)
        waits[target] += 1
    levels = [-1] * entries
    ready = [entry for entry in range(entries) if not waits[entry]]
    level = 0
    while ready:
        following = []
        for entry in ready:
            levels[entry] = level
            for target in after[entry]:
                waits[target] -= 1
                if not waits[target]:
                    following.append(target)
        ready, level = following, level + 1
    return np.array(levels, np.int64)


def _name_repeats(graph: Graph, scope: int, gathered: Sequence[Ints]) -> list[Repeat]:
    """The repeats with names that nothing else in the scope has."""
    prefix = f"{graph.scope_names[scope]}/" if scope else ""
    used: set[str] = set()
    repeats = []
    for members in gathered:
        type_name = graph.type_names[graph.types[members[0]]].replace("/", "_") or "node"
        label = base = f"{type_name}[{len(members)}]"
        count = 1
        while label in used or graph.names.find(prefix + label) is not None:
            label, count = f"{base}_{count}", count + 1
        used.add(label)
        repeats.append(Repeat(prefix + label, label, members))
    return repeats


class Views:
    """The views of a graph's scopes, made when they are first looked at."""

    def __init__(self, graph: Graph) -> None:
        self.graph = graph
        self._cache: dict[int, ScopeView] = {}

    def of(self, scope: int) -> ScopeView:
        view = self._cache.get(scope)
        if view is None:
            if len(self._cache) >= _MAX_CACHED_VIEWS:
                self._cache.clear()
            view = self._cache[scope] = ScopeView(self.graph, scope)
        return view

    def find_scope(self, name: str) -> int | None:
        return self.graph.scope_names.find(name)

    def find_repeat(self, name: str) -> tuple[ScopeView, Repeat] | None:
        """A repeat and the view it is in."""
        if not name.endswith("]") and "]_" not in name:
            return None
        scope = self.find_scope(name.rpartition("/")[0])
        if scope is None:
            return None
        view = self.of(scope)
        repeat = view.find_repeat(name)
        return None if repeat is None else (view, repeat)

    def path_around(self, scope: int) -> list[str]:
        """The names of the scopes around a scope, from the whole graph on."""
        return [self.graph.scope_names[outer] for outer in reversed(self.graph.ancestors(scope))]

    def path_to(self, node: int) -> list[str]:
        """The names of what has to be opened to see a node, from the whole graph on."""
        scope = int(self.graph.scopes[node])
        view = self.of(scope)
        path = [*self.path_around(scope), view.name]
        entry = int(view.entries_of(np.array([node]))[0]) - len(view.inner)
        return [*path, view.repeats[entry].name] if 0 <= entry < len(view.repeats) else path
