"""Merge operations recorded by hand into the framework's recording of the same steps."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from .activities import activity_of
from .own_format import OPERATION_TYPES, UNFINISHED_STEP
from .trace import NOTHING, Activity, Counter, Ints, Longs, Loss, Slices, Steps, Trace


def join(trace: Trace, beside: Trace) -> None:
    """Add tracks, slices, counters and, where the trace has none, steps; types of operations are those told by hand."""
    use_facts(trace, beside.facts)
    trace.losses += beside.losses
    if beside.slices is None and not beside.counters and beside.steps is None:
        return
    shift = _shift(trace, beside)
    if shift is None:
        trace.losses.append(Loss("the manual recording uses another clock and is not included"))
        return
    first_track = len(trace.tracks)
    trace.tracks += beside.tracks
    if beside.slices is not None:
        _add_slices(trace, beside, shift, first_track)
    trace.counters += [Counter(each.name, each.unit, each.time + shift, each.value) for each in beside.counters]
    steps = beside.steps
    has_steps = trace.steps is not None or (
        trace.slices is not None and bool((trace.slices.activity == Activity.STEP).any())
    )
    if steps is not None and not has_steps:
        trace.steps = _moved(steps, shift)
    earliest = min(0, *(int(times.min()) for times in _times(trace, beside) if len(times)))
    if earliest < 0:
        from mindinsight_like.profiler.traces.readers.assembly import shift as shift_all  # which itself needs traces

        shift_all(trace, earliest)
        trace.origin += earliest


def use_facts(trace: Trace, facts: dict[str, Any]) -> None:
    """Take away what our `Profiler` noted about a recording, and change the slices accordingly."""
    types, step = facts.pop(OPERATION_TYPES, None), facts.pop(UNFINISHED_STEP, None)
    if isinstance(types, dict):
        _set_types(trace, types)
    if isinstance(step, int):
        _drop_step(trace, step)


def _drop_step(trace: Trace, number: int) -> None:
    """Steps of this number are none: recording ended within."""
    slices = trace.slices
    names = [at for at, text in enumerate(trace.texts) if re.match(rf"Profiler?Step#{number}$", text)]
    if slices is not None and names:
        is_it = (slices.activity == Activity.STEP) & np.isin(slices.name, names)
        trace.slices = replace(slices, activity=np.where(is_it, np.uint8(Activity.OTHER), slices.activity))


def _set_types(trace: Trace, types: Mapping[str, object]) -> None:
    """Give annotations of these names the types that `Profiler.op` was told, and the activities that follow."""
    slices = trace.slices
    text_numbers = {text: number for number, text in enumerate(trace.texts)}
    types_by_name = {text_numbers[name]: str(type) for name, type in types.items() if name in text_numbers}
    if slices is None or not types_by_name:
        return
    marks = np.flatnonzero((slices.activity == Activity.ANNOTATION) & np.isin(slices.name, list(types_by_name)))
    type_of = np.zeros(len(trace.texts), np.int32)
    activities = np.zeros(len(trace.texts), np.uint8)
    for name, type in types_by_name.items():
        if type not in text_numbers:
            text_numbers[type] = len(trace.texts)
            trace.texts.append(type)
        type_of[name], activities[name] = text_numbers[type], activity_of(type)
    column, activity = slices.type.copy(), slices.activity.copy()
    column[marks], activity[marks] = type_of[slices.name[marks]], activities[slices.name[marks]]
    trace.slices = replace(slices, type=column, activity=activity)


def _shift(trace: Trace, beside: Trace) -> int | None:
    """What is to be added to the times of the second; None where their clocks have nothing in common."""
    if trace.origin and beside.origin:
        return beside.origin - trace.origin
    steps, other = trace.steps, beside.steps
    if steps is not None and other is not None:
        _, mine, theirs = np.intersect1d(steps.number, other.number, return_indices=True)
        if len(mine):
            return int(np.median(steps.begin[mine] - other.begin[theirs]))
    return None


def _add_slices(trace: Trace, beside: Trace, shift: int, first_track: int) -> None:
    added = beside.slices
    assert added is not None
    text_numbers = {text: number for number, text in enumerate(trace.texts)}
    numbers = np.array([text_numbers.setdefault(text, len(text_numbers)) for text in beside.texts] or [0], np.int32)
    trace.texts = list(text_numbers)

    def texts(column: Ints) -> Ints:
        return np.where(column == NOTHING, np.int32(NOTHING), numbers[column])

    moved = replace(
        added,
        start=added.start + shift,
        track=added.track + np.int32(first_track),
        name=texts(added.name),
        type=texts(added.type),
        shape=texts(added.shape),
        place=np.full(len(added.start), NOTHING, np.int64),  # which are places in another file
    )
    if trace.slices is None:
        trace.slices = moved
        return
    if len(trace.slices.dtype):
        moved = replace(moved, dtype=np.full(len(moved.start), NOTHING, np.int32))
    columns = [np.concatenate((getattr(trace.slices, each.name), getattr(moved, each.name))) for each in fields(Slices)]
    trace.slices = Slices(*columns)


def _moved(steps: Steps, shift: int) -> Steps:
    def moved(times: Longs) -> Longs:
        return np.where(times == NOTHING, NOTHING, times + shift)

    return replace(
        steps,
        begin=steps.begin + shift,
        end=steps.end + shift,
        forward_begin=moved(steps.forward_begin),
        backward_end=moved(steps.backward_end),
    )


def _times(trace: Trace, beside: Trace) -> list[Longs]:
    times = [trace.slices.start] if trace.slices is not None else []
    times += [trace.steps.begin] if trace.steps is not None else []
    return times + [counter.time for counter in trace.counters[len(trace.counters) - len(beside.counters) :]]
