"""Logs that grow in any slices give what one look at the finished logs gives."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mindinsight_like.writers.encoding import mindspore, tensorboard, visualdl, wire

from .logs import (
    WALL,
    Loading,
    answers,
    append,
    assert_same,
    clean_answers,
    mindspore_records,
    tensorboard_records,
    visualdl_records,
    write,
)

_KINDS = ["tensorboard", "mindspore", "visualdl"]
_NAMES = {
    "tensorboard": "events.out.tfevents.1700000000.host.7.0",
    "mindspore": "events.out.events.summary.1700000000.0.host_MS",
    "visualdl": "vdlrecords.1700000000.log",
}
_VALUES = st.sampled_from([0.5, -1.0, 7.0, math.nan, math.inf])
_LOG = st.lists(
    st.tuples(st.sampled_from(["loss", "accuracy", "note"]), st.integers(0, 6), _VALUES), min_size=1, max_size=25
)


def _record(dialect: str, tag: str, step: int, value: float, wall: float) -> bytes:
    if dialect == "visualdl":
        content = visualdl.text("hello") if tag == "note" else visualdl.scalar(value)
        return visualdl.frame(visualdl.record(tag, content, step=step, wall_time=wall))
    writer = tensorboard if dialect == "tensorboard" else mindspore
    if tag == "note" and dialect == "tensorboard":
        message = tensorboard.text(tag, "hello")
    else:
        message = writer.scalar(tag, value)
    return writer.frame(writer.event([message], step=step, wall_time=wall))


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(logs=st.dictionaries(st.sampled_from(_KINDS), _LOG, min_size=1), data=st.data())
def test_any_slices_give_the_same_answers_as_one_load(
    tmp_path_factory: pytest.TempPathFactory, logs: dict[str, list[tuple[str, int, float]]], data: st.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("growth")
    base_dir = folder / "logs"
    contents = {
        base_dir / "run" / _NAMES[dialect]: b"".join(
            _record(dialect, *value, WALL + place) for place, value in enumerate(values)
        )
        for dialect, values in logs.items()
    }
    base_dir.mkdir()
    loading = Loading(base_dir, folder / "workspace")
    try:
        cuts = {
            path: sorted(data.draw(st.lists(st.integers(0, len(whole)), min_size=2, max_size=6)))
            for path, whole in contents.items()
        }
        for turn in range(6):
            for path, whole in contents.items():
                reached = [*cuts[path], len(whole)][min(turn, len(cuts[path]))]
                size = path.stat().st_size if path.exists() else 0
                path.parent.mkdir(exist_ok=True)
                append(path, whole[size:reached])
            loading.round()
        for path, whole in contents.items():
            append(path, whole[path.stat().st_size :])
        loading.round()

        assert_same(answers(loading.reader), clean_answers(base_dir, folder / "clean"))
    finally:
        loading.close()


def test_half_a_record_waits_silently(base_dir: Path, loading: Loading) -> None:
    content = tensorboard_records("loss", range(4))
    ends = [len(tensorboard_records("loss", range(count))) for count in (1, 2, 3, 4)]
    log = base_dir / "events.out.tfevents.1.host"
    for size in range(1, len(content) + 1):
        write(log, content[:size]) if size == 1 else append(log, content[size - 1 : size])
        loading.round()
        run = loading.reader.runs.get(loading.id_of("."))
        assert run.warnings == []
        tags = loading.reader.series.tags(run.id)["scalars"]
        assert sum(tag.count for tag in tags) == sum(end <= size for end in ends)

    assert loading.steps(".", "loss") == [0, 1, 2, 3]


def test_hot_files_are_followed_between_full_rounds(base_dir: Path, loading: Loading) -> None:
    log = write(base_dir / "run/events.out.tfevents.1.host", tensorboard_records("loss", range(3)))
    loading.round()
    append(log, tensorboard_records("loss", range(3, 5)))
    write(base_dir / "new/events.out.tfevents.1.host", tensorboard_records("loss", range(3)))

    loading.loader.round_over_hot_files()

    assert loading.steps("run", "loss") == [0, 1, 2, 3, 4]
    assert loading.runs() == ["run"]
    loading.round()
    assert loading.runs() == ["new", "run"]
    log.unlink()
    loading.loader.round_over_hot_files()
    assert loading.runs() == ["new", "run"]
    loading.round()
    assert loading.runs() == ["new"]


def test_a_file_followed_for_long_keeps_few_segments(base_dir: Path, loading: Loading) -> None:
    log = write(base_dir / "run/events.out.tfevents.1.host", b"")
    for step in range(120):
        append(log, tensorboard_records("loss", [step]))
        loading.loader.round() if step == 0 else loading.loader.round_over_hot_files()

    assert loading.steps("run", "loss") == list(range(120))
    segments = loading.loader._writer._connection.execute("SELECT COUNT(*) FROM segments")
    assert segments[0][0] <= 3 * 7


def test_several_files_of_a_run_are_one_curve(base_dir: Path, loading: Loading) -> None:
    for place in range(4):
        content = tensorboard_records("loss", range(10 * place, 10 * place + 10), wall=WALL + 100 * place)
        write(base_dir / f"run/events.out.tfevents.{place}.host.{place}.0", content)
        loading.round()

    assert loading.steps("run", "loss") == list(range(40))
    assert len(loading.reader.runs.files(loading.id_of("run"))) == 4


def test_all_dialects_may_share_a_folder(base_dir: Path, loading: Loading) -> None:
    write(base_dir / "run" / _NAMES["tensorboard"], tensorboard_records("tb", range(3)))
    write(base_dir / "run" / _NAMES["mindspore"], mindspore_records("ms", range(4)))
    write(base_dir / "run" / _NAMES["visualdl"], visualdl_records("vdl", range(5)))

    loading.round()

    run = loading.reader.runs.get(loading.id_of("run"))
    assert run.dialects == ["mindspore", "tensorboard", "visualdl"]
    assert run.counts == {"scalars": 3}
    assert [len(loading.steps("run", tag)) for tag in ("tb", "ms", "vdl")] == [3, 4, 5]


def test_ranks_in_one_folder_stay_apart(base_dir: Path, loading: Loading) -> None:
    for rank in range(3):
        name = f"run/events.out.events.summary.1700000000.{rank}.host_MS"
        write(base_dir / name, mindspore_records("loss", range(3), value=100.0 * rank, wall=WALL + rank))

    loading.round()

    assert loading.curves("run", "loss") == {
        f"rank {rank}": [(step, 100.0 * rank + step) for step in range(3)] for rank in range(3)
    }


def test_processes_of_torch_in_one_folder_stay_apart(base_dir: Path, loading: Loading) -> None:
    for process in (11, 12):
        name = f"run/events.out.tfevents.1700000000.host.{process}.0"
        write(base_dir / name, tensorboard_records("loss", range(3), value=float(process)))

    loading.round()

    curves = loading.curves("run", "loss")
    assert {source: values[0] for source, values in curves.items()} == {"host.11": (0, 11.0), "host.12": (0, 12.0)}


def test_resumed_runs_show_the_latest_or_everything(base_dir: Path, loading: Loading) -> None:
    write(base_dir / "run/events.out.tfevents.1.host.7.0", tensorboard_records("loss", range(10)))
    loading.round()
    later = tensorboard_records("loss", range(6, 12), value=100.0, wall=WALL + 1000)
    write(base_dir / "run/events.out.tfevents.2.host.8.0", later)
    loading.round()

    assert loading.steps("run", "loss") == list(range(12))
    assert loading.points("run", "loss")[5:7] == [(5, 5.5), (6, 106.0)]
    assert loading.steps("run", "loss", resume="all") == [*range(10), *range(6, 12)]
    run = loading.id_of("run")
    (latest,) = loading.reader.scalars([run], ["loss"])
    (everything,) = loading.reader.scalars([run], ["loss"], resume="all")
    assert latest.segments == [0]
    assert everything.segments == [0, 10]


def test_an_announced_start_hides_what_it_overwrites(base_dir: Path, loading: Loading) -> None:
    """SessionLog START: training goes on from step 4, though the next value is logged at step 8 only."""
    start = wire.double(1, WALL + 1000) + wire.integer(2, 4) + wire.blob(7, wire.integer(1, 1))
    write(base_dir / "run/events.out.tfevents.1.host.7.0", tensorboard_records("loss", range(10)))
    later = tensorboard.frame(start) + tensorboard_records("loss", [8, 9], wall=WALL + 1001)
    write(base_dir / "run/events.out.tfevents.2.host.8.0", later)

    loading.round()

    assert loading.steps("run", "loss") == [0, 1, 2, 3, 8, 9]
    assert loading.steps("run", "loss", resume="all") == [*range(10), 8, 9]


def test_newest_runs_are_loaded_first(base_dir: Path, loading: Loading) -> None:
    # Large enough for commits in between.
    count = 300_000 // 4
    content = b"".join(tensorboard_records("loss", [step]) for step in range(500)) * (count // 500)
    for name, mtime in (("middle", 2000.0), ("oldest", 1000.0), ("newest", 3000.0)):
        records = content if name != "oldest" else tensorboard_records("loss", range(3))
        for part in range(4):
            write(base_dir / name / f"events.out.tfevents.{part}.host", records, mtime=mtime)

    loading.round()

    runs = {run.name: run.version for run in loading.reader.runs.find()[1]}
    assert runs["newest"] < runs["middle"] <= runs["oldest"]
