"""Steps: parts that add up to the nanosecond, and the steps that are unusual."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings

from mindinsight_like.profiler.analysis.analysed import Analysed, analyse
from mindinsight_like.profiler.traces.trace import Activity, Collectives, Steps, Trace
from tests.corpus import CORPUS, needs_mindinsight_data
from tests.profiler.recordings import trace_in

from .made import DEVICE, HOST, LAYER, Made, slices, trace_of

PARTS = ("compute", "communication", "copy", "launch", "input_wait", "host_operators", "python", "other")


def part_of(one: Made, has_device: bool) -> str:
    """The part that claims a slice."""
    on_host = {
        Activity.LAUNCH: "launch",
        Activity.WAIT: "launch",
        Activity.DATA: "input_wait",
        Activity.PYTHON: "python",
        Activity.ANNOTATION: "python",
    }
    anywhere = {
        Activity.OPERATOR: "host_operators" if has_device and one.track == 0 else "compute",
        Activity.KERNEL: "compute",
        Activity.AI_CPU: "compute",
        Activity.COMMUNICATION: "communication",
        Activity.COPY: "copy",
        Activity.FILL: "copy",
    }
    if one.track == 2:
        return "other"
    return (anywhere | (on_host if one.track == 0 else {})).get(one.activity, "other")


@settings(max_examples=150)
@given(made=slices(tracks=3, activities=[activity for activity in Activity if activity != Activity.STEP]))
def test_each_moment_of_a_step_goes_to_the_first_part_that_claims_it(made: list[Made]) -> None:
    marks = [Made(0, 30, "step#1", activity=Activity.STEP), Made(35, 60, "step#2", activity=Activity.STEP)]
    worked = {Activity.OPERATOR, Activity.KERNEL, Activity.AI_CPU, Activity.COPY, Activity.COMMUNICATION}
    has_device = any(one.track == 1 and one.activity in worked for one in made)
    order = PARTS[:-1] if has_device else ("input_wait", *PARTS[:4], "python")

    table = analyse(trace_of(made + marks, (HOST, DEVICE, LAYER))).columns.steps

    for step, mark in enumerate(marks):
        moments = dict.fromkeys(PARTS, 0)
        both = 0
        for moment in range(mark.start, mark.end):
            by_track = [
                {part_of(one, has_device) for one in made if one.start <= moment < one.end and one.track == track}
                for track in range(3)
            ]
            for each in by_track if not has_device else ():
                if "communication" in each:  # a host that is in a collective waits for it
                    each.discard("compute")
            claims = set().union(*by_track)
            moments[next((part for part in order if part in claims), "other")] += 1
            both += {"compute", "communication"} <= claims
        assert dict(zip(table.parts, table.part_times[step].tolist(), strict=True)) == moments
        assert table.part_times[step].sum() == mark.duration
        assert table.overlapped[step] == both
        assert bool(table.is_measured[step]) == (sum(moments.values()) > moments["other"])


def training(slow_step: int | None = 5, last_is_cut: bool = True) -> Analysed:
    made = []
    for step in range(12):
        begin, extra = step * 1000, 700 if step == slow_step else 0
        made += [
            Made(begin, 300 + extra, f"ProfilerStep#{step + 3}", activity=Activity.STEP),
            Made(begin + 10, 100, "conv"),
            Made(begin + 120, 80 + extra, "pool"),
        ]
    if last_is_cut:
        made.append(Made(12_000, 5, "ProfilerStep#15", activity=Activity.STEP))
    return analyse(trace_of(made))


def test_an_unusual_step_is_explained_and_a_cut_one_left_out() -> None:
    found = training().steps()

    steps = found["steps"]
    assert [step["number"] for step in steps] == list(range(3, 16))
    assert [step["number"] for step in steps if step["is_unusual"]] == [8]
    assert steps[5]["why"] == [{"name": "pool", "typical_time": pytest.approx(8e-5), "time": pytest.approx(7.8e-4)}]
    assert [step["number"] for step in steps if step["is_partial"]] == [15]
    assert found["average"]["steps"] == 12
    assert found["average"]["duration"] == pytest.approx((300 * 11 + 1000) / 12 / 1e6)
    assert [step["number"] for step in training().steps(offset=2, limit=3)["steps"]] == [5, 6, 7]
    assert not any(step["is_unusual"] for step in training(slow_step=None, last_is_cut=False).steps()["steps"])


def marked() -> Trace:
    """Steps as devices mark them, of which only the second has slices and the third a tool's sums."""
    number, begin, end = np.array([[1, 2, 3, 4], [0, 100, 200, 300], [100, 200, 300, 400]])
    forward, backward = np.array([0, 105, 205, 305]), np.array([60, 165, 265, 365])
    unknown = np.full(4, -1)
    computing, talking = unknown.copy(), unknown.copy()
    computing[2], talking[2] = 70, 20
    trace = trace_of([Made(110, 30, "Conv2D", track=1)], (HOST, DEVICE))
    trace.steps = Steps(number, begin, end, forward, backward, computing, talking + 5, talking, unknown)
    trace.collectives = Collectives(
        np.array([1, 2, 3]), ["AllReduce"] * 3, np.array([50, 150, 260]), np.array([60, 170, 270]), ["520"] * 3
    )
    return trace


def test_marks_of_a_device_give_interval_forward_backward_and_tail() -> None:
    analysed = analyse(marked())

    found = analysed.steps()

    first, second, third, last = found["steps"]
    assert [second[key] * 1e6 for key in ("interval", "forward_backward", "tail")] == pytest.approx([5, 60, 35])
    assert [step["is_partial"] for step in found["steps"]] == [True, False, False, False]
    assert first["parts"] == last["parts"] == {}
    assert {part: round(time * 1e6) for part, time in second["parts"].items() if time} == {
        "compute": 30, "communication": 20, "other": 50
    }  # fmt: skip
    assert {part: round(time * 1e6) for part, time in third["parts"].items() if time} == {
        "compute": 70, "communication": 20, "other": 10
    }  # fmt: skip
    average = found["average"]
    assert (average["steps"], average["measured_steps"]) == (3, 2)
    assert [average[key] * 1e6 for key in ("duration", "interval", "tail")] == pytest.approx([100, 5, 35])
    assert average["parts"]["compute"] * 1e6 == pytest.approx(50)
    (collective,) = found["collectives"]
    assert [collective[key] for key in ("name", "stream", "count")] == ["AllReduce", "520", 2]
    assert (collective["begin"] * 1e6, collective["duration"] * 1e6) == pytest.approx((55, 15))
    (of_third,) = analysed.steps(3)["collectives"]
    assert (of_third["begin"] * 1e6, of_third["duration"] * 1e6) == pytest.approx((60, 10))


@needs_mindinsight_data
def test_a_real_recording_of_a_device_has_the_figures_that_mindinsight_showed() -> None:
    analysed = analyse(trace_in(CORPUS, "ascend/raw/JOB3"))

    totals, average = analysed.summary().totals, analysed.steps()["average"]

    assert [getattr(totals, key) for key in ("operators", "types", "executions", "steps")] == [199, 29, 2817, 322]
    found = [average[key] for key in ("duration", "interval", "forward_backward", "tail")]
    assert found == pytest.approx([205.3809, 0.2038, 118.054, 87.1231], abs=1e-4)
