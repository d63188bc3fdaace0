"""Memory over time: curves, peaks, owners of the memory alive at a peak, and leaks across steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Final, TypedDict, cast

import numpy as np

from mindinsight_like.profiler.analysis.advice import memory_of_device
from mindinsight_like.profiler.analysis.columns import grouping
from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS, Columns
from mindinsight_like.profiler.analysis.columns.downsampling import downsample
from mindinsight_like.profiler.analysis.columns.tables import Table, TableColumn, columns_of, page, rows_of
from mindinsight_like.profiler.traces.trace import NOT_GIVEN, NOTHING, Floats, Longs, Memory

from .blocks import Blocks

_AFTER_STEPS: Final = 2  # what outlives so many more steps was meant to stay, or is forgotten
_LEAST_JUDGED: Final = 3
_MOST_LEAKING: Final = 20
_FACTS: Final = ("memory_summary", "memory_details")


class _Peak(TypedDict):
    bytes: int
    time_ns: int
    step: Annotated[int | None, "Number of the step it lies in."]
    reserved: int | None


class MemoryPeak(_Peak, total=False):
    """The highest point of a curve."""

    attributed: Annotated[int, "Bytes whose owner is known; only where single allocations were recorded."]
    unattributed: Annotated[int, "The rest of it."]


@dataclass(frozen=True, kw_only=True)
class MemoryCurve:
    """Memory of a device over time; bytes."""

    device: str
    limit: Annotated[int | None, "Memory of the device in bytes, if known."]
    total: Annotated[int, "Number of points before downsampling."]
    time_ns: list[int]
    allocated: list[int]
    reserved: list[int] | None
    peak: MemoryPeak
    first: int
    last: int
    has_blocks: Annotated[bool, "Whether single allocations were recorded."]


class LeakOwner(TypedDict):
    """Who owns memory that was not freed."""

    owner: str
    bytes: int


@dataclass(frozen=True, kw_only=True)
class MemoryLeak:
    """What steps allocated that was still there two steps later."""

    is_growing: Annotated[bool, "Whether every step but the first, which fills caches, left something behind."]
    steps: Annotated[int, "How many steps were looked at."]
    mean: Annotated[float, "Bytes per step."]
    owners: list[LeakOwner]


@dataclass(frozen=True, kw_only=True)
class MemoryUsage:
    """Memory over time, of all devices."""

    devices: list[MemoryCurve]
    blocks: Annotated[int, "Number of single allocations."]
    leak: Annotated[MemoryLeak | None, "Null where there are too few steps to tell."]
    facts: Annotated[dict[str, Any], "What MindSpore planned for memory, as it wrote it."]


class _OwnedMemory(TypedDict):
    owner: Annotated[str, "The operator, or the name that the recording has; empty where unknown."]
    bytes: int


class MemoryRow(_OwnedMemory, total=False):
    """All of one owner, or a single allocation; `columns` lists the fields that are there."""

    module: str
    count: Annotated[int, "Number of allocations."]
    kept: Annotated[int, "Bytes not freed within the time range."]
    age: Annotated[float | None, "Of the oldest one at the peak; milliseconds."]
    start: Annotated[float | None, "When it was allocated, milliseconds; null if before the recording."]
    lifetime: Annotated[float | None, "Milliseconds; null if it outlived the recording."]
    step: Annotated[float | None, "Number of the step that allocated it."]
    row: Annotated[int, "Slice that owns it; -1 if only its name is known."]


@dataclass(frozen=True, kw_only=True)
class MemoryTable:
    """A page of the owners of memory, or of single allocations."""

    total: Annotated[int, "Number of rows before pagination."]
    columns: list[TableColumn]
    rows: list[MemoryRow]


def usage(columns: Columns, blocks: Blocks, span: tuple[int, int] | None, *, width: int) -> MemoryUsage:
    """Curves of a range of time, or of all of it; see `Analysed.memory`."""
    return MemoryUsage(
        devices=[_device(columns, blocks, memory, _part(memory, span), width) for memory in _curves(columns, blocks)],
        blocks=len(blocks.begin),
        leak=_leak(columns, blocks),
        facts={name: columns.trace.facts[name] for name in _FACTS if name in columns.trace.facts},
    )


def _curves(columns: Columns, blocks: Blocks) -> list[Memory]:
    """Totals as the profiler noted them, or else the sums of single allocations."""
    recorded = [memory for memory in columns.trace.memory if np.any(memory.allocated != NOT_GIVEN)]
    if recorded:
        return recorded
    curves = []
    for device in np.unique(blocks.device_of_event).tolist():
        at = np.flatnonzero(blocks.device_of_event == device)
        sums = np.cumsum(blocks.size_of_event[at])
        # What was freed without having been allocated was there before.
        sums -= min(int(sums.min()), 0)
        name = columns.trace.texts[device]
        curves.append(Memory(name, blocks.time[at], sums, np.full(len(at), NOT_GIVEN, np.int64)))
    return curves


def _part(memory: Memory, span: tuple[int, int] | None) -> Memory:
    """The curve in a range of time, with its neighbours on either side."""
    if span is None:
        return memory
    first, last = np.searchsorted(memory.time, span[0]), np.searchsorted(memory.time, span[1], "right")
    part = slice(max(int(first) - 1, 0), int(last) + 1)
    return Memory(memory.device, memory.time[part], memory.allocated[part], memory.reserved[part])


def _device(columns: Columns, blocks: Blocks, memory: Memory, window: Memory, width: int) -> MemoryCurve:
    has_reserved = bool(np.any(memory.reserved != NOT_GIVEN))
    positions = downsample(window.time, window.allocated, width)
    if has_reserved:
        positions = np.union1d(positions, downsample(window.time, window.reserved, width))
    own = _text_of(columns, blocks, memory.device)
    return MemoryCurve(
        device=memory.device,
        limit=memory_of_device(columns.trace.facts, memory.device),
        total=len(memory.time),
        time_ns=window.time[positions].tolist(),
        allocated=window.allocated[positions].tolist(),
        reserved=window.reserved[positions].tolist() if has_reserved else None,
        peak=_peak(columns, blocks, memory, own, has_reserved=has_reserved),
        first=int(memory.allocated[0]),
        last=int(memory.allocated[-1]),
        has_blocks=own is not None,
    )


def _peak(columns: Columns, blocks: Blocks, memory: Memory, own: int | None, *, has_reserved: bool) -> MemoryPeak:
    """`own`: the device of the blocks that the curve is about, if there are any."""
    at = int(np.argmax(memory.allocated))
    step = _step_at(columns, memory.time[at : at + 1])[0]
    peak: MemoryPeak = {
        "bytes": int(memory.allocated[at]),
        "time_ns": int(memory.time[at]),
        "step": None if np.isnan(step) else int(step),
        "reserved": int(memory.reserved.max()) if has_reserved else None,
    }
    if own is not None:
        alive = np.flatnonzero(blocks.alive_at(_event_at(blocks, own, int(memory.time[at]))) & (blocks.device == own))
        peak["attributed"] = int(blocks.bytes[alive].sum())
        peak["unattributed"] = max(peak["bytes"] - peak["attributed"], 0)
    return peak


def _text_of(columns: Columns, blocks: Blocks, device: str) -> int | None:
    """The device of blocks that a curve is about: "NPU:0" is that of "NPU 0 PTA"."""
    names = {number: columns.trace.texts[number].replace(":", " ") for number in np.unique(blocks.device).tolist()}
    for number, name in names.items():
        if device == name or device.startswith(f"{name} "):
            return int(number)
    return None


def _event_at(blocks: Blocks, device: int, time: int) -> int:
    """The event after which most was allocated at that time; the last one before where nothing happened then."""
    own = np.flatnonzero(blocks.device_of_event == device)
    first, last = np.searchsorted(blocks.time[own], time), np.searchsorted(blocks.time[own], time, "right")
    if first == last:
        return int(own[first - 1]) if first else -1
    return int(own[first + int(np.argmax(np.cumsum(blocks.size_of_event[own[first:last]])))])


def _step_at(columns: Columns, time: Longs) -> Floats:
    """The numbers of the steps that these times lie in, NaN where in none."""
    table = columns.steps
    if not len(table):
        return np.full(len(time), np.nan)
    at = np.searchsorted(table.begin, time, "right") - 1
    return np.where((at >= 0) & (time < table.end[at]), table.number[at].astype(np.float64), np.nan)


def owners(
    columns: Columns, blocks: Blocks, device: str, span: tuple[int, int] | None, *, sort: str, offset: int, limit: int
) -> MemoryTable:
    """Who owns the memory that was alive at the peak, or what was allocated in a range of time."""
    chosen, event = _chosen(columns, blocks, device, span)
    number, (owner, module) = _groups(blocks, chosen)
    size = blocks.bytes[chosen]
    texts = np.array([*columns.trace.texts, ""], object)
    table: Table = {"owner": texts[owner]}
    if (module != NOTHING).any():
        table["module"] = texts[module]
    table["bytes"] = grouping.add_up(number, len(owner), size)
    table["count"] = np.bincount(number, minlength=len(owner))
    if span is not None:
        stays = blocks.end[chosen] > event
        table["kept"] = grouping.add_up(number, len(owner), np.where(stays, size, 0))
    elif len(chosen):
        age = np.where(
            blocks.begin[chosen] >= 0, (blocks.time[max(event, 0)] - blocks.begin_time()[chosen]) / NS_PER_MS, np.nan
        )
        oldest = np.full(len(owner), -np.inf)
        np.fmax.at(oldest, number, age)
        table["age"] = np.where(np.isinf(oldest), np.nan, oldest)
    return _table(table, sort, offset, limit)


def _groups(blocks: Blocks, chosen: Longs) -> tuple[Any, tuple[Any, Any]]:
    """The group of each block by owner and module, and these of each group."""
    none = np.full(len(chosen), NOTHING, np.int32)
    number, keys = grouping.group(np.zeros(len(chosen), np.uint8), blocks.owner[chosen], blocks.module[chosen], none)
    return number, (keys.name, keys.type)


def single(
    columns: Columns, blocks: Blocks, device: str, span: tuple[int, int] | None, *, sort: str, offset: int, limit: int
) -> MemoryTable:
    """Single blocks: alive at the peak, or allocated in a range of time."""
    chosen, _ = _chosen(columns, blocks, device, span)
    texts = np.array([*columns.trace.texts, ""], object)
    is_known, is_freed = blocks.begin[chosen] >= 0, blocks.end[chosen] < len(blocks.time)
    begin, end = blocks.begin_time()[chosen], blocks.end_time()[chosen]
    table: Table = {"owner": texts[blocks.owner[chosen]]}
    if (blocks.module[chosen] != NOTHING).any():
        table["module"] = texts[blocks.module[chosen]]
    table |= {
        "bytes": blocks.bytes[chosen],
        "start": np.where(is_known, begin / NS_PER_MS, np.nan),
        "lifetime": np.where(is_known & is_freed, (end - begin) / NS_PER_MS, np.nan),
    }
    if len(columns.steps):
        table["step"] = _step_at(columns, begin)
    table["row"] = blocks.row[chosen]
    return _table(table, sort, offset, limit)


def _chosen(columns: Columns, blocks: Blocks, device: str, span: tuple[int, int] | None) -> tuple[Longs, int]:
    """The blocks that a question is about, and the event it looks from."""
    memory = next((memory for memory in _curves(columns, blocks) if memory.device == device), None)
    own = _text_of(columns, blocks, device) if memory is not None else None
    if memory is None or own is None:
        raise ValueError(f"no allocations recorded for device {device!r}")
    if span is None:
        event = _event_at(blocks, own, int(memory.time[np.argmax(memory.allocated)]))
        return np.flatnonzero(blocks.alive_at(event) & (blocks.device == own)), event
    first, last = np.searchsorted(blocks.time, span[0]), np.searchsorted(blocks.time, span[1], "right")
    is_in = (blocks.begin >= first) & (blocks.begin < last) & (blocks.device == own)
    return np.flatnonzero(is_in), int(last) - 1


def _table(table: Table, sort: str, offset: int, limit: int) -> MemoryTable:
    rows = cast(list[MemoryRow], rows_of(page(table, sort, offset, limit)))
    return MemoryTable(total=len(table["owner"]), columns=columns_of(table), rows=rows)


def _leak(columns: Columns, blocks: Blocks) -> MemoryLeak | None:
    """What steps allocated that was still there two steps later; None where there are too few steps to tell."""
    table = columns.steps
    judged = len(table) - _AFTER_STEPS
    if judged < _LEAST_JUDGED or not len(blocks.begin):
        return None
    begin, end = blocks.begin_time(), blocks.end_time()
    at = np.searchsorted(table.begin, begin, "right") - 1
    is_in = (blocks.begin >= 0) & (at >= 0) & (at < judged) & (begin < table.end[at])
    later = table.end[np.clip(at + _AFTER_STEPS, 0, len(table) - 1)]
    stays = np.flatnonzero(is_in & ((blocks.end == len(blocks.time)) | (end > later)))
    left = grouping.add_up(at[stays].astype(np.int32), judged, blocks.bytes[stays])
    stays = stays[at[stays] > 0]
    number, (owner, _) = _groups(blocks, stays)
    texts = [*columns.trace.texts, ""]
    sizes = grouping.add_up(number, len(owner), blocks.bytes[stays])
    order = np.argsort(-sizes, kind="stable")[:_MOST_LEAKING]
    return MemoryLeak(
        is_growing=bool((left[1:] > 0).all()),
        steps=judged,
        mean=float(left[1:].mean()),
        owners=[{"owner": texts[owner[group]], "bytes": int(sizes[group])} for group in order.tolist()],
    )
