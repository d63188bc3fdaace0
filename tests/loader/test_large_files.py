"""Files with more of something than usual."""

from __future__ import annotations

import resource
from pathlib import Path

import pytest

from mindinsight_like.logs.scanner import NATIVE
from mindinsight_like.writers.encoding import tensorboard

from .logs import WALL, Loading, append, tensorboard_records, write


def test_ten_thousand_tags_keep_their_points_while_they_grow(base_dir: Path, loading: Loading) -> None:
    def records(step: int, count: int) -> bytes:
        values = [tensorboard.scalar(f"tag {number}", number + step) for number in range(count)]
        return b"".join(
            tensorboard.frame(tensorboard.event(values[low : low + 500], step=step, wall_time=WALL + step))
            for low in range(0, count, 500)
        )

    log = write(base_dir / "run/events.out.tfevents.1.host", records(0, 9_000))
    loading.round()
    append(log, records(1, 10_000))
    loading.round()
    append(log, records(2, 10_000))
    loading.round()

    run = loading.id_of("run")
    assert loading.reader.runs.get(run).counts == {"scalars": 10_000}
    names = ["tag 0", "tag 8999", "tag 9000", "tag 9999"]
    curves = loading.reader.scalars([run], names)
    assert [curve.values.tolist() for curve in curves] == [[0, 1, 2], [8999, 9000, 9001], [9001, 9002], [10000, 10001]]
    everything = [f"tag {number}" for number in range(10_000)]
    assert sum(len(curve.steps) for curve in loading.reader.scalars([run], everything)) == 29_000


@pytest.mark.skipif(not NATIVE, reason="a million records take the Python twin too long")
def test_a_step_written_a_million_times_is_one_point(base_dir: Path, loading: Loading) -> None:
    same = tensorboard_records("loss", [7])
    write(base_dir / "run/events.out.tfevents.1.host", same * 2_100_000 + tensorboard_records("loss", [8]))

    loading.round()

    assert loading.points("run", "loss") == [(7, 7.5), (8, 8.5)]
    (tag,) = loading.reader.series.tags(loading.id_of("run"))["scalars"]
    assert tag.count == 2


def test_more_large_runs_than_a_process_may_open_files_are_shown_together(base_dir: Path, loading: Loading) -> None:
    content = tensorboard_records("loss", range(7500))  # makes a segment file of its own
    for place in range(80):
        write(base_dir / f"{place}/events.out.tfevents.1.host", content)
    loading.round()
    runs = [run.id for run in loading.reader.runs.find()[1]]
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    opened = len(list(Path("/proc/self/fd").iterdir()))
    resource.setrlimit(resource.RLIMIT_NOFILE, (opened + 40, before[1]))
    try:
        curves = loading.reader.scalars(runs, ["loss"])
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)

    assert [curve.total_points for curve in curves] == [7500] * 80
