"""Columns computed from the curves of many runs as jobs in separate processes; their values are kept on disk.

All web workers share them, and they are there after a restart. A value holds for the version that its run had when it
was computed, so that only runs that have changed since are computed again.
"""

from __future__ import annotations

import hashlib
import io
import os
import time
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from mindinsight_like.jobs.folder import FAILED, QUEUED, RUNNING, JobFolder, Status
from mindinsight_like.jobs.starting import claimed, entries, start_process
from mindinsight_like.store.lru_eviction import evict
from mindinsight_like.store.segments.sealing import BrokenSeal, file_state, number_for, unsealed

_MODULE = "mindinsight_like.lineage.table.scalars.column_process"
_MOST_BYTES = 2**28  # of kept columns; one of 50,000 runs takes three megabytes
_MOST_RUNNING = 16  # processes that compute or wait for their turn
_PAUSE_SECONDS = 10.0  # at least between two computations of a column, while its runs change
_POLL_SECONDS = 0.1
VERSION: Final = 1  # of the values: raised whenever they would be others
_FILE = "values"


@dataclass(frozen=True)
class StoredValues:
    """The values of a column; of each run also the version that it had."""

    runs: NDArray[np.bytes_]
    versions: NDArray[np.int64]
    values: NDArray[np.float64]
    present: NDArray[np.bool_]

    @cached_property
    def places(self) -> dict[str, int]:
        """The row of each run."""
        return {run.decode(): place for place, run in enumerate(self.runs.tolist())}


class ColumnFolder(JobFolder[Status]):
    """Files of one column."""

    def __init__(self, path: Path) -> None:
        super().__init__(path, Status)

    def write_values(self, stored: StoredValues) -> None:
        with io.BytesIO() as content:
            np.savez(content, runs=stored.runs, versions=stored.versions, values=stored.values, present=stored.present)
            self._write(_FILE, content.getvalue())

    def values(self) -> StoredValues | None:
        """What has been computed so far; None for nothing, or if the file is damaged."""
        try:
            content = unsealed((self.path / _FILE).read_bytes(), number_for(self.path.name))
            with np.load(io.BytesIO(content), allow_pickle=False) as arrays:
                return StoredValues(arrays["runs"], arrays["versions"], arrays["values"], arrays["present"])
        except (FileNotFoundError, BrokenSeal, ValueError, KeyError):
            return None

    def values_state(self) -> object:
        """Another one whenever values have been written."""
        try:
            return file_state(self.path / _FILE)
        except FileNotFoundError:
            return None

    @property
    def ended_at(self) -> float:
        """When the last computation ended; 0 if none has."""
        times = []
        for name in ("result.json", "failed.json"):
            try:
                times.append((self.path / name).stat().st_mtime)
            except FileNotFoundError:
                continue
        return max(times, default=0.0)


class ColumnJobs:
    """The columns of an index; shared by all web workers."""

    def __init__(self, index_folder: Path, environment: Mapping[str, str]) -> None:
        """`environment`: the settings of the service, for processes that open the same index."""
        self._folder = index_folder / "columns" / "jobs"
        self._environment = dict(environment)

    def folder(self, name: str) -> ColumnFolder:
        """The files of a column."""
        digest = hashlib.blake2b(f"{VERSION}\0{name}".encode("utf-8", "surrogatepass"), digest_size=16)
        return ColumnFolder(self._folder / digest.hexdigest())

    def is_running(self, name: str) -> bool:
        status = self.folder(name).status()
        return status is not None and status.state in (QUEUED, RUNNING)

    def ask(self, name: str) -> None:
        """Start computing what is missing in a column, unless that is being done or has just been done."""
        job = self.folder(name)
        if self.is_running(name) or time.time() - job.ended_at < _PAUSE_SECONDS:
            return
        evict(self._folder, _MOST_BYTES, may_go=lambda path: not ColumnFolder(path).is_held)
        if sum(ColumnFolder(path).is_held for path in entries(self._folder)) >= _MOST_RUNNING:
            return  # it is asked again
        lock = claimed_again(job)
        if lock is None:
            return  # another web worker was quicker
        try:
            job.begin({"name": name})
            start_process(_MODULE, [job.path], [lock], self._environment, log=job.path / "log")
        finally:
            os.close(lock)  # the child has inherited it

    def wait(self, name: str) -> None:
        """Until nobody computes the column any more."""
        while self.is_running(name):
            time.sleep(_POLL_SECONDS)


def claimed_again(job: ColumnFolder) -> int | None:
    """The lock of a column, also of one that has been computed before."""
    status = job.status()
    return job.claim() if status is not None and status.state not in (QUEUED, RUNNING) else claimed(job)


def failure(job: ColumnFolder) -> str:
    """Why the last computation failed; empty if it did not."""
    status: Any = job.status()
    return status.message if status is not None and status.state == FAILED else ""
