"""Profiles are analysed before anybody asks: small ones at once, large ones one at a time, none again and again."""

from __future__ import annotations

import os
import time
from pathlib import Path

import psutil

from mindinsight_like.profiler.jobs.advance import AdvanceAnalyses

from .served import Served

LATER = 3600.0  # seconds after the files were written
LARGE = 9 * 2**20


def write(path: Path, events: int, *, padding: int = 0) -> None:
    """A trace of torch; blanks make it large."""
    rows = (
        f'{{"ph":"X","cat":"cpu_op","name":"add{number % 7}","pid":1,"tid":1,"ts":{number * 10},"dur":9}}'
        for number in range(events)
    )
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('{"schemaVersion":1,"traceEvents":[' + ",".join(rows) + " " * padding + "]}")


def advance_analyses(served: Served, *, later: float = LATER) -> AdvanceAnalyses:
    return AdvanceAnalyses(served.analyses(), clock=lambda: time.time() + later)


def run_to_end(advance: AdvanceAnalyses) -> None:
    end = time.monotonic() + 120
    while advance.step():
        assert time.monotonic() < end
        time.sleep(0.05)


def states(served: Served) -> dict[str, str]:
    return {profile["name"]: profile["state"] for profile in served.profiles()}


def test_profiles_are_analysed_when_they_are_found_and_lists_have_their_figures(tmp_path: Path) -> None:
    write(tmp_path / "runs/exp/a.pt.trace.json", 70)
    write(tmp_path / "runs/other/b.pt.trace.json", 7, padding=LARGE)
    (tmp_path / "runs/broken").mkdir()
    (tmp_path / "runs/broken/c.pt.trace.json").write_text('{"schemaVersion":1,"traceEvents":[')
    served = Served(tmp_path / "runs", tmp_path / "ws")

    run_to_end(advance_analyses(served))

    assert states(served) == {"a.pt.trace.json": "ready", "b.pt.trace.json": "ready", "c.pt.trace.json": "failed"}
    for profile in served.profiles("exp") + served.profiles("other"):
        summary = served.get(f"profiles/{profile['id']}")
        assert profile["breakdown"] == summary["breakdown"]
        assert profile["average_step"] == summary["step"].get("duration")
        assert profile["first_advice"] == (summary["advice"][0] if summary["advice"] else None)
        assert profile["losses"] == summary["losses"]
        assert profile["loss_count"] == len(summary["losses"])


def test_large_ones_come_after_small_ones_one_at_a_time(tmp_path: Path) -> None:
    for name in ("first", "second"):
        write(tmp_path / f"runs/{name}/large.pt.trace.json", 7, padding=LARGE)
        write(tmp_path / f"runs/{name}/small.pt.trace.json", 7)
    served = Served(tmp_path / "runs", tmp_path / "ws")
    advance = advance_analyses(served)

    advance.step()
    begun = {(each["run_name"], each["name"]) for each in served.profiles() if each["state"] != "new"}
    assert begun == {("first", "small.pt.trace.json"), ("second", "small.pt.trace.json")}

    counts = set()
    while advance.step():
        large = [each["state"] for each in served.profiles() if each["name"] == "large.pt.trace.json"]
        counts.add(sum(state in ("queued", "analysing") for state in large))
        time.sleep(0.02)
    assert max(counts) == 1
    assert {each["state"] for each in served.profiles()} == {"ready"}


def test_the_setting_bounds_what_is_analysed(tmp_path: Path) -> None:
    write(tmp_path / "runs/exp/small.pt.trace.json", 7)
    write(tmp_path / "runs/exp/large.pt.trace.json", 7, padding=LARGE)
    served = Served(tmp_path / "runs", tmp_path / "ws", profile_advance_mb=8)

    run_to_end(advance_analyses(served))

    assert states(served) == {"small.pt.trace.json": "ready", "large.pt.trace.json": "new"}


def test_a_recording_that_is_being_written_waits_until_it_is_complete(tmp_path: Path) -> None:
    write(tmp_path / "runs/exp/a.pt.trace.json", 7)
    served = Served(tmp_path / "runs", tmp_path / "ws")
    now = advance_analyses(served, later=0)

    assert now.step() is True  # there is more to do
    assert states(served) == {"a.pt.trace.json": "new"}

    run_to_end(advance_analyses(served))
    assert states(served) == {"a.pt.trace.json": "ready"}


def test_half_of_the_cache_is_left_for_what_people_open(tmp_path: Path) -> None:
    for number in range(20):
        write(tmp_path / f"runs/run{number:02}/a.pt.trace.json", 2_000)
        os.utime(tmp_path / f"runs/run{number:02}/a.pt.trace.json", (number, number))
    served = Served(tmp_path / "runs", tmp_path / "ws", profile_cache_mb=1)

    run_to_end(advance_analyses(served))

    begun = [each["run_name"] for each in served.profiles() if each["state"] != "new"]
    assert "run19" in begun and "run00" not in begun  # the newest


def test_it_leaves_the_processor_to_others(tmp_path: Path) -> None:
    write(tmp_path / "runs/exp/a.pt.trace.json", 200_000)
    served = Served(tmp_path / "runs", tmp_path / "ws")
    advance = advance_analyses(served)
    advance.step()

    priorities = set()
    while advance.step():
        for child in psutil.Process().children():
            try:
                if "mindinsight_like.profiler.jobs.low_priority" in child.cmdline():
                    priorities.add(child.nice())
            except psutil.Error:  # it has ended meanwhile
                continue
        time.sleep(0.02)
    assert min(19, os.nice(0) + 19) in priorities
