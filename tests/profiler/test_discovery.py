"""Files of profilers are found like other logs, and belong to the run whose training they recorded."""

from __future__ import annotations

import gzip
import os
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from mindinsight_like.loader.lock import index_lock
from mindinsight_like.loader.once import load_index
from mindinsight_like.loader.rounds import Loader
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.reader import IndexReader
from mindinsight_like.writers.encoding import tensorboard
from tests.corpus import needs_mindinsight_data

TRACE = b'{"traceEvents": [{"ph": "X", "name": "add", "pid": 1, "tid": 1, "ts": 1, "dur": 2}]}'


class Logs:
    """A base dir and what an index knows of it."""

    def __init__(self, folder: Path) -> None:
        self.base = folder / "logs"
        self.base.mkdir()
        self.location = IndexLocation.of(self.base, folder / "workspace")
        self.reader = IndexReader(self.location)

    def write(self, name: str, content: bytes = TRACE) -> Path:
        path = self.base / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        return path

    def write_scalars(self, run: str) -> None:
        point = tensorboard.event([tensorboard.double_scalar("loss", 1.0)], step=0, wall_time=1.0)
        self.write(f"{run}/events.out.tfevents.1.host", tensorboard.frame(point))

    def load(self) -> dict[str, dict[str, int]]:
        load_index(self.location)
        return self.counts()

    def counts(self) -> dict[str, dict[str, int]]:
        return {run.name: run.counts for run in self.reader.runs.find()[1]}


@pytest.fixture
def logs(tmp_path: Path) -> Logs:
    return Logs(tmp_path)


@pytest.mark.parametrize(
    ("name", "run"),
    [
        ("exp/plugins/profile/2026_11_16/host.xplane.pb", "exp"),
        ("exp/profiler/step_trace_raw_0_detail_time.csv", "exp"),
        ("exp/profiler-2023/PROF_1_2_X/device_0/timeline/msprof_0_1.json", "exp"),
        ("exp/host_1_20261116003625065_ascend_ms/FRAMEWORK/cpu_framework_0.txt", "exp"),
        ("exp/profiler_output/host_1_20261116003625065_ascend_ms/ASCEND_PROFILER_OUTPUT/trace_view.json", "exp"),
        ("exp/PROF_000001_20230818142704322_X/mindstudio_profiler_output/op_summary_20230818142704.csv", "exp"),
        ("exp/worker0.1794790512099000900.pt.trace.json", "exp"),
        ("exp/prof/worker0.1794790512099000900.pt.trace.json.gz", "exp"),
        ("exp/a.paddle_trace.pb", "exp"),
        ("exp/host.xplane.pb.gz", "exp"),
        ("exp/rank0.mi-trace.gz", "exp"),
        ("exp/JOB7/data/training_trace.46.dev.profiler_default_tag.1.slice_0.gz", "exp/JOB7"),
        ("exp/rank0.mi-trace", "exp"),
        ("exp/any name.json", "exp"),
        ("exp/any name.json.gz", "exp"),
        ("exp/JOB7/data/training_trace.46.dev.profiler_default_tag.1.slice_0", "exp/JOB7"),
        ("exp/container/0/data/Framework.host.vm.graph_desc_info.0.JOB2.slice_0", "exp/container"),
    ],
)
def test_a_profile_belongs_to_the_run_that_it_lies_below(logs: Logs, name: str, run: str) -> None:
    logs.write(name, gzip.compress(TRACE) if name.endswith(".gz") else TRACE)

    assert logs.load() == {run: {"profiles": 1}}

    logs.write_scalars("exp")
    assert logs.load() == {"exp": {"scalars": 1, "profiles": 1}}


@needs_mindinsight_data
def test_all_profiles_of_the_corpus_are_found_and_nothing_else(corpus: Path, tmp_path: Path) -> None:
    reader = IndexReader(location := IndexLocation.of(corpus, tmp_path))
    load_index(location)

    found = {run.name: run.counts["profiles"] for run in reader.runs.find()[1] if run.has_profile}
    several = {"clu": 4, "pstrat": 2, "res": 3, "ddp_two_ranks": 2, "tables": 2, "profiler_schedule": 2}
    assert {name.rpartition("/")[2]: count for name, count in found.items() if count > 1} == several
    assert sorted(name for name, count in found.items() if count == 1) == sorted(
        [
            *(f"ascend/raw/{name}" for name in ("ERROR_JOB", "JOB1", "JOB2", "JOB3", "JOB4", "JOB_AICPU", "container")),
            *(f"mindinsight-profiles/{name}" for name in ("cpu_ms270", "run_1", "run_2", "run_3", "run_4")),
            *(f"mindspore-2.10/{name}" for name in ("profiler_analyse", "two_ranks/rank_0", "two_ranks/rank_1")),
            *("jax-profiler/mlp", "mindspore-2.0/profiler_analyse", "paddle-profiler/chrome"),
            *("paddle-profiler/protobuf", "torch-profiler/single", "torch-profiler/ten_steps_stack_gz"),
        ]
    )
    assert [run.name for run in reader.runs.find()[1] if run.warning_count] == []


def test_what_only_looks_like_a_profile_is_left_alone(logs: Logs) -> None:
    for name in ("profiler/config.json", "profiler/data_1.csv", "profiler/notes.txt", "settings.json", "a.slice_0"):
        logs.write(f"code/{name}", b'{"name": "x", "value": [1]}')
    logs.write("code/PROF_1_2_X/device_0/data/hwts.data.slice_0")
    logs.write("code/x_ascend_ms/logs/profiler_1.log")

    assert logs.load() == {}


@pytest.fixture
def following(logs: Logs) -> Iterator[Loader]:
    """A loader as the service has it."""
    with index_lock(logs.location):
        loader = Loader(logs.location, quiet_seconds=60)
        yield loader
        loader.close()


def test_a_profile_that_is_being_written_waits_until_it_is_done(logs: Logs, following: Loader) -> None:
    path = logs.write("exp/worker0.1794790512099000900.pt.trace.json", TRACE[:20])
    following.round()
    assert logs.counts() == {}

    path.write_bytes(TRACE)
    os.utime(path, (time.time() - 120,) * 2)
    following.round()
    assert logs.counts() == {"exp": {"profiles": 1}}

    path.write_bytes(TRACE * 2)
    following.round()
    following.round_over_hot_files()
    assert [file.size for file in logs.reader.runs.profile_files()] == [len(TRACE)]

    shutil.rmtree(logs.base / "exp")
    following.round()
    assert logs.counts() == {}
