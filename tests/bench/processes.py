"""Run programs and account for what they cost: CPU seconds of the whole process tree, wall seconds, memory."""

from __future__ import annotations

import mmap
import os
import socket
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import psutil

_STOP_SECONDS = 15.0
_LIMIT_SECONDS = 300.0
_TOUCHED_BYTES = 8 * 2**30  # more than any program takes here, its files in the page cache included


class ProgramFailed(Exception):
    """A measured program ended with an error, or did not get where it should in time."""


@dataclass(frozen=True)
class Cost:
    """What a program has used."""

    cpu_seconds: float
    wall_seconds: float
    peak_mb: float


@dataclass(frozen=True)
class Finished:
    """A program that ran to its end, and what it printed."""

    cost: Cost
    output: str


def finish(command: Sequence[str | Path], *, environment: Mapping[str, str] | None = None) -> Finished:
    """Run a program to its end; its children count as far as it has waited for them."""
    with tempfile.TemporaryFile("w+") as output, tempfile.TemporaryFile("w+") as errors:
        started = time.perf_counter()
        process = subprocess.Popen(list(map(str, command)), stdout=output, stderr=errors, env=environment)
        try:
            _, status, used = os.wait4(process.pid, 0)
        except BaseException:
            process.kill()
            raise
        took = time.perf_counter() - started
        process.returncode = os.waitstatus_to_exitcode(status)
        output.seek(0)
        errors.seek(0)
        if process.returncode:
            raise ProgramFailed(f"{command} ended with {process.returncode}: {errors.read()[-2000:]}")
        return Finished(Cost(used.ru_utime + used.ru_stime, took, used.ru_maxrss / 1024), output.read())


@contextmanager
def running(
    command: Sequence[str | Path],
    *,
    environment: Mapping[str, str] | None = None,
    log: Path,
) -> Iterator[psutil.Popen]:
    """A program that is stopped, with all its children, when the block is left; `log` gets what it prints."""
    with log.open("wb") as output:
        process = psutil.Popen(list(map(str, command)), stdout=output, stderr=output, env=environment)
    try:
        yield process
    finally:
        stop(process)


def stop(process: psutil.Popen) -> None:
    """End a process and its children, kindly at first."""
    family = _family(process)
    for member in family:
        with suppress(psutil.NoSuchProcess):
            member.terminate()
    _, alive = psutil.wait_procs(family, timeout=_STOP_SECONDS)
    for member in alive:
        with suppress(psutil.NoSuchProcess):
            member.kill()
    process.wait()


def wait_for(condition: Callable[[], bool], process: psutil.Popen, *, log: Path, every: float) -> None:
    """Return when the condition holds; raises when the process ends before, or has had plenty of time."""
    started = time.perf_counter()
    while not condition():
        late = time.perf_counter() - started > _LIMIT_SECONDS
        if late or process.poll() is not None:
            reason = f"is not ready after {_LIMIT_SECONDS:g} s" if late else f"ended with {process.returncode}"
            raise ProgramFailed(f"{process.args} {reason}: {log.read_text(errors='replace')[-2000:]}")
        time.sleep(every)


def cpu_seconds(process: psutil.Process) -> float:
    """User and system time of a process tree so far, ended children included."""
    total = 0.0
    for member in _family(process):
        with suppress(psutil.NoSuchProcess):
            times = member.cpu_times()
            total += times.user + times.system
            if member.pid == process.pid:
                total += times.children_user + times.children_system
    return total


def peak_mb(process: psutil.Process) -> float:
    """The most memory a process alone has held so far."""
    for line in Path(f"/proc/{process.pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) / 1024
    return 0.0


def free_port() -> int:
    """A port of the loopback address that nobody listens on at the moment."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def read_once(folder: Path) -> None:
    """Bring every file into the page cache, so that all programs find the same warm disk."""
    for path in folder.rglob("*"):
        if path.is_file():
            with path.open("rb", buffering=0) as file:
                while file.read(1 << 22):
                    pass


def touch_memory() -> None:
    """Touch free memory and give it back, so that all programs find the same memory behind the machine.

    The host of a virtual machine takes unused memory away, and hands it out again when it is touched first: that costs
    up to 7 ms of CPU for each MB, more than the programs themselves do with it, or nothing, as chance has it.
    """
    size = min(_TOUCHED_BYTES, psutil.virtual_memory().available // 2)
    with ProcessPoolExecutor(1) as pool:  # programs begin with the peak of the process that starts them
        pool.submit(_touch, size).result()


def _touch(size: int) -> None:
    with mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS) as block:
        for page in range(0, size, mmap.PAGESIZE):
            block[page] = 1


def _family(process: psutil.Process) -> list[psutil.Process]:
    try:
        return [process, *process.children(recursive=True)]
    except psutil.NoSuchProcess:
        return []
