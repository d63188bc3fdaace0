"""Starting jobs: their locks are taken here and handed to the process that computes."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path

from mindinsight_like.jobs.folder import FAILED, JobFolder, S

_TRIES = 50


def claimed(job: JobFolder[S]) -> int | None:
    """The lock of a job; None when somebody else computes it. One that was cancelled takes a moment to end."""
    for _ in range(_TRIES):
        if (lock := job.claim()) is not None:
            return lock
        if (status := job.status()) is not None and status.state != FAILED:
            return None
        time.sleep(0.02)
    return None


def entries(folder: Path) -> list[Path]:
    """What a folder of jobs holds."""
    with contextlib.suppress(FileNotFoundError):
        return list(folder.iterdir())
    return []


def start_process(
    module: str, jobs: Sequence[Path], locks: Sequence[int], environment: Mapping[str, str], *, log: Path
) -> None:
    """Run `python -m module JOB LOCK JOB LOCK …`; the process holds the locks from now on, as long as it lives.

    The caller closes its own.
    """
    words = [str(word) for pair in zip(jobs, locks, strict=True) for word in pair]
    with log.open("wb") as out:
        process = subprocess.Popen(
            [sys.executable, "-m", module, *words],
            env={**os.environ, **environment},
            stdin=subprocess.DEVNULL,
            stdout=out,
            stderr=out,
            pass_fds=tuple(locks),
            cwd="/",
        )
    threading.Thread(target=process.wait, daemon=True).start()  # else it would stay behind as a zombie
