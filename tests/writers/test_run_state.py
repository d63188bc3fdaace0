"""Run states that writers leave beside their logs: however a process ends, and whoever opens the folder."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from pathlib import Path
from typing import Any

import pytest

from mindinsight_like import LogWriter, SummaryRecord, SummaryWriter
from mindinsight_like.logs.names import classify
from mindinsight_like.logs.run_states import parse
from mindinsight_like.writers.files.run_state import RunStates

HEAD = """
import os, signal, sys, threading, time
from mindinsight_like import LogWriter, SummaryRecord, SummaryWriter
writer = SummaryWriter("run", total_steps=10)
writer.add_scalar("loss", 1.0, 1)
"""


def run(program: str, folder: Path) -> int:
    """Run a training in a process of its own; its exit code."""
    whole = HEAD + textwrap.dedent(program)
    process = subprocess.run([sys.executable, "-c", whole], cwd=folder, capture_output=True, text=True, timeout=60)
    return process.returncode


def states(folder: Path) -> list[dict[str, Any]]:
    return [json.loads(path.read_text()) for path in sorted(folder.glob("mindinsight_like.state.*"))]


@pytest.mark.parametrize(
    ("program", "code", "state", "reason"),
    [
        ("", 0, "finished", None),
        ("writer.close()", 0, "finished", None),
        ("sys.exit()", 0, "finished", None),
        ("sys.exit(3)", 3, "failed", "exit code 3"),
        ("raise SystemExit('no data')", 1, "finished", None),  # nobody can see it but those whom it passes
        ("raise ValueError('bad  batch')", 1, "failed", "ValueError: bad batch"),
        ("with writer: raise KeyError('x')", 1, "failed", "KeyError: 'x'"),
        ("with writer: raise SystemExit(4)", 4, "failed", "exit code 4"),
        ("try: raise OSError('disk')\nfinally: writer.close()", 1, "failed", "OSError: disk"),
        ("next(iter(()), None)\ntry: next(iter(()))\nexcept StopIteration: writer.close()", 0, "finished", None),
        ("signal.signal(2, signal.default_int_handler)\nsignal.raise_signal(2)", -2, "failed", "KeyboardInterrupt"),
        ("writer.flush(); os.kill(os.getpid(), 9)", -9, "running", None),
    ],
)
def test_a_state_says_how_its_process_ended(
    tmp_path: Path, program: str, code: int, state: str, reason: str | None
) -> None:
    assert run(program, tmp_path) == code

    (content,) = states(tmp_path / "run")
    assert (content["state"], content.get("reason")) == (state, reason)
    assert content["total_steps"] == 10
    assert ("ended" in content) == (state != "running")


def test_an_error_that_is_handled_while_writing_begins_is_not_its_end(tmp_path: Path) -> None:
    run(
        """
        try:
            import no_such_module
        except ImportError:
            with SummaryWriter("other") as other:
                other.add_scalar("loss", 1.0, 1)
        """,
        tmp_path,
    )

    assert [content["state"] for content in states(tmp_path / "other")] == ["finished"]


def test_a_run_that_was_closed_before_is_not_the_one_that_fails(tmp_path: Path) -> None:
    run("writer.close(); open_one = SummaryWriter('second'); raise ValueError", tmp_path)

    assert [content["state"] for content in states(tmp_path / "run")] == ["finished"]
    assert [content["state"] for content in states(tmp_path / "second")] == ["failed"]


def test_a_forked_process_does_not_end_the_run_of_its_parent(tmp_path: Path) -> None:
    run(
        """
        if os.fork() == 0:
            raise ValueError("in the child")
        os.wait()
        writer.flush()
        os.kill(os.getpid(), 9)
        """,
        tmp_path,
    )

    assert [content["state"] for content in states(tmp_path / "run")] == ["running"]


def test_a_process_of_multiprocessing_says_why_it_ended(tmp_path: Path) -> None:
    run(
        """
        import multiprocessing
        def train():
            part = SummaryWriter("part")
            part.add_scalar("loss", 1.0, 1)
            raise ValueError("in the child")
        process = multiprocessing.get_context("fork").Process(target=train)
        process.start(); process.join()
        """,
        tmp_path,
    )

    (content,) = states(tmp_path / "part")
    assert (content["state"], content["reason"]) == ("failed", "ValueError: in the child")
    assert [content["state"] for content in states(tmp_path / "run")] == ["finished"]


def test_hooks_of_others_are_called_as_before(tmp_path: Path) -> None:
    program = "sys.excepthook = lambda *_: None"  # set later: it replaces ours, and nothing breaks
    assert run(f"{program}\nraise ValueError", tmp_path) == 1

    process = subprocess.run(
        [
            sys.executable,
            "-c",
            "import sys\nsys.excepthook = lambda *_: print('theirs')\n" + HEAD + "raise ValueError('x')",
        ],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert process.stdout == "theirs\n"


@pytest.mark.parametrize("make", [SummaryWriter, LogWriter, SummaryRecord])
def test_every_writer_leaves_one_state_that_no_original_reads(tmp_path: Path, make: Any) -> None:
    with make(str(tmp_path)) as writer:
        if isinstance(writer, SummaryRecord):
            writer.add_value("scalar", "loss", 1.0)
            writer.record(1)
        else:
            writer.add_scalar("loss", 1.0, 1)
    with make(str(tmp_path)) as writer:  # the same process goes on in the same file
        pass

    (path,) = tmp_path.glob("mindinsight_like.state.*")
    said = parse(path.read_bytes())
    assert said is not None
    assert said.state == "finished"
    assert path.stat().st_size < 512
    assert not any(part in path.name for part in ("tfevents", "vdlrecords", "summary"))
    name = classify(path.name)
    assert name is not None
    assert name.dialect.name == "RUN_STATE"


def test_folders_of_curves_and_writers_without_a_disk_have_no_state(tmp_path: Path) -> None:
    with SummaryWriter(tmp_path / "run") as writer:
        writer.add_scalars("losses", {"train": 1.0, "eval": 2.0}, 1)
    with SummaryWriter(tmp_path / "none", write_to_disk=False) as writer:
        writer.add_scalar("loss", 1.0, 1)

    assert [path.parent.name for path in tmp_path.rglob("mindinsight_like.state.*")] == ["run"]


def test_a_heartbeat_overwrites_the_file_in_place(tmp_path: Path) -> None:
    run_states = RunStates()
    state = run_states.open(tmp_path, 5)
    (path,) = tmp_path.glob("mindinsight_like.state.*")
    before, number = path.stat().st_size, path.stat().st_ino

    assert run_states.seconds_to_beat() == 0
    run_states.beat()
    assert 29 < (run_states.seconds_to_beat() or 0) <= 30
    run_states.close(state, ValueError("x" * 5000))
    run_states.set_total_steps(state, 6)

    content = json.loads(path.read_text())
    assert (content["state"], content["total_steps"], len(content["reason"])) == ("failed", 6, 1000)
    assert path.stat().st_ino == number
    assert path.stat().st_size >= before
    assert run_states.seconds_to_beat() is None


def test_a_folder_that_is_removed_does_not_come_back(tmp_path: Path) -> None:
    run_states = RunStates()
    state = run_states.open(tmp_path)
    (path,) = tmp_path.glob("mindinsight_like.state.*")
    path.unlink()

    run_states.beat()
    run_states.close(state, None)

    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("total", [0, -1, 1.5, "many"])
def test_a_number_of_steps_must_be_one(tmp_path: Path, total: Any) -> None:
    with pytest.raises((TypeError, ValueError)):
        SummaryWriter(tmp_path, total_steps=total)
