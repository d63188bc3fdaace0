"""The Profiler of a training script: which steps it records, how it drives frameworks, what it leaves."""

from __future__ import annotations

import csv
import json
import os
import shutil
import socket
import subprocess
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from enum import Enum
from inspect import signature
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, ClassVar

import pytest

import mindinsight_like as mi
from mindinsight_like.logs.framing import frame
from mindinsight_like.profiler.training import recorder
from mindinsight_like.profiler.training.drivers import DriverOptions
from tests.corpus import needs_mindinsight_data

from .traces import names, only_trace, traces_in


class Theirs(Enum):
    """States as torch, MindSpore and Paddle number them."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def train(profiler: mi.Profiler, steps: int) -> None:
    for number in range(profiler.current_step, profiler.current_step + steps):
        with profiler.op(f"step {number}"):
            pass
        profiler.step()


def recorded(folder: Path) -> list[list[int]]:
    """The steps of each recording, which must hold just the slices of its steps."""
    found = []
    for trace in traces_in(folder):
        assert trace.steps is not None
        numbers = trace.steps.number.tolist()
        assert names(trace) == [f"step {number}" for number in numbers]
        found.append(numbers)
    return found


@pytest.mark.parametrize(
    ("schedule", "expected"),
    [
        (mi.schedule(wait=2, warmup=1, active=2, repeat=2), [[3, 4], [8, 9]]),
        (mi.schedule(active=1, skip_first=4, wait=3), [[7], [11]]),
        (mi.schedule(active=5, repeat=1), [[0, 1, 2, 3, 4]]),
        (mi.schedule(active=3), [[0, 1, 2], [3, 4, 5], [6, 7, 8], [9, 10, 11]]),
        (lambda step: Theirs.RECORD if step in (5, 6) else Theirs.NONE, [[5, 6]]),
        (None, [list(range(12))]),
    ],
)
def test_the_steps_of_the_schedule_are_recorded_each_time_in_a_file(
    schedule: Callable[[int], Any] | None, expected: list[list[int]], tmp_path: Path
) -> None:
    profiler = mi.Profiler(tmp_path, framework="none", schedule=schedule)
    train(profiler, 12)
    profiler.stop()

    assert recorded(tmp_path) == expected


def test_a_running_training_can_be_asked_for_the_next_steps(tmp_path: Path) -> None:
    profiler = mi.Profiler(tmp_path, framework="none", start_profile=False)
    blocks: list[bytes] = []
    profiler.on_records(blocks.append)
    train(profiler, 3)
    asked: list[bool] = []
    asking = threading.Thread(target=lambda: asked.append(profiler.request(2)))
    asking.start()
    asking.join()
    assert (asked, profiler.request(5), profiler.is_recording) == ([True], False, False)
    train(profiler, 2)
    assert profiler.is_recording and not profiler.request(1)
    train(profiler, 4)
    assert not profiler.is_recording
    profiler.start()
    train(profiler, 1)
    profiler.stop()
    train(profiler, 1)

    # The training was in its fourth step when it was asked.
    assert recorded(tmp_path) == [[4, 5], [9]]
    assert [block[:4] for block in blocks].count(b"SLIC") == 2
    assert blocks[0][:4] == b"MITR" and blocks[-1][:4] == b"DONE"


def test_who_listens_later_gets_what_it_needs_to_understand(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorder, "_FLUSH_NS", 0)  # everything is written as it comes
    profiler = mi.Profiler(tmp_path, framework="none")
    train(profiler, 2)
    blocks: list[bytes] = []
    profiler.on_records(blocks.append)
    profiler.on_records(lambda block: 1 / 0)  # type: ignore[arg-type]  # told, and nothing more
    with pytest.warns(RuntimeWarning, match="listener"):
        train(profiler, 2)
        profiler.stop()

    copy = tmp_path / "copy"
    copy.mkdir()
    (copy / "node_1.rank0.1794851644105896173.mi-trace").write_bytes(b"".join(map(frame, blocks)))
    assert names(only_trace(copy))[-2:] == ["step 2", "step 3"]
    assert only_trace(copy).losses == []


class Fake:
    """A framework's profiler that notes what it is told, and fails where it is asked to."""

    ARGUMENTS: ClassVar = frozenset({"profile_memory"})

    def __init__(self, fails: str = "") -> None:
        self.recording = ""
        self.facts: dict[str, Any] = {}
        self.told: list[str] = []
        self._fails = fails

    @contextmanager
    def mark(self, name: str, type: str) -> Iterator[None]:
        self._note(f"+{name}")
        yield
        self._note(f"-{name}")

    def prepare(self, step: int) -> None:
        self._note(f"prepare {step}")

    def begin(self, step: int) -> None:
        self._note(f"begin {step}")

    def step(self, step: int) -> None:
        self._note(f"step {step}")

    def end(self, *, is_in_step: bool) -> None:
        self._note("end")

    def _note(self, what: str) -> None:
        self.told.append(what)
        if self._fails and what.startswith(self._fails):
            raise OSError("no device")


@pytest.fixture
def framework(monkeypatch: pytest.MonkeyPatch) -> Callable[[Fake], list[DriverOptions]]:
    """Puts a driver in the place of torch's, as if torch had been imported."""

    def put(driver: Fake) -> list[DriverOptions]:
        options: list[DriverOptions] = []
        module = ModuleType("mindinsight_like.profiler.training.drivers.torch")
        module.driver = lambda asked: (options.append(asked), driver)[1]  # type: ignore
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(sys.modules, "torch", ModuleType("torch"))
        return options

    return put


def test_the_framework_that_was_imported_is_driven_and_gets_the_marks(
    framework: Callable[[Fake], list[DriverOptions]], tmp_path: Path
) -> None:
    driver = Fake()
    options = framework(driver)
    with pytest.warns(RuntimeWarning, match="^aicore_metrics, op_time: these arguments mean nothing to") as told:
        profiler = mi.Profiler(
            tmp_path,
            schedule=mi.schedule(wait=1, warmup=2, active=2, repeat=1),
            profile_memory=True,
            op_time=True,
            aicore_metrics=3,
        )
        train(profiler, 6)
        profiler.stop()

    assert len(told) == 1 and told[0].filename == __file__
    assert profiler.framework == "torch"
    assert (options[0].folder, options[0].chosen("profile_memory", record_shapes=True)) == (
        tmp_path,
        {"profile_memory": True, "record_shapes": True},
    )
    assert driver.told == [
        "prepare 1",
        "step 2",
        "begin 3",
        "+step 3",
        "-step 3",
        "step 4",
        "+step 4",
        "-step 4",
        "end",
    ]
    assert not list(tmp_path.iterdir())  # all is in the framework's own files


@pytest.mark.parametrize("fails", ["begin", "step 2", "end", "+", "-"])
def test_a_framework_that_fails_is_told_once_and_hurts_nothing(
    fails: str, framework: Callable[[Fake], list[DriverOptions]], tmp_path: Path
) -> None:
    driver = Fake(fails)
    framework(driver)
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        profiler = mi.Profiler(tmp_path)
        train(profiler, 5)
        profiler.stop()

    messages = [str(each.message) for each in told]
    assert len(messages) == len(set(messages)) <= 1 and all("no device" in each for each in messages)
    if fails in ("begin", "step 2"):
        assert names(only_trace(tmp_path))[-1] == "step 4"


def test_wrong_arguments_are_refused_before_the_training_begins(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="torch"):
        mi.Profiler(tmp_path, framework="theano")
    with pytest.raises(ValueError, match="active"):
        mi.schedule(active=0)
    with pytest.raises(TypeError, match="schedule"):
        mi.Profiler(tmp_path, schedule=3)  # type: ignore[arg-type]


def test_analyse_leaves_tables_and_tells_what_takes_time(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with mi.Profiler(tmp_path, framework="none", optypes_not_deal="Variable,Print", subgraph="Default") as profiler:
        for _ in range(3):
            with profiler.op("Default/network/MatMul-op1", type="MatMul"):
                time.sleep(0.06)
                with profiler.op("Default/network/Relu-op2", type="Relu"):
                    time.sleep(0.005)
            with profiler.op("Gradients/MatMul-op3", type="MatMulGrad"):
                pass
            with profiler.op("Default/Print-op4", type="Print"):
                pass
            with profiler.op("read", type="data"):
                time.sleep(0.002)
            profiler.step()

    said = capsys.readouterr()
    (folder,) = (tmp_path / "analysis").iterdir()
    types = {row["op_type"]: row for row in _table(folder / "operators_by_type.csv")}
    assert set(types) == {"MatMul", "Relu", "MatMulGrad", "data"}
    assert types["MatMul"]["type_occurrences"] == "3"
    assert types["MatMul"]["execution_frequency(per-step)"] == "1.0"
    assert float(types["MatMul"]["total_compute_time"]) >= 45 and float(types["MatMul"]["self_time(ms)"]) >= 30
    operators = {row["op_name"]: row for row in _table(folder / "operators_by_name.csv")}
    assert set(operators) == {"MatMul-op1", "Relu-op2"}
    assert operators["Relu-op2"]["full_op_name"] == "Default/network/Relu-op2"
    assert operators["Relu-op2"]["subgraph"] == "Default"
    steps = _table(folder / "steps.csv")
    assert [row["step_num"] for row in steps] == ["0", "1", "2"]
    for row in steps:
        parts = [float(value) for head, value in row.items() if head not in ("step_num", "start(ms)", "total(ms)")]
        assert sum(parts) == pytest.approx(float(row["total(ms)"]), abs=1e-4)
    lines = said.out.splitlines()
    assert lines[0].startswith("Profile of ") and lines[0].endswith("3 steps")
    assert lines[3].split()[-1] == "MatMul" and "Print" not in said.out
    assert any("A step takes" in line for line in lines) and str(folder) in lines[-1]
    assert said.err == ""  # the bar is for terminals
    assert (folder / "columns").is_dir()


def test_analyse_without_detail_has_no_names_and_without_records_says_so(tmp_path: Path) -> None:
    with mi.Profiler(tmp_path, is_detail=False, framework="none") as profiler, profiler.op("work"):
        pass
    (folder,) = (tmp_path / "analysis").iterdir()
    assert not (folder / "operators_by_name.csv").exists()

    # Without a framework nothing is recorded by itself: what to do is told, too.
    with pytest.warns(RuntimeWarning, match=r"nothing was recorded.*profiler\.op\("):
        mi.Profiler(tmp_path / "empty", framework="none").analyse()
    profiler = mi.Profiler(tmp_path / "steps", framework="none")
    for _ in range(3):
        profiler.step()
    with pytest.warns(RuntimeWarning, match=r"only steps were recorded.*profiler\.op\("):
        profiler.analyse()


def test_a_step_that_the_recording_cuts_off_is_none_of_the_tables(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def event(name: str, begin: int, microseconds: int) -> dict[str, object]:
        return {"ph": "X", "name": name, "cat": "cpu_op", "pid": 1, "tid": 1, "ts": begin, "dur": microseconds}

    steps = [event(f"ProfilerStep#{n}", 1000 * n, 900 if n < 3 else 5) | {"cat": "user_annotation"} for n in range(4)]
    work = [event("aten::mm", 1000 * n + 100 * part, 50) for n in range(3) for part in range(1, 4)]
    (tmp_path / "x.pt.trace.json").write_text(json.dumps({"traceEvents": [*steps, *work]}))

    mi.Profiler(tmp_path / "here", framework="none").analyse(tmp_path)

    (folder,) = (tmp_path / "analysis").iterdir()
    assert [row["step_num"] for row in _table(folder / "steps.csv")] == ["0", "1", "2"]
    types = {row["op_type"]: row for row in _table(folder / "operators_by_type.csv")}
    assert types["aten::mm"]["execution_frequency(per-step)"] == "3.0"
    assert "9 executions of 1 operators, 3 steps" in capsys.readouterr().out


def test_analyse_takes_the_arguments_of_mindspore(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with mi.Profiler(tmp_path / "there", framework="none") as profiler, profiler.op("elsewhere"):
        pass
    capsys.readouterr()

    mi.Profiler(tmp_path / "here", framework="none").analyse(
        tmp_path / "there", pretty=True, step_list=[1], mode="async"
    )

    assert "elsewhere" in capsys.readouterr().out


def test_a_recording_goes_on_when_the_variable_of_its_profiler_is_gone(tmp_path: Path) -> None:
    program = (
        "import gc, sys, mindinsight_like as mi\n"
        "def train():\n"
        "    profiler = mi.Profiler(sys.argv[1], framework='none')\n"
        "    with profiler.op('work'): pass\n"
        "    profiler.step()\n"
        "train()\ngc.collect()"
    )

    subprocess.run([sys.executable, "-c", program, str(tmp_path)], check=True, timeout=60)

    trace = only_trace(tmp_path)
    assert names(trace) == ["work"]
    assert trace.facts["is_complete"]


@needs_mindinsight_data
def test_a_job_that_ascend_has_recorded_is_analysed(corpus: Path, tmp_path: Path) -> None:
    shutil.copytree(corpus / "ascend" / "raw" / "JOB3", tmp_path / "JOB3")

    mi.Profiler(tmp_path, job_id="JOB3", is_show_op_path=True).analyse()

    (folder,) = (tmp_path / "analysis").iterdir()
    operators = _table(folder / "operators_by_name.csv")
    assert len(_table(folder / "steps.csv")) == 322
    assert sum(int(row["op_occurrences"]) for row in operators) == 2817
    assert len({row["op_name"] for row in operators}) == 199


def _table(path: Path) -> list[dict[str, str]]:
    with path.open(newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def test_a_recording_that_the_user_names_is_found_and_other_files_are_not_taken_for_one(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    event = {"ph": "X", "name": "aten::mm", "cat": "cpu_op", "pid": 1, "tid": 1, "ts": 5, "dur": 7}
    profiler = mi.Profiler(tmp_path, framework="none")
    (tmp_path / "my own name.json").write_text(json.dumps({"traceEvents": [event]}))
    (tmp_path / "config.json").write_text(json.dumps({"rate": 0.1}))
    (tmp_path / f"{socket.gethostname()}_1.rank1.1794851644105896173.pt.trace.json").write_text("{}")  # another rank's

    profiler.analyse()

    assert [path.name for path in (tmp_path / "analysis").iterdir()] == ["my-own-name.json"]
    assert "1 executions of 1 operators" in capsys.readouterr().out


@pytest.mark.parametrize("way", ["fork", "before the recording"])
def test_forked_processes_add_to_the_recording_of_a_framework(
    way: str, framework: Callable[[Fake], list[DriverOptions]], tmp_path: Path
) -> None:
    framework(Fake())
    schedule = mi.schedule(wait=1, active=1, repeat=1)
    profiler = mi.Profiler(tmp_path, schedule=schedule if way != "fork" else None)
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        os.read(reading, 1)
        with profiler.op("in the child", type="data"):
            pass
        profiler.stop()
        os._exit(0)
    profiler.step()
    os.write(writing, b"x")
    os.waitpid(child, 0)
    profiler.stop()
    os.close(reading)
    os.close(writing)

    trace = only_trace(tmp_path)  # the framework here leaves nothing
    assert names(trace) == ["in the child"]
    assert [track.is_helper for track in trace.tracks] == [True]


@pytest.mark.parametrize(
    ("callback", "module", "theirs", "calls"),
    [
        (
            "KerasProfilerCallback",
            "keras",
            "callbacks.Callback",
            ("on_train_begin", "on_train_batch_end", "on_train_end"),
        ),
        (
            "HuggingFaceProfilerCallback",
            "transformers",
            "TrainerCallback",
            ("on_train_begin", "on_step_end", "on_train_end"),
        ),
        (
            "LightningProfilerCallback",
            "lightning.pytorch",
            "Callback",
            ("on_train_start", "on_train_batch_end", "on_train_end"),
        ),
        (
            "MindSporeProfilerCallback",
            "mindspore.train.callback",
            "Callback",
            ("on_train_begin", "on_train_step_end", "on_train_end"),
        ),
        (
            "PaddleProfilerCallback",
            "paddle.callbacks",
            "Callback",
            ("on_train_begin", "on_train_batch_end", "on_train_end"),
        ),
    ],
)  # `make compat` tries them in the frameworks' own loops
def test_callbacks_join_their_framework_and_mark_steps(
    callback: str,
    module: str,
    theirs: str,
    calls: tuple[str, str, str],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    base = type("Base", (), {})
    made = ModuleType(module)
    name, _, inner = theirs.partition(".")
    setattr(made, name, SimpleNamespace(**{inner: base}) if inner else base)
    monkeypatch.setitem(sys.modules, module, made)
    begin, step, end = calls

    def call(function: Callable[..., None]) -> None:
        given = signature(function).parameters.values()
        function(*(None for each in given if each.kind is each.POSITIONAL_OR_KEYWORD))

    one = getattr(mi, callback)(tmp_path, framework="none")
    assert isinstance(one, base)
    for method in (begin, step, step, end):
        call(getattr(one, method))
    assert capsys.readouterr().out.splitlines()[0].endswith("2 steps")

    profiler = mi.Profiler(tmp_path / "own", framework="none")
    call(getattr(getattr(mi, callback)(profiler), step))
    assert profiler.current_step == 1
    profiler.stop()
    with pytest.raises(TypeError, match="schedule"):
        getattr(mi, callback)(profiler, schedule=None)
