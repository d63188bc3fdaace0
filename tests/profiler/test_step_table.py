"""Steps that our `Profiler` notes among MindSpore's files, which it keeps on Ascend devices only."""

from __future__ import annotations

import shutil
import time
from pathlib import Path

import pytest

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.training.drivers.step_marks import StepMarks
from tests.corpus import needs_mindinsight_data

from .recordings import trace_in, trace_of, traces_in

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
    assert [(loss.message, loss.count) for loss in trace.losses] == [("incomplete steps", 2)]


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


def test_unmarked_steps_are_told_by_how_often_operators_ran(tmp_path: Path) -> None:
    recorded = Path(__file__).with_name("recorded") / "mindspore"
    (folder,) = recorded.glob("*_ascend_ms")
    shutil.copytree(folder, tmp_path / folder.name)
    (tmp_path / folder.name / "mi_steps.csv").unlink()

    trace = trace_in(tmp_path)

    assert trace.steps is not None and trace.steps.number.tolist() == [1, 2, 3]
    begin, end = trace.steps.begin.tolist(), trace.steps.end.tolist()
    assert end[:2] == begin[1:]
    analysed = analyse(trace)
    assert {row["type"]: row["count"] for row in analysed.operators("type", limit=None).rows}["MatMul"] == 15
    assert all(step["parts"]["compute"] > 0 for step in analysed.steps()["steps"])


@pytest.mark.parametrize("frequencies", [(1, 4), (2, 3), (6, 6), (0, 0)])
def test_steps_are_not_guessed_where_operators_disagree(tmp_path: Path, frequencies: tuple[int, int]) -> None:
    types = tmp_path / FOLDER / "FRAMEWORK" / "cpu_op_type_info_0.csv"
    (tmp_path / EXECUTIONS).parent.mkdir(parents=True)
    (tmp_path / EXECUTIONS).write_text(executed(10, 20, 30, 40, 50, 60))
    head = "op_type,type_occurrences,execution_frequency(per-step),total_compute_time,avg_time(ms),percent\n"
    rows = (f"{name},6,{frequency},1,1,1\n" for name, frequency in zip(("MatMul", "Add"), frequencies, strict=True))
    types.write_text(head + "".join(rows))

    assert trace_in(tmp_path).steps is None


def test_steps_whose_operators_are_mixed_up_are_none(tmp_path: Path) -> None:
    (tmp_path / EXECUTIONS).parent.mkdir(parents=True)
    second = executed(21, 22).replace("MatMul-op0", "Add-op1")  # its first execution comes after the other's second
    (tmp_path / EXECUTIONS).write_text(executed(10, 20) + second)
    head = "op_type,type_occurrences,execution_frequency(per-step),total_compute_time,avg_time(ms),percent\n"
    rows = "MatMul,2,1,1,1,1\nAdd,2,1,1,1,1\n"
    (tmp_path / FOLDER / "FRAMEWORK" / "cpu_op_type_info_0.csv").write_text(head + rows)

    assert trace_in(tmp_path).steps is None


@needs_mindinsight_data
def test_the_number_of_a_step_chooses_its_collectives_and_nothing_else(corpus: Path) -> None:
    """As docs/rest-api.md has it for `/profiles/{id}/steps?step=`."""
    analysed = analyse(traces_in(corpus, "mindinsight-profiles/clu")[0])
    mean, third, none = analysed.steps(), analysed.steps(3), analysed.steps(77)

    assert third["steps"] == mean["steps"] == none["steps"]
    assert {each["count"] for each in third["collectives"]} == {1}
    whole = [each for each in mean["steps"] if not each["is_partial"]]
    assert {each["count"] for each in mean["collectives"]} == {len(whole)}
    assert none["collectives"] == []
