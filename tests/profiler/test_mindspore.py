"""Folders of MindSpore's profiler, against the tables that it printed itself."""

import csv
import json
from pathlib import Path

import numpy as np
import pytest

from mindinsight_like.profiler.traces.sources import sources_of
from mindinsight_like.profiler.traces.trace import Activity, Place, Trace
from tests.corpus import needs_mindinsight_data

from .recordings import sums_by, trace_in, traces_in

HOST_FOLDERS = [
    "mindinsight-profiles/cpu_ms270",
    "mindspore-2.0/profiler_analyse",
    "mindspore-2.10/profiler_analyse",
    "mindspore-2.10/two_ranks/rank_0",
    "mindspore-2.10/two_ranks/rank_1",
]
CLUSTER = "mindinsight-profiles/clu"


def only(folder: Path, pattern: str) -> list[dict[str, str]]:
    (path,) = folder.rglob(pattern)
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def operators_of(trace: Trace) -> set[int]:
    return {number for number, track in enumerate(trace.tracks) if track.place != Place.LAYER}


@pytest.mark.parametrize("folder", HOST_FOLDERS)
def test_every_execution_on_a_cpu_adds_up_to_what_mindspore_prints(corpus: Path, folder: str) -> None:
    trace = trace_in(corpus, folder)
    types = only(corpus / folder, "cpu_op_type_info_*.csv")
    details = only(corpus / folder, "cpu_op_detail_info_*.csv")

    by_type, by_name = sums_by(trace, "type", "CPU OP"), sums_by(trace, "name", "CPU OP")

    assert {name: count for name, (count, _) in by_type.items()} == {
        row["op_type"]: int(row["type_occurrences"]) for row in types
    }
    # MindSpore prints six digits, of every execution and of the sums.
    assert {name: total / 1e6 for name, (_, total) in by_type.items()} == pytest.approx(
        {row["op_type"]: float(row["total_compute_time"]) for row in types}, rel=2e-5
    )
    assert {name: count for name, (count, _) in by_name.items()} == {
        row["full_op_name"]: int(row["op_occurrences"]) for row in details
    }
    assert {name: total / 1e6 for name, (_, total) in by_name.items()} == pytest.approx(
        {row["full_op_name"]: float(row["op_total_time(ms)"]) for row in details}, rel=2e-5
    )
    assert trace.slices is not None
    assert trace.slices.shape.max() >= 0
    assert trace.losses == []
    assert trace.type_sums is not None
    assert trace.type_sums.share.sum() == pytest.approx(1, abs=0.001)


def test_two_sessions_of_a_schedule_are_two_recordings_with_their_memory(corpus: Path) -> None:
    folder = corpus / "mindspore-2.10/profiler_schedule"
    names = [str(path.relative_to(corpus)) for path in folder.rglob("*") if path.is_file()]
    told = json.loads((folder / "expected.json").read_text())["profiler"]

    sources = [source for source in sources_of(names) if source.reader == "mindspore"]

    assert len({source.session for source in sources}) == len(sources) == told["sessions"]
    for source in sources:
        trace = trace_in(corpus, source.main)
        counts = {count for count, _ in sums_by(trace, "name", "CPU OP").values()}
        assert counts == {told["every_operator_occurs"]}
        assert trace.memory[0].allocated.max() > 0
        assert trace.origin > 10**18
        assert trace.memory[0].time.min() < 10**9  # on the same axis


def test_steps_of_an_old_cpu_timeline_are_found(corpus: Path) -> None:
    trace = trace_in(corpus, "mindspore-2.0/profiler_analyse")
    assert trace.steps is not None
    assert trace.steps.number.tolist() == list(range(1, 11))
    assert trace.slices is not None
    on_threads = np.isin(trace.slices.track, list(operators_of(trace)))
    assert trace.slices.start[on_threads].min() == trace.steps.begin[0]
    assert set(trace.slices.activity[on_threads].tolist()) == {Activity.OPERATOR}


@needs_mindinsight_data
def test_a_cluster_of_four_ranks_has_its_steps_stages_links_and_the_slow_rank(corpus: Path) -> None:
    traces = traces_in(corpus, CLUSTER)

    assert sorted(traces) == [0, 1, 2, 3]
    intervals = {rank: trace.facts["average_step"]["iteration_interval"] for rank, trace in traces.items()}
    assert intervals[2] == pytest.approx(2.4318, abs=5e-5)
    assert intervals[2] / np.mean(list(intervals.values())) - 1 == pytest.approx(0.2223, abs=5e-5)
    for rank, trace in traces.items():
        parts = only(corpus / CLUSTER, f"ascend_cluster_analyse_*_{rank}.csv")
        assert (trace.ranks, trace.facts["stages"], trace.facts["parallel_mode"]) == (4, 2, "pipeline-parallel")
        assert trace.steps is not None
        assert (trace.steps.computing / 1e6).tolist() == [float(row["computation_time"]) for row in parts[:-1]]
        assert trace.facts["flops_summary"]["FLOPs"] > 0
        assert trace.collectives is not None
        assert min(trace.steps.begin[0], trace.collectives.begin.min()) == 0
        assert (trace.collectives.end <= trace.steps.end.max()).all()
    links = traces[2].links
    assert links is not None
    first = (links.step == 1) & (links.source == 1) & (links.target == 0)
    assert links.milliseconds[first].tolist() == pytest.approx([5.18921])
    assert links.megabytes[first].tolist() == pytest.approx([95.579136])
    assert links.gigabytes_per_second[first].tolist() == pytest.approx([95.579136 / 5.18921])
    assert [kind for kind, chosen in zip(links.kind, first, strict=True) if chosen] == ["SDMA"]
    sums = traces[2].operator_sums
    assert sums is not None
    assert set(sums.side) == {"communication"}
    assert sums.total.sum() / 1e6 == pytest.approx(7.93334 + 1.62459)


@needs_mindinsight_data
def test_tables_of_ascend_devices_keep_types_shares_flops_and_helper_processors(corpus: Path) -> None:
    old, new = trace_in(corpus, "mindinsight-profiles/run_2"), trace_in(corpus, "mindinsight-profiles/run_1")

    for trace, folder in ((old, "run_2"), (new, "run_1")):
        rows = only(corpus / "mindinsight-profiles" / folder, "aicore_intermediate_1_type.csv")
        assert trace.type_sums is not None
        assert trace.type_sums.type == [row.get("op_type") or row["kernel_type"] for row in rows]
        assert trace.type_sums.share.tolist() == pytest.approx([float(row["percent"]) / 100 for row in rows])
        assert trace.losses == []
    assert new.operator_sums is not None
    assert new.type_sums is not None
    by_type: dict[str, float] = {}
    for type_, total in zip(new.operator_sums.type, new.operator_sums.total, strict=True):
        by_type[type_] = by_type.get(type_, 0) + total
    assert by_type == pytest.approx(dict(zip(new.type_sums.type, new.type_sums.total, strict=True)), rel=1e-3)
    helpers = sums_by(old, "type", "AI CPU")
    assert sum(total for _, total in helpers.values()) == 9_694_000
    assert helpers["GetNext"] == (2, 1_181_000)
    assert sum(count for count, _ in sums_by(old, "name", "AI Core").values()) == 107
    assert old.steps is not None
    assert (old.steps.end - old.steps.begin).tolist() == [23_709_050]
    assert old.slices is not None
    inside = (old.slices.start >= old.steps.begin[0]) & (old.slices.start < old.steps.end[0])
    assert inside.sum() > 100  # one clock for both
    queues = {pipeline.queue: pipeline for pipeline in old.pipelines}
    assert queues["get_next"].queue_size.tolist() == [3, 2, 1]
    assert queues["device"].queue_capacity == 64
    types = [operator.type for operator in queues[""].operators]
    assert types == ["BatchOp", "MapOp", "MapOp", "ImageFolderOp", "EpochCtrlOp"]
    known = new.operator_sums.details[new.operator_sums.full_name.index("Default/AssignAdd-op203")]
    assert known["op_info"]["input_0"]["data_type"]


@needs_mindinsight_data
def test_msprof_exports_of_iterations_make_one_recording_for_each_rank(corpus: Path) -> None:
    traces = traces_in(corpus, "mindinsight-profiles/res")

    rank0, rank1 = traces[0], traces[1]
    assert rank0.host == "A2007104679"
    for trace in (rank0, rank1):
        assert trace.steps is not None
        assert len(trace.steps.begin) == 10
        assert sums_by(trace, "name", "HCCL")["Default/AllReduce-op534_0"][0] == 3  # three iterations were exported
        layers = {track.process for track in trace.tracks if track.place == Place.LAYER}
        assert {"Overlap Analysis", "HCCL"} <= layers
    assert rank0.slices is not None
    kernels = rank0.slices.activity == Activity.KERNEL
    per_iteration = 3 * 100
    assert kernels.sum() > per_iteration
    assert "Cast" in sums_by(rank0, "type", "Ascend Hardware")
    assert rank0.facts["dynamic_shape"]["operator"]["1"]
    assert rank0.facts["flops_scope"]["data"]["nodes"]
    assert rank1.operator_sums is not None
    assert rank1.operator_sums.details[0]["flops"]["MFLOPs(10^6 cube)"] == "333"
    plan = traces_in(corpus, "mindinsight-profiles/pstrat")
    assert plan[1].facts["parallel_strategy"]["config"]["parallelType"] == "auto_parallel"
    assert plan[0].ranks == 2
