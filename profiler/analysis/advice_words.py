"""Advice in sentences for terminals; the page has its own, in several languages, under the same names."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Final

_Numbers = dict[str, Any]


def sentence(advice: dict[str, Any]) -> str:
    """One rule with its numbers in English."""
    return SENTENCES[advice["rule"]](advice["numbers"])


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _ms(time: float) -> str:
    return f"{time:,.3f} ms"


def _gigabytes(size: int) -> str:
    return f"{size / 2**30:,.2f} GiB"


SENTENCES: Final[dict[str, Callable[[_Numbers], str]]] = {
    "input_bound": lambda n: (
        f"The training waits for data for {_percent(n['share'])} of a step ({_ms(n['wait'])} of {_ms(n['step'])}): "
        "load with more workers, load ahead, or prepare the data once beforehand."
    ),
    "long_interval": lambda n: (
        f"{_ms(n['interval'])} go by between two iterations ({_percent(n['share'])} of a step): "
        "see whether the device waits for data."
    ),
    "device_queue_empty": lambda n: (
        f"The queue to the device was empty for {_percent(n['share'])} of batches ({n['empty']:,} of "
        f"{n['batches']:,}): preparing data is too slow."
    ),
    "get_next_empty": lambda n: (
        f"The device found no data {n['empty']:,} times in {n['batches']:,} batches though the host had some: "
        "sending data is too slow."
    ),
    "slow_pipeline_operator": lambda n: (
        f"{n['operator']} slows the input pipeline down: the queue before it is {_percent(n['incoming'])} full, "
        f"its own {_percent(n['usage'])}: give it more workers."
    ),
    "slow_pipeline_source": lambda n: (
        f"{n['operator']}, where the input pipeline begins, fills only {_percent(n['usage'])} of its queue: "
        "reading is too slow; give it more workers or faster storage."
    ),
    "busy_processors": lambda n: (
        f"The host's processors are {_percent(n['busy'])} busy: more workers for data will hardly help."
    ),
    "exposed_communication": lambda n: (
        f"Communication that nothing hides takes {_percent(n['share'])} of a step ({_ms(n['exposed'])}); "
        f"{_percent(n['hidden'])} of all communication runs behind computing."
    ),
    "low_overlap": lambda n: (
        f"Only {_percent(n['hidden'])} of the communication runs behind computing; the rest takes "
        f"{_percent(n['share'])} of a step ({_ms(n['exposed'])})."
    ),
    "memory_copies": lambda n: (
        f"Memory copies take {_percent(n['share'])} of a step ({_ms(n['copies'])}): pin the memory of the host, copy "
        "while computing, or keep data on the device."
    ),
    "small_kernels": lambda n: (
        f"{n['kernels']:,} kernels last {1000 * n['mean']:.1f} us on average while the host is busy launching for "
        f"{_percent(n['share'])} of a step: fuse operators, compile the model, or use larger batches."
    ),
    "device_idle": lambda n: (
        f"Nothing runs on the device for {_percent(n['share'])} of a step ({_ms(n['idle'])}), waits for data apart."
    ),
    "framework_overhead": lambda n: (
        f"{_percent(n['share'])} of a step ({_ms(n['outside'])}) is spent outside of operators, in Python and the "
        "framework: larger batches or a compiled model have less of it."
    ),
    "dominating_type": lambda n: (
        f"{n['type']} takes {_percent(n['share'])} of the time of all operators ({n['side']}, {n['count']:,} "
        "executions), more than all other types together: look there first."
    ),
    "ai_cpu_operators": lambda n: (
        f"{n['count']:,} executions on the device's AI CPU take {_ms(n['total'])}, {_percent(n['share'])} of the "
        f"recorded time, {n['type']} most of it: see whether types of data keep them from the AI Core."
    ),
    "unusual_steps": lambda n: (
        f"{n['slow']:,} of {n['steps']:,} steps took longer than the usual {_ms(n['usual'])}, {_ms(n['extra'])} in all "
        f"({_percent(n['share'])} of all steps); the slowest is step {n['slowest']}."
    ),
    "compiling": lambda n: (
        f"Compiling takes {_percent(n['share'])} of the recorded time ({n['times']:,} times, {_ms(n['total'])}): warm "
        "up before recording, and keep shapes and types the same."
    ),
    "memory_nearly_full": lambda n: (
        f"{n['device']} used {_percent(n['share'])} of its memory: {_gigabytes(n['peak'])} of {_gigabytes(n['limit'])}."
    ),
    "recording_lost_things": lambda n: (
        f"Not everything in the recording could be read ({n['count']:,} records): {n['first']}."
    ),
    "late_rank": lambda n: (
        f"Rank {n['rank']} of {n['ranks']:,} holds the others up: it comes late in {_percent(n['steps'])} of the "
        f"steps, by {_ms(n['late'])} on average ({_percent(n['share'])} of a step)"
        + (f"; it spends {_ms(n['more'])} more in {n['operator']} than the others." if n["operator"] else ".")
    ),
    "slow_rank": lambda n: (
        f"Rank {n['rank']} of {n['ranks']:,} is slower than the others in {_percent(n['steps'])} of the steps, by "
        f"{_ms(n['late'])} on average ({_percent(n['share'])} of a step)"
        + (f"; it spends {_ms(n['more'])} more in {n['operator']}." if n["operator"] else ".")
    ),
    "no_steps": lambda n: (
        "No steps are marked: call step() of the profiler after each training step to see more. "
        "MindSpore records none on a CPU."
    ),
}
