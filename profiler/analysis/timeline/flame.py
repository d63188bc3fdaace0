"""Flame graph: call trees merged by name."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Annotated, Final, TypedDict

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns import grouping
from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS, Columns
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Bytes, Ints, Longs, Place


@dataclass(frozen=True)
class Tree:
    """Nodes in an order in which parents stand first; times in nanoseconds by what they measure."""

    parent: Ints
    name: list[str]
    activity: Bytes
    count: Longs
    totals: dict[str, Longs]
    selves: dict[str, Longs]


BY: Final = ("time", "device")


def merge(columns: Columns, track: int | None, step: int | None) -> Tree:
    """The tree of one track or of all, of one step (by position) or of all; raises IndexError for none such."""
    rows = columns.rows
    is_in = _wanted(columns, track, step)
    first, last = 0, len(rows)
    if track is not None:
        first, last = columns.track_bounds[track : track + 2].tolist()
    parent = rows.parent[first:last]
    parent = np.where(parent == NOTHING, NOTHING, parent - first).astype(np.int32)
    names, step_name = _names(columns, first, last)
    tree = grouping.call_tree(parent, names, rows.activity[first:last], is_in[first:last].view(np.uint8))
    at, above = np.flatnonzero(is_in[first:last]), tree.parent
    node = tree.node[at]
    sums = grouping.sum_groups(node, len(above), rows.duration[first:last][at], rows.self_time[first:last][at])
    totals, selves = {"time": sums.total}, {"time": sums.self_time}
    if columns.has_launches():
        totals["device"] = grouping.add_up(node, len(above), columns.launched.time[first:last][at])
        selves["device"] = totals["device"].copy()
        has_above = above != NOTHING
        np.subtract.at(selves["device"], above[has_above], totals["device"][has_above])
    texts = columns.trace.texts
    is_step = (tree.activity == Activity.STEP).tolist()
    called = [step_name if step else texts[text] for text, step in zip(tree.name.tolist(), is_step, strict=True)]
    return Tree(above, called, tree.activity, sums.count, totals, selves)


def _names(columns: Columns, first: int, last: int) -> tuple[Ints, str]:
    """Names of these rows, all marks of steps with the same one; and how to call that: without the step's number."""
    name = columns.names_of(slice(first, last))
    steps = np.flatnonzero(columns.rows.activity[first:last] == Activity.STEP)
    if not len(steps):
        return name, ""
    name[steps] = name[steps[0]]
    return name, re.sub(r"\d+(?=\D*$)", "*", columns.trace.texts[name[steps[0]]])


def _wanted(columns: Columns, track: int | None, step: int | None) -> NDArray[np.bool_]:
    is_in = np.zeros(len(columns.rows), np.bool_)
    if track is not None and not 0 <= track < len(columns.trace.tracks):
        raise IndexError(f"no track {track}")
    if step is not None and not 0 <= step < len(columns.steps):
        raise IndexError(f"no step at position {step}")
    bounds = columns.lanes.bounds.tolist()
    for lane, of_track in enumerate(columns.lanes.track.tolist()):
        if of_track != track and (track is not None or columns.trace.tracks[of_track].place == Place.LAYER):
            continue
        first, last = bounds[lane], bounds[lane + 1]
        if step is not None:
            times = int(columns.steps.begin[step]), int(columns.steps.end[step])
            first, last = (first + np.searchsorted(columns.rows.start[first:last], times)).tolist()
        is_in[first:last] = True
    return is_in


class _FlameTimes(TypedDict):
    id: int
    parent: Annotated[int, "Id of the node above; -1 for none."]
    name: str
    activity: str
    count: int
    total: float
    self: float


class FlameNode(_FlameTimes, total=False):
    """Slices of the same name below the same parents; milliseconds."""

    other_count: Annotated[int, "Of the other recording, as the next two; where two are compared."]
    other_total: float
    other_self: float


class _FlameSums(TypedDict):
    total: float
    nodes: Annotated[list[FlameNode], "Parents stand before their children."]
    omitted: Annotated[int, "Number of nodes left out."]


class FlameGraph(_FlameSums, total=False):
    """Call trees merged by name; milliseconds."""

    other_total: Annotated[float, "Of the other recording, where two are compared."]


def graph(tree: Tree, *, by: str, most: int) -> FlameGraph:
    """The largest nodes of a tree; see `Analysed.flame`."""
    total, own = _times(tree, by)
    at = _largest(total, tree.parent, most)
    is_root = tree.parent == NOTHING
    nodes: list[FlameNode] = [
        {
            "id": node,
            "parent": int(tree.parent[node]),
            "name": tree.name[node],
            "activity": _activity(int(tree.activity[node])),
            "count": int(tree.count[node]),
            "total": int(total[node]) / NS_PER_MS,
            "self": int(own[node]) / NS_PER_MS,
        }
        for node in at.tolist()
    ]
    return {"total": int(total[is_root].sum()) / NS_PER_MS, "nodes": nodes, "omitted": len(total) - len(at)}


def difference(one: Tree, other: Tree, *, by: str, most: int) -> FlameGraph:
    """Both trees in one: nodes are the same where all names above them are."""
    numbers: dict[tuple[int, str, int], int] = {}
    sums: list[list[int]] = []  # total, self, count; of the other the same
    for which, tree in enumerate((one, other)):
        total, own = _times(tree, by)
        node_of: list[int] = []
        columns = (tree.parent, tree.activity, total, own, tree.count)
        for name, *values in zip(tree.name, *(column.tolist() for column in columns), strict=True):
            parent, activity, total_here, own_here, count = values
            key = (node_of[parent] if parent != NOTHING else NOTHING, name, activity)
            node = numbers.setdefault(key, len(numbers))
            node_of.append(node)
            if node == len(sums):
                sums.append([0] * 6)
            for at, value in enumerate((total_here, own_here, count)):
                sums[node][3 * which + at] += value
    table = np.array(sums, np.int64).reshape(-1, 6)
    keys = list(numbers)
    parent = np.array([key[0] for key in keys], np.int32)
    chosen = _largest(np.maximum(table[:, 0], table[:, 3]), parent, most)
    nodes: list[FlameNode] = [
        {
            "id": node,
            "parent": keys[node][0],
            "name": keys[node][1],
            "activity": _activity(keys[node][2]),
            "count": int(table[node, 2]),
            "total": int(table[node, 0]) / NS_PER_MS,
            "self": int(table[node, 1]) / NS_PER_MS,
            "other_count": int(table[node, 5]),
            "other_total": int(table[node, 3]) / NS_PER_MS,
            "other_self": int(table[node, 4]) / NS_PER_MS,
        }
        for node in chosen.tolist()
    ]
    is_root = parent == NOTHING
    return {
        "total": int(table[is_root, 0].sum()) / NS_PER_MS,
        "other_total": int(table[is_root, 3].sum()) / NS_PER_MS,
        "nodes": nodes,
        "omitted": len(keys) - len(chosen),
    }


def _times(tree: Tree, by: str) -> tuple[Longs, Longs]:
    if by not in BY:
        raise ValueError(f"call trees can be weighted by time or device, not by {by}")
    nothing = np.zeros(len(tree.parent), np.int64)
    return tree.totals.get(by, nothing), tree.selves.get(by, nothing)


def _largest(total: Longs, parent: Ints, most: int) -> Longs:
    """The nodes with the largest totals, and all above them; ascending."""
    is_kept = np.zeros(len(total), np.bool_)
    is_kept[np.argsort(-total, kind="stable")[: max(most, 1)]] = True
    frontier = np.flatnonzero(is_kept)
    while len(frontier):
        above = np.unique(parent[frontier])
        frontier = above[(above != NOTHING) & ~is_kept[above]]
        is_kept[frontier] = True
    return np.flatnonzero(is_kept)


def _activity(number: int) -> str:
    return Activity(number).name.lower() if number in list(Activity) else "other"
