"""Endpoints and couriers as processes of their own, that tests may kill."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mindinsight_like.conf.settings import Settings


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def eventually(condition: Callable[[], object], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "it did not come true"
        time.sleep(0.02)


class Endpoint:
    """The collector's half of a service, without its web half."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.base = folder / "base"
        self.base.mkdir(parents=True)
        workspace = folder / "workspace"
        (workspace / "log").mkdir(parents=True)
        self.settings = Settings(
            summary_base_dir=self.base, workspace=workspace, port=free_port(), collector_port=free_port(), **settings
        )
        self.address = f"127.0.0.1:{self.settings.collector_port}"
        self.process: subprocess.Popen[bytes] | None = None

    def start(self) -> None:
        command = [sys.executable, "-m", "mindinsight_like.profiler.collector.endpoint"]
        self.process = subprocess.Popen(command, env={**os.environ, **self.settings.environment()}, cwd="/")

    def wait_until_open(self) -> None:
        eventually(self._is_open)

    def kill(self) -> None:
        if self.process is not None:
            self.process.send_signal(signal.SIGKILL)
            self.process.wait()

    def _is_open(self) -> bool:
        with socket.socket() as probe:
            return probe.connect_ex(("127.0.0.1", self.settings.collector_port)) == 0


class Beside:
    """A courier as a `Profiler` starts it."""

    def __init__(self, server: str, folder: Path, training_spool: Path, **told: Any) -> None:
        order: dict[str, object] = {
            "server": server,
            "run": "a/b",
            "spool": str(folder),
            "token": "",
            "ca": "",
            "host": "here",
        }
        order |= {"process": os.getpid(), "training_spool": str(training_spool), **told}
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mindinsight_like.profiler.collector"],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            cwd="/",
        )
        self.say(order)

    def say(self, told: dict[str, Any]) -> None:
        assert self.process.stdin is not None
        self.process.stdin.write(json.dumps(told).encode() + b"\n")
        self.process.stdin.flush()

    def kill(self) -> None:
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()


def contents(path: Path) -> list[bytes]:
    """What the whole records of a framed file hold."""
    data, place, found = path.read_bytes(), 0, []
    while place + 12 <= len(data):
        (length,) = struct.unpack_from("<Q", data, place)
        if place + length + 16 > len(data):
            break
        found.append(data[place + 12 : place + 12 + length])
        place += length + 16
    return found
