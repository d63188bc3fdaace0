"""Raw recordings of Ascend devices, against the tables that MindInsight's own parsers made of them."""

import csv
import itertools
import json
import random
from collections import defaultdict
from pathlib import Path

import numpy as np
import pytest

from mindinsight_like.profiler.traces.files import Unreadable
from mindinsight_like.profiler.traces.trace import Activity, Place
from tests.corpus import needs_mindinsight_data

from .recordings import sums_by, trace_in, trace_of, traces_in

RAW = "ascend/raw"


def rows_of(path: Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


@needs_mindinsight_data
def test_a_real_training_has_the_operators_types_and_times_of_mindinsight(corpus: Path) -> None:
    trace = trace_in(corpus, f"{RAW}/JOB3")
    details = rows_of(corpus / "ascend/expected/aicore_intermediate_1_detail.csv")
    types = rows_of(corpus / "ascend/expected/aicore_intermediate_1_type.csv")

    sums = trace.operator_sums
    assert sums is not None
    operators = sums_by(trace, "name", "AI Core")
    average = dict(zip(sums.full_name, sums.total / sums.count / 1e6, strict=True))
    by_type: dict[str, list[float]] = defaultdict(list)
    for name, type_ in zip(sums.full_name, sums.type, strict=True):
        by_type[type_].append(average[name])

    assert len(operators) == len(details) == 199
    assert sum(count for count, _ in operators.values()) == 2817
    assert len({track.name for track in trace.tracks if track.process == "AI Core"}) == 11
    assert average == pytest.approx({row["full_op_name"]: float(row["execution_time"]) for row in details}, rel=1e-9)
    assert {name: total for name, (_, total) in operators.items()} == pytest.approx(
        dict(zip(sums.full_name, sums.total, strict=True))
    )
    assert {name: sum(times) for name, times in by_type.items()} == pytest.approx(
        {row["op_type"]: float(row["execution_time"]) for row in types}, rel=1e-9
    )
    assert {name: len(times) for name, times in by_type.items()} == {
        row["op_type"]: int(row["execution_frequency"]) for row in types
    }
    assert set(sums_by(trace, "type", "AI Core")) == set(by_type)
    first = sums.details[sums.full_name.index("Default/AssignAdd-op414")]
    assert first["op_info"]["input_0"] == {"format": "DefaultFormat", "data_type": "NUMBER_TYPE_INT32", "shape": "1"}
    assert trace.losses == []


@needs_mindinsight_data
def test_a_real_training_has_the_steps_and_collectives_of_mindinsight(corpus: Path) -> None:
    trace = trace_in(corpus, f"{RAW}/JOB3")
    *steps, average = rows_of(corpus / "ascend/expected/step_trace_raw_1_detail_time.csv")
    assert trace.steps is not None
    found = trace.steps

    def ticks(column: str) -> list[int]:
        return [int(row[column]) * 10 for row in steps]

    assert len(found.begin) == 322
    assert (found.end - found.begin).tolist() == ticks("total")
    assert (found.forward_begin - found.begin).tolist() == ticks("iteration_interval")
    assert (found.backward_end - found.forward_begin).tolist() == ticks("fp_and_bp")
    assert (found.end - found.backward_end).tolist() == ticks("tail")
    assert np.mean(found.end[1:] - found.begin[1:]) / 1e6 == pytest.approx(205.3809, abs=5e-5)
    assert int(average["total"]) * 10 / 1e6 == pytest.approx(205.3809, abs=5e-5)
    assert trace.collectives is not None
    of_stream = [stream == "520" for stream in trace.collectives.stream]
    assert (trace.collectives.end - trace.collectives.begin)[of_stream].tolist() == ticks("stream_520_parallel_0")
    assert len(trace.collectives.begin) == 3542
    assert trace.collectives.name[0].endswith("AllGather-op136")
    points = json.loads((corpus / "ascend/expected/step_trace_point_info.json").read_text())
    assert {key: trace.facts[key] for key in points} == points


@needs_mindinsight_data
def test_small_and_failed_jobs_give_what_they_have(corpus: Path) -> None:
    def layers(trace_tracks: list[Place]) -> bool:
        return all(place == Place.LAYER for place in trace_tracks)

    job1 = trace_in(corpus, f"{RAW}/JOB1")
    assert job1.steps is not None
    assert len(job1.steps.begin) == 20
    assert layers([track.place for track in job1.tracks])  # collectives are told apart, not summed with operators
    assert [operator.number for operator in job1.pipelines[0].operators] == [0, 1, 2, 3, 4]
    failed = trace_in(corpus, f"{RAW}/ERROR_JOB")
    assert failed.steps is not None
    assert (failed.rank, len(failed.steps.begin)) == (10, 40)
    assert trace_in(corpus, f"{RAW}/JOB2").pipelines
    for folder in ("JOB4", "container"):
        sums = trace_in(corpus, f"{RAW}/{folder}").operator_sums
        assert sums is not None
        assert sums.type == ["Cast", "TransData", "Cast", "Cast"]
        assert sums.count.tolist() == [0, 0, 0, 0]


@needs_mindinsight_data
def test_helper_processors_are_read_with_and_without_the_misspelt_word(corpus: Path) -> None:
    trace = traces_in(corpus, f"{RAW}/JOB_AICPU/data")[0]

    assert sums_by(trace, "type") == {
        "InitData": (1, 1_567_000),
        "GetNext": (1, 989_000),
        "TruncatedNormal": (1, 1_566_000),
    }
    assert trace.slices is not None
    assert set(trace.slices.activity.tolist()) == {Activity.AI_CPU}


@needs_mindinsight_data
def test_slices_of_a_file_are_joined_in_their_order(corpus: Path, tmp_path: Path) -> None:
    folder = corpus / RAW / "JOB3"
    name = "hwts.log.data.45.dev.profiler_default_tag.1"
    content = (folder / f"{name}.slice_0").read_bytes()
    cuts = [0, 1000, 200_000, 300_001, 400_000, *range(500_000, 1_100_000, 100_000), len(content)]
    files = {f"JOB3/{name}.slice_{i}": content[a:b] for i, (a, b) in enumerate(itertools.pairwise(cuts))}
    tasks = "Framework.host.vm.task_desc_info.1.slice_0"

    trace = trace_of(tmp_path, files | {f"JOB3/{tasks}": (folder / tasks).read_bytes()})

    assert trace.counts["operator_executions"] == 2817
    assert len(files) == 11


@needs_mindinsight_data
def test_damaged_raw_files_are_read_as_far_as_they_go(corpus: Path, tmp_path: Path) -> None:
    names = [path.relative_to(corpus / RAW) for path in (corpus / RAW / "JOB3").rglob("*") if path.is_file()]
    chance = random.Random(7)
    for attempt in range(40):
        files = {}
        for name in names:
            content = bytearray((corpus / RAW / name).read_bytes()[:200_000])
            del content[chance.randrange(len(content) + 1) :]
            for _ in range(chance.choice([0, 3, 300]) if content else 0):
                content[chance.randrange(len(content))] = chance.randrange(256)
            files[str(name)] = bytes(content)
        folder = tmp_path / str(attempt)

        try:
            trace = trace_of(folder, files)
        except Unreadable as error:
            assert "JOB3" in str(error)
            continue

        assert trace.slices is not None
