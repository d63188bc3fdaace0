"""English sentences for advice on a terminal; the web page has its own translations under the same keys."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from mindinsight_like.profiler.analysis.advice import AdviceItem

_Numbers = Mapping[str, Any]  # each rule knows which of its numbers are texts


def sentence(advice: AdviceItem) -> str:
    """One rule with its numbers in English."""
    return SENTENCES[advice["rule"]](advice["numbers"])


def _percent(share: float) -> str:
    return f"{100 * share:.1f} %"


def _ms(time: float) -> str:
    return f"{time:,.3f} ms"


def _gigabytes(size: int) -> str:
    return f"{size / 2**30:,.2f} GiB"


def _rate(rate: float) -> str:
    return f"{rate / 1e12:,.3f} TFLOP/s"


def _of_links(count: int) -> str:
    return "." if count == 1 else f". {count:,} links are below 80 % of the mean of their type."


SENTENCES: Final[dict[str, Callable[[_Numbers], str]]] = {
    "input_bound": lambda n: (
        f"Training waits for data for {_percent(n['share'])} of a step ({_ms(n['wait'])} of {_ms(n['step'])}). "
        "Use more data loading workers, prefetch batches, or preprocess the data offline."
    ),
    "long_interval": lambda n: (
        f"The interval between two steps is {_ms(n['interval'])} ({_percent(n['share'])} of a step). "
        "Check whether the device waits for data."
    ),
    "device_queue_empty": lambda n: (
        f"The device queue was empty for {_percent(n['share'])} of batches ({n['empty']:,} of {n['batches']:,}). "
        "Data preparation is too slow."
    ),
    "get_next_empty": lambda n: (
        f"The device found no data {n['empty']:,} times in {n['batches']:,} batches although the host had data ready. "
        "The transfer to the device is too slow."
    ),
    "slow_pipeline_operator": lambda n: (
        f"{n['operator']} is the bottleneck of the input pipeline: its input queue is {_percent(n['incoming'])} full, "
        f"its output queue {_percent(n['usage'])}. Give it more workers."
    ),
    "slow_pipeline_source": lambda n: (
        f"{n['operator']}, the source of the input pipeline, fills only {_percent(n['usage'])} of its queue. "
        "Reading is too slow: use more workers or faster storage."
    ),
    "busy_processors": lambda n: (
        f"Host CPU utilisation is {_percent(n['busy'])}. More data loading workers are unlikely to help."
    ),
    "exposed_communication": lambda n: (
        f"Exposed communication takes {_percent(n['share'])} of a step ({_ms(n['exposed'])}). "
        f"{_percent(n['hidden'])} of all communication overlaps with compute."
    ),
    "low_overlap": lambda n: (
        f"Only {_percent(n['hidden'])} of communication overlaps with compute. The exposed part takes "
        f"{_percent(n['share'])} of a step ({_ms(n['exposed'])})."
    ),
    "memory_copies": lambda n: (
        f"Memory copies take {_percent(n['share'])} of a step ({_ms(n['copies'])}). Use pinned host memory, "
        "overlap copies with compute, or keep data on the device."
    ),
    "small_kernels": lambda n: (
        f"{n['kernels']:,} kernels take only {1000 * n['mean']:.1f} us on average, and the host spends "
        f"{_percent(n['share'])} of a step launching them. Fuse operators, compile the model, or use larger batches."
    ),
    "device_idle": lambda n: (
        f"The device is idle for {_percent(n['share'])} of a step ({_ms(n['idle'])}), not counting input wait."
    ),
    "framework_overhead": lambda n: (
        f"{_percent(n['share'])} of a step ({_ms(n['outside'])}) is spent outside operators, in Python and the "
        "framework. Larger batches or a compiled model reduce this overhead."
    ),
    "dominating_type": lambda n: (
        f"{n['type']} takes {_percent(n['share'])} of operator time ({n['side']}, {n['count']:,} executions), "
        "more than all other types combined. Start there."
    ),
    "ai_cpu_operators": lambda n: (
        f"{n['count']:,} executions on the AI CPU take {_ms(n['total'])} ({_percent(n['share'])} of the recorded "
        f"time), most of it in {n['type']}. Check whether data types keep them off the AI Core."
    ),
    "unusual_steps": lambda n: (
        f"{n['slow']:,} of {n['steps']:,} steps are slow outliers: they took {_ms(n['extra'])} longer in total than "
        f"the typical {_ms(n['usual'])} per step ({_percent(n['share'])} of all step time). "
        f"The slowest is step {n['slowest']}."
    ),
    "compiling": lambda n: (
        f"Compilation takes {_percent(n['share'])} of the recorded time ({n['times']:,} times, {_ms(n['total'])}). "
        "Warm up before profiling, and keep shapes and data types constant."
    ),
    "memory_nearly_full": lambda n: (
        f"{n['device']} used {_percent(n['share'])} of its memory: {_gigabytes(n['peak'])} of {_gigabytes(n['limit'])}."
    ),
    "recording_lost_things": lambda n: f"{n['count']:,} records of the profile could not be read: {n['first']}.",
    "late_rank": lambda n: (
        f"Rank {n['rank']} of {n['ranks']:,} is a straggler: late in {_percent(n['steps'])} of the steps, "
        f"by {_ms(n['late'])} on average ({_percent(n['share'])} of a step)"
        + (f". It spends {_ms(n['more'])} more in {n['operator']} than the other ranks." if n["operator"] else ".")
    ),
    "slow_rank": lambda n: (
        f"Rank {n['rank']} of {n['ranks']:,} is slower than the others in {_percent(n['steps'])} of the steps, by "
        f"{_ms(n['late'])} on average ({_percent(n['share'])} of a step)"
        + (f". It spends {_ms(n['more'])} more in {n['operator']}." if n["operator"] else ".")
    ),
    "rank_interval": lambda n: (
        f"Rank {n['rank']} has the longest step interval: {_ms(n['interval'])}, {_percent(n['above'])} above "
        f"the mean of {_ms(n['mean'])}. Check whether it waits for data."
    ),
    "slow_link": lambda n: (
        f"Link {n['source']} → {n['target']} ({n['kind']}) reaches {n['speed']:.2f} GB/s, {_percent(n['below'])} "
        f"below the mean of {n['mean']:.2f} GB/s{_of_links(n['links'])}"
    ),
    "rank_flops_rate": lambda n: (
        f"Rank {n['rank']} runs at {_rate(n['rate'])}, {_percent(n['below'])} below the mean of "
        f"{_rate(n['mean'])}. Check whether its device is throttled or shared."
    ),
    "stage_flops": lambda n: (
        f"Pipeline stage {n['stage']} computes {_percent(n['above'])} more than the average stage "
        f"({n['flops']:.4g} versus {n['mean']:.4g} FLOP). Move layers to other stages."
    ),
    "stage_receive": lambda n: (
        f"Waiting to receive from other stages takes {_percent(n['share'])} of the compute and communication time of "
        f"the {n['ranks']:,} ranks ({_ms(n['receive'])} per step on average). Balance the stages, or use "
        "more micro-batches."
    ),
    "stage_collectives": lambda n: (
        f"Collective communication takes {_percent(n['share'])} of the compute and communication time of stage "
        f"{n['stage']}; {n['above']} of {n['stages']} stages exceed 10 %. Check how its operators are sharded."
    ),
    "data_parallel_tail": lambda n: (
        f"{_percent(n['share'])} of a step ({_ms(n['tail'])}) comes after the backward pass, averaged over "
        f"{n['ranks']:,} ranks. Overlap gradient communication with the backward pass."
    ),
    "ranks_communication": lambda n: (
        f"Exposed communication takes {_percent(n['share'])} of the compute and communication time of the "
        f"{n['ranks']:,} ranks ({_ms(n['communication'])} per step on average)."
    ),
    "no_steps": lambda n: (
        "No steps are marked. Call the profiler's step() after each training step, or use a callback that does."
        f"{' MindSpore does not record steps on CPU.' if n['tool'] == 'mindspore' else ''}"
    ),
}
