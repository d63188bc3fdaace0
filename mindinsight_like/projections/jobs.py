"""Start projections in separate processes and report their status; shared by all web workers of a service."""

from __future__ import annotations

import contextlib
import os
import re
from collections.abc import Callable
from typing import Any

from mindinsight_like.conf.settings import Settings
from mindinsight_like.errors import Busy, Rebuilding
from mindinsight_like.jobs.folder import FAILED, READY
from mindinsight_like.jobs.starting import claimed, entries, start_process
from mindinsight_like.projections.embedding import Place, find_embedding
from mindinsight_like.projections.job_folder import ProjectionFolder, Status
from mindinsight_like.projections.matrices import Matrices
from mindinsight_like.projections.request import ProjectionRequest, how_to_install, missing_package
from mindinsight_like.store.lru_eviction import evict
from mindinsight_like.store.reader import IndexReader

_MOST_BYTES = 2**29  # of kept projections; one of 100,000 points takes four megabytes at most
_MOST_WAITING = 16  # processes that compute or wait for their turn
_ID = re.compile(r"[0-9a-f]{32}")


class Projections:
    """The projections below a folder."""

    def __init__(self, settings: Settings, reader: Callable[[], IndexReader], *, most_bytes: int = _MOST_BYTES) -> None:
        self._settings = settings
        self._reader = reader
        self._folder = reader().folder / "projections"
        self._most_bytes = most_bytes
        self.matrices = Matrices.beside(reader())

    def ask(self, place: Place, request: ProjectionRequest) -> tuple[str, Status]:
        """The id of a projection and how it stands; it is started unless it is there. Raises NotFound, Busy."""
        embedding = find_embedding(self._reader(), place)
        id = request.id_for(embedding.content)
        job = self._job(id)
        if missing_package(request.method):
            return id, Status(FAILED, message=how_to_install(request.method))
        status = job.status()
        if status is None or status.state == FAILED:
            self._start(job, {"place": place, "content": embedding.content, "asked": request.matters})
            status = job.status()
        else:
            job.touch()
        return id, status or Status(FAILED, message="it was cancelled")

    def status(self, id: str) -> Status | None:
        """How a projection stands; one whose result is damaged is begun again. Raises Busy."""
        if not _ID.fullmatch(id):
            return None
        job = self._job(id)
        status = job.status()
        if status is None and job.is_discarded:
            with contextlib.suppress(OSError, ValueError):  # without a readable order it is as if nobody had asked
                self._start(job, job.order())
                status = job.status()
        return status

    def points(self, id: str) -> bytes | None:
        """The points as a file of numpy; None when there are none yet, or none any more. Raises Busy, Rebuilding."""
        if not _ID.fullmatch(id):
            return None
        job = self._job(id)
        points = job.points()
        if points is None and job.is_discarded:
            self.status(id)
            raise Rebuilding("the projection was damaged and is being computed again")
        return points

    def cancel(self, id: str) -> None:
        """End the computation if there is one; what is done stays."""
        if (status := self.status(id)) is not None and status.state not in (READY, FAILED):
            self._job(id).cancel()

    def _job(self, id: str) -> ProjectionFolder:
        return ProjectionFolder(self._folder / "jobs" / id)

    def _start(self, job: ProjectionFolder, order: dict[str, Any]) -> None:
        evict(job.path.parent, self._most_bytes, may_go=lambda path: not ProjectionFolder(path).is_held)
        if sum(ProjectionFolder(path).is_held for path in entries(job.path.parent)) >= _MOST_WAITING:
            raise Busy("Too many projections are running; try again later.")
        lock = claimed(job)
        if lock is None:
            return  # another web worker was quicker
        try:
            if (status := job.status()) is not None and status.state == READY:
                return  # it was finished between the two looks
            job.begin(order)
            # Threads that wait for each other by spinning take the processors of trainings: on a busy machine the same
            # t-SNE took seven times as long.
            environment = self._settings.environment() | {"OMP_WAIT_POLICY": "PASSIVE"}
            module = "mindinsight_like.projections"
            start_process(module, [job.path], [lock], environment, log=job.path / "log")
        finally:
            os.close(lock)  # the child has inherited it
