"""Whatever is done to log files below a loader, the index says what a new one would."""

from __future__ import annotations

import os
import random
import shutil
import time
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like.loader.lock import index_lock
from mindinsight_like.loader.rounds import Loader, RestTimes
from mindinsight_like.store.database.location import IndexLocation
from mindinsight_like.store.reader import IndexReader

from .logs import Loading, answers, append, assert_same, clean_answers, tensorboard_records, visualdl_records, write

_LOG = "events.out.tfevents.1.host"
_AT_ONCE = RestTimes(verified_after_seconds=0.0, verified_bytes_per_second=1e12, warned_after_seconds=1e9)


def _variant(value: float) -> bytes:
    """Logs of one length that begin and end alike and differ in the middle."""
    head, tail = tensorboard_records("loss", range(5)), tensorboard_records("loss", range(45, 50))
    return head + tensorboard_records("loss", range(5, 45), value=value) + tail


def _comparable(found: dict[str, Any]) -> dict[str, Any]:
    """Without the place inside damage where reading stopped: it depends on how the file was cut into pieces."""
    for run in found.values():
        run["files"] = [(file.name, file.bytes, file.dialect) for file in run["files"]]
    return found


def _replace(path: Path, content: bytes) -> None:
    other = path.with_name("other")
    other.write_bytes(content)
    other.replace(path)


@pytest.mark.parametrize("way", ["in place", "by rename", "in place with its time set back", "by rename with its time"])
def test_a_log_replaced_by_another_of_the_same_size_is_noticed(loading: Loading, base_dir: Path, way: str) -> None:
    log = write(base_dir / "run" / _LOG, _variant(0.5), mtime=1_700_000_000)
    loading.round()
    before = loading.points("run", "loss")

    if way.startswith("in place"):
        log.write_bytes(_variant(7.5))
    else:
        _replace(log, _variant(7.5))
    if "time" in way:
        os.utime(log, (1_700_000_000, 1_700_000_000))
    loading.round()

    assert loading.points("run", "loss") != before
    assert loading.points("run", "loss")[20] == (20, 27.5)


def test_blobs_of_a_replaced_log_are_not_served(loading: Loading, base_dir: Path) -> None:
    from mindinsight_like.errors import BlobGone
    from mindinsight_like.logs.kinds import Kind
    from mindinsight_like.writers.encoding import tensorboard

    def notes(middle: str) -> bytes:
        texts = ["first" * 20, middle * 20, "last" * 20]
        return b"".join(
            tensorboard.frame(tensorboard.event([tensorboard.text("note", text)], step=step, wall_time=1.0 + step))
            for step, text in enumerate(texts)
        )

    log = write(base_dir / "run" / _LOG, notes("alpha"))
    loading.round()
    (series,) = loading.reader.blobs([loading.id_of("run")], ["note/text_summary"], Kind.TEXT)
    reference = series.references[1]

    _replace(log, notes("omega"))

    with loading.reader.blob_bytes([int(reference["file"])]) as blobs, pytest.raises(BlobGone):
        blobs.read(int(reference["file"]), int(reference["offset"]), int(reference["length"]))


def test_a_touched_log_is_not_read_again(loading: Loading, base_dir: Path) -> None:
    log = write(base_dir / "run" / _LOG, _variant(0.5))
    loading.round()
    segments = loading.reader.connection.query("SELECT id FROM segments")

    os.utime(log)
    log.chmod(0o600)
    copy = log.read_bytes()
    _replace(log, copy)  # as rsync does it
    append(log, tensorboard_records("loss", range(50, 55)))
    loading.round()

    assert loading.steps("run", "loss") == list(range(55))
    assert loading.reader.connection.query("SELECT id FROM segments WHERE id = ?", segments[0])


def test_a_grown_log_with_another_middle_is_noticed_when_it_rests(base_dir: Path, tmp_path: Path) -> None:
    location = IndexLocation.of(base_dir, tmp_path / "workspace")
    log = write(base_dir / "run" / _LOG, _variant(0.5))
    with index_lock(location):
        loader = Loader(location, rest=_AT_ONCE)
        loader.round()

        with log.open("r+b") as file:
            file.write(_variant(7.5) + tensorboard_records("loss", range(50, 60)))
        loader.round()
        time.sleep(0.01)
        loader.round()
        loader.round()

        assert_same(answers(IndexReader(location)), clean_answers(base_dir, tmp_path / "clean"))
        loader.close()


@pytest.mark.parametrize("seed", range(6))
def test_random_operations_give_the_answers_of_a_new_index(base_dir: Path, tmp_path: Path, seed: int) -> None:
    """250 operations with each seed: 1,500 in all."""
    rng = random.Random(seed)
    location = IndexLocation.of(base_dir, tmp_path / "workspace")
    contents = [_variant(value) for value in (0.5, 7.5, 3.25)]
    contents += [tensorboard_records("loss", range(n), value=n) for n in (0, 3, 40)]
    contents += [visualdl_records("acc", range(30)), contents[0][:-9], b"rubbish" * 30 + contents[1]]
    names = [f"run{n}/{log}" for n in range(5) for log in (_LOG, "vdlrecords.1.log")]

    def operate() -> None:
        path, other = (base_dir / name for name in rng.sample(names, 2))
        path.parent.mkdir(exist_ok=True)
        other.parent.mkdir(exist_ok=True)
        what = rng.randrange(10)
        if what == 0 or not path.exists():
            path.write_bytes(rng.choice(contents))
        elif what == 1:
            _replace(path, rng.choice(contents))
        elif what == 2:
            os.truncate(path, rng.randrange(path.stat().st_size + 1))
        elif what == 3 and other.exists():
            kept = base_dir / "kept"
            path.replace(kept)
            other.replace(path)
            kept.replace(other)
        elif what == 4:
            path.replace(other)
        elif what == 5:
            shutil.rmtree(path.parent) if rng.random() < 0.3 else path.unlink()
        elif what == 6:
            moment = rng.choice([1.0, 1_600_000_000.0, time.time(), time.time() + 9_000_000])
            os.utime(path, (moment, moment))
        elif what == 7 and path.stat().st_size > 300:  # the middle, and nothing else
            status = path.stat()
            with path.open("r+b") as file:
                file.seek(rng.randrange(150, status.st_size - 100))
                file.write(rng.randbytes(20))
            os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
        elif what == 8:
            with path.open("r+b") as file:
                file.write(rng.choice(contents) + rng.choice(contents))
        else:
            append(path, rng.choice(contents))

    with index_lock(location):
        loader = Loader(location, rest=_AT_ONCE)
        for _ in range(250):
            operate()
            if rng.random() < 0.3:
                loader.round_over_hot_files() if rng.random() < 0.5 else loader.round()
            if rng.random() < 0.02:
                loader.close()
                loader = Loader(location, rest=_AT_ONCE)
        for _ in range(3):  # read, verified at rest, read again where that failed
            time.sleep(0.01)
            loader.round()

        clean = _comparable(clean_answers(base_dir, tmp_path / "clean"))
        assert_same(_comparable(answers(IndexReader(location))), clean)
        loader.close()


def _warnings(reader: IndexReader) -> list[tuple[str, int, str]]:
    return [(warning.file, warning.offset, warning.kind) for run in reader.runs.find()[1] for warning in run.warnings]


def test_an_unfinished_record_is_reported_once_its_file_rests(base_dir: Path, tmp_path: Path) -> None:
    location = IndexLocation.of(base_dir, tmp_path / "workspace")
    whole = tensorboard_records("loss", range(10))
    log = write(base_dir / "run" / _LOG, whole[:-7])
    position = len(tensorboard_records("loss", range(9)))
    patient = RestTimes(verified_after_seconds=0.0, warned_after_seconds=0.4)
    with index_lock(location):
        loader, reader = Loader(location, rest=patient), IndexReader(location)
        loader.round()
        assert _warnings(reader) == []

        time.sleep(0.5)
        loader.look()
        loader.look()
        assert _warnings(reader) == [(f"run/{_LOG}", position, "unfinished")]
        assert reader.runs.find()[1][0].warning_count == 1
        loader.close()
        loader = Loader(location, rest=patient)
        loader.round()
        loader.look()
        assert reader.runs.find()[1][0].warning_count == 1

        append(log, whole[-7:])
        loader.round()

        assert _warnings(reader) == []
        assert reader.runs.find()[1][0].warning_count == 0
        loader.close()


def test_empty_files_are_listed_with_a_warning(base_dir: Path, tmp_path: Path) -> None:
    location = IndexLocation.of(base_dir, tmp_path / "workspace")
    trace = write(base_dir / "run/plugins/profile/1/host.pt.trace.json", b"")
    write(base_dir / "run" / _LOG, b"")
    with index_lock(location):
        loader = Loader(location, rest=RestTimes(verified_after_seconds=0.0, warned_after_seconds=0.0))
        loader.round()
        loader.look()

        reader = IndexReader(location)
        expected = {(str(path.relative_to(base_dir)), 0, "empty") for path in (trace, base_dir / "run" / _LOG)}
        assert set(_warnings(reader)) == expected
        assert {file.name for run in reader.runs.find()[1] for file in reader.runs.files(run.id)} == {
            name for name, _, _ in expected
        }
        loader.close()
