"""Recording by hand: what is in the file is what the program did, whoever did it and however.

`make test-twin` runs this once more on the Python twin of the compiled slices.
"""

from __future__ import annotations

import asyncio
import copy
import multiprocessing
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from collections import Counter
from collections.abc import Generator, Iterator
from itertools import pairwise
from pathlib import Path

import pytest

from mindinsight_like import Profiler
from mindinsight_like.profiler.traces.trace import Activity
from mindinsight_like.profiler.training.reference.slices import CAPACITY

from .traces import names, only_trace, rows, traces_in


@pytest.fixture
def profiler(tmp_path: Path) -> Iterator[Profiler]:
    """One that records by hand, whatever else is imported."""
    made = Profiler(tmp_path, framework="none")
    yield made
    made.stop()


def test_blocks_functions_generators_and_coroutines_are_recorded_with_their_times(
    profiler: Profiler, tmp_path: Path
) -> None:
    @profiler.op("forward", type="MatMul", shape="[2, 2]")
    def forward(depth: int) -> int:
        """As written."""
        return depth and forward(depth - 1)

    @profiler.op("load", type="data")
    def load() -> Iterator[int]:
        yield 1
        yield 2

    @profiler.op("fetch")
    async def fetch() -> int:
        await asyncio.sleep(0)
        return 3

    began = time.perf_counter_ns()
    with profiler.op("step"):
        assert forward(2) == 0
        with profiler.op("sleep", type="wait"):
            time.sleep(0.02)
    whole = time.perf_counter_ns() - began
    assert list(load()) == [1, 2]
    assert asyncio.run(fetch()) == 3
    with pytest.raises(KeyError), profiler.op("fails"):
        raise KeyError
    with profiler.op(7, shape=[3, 4]):  # a training goes on whatever it is called
        pass
    profiler.stop()

    trace = only_trace(tmp_path)
    found = rows(trace)
    assert (forward.__name__, forward.__doc__) == ("forward", "As written.")
    # A generator is resumed once more than it yields.
    assert names(trace) == ["step", *["forward"] * 3, "sleep", *["load"] * 3, "fetch", "fails", "7"]
    step, *inner = found[:5]
    assert all(step[3] <= start <= end <= step[4] for *_, start, end in inner)
    assert all(outer[3] <= own[3] and own[4] <= outer[4] for outer, own in pairwise(inner[:3]))
    assert 20e6 <= inner[3][4] - inner[3][3] <= step[4] - step[3] <= whole
    assert trace.slices is not None
    activities = Counter(Activity(int(each)).name for each in trace.slices.activity)
    assert activities == {"OPERATOR": 7, "WAIT": 1, "DATA": 3}
    assert {trace.texts[each] for each in trace.slices.shape if each >= 0} == {"[2, 2]", "[3, 4]"}
    assert abs(trace.origin + step[3] - time.time_ns()) < 60e9


def test_threads_have_tracks_and_lose_nothing_to_each_other(profiler: Profiler, tmp_path: Path) -> None:
    calls = 3 * CAPACITY + 7

    def work(name: str) -> None:
        for _ in range(calls):
            with profiler.op(name):
                pass

    # The second pair has the names of the first, which have ended by then: the same tracks serve them.
    for _ in range(2):
        threads = [threading.Thread(target=work, args=(f"op {n}",), name=f"worker {n}") for n in range(3)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    profiler.stop()

    trace = only_trace(tmp_path)
    assert sorted(track.name for track in trace.tracks) == ["worker 0", "worker 1", "worker 2"]
    assert Counter(each[::2][:2] for each in rows(trace)) == {(f"op {n}", f"worker {n}"): 2 * calls for n in range(3)}
    assert trace.losses == []


def test_recordings_may_end_while_threads_are_at_work(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    profiler = Profiler(tmp_path, framework="none", start_profile=False)
    failures: list[object] = []
    monkeypatch.setattr(threading, "excepthook", failures.append)
    is_over = threading.Event()

    def work() -> None:
        while not is_over.is_set():
            with profiler.op("work"):
                profiler.count("loops", 1)

    threads = [threading.Thread(target=work) for _ in range(3)]
    for thread in threads:
        thread.start()
    for _ in range(6):
        profiler.start()
        time.sleep(0.02)
        profiler.stop()
    is_over.set()
    for thread in threads:
        thread.join()

    assert failures == []
    found = traces_in(tmp_path)
    assert len(found) == 6
    assert all(trace.facts["is_complete"] and not trace.losses and len(names(trace)) > 1 for trace in found)


def test_a_generator_that_is_ended_elsewhere_keeps_its_own_time(profiler: Profiler, tmp_path: Path) -> None:
    def batches() -> Generator[int, None, None]:
        with profiler.op("open"):
            yield 1

    first, second = batches(), batches()
    next(first)
    time.sleep(0.01)
    next(second)
    assert next(first, None) is None  # the first ends first
    threading.Thread(target=second.close).start()
    time.sleep(0.05)
    profiler.stop()

    found = rows(only_trace(tmp_path))
    assert [each[0] for each in found] == ["open", "open"]
    assert found[0][4] - found[0][3] > 10e6 and found[0][4] < found[1][4]


def test_steps_and_counters_are_recorded(profiler: Profiler, tmp_path: Path) -> None:
    for number in range(3):
        with profiler.op("train"):
            time.sleep(0.002)
        profiler.count("queue", number / 2, "batches")
        profiler.step()
    profiler.stop()

    trace = only_trace(tmp_path)
    assert trace.steps is not None
    assert trace.steps.number.tolist() == [0, 1, 2]
    assert (trace.steps.end - trace.steps.begin > 2e6).all()
    assert (trace.steps.end[:-1] == trace.steps.begin[1:]).all()
    for (_, _, _, start, end), begin, until in zip(rows(trace), trace.steps.begin, trace.steps.end, strict=True):
        assert begin <= start <= end <= until
    (counter,) = trace.counters
    assert (counter.name, counter.unit, counter.value.tolist()) == ("queue", "batches", [0.0, 0.5, 1.0])


@pytest.mark.parametrize("way", ["fork", "multiprocessing"])
def test_forked_processes_add_to_the_recording(way: str, profiler: Profiler, tmp_path: Path) -> None:
    with profiler.op("before"):
        pass

    def work() -> None:
        with profiler.op("in the child"):
            pass

    if way == "fork":
        child = os.fork()
        if not child:
            work()
            profiler.stop()
            os._exit(0)
        os.waitpid(child, 0)
    else:
        process = multiprocessing.get_context("fork").Process(target=work)
        process.start()
        process.join()
    with profiler.op("after"):
        pass
    profiler.stop()

    trace = only_trace(tmp_path)
    assert sorted(names(trace)) == ["after", "before", "in the child"]
    assert len({track.process for track in trace.tracks}) == 2
    assert trace.losses == []


def test_processes_that_the_profiler_is_sent_to_add_to_the_recording(tmp_path: Path) -> None:
    program = (
        "import pickle, sys\n"
        "profiler = pickle.load(sys.stdin.buffer)\n"
        "for line in ('while it records', 'when it has ended'):\n"
        "    with profiler.op(line, type='data'): pass\n"
        "    profiler.step()\n"
        "    profiler.stop()\n"
        "    print('done', flush=True)\n"
        "    sys.stdin.buffer.readline()\n"
    )
    profiler = Profiler(tmp_path, framework="none", start_profile=False)
    command = [sys.executable, "-c", program]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
        assert child.stdin is not None and child.stdout is not None
        profiler.start()
        with profiler.op("here"):
            child.stdin.write(pickle.dumps(profiler))
            child.stdin.flush()
            assert child.stdout.readline() == b"done\n"
        profiler.step()
        profiler.stop()
        child.stdin.write(b"\n")
        child.stdin.flush()
        assert child.stdout.readline() == b"done\n"
        child.stdin.write(b"\n")

    trace = only_trace(tmp_path)
    assert sorted(names(trace)) == ["here", "while it records"]
    assert {track.is_helper for track in trace.tracks} == {True, False}
    assert trace.losses == []


def test_an_operation_can_be_sent_and_copied(profiler: Profiler, tmp_path: Path) -> None:
    operation = profiler.op("decode", type="data")
    for each in (pickle.loads(pickle.dumps(operation)), copy.deepcopy(operation)):
        with each:
            pass
    profiler.stop()

    assert names(only_trace(tmp_path)) == ["decode", "decode"]


def test_a_profiler_copied_within_its_process_is_the_same(profiler: Profiler) -> None:
    assert pickle.loads(pickle.dumps({"profiler": profiler}))["profiler"] is profiler
    assert copy.deepcopy(profiler) is profiler


def test_a_killed_training_leaves_what_was_recorded_until_then(tmp_path: Path) -> None:
    program = f"""
import time
from mindinsight_like import Profiler
profiler = Profiler({str(tmp_path)!r})
began, number = time.monotonic(), 0
while True:
    with profiler.op("work"):
        time.sleep(0.001)
    profiler.step()
    number += 1
    if time.monotonic() - began > 2.5:
        print(number, flush=True)
        began += 1e9
"""
    with subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True) as training:
        assert training.stdout is not None
        number = int(training.stdout.readline())
        training.send_signal(signal.SIGKILL)

    trace = only_trace(tmp_path)
    assert len(names(trace)) > 0.1 * number
    assert trace.steps is not None and len(trace.steps.number) > 0.1 * number
    assert "is_complete" not in trace.facts


def test_a_folder_that_cannot_be_written_is_one_warning(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")

    with pytest.warns(RuntimeWarning) as told:
        profiler = Profiler(tmp_path / "file" / "below", framework="none")
        with profiler.op("work"):
            pass
        profiler.step()
        profiler.stop()
        profiler.analyse()

    assert "cannot start" in str(told[0].message)
    assert all("Traceback" not in str(each.message) for each in told)
