"""Operator tables by type, name, shape or execution: counts, total and self times."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any, Final, cast

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.profiler.analysis.columns import grouping
from mindinsight_like.profiler.analysis.columns.columns import LAYER_SIDE, NS_PER_MS, SIDES, Columns, Groups
from mindinsight_like.profiler.analysis.columns.repeats import is_counted
from mindinsight_like.profiler.analysis.columns.tables import Table, columns_of, matches, page, rows_of
from mindinsight_like.profiler.traces.trace import NOTHING

from . import flops, operator_info, printed_sums, utilisation
from .operator_table import OperatorRow, OperatorTable, SideTotals

KEYS: Final = {"type": ("type",), "name": ("name", "type"), "shape": ("name", "type", "shape")}
_DEVICE: Final = ("device_total", "device_self", "kernels")
_FLOPS: Final = ("flops", "tflops", "flops_rule", "utilisation", "peak")
_FLOPS_PER_MS: Final = 1e9  # of a TFLOP/s


@dataclass(frozen=True)
class OperatorQuery:
    """A question for a table; see `Analysed.operators`."""

    by: str
    side: str = ""
    type: str | None = None
    name: str | None = None
    search: str = ""
    sort: str = "-self"
    offset: int = 0
    limit: int | None = 100


def table(columns: Columns, query: OperatorQuery) -> OperatorTable:
    """The page of a table that a query asks for; see `Analysed.operators`."""
    if query.by == "instance":
        return _instances(columns, query)
    sums = summed(columns, query)
    at = np.flatnonzero(matches(query.search, [sums[key] for key in KEYS[query.by]]))
    sums = {name: column[at] for name, column in sums.items()}
    page_sums = page(sums, query.sort, query.offset, query.limit)
    return OperatorTable(total=len(at), sides=sides(columns), columns=columns_of(sums), rows=operator_rows(page_sums))


def operator_rows(table: Table) -> list[OperatorRow]:
    """A dictionary for each row of a table of operators."""
    return cast(list[OperatorRow], rows_of(table))


def summed(columns: Columns, query: OperatorQuery) -> Table:
    """All rows by type, name or shape that are asked for, whatever they are searched for, in no order."""
    if query.by not in KEYS:
        raise ValueError(f"operators can be grouped by type, name, shape or instance, not by {query.by}")
    sums = by_groups(columns, replace_groups(columns.groups, _chosen(columns, query, search="")), query.by)
    for name, texts in printed_sums.table(columns, query.by, _printed_filter(query)).items():
        sums[name] = np.concatenate((sums[name], texts)) if name in sums else texts
    length = len(sums["count"])
    for name in _DEVICE:  # what a tool printed says nothing of launches
        if name in sums:
            sums[name] = np.concatenate((sums[name], np.zeros(length - len(sums[name]))))
    more: Table = {}
    for name in _FLOPS:
        if name in sums:
            unknown = np.array([""], object) if sums[name].dtype == object else np.array([np.nan])
            values = sums.pop(name)  # they stand behind all others
            more[name] = np.concatenate((values, np.repeat(unknown, length - len(values))))
    sums["share"] = _shares(sums["self"], sums["side"], columns)
    sums |= more
    if query.by != "type":
        sums |= operator_info.columns_for(columns, sums["name"])
    return sums


def sides(columns: Columns) -> list[SideTotals]:
    """Each side with the sums over all of it, in a fixed order."""
    groups = columns.groups
    rows: list[SideTotals] = []
    for number, side in enumerate(SIDES):
        here = groups.side == number
        if number != LAYER_SIDE and here.any():
            total, own = int(groups.total[here].sum()) / NS_PER_MS, int(groups.self_time[here].sum()) / NS_PER_MS
            rows.append({"side": side, "total": total, "self": own, "count": int(groups.count[here].sum())})
    return rows + printed_sums.sides(columns)


def replace_groups(groups: Groups, at: NDArray[np.integer[Any]]) -> Groups:
    """Some of the groups."""
    return Groups(*(getattr(groups, field.name)[at] for field in fields(groups)))


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
    number, group_keys = grouping.group(groups.side, *keys)
    side = group_keys.side
    columns_by_key = {"type": group_keys.type, "name": group_keys.name, "shape": group_keys.shape}
    sums: Table = {key: texts[columns_by_key[key]] for key in KEYS[by]}
    sums["side"] = np.array(SIDES, object)[side]
    sums["count"] = grouping.add_up(number, len(side), groups.count)
    for column, times in (("total", groups.total), ("self", groups.self_time)):
        sums[column] = grouping.add_up(number, len(side), times) / NS_PER_MS
    sums["mean"] = sums["total"] / np.maximum(sums["count"], 1)
    shortest = np.full(len(side), np.iinfo(np.int64).max)
    longest = np.zeros(len(side), np.int64)
    np.minimum.at(shortest, number, groups.shortest)
    np.maximum.at(longest, number, groups.longest)
    sums["min"], sums["max"] = shortest / NS_PER_MS, longest / NS_PER_MS
    if columns.has_launches():
        sums["device_total"] = grouping.add_up(number, len(side), groups.device_total) / NS_PER_MS
        sums["device_self"] = grouping.add_up(number, len(side), groups.device_self) / NS_PER_MS
        sums["kernels"] = grouping.add_up(number, len(side), groups.kernels)
    if by == "shape":
        _add_flops(sums, columns, groups, number)
    return sums


def _add_flops(table: Table, columns: Columns, groups: Groups, number: NDArray[np.integer[Any]]) -> None:
    """Columns of floating point operations, where shapes tell them of any row."""
    single, rules = flops.of_groups(columns, groups)
    counted = np.flatnonzero(~np.isnan(single))
    if not len(counted):
        return
    sums = np.full(len(table["count"]), np.nan)
    sums[number[counted]] = 0
    np.add.at(sums, number[counted], single[counted] * groups.count[counted])
    table["flops"], table["tflops"] = sums, _tflops(sums, table)
    table["flops_rule"] = np.full(len(sums), "", object)
    table["flops_rule"][number[counted]] = np.array(rules, object)[counted]
    peaks, names = utilisation.peaks_of_groups(columns, groups, single)
    if not np.isnan(peaks).all():
        group = np.empty(len(sums), np.int64)
        group[number] = np.arange(len(number))  # by shape, each row is one group
        time = utilisation.device_time(table["side"] == "device", table["total"], table.get("device_total"))
        table |= _utilisation(sums, time, peaks[group], np.array(names, object)[group])


def _utilisation(operations: NDArray[Any], time: NDArray[Any], peaks: NDArray[Any], names: NDArray[Any]) -> Table:
    """Columns of the share of the device's peak and of the peak's name."""
    reached = utilisation.share(operations, time, peaks)
    return {"utilisation": reached, "peak": np.where(np.isnan(reached), "", names)}


def _tflops(operations: NDArray[Any], table: Table) -> NDArray[Any]:
    """By the time on the device where there is any, else by that of the operator itself."""
    time = (
        np.where(table["device_total"] > 0, table["device_total"], table["total"])
        if "device_total" in table
        else table["total"]
    )
    rate: NDArray[Any] = np.divide(
        operations, time * _FLOPS_PER_MS, out=np.full(len(operations), np.nan), where=time > 0
    )
    return rate


def _chosen(columns: Columns, query: OperatorQuery, *, search: str) -> NDArray[np.int64]:
    """The groups that a question is about."""
    groups, texts = columns.groups, columns.trace.texts
    is_chosen = (groups.side != LAYER_SIDE) & (groups.count > 0)
    if query.side:
        is_chosen &= groups.side == (SIDES.index(query.side) if query.side in SIDES else LAYER_SIDE)
    for exact, column in ((query.type, groups.type), (query.name, groups.name)):
        if exact is not None:
            numbers = [number for number, text in enumerate(texts) if text == exact]
            is_chosen &= np.isin(column, numbers)
    for word in search.lower().split():
        has_word = np.array([*(word in text for text in columns.lower_texts), False])
        is_chosen &= has_word[groups.name] | has_word[groups.type] | has_word[groups.shape]
    return np.flatnonzero(is_chosen)


def _printed_filter(query: OperatorQuery) -> printed_sums.Filter:
    return printed_sums.Filter(query.side, query.type, query.name)


def rows_of_groups(columns: Columns, chosen: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """The rows of some groups, in no order."""
    rows, bounds = columns.postings.rows, columns.postings.bounds
    if 2 * int((bounds[chosen + 1] - bounds[chosen]).sum()) > len(columns.rows):
        # Most of them: reading through is quicker than gathering.
        is_chosen = np.zeros(len(bounds) - 1, np.bool_)
        is_chosen[chosen] = True
        return np.flatnonzero(is_chosen[columns.rows.group]).astype(np.int32)
    return np.concatenate([np.empty(0, np.int32), *(rows[bounds[at] : bounds[at + 1]] for at in chosen.tolist())])


def _instances(columns: Columns, query: OperatorQuery) -> OperatorTable:
    rows, texts = columns.rows, columns.trace.texts
    at = rows_of_groups(columns, _chosen(columns, query, search=query.search))
    if len(columns.repeats):
        at = at[is_counted(columns.repeats, len(rows))[at]]
    by, is_falling = query.sort.removeprefix("-"), query.sort.startswith("-")
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
    is_scoped = operator_info.has_scopes(texts[name] for name in np.unique(columns.names_of(at)).tolist())
    short_names = [operator_info.short_name(text) for text in texts] if is_scoped else []
    if is_scoped:
        texts_of["short_name"] = columns.names_of
    single, rules = flops.of_groups(columns, columns.groups)
    has_flops = bool(np.any(~np.isnan(single[rows.group[at]])))
    of_flops = _flops_of_rows(columns, at, single, rules) if has_flops and by in _FLOPS else {}
    if by not in sortable and by not in texts_of and by not in of_flops:
        raise ValueError(f"unknown sort column {by}")
    if by in of_flops:
        keys = of_flops[by]
        keys = _ranks(keys) if keys.dtype == object else np.nan_to_num(keys)
    elif by in texts_of:
        rank = np.empty(len(texts) + 1, np.int64)
        lower = [text.lower() for text in short_names] if by == "short_name" else columns.lower_texts
        rank[np.array(sorted(range(len(texts)), key=lower.__getitem__), np.int64)] = np.arange(len(texts))
        rank[NOTHING] = -1
        keys = rank[texts_of[by](at)]
    else:
        keys = at if sortable[by] is None else sortable[by][at]
    page_rows = at[first_of(-keys if is_falling else keys, at, query.offset, query.limit)]
    side = np.array(SIDES, object)[columns.groups.side[rows.group[page_rows]]]
    own = rows.self_time[page_rows] / NS_PER_MS
    names = np.array([*texts, ""], object)
    table: Table = {
        "row": page_rows,
        **{name: names[numbers(page_rows)] for name, numbers in texts_of.items() if name != "short_name"},
        "side": side,
        "track": columns.tracks_of(page_rows),
        "start": rows.start[page_rows] / NS_PER_MS,
        "total": rows.duration[page_rows] / NS_PER_MS,
        "self": own,
        "share": _shares(own, side, columns),
    }
    if columns.has_launches():
        table["device_total"] = columns.launched.time[page_rows] / NS_PER_MS
        table["kernels"] = columns.launched.kernels[page_rows]
    if has_flops:
        table |= _flops_of_rows(columns, page_rows, single, rules)
    if is_scoped:
        table["short_name"] = np.array([*short_names, ""], object)[columns.names_of(page_rows)]
    return OperatorTable(total=len(at), sides=sides(columns), columns=columns_of(table), rows=operator_rows(table))


def _flops_of_rows(columns: Columns, at: NDArray[np.int32], single: NDArray[Any], rules: list[str]) -> Table:
    """Columns of floating point operations of some rows, by those of their groups."""
    rows, group = columns.rows, columns.rows.group[at]
    times: Table = {"total": rows.duration[at] / NS_PER_MS}
    if columns.has_launches():
        times["device_total"] = columns.launched.time[at] / NS_PER_MS
    table = {
        "flops": single[group],
        "tflops": _tflops(single[group], times),
        "flops_rule": np.array(rules, object)[group],
    }
    peaks, names = utilisation.peaks_of_groups(columns, columns.groups, single)
    if not np.isnan(peaks).all():
        is_on_device = columns.groups.side[group] == SIDES.index("device")
        time = utilisation.device_time(is_on_device, times["total"], times.get("device_total"))
        table |= _utilisation(table["flops"], time, peaks[group], np.array(names, object)[group])
    return table


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
    end = len(keys) if limit is None else min(offset + max(limit, 0), len(keys))
    if end <= offset:
        return np.empty(0, np.int64)
    candidates = np.arange(len(keys))
    if end < len(keys) // 4:
        border = np.partition(keys, end - 1)[end - 1]
        candidates = np.flatnonzero(keys <= border)
    order = np.lexsort((rows[candidates], keys[candidates]))
    return np.asarray(candidates[order][offset:end], np.int64)
