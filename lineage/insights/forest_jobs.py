"""Random forests over runs as jobs in separate processes: started here, computed by `forest_process`."""

from __future__ import annotations

import hashlib
import json
import os
from dataclasses import asdict, dataclass, field
from importlib.util import find_spec
from pathlib import Path
from typing import Any, Final

from mindinsight_like.errors import Busy
from mindinsight_like.jobs import folder
from mindinsight_like.jobs.folder import FAILED, READY
from mindinsight_like.jobs.starting import claimed, entries, start_process
from mindinsight_like.store.lru_eviction import evict

from .forest import Features, ForestFit

HOW_TO_INSTALL: Final = "a random forest needs scikit-learn: pip install 'mindinsight-like[projections]'"
_MODULE = "mindinsight_like.lineage.insights.forest_process"
_MOST_BYTES = 2**26  # of results
_MOST_RUNNING = 8  # processes that compute or wait for their turn
_VERSION = 1  # of the method: raised whenever results change


@dataclass(frozen=True)
class ForestStatus(folder.Status):
    fit: dict[str, Any] = field(default_factory=dict)  # a ForestFit, when it is ready


class ForestFolder(folder.JobFolder[ForestStatus]):
    """Files of one forest."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, ForestStatus)

    def finish_with(self, fit: ForestFit, seconds: float) -> None:
        self.finish(ForestStatus(READY, 1.0, seconds=round(seconds, 3), fit=asdict(fit)))


class ForestJobs:
    """The forests of an index; shared by all web workers."""

    def __init__(self, index_folder: Path) -> None:
        self._folder = index_folder / "forests" / "jobs"

    def ask(self, data: Features) -> ForestStatus:
        """How the forest of some runs stands; it is started unless it is there. Raises Busy."""
        if find_spec("sklearn") is None:
            return ForestStatus(FAILED, message=HOW_TO_INSTALL)
        order = {"names": data.names, "values": data.values.tolist(), "target": data.target.tolist()}
        content = json.dumps([_VERSION, order], sort_keys=True).encode()
        job = ForestFolder(self._folder / hashlib.blake2b(content, digest_size=16).hexdigest())
        status = job.status()
        if status is None:
            self._start(job, order)
            status = job.status()
        else:
            job.touch()
        return status or ForestStatus(FAILED, message="it was cancelled")

    def _start(self, job: ForestFolder, order: dict[str, Any]) -> None:
        evict(job.path.parent, _MOST_BYTES, may_go=lambda path: not ForestFolder(path).is_held)
        if sum(ForestFolder(path).is_held for path in entries(job.path.parent)) >= _MOST_RUNNING:
            raise Busy("Too many forests are being computed; try again later.")
        lock = claimed(job)
        if lock is None:
            return  # another web worker was quicker
        try:
            if (status := job.status()) is not None and status.state == READY:
                return  # it was finished between the two looks
            job.begin(order)
            start_process(_MODULE, [job.path], [lock], {"OMP_WAIT_POLICY": "PASSIVE"}, log=job.path / "log")
        finally:
            os.close(lock)  # the child has inherited it
