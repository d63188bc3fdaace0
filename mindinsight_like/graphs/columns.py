"""The graph model of all formats: nodes and edges as columns, ordered so that every scope is one range of nodes.

Scopes are numbered so that what is inside a scope follows it directly: the scopes inside scope `s` are those from `s`
to `scope_ends[s]`, and the nodes inside lie together as well. Scope 0 is the whole graph, and its name is empty. The
nodes that a scope has itself come before those of the scopes inside it.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.graphs.drafts import NodeKind, Port
from mindinsight_like.logs.protobuf.text_column import TextColumn

Ints = NDArray[np.int64]
Numbers = NDArray[np.uint32]

NO_PORT = Port("", "")


@dataclass(frozen=True)
class Graph:
    title: str
    dangling: int  # inputs that name nothing
    names: TextColumn
    types: Numbers  # places in type_names
    kinds: NDArray[np.uint8]  # of NodeKind
    ports: Numbers  # places in port_lists
    begins: Ints  # where the message of a node lies, in the record or, if there is any, in `messages`
    ends: Ints
    messages: bytes
    scopes: Numbers  # of each node, in ascending order
    scope_names: TextColumn
    scope_parents: Numbers
    scope_ends: Numbers
    sources: Numbers  # edges in the order of their targets
    targets: Numbers
    source_ports: Numbers
    controls: NDArray[np.bool_]
    type_names: list[str]
    port_lists: list[list[Port]]

    def __len__(self) -> int:
        return len(self.types)

    @cached_property
    def firsts(self) -> Ints:
        """The first node of each scope, and behind the last scope the number of nodes."""
        return np.searchsorted(self.scopes, np.arange(len(self.scope_parents) + 1))

    def node_range(self, scope: int) -> tuple[int, int]:
        """The nodes inside a scope, those of scopes in it included."""
        return int(self.firsts[scope]), int(self.firsts[self.scope_ends[scope]])

    def own(self, scope: int) -> tuple[int, int]:
        """The nodes that a scope has itself."""
        return int(self.firsts[scope]), int(self.firsts[scope + 1])

    def inner_scopes(self, scope: int) -> list[int]:
        """The scopes directly inside a scope."""
        inner, at, end = [], scope + 1, int(self.scope_ends[scope])
        while at < end:
            inner.append(at)
            at = int(self.scope_ends[at])
        return inner

    def ancestors(self, scope: int) -> list[int]:
        """The scopes around a scope, the nearest first; the whole graph is the last."""
        outer = []
        while scope:
            scope = int(self.scope_parents[scope])
            outer.append(scope)
        return outer

    @cached_property
    def in_starts(self) -> Ints:
        """Where the edges to each node begin."""
        return np.searchsorted(self.targets, np.arange(len(self) + 1))

    @cached_property
    def by_source(self) -> Ints:
        """The edges in the order of their sources."""
        return np.argsort(self.sources, kind="stable")

    @cached_property
    def out_starts(self) -> Ints:
        """Where in `by_source` the edges from each node begin."""
        return np.searchsorted(self.sources[self.by_source], np.arange(len(self) + 1))

    @cached_property
    def operators_before(self) -> Ints:
        """How many of the nodes before each are operators."""
        return np.append(0, np.cumsum(self.kinds == NodeKind.OPERATOR))

    @cached_property
    def type_counts(self) -> list[tuple[str, int]]:
        """How often each type occurs, the most frequent first."""
        counts = np.bincount(self.types, minlength=len(self.type_names)).tolist()
        return sorted(zip(self.type_names, counts, strict=True), key=lambda each: (-each[1], each[0]))

    def label(self, node: int) -> str:
        """The last part of a node's name."""
        name, scope = self.names[node], int(self.scopes[node])
        return name[len(self.scope_names[scope]) + 1 :] if scope else name

    def scope_label(self, scope: int) -> str:
        return self.scope_names[scope].rpartition("/")[2]

    def port(self, node: int, place: int = 0) -> Port:
        """What a node gives out at one of its places."""
        ports = self.port_lists[self.ports[node]]
        return ports[place] if place < len(ports) else NO_PORT
