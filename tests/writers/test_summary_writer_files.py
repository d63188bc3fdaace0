"""SummaryWriter's files: their names and folders, one for each process, and what closing and resuming do."""

from __future__ import annotations

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import mindinsight_like as mi
from mindinsight_like import SummaryWriter
from mindinsight_like.logs.kinds import Kind

from .tensorboard_events import event_files, events, kinds, recorded


@pytest.fixture
def writer(tmp_path: Path) -> Iterator[SummaryWriter]:
    with SummaryWriter(tmp_path) as writer:
        yield writer


def test_files_are_named_as_torch_names_them(tmp_path: Path) -> None:
    with SummaryWriter(log_dir=str(tmp_path), filename_suffix=".mine") as writer:
        [path] = event_files(tmp_path)

    assert re.fullmatch(
        rf"events\.out\.tfevents\.\d{{10}}\.{socket.gethostname()}\.{os.getpid()}\.\d+\.mine", path.name
    )
    assert writer.logdir == writer.log_dir == writer.get_logdir() == str(tmp_path)
    assert events(path)[0].text(3) == "brain.Event:2"


def test_the_folder_is_named_by_time_host_and_comment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    SummaryWriter(comment="_LR_0.1").close()

    [folder] = (tmp_path / "runs").iterdir()
    assert re.fullmatch(rf"\w{{3}}\d\d_\d\d-\d\d-\d\d_{socket.gethostname()}_LR_0\.1", folder.name)
    assert len(event_files(folder)) == 1


def test_nothing_is_written_when_asked_for(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run", write_to_disk=False) as writer:
        writer.add_scalar("x", 1.0)
        writer.add_scalars("x", {"a": 1.0})
        writer.add_hparams({"lr": 1}, {"acc": 1})
        writer.add_embedding(np.zeros((2, 2)))

    assert list(tmp_path.iterdir()) == []


def test_folders_of_object_stores_are_refused() -> None:
    with pytest.raises(ValueError, match="is a URL"):
        SummaryWriter("s3://bucket/run")


def test_options_of_the_originals_are_taken(tmp_path: Path) -> None:
    SummaryWriter(tmp_path, "", None, 5, 30, "", True, None, {"disabled": True}, unknown=1).close()
    SummaryWriter(log_dir=tmp_path, max_queue=1, flush_secs=1, purge_step=None).close()

    assert len(event_files(tmp_path)) == 2


def test_a_resumed_run_tells_readers_to_forget(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path, purge_step=7) as writer:
        writer.add_scalar("x", 1.0, 7)

    [path] = event_files(tmp_path)
    _, version, session, scalar = events(path)
    assert (version.text(3), version.integer(2)) == ("brain.Event:2", 7)
    assert (session.messages(7)[0].integer(1), session.integer(2)) == (1, 7)
    assert scalar.integer(2) == 7
    assert kinds(tmp_path)["start"] is Kind.SESSION


def test_recording_after_closing_begins_a_new_file(tmp_path: Path) -> None:
    writer = SummaryWriter(tmp_path, purge_step=3)
    writer.add_scalar("x", 1.0)
    writer.close()
    writer.close()
    writer.add_scalar("x", 2.0)
    writer.close()

    first, second = event_files(tmp_path)
    assert len(events(first)) == 4
    assert len(events(second)) == 2  # nothing is forgotten a second time


def test_metadata_is_for_calls_without_their_own(writer: SummaryWriter) -> None:
    with writer.use_metadata(global_step=10, walltime=99.5) as same:
        assert same is writer
        writer.add_scalar("default", 1.0)
        writer.add_scalar("own", 1.0, 3, 4.5)
        with writer.use_metadata(global_step=11):
            writer.add_text("inner", "text")
    writer.add_scalar("after", 1.0)
    with pytest.raises(ValueError, match="global_step or a walltime"), writer.use_metadata():
        pass
    writer.flush()

    found = {value.tag: (value.step, value.wall_time) for value in recorded(Path(writer.logdir))}
    assert found["default"] == (10, 99.5)
    assert found["own"] == (3, 4.5)
    assert found["inner/text_summary"][0] == 11
    assert found["after"][0] == 0
    assert found["after"][1] == pytest.approx(time.time(), abs=60)


def test_messages_of_protobuf_libraries_are_written_as_they_are(writer: SummaryWriter) -> None:
    class Summary:
        def SerializeToString(self) -> bytes:  # noqa: N802 - the name that protobuf has given
            return bytes.fromhex("0a080a017815 0000803f".replace(" ", ""))

    writer._get_file_writer().add_summary(Summary(), 5, 6.5)
    writer.flush()

    [value] = recorded(Path(writer.logdir))
    assert (value.tag, value.number, value.step, value.wall_time) == ("x", 1.0, 5, 6.5)


def test_an_exception_closes_the_file(tmp_path: Path) -> None:
    with pytest.raises(RuntimeError), SummaryWriter(tmp_path) as writer:
        writer.add_scalar("x", 1.0)
        raise RuntimeError("training failed")

    assert len(recorded(tmp_path)) == 1


def test_a_program_needs_not_close_its_writer(tmp_path: Path) -> None:
    program = (
        "from mindinsight_like import SummaryWriter\n"
        "writer = SummaryWriter('run')\n"
        "for step in range(1000): writer.add_scalar('x', step, step)\n"
        "raise SystemExit(4)"
    )

    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path)

    assert done.returncode == 4
    assert [value.step for value in recorded(tmp_path / "run")] == list(range(1000))


def test_scalars_need_neither_numpy_nor_anything_else(tmp_path: Path) -> None:
    program = (
        "import sys; from mindinsight_like import SummaryWriter\n"
        "with SummaryWriter('run') as writer: writer.add_scalar('x', 0.5, 1); writer.add_text('t', 'text')\n"
        "print(*sorted({name.split('.')[0] for name in sys.modules} & "
        "{'numpy', 'PIL', 'pandas', 'flask', 'google', 'pyarrow', 'orjson', 'sqlite3', 'matplotlib', 'torch'}))"
    )

    done = subprocess.run([sys.executable, "-c", program], cwd=tmp_path, capture_output=True, text=True, check=True)

    assert done.stdout.strip() == ""


def test_many_processes_may_write_into_one_folder(tmp_path: Path) -> None:
    program = (
        "import sys; from mindinsight_like import SummaryWriter\n"
        "with SummaryWriter('run') as writer:\n"
        "    for step in range(50): writer.add_scalar(f'process {sys.argv[1]}', step, step)"
    )
    command = [sys.executable, "-c", program]
    processes = [subprocess.Popen([*command, str(number)], cwd=tmp_path) for number in range(4)]

    assert [process.wait(120) for process in processes] == [0] * 4
    paths = event_files(tmp_path / "run")
    assert [len(events(path)) for path in paths] == [51] * 4


def test_many_threads_may_share_a_writer(writer: SummaryWriter) -> None:
    def train(number: int) -> None:
        for step in range(200):
            writer.add_scalar(f"thread {number}", step, step)

    threads = [threading.Thread(target=train, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    writer.flush()

    found = recorded(Path(writer.logdir))
    for number in range(4):
        assert [value.step for value in found if value.tag == f"thread {number}"] == list(range(200))


def test_a_forked_process_goes_on_in_a_file_of_its_own(writer: SummaryWriter) -> None:
    writer.add_scalar("x", 1.0, 1)

    process = os.fork()
    if not process:
        writer.add_scalar("x", 2.0, 2)
        writer.flush()
        os._exit(0)
    os.waitpid(process, 0)
    writer.add_scalar("x", 3.0, 3)
    writer.flush()

    steps = {
        path.name.split(".")[-2]: [event.integer(2) for event in events(path)]
        for path in event_files(Path(writer.logdir))
    }
    assert steps == {str(os.getpid()): [0, 1, 3], str(process): [0, 2]}


def test_our_own_reader_finds_every_scalar(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "runs" / "first") as writer:
        for step in range(100):
            writer.add_scalar("train/loss", 1 / (step + 1), step)
            writer.add_scalars("pair", {"a": step, "b": -step}, step)

    runs = mi.open(tmp_path / "runs", workspace=tmp_path / "workspace")
    table = runs.scalars(tag="train/loss")

    assert table["value"].tolist() == pytest.approx([1 / (step + 1) for step in range(100)])
    assert sorted(runs.scalars(tag="pair")["value"].tolist()) == sorted([*range(-99, 1), *range(100)])
