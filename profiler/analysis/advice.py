"""Optimisation advice: rules over one profile, each with its evidence and a link to the view that shows it.

Shares are of 1 and, where nothing else is said, of the time of a mean step, or of the whole recording where no steps
are known. Words are found elsewhere by the name of the rule: `advice_words` for terminals, the page has its own.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Annotated, Any, Final, Literal, TypedDict, get_args
from urllib.parse import quote

import numpy as np

from mindinsight_like.profiler.analysis.columns.columns import NS_PER_MS, SIDES, Columns
from mindinsight_like.profiler.analysis.columns.medians import median as median_of
from mindinsight_like.profiler.analysis.columns.tables import page
from mindinsight_like.profiler.analysis.operators.operators import OperatorQuery, operator_rows, rows_of_groups, summed
from mindinsight_like.profiler.traces.trace import NOT_GIVEN, Activity

from . import pipeline
from .columns import intervals
from .steps.step_list import PartTimes, StepAverage, average

Severity = Literal["high", "medium", "info"]
SEVERITIES: Final[tuple[Severity, ...]] = get_args(Severity)
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
_ENOUGH_SAMPLES: Final = 10  # of a queue; fewer are reported, but prove little
_COMPILERS: Final = re.compile(
    r"backend_compile|xla_?compile|compileandload|client::compile|\bcompile$|compile_(?:inner|fx|time)|frame_compile|"
    r"inductor_compile|trace_to_jaxpr|graphinstantiate|aclgrphbuild|compilegraph",
    re.IGNORECASE,
)


AdviceNumbers = Mapping[str, float | str]  # evidence of a rule by name; shares are of 1, times in ms


class _AdviceParts(TypedDict):
    rule: str
    severity: Severity
    numbers: Annotated[AdviceNumbers, "The evidence; shares are of 1, times in milliseconds."]


class AdviceItem(_AdviceParts, total=False):
    """A piece of advice, as it is returned."""

    place: Annotated[str, "Where to look, as an address below the page of the profile."]


@dataclass(frozen=True)
class Advice:
    """A piece of advice, as rules find it."""

    rule: str
    gain: float  # the share of time that could be saved at most
    numbers: AdviceNumbers
    place: str | None = None
    severity: Severity | None = None  # follows from the gain where it is not said

    def item(self) -> AdviceItem:
        item: AdviceItem = {"rule": self.rule, "severity": self.level, "numbers": self.numbers}
        if self.place:
            item["place"] = self.place
        return item

    @property
    def level(self) -> Severity:
        return self.severity or ("high" if self.gain >= _HIGH else "medium" if self.gain >= _INPUT else "info")


@dataclass(frozen=True)
class _RuleContext:
    """What several rules look at."""

    columns: Columns
    step: StepAverage

    @cached_property
    def parts(self) -> PartTimes:
        return self.step.get("parts", {})

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


def advice(columns: Columns) -> list[AdviceItem]:
    """All that applies, worst first, then what could save most time."""
    context = _RuleContext(columns, average(columns.steps))
    results = [one for rule in _RULES for one in rule(context)]
    results.sort(key=lambda one: (SEVERITIES.index(one.level), -one.gain))
    return [one.item() for one in results]


def _input_bound(context: _RuleContext) -> Iterator[Advice]:
    share = context.share("input_wait")
    if share > _INPUT:
        numbers = {"share": share, "wait": context.parts["input_wait"], "step": context.duration}
        yield Advice("input_bound", share, numbers, "pipeline")
        return
    interval, whole = context.step.get("interval", 0.0), context.step.get("duration", 0.0)
    share = interval / whole if whole > 0 else 0.0
    if interval > _INTERVAL_MS and share > _INPUT:
        yield Advice("long_interval", share, {"interval": interval, "step": whole, "share": share}, "steps")


def _queues(context: _RuleContext) -> Iterator[Advice]:
    pipelines = context.columns.trace.pipelines
    emptiness = {one.queue: pipeline.emptiness(one) for one in pipelines if one.queue}
    device, get_next = emptiness.get("device"), emptiness.get("get_next")
    if device is not None and device.share > pipeline.EMPTY_SHARE:
        yield Advice("device_queue_empty", 0.0, asdict(device), "pipeline", _by_samples(device.batches))
    elif get_next is not None and get_next.empty > 0:
        yield Advice("get_next_empty", 0.0, asdict(get_next), "pipeline", _by_samples(get_next.batches))
    slow = [entry for one in pipelines for entry in pipeline.operators(one) if entry["rule"]]
    for entry in sorted(slow, key=lambda entry: (entry["rule"] != "queue_drops", entry["usage"] or 0.0))[:1]:
        numbers: dict[str, float | str] = {
            "operator": entry["type"],
            "number": entry["number"],
            "usage": entry["usage"] or 0.0,
        }
        rule = "slow_pipeline_source"
        if entry["rule"] == "queue_drops":
            rule, numbers["incoming"] = "slow_pipeline_operator", entry["incoming_usage"] or 0.0
        yield Advice(rule, 0.0, numbers, "pipeline", _by_samples(entry["samples"]))


def _by_samples(count: int) -> Severity:
    return "medium" if count >= _ENOUGH_SAMPLES else "info"


def _busy_processors(context: _RuleContext) -> Iterator[Advice]:
    for counter in context.columns.trace.counters:
        if pipeline.is_load(counter) and counter.name.endswith(": idle") and "machine" in counter.name:
            busy = 100 - float(counter.value.mean()) if len(counter.value) else 0.0
            if busy > _BUSY_PROCESSORS:
                yield Advice("busy_processors", 0.0, {"busy": busy / 100}, "pipeline", "medium")


def _communication(context: _RuleContext) -> Iterator[Advice]:
    share, hidden = context.share("communication"), context.step.get("overlapped", 0.0)
    exposed = context.parts.get("communication", 0.0)
    if not exposed:
        return
    overlap = hidden / (hidden + exposed)
    numbers = {"share": share, "exposed": exposed, "step": context.duration, "hidden": overlap}
    if share > _COMMUNICATION:
        yield Advice("exposed_communication", share, numbers, "steps")
    elif share > _COMMUNICATION / 2 and overlap < _LITTLE_HIDDEN:
        yield Advice("low_overlap", share, numbers, "steps")


def _device_time(context: _RuleContext) -> Iterator[Advice]:
    if not context.has_device:
        return
    copies = context.share("copy")
    if copies > _COPIES:
        numbers = {"share": copies, "copies": context.parts["copy"], "step": context.duration}
        yield Advice("memory_copies", copies, numbers, "operators?by=name&side=device&search=mem")
    groups = context.columns.groups
    at = np.flatnonzero((groups.side == SIDES.index("device")) & (groups.count > 0))
    count = int(groups.count[at].sum())
    mean = int(groups.total[at].sum()) / max(count, 1)
    launching = context.share("launch", "host_operators")
    if count >= _LEAST_KERNELS and mean < _SMALL_KERNEL_NS and launching > _LAUNCHING:
        numbers = {"mean": mean / NS_PER_MS, "kernels": count, "share": launching}
        yield Advice("small_kernels", launching, numbers, "operators?by=name&side=device&sort=-count")
        return
    idle = context.share("launch", "host_operators", "python", "other")
    if idle > _IDLE:
        numbers = {"share": idle, "idle": idle * context.duration, "step": context.duration}
        yield Advice("device_idle", idle, numbers, "timeline")


def _host_overhead(context: _RuleContext) -> Iterator[Advice]:
    share = context.share("python", "other")
    if context.compiling.total > _COMPILING * context.wall:
        return  # that is where the time went
    if not context.has_device and context.parts.get("compute") and share > _OUTSIDE_OPERATORS:
        numbers = {"share": share, "outside": share * context.duration, "step": context.duration}
        yield Advice("framework_overhead", share, numbers, "timeline")


def _one_type(context: _RuleContext) -> Iterator[Advice]:
    types = summed(context.columns, OperatorQuery("type"))
    sides = {"device"} if context.has_side("device") else set(types["side"].tolist()) - (set(SIDES) - {"host"})
    at = np.flatnonzero(np.isin(types["side"].astype(str), list(sides)))
    chosen = {name: column[at] for name, column in types.items()}
    for row in operator_rows(page(chosen, "-self", 0, 1)):
        if row["share"] > _ONE_TYPE and len(at) > 1:
            numbers: AdviceNumbers = {
                "type": row["type"],
                "side": row["side"],
                "share": row["share"],
                "self": row["self"],
                "count": row["count"],
            }
            place = f"operators?by=name&side={quote(row['side'])}&type={quote(row['type'])}"
            yield Advice("dominating_type", 0.0, numbers, place, "info")


def _helpers(context: _RuleContext) -> Iterator[Advice]:
    groups = context.columns.groups
    at = np.flatnonzero((groups.side == SIDES.index("AI CPU")) & (groups.count > 0))
    total = int(groups.self_time[at].sum())
    if total and context.wall and total / context.wall > _HELPERS:
        share = min(total / context.wall, 1.0)
        slowest = context.columns.trace.texts[groups.type[at[np.argmax(groups.self_time[at])]]]
        numbers = {"total": total / NS_PER_MS, "share": share, "count": int(groups.count[at].sum()), "type": slowest}
        yield Advice("ai_cpu_operators", share, numbers, "operators?by=name&side=AI%20CPU")


def _unusual_steps(context: _RuleContext) -> Iterator[Advice]:
    table = context.columns.steps
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


def _compiling(context: _RuleContext) -> Iterator[Advice]:
    time = context.compiling
    share = time.total / max(context.wall, 1)
    if share > _COMPILING:
        numbers = {"times": len(time.begin), "total": time.total / NS_PER_MS, "share": share}
        yield Advice("compiling", share, numbers, "operators?by=name&search=compile")


def _full_memory(context: _RuleContext) -> Iterator[Advice]:
    trace = context.columns.trace
    for memory in trace.memory:
        limit = memory_of_device(trace.facts, memory.device)
        used = np.maximum(memory.allocated, np.where(memory.reserved == NOT_GIVEN, 0, memory.reserved))
        peak = int(used.max()) if len(used) else 0
        if limit and peak / limit > _FULL_MEMORY:
            numbers: AdviceNumbers = {"device": memory.device, "peak": peak, "limit": limit, "share": peak / limit}
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


def _recording(context: _RuleContext) -> Iterator[Advice]:
    columns = context.columns
    losses = columns.trace.losses
    if losses:
        numbers: AdviceNumbers = {
            "kinds": len(losses),
            "count": sum(loss.count for loss in losses),
            "first": losses[0].message,
        }
        yield Advice("recording_lost_things", 0.0, numbers, None, "info")
    if not len(columns.steps) and bool(np.any(np.isin(columns.rows.activity, _TRAINING))):
        yield Advice("no_steps", 0.0, {"tool": columns.trace.tool}, None, "info")


_TRAINING: Final = [int(Activity.OPERATOR), int(Activity.KERNEL), int(Activity.AI_CPU)]
_RULES: Final[tuple[Callable[[_RuleContext], Iterator[Advice]], ...]] = (
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
