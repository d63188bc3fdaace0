"""What processes of jobs have in common: they wait for their turn, and end when nobody wants them any more."""

from __future__ import annotations

import fcntl
import os
import time
from pathlib import Path
from typing import Any

from mindinsight_like.jobs.folder import JobFolder

PAUSE_SECONDS = 0.2


def wait_for_turn(folder: Path, queue: str, places: int) -> int:
    """One of few places in which to compute, as the lock of a file that is let go with this process."""
    handles = [os.open(folder / f"{queue}-{n}", os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600) for n in range(places)]
    while True:
        for handle in handles:
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                continue
            for other in handles:
                if other != handle:
                    os.close(other)
            return handle
        time.sleep(PAUSE_SECONDS)


def end_when_unwanted(job: JobFolder[Any], *, longest_seconds: float) -> None:
    """Ends this process when it is cancelled or takes too long; libraries do not ask anybody while they compute.

    For a thread of its own.
    """
    begin = time.monotonic()
    while time.monotonic() - begin < longest_seconds:
        if job.is_cancelled or not job.path.is_dir():
            os._exit(0)
        time.sleep(PAUSE_SECONDS)
    job.fail(f"it was not done after {longest_seconds / 3600:g} hours")
    os._exit(1)


def end_with_parent(parent: int) -> None:
    """Ends this process when the one that started it has gone, however it went. For a thread of its own."""
    while os.getppid() == parent:
        time.sleep(PAUSE_SECONDS)
    os._exit(1)
