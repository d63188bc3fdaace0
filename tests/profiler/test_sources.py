"""Which files make one recording."""

from mindinsight_like.profiler.traces.sources import sources_of
from mindinsight_like.profiler.traces.trace import NOTHING


def found(*names: str) -> list[tuple[str, str, int, int]]:
    return [(source.reader, source.main, source.rank, len(source.files)) for source in sources_of(names)]


def test_a_trace_made_for_viewers_beside_an_xplane_is_no_second_recording() -> None:
    folder = "run/plugins/profile/2026_11_16_00_56_50"
    twins = [f"{folder}/box.xplane.pb", f"{folder}/box.trace.json.gz", f"{folder}/perfetto_trace.json.gz"]

    assert found(*twins) == [("xplane", f"{folder}/box.xplane.pb", NOTHING, 1)]
    assert found(twins[1]) == [("chrome", twins[1], NOTHING, 1)]


def test_ranks_recorded_together_share_a_session_and_a_second_recording_of_a_rank_is_another() -> None:
    names = [
        f"r/box_rank{rank}.{second}000000000.pt.trace.json" for second in (1794790541, 1794790590) for rank in (0, 1)
    ]

    sources = sources_of(names)

    assert [source.rank for source in sources] == [0, 1, 0, 1]
    assert sources[0].session == sources[1].session != sources[2].session == sources[3].session


def test_ranks_that_jax_records_on_one_host_share_a_session() -> None:
    names = [f"run/plugins/profile/2026_11_16_00_56_{folder}/box.xplane.pb" for folder in ("50_rank0", "51_rank1")]
    again = "run/plugins/profile/2026_11_16_00_57_10_2_rank0/box.xplane.pb"

    sources = sources_of([*names, again])

    assert [source.rank for source in sources] == [0, 1, 0]
    assert sources[0].session == sources[1].session != sources[2].session


def test_ranks_in_folders_of_their_own_share_a_session() -> None:
    names = [
        "t/rank_0/prof/box_1_20261116003704861_ascend_ms/FRAMEWORK/cpu_op_execute_timestamp_0.txt",
        "t/rank_1/prof/box_2_20261116003706354_ascend_ms/FRAMEWORK/cpu_op_execute_timestamp_0.txt",
    ]

    sources = sources_of(names)

    assert [source.rank for source in sources] == [0, 1]
    assert sources[0].session == sources[1].session


def test_a_mindspore_folder_is_one_recording_for_each_rank_with_its_prof_folder() -> None:
    names = [
        *(f"j/profiler/step_trace_raw_{rank}_detail_time.csv" for rank in (0, 1)),
        *(f"j/profiler/ascend_cluster_analyse_pipeline-parallel_2_4_{rank}.csv" for rank in (0, 1)),
        "j/profiler/step_trace_point_info.json",
        "j/profiler/PROF_000001_2023_ABC/device_1/timeline/msprof_1_0_2.json",
    ]

    assert found(*names) == [("mindspore", "j/profiler", 0, 3), ("mindspore", "j/profiler", 1, 4)]


def test_raw_files_of_a_job_lie_in_its_folder_in_data_and_in_containers() -> None:
    names = [
        "raw/JOB3/hwts.log.data.45.dev.profiler_default_tag.1.slice_0",
        "raw/JOB3/data/training_trace.46.dev.profiler_default_tag.1.slice_0",
        "raw/JOB3/host_start.log.1",
        "raw/JOB3/pipeline_profiling_1.json",
        "raw/JOB3/hwts.log.data.45.dev.profiler_default_tag.1.slice_0.done",
        "raw/container/0/data/Framework.host.vm.task_desc_info.0.JOB2.slice_0",
    ]

    assert found(*names) == [("ascend_job", "raw/JOB3", 1, 4), ("ascend_job", "raw/container/0/JOB2", 0, 1)]
