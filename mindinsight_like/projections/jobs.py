"""Starts projections in processes of their own and tells how they stand; the same for all web workers of a service."""

from __future__ import annotations

import contextlib
import os
import re
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import Busy
from mindinsight_like.projections.asked import Asked, how_to_install, missing_package
from mindinsight_like.projections.choosing import Place, find_embedding
from mindinsight_like.projections.job_folder import FAILED, READY, JobFolder, Status
from mindinsight_like.projections.matrices import Matrices
from mindinsight_like.store.reading import IndexReader
from mindinsight_like.store.space import make_room

_MOST_BYTES = 2**29  # of kept projections; one of 100,000 points takes four megabytes at most
_MOST_WAITING = 16  # processes that compute or wait for their turn
_TRIES = 50
_ID = re.compile(r"[0-9a-f]{32}")


class Projections:
    """The projections below a folder."""

    def __init__(self, settings: Settings, reader: Callable[[], IndexReader], *, most_bytes: int = _MOST_BYTES) -> None:
        self._settings = settings
        self._reader = reader
        self._folder = reader().folder / "projections"
        self._most_bytes = most_bytes
        self.matrices = Matrices.beside(reader())

    def ask(self, place: Place, asked: Asked) -> tuple[str, Status]:
        """The id of a projection and how it stands; it is started unless it is there. Raises NotFound, Busy."""
        embedding = find_embedding(self._reader(), place)
        id = asked.id_for(embedding.content)
        job = self._job(id)
        if missing_package(asked.method):
            return id, Status(FAILED, message=how_to_install(asked.method))
        status = job.status()
        if status is None or status.state == FAILED:
            self._start(job, {"place": place, "content": embedding.content, "asked": asked.matters})
            status = job.status()
        else:
            job.touch()
        return id, status or Status(FAILED, message="it was cancelled")

    def status(self, id: str) -> Status | None:
        return self._job(id).status() if _ID.fullmatch(id) else None

    def points(self, id: str) -> bytes | None:
        return self._job(id).points() if _ID.fullmatch(id) else None

    def cancel(self, id: str) -> None:
        """End the computation if there is one; what is done stays."""
        if (status := self.status(id)) is not None and status.state not in (READY, FAILED):
            self._job(id).cancel()

    def _job(self, id: str) -> JobFolder:
        return JobFolder(self._folder / "jobs" / id)

    def _start(self, job: JobFolder, order: dict[str, Any]) -> None:
        make_room(job.path.parent, self._most_bytes, may_go=lambda path: not JobFolder(path).is_held)
        if sum(JobFolder(path).is_held for path in _entries(job.path.parent)) >= _MOST_WAITING:
            raise Busy("Too many projections are being computed; ask again when some are done.")
        lock = _claimed(job)
        if lock is None:
            return  # another web worker was quicker
        try:
            if (status := job.status()) is not None and status.state == READY:
                return  # it was finished between the two looks
            job.begin(order)
            _run(job.path, lock, self._settings.environment())
        finally:
            os.close(lock)  # the child has inherited it


def _claimed(job: JobFolder) -> int | None:
    """The lock of a job; None when somebody else computes it. One that was cancelled takes a moment to end."""
    for _ in range(_TRIES):
        if (lock := job.claim()) is not None:
            return lock
        if (status := job.status()) is not None and status.state != FAILED:
            return None
        time.sleep(0.02)
    return None


def _entries(folder: Path) -> list[Path]:
    with contextlib.suppress(FileNotFoundError):
        return list(folder.iterdir())
    return []


def _run(job: Path, lock: int, environment: dict[str, str]) -> None:
    with (job / "log").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "mindinsight_like.projections", str(job), str(lock)],
            # Threads that wait for each other by spinning take the processors of trainings: on a busy machine the same
            # t-SNE took seven times as long.
            env=os.environ | environment | {"OMP_WAIT_POLICY": "PASSIVE"},
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            pass_fds=(lock,),
            cwd="/",
        )
    threading.Thread(target=process.wait, daemon=True).start()  # else it would stay behind as a zombie
