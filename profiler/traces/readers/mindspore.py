"""Output folders of MindSpore's and Ascend's profilers, all versions."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from mindinsight_like.profiler.traces.files import Files, Progress, Source, Unreadable
from mindinsight_like.profiler.traces.trace import NOTHING, Activity, Loss, Slices, Steps, Trace

from . import (
    ascend_database,
    ascend_output,
    ascend_steps,
    ascend_tables,
    ascend_timeline,
    cpu_steps,
    minddata,
    mindspore_cpu,
    recording_facts,
    step_table,
)
from .assembly import Assembly, shift, show_collectives

_UNIX_NANOSECONDS = 10**18  # clocks that count from the start of a machine are far below


def read(files: Files, source: Source, progress: Progress) -> Trace:
    """The recording of one rank; raises Unreadable when nothing of it can be used."""
    trace = Trace(_tool(source.main), rank=source.rank)
    assembly = Assembly()
    names = list(source.files)
    recording_facts.fill(trace, files, names)
    progress(0.05)
    mindspore_cpu.fill(trace, assembly, files, names)
    ascend_tables.fill(trace, assembly, files, names)
    progress(0.2)
    ascend_timeline.fill(trace, assembly, files, names, lambda share: progress(0.2 + 0.5 * share))
    ascend_output.fill(trace, assembly, files, names)
    ascend_database.fill(trace, assembly, files, names)
    progress(0.9)
    ascend_steps.fill(trace, files, names)
    if trace.steps is None and not assembly.has_activity(Activity.STEP):
        step_table.fill(trace, files, names)
    minddata.fill(trace, files, names)
    if not _has_anything(trace, assembly):
        reason = trace.losses[0].message if trace.losses else "none of its files holds measurements"
        raise Unreadable(f"{source.main} has no usable data: {reason}")
    if trace.collectives is not None and not assembly.has_activity(Activity.COMMUNICATION):
        show_collectives(assembly, trace.collectives)
    assembly.finish(trace)
    if trace.steps is None and not assembly.has_activity(Activity.STEP):
        cpu_steps.fill(trace, files, names)
    _begin_at_zero(trace)
    progress(1.0)
    return trace


def _tool(folder: str) -> str:
    base = folder.rpartition("/")[2]
    if base.endswith("_ascend_pt"):
        return "torch"
    return "ascend" if base.startswith("PROF_") else "mindspore"


def _has_anything(trace: Trace, assembly: Assembly) -> bool:
    tables = (trace.steps, trace.operator_sums, trace.type_sums, trace.links)
    lists = (trace.pipelines, trace.memory, trace.counters)
    return (
        assembly.has_slices
        or any(table is not None for table in tables)
        or any(lists)
        or any(key in trace.facts for key in recording_facts.SHOWN_ALONE)
    )


def _begin_at_zero(trace: Trace) -> None:
    """Times count from the earliest; clocks that have nothing to do with each other each from their own."""
    slices, steps = trace.slices, trace.steps
    if slices is not None and len(slices.start) and steps is not None and len(steps.begin):
        _place_steps(trace, slices, steps)
        steps = trace.steps
    columns = [
        slices.start if slices is not None else None,
        steps.begin if steps is not None else None,
        *(memory.time for memory in trace.memory),
        trace.allocations.time if trace.allocations is not None else None,
    ]
    firsts = [int(column.min()) for column in columns if column is not None and len(column)]
    if not firsts:
        return
    origin = min(firsts)
    # Counters of the data engine begin at 0 already.
    counters = trace.counters
    trace.counters = [counter for counter in counters if len(counter.time) and int(counter.time[0]) >= origin]
    shift(trace, origin)
    trace.counters = counters
    trace.origin = origin if origin > _UNIX_NANOSECONDS else 0
    if trace.rank == NOTHING and trace.ranks == 1:
        trace.rank = 0


def _place_steps(trace: Trace, slices: Slices, steps: Steps) -> None:
    """Steps that a table gave without a clock, or with a clock of its own, are put where the slices are."""
    marked = np.flatnonzero(slices.activity == Activity.STEP)
    marks = {trace.texts[slices.name[row]]: int(row) for row in marked.tolist()}
    rows = [marks.get(f"ProfilerStep#{number}", NOTHING) for number in steps.number.tolist()]
    if NOTHING not in rows:
        begin = slices.start[rows]
        trace.steps = replace(steps, begin=begin, end=begin + slices.duration[rows], is_of_host=True)
        return
    first = int(slices.start.min())
    last = int((slices.start + slices.duration).max())
    if int(steps.begin.min()) <= last and int(steps.end.max()) >= first:
        return
    if "step_trace_time" not in trace.facts:
        message = (
            "the clocks of steps and of operators have nothing in common: steps are shown from the first operator on"
        )
        trace.losses.append(Loss(message, len(steps.begin)))
    collectives = trace.collectives
    is_apart = collectives is not None and len(collectives.begin) and not first <= int(collectives.begin.min()) <= last
    moved = Trace(trace.tool, steps=steps, collectives=collectives if is_apart else None)
    shift(moved, int(steps.begin.min()) - first)
