"""Runs begun by `mi.init`: what they record without being asked, and every kind of value."""

from __future__ import annotations

import json
import multiprocessing
import subprocess
import sys
import time
import wave
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import mindinsight_like as mi
from mindinsight_like.tracking import active_run


@pytest.fixture(autouse=True)
def no_active_run() -> Iterator[None]:
    yield
    active_run.finish()


def begin(tmp_path: Path, **options: Any) -> mi.TrackedRun:
    return mi.init(dir=tmp_path, **{"host_metrics_seconds": 0, "name": "first", **options})


def scalars(tmp_path: Path, tag: str) -> list[tuple[int, float]]:
    table = mi.open(tmp_path).scalars(tag=tag)
    return list(zip(table["step"], table["value"], strict=True))


def lineage(tmp_path: Path, part: str) -> dict[str, Any]:
    """A part of all lineage records of the first run, later ones over earlier ones."""
    values: dict[str, Any] = {}
    for path in sorted((tmp_path / "first").glob("mindinsight_like.lineage.*.json")):
        values |= json.loads(path.read_text()).get(part, {})
    return values


def state(folder: Path) -> dict[str, Any]:
    (path,) = folder.glob("mindinsight_like.state.*.json")
    content: dict[str, Any] = json.loads(path.read_text())
    return content


def test_a_run_records_what_it_is_and_its_values(tmp_path: Path) -> None:
    begin(tmp_path, project="vision", config={"lr": 0.1, "net": {"depth": 3}}, tags=["a"], group="g", notes="why")
    for step in range(3):
        mi.log({"loss": 1 / (step + 1), "train": {"acc": step}})
    mi.finish()

    folder = tmp_path / "vision"
    assert scalars(folder, "loss") == [(0, 1.0), (1, 0.5), (2, pytest.approx(1 / 3))]
    assert scalars(folder, "train/acc") == [(0, 0.0), (1, 1.0), (2, 2.0)]
    assert lineage(folder, "params") == {"lr": 0.1, "net/depth": 3}
    about = {
        "name": "mindinsight-like",
        "run": "first",
        "project": "vision",
        "group": "g",
        "tags": ["a"],
        "notes": "why",
    }
    assert lineage(folder, "tracker") == about
    assert {"command", "working_directory"} <= lineage(folder, "code").keys()
    assert "numpy" in lineage(folder, "environment")["packages"]
    assert state(folder / "first")["state"] == "finished"


def test_steps_count_up_stay_or_are_named(tmp_path: Path) -> None:
    run = begin(tmp_path)
    mi.log({"a": 1}, commit=False)
    mi.log({"b": 2})
    mi.log({"a": 3}, step=50)
    mi.log({"b": 4})  # goes into the step that was named
    mi.log({"a": 5}, step=7)  # a late point is kept
    assert run.step == 7
    mi.finish()

    assert sorted(scalars(tmp_path, "a")) == [(0, 1.0), (7, 5.0), (50, 3.0)]
    assert scalars(tmp_path, "b") == [(0, 2.0), (50, 4.0)]


def test_every_kind_of_value_is_recorded_and_what_is_none_is_refused_once(
    tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with wave.open(str(tmp_path / "tone.wav"), "wb") as sound:
        sound.setparams((1, 2, 8000, 0, "NONE", ""))
        sound.writeframes(np.zeros(800, "<i2").tobytes())
    pixels = np.zeros((4, 4, 3), np.uint8)
    run = begin(tmp_path)
    for _ in range(2):
        run.log(
            {
                "picture": mi.Image(pixels, caption="black"),
                "pictures": [mi.Image(pixels), mi.Image(pixels.transpose(2, 0, 1))],
                "array": np.arange(100.0),
                "counted": mi.Histogram(np_histogram=np.histogram(np.arange(10), bins=5)),
                "sound": mi.Audio(str(tmp_path / "tone.wav")),
                "clip": mi.Video(np.zeros((3, 3, 8, 8), np.uint8)),
                "page": mi.Html("<b>bold</b>"),
                "text": "words",
                "flag": np.bool_(True),
                "one": np.array([2.5]),
                "nothing": None,
                "object": object(),
            }
        )
    run.finish()

    index = mi.open(tmp_path)
    assert set(index.images()["tag"]) == {"picture", "pictures/0", "pictures/1"}
    assert set(index.histograms()["tag"]) == {"array", "counted"}
    assert set(index.audio()["tag"]) == {"sound"}
    texts = {"picture/caption", "page", "text"}
    assert set(index.texts()["tag"]) == {f"{tag}/text_summary" for tag in texts}  # as torch names them
    assert scalars(tmp_path, "flag") == [(0, 1.0), (1, 1.0)]
    assert scalars(tmp_path, "one") == [(0, 2.5), (1, 2.5)]
    refusals = [record.message for record in caplog.records if "not recorded" in record.message]
    assert refusals == ["object is not recorded: expected numbers, not object"]


def test_results_follow_the_rules_and_the_script(tmp_path: Path) -> None:
    run = begin(tmp_path)
    for value in (3.0, 1.0, float("nan"), 2.0):
        run.log({"val/loss": value, "val/acc": value, "other": value})
    run.define_metric("val/*", summary="min")  # also of values that were logged before
    run.log({"val/loss": 5.0, "val/acc": 0.5})
    run.summary["verdict"] = "good"
    assert run.summary["other"] == 2.0
    run.finish()

    assert lineage(tmp_path, "metrics") == {"val/loss": 1.0, "val/acc": 0.5, "verdict": "good"}


def test_parameters_set_later_are_recorded(tmp_path: Path) -> None:
    run = begin(tmp_path, config={"lr": 0.1})
    run.config.lr = 0.2
    run.config.update({"epochs": 3})
    run.log({"loss": 1})

    assert lineage(tmp_path, "params") == {"lr": 0.2, "epochs": 3}  # before the end, as a training may be killed


def test_a_name_that_exists_gets_a_number_unless_it_is_resumed(tmp_path: Path) -> None:
    folders = [begin(tmp_path).dir, begin(tmp_path).dir, begin(tmp_path, resume=True).dir]

    assert folders == [str(tmp_path / "first"), str(tmp_path / "first-2"), str(tmp_path / "first")]


@pytest.mark.parametrize("name", ["../outside", "a/b", "..", "/abs"])
def test_names_lead_nowhere_else(tmp_path: Path, name: str) -> None:
    run = begin(tmp_path / "runs", name=name, project=name)

    assert Path(run.dir).parent.parent == tmp_path / "runs"
    assert Path(run.dir).resolve().is_relative_to(tmp_path / "runs")


def test_without_a_run_log_says_what_to_do(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError, match="call init"):
        mi.log({"loss": 1})
    run = begin(tmp_path)
    mi.finish()
    with pytest.raises(ValueError, match="finished"):
        run.log({"loss": 1})


def test_what_is_not_enabled_writes_nothing(tmp_path: Path) -> None:
    begin(tmp_path, enabled=False)
    mi.log({"loss": 1, "picture": mi.Image(np.zeros((4, 4)))})
    mi.finish()

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("ending", "expected", "reason"),
    [
        ("", "finished", None),
        ("raise ValueError('too bad')", "failed", "ValueError: too bad"),
        ("mi.finish(exit_code=3)", "failed", "exit code 3"),
        ("raise SystemExit(0)", "finished", None),
    ],
)
def test_the_end_of_a_script_is_the_end_of_its_run(
    tmp_path: Path, ending: str, expected: str, reason: str | None
) -> None:
    script = f"import mindinsight_like as mi\nmi.init(name='first')\nmi.log({{'loss': 1}})\n{ending}\n"
    subprocess.run([sys.executable, "-c", script], cwd=tmp_path, capture_output=True)

    assert scalars(tmp_path / "runs", "loss") == [(0, 1.0)]
    content = state(tmp_path / "runs" / "first")
    assert (content["state"], content.get("reason")) == (expected, reason)


def _in_a_child() -> None:
    active_run.finish()


def test_a_forked_process_does_not_end_the_run_of_its_parent(tmp_path: Path) -> None:
    begin(tmp_path)
    child = multiprocessing.get_context("fork").Process(target=_in_a_child)
    child.start()
    child.join()
    mi.log({"loss": 1})

    assert state(tmp_path / "first")["state"] == "running"
    mi.finish()
    assert scalars(tmp_path, "loss") == [(0, 1.0)]


def test_host_metrics_are_recorded_beside(tmp_path: Path) -> None:
    run = begin(tmp_path, host_metrics_seconds=0.05)
    deadline = time.monotonic() + 60
    while "system/memory/percent" not in set(mi.open(tmp_path).scalars()["tag"]):
        assert time.monotonic() < deadline
        time.sleep(0.1)
    run.finish()
