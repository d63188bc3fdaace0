"""The supervisor over stand-ins for its two children; the real ones are in tests/scripts/test_service_life.py."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path

import psutil
import pytest

from mindinsight_like.service.supervisor import RestartBackoff

PROGRAM = """
import sys, logging
from pathlib import Path
from mindinsight_like.service.log_files import LogFiles
from mindinsight_like.service.supervisor import Supervisor
logging.basicConfig(level=logging.INFO, stream=sys.stderr)
log_files = LogFiles(Path(sys.argv[1]))
log_files.error.parent.mkdir(parents=True)
python = sys.executable
sys.exit(Supervisor(log_files, web=[python, "-c", sys.argv[2]], loader=[python, "-c", sys.argv[3]]).run())
"""
SLEEPS = "import time; time.sleep(600)"
DEAF = "import signal, time; signal.signal(signal.SIGTERM, signal.SIG_IGN); print('deaf', flush=True); time.sleep(600)"
HAS_CHILD = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {SLEEPS!r}])"


def supervise(folder: Path, *, web: str, loader: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", PROGRAM, str(folder), web, loader]
    return subprocess.Popen(command, stderr=subprocess.PIPE, text=True)


def eventually(condition: Callable[[], bool], timeout_seconds: float = 10) -> bool:
    deadline = time.monotonic() + timeout_seconds
    while time.monotonic() < deadline:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def family(pid: int) -> list[psutil.Process]:
    return psutil.Process(pid).children(recursive=True)


def are_gone(processes: list[psutil.Process]) -> bool:
    return not any(process.is_running() and process.status() != psutil.STATUS_ZOMBIE for process in processes)


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_request_to_stop_ends_everything(tmp_path: Path, number: signal.Signals) -> None:
    supervisor = supervise(tmp_path / "log", web=HAS_CHILD, loader=SLEEPS)
    assert eventually(lambda: len(family(supervisor.pid)) == 3)
    children = family(supervisor.pid)

    supervisor.send_signal(number)

    assert supervisor.wait(10) == 0
    assert are_gone(children)


def test_children_that_do_not_listen_are_killed_within_seconds(tmp_path: Path) -> None:
    log = tmp_path / "log"
    supervisor = supervise(log, web=DEAF, loader=DEAF)
    assert eventually(lambda: (log / "loader.log").exists() and (log / "loader.log").read_text() == "deaf\n")
    assert eventually(lambda: (log / "gunicorn" / "error.log").read_text() == "deaf\n")
    children = family(supervisor.pid)
    started = time.monotonic()

    supervisor.terminate()

    assert supervisor.wait(10) == 0
    assert time.monotonic() - started < 5
    assert are_gone(children)


def test_the_service_ends_when_the_web_server_does(tmp_path: Path) -> None:
    supervisor = supervise(tmp_path / "log", web=HAS_CHILD, loader=SLEEPS)
    assert eventually(lambda: len(family(supervisor.pid)) == 3)
    children = family(supervisor.pid)
    web = next(child for child in children if child.children())

    web.kill()

    assert supervisor.wait(10) == 1
    assert are_gone(children)


def test_children_do_not_outlive_a_killed_supervisor(tmp_path: Path) -> None:
    supervisor = supervise(tmp_path / "log", web=SLEEPS, loader=SLEEPS)
    assert eventually(lambda: len(family(supervisor.pid)) == 2)
    children = family(supervisor.pid)

    supervisor.kill()
    supervisor.wait()

    assert eventually(lambda: are_gone(children), 5)


def test_a_loader_that_dies_at_once_is_restarted_more_and_more_slowly(tmp_path: Path) -> None:
    marks = tmp_path / "marks"
    loader = f"import time; open({str(marks)!r}, 'a').write(f'{{time.monotonic()}}\\n'); raise SystemExit(3)"
    supervisor = supervise(tmp_path / "log", web=SLEEPS, loader=loader)

    assert eventually(lambda: marks.exists() and len(marks.read_text().splitlines()) >= 4, 20)
    supervisor.terminate()
    said = supervisor.communicate(timeout=10)[1]

    times = [float(line) for line in marks.read_text().splitlines()]
    pauses = [later - earlier for earlier, later in pairwise(times)]
    assert pauses[1] >= 1
    assert pauses[2] >= 2 > pauses[0]
    assert "the loader exited (exit code 3); restarting it in 2 s" in said


def test_pauses_grow_to_a_minute_and_start_over_after_a_long_life() -> None:
    backoff = RestartBackoff()

    assert [backoff.after(0.1) for _ in range(9)] == [0, 1, 2, 4, 8, 16, 32, 60, 60]
    assert backoff.after(3600) == 0


def test_waiting_costs_no_processor_time(tmp_path: Path) -> None:
    supervisor = supervise(tmp_path / "log", web=SLEEPS, loader=SLEEPS)
    assert eventually(lambda: len(family(supervisor.pid)) == 2)
    process = psutil.Process(supervisor.pid)
    before = sum(process.cpu_times()[:2])

    time.sleep(2)

    assert sum(process.cpu_times()[:2]) - before < 0.05
    os.kill(supervisor.pid, signal.SIGTERM)
    supervisor.wait(10)
