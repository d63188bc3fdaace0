"""The input pipeline: queues and rules as MindInsight has them, waits of steps, loading by thread."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindinsight_like.profiler.analysis.analysed import analyse
from mindinsight_like.profiler.analysis.pipeline import PipelineView, indicators
from mindinsight_like.profiler.traces.files import Files
from mindinsight_like.profiler.traces.sources import read, sources_of
from mindinsight_like.profiler.traces.trace import Activity, InputPipeline, PipelineOperator, Trace, Track
from tests.corpus import needs_mindinsight_data
from tests.profiler.recordings import trace_in

from .made import HOST, Made, trace_of


def of_run(folder: Path) -> PipelineView:
    names = [path.relative_to(folder).as_posix() for path in sorted(folder.rglob("*")) if path.is_file()]
    (source,) = sources_of(names)
    return analyse(read(source, Files(os.fspath(folder)), lambda share: None)).pipeline()


@needs_mindinsight_data
def test_operators_of_the_corpus(corpus: Path) -> None:
    found = of_run(corpus / "mindinsight-profiles/run_1")
    rows = {each["number"]: each for each in found.operators}
    assert [rows[number]["type"] for number in range(5)] == ["Batch", "Shuffle", "TFReader", "TFReader", "TFReader"]
    # MindInsight's own answer for the same files: 20 of 64 on average.
    assert (rows[1]["mean_size"], rows[1]["capacity"], rows[1]["usage"]) == (20.0, 64, 0.3125)
    assert {number: each["rule"] for number, each in rows.items() if each["rule"]} == {
        2: "leaf_queue_low", 3: "leaf_queue_low",
    }  # fmt: skip
    assert [light["state"] for light in found.indicators] == ["warning", "unknown", "unknown"]


@needs_mindinsight_data
def test_queues_of_the_corpus(corpus: Path) -> None:
    found = of_run(corpus / "mindinsight-profiles/run_2")
    queues = {queue["queue"]: queue for queue in found.queues}
    assert set(queues) == {"iterator", "device", "get_next"}
    assert (queues["device"]["capacity"], queues["device"]["empty"], queues["device"]["batches"]) == (64, 1.0, 1)
    assert queues["get_next"]["points"]["size"] and queues["get_next"]["batches"] == 3
    assert [light["state"] for light in found.indicators] == ["warning", "good", "good"]


@pytest.mark.parametrize("folder", ["paddle-profiler/chrome", "torch-profiler/ten_steps_stack_gz"])
def test_the_share_of_waiting_is_that_of_the_overview(corpus: Path, folder: str) -> None:
    analysed = analyse(trace_in(corpus, folder))
    parts = analysed.summary().breakdown

    share = analysed.pipeline().steps["share"]

    assert share == pytest.approx(parts["input_wait"] / sum(parts.values())) and share > 0


@given(st.lists(st.integers(0, 3), min_size=1, max_size=20), st.lists(st.integers(0, 3), min_size=1, max_size=20))
def test_lights_are_mindinsights_rules(device: list[int], get_next: list[int]) -> None:
    def queue(name: str, sizes: list[int]) -> InputPipeline:
        return InputPipeline([], -1.0, name, 8, np.arange(len(sizes)), np.array(sizes), np.zeros(len(sizes)))

    states = [each["state"] for each in indicators([queue("device", device), queue("get_next", get_next)])]
    is_late = device.count(0) / len(device) > 0.3
    is_starved = 0 in get_next
    bad = {True: "warning", False: "good"}
    assert states == [bad[is_late], bad[is_starved and not is_late], bad[is_starved]]


def test_an_operator_is_slow_where_its_queue_drops() -> None:
    def operator(number: int, filled: int, children: list[int]) -> PipelineOperator:
        return PipelineOperator(number, f"op{number}", 2, 10, np.full(4, filled), number - 1, children)

    chain = [operator(0, 3, [1]), operator(1, 5, [2]), operator(2, 6, [3]), operator(3, 6, [])]
    found = analyse(Trace("mindspore", pipelines=[InputPipeline(chain, 10.0)])).pipeline()
    rules = [each["rule"] for each in found.operators]
    assert rules == ["queue_drops", None, None, None]  # a drop of 0.1 is not yet one, 0.6 is full enough
    assert found.operators[0]["incoming_usage"] == 0.5


def test_operators_of_damaged_files_that_share_a_number_keep_their_own_queues() -> None:
    nothing = np.empty(0, np.int64)
    operators = [
        PipelineOperator(-1, "Map", 1, 64, nothing, -1, []),
        PipelineOperator(-1, "Batch", 1, 10, np.array([0, 10]), -1, []),
    ]
    analysed = analyse(Trace("mindspore", pipelines=[InputPipeline(operators, 10.0)]))

    rows = analysed.pipeline().operators

    assert [(row["usage"], row["empty"], row["full"]) for row in rows] == [(None, None, None), (0.5, 0.5, 0.5)]


def test_waits_of_steps_and_threads_that_load() -> None:
    worker = Track("worker", "python")
    made = []
    for step in range(4):
        begin = 1000 * step
        made += [
            Made(begin, 1000, f"step {step}", activity=Activity.STEP),
            Made(begin, 100 * (step + 1), "next", activity=Activity.DATA),
            Made(begin + 10, 50, "inside", activity=Activity.DATA),
            Made(begin + 500, 400, "op"),
            Made(begin + 200, 700, "read", 1, Activity.DATA),
        ]
    found = analyse(trace_of(made, (HOST, worker))).pipeline()
    assert found.steps["points"]["wait"] == pytest.approx([1e-4, 2e-4, 3e-4, 4e-4])
    assert found.steps["share"] == 0.25
    slow, main = found.loading
    assert (slow["slice_name"], slow["count"], slow["total"]) == ("read", 4, pytest.approx(4 * 700 / 1e6))
    assert (main["slice_name"], main["count"], main["total"]) == ("next", 4, pytest.approx(1000 / 1e6))
    assert (main["longest"], found.indicators) == (pytest.approx(4e-4), [])


def test_many_batches_are_downsampled_and_their_extremes_stay() -> None:
    sizes = np.full(20_000, 5)
    sizes[12_345] = 0
    waits = np.zeros(20_000)
    waits[777] = 42.0
    pipeline = InputPipeline([], -1.0, "device", 8, np.arange(20_000), sizes, waits)
    (queue,) = analyse(Trace("mindspore", pipelines=[pipeline])).pipeline().queues
    points = dict(
        zip(queue["points"]["batch"], zip(queue["points"]["size"], queue["points"]["wait"], strict=True), strict=True)
    )
    assert len(points) < 5000
    assert (points[12_345], points[777]) == ((0.0, 0.0), (5.0, 42.0))
    assert queue["wait"] == {"total": 42.0, "mean": 42 / 20_000, "longest": 42.0}
