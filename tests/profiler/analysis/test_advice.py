"""Advice says what the numbers say: each rule in a recording made for it, and silence where nothing is wrong."""

from __future__ import annotations

import inspect
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from mindinsight_like.profiler.analysis import advice_words
from mindinsight_like.profiler.analysis.advice import advice
from mindinsight_like.profiler.analysis.advice_words import sentence
from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.traces.trace import (
    Activity,
    Counter,
    InputPipeline,
    Loss,
    Memory,
    PipelineOperator,
    Trace,
)
from tests.corpus import needs_mindinsight_data
from tests.profiler.recordings import trace_in, traces_in

from .made import DEVICE, HOST, Made, trace_of

US = 1000
STEP = 1000 * US


def told(trace: Trace) -> dict[str, Any]:
    """The advice by rule; each has words, and the order is by severity."""
    found = advice(analyse(trace).columns)
    order = ["high", "medium", "info"]
    ranks = [order.index(one["severity"]) for one in found]
    assert ranks == sorted(ranks)
    for one in found:
        assert sentence(one).endswith(".")
    return {one["rule"]: one for one in found}


def steps_of(*inside: Made, count: int = 6, length: int = STEP) -> list[Made]:
    """Equal steps on the host's thread with the same slices in each."""
    made = []
    for at in range(count):
        made.append(Made(at * length, length, f"step {at}", activity=Activity.STEP))
        made += [
            Made(at * length + one.start, one.duration, one.name, one.track, one.activity, type=one.type)
            for one in inside
        ]
    return made


def kernel(start: int, duration: int, name: str = "kernel", activity: Activity = Activity.KERNEL) -> Made:
    return Made(start * US, duration * US, name, 1, activity)


def test_a_training_that_computes_all_the_time_hears_nothing() -> None:
    made = steps_of(kernel(0, 400, "a"), kernel(400, 300, "b"), kernel(700, 300, "c"))
    assert told(trace_of(made, (HOST, DEVICE))) == {}


@pytest.mark.parametrize(
    ("rule", "inside", "numbers", "severity"),
    [
        (
            "input_bound",
            [Made(0, 300 * US, "DataLoader", activity=Activity.DATA), kernel(300, 350, "a"), kernel(650, 350, "b")],
            {"share": 0.3, "wait": 0.3, "step": 1.0},
            "high",
        ),
        (
            "exposed_communication",
            [kernel(0, 450, "a"), kernel(450, 400, "b"), kernel(850, 150, "nccl", Activity.COMMUNICATION)],
            {"share": 0.15, "exposed": 0.15, "step": 1.0, "hidden": 0.0},
            "medium",
        ),
        (
            "low_overlap",
            [kernel(0, 480, "a"), kernel(480, 440, "b"), kernel(920, 80, "nccl", Activity.COMMUNICATION)],
            {"share": 0.08, "exposed": 0.08, "step": 1.0, "hidden": 0.0},
            "medium",
        ),
        (
            "memory_copies",
            [kernel(0, 400, "a"), kernel(400, 375, "b"), kernel(775, 225, "Memcpy HtoD", Activity.COPY)],
            {"share": 0.225, "copies": 0.225, "step": 1.0},
            "high",
        ),
        (
            "device_idle",
            [kernel(0, 300, "a"), kernel(300, 350, "b")],
            {"share": 0.35, "idle": 0.35, "step": 1.0},
            "high",
        ),
        (
            "framework_overhead",
            [Made(0, 250 * US, "add"), Made(250 * US, 250 * US, "mul")],
            {"share": 0.5, "outside": 0.5, "step": 1.0},
            "high",
        ),
        (
            "compiling",
            [Made(0, 900 * US, "mul"), Made(100 * US, 100 * US, "backend_compile")],
            {"times": 6, "total": 0.6, "share": 0.1},
            "medium",
        ),
    ],
)
def test_rules_about_the_time_of_a_step(
    rule: str, inside: list[Made], numbers: dict[str, float], severity: str
) -> None:
    has_device = any(one.track == 1 for one in inside)
    found = told(trace_of(steps_of(*inside), (HOST, DEVICE) if has_device else (HOST,)))
    assert found[rule]["numbers"] == pytest.approx(numbers)
    assert found[rule]["severity"] == severity
    assert set(found) - {rule} <= {"dominating_type"}


def test_many_small_kernels_behind_a_busy_host() -> None:
    inside = [kernel(10 * at, 4, "a" if at % 2 else "b") for at in range(100)]
    inside.append(Made(0, STEP, "launching", activity=Activity.LAUNCH))
    found = told(trace_of(steps_of(*inside), (HOST, DEVICE)))["small_kernels"]
    assert found["numbers"] == pytest.approx({"mean": 0.004, "kernels": 600, "share": 0.6})
    assert found["place"].startswith("operators?")


def test_one_type_and_one_slow_step() -> None:
    made = steps_of(kernel(0, 800, "matmul"), kernel(800, 200, "add"), count=9)
    made += [Made(9 * STEP, 3 * STEP, "step 9", activity=Activity.STEP), Made(9 * STEP, 3 * STEP, "matmul", 1)]
    found = told(trace_of(made, (HOST, DEVICE)))
    slow = found["unusual_steps"]["numbers"]
    assert slow == pytest.approx({"slow": 1, "steps": 10, "extra": 2.0, "share": 2 / 12, "slowest": 9, "usual": 1.0})
    one = found["dominating_type"]
    assert one["numbers"]["type"] == "matmul"
    assert one["numbers"]["share"] == pytest.approx((9 * 0.8 + 3) / 12)
    assert one["place"] == "operators?by=name&side=device&type=matmul"


def queue(name: str, sizes: list[int]) -> InputPipeline:
    return InputPipeline([], -1.0, name, 8, np.arange(len(sizes)), np.array(sizes), np.zeros(len(sizes)))


def test_queues_and_operators_of_the_input_pipeline() -> None:
    full, empty = np.full(20, 8), np.full(20, 1)
    operators = [
        PipelineOperator(0, "Batch", 1, 8, empty, -1, [1]),
        PipelineOperator(1, "Map", 1, 8, full, 0, [2]),
        PipelineOperator(2, "Reader", 1, 8, full, 1, []),
    ]
    idle = Counter("CPU of the machine: idle", "%", np.arange(2), np.array([5.0, 15.0]))
    late = Trace("mindspore", pipelines=[InputPipeline(operators, 10.0), queue("device", [0] * 4 + [3] * 6)])
    late.counters = [idle]
    found = told(late)
    assert found["device_queue_empty"]["numbers"] == {"batches": 10, "empty": 4, "share": 0.4}
    assert found["slow_pipeline_operator"]["numbers"] == {
        "operator": "Batch", "number": 0, "usage": 1 / 8, "incoming": 1.0,
    }  # fmt: skip
    assert found["busy_processors"]["numbers"] == {"busy": 0.9}
    starved = told(Trace("mindspore", pipelines=[queue("device", [3] * 10), queue("get_next", [0] + [1] * 9)]))
    assert starved["get_next_empty"]["numbers"] == {"batches": 10, "empty": 1, "share": 0.1}
    assert set(starved) == {"get_next_empty"}
    few = told(Trace("mindspore", pipelines=[queue("device", [0])]))  # one sample proves little
    assert few["device_queue_empty"]["severity"] == "info"


def test_memory_losses_and_missing_steps_are_told() -> None:
    trace = trace_of([Made(0, 10, "a"), Made(10, 10, "b")])
    gigabyte = 2**30
    trace.facts["deviceProperties"] = [{"id": 0, "totalGlobalMem": 10 * gigabyte}]
    reserved = np.array([-1, int(9.5 * gigabyte)])
    trace.memory = [
        Memory("GPU 0", np.arange(2), np.array([0, 9 * gigabyte]), reserved),
        Memory("CPU", *[reserved] * 3),
    ]
    trace.losses = [Loss("cut off", 3)]
    found = told(trace)
    assert found["memory_nearly_full"]["numbers"]["share"] == pytest.approx(0.95)
    assert found["recording_lost_things"]["numbers"] == {"kinds": 1, "count": 3, "first": "cut off"}
    assert set(found) == {"memory_nearly_full", "recording_lost_things", "no_steps"}


@pytest.mark.parametrize("language", ["en", "zh"])
def test_the_page_has_words_for_every_rule(language: str) -> None:
    page = (Path(__file__).parents[3] / f"ui/src/i18n/{language}/profiler/advice.ts").read_text("utf-8")
    sentences = dict(re.findall(r"^  (\w+): \(n\) =>(.*?)(?=^  \w+: \(n\) =>|^\})", page, re.MULTILINE | re.DOTALL))
    assert set(sentences) == set(advice_words.SENTENCES)
    written = inspect.getsource(advice_words)
    for rule, sentence_of_page in sentences.items():
        here = written.partition(f'"{rule}": ')[2].partition('\n    "')[0]
        numbers = set(re.findall(r"n\.\w+\('(\w+)'\)", sentence_of_page))
        assert numbers <= set(re.findall(r"n\['(\w+)'\]", here)), (rule, sentence_of_page)


@needs_mindinsight_data
def test_an_interval_between_steps_is_named_when_it_is_a_part_of_the_step_worth_naming(corpus: Path) -> None:
    long = told(trace_in(corpus, "ascend/raw/JOB1"))
    short = told(traces_in(corpus, "mindinsight-profiles/clu")[0])  # 0.8 of 179 ms

    assert long["long_interval"]["numbers"]["share"] == pytest.approx(0.6926, abs=1e-4)
    assert "long_interval" not in short
