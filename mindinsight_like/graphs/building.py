"""Build a graph from a draft: make names unique, derive scopes, and order the nodes by scope."""

from __future__ import annotations

import numpy as np

from mindinsight_like.graphs.columns import Graph
from mindinsight_like.graphs.drafts import BadGraph, Draft
from mindinsight_like.logs.protobuf.text_column import TextColumn

MOST_LEVELS = 50  # of scopes; what is deeper keeps its slashes in the last part of its name


def build(draft: Draft) -> Graph:
    """The graph of a draft; raises BadGraph when there is nothing in it."""
    if not draft.names:
        raise BadGraph("the graph has no nodes")
    names = list(draft.names) if _are_clean(draft.names) else [*map(_clean, draft.names, draft.types)]
    scopes = [_scope_of(name) for name in names]
    _place_floating(draft, names, scopes)
    _make_unique(names, scopes)
    tree = _Tree(scopes)
    numbers = tree.numbers(scopes)
    order = np.argsort(numbers, kind="stable")
    place_of = np.empty(len(order), np.int64)
    place_of[order] = np.arange(len(order))
    sources = place_of[np.array(draft.sources, np.int64)]
    targets = place_of[np.array(draft.targets, np.int64)]
    edges = np.argsort(targets, kind="stable")
    types = dict.fromkeys(draft.types)
    type_numbers = {name: number for number, name in enumerate(types)}
    return Graph(
        title=draft.title,
        dangling=draft.dangling,
        names=TextColumn.of(names[place] for place in order.tolist()),
        types=np.array([type_numbers[name] for name in draft.types], np.uint32)[order],
        kinds=np.array(draft.kinds, np.uint8)[order],
        ports=np.array(draft.ports, np.uint32)[order],
        begins=np.array(draft.begins, np.int64)[order],
        ends=np.array(draft.ends, np.int64)[order],
        messages=bytes(draft.messages),
        scopes=numbers[order].astype(np.uint32),
        scope_names=TextColumn.of(tree.names),
        scope_parents=np.array(tree.parents, np.uint32),
        scope_ends=np.array(tree.ends, np.uint32),
        sources=sources[edges].astype(np.uint32),
        targets=targets[edges].astype(np.uint32),
        source_ports=np.array(draft.source_ports, np.uint32)[edges],
        controls=np.array(draft.controls, np.bool_)[edges],
        type_names=[name.replace("\0", "�") for name in types],
        port_lists=[list(ports) for ports in draft.port_lists],
    )


def _are_clean(names: list[str]) -> bool:
    """Whether all names can be split at their slashes; looked at as one text, since there are very many."""
    text = "\0".join(names)
    odd = ("\0/", "/\0", "//", "\0\0")
    return (
        text.count("\0") == len(names) - 1
        and not any(each in text for each in odd)
        and text[:1] not in ("", "/", "\0")
        and text[-1:] not in ("/", "\0")
    )


def _clean(name: str, type_name: str) -> str:
    """A name that can be split at its slashes."""
    if "\0" in name:
        name = name.replace("\0", "�")
    if name.startswith("/") or name.endswith("/") or "//" in name:
        name = "/".join(part for part in name.split("/") if part)
    return name or type_name.replace("\0", "�").replace("/", "_") or "node"


def _scope_of(name: str) -> str:
    if len(name) < 2 * MOST_LEVELS or name.count("/") <= MOST_LEVELS:
        return name.rpartition("/")[0]
    return "/".join(name.split("/", MOST_LEVELS)[:MOST_LEVELS])


def _place_floating(draft: Draft, names: list[str], scopes: list[str]) -> None:
    """Parameters and constants without a scope go where all that use them are."""
    if not draft.floating:
        return
    homes: dict[int, str | None] = dict.fromkeys(draft.floating)
    is_floating = np.zeros(len(names), np.bool_)
    is_floating[draft.floating] = True
    sources = np.array(draft.sources, np.int64)
    for edge in np.flatnonzero(is_floating[sources]).tolist():
        source, target = draft.sources[edge], draft.targets[edge]
        scope = "" if target in homes else scopes[target]
        current = homes[source]
        homes[source] = scope if current is None or current == scope else _common(current, scope)
    for node, home in homes.items():
        scopes[node] = home or ""
        if home:
            names[node] = f"{home}/{names[node]}"


def _common(one: str, other: str) -> str:
    """The innermost scope that both scopes are in."""
    shared = []
    for mine, theirs in zip(one.split("/"), other.split("/"), strict=False):
        if mine != theirs:
            break
        shared.append(mine)
    return "/".join(shared)


def _make_unique(names: list[str], scopes: list[str]) -> None:
    """No name stands for two nodes, or for a node and a scope: such a node moves into the scope."""
    known_scopes = _with_outer(set(scopes))
    taken_names: set[str] = set()
    counts: dict[str, int] = {}
    for place, name in enumerate(names):
        if name in known_scopes:
            label = name[len(scopes[place]) + 1 :] if scopes[place] else name
            scopes[place], name = name, f"{name}/({label.replace('/', '_')})"
            names[place] = name
        if name in taken_names or name in known_scopes:
            count = counts.get(name, 1)
            while (other := f"{name} ({count + 1})") in taken_names or other in known_scopes:
                count += 1
            counts[name] = count + 1
            names[place] = name = other
        taken_names.add(name)


def _with_outer(scopes: set[str]) -> set[str]:
    """The scopes and all that they are in."""
    all_scopes = set(scopes)
    for scope in scopes:
        while scope:
            scope = scope[: max(0, scope.rfind("/"))]
            if scope in all_scopes:
                break
            all_scopes.add(scope)
    return all_scopes


class _Tree:
    """All scopes, each followed by those inside it, in the order in which the file first names them."""

    def __init__(self, scopes: list[str]) -> None:
        inside: dict[str, list[str]] = {"": []}
        for scope in dict.fromkeys(scopes):
            missing = []
            while scope not in inside:
                missing.append(scope)
                scope = scope[: max(0, scope.rfind("/"))]
            for name in reversed(missing):
                inside[scope].append(name)
                inside[name] = []
                scope = name
        self.names: list[str] = []
        self.parents: list[int] = []
        self.ends: list[int] = []
        self._number_of: dict[str, int] = {}
        waiting: list[tuple[str, int]] = [("", 0)]
        while waiting:
            name, parent = waiting.pop()
            number = self._number_of[name] = len(self.names)
            self.names.append(name)
            self.parents.append(parent)
            waiting += [(each, number) for each in reversed(inside[name])]
        self.ends = list(range(1, len(self.names) + 1))
        for number in range(len(self.names) - 1, 0, -1):
            parent = self.parents[number]
            self.ends[parent] = max(self.ends[parent], self.ends[number])

    def numbers(self, scopes: list[str]) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
        number_of = self._number_of
        return np.array([number_of[scope] for scope in scopes], np.int64)
