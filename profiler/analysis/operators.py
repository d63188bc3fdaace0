"""Operators by type, name, shape and execution: how often, how long, how much of it their own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.traces.trace import NOTHING

from . import flops, grouping, printed_sums, utilisation
from .columns import LAYER_SIDE, NS_PER_MS, SIDES, Columns, Groups
from .repeats import is_counted
from .tables import Table, columns_of, matches, page, rows_of

KEYS: Final = {"type": ("type",), "name": ("name", "type"), "shape": ("name", "type", "shape")}
_DEVICE: Final = ("device_total", "device_self", "kernels")
_FLOPS: Final = ("flops", "tflops", "flops_rule", "utilisation", "peak")
_FLOPS_PER_MS: Final = 1e9  # of a TFLOP/s


@dataclass(frozen=True)
class Asked:
    """A question for a table; see `Analysed.operators`."""

    by: str
    side: str = ""
    type: str | None = None
    name: str | None = None
    search: str = ""
    sort: str = "-self"
    offset: int = 0
    limit: int | None = 100


def table(columns: Columns, asked: Asked) -> dict[str, Any]:
    """The answer of `Analysed.operators`."""
    if asked.by == "instance":
        return _instances(columns, asked)
    found = summed(columns, asked)
    at = np.flatnonzero(matches(asked.search, [found[key] for key in KEYS[asked.by]]))
    found = {name: column[at] for name, column in found.items()}
    shown = page(found, asked.sort, asked.offset, asked.limit)
    return {"total": len(at), "sides": sides(columns), "columns": columns_of(found), "rows": rows_of(shown)}


def summed(columns: Columns, asked: Asked) -> Table:
    """All rows by type, name or shape that are asked for, whatever they are searched for, in no order."""
    if asked.by not in KEYS:
        raise ValueError(f"operators are grouped by type, name, shape or instance, not by {asked.by}")
    found = by_groups(columns, replace_groups(columns.groups, _chosen(columns, asked, search="")), asked.by)
    for name, texts in printed_sums.table(columns, asked.by, _printed_filter(asked)).items():
        found[name] = np.concatenate((found[name], texts)) if name in found else texts
    length = len(found["count"])
    for name in _DEVICE:  # what a tool printed says nothing of launches
        if name in found:
            found[name] = np.concatenate((found[name], np.zeros(length - len(found[name]))))
    more: Table = {}
    for name in _FLOPS:
        if name in found:
            unknown = np.array([""], object) if found[name].dtype == object else np.array([np.nan])
            known = found.pop(name)  # they stand behind all others
            more[name] = np.concatenate((known, np.repeat(unknown, length - len(known))))
    found["share"] = _shares(found["self"], found["side"], columns)
    found |= more
    return found


def sides(columns: Columns) -> list[dict[str, Any]]:
    """Each side with the sums over all of it, in a fixed order."""
    groups = columns.groups
    found: list[dict[str, Any]] = []
    for number, side in enumerate(SIDES):
        here = groups.side == number
        if number != LAYER_SIDE and here.any():
            total, own = int(groups.total[here].sum()) / NS_PER_MS, int(groups.self_time[here].sum()) / NS_PER_MS
            found.append({"side": side, "total": total, "self": own, "count": int(groups.count[here].sum())})
    return found + printed_sums.sides(columns)


def replace_groups(groups: Groups, at: NDArray[np.integer[Any]]) -> Groups:
    """Some of the groups."""
    return Groups(*(column[at] for column in vars(groups).values()))


def by_groups(columns: Columns, groups: Groups, by: str) -> Table:
    """Sums over groups with the same key, in milliseconds; without share."""
    texts = np.array([*columns.trace.texts, ""], object)  # the last one for NOTHING
    none = np.full(len(groups.side), NOTHING, np.int32)
    # A name has one type as a rule; where it has several, each is a row of its own.
    keys = {
        "type": (none, groups.type, none),
        "name": (groups.name, groups.type, none),
        "shape": (groups.name, groups.type, groups.shape),
    }[by]
    number, (side, name, type, shape) = grouping.group(groups.side, *keys)
    columns_by_key = {"type": type, "name": name, "shape": shape}
    found: Table = {key: texts[columns_by_key[key]] for key in KEYS[by]}
    found["side"] = np.array(SIDES, object)[side]
    found["count"] = grouping.add_up(number, len(side), groups.count)
    for column, times in (("total", groups.total), ("self", groups.self_time)):
        found[column] = grouping.add_up(number, len(side), times) / NS_PER_MS
    found["mean"] = found["total"] / np.maximum(found["count"], 1)
    shortest = np.full(len(side), np.iinfo(np.int64).max)
    longest = np.zeros(len(side), np.int64)
    np.minimum.at(shortest, number, groups.shortest)
    np.maximum.at(longest, number, groups.longest)
    found["min"], found["max"] = shortest / NS_PER_MS, longest / NS_PER_MS
    if columns.has_launches():
        found["device_total"] = grouping.add_up(number, len(side), groups.device_total) / NS_PER_MS
        found["device_self"] = grouping.add_up(number, len(side), groups.device_self) / NS_PER_MS
        found["kernels"] = grouping.add_up(number, len(side), groups.kernels)
    if by == "shape":
        _add_flops(found, columns, groups, number)
    return found


def _add_flops(found: Table, columns: Columns, groups: Groups, number: NDArray[np.integer[Any]]) -> None:
    """Columns of floating point operations, where shapes tell them of any row."""
    single, rules = flops.of_groups(columns, groups)
    known = np.flatnonzero(~np.isnan(single))
    if not len(known):
        return
    sums = np.full(len(found["count"]), np.nan)
    sums[number[known]] = 0
    np.add.at(sums, number[known], single[known] * groups.count[known])
    found["flops"], found["tflops"] = sums, _tflops(sums, found)
    found["flops_rule"] = np.full(len(sums), "", object)
    found["flops_rule"][number[known]] = np.array(rules, object)[known]
    peaks, names = utilisation.peaks_of_groups(columns, groups, single)
    if not np.isnan(peaks).all():
        group = np.empty(len(sums), np.int64)
        group[number] = np.arange(len(number))  # by shape, each row is one group
        time = utilisation.device_time(found["side"] == "device", found["total"], found.get("device_total"))
        found |= _utilisation(sums, time, peaks[group], np.array(names, object)[group])


def _utilisation(operations: NDArray[Any], time: NDArray[Any], peaks: NDArray[Any], names: NDArray[Any]) -> Table:
    """Columns of the share of the device's peak and of the peak's name."""
    reached = utilisation.share(operations, time, peaks)
    return {"utilisation": reached, "peak": np.where(np.isnan(reached), "", names)}


def _tflops(operations: NDArray[Any], found: Table) -> NDArray[Any]:
    """By the time on the device where there is any, else by that of the operator itself."""
    time = (
        np.where(found["device_total"] > 0, found["device_total"], found["total"])
        if "device_total" in found
        else found["total"]
    )
    rate: NDArray[Any] = np.divide(
        operations, time * _FLOPS_PER_MS, out=np.full(len(operations), np.nan), where=time > 0
    )
    return rate


def _chosen(columns: Columns, asked: Asked, *, search: str) -> NDArray[np.int64]:
    """The groups that a question is about."""
    groups, texts = columns.groups, columns.trace.texts
    is_chosen = (groups.side != LAYER_SIDE) & (groups.count > 0)
    if asked.side:
        is_chosen &= groups.side == (SIDES.index(asked.side) if asked.side in SIDES else LAYER_SIDE)
    for wanted, column in ((asked.type, groups.type), (asked.name, groups.name)):
        if wanted is not None:
            numbers = [number for number, text in enumerate(texts) if text == wanted]
            is_chosen &= np.isin(column, numbers)
    for word in search.lower().split():
        has_word = np.array([*(word in text for text in columns.lower_texts), False])
        is_chosen &= has_word[groups.name] | has_word[groups.type] | has_word[groups.shape]
    return np.flatnonzero(is_chosen)


def _printed_filter(asked: Asked) -> printed_sums.Filter:
    return printed_sums.Filter(asked.side, asked.type, asked.name)


def rows_of_groups(columns: Columns, chosen: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """The rows of some groups, in no order."""
    rows, bounds = columns.postings.rows, columns.postings.bounds
    if 2 * int((bounds[chosen + 1] - bounds[chosen]).sum()) > len(columns.rows):
        # Most of them: reading through is quicker than gathering.
        is_chosen = np.zeros(len(bounds) - 1, np.bool_)
        is_chosen[chosen] = True
        return np.flatnonzero(is_chosen[columns.rows.group]).astype(np.int32)
    return np.concatenate([np.empty(0, np.int32), *(rows[bounds[at] : bounds[at + 1]] for at in chosen.tolist())])


def _instances(columns: Columns, asked: Asked) -> dict[str, Any]:
    rows, texts = columns.rows, columns.trace.texts
    at = rows_of_groups(columns, _chosen(columns, asked, search=asked.search))
    if len(columns.repeats):
        at = at[is_counted(columns.repeats, len(rows))[at]]
    by, is_falling = asked.sort.removeprefix("-"), asked.sort.startswith("-")
    sortable: dict[str, Any] = {
        "self": rows.self_time,
        "share": rows.self_time,
        "total": rows.duration,
        "start": rows.start,
        "row": None,
        "track": None,  # rows are in the order of tracks
    }
    texts_of = {"name": columns.names_of, "type": columns.types_of, "shape": columns.shapes_of}
    if columns.has_launches():
        sortable |= {"device_total": columns.launched.time, "kernels": columns.launched.kernels}
    single, rules = flops.of_groups(columns, columns.groups)
    has_flops = bool(np.any(~np.isnan(single[rows.group[at]])))
    of_flops = _flops_of_rows(columns, at, single, rules) if has_flops and by in _FLOPS else {}
    if by not in sortable and by not in texts_of and by not in of_flops:
        raise ValueError(f"there is no column {by} to sort by")
    if by in of_flops:
        keys = of_flops[by]
        keys = _ranks(keys) if keys.dtype == object else np.nan_to_num(keys)
    elif by in texts_of:
        rank = np.empty(len(texts) + 1, np.int64)
        rank[np.array(sorted(range(len(texts)), key=columns.lower_texts.__getitem__), np.int64)] = np.arange(len(texts))
        rank[NOTHING] = -1
        keys = rank[texts_of[by](at)]
    else:
        keys = at if sortable[by] is None else sortable[by][at]
    shown = at[first_of(-keys if is_falling else keys, at, asked.offset, asked.limit)]
    side = np.array(SIDES, object)[columns.groups.side[rows.group[shown]]]
    own = rows.self_time[shown] / NS_PER_MS
    names = np.array([*texts, ""], object)
    found: Table = {
        "row": shown,
        **{name: names[numbers(shown)] for name, numbers in texts_of.items()},
        "side": side,
        "track": columns.tracks_of(shown),
        "start": rows.start[shown] / NS_PER_MS,
        "total": rows.duration[shown] / NS_PER_MS,
        "self": own,
        "share": _shares(own, side, columns),
    }
    if columns.has_launches():
        found["device_total"] = columns.launched.time[shown] / NS_PER_MS
        found["kernels"] = columns.launched.kernels[shown]
    if has_flops:
        found |= _flops_of_rows(columns, shown, single, rules)
    return {"total": len(at), "sides": sides(columns), "columns": columns_of(found), "rows": rows_of(found)}


def _flops_of_rows(columns: Columns, at: NDArray[np.int32], single: NDArray[Any], rules: list[str]) -> Table:
    """Columns of floating point operations of some rows, by those of their groups."""
    rows, group = columns.rows, columns.rows.group[at]
    times: Table = {"total": rows.duration[at] / NS_PER_MS}
    if columns.has_launches():
        times["device_total"] = columns.launched.time[at] / NS_PER_MS
    found = {
        "flops": single[group],
        "tflops": _tflops(single[group], times),
        "flops_rule": np.array(rules, object)[group],
    }
    peaks, names = utilisation.peaks_of_groups(columns, columns.groups, single)
    if not np.isnan(peaks).all():
        is_on_device = columns.groups.side[group] == SIDES.index("device")
        time = utilisation.device_time(is_on_device, times["total"], times.get("device_total"))
        found |= _utilisation(found["flops"], time, peaks[group], np.array(names, object)[group])
    return found


def _ranks(texts: NDArray[Any]) -> NDArray[np.int64]:
    """Numbers in the order of texts of which there are few different ones: quicker than sorting objects."""
    ranks = np.zeros(len(texts), np.int64)
    for rank, text in enumerate(sorted(set(texts.tolist()))):
        ranks[texts == text] = rank
    return ranks


def _shares(own: NDArray[Any], side: NDArray[Any], columns: Columns) -> NDArray[Any]:
    totals = {entry["side"]: entry["self"] or 1.0 for entry in sides(columns)}
    return own / np.array([totals[name] for name in side], np.float64)


def first_of(
    keys: NDArray[np.integer[Any]], rows: NDArray[np.int32], offset: int, limit: int | None
) -> NDArray[np.int64]:
    """Positions of a page in order of keys, then rows, without sorting all of them."""
    offset = max(offset, 0)
    wanted = len(keys) if limit is None else min(offset + max(limit, 0), len(keys))
    if wanted <= offset:
        return np.empty(0, np.int64)
    candidates = np.arange(len(keys))
    if wanted < len(keys) // 4:
        border = np.partition(keys, wanted - 1)[wanted - 1]
        candidates = np.flatnonzero(keys <= border)
    order = np.lexsort((rows[candidates], keys[candidates]))
    return np.asarray(candidates[order][offset:wanted], np.int64)
