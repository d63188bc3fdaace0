"""What runs print, recorded by `mi.init(capture_console=True)` and read back through the index."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from mindinsight_like.conf.settings import Settings
from mindinsight_like.items.console import Console, ConsoleLine, open_console
from mindinsight_like.loader.once import load_once
from mindinsight_like.store.reader import IndexReader

BEGIN = """
import logging, os, sys, time
logging.basicConfig(level=logging.INFO)  # before the run: it holds the stream that is there now
import mindinsight_like as mi
run = mi.init(dir=sys.argv[1], name="first", capture_console=True, host_metrics_seconds=0)
"""


def script(tmp_path: Path, text: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", BEGIN + text, str(tmp_path / "logs")], capture_output=True, text=True, check=False
    )


def printed(tmp_path: Path) -> list[ConsoleLine]:
    settings = Settings(workspace=tmp_path / "workspace", summary_base_dir=tmp_path / "logs")
    load_once(settings)
    reader = IndexReader.open(tmp_path / "logs", tmp_path / "workspace")
    _, (run,) = reader.runs.find()
    with open_console(reader, run.id) as console:
        assert isinstance(console, Console)
        return console.window(0, 1000)


def texts(tmp_path: Path) -> list[str]:
    return [line.text for line in printed(tmp_path)]


def test_both_streams_and_loggers_are_recorded_with_times(tmp_path: Path) -> None:
    done = script(
        tmp_path,
        "print('out', 1)\nprint('err', file=sys.stderr)\nlogging.info('logged')\nsys.stdout.write('损失 0.5\\n')\n"
        "mi.log({'loss': 1})\nmi.finish()\nprint('after')\n",
    )

    lines = printed(tmp_path)

    assert [line.text for line in lines] == ["out 1", "err", "INFO:root:logged", "损失 0.5"]
    assert all(line.time is not None and line.time > 1.7e9 for line in lines)
    assert done.stdout == "out 1\n损失 0.5\nafter\n"
    assert done.stderr == "err\nINFO:root:logged\n"


def test_the_traceback_of_a_crash_is_recorded(tmp_path: Path) -> None:
    done = script(tmp_path, "print('before')\nraise RuntimeError('CUDA out of memory')\n")

    found = texts(tmp_path)

    assert done.returncode == 1
    assert found[:2] == ["before", "Traceback (most recent call last):"]
    assert found[-1] == "RuntimeError: CUDA out of memory"


def test_what_was_printed_survives_a_kill(tmp_path: Path) -> None:
    done = script(tmp_path, "print('one')\nprint('two')\nos.kill(os.getpid(), 9)\n")

    assert done.returncode == -signal.SIGKILL
    assert texts(tmp_path) == ["one", "two"]


def test_a_progress_bar_is_its_last_state(tmp_path: Path) -> None:
    script(
        tmp_path,
        "for done in range(0, 101, 5):\n    print(f'\\r{done:3d}%|bar', end='', file=sys.stderr)\n"
        "print(file=sys.stderr)\nprint('windows\\r')\nprint('no end', end='')\n",
    )

    assert texts(tmp_path) == ["100%|bar", "windows", "no end"]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_forked_processes_print_into_the_same_record_and_nothing_twice(tmp_path: Path) -> None:
    script(
        tmp_path,
        "print('half', end='')\nsys.stdout.flush()\nchild = os.fork()\nif child == 0:\n"
        "    print('from the child')\n    sys.stdout.flush()\n    os._exit(0)\nos.waitpid(child, 0)\nprint(' whole')\n",
    )

    assert texts(tmp_path) == ["from the child", "half whole"]


def test_streams_are_as_they_were_before_and_after(tmp_path: Path) -> None:
    done = script(
        tmp_path,
        "assert sys.stdout is sys.__stdout__ and sys.stdout.fileno() == 1 and not sys.stdout.isatty()\n"
        "assert 'write' in vars(sys.stdout)\nmi.finish()\nassert 'write' not in vars(sys.stdout)\n"
        "second = mi.init(dir=sys.argv[1], name='second', host_metrics_seconds=0)\n"
        "assert 'write' not in vars(sys.stdout)\n",
    )

    assert done.returncode == 0, done.stderr


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk_keeps_nobody_from_printing(tmp_path: Path) -> None:
    done = script(
        tmp_path,
        "full = os.open('/dev/full', os.O_WRONLY)\nos.dup2(full, run._console._handle)\nprint('one')\nprint('two')\n",
    )

    assert (done.returncode, done.stdout) == (0, "one\ntwo\n")
