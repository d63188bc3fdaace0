"""Steps that our `Profiler` notes among MindSpore's files, which it keeps on Ascend devices only."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.training.drivers.step_marks import StepMarks

from .recordings import trace_in, trace_of

FOLDER = "host_7_20260101000000000_ascend_ms"
EXECUTIONS = f"{FOLDER}/FRAMEWORK/cpu_op_execute_timestamp_0.txt"


def executed(*begins: int) -> str:
    return "Default/MatMul-op0;HostCpuOps;" + "".join(f"{begin},0.000010,0 " for begin in begins) + "\n"


@pytest.mark.parametrize(("is_in_step", "numbers"), [(False, [4, 5]), (True, [4])])
def test_steps_that_were_marked_are_those_of_the_recording(
    tmp_path: Path, is_in_step: bool, numbers: list[int]
) -> None:
    marks = StepMarks()
    marks.begin(4)
    first = time.time_ns()
    time.sleep(0.001)
    marks.begin(5)
    second = time.time_ns()
    time.sleep(0.001)
    marks.end(is_in_step=is_in_step)
    (tmp_path / EXECUTIONS).parent.mkdir(parents=True)
    (tmp_path / EXECUTIONS).write_text(executed(first, second))
    marks.write(tmp_path / FOLDER)

    trace = trace_in(tmp_path)

    assert trace.steps is not None and trace.steps.is_of_host
    assert trace.steps.number.tolist() == numbers
    inside = zip((first, second), trace.steps.begin.tolist(), trace.steps.end.tolist(), strict=False)
    assert all(begin <= execution - trace.origin < end for execution, begin, end in inside)
    steps = analyse(trace).steps()["steps"]
    assert [step["number"] for step in steps] == numbers
    assert [step["parts"]["compute"] for step in steps] == [pytest.approx(1e-5)] * len(numbers)


def test_nothing_is_written_for_no_step(tmp_path: Path) -> None:
    marks = StepMarks()
    marks.begin(0)
    marks.end(is_in_step=True)
    marks.write(tmp_path)

    assert list(tmp_path.iterdir()) == []


def test_steps_that_are_not_whole_are_told(tmp_path: Path) -> None:
    begin = 1_700_000_000_000_000_000
    rows = [f"1,{begin},{begin + 50}", f"2,{begin + 50},{begin + 40}", "3,x,"]

    trace = trace_of(
        tmp_path,
        {EXECUTIONS: executed(begin + 10), f"{FOLDER}/mi_steps.csv": "\n".join(["step,begin(ns),end(ns)", *rows, ""])},
    )

    assert trace.steps is not None and trace.steps.number.tolist() == [1]
    assert [(loss.message, loss.count) for loss in trace.losses] == [("steps that are not whole", 2)]


def test_steps_of_the_profiler_itself_go_before(tmp_path: Path) -> None:
    begin = 1_700_000_000_000_000_000
    event = '{"ph": "X", "name": "ProfilerStep#9", "pid": 1, "tid": 1, "ts": "1700000000000000.000", "dur": "9.000"}'
    named = '{"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": "MindSpore"}}'

    trace = trace_of(
        tmp_path,
        {
            EXECUTIONS: executed(begin + 10),
            f"{FOLDER}/ASCEND_PROFILER_OUTPUT/trace_view.json": f"[{named}, {event}]",
            f"{FOLDER}/mi_steps.csv": f"step,begin(ns),end(ns)\n1,{begin},{begin + 50}\n",
        },
    )

    assert [step["number"] for step in analyse(trace).steps()["steps"]] == [9]
