"""A recording that nobody ends does not take the training's memory: it ends by itself, and is kept."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

import mindinsight_like as mi
from mindinsight_like.profiler.training.drivers import DriverOptions
from mindinsight_like.profiler.training.limits import Limits, Watch, available, resident

from .test_profiler import Fake, framework, train
from .traces import names, only_trace

__all__ = ["framework"]  # a fixture


def _until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    end = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < end
        time.sleep(0.01)


def test_a_recording_without_a_schedule_ends_with_a_step_and_says_so(
    framework: Callable[[Fake], list[DriverOptions]], tmp_path: Path
) -> None:
    driver = Fake()
    framework(driver)
    with pytest.warns(RuntimeWarning, match=r"ended its recording after 0\.3 s \(limit_seconds\).*is kept") as told:
        profiler = mi.Profiler(tmp_path, limit_seconds=0.3)

        def has_ended() -> bool:
            train(profiler, 1)
            return not profiler.is_recording

        _until(has_ended)
        ended = list(driver.told)
        train(profiler, 3)

    assert len(told) == 1
    assert ended[-1] == "end" and driver.told == ended
    profiler.start()  # another one is no matter of the first
    assert profiler.is_recording
    profiler.stop()


def test_a_recording_ends_without_any_step_too(
    framework: Callable[[Fake], list[DriverOptions]], tmp_path: Path
) -> None:
    driver = Fake()
    framework(driver)
    threads: list[str] = []
    driver.end = lambda *, is_in_step: threads.append(threading.current_thread().name)  # type: ignore[method-assign]
    with pytest.warns(RuntimeWarning, match="limit_seconds"):
        profiler = mi.Profiler(tmp_path, limit_seconds=0.31)
        _until(lambda: bool(threads))

    assert threads == ["MainThread"]  # profilers of frameworks can be ended by no other
    assert not profiler.is_recording
    profiler.stop()


def test_memory_that_the_process_takes_while_recording_ends_it() -> None:
    program = (  # in a process where nothing else takes memory
        "import time\n"
        "from mindinsight_like.profiler.training.limits import Limits, Watch\n"
        "watch = Watch(Limits(None, 64 << 20, None), lambda: None)\n"
        "network = bytearray(b'x') * (256 << 20)\n"  # what a training needs is not counted
        "time.sleep(0.6)\n"
        "for _ in range(3): watch.step()\n"
        "time.sleep(0.6)\n"
        "print(repr(watch.reason))\n"
        "held = bytearray(b'x') * (128 << 20)\n"
        "while not watch.reason: time.sleep(0.05)\n"
        "print(watch.reason)\n"
        "watch.close()"
    )

    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60)

    before, after = done.stdout.splitlines()
    assert before == "''"
    assert after.endswith("MB (limit_memory)")


@pytest.mark.parametrize("way", ["schedule", "None", "request"])
def test_a_schedule_a_wish_and_none_have_no_limit_of_time(
    way: str, framework: Callable[[Fake], list[DriverOptions]], tmp_path: Path
) -> None:
    framework(Fake())
    limits = {"limit_seconds": None} if way == "None" else {"limit_seconds": 0.2}
    schedule = mi.schedule(active=1000, repeat=1) if way == "schedule" else None
    profiler = mi.Profiler(tmp_path, schedule=schedule, start_profile=way != "request", **limits)
    if way == "request":
        profiler.request(1000)
        train(profiler, 1)
    time.sleep(0.8)
    train(profiler, 2)
    assert profiler.is_recording
    profiler.stop()


def test_a_trace_file_of_our_own_stops_growing_and_says_so(tmp_path: Path) -> None:
    profiler = mi.Profiler(tmp_path, framework="none", limit_bytes=100_000)
    with pytest.warns(RuntimeWarning, match="limit_bytes"):
        train(profiler, 20_000)
        profiler.stop()

    (path,) = tmp_path.iterdir()
    assert path.stat().st_size <= 100_000
    assert names(only_trace(tmp_path))[:2] == ["step 0", "step 1"]


def test_little_memory_on_the_machine_ends_any_recording(monkeypatch: pytest.MonkeyPatch) -> None:
    room, whole = available()
    assert 0 < room < whole and resident() > 1 << 20
    monkeypatch.setattr("mindinsight_like.profiler.training.limits.available", lambda: (50 << 20, 8 << 30))

    watch = Watch(Limits(None, None, None), lambda: None)
    _until(lambda: bool(watch.reason))
    watch.close()

    assert watch.reason == "with 50 MB of memory left on the machine"


@pytest.mark.parametrize("name", ["limit_seconds", "limit_memory", "limit_bytes"])
def test_limits_that_are_none_are_refused(name: str, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match=name):
        mi.Profiler(tmp_path, **{name: 0})  # type: ignore[arg-type]


def test_a_training_without_numpy_is_told_and_goes_on(tmp_path: Path) -> None:
    program = (
        "import sys; sys.modules['numpy'] = None\n"
        "import mindinsight_like as mi\n"
        "profiler = mi.Profiler(sys.argv[1], framework='none')\n"
        "with profiler.op('work'): pass\n"
        "profiler.analyse()\nprint('goes on')"
    )

    done = subprocess.run(
        [sys.executable, "-c", program, str(tmp_path)], capture_output=True, text=True, check=True, timeout=60
    )

    assert done.stdout == "goes on\n"
    assert "cannot be analysed" in done.stderr and "numpy" in done.stderr
    assert names(only_trace(tmp_path)) == ["work"]
