"""An analysed recording is kept in a folder, opened again, and survives what no profiler should write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings

from mindinsight_like.profiler.analysis.analysed import Analysed, analyse
from mindinsight_like.profiler.traces.trace import (
    Activity,
    Counter,
    InputPipeline,
    Loss,
    PipelineOperator,
    Slices,
    Trace,
)
from mindinsight_like.store.segments.sealing import BrokenSeal, number_for, sealed, unsealed
from tests.corpus import needs_mindinsight_data
from tests.profiler.recordings import trace_in

from .made import DEVICE, HOST, LAYER, Made, slices, trace_of

TRACKS = (HOST, DEVICE, LAYER)


def answers(analysed: Analysed) -> str:
    tracks = analysed.tracks()
    window = analysed.window(tracks.from_ns, tracks.to_ns + 1, 100).hex()
    tables = [analysed.operators(by) for by in ("type", "name", "shape", "instance")]
    others = [analysed.summary(), analysed.steps(), analysed.search("a"), analysed.flame(), analysed.selection(5, 50)]
    rows = [analysed.slice(row) for row in range(len(analysed.columns.rows))]
    return json.dumps([tracks, window, tables, others, analysed.flows(0, 60), rows, analysed.texts()], default=vars)


@settings(max_examples=25)
@given(made=slices(tracks=3, activities=list(Activity)))
def test_a_folder_gives_the_same_answers(tmp_path_factory: pytest.TempPathFactory, made: list[Made]) -> None:
    folder = tmp_path_factory.mktemp("analysed")
    trace = trace_of(made, TRACKS)
    trace.counters = [Counter("CPU", "%", np.arange(3), np.array([0.5, np.nan, 1.0]))]
    operator = PipelineOperator(1, "Batch", 4, 8, np.arange(4), -1, [2])
    trace.pipelines = [InputPipeline([operator], 10.0)]
    trace.losses = [Loss("cut\udcff", 2, "a.json")]
    analysed = analyse(trace)

    analysed.save(folder)
    again = Analysed.open(folder)

    assert trace.slices is None
    assert answers(again) == answers(analysed)
    assert again.trace.losses == trace.losses
    np.testing.assert_array_equal(again.trace.counters[0].value, [0.5, np.nan, 1.0])
    (pipeline,) = again.trace.pipelines
    assert pipeline.operators[0].sizes.tolist() == [0, 1, 2, 3]
    assert not again.columns.rows.start.flags.writeable


def test_a_folder_that_is_not_whole_is_refused(tmp_path: Path) -> None:
    analyse(trace_of([Made(0, 5)])).save(tmp_path)
    columns, rest = tmp_path / "columns.bin", tmp_path / "analysed.json"
    whole, number = columns.read_bytes(), number_for(tmp_path.name)
    text = unsealed(rest.read_bytes(), number)

    for content, told in ((whole[:-1], text), (whole, text.replace(b'"version": 5', b'"version": 99')), (whole, b"[]")):
        columns.write_bytes(content)
        rest.write_bytes(sealed(told, number))
        with pytest.raises(ValueError, match=r"damaged|incomplete|version"):
            Analysed.open(tmp_path)
    rest.write_bytes(sealed(text.replace(b'"Columns"', b'"Popen"'), number))
    with pytest.raises(ValueError, match="contains no"):
        Analysed.open(tmp_path)
    rest.unlink()
    with pytest.raises(OSError, match="analysed"):
        Analysed.open(tmp_path)


def test_no_changed_byte_of_a_folder_is_answered_with(tmp_path: Path) -> None:
    whole = analyse(trace_of([Made(start, 5) for start in range(0, 5000, 10)]))
    whole.save(tmp_path)
    truth = answers(whole)
    outcomes: set[str] = set()
    for path in (tmp_path / "columns.bin", tmp_path / "analysed.json"):
        content = path.read_bytes()
        for at in range(0, len(content), max(len(content) // 150, 1)):
            path.write_bytes(content[:at] + bytes([content[at] ^ 16]) + content[at + 1 :])
            try:
                assert answers(Analysed.open(tmp_path)) == truth
                outcomes.add("right")  # padding between columns
            except (BrokenSeal, ValueError) as error:
                outcomes.add(type(error).__name__)
        path.write_bytes(content)
    assert outcomes <= {"right", "BrokenSeal", "ValueError"}
    assert {"BrokenSeal", "ValueError"} <= outcomes
    assert answers(Analysed.open(tmp_path)) == truth


def test_columns_are_verified_again_after_somebody_has_written_to_them(tmp_path: Path) -> None:
    analyse(trace_of([Made(0, 5)])).save(tmp_path)
    opened = Analysed.open(tmp_path)
    assert opened.is_current
    opened.verify()

    with (tmp_path / "columns.bin").open("r+b") as file:
        file.write(b"x")

    assert not opened.is_current
    with pytest.raises(BrokenSeal):
        Analysed.open(tmp_path).verify()


def test_without_slices_every_answer_is_empty() -> None:
    analysed = analyse(Trace("mindspore"))

    assert analysed.operators().rows == analysed.steps()["steps"] == analysed.flame()["nodes"] == []
    assert analysed.tracks().tracks == analysed.search("a").rows == analysed.flows(0, 9).flows == []
    assert not any(vars(analysed.summary().has).values())
    assert len(analysed.window(0, 10, 10)) == 28


def test_absurd_times_are_counted_and_kept_in_bounds() -> None:
    far = 2**63 - 1
    made = [Made(0, -5, "a"), Made(far, far, "b"), Made(-far, far, "c"), Made(3, 4, "d"), Made(5, far, "e")]
    marks = [Made(-far, far, "step#1", activity=Activity.STEP)]

    analysed = analyse(trace_of(made + marks))

    counts = analysed.summary().counts
    assert [counts[kind] for kind in ("negative_duration", "absurd_time", "absurd_duration")] == [1, 3, 4]
    assert {row["name"] for row in analysed.operators("name").rows} == {*"abcde", "step#1"}
    table = analysed.columns.steps
    assert table.part_times[0].sum() == table.end[0] - table.begin[0] > 0
    assert np.all(analysed.columns.rows.self_time >= 0)
    tracks = analysed.tracks()
    assert len(analysed.window(tracks.from_ns, tracks.to_ns, 50)) > 28


def test_columns_that_do_not_fit_together_are_refused() -> None:
    for column, value in (("name", 7), ("type", -1), ("shape", 9), ("dtype", 9), ("track", 1)):
        trace = trace_of([Made(0, 5, "a")])
        assert trace.slices is not None
        columns = vars(trace.slices) | {column: np.array([value], np.int32)}
        trace.slices = Slices(**columns)
        with pytest.raises(ValueError, match="does not exist"):
            analyse(trace)


def test_call_trees_are_merged_by_the_names_above() -> None:
    made = [
        Made(0, 100, "step#1", activity=Activity.STEP),
        Made(10, 40, "forward"),
        Made(20, 10, "conv"),
        Made(35, 5, "conv"),
        Made(60, 30, "backward"),
        Made(65, 10, "conv"),
        Made(66, 2, "launch", activity=Activity.LAUNCH, correlation=3),
        Made(200, 50, "step#2", activity=Activity.STEP),
        Made(210, 20, "forward"),
        Made(300, 33, "kernel", track=1, activity=Activity.KERNEL, correlation=3),
        Made(0, 1000, "repeat", track=2),
    ]
    analysed = analyse(trace_of(made, TRACKS))

    def paths(found: Any, key: str = "total") -> dict[str, int]:
        nodes = {node["id"]: node for node in found["nodes"]}

        def path(node: dict) -> str:
            above = nodes.get(node["parent"])
            return (path(above) + "/" if above else "") + node["name"]

        return {path(node): round(node[key] * 1e6) for node in nodes.values()}

    whole = {
        "step#*": 150,
        "step#*/forward": 60,
        "step#*/forward/conv": 15,
        "step#*/backward": 30,
        "step#*/backward/conv": 10,
        "step#*/backward/conv/launch": 2,
        "kernel": 33,
    }
    assert paths(analysed.flame()) == whole
    assert round(analysed.flame()["total"] * 1e6) == 183
    assert paths(analysed.flame(), "self")["step#*/forward"] == 45
    assert paths(analysed.flame(track=0, step=1)) == {"step#*": 50, "step#*/forward": 20}
    assert paths(analysed.flame(track=1)) == {"kernel": 33}
    on_device = paths(analysed.flame(by="device"))
    assert on_device["step#*"] == on_device["step#*/backward/conv/launch"] == 33
    assert on_device["step#*/forward"] == on_device["kernel"] == 0
    cut = analysed.flame(most=3)
    assert paths(cut) == {"step#*": 150, "step#*/forward": 60, "kernel": 33}
    assert cut["omitted"] == 4

    other = analyse(
        trace_of([Made(0, 70, "step#9", activity=Activity.STEP), Made(0, 60, "forward"), Made(80, 1, "new")])
    )
    difference = analysed.flame_difference(other)
    assert paths(difference) == {**whole, "new": 0}
    assert paths(difference, "other_total") == {**dict.fromkeys(whole, 0), "step#*": 70, "step#*/forward": 60, "new": 1}
    for wrong in ({"track": 9}, {"step": 9}):
        with pytest.raises(IndexError):
            analysed.flame(**wrong)  # type: ignore[arg-type]


def test_the_recorded_time_covers_its_steps() -> None:
    steps = [Made(at * 1000, 1000, f"step {at}", activity=Activity.STEP) for at in range(4)]
    made = analyse(trace_of([Made(200, 100), Made(1200, 100)]))
    marked = analyse(trace_of([*steps, Made(200, 100), Made(1200, 100)]))

    assert made.summary().totals.wall == 1100 / 1e6
    assert marked.summary().totals.wall == 4000 / 1e6


def test_the_recorded_time_covers_slices_that_found_no_lane_of_their_own() -> None:
    made = [Made(at, 10_000) for at in range(5000)]
    made[4200] = Made(4200, 10**9)

    assert analyse(trace_of(made)).summary().totals.wall == (4200 + 10**9) / 1e6


@needs_mindinsight_data
def test_steps_that_no_slice_tells_of_belong_to_the_recorded_time(corpus: Path) -> None:
    summary = analyse(trace_in(corpus, "ascend/raw/ERROR_JOB")).summary()

    average = summary.step
    assert summary.totals.wall >= average["steps"] * average["duration"]
