"""Grouping of equal slices and sums over groups: the Python reference."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import NOTHING, Bytes, Ints, Longs


def look_up(row: Ints, column: Bytes, table: Bytes) -> Bytes:
    """What the cells of a table with 256 columns say that lie in these rows and columns."""
    if len(row) != len(column) or table.shape[1] != 256:
        raise ValueError("columns of different lengths")
    if len(row) and not 0 <= int(row.min()) <= int(row.max()) < len(table):
        raise ValueError("a row that does not exist")
    return np.asarray(table[row, column], np.uint8)


def group(side: Bytes, name: Ints, type: Ints, shape: Ints) -> tuple[Ints, tuple[Bytes, Ints, Ints, Ints]]:
    """For each row the number of its group, counted as they first come; and side, name, type, shape of each group."""
    if not len(side) == len(name) == len(type) == len(shape):
        raise ValueError("columns of different lengths")
    keys = np.stack((side, name, type, shape), axis=1).astype(np.int32)
    _, first, number = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    renumbered = np.empty(len(first), np.int32)
    renumbered[np.argsort(first)] = np.arange(len(first), dtype=np.int32)
    first = np.sort(first)
    return renumbered[number.reshape(-1)], (side[first], name[first], type[first], shape[first])


def agreed(group: Ints, groups: int, values: Ints) -> Ints:
    """The value that all of a group have, NOTHING where they have different ones."""
    _check(group, groups)
    if len(group) != len(values):
        raise ValueError("columns of different lengths")
    common = np.full(groups, NOTHING, np.int32)
    common[group] = values
    common[group[common[group] != values]] = NOTHING
    return common


def sum_groups(
    group: Ints, groups: int, duration: Longs, self_time: Longs | Ints
) -> tuple[Longs, Longs, Longs, Longs, Longs]:
    """For each group: count, sum of durations, sum of self times, shortest and longest duration."""
    _check(group, groups)
    if not len(group) == len(duration) == len(self_time):
        raise ValueError("columns of different lengths")
    total, own = add_up(group, groups, duration), add_up(group, groups, self_time)
    shortest = np.full(groups, np.iinfo(np.int64).max)
    longest = np.full(groups, np.iinfo(np.int64).min)
    np.minimum.at(shortest, group, duration)
    np.maximum.at(longest, group, duration)
    return np.bincount(group, minlength=groups).astype(np.int64), total, own, shortest, longest


def add_up(group: Ints, groups: int, values: Longs | Ints) -> Longs:
    """The sum of the values of each group."""
    _check(group, groups)
    if len(group) != len(values):
        raise ValueError("columns of different lengths")
    sums = np.zeros(groups, np.int64)
    np.add.at(sums, group, values)
    return sums


def postings(group: Ints, groups: int) -> tuple[Ints, Longs]:
    """The rows of all groups, ascending in each, and where each group begins."""
    _check(group, groups)
    bounds = np.zeros(groups + 1, np.int64)
    np.cumsum(np.bincount(group, minlength=groups), out=bounds[1:])
    return np.argsort(group, kind="stable").astype(np.int32), bounds


def outermost(kind: Bytes, parent: Ints, kinds: int) -> tuple[Ints, Longs]:
    """The rows of each kind that lie in no row of the same kind, ascending in each, and where each kind begins.

    What is of a higher kind than that many is left out.
    """
    if len(kind) != len(parent):
        raise ValueError("columns of different lengths")
    if len(parent) and int(parent.max()) >= len(parent):
        raise ValueError("a parent that does not exist")
    rows = np.flatnonzero((kind < kinds) & ((parent < 0) | (kind[parent] != kind)))
    bounds = np.zeros(kinds + 1, np.int64)
    np.cumsum(np.bincount(kind[rows], minlength=kinds), out=bounds[1:])
    return rows[np.argsort(kind[rows], kind="stable")].astype(np.int32), bounds


def call_tree(parent: Ints, name: Ints, activity: Bytes, is_in: NDArray[np.uint8]) -> tuple[Ints, Ints, Ints, Bytes]:
    """Merges the rows that are in and have the same names above them into nodes.

    Gives the node of each row (of the nearest row above for those that are not in, NOTHING for none); and for each
    node, counted as they first come, the node above, the name, the activity.
    """
    if not len(parent) == len(name) == len(activity) == len(is_in):
        raise ValueError("columns of different lengths")
    if np.any(parent >= np.arange(len(parent))):
        raise ValueError("a parent stands behind its child")
    nodes: dict[tuple[int, int, int], int] = {}
    node = np.empty(len(parent), np.int32)
    for row in range(len(parent)):
        above = int(node[parent[row]]) if parent[row] >= 0 else NOTHING
        key = (above, int(name[row]), int(activity[row]))
        node[row] = nodes.setdefault(key, len(nodes)) if is_in[row] else above
    keys = np.array(list(nodes), np.int32).reshape(-1, 3)
    return node, keys[:, 0].copy(), keys[:, 1].copy(), keys[:, 2].astype(np.uint8)


def _check(group: Ints, groups: int) -> None:
    if len(group) and not 0 <= int(group.min()) <= int(group.max()) < groups:
        raise ValueError("a group that does not exist")
