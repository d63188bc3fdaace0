"""Where logs of VisualDL's calls stand, and what happens to them when a process ends, forks or comes again."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mindinsight_like import LogReader, LogWriter


def _steps(folder: Path) -> list[int]:
    reader = LogReader(os.fspath(folder))
    return [row[0] for row in reader.get_log_data("scalar", os.fspath(folder), "loss")]


def _logs(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir() if not path.name.startswith("mindinsight_like.state."))


def test_a_log_begins_with_the_name_of_its_run(tmp_path: Path) -> None:
    with LogWriter(tmp_path / "run", display_name="first", filename_suffix=".mine") as writer:
        path = Path(writer.file_name)

        assert path.is_file()  # before anything is recorded

    assert re.fullmatch(r"vdlrecords\.\d{10}\.log\.mine", path.name)
    assert writer.logdir == os.fspath(tmp_path / "run")
    assert LogReader(os.fspath(tmp_path)).runs() == [os.fspath(tmp_path / "run")]
    reader = LogReader(os.fspath(tmp_path))
    reader.load_new_data()
    assert reader.name2tags == {"first": os.fspath(tmp_path / "run")}


def test_without_a_folder_the_time_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    with LogWriter(comment="adam") as writer:
        assert re.fullmatch(r"runs/[A-Z]\w+\d\d_\d\d-\d\d-\d\d\.adam", writer.logdir)

    assert (tmp_path / writer.file_name).is_file()


def test_writers_of_one_second_have_files_of_their_own(tmp_path: Path) -> None:
    writers = [LogWriter(tmp_path) for _ in range(3)]

    for step, writer in enumerate(writers):
        writer.add_scalar("loss", 1.0, step)
        writer.close()

    assert len(_logs(tmp_path)) == 3
    assert sorted(_steps(tmp_path)) == [0, 1, 2]


def test_a_file_name_continues_its_file(tmp_path: Path) -> None:
    for step in range(3):
        with LogWriter(tmp_path, file_name="vdlrecords.resumed.log") as writer:
            writer.add_scalar("loss", 1.0, step)

    assert _logs(tmp_path) == ["vdlrecords.resumed.log"]
    assert _steps(tmp_path) == [0, 1, 2]


def test_half_a_record_of_a_killed_process_is_cut_off_before_going_on(tmp_path: Path) -> None:
    log = tmp_path / "vdlrecords.resumed.log"
    with LogWriter(tmp_path, file_name=log.name) as writer:
        writer.add_scalar("loss", 1.0, 0)
        writer.add_scalar("loss", 1.0, 1)
    log.write_bytes(log.read_bytes()[:-3])

    with LogWriter(tmp_path, file_name=log.name) as writer:
        writer.add_scalar("loss", 1.0, 2)

    assert _steps(tmp_path) == [0, 2]


def test_a_file_name_that_readers_would_not_know_is_replaced(tmp_path: Path) -> None:
    with pytest.warns(RuntimeWarning, match="vdlrecords"), LogWriter(tmp_path, file_name="mine.log") as writer:
        writer.add_scalar("loss", 1.0, 0)

    assert "vdlrecords" in _logs(tmp_path)[0]


def test_recording_goes_on_after_close(tmp_path: Path) -> None:
    writer = LogWriter(tmp_path)
    writer.add_scalar("loss", 1.0, 0)
    writer.close()
    writer.close()
    name = writer.file_name

    writer.add_scalar("loss", 1.0, 1)
    writer.close()

    assert sorted(_steps(tmp_path)) == [0, 1]
    assert writer.file_name != name


def test_nothing_is_written_when_it_is_not_wanted(tmp_path: Path) -> None:
    with LogWriter(tmp_path / "run", write_to_disk=False) as writer:
        writer.add_scalar("loss", 1.0, 0)
        writer.add_hparams({"lr": 0.1}, ["loss"])

    assert list(tmp_path.iterdir()) == []


def test_remote_folders_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)

    with pytest.raises(ValueError, match="local"):
        LogWriter("hdfs://cluster/logs")

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("ending", ["", "raise SystemExit(1)", "1 / 0"])
def test_a_process_may_end_without_close(tmp_path: Path, ending: str) -> None:
    program = (
        "import sys, mindinsight_like as mi\n"
        "writer = mi.LogWriter(sys.argv[1])\n"
        "for step in range(1000): writer.add_scalar('loss', 1.0, step)\n" + ending
    )

    subprocess.run([sys.executable, "-c", program, tmp_path], stderr=subprocess.DEVNULL, check=False)

    assert _steps(tmp_path) == list(range(1000))


def test_a_killed_process_leaves_whole_records(tmp_path: Path) -> None:
    program = (
        "import sys, mindinsight_like as mi\n"
        "writer = mi.LogWriter(sys.argv[1], flush_secs=0.05)\n"
        "step = 0\n"
        "while True:\n"
        "    writer.add_scalar('loss', 1.0, step); step += 1\n"
        "    if step == 2000: writer.flush(); print('ready', flush=True)\n"
    )
    process = subprocess.Popen([sys.executable, "-c", program, tmp_path], stdout=subprocess.PIPE)
    assert process.stdout is not None
    process.stdout.readline()

    process.send_signal(signal.SIGKILL)
    process.communicate()

    steps = _steps(tmp_path)
    assert len(steps) >= 2000
    assert steps == list(range(len(steps)))


def test_forked_processes_write_beside_each_other(tmp_path: Path) -> None:
    program = (
        "import os, sys, mindinsight_like as mi\n"
        "writer = mi.LogWriter(sys.argv[1])\n"
        "writer.add_scalar('loss', 1.0, 0)\n"
        "child = os.fork()\n"
        "writer.add_scalar('loss', 1.0, 1 if child else 2)\n"
        "writer.close()\n"
        "if child: os.waitpid(child, 0)\n"
    )

    subprocess.run([sys.executable, "-c", program, tmp_path], check=True)

    assert sorted(_steps(tmp_path)) == [0, 1, 2]
    # VisualDL reads only the file whose name comes last: it has to be the parent's.
    newest = LogReader(file_path=tmp_path / _logs(tmp_path)[-1])
    assert [value.id for value in newest.get_data("scalar", "loss")] == [0, 1]
