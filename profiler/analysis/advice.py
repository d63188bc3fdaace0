"""What to fix first: rules, each with the numbers that say so and the place to look, never more than the data says.

Shares are of 1 and, where nothing else is said, of the time of a mean step, or of the whole recording where no steps
are known. Words are found elsewhere by the name of the rule: `advice_words` for terminals, the page has its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Final
from urllib.parse import quote

import numpy as np

from mindinsight_like.profiler.traces.trace import NOT_GIVEN, Activity

from . import intervals, pipeline, steps
from .columns import NS_PER_MS, SIDES, Columns
from .medians import median as median_of
from .operators import Asked, rows_of_groups, summed
from .tables import page, rows_of

SEVERITIES: Final = ("high", "medium", "info")
_HIGH: Final = 0.2  # of the time
_INPUT: Final = 0.05
_INTERVAL_MS: Final = 0.5
_COMMUNICATION: Final = 0.1
_LITTLE_HIDDEN: Final = 0.3
_COPIES: Final = 0.1
_IDLE: Final = 0.1
_SMALL_KERNEL_NS: Final = 10_000
_LEAST_KERNELS: Final = 100
_LAUNCHING: Final = 0.3
_OUTSIDE_OPERATORS: Final = 0.3
_ONE_TYPE: Final = 0.5
_HELPERS: Final = 0.05
_UNUSUAL: Final = 0.02
_COMPILING: Final = 0.05
_FULL_MEMORY: Final = 0.9
_BUSY_PROCESSORS: Final = 80  # percent
_ENOUGH_SAMPLES: Final = 10  # of a queue; fewer are told, but prove little
_COMPILERS: Final = re.compile(
    r"backend_compile|xla_?compile|compileandload|client::compile|\bcompile$|compile_(?:inner|fx|time)|frame_compile|"
    r"inductor_compile|trace_to_jaxpr|graphinstantiate|aclgrphbuild|compilegraph",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Advice:
    rule: str
    gain: float  # the share of time that could be saved at most
    numbers: dict[str, Any]
    place: str | None = None
    severity: str = ""  # follows from the gain where it is not said

    def told(self) -> dict[str, Any]:
        found = {"rule": self.rule, "severity": self.level, "numbers": self.numbers}
        return found | ({"place": self.place} if self.place else {})

    @property
    def level(self) -> str:
        return self.severity or ("high" if self.gain >= _HIGH else "medium" if self.gain >= _INPUT else "info")


@dataclass(frozen=True)
class _Known:
    """What several rules look at."""

    columns: Columns
    step: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def parts(self) -> dict[str, float]:
        found: dict[str, float] = self.step.get("parts", {})
        return found

    @cached_property
    def duration(self) -> float:
        """Of a mean measured step in milliseconds: what its parts add up to."""
        return sum(self.parts.values())

    @cached_property
    def wall(self) -> int:
        first, last = self.columns.recorded
        return last - first

    @cached_property
    def compiling(self) -> intervals.Union:
        """When something was compiled, by the names that frameworks give to it."""
        columns, groups = self.columns, self.columns.groups
        names = [number for number, text in enumerate(columns.trace.texts) if _COMPILERS.search(text)]
        chosen = np.flatnonzero(np.isin(groups.name, names) & (groups.side != SIDES.index("layer")))
        rows = rows_of_groups(columns, chosen)
        begin = columns.rows.start[rows]
        return intervals.union(begin, begin + columns.rows.duration[rows])

    def share(self, *parts: str) -> float:
        return sum(self.parts[part] for part in parts) / self.duration if self.duration else 0.0

    def has_side(self, side: str) -> bool:
        groups = self.columns.groups
        return bool(np.any(groups.count[groups.side == SIDES.index(side)] > 0))

    @cached_property
    def has_device(self) -> bool:
        return self.has_side("device") or self.has_side("AI CPU")


def advice(columns: Columns) -> list[dict[str, Any]]:
    """All that applies: `{rule, severity, numbers, place?}`, worst first, then what could save most time."""
    known = _Known(columns, steps.average(columns.steps))
    found = [one for rule in _RULES for one in rule(known)]
    found.sort(key=lambda one: (SEVERITIES.index(one.level), -one.gain))
    return [one.told() for one in found]


def _input_bound(known: _Known) -> Iterator[Advice]:
    share = known.share("input_wait")
    if share > _INPUT:
        numbers = {"share": share, "wait": known.parts["input_wait"], "step": known.duration}
        yield Advice("input_bound", share, numbers, "pipeline")
        return
    interval, whole = known.step.get("interval", 0.0), known.step.get("duration", 0.0)
    share = interval / whole if whole > 0 else 0.0
    if interval > _INTERVAL_MS and share > _INPUT:
        yield Advice("long_interval", share, {"interval": interval, "step": whole, "share": share}, "steps")


def _queues(known: _Known) -> Iterator[Advice]:
    pipelines = known.columns.trace.pipelines
    emptiness = {one.queue: pipeline.emptiness(one) for one in pipelines if one.queue}
    device, get_next = emptiness.get("device"), emptiness.get("get_next")
    if device is not None and device["share"] > pipeline.EMPTY_SHARE:
        yield Advice("device_queue_empty", 0.0, device, "pipeline", _by_samples(device["batches"]))
    elif get_next is not None and get_next["empty"] > 0:
        yield Advice("get_next_empty", 0.0, get_next, "pipeline", _by_samples(get_next["batches"]))
    slow = [entry for one in pipelines for entry in pipeline.operators(one) if entry["rule"]]
    for entry in sorted(slow, key=lambda entry: (entry["rule"] != "queue_drops", entry["usage"]))[:1]:
        numbers = {"operator": entry["type"], "number": entry["number"], "usage": entry["usage"]}
        rule = "slow_pipeline_source"
        if entry["rule"] == "queue_drops":
            rule, numbers["incoming"] = "slow_pipeline_operator", entry["incoming_usage"]
        yield Advice(rule, 0.0, numbers, "pipeline", _by_samples(entry["samples"]))


def _by_samples(count: int) -> str:
    return "medium" if count >= _ENOUGH_SAMPLES else "info"


def _busy_processors(known: _Known) -> Iterator[Advice]:
    for counter in known.columns.trace.counters:
        if pipeline.is_load(counter) and counter.name.endswith(": idle") and "machine" in counter.name:
            busy = 100 - float(counter.value.mean()) if len(counter.value) else 0.0
            if busy > _BUSY_PROCESSORS:
                yield Advice("busy_processors", 0.0, {"busy": busy / 100}, "pipeline", "medium")


def _communication(known: _Known) -> Iterator[Advice]:
    share, hidden = known.share("communication"), known.step.get("overlapped", 0.0)
    exposed = known.parts.get("communication", 0.0)
    if not exposed:
        return
    overlap = hidden / (hidden + exposed)
    numbers = {"share": share, "exposed": exposed, "step": known.duration, "hidden": overlap}
    if share > _COMMUNICATION:
        yield Advice("exposed_communication", share, numbers, "steps")
    elif share > _COMMUNICATION / 2 and overlap < _LITTLE_HIDDEN:
        yield Advice("low_overlap", share, numbers, "steps")


def _device_time(known: _Known) -> Iterator[Advice]:
    if not known.has_device:
        return
    copies = known.share("copy")
    if copies > _COPIES:
        numbers = {"share": copies, "copies": known.parts["copy"], "step": known.duration}
        yield Advice("memory_copies", copies, numbers, "operators?by=name&side=device&search=mem")
    groups = known.columns.groups
    at = np.flatnonzero((groups.side == SIDES.index("device")) & (groups.count > 0))
    count = int(groups.count[at].sum())
    mean = int(groups.total[at].sum()) / max(count, 1)
    launching = known.share("launch", "host_operators")
    if count >= _LEAST_KERNELS and mean < _SMALL_KERNEL_NS and launching > _LAUNCHING:
        numbers = {"mean": mean / NS_PER_MS, "kernels": count, "share": launching}
        yield Advice("small_kernels", launching, numbers, "operators?by=name&side=device&sort=-count")
        return
    idle = known.share("launch", "host_operators", "python", "other")
    if idle > _IDLE:
        numbers = {"share": idle, "idle": idle * known.duration, "step": known.duration}
        yield Advice("device_idle", idle, numbers, "timeline")


def _host_overhead(known: _Known) -> Iterator[Advice]:
    share = known.share("python", "other")
    if known.compiling.total > _COMPILING * known.wall:
        return  # that is where the time went
    if not known.has_device and known.parts.get("compute") and share > _OUTSIDE_OPERATORS:
        numbers = {"share": share, "outside": share * known.duration, "step": known.duration}
        yield Advice("framework_overhead", share, numbers, "timeline")


def _one_type(known: _Known) -> Iterator[Advice]:
    types = summed(known.columns, Asked("type"))
    wanted = {"device"} if known.has_side("device") else set(types["side"].tolist()) - (set(SIDES) - {"host"})
    at = np.flatnonzero(np.isin(types["side"].astype(str), list(wanted)))
    chosen = {name: column[at] for name, column in types.items()}
    for row in rows_of(page(chosen, "-self", 0, 1)):
        if row["share"] > _ONE_TYPE and len(at) > 1:
            numbers = {key: row[key] for key in ("type", "side", "share", "self", "count")}
            place = f"operators?by=name&side={quote(row['side'])}&type={quote(row['type'])}"
            yield Advice("dominating_type", 0.0, numbers, place, "info")


def _helpers(known: _Known) -> Iterator[Advice]:
    groups = known.columns.groups
    at = np.flatnonzero((groups.side == SIDES.index("AI CPU")) & (groups.count > 0))
    total = int(groups.self_time[at].sum())
    if total and known.wall and total / known.wall > _HELPERS:
        share = min(total / known.wall, 1.0)
        slowest = known.columns.trace.texts[groups.type[at[np.argmax(groups.self_time[at])]]]
        numbers = {"total": total / NS_PER_MS, "share": share, "count": int(groups.count[at].sum()), "type": slowest}
        yield Advice("ai_cpu_operators", share, numbers, "operators?by=name&side=AI%20CPU")


def _unusual_steps(known: _Known) -> Iterator[Advice]:
    table = known.columns.steps
    duration = table.end - table.begin
    whole = duration[~table.is_partial]
    if not len(whole) or not table.is_unusual.any():
        return
    median = float(median_of(whole))
    slow = np.flatnonzero(table.is_unusual & (duration > median))
    extra = float((duration[slow] - median).sum())
    share = extra / max(float(whole.sum()), 1.0)
    if share > _UNUSUAL:
        numbers = {
            "slow": len(slow),
            "steps": len(whole),
            "extra": extra / NS_PER_MS,
            "share": share,
            "slowest": int(table.number[slow[np.argmax(duration[slow])]]),
            "usual": median / NS_PER_MS,
        }
        yield Advice("unusual_steps", share, numbers, "steps?only=unusual&sort=-duration")


def _compiling(known: _Known) -> Iterator[Advice]:
    time = known.compiling
    share = time.total / max(known.wall, 1)
    if share > _COMPILING:
        numbers = {"times": len(time.begin), "total": time.total / NS_PER_MS, "share": share}
        yield Advice("compiling", share, numbers, "operators?by=name&search=compile")


def _full_memory(known: _Known) -> Iterator[Advice]:
    trace = known.columns.trace
    for memory in trace.memory:
        limit = memory_of_device(trace.facts, memory.device)
        held = np.maximum(memory.allocated, np.where(memory.reserved == NOT_GIVEN, 0, memory.reserved))
        peak = int(held.max()) if len(held) else 0
        if limit and peak / limit > _FULL_MEMORY:
            numbers = {"device": memory.device, "peak": peak, "limit": limit, "share": peak / limit}
            yield Advice("memory_nearly_full", 0.0, numbers, "memory", "high")


def memory_of_device(facts: dict[str, Any], device: str) -> int | None:
    """How many bytes a device such as "GPU 0" has, where torch noted it."""
    number = device.rpartition(" ")[2]
    properties = facts.get("deviceProperties")
    for entry in properties if isinstance(properties, list) else []:
        if isinstance(entry, dict) and number.isdecimal() and str(entry.get("id")) == number and "CPU" not in device:
            size = entry.get("totalGlobalMem")
            return size if isinstance(size, int) and size > 0 else None
    return None


def _recording(known: _Known) -> Iterator[Advice]:
    columns = known.columns
    losses = columns.trace.losses
    if losses:
        numbers = {"kinds": len(losses), "count": sum(loss.count for loss in losses), "first": losses[0].message}
        yield Advice("recording_lost_things", 0.0, numbers, None, "info")
    if not len(columns.steps) and bool(np.any(np.isin(columns.rows.activity, _TRAINING))):
        yield Advice("no_steps", 0.0, {}, None, "info")


_TRAINING: Final = [int(Activity.OPERATOR), int(Activity.KERNEL), int(Activity.AI_CPU)]
_RULES: Final[tuple[Callable[[_Known], Iterator[Advice]], ...]] = (
    _input_bound,
    _queues,
    _busy_processors,
    _communication,
    _device_time,
    _host_overhead,
    _helpers,
    _unusual_steps,
    _compiling,
    _full_memory,
    _one_type,
    _recording,
)
